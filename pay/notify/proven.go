// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality"
	"gwon/consensus/finality/remotestate"
)

// Bounds of what is read from nodes that are not trusted. A reader has to have that of memory.
const (
	// Memory bounds the proven answers that are held, in encoded bytes.
	Memory = 16 << 20

	// maxLinked bounds the blocks that are read at once: their headers are proven by the hashes in the last of them.
	maxLinked = 512
)

// proven has blocks and logs that seals and paths prove, from untrusted nodes. It is safe for concurrent use.
type proven struct {
	reader *remotestate.Reader
	tip    *remotestate.Tip

	mu      sync.Mutex // held while the newest block is looked for: all webhooks share one look
	looked  time.Time
	failure error // of the last look
}

func (p *proven) close() error { return p.reader.Close() }

func (p *proven) chainID(context.Context) (uint64, error) {
	return p.reader.Config().ChainID.Uint64(), nil
}

// genesis returns the one of the configuration, where the proofs begin; all blocks are proven from there or later.
func (p *proven) genesis(context.Context) (common.Hash, error) { return p.reader.Genesis(), nil }

func blockOf(h *types.Header) *block {
	return &block{Number: hexutil.Uint64(h.Number.Uint64()), Hash: h.Hash(), Timestamp: hexutil.Uint64(h.Time)}
}

func (p *proven) block(ctx context.Context, number rpc.BlockNumber) (*block, error) {
	if _, err := p.tip.Head(); err != nil || number == rpc.LatestBlockNumber {
		if err := p.advance(ctx); err != nil {
			return nil, err
		}
	}
	header, err := p.tip.Head()
	if err != nil || number > rpc.BlockNumber(header.Number.Int64()) {
		return nil, err
	}
	if number >= 0 {
		if header, err = p.reader.Header(ctx, uint64(number)); err != nil {
			return nil, err
		}
	}
	return blockOf(header), nil
}

// advance looks for a newer block, which all webhooks share.
func (p *proven) advance(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) >= pollInterval/2 {
		p.failure = p.tip.Advance(ctx)
		p.looked = time.Now()
	}
	return p.failure
}

func (p *proven) notices(ctx context.Context, w *Webhook, first, last uint64) ([]notice, *block, error) {
	last = min(last, first+maxLinked-1)
	headers, err := p.headers(ctx, first, last)
	if err != nil {
		return nil, nil, err
	}
	queries := w.queries()
	wanted := make([]remotestate.Criteria, len(queries))
	for i, q := range queries {
		wanted[i] = q.Criteria
	}
	ctx, cancel := context.WithTimeout(ctx, remotestate.ProofTime)
	defer cancel()
	logs, blocks, err := p.reader.Logs(ctx, headers, wanted, wantedSize)
	if err != nil && blocks == 0 {
		return nil, nil, err
	}
	var found []notice
	for _, q := range queries {
		for _, l := range logs {
			if !q.Match(l) {
				continue
			}
			if found, err = w.add(found, l, q.event); err != nil {
				return nil, nil, err
			}
		}
	}
	return inOrder(found), blockOf(headers[blocks-1]), nil
}

// headers returns proven headers. Those near the newest block are proven by the hashes in it, others by the seals over
// the last of them.
func (p *proven) headers(ctx context.Context, first, last uint64) ([]*types.Header, error) {
	end, err := p.tip.Head()
	if err != nil {
		return nil, err
	}
	newest := end.Number.Uint64()
	if last > newest {
		return nil, errIncomplete
	}
	if newest-first >= maxLinked {
		if end, err = p.reader.Header(ctx, last); err != nil {
			return nil, err
		}
		newest = last
	}
	list, err := p.reader.Ancestors(ctx, end, first)
	if err != nil {
		return nil, err
	}
	return list[:uint64(len(list))-(newest-last)], nil
}

// unprovable is the reason why a proof cannot be made, now or later.
type unprovable struct{ error }

// Unwrap returns the reason.
func (e unprovable) Unwrap() error { return e.error }

// ErrorCode implements rpc.Error: it is as final as a method that a node does not have.
func (unprovable) ErrorCode() int { return rpc.CodeNoMethod }

func (p *proven) receiptProof(ctx context.Context, at *Place, trusted string) (json.RawMessage, error) {
	from, err := p.trusted(ctx, trusted)
	if err != nil {
		return nil, final(err)
	}
	proof, err := p.reader.ReceiptProof(ctx, at.Block, at.Transaction, from)
	if err != nil {
		return nil, final(err)
	}
	return json.Marshal(proof)
}

// final marks the errors that no repetition mends.
func final(err error) error {
	for _, reason := range []error{finality.ErrOlder, finality.ErrSize, finality.ErrTrust} {
		if errors.Is(err, reason) {
			return unprovable{err}
		}
	}
	return err
}

// trusted returns the block that a receiver trusts, which has to be proven here: "earliest", a number or a hash.
func (p *proven) trusted(ctx context.Context, text string) (finality.Trusted, error) {
	if text == "earliest" {
		if p.reader.Genesis() == (common.Hash{}) {
			return finality.Trusted{}, fmt.Errorf("%w: the genesis block is not known: give --checkpoint 0:HASH, or name a "+
				"newer block in trusted", finality.ErrTrust)
		}
		return finality.Trusted{ChainID: p.reader.Config().ChainID, Hash: p.reader.Genesis()}, nil
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	byHash := len(text) == len(common.Hash{}.Hex())
	if byHash {
		var found bool
		if number, found, err = p.reader.NumberOf(ctx, common.HexToHash(text)); err == nil && !found {
			err = fmt.Errorf("no endpoint knows the trusted block %s", text)
		}
	}
	if err != nil {
		return finality.Trusted{}, err
	}
	header, err := p.reader.Header(ctx, number)
	if err != nil {
		return finality.Trusted{}, err
	}
	if byHash && header.Hash() != common.HexToHash(text) {
		return finality.Trusted{}, fmt.Errorf("%w: block %d is %v, and %s is trusted", finality.ErrTrust, number,
			header.Hash(), text)
	}
	return finality.Trusted{Number: number, Hash: header.Hash()}, nil
}
