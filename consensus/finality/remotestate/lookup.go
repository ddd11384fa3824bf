// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
)

// errNothing is the answer of an endpoint that does not know what was asked for. Nothing proves it.
var errNothing = errors.New("the endpoint does not know it")

// search has one endpoint after the other look for something, until one has it. Found is false when all that answered
// know nothing of it.
func (r *Reader) search(method string, look func(*endpoint) error) (found bool, err error) {
	nothing := false
	err = r.nodes.ask(method, func(p *endpoint) error {
		if nothing && r.nodes.resting(p) {
			return errNothing
		}
		err := look(p)
		nothing = nothing || errors.Is(err, errNothing)
		return err
	})
	if err == nil {
		return true, nil
	}
	if nothing && !final(err) {
		return false, nil
	}
	return false, err
}

// Located is a transaction with its place in a proven block. Header is nil where an endpoint has it in its pool: its
// hash proves the transaction then, and nothing that it waits.
type Located struct {
	Tx     *types.Transaction
	Header *types.Header
	Block  *types.Block
	Index  uint64
}

// Transaction looks for a transaction at the endpoints. It is nil when none of them has it, which nothing proves.
func (r *Reader) Transaction(ctx context.Context, hash common.Hash) (*Located, error) {
	var mined, waiting *Located
	_, err := r.search("eth_getTransactionByHash", func(p *endpoint) error {
		raw, err := p.call(ctx, "eth_getTransactionByHash", hash)
		if err != nil {
			return err
		}
		if isNull(raw) {
			return errNothing
		}
		tx := new(types.Transaction)
		var place struct {
			Number *hexutil.Uint64 `json:"blockNumber"`
			Index  *hexutil.Uint64 `json:"transactionIndex"`
		}
		if err := decode(raw, tx, "transaction"); err != nil {
			return err
		}
		if err := decode(raw, &place, "transaction"); err != nil {
			return err
		}
		if tx.Hash() != hash {
			return lie("transaction", "it has the hash %v, not %v", tx.Hash(), hash)
		}
		if place.Number == nil || place.Index == nil {
			waiting = &Located{Tx: tx}
			return errNothing // another endpoint may have it in a block
		}
		header, err := r.headerFrom(ctx, p, uint64(*place.Number))
		if err != nil {
			return err
		}
		block, err := r.blockFrom(ctx, p, header)
		if err != nil {
			return err
		}
		index := uint64(*place.Index)
		if txs := block.Transactions(); index >= uint64(len(txs)) || txs[index].Hash() != hash {
			return lie("transactionIndex", "transaction %d of block %d is another one", index, header.Number)
		}
		if err := checkPlace(raw, "transaction", r.signer(block), block, index); err != nil {
			return err
		}
		mined = &Located{tx, header, block, index}
		return nil
	})
	if mined == nil && err == nil {
		mined = waiting
	}
	return mined, err
}

// signer returns the signer of the transactions of a block.
func (r *Reader) signer(block *types.Block) types.Signer {
	return types.MakeSigner(r.options.Config, block.Number(), block.Time())
}

// checkPlace checks what the object of a transaction says beside the transaction itself.
func checkPlace(raw json.RawMessage, field string, signer types.Signer, block *types.Block, index uint64) error {
	var named struct {
		Hash   *common.Hash    `json:"hash"`
		Block  *common.Hash    `json:"blockHash"`
		Number *hexutil.Uint64 `json:"blockNumber"`
		Index  *hexutil.Uint64 `json:"transactionIndex"`
		From   *common.Address `json:"from"`
	}
	if err := decode(raw, &named, field); err != nil {
		return err
	}
	tx := block.Transactions()[index]
	sender, err := types.Sender(signer, tx)
	if err != nil {
		return fmt.Errorf("sender of %v: %w", tx.Hash(), err)
	}
	switch {
	case named.Hash != nil && *named.Hash != tx.Hash():
		return lie(field+".hash", "it is %v, and %v is proven", named.Hash, tx.Hash())
	case named.Block != nil && *named.Block != block.Hash():
		return lie(field+".blockHash", "it is %v, not %v", named.Block, block.Hash())
	case named.Number != nil && uint64(*named.Number) != block.NumberU64():
		return lie(field+".blockNumber", "it is %d, not %d", uint64(*named.Number), block.NumberU64())
	case named.Index != nil && uint64(*named.Index) != index:
		return lie(field+".transactionIndex", "it is %d, not %d", uint64(*named.Index), index)
	case named.From != nil && *named.From != sender:
		return lie(field+".from", "it is %v, and %v has signed", named.From, sender)
	}
	return nil
}

// NumberOf looks for the number of a block at the endpoints. The number is not proven, and that none has the block is
// not either.
func (r *Reader) NumberOf(ctx context.Context, hash common.Hash) (number uint64, found bool, err error) {
	found, err = r.search("eth_getBlockByHash", func(p *endpoint) error {
		raw, err := p.call(ctx, "eth_getBlockByHash", hash, false)
		if err != nil {
			return err
		}
		if isNull(raw) {
			return errNothing
		}
		var named struct {
			Number *hexutil.Uint64 `json:"number"`
		}
		if err := decode(raw, &named, "block"); err != nil {
			return err
		}
		if named.Number == nil {
			return lie("number", "there is none")
		}
		number = uint64(*named.Number)
		return nil
	})
	return number, found, err
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// lateTime is how long a slower endpoint is waited for when one has named its newest block.
const lateTime = 500 * time.Millisecond

// Latest returns the newest block that an endpoint names and that is proven. All endpoints are asked at once, and the
// highest number is tried first. A block that is not newer than a known one is not proven again.
func (r *Reader) Latest(ctx context.Context, known *types.Header) (*types.Header, error) {
	type claim struct {
		p      *endpoint
		number uint64
		err    error
	}
	list := r.nodes.inOrder()
	claims := make([]claim, len(list))
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var done sync.WaitGroup
	for i, p := range list {
		claims[i].p = p
		if claims[i].err = r.nodes.lieOf(p); claims[i].err != nil {
			continue
		}
		done.Go(func() {
			var number hexutil.Uint64
			raw, err := p.call(asking, "eth_blockNumber")
			if err == nil {
				err = decode(raw, &number, "number")
			}
			if err == nil {
				time.AfterFunc(lateTime, stop)
			}
			claims[i].number, claims[i].err = uint64(number), err
		})
	}
	done.Wait()
	slices.SortStableFunc(claims, func(a, b claim) int {
		return cmp.Compare(b.number, a.number) // 0 for those that have not answered
	})
	var failed []error
	for _, c := range claims {
		if c.err == nil && known != nil && c.number <= known.Number.Uint64() {
			return known, nil
		}
		if c.err != nil {
			if r.nodes.lieOf(c.p) == nil {
				c.err = r.nodes.leave(c.p, "eth_blockNumber", c.err)
			}
			failed = append(failed, c.err)
			continue
		}
		header, err := r.headerFrom(ctx, c.p, c.number)
		if err == nil || final(err) {
			return header, err
		}
		failed = append(failed, r.nodes.leave(c.p, "eth_blockNumber", err))
	}
	if !slices.ContainsFunc(list, func(p *endpoint) bool { return r.nodes.lieOf(p) == nil }) {
		return nil, fmt.Errorf("%w: %w", ErrLeft, errors.Join(failed...))
	}
	return nil, fmt.Errorf("%w: %w", ErrUnreachable, errors.Join(failed...))
}

// Keep makes the proof of a block from the one that the user trusts the content of a store with a bound for the memory.
// The next start goes on from there.
func (r *Reader) Keep(ctx context.Context, header *types.Header) error {
	return r.nodes.ask("istanbul_getFinalityProof", func(p *endpoint) error {
		proof, err := r.proofFrom(ctx, p, r.anchor(), header.Number.Uint64())
		if err != nil {
			return err
		}
		proven, err := r.verify(proof)
		if err != nil {
			return lie("proof", "%v", err)
		}
		if proven.Hash() != header.Hash() {
			return lie("proof", "it proves %v, not %v", proven.Hash(), header.Hash())
		}
		return r.store.replaceProof(proof)
	})
}

// Submit passes a signed transaction on to all endpoints. It fails when none takes it, with the error of the first that
// has refused it.
func (r *Reader) Submit(ctx context.Context, tx *types.Transaction) error {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return fmt.Errorf("encode the transaction: %w", err)
	}
	list := r.nodes.inOrder()
	errs := make([]error, len(list))
	var done sync.WaitGroup
	for i, p := range list {
		if errs[i] = r.nodes.lieOf(p); errs[i] != nil {
			continue
		}
		done.Go(func() {
			var hash common.Hash
			answer, err := p.call(ctx, "eth_sendRawTransaction", hexutil.Bytes(raw))
			if err == nil {
				err = decode(answer, &hash, "hash")
			}
			if err == nil && hash != tx.Hash() {
				err = lie("hash", "it is %v, and the transaction has %v", hash, tx.Hash())
			}
			if err != nil && !refused(err) {
				err = r.nodes.leave(p, "eth_sendRawTransaction", err)
			}
			errs[i] = err
		})
	}
	done.Wait()
	if slices.Contains(errs, nil) {
		for i, err := range errs {
			if err != nil {
				log.Info("Transaction not taken by an endpoint", "hash", tx.Hash(), "url", list[i].url, "err", err)
			}
		}
		return nil
	}
	for _, err := range errs {
		if refused(err) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, errors.Join(errs...))
}

// Continues checks that a proven block has another proven one among its ancestors. Two chains of sealed blocks are a
// conflict. What lies more than MaxAncestors blocks back is not checked.
func (r *Reader) Continues(ctx context.Context, before, header *types.Header) error {
	first, last := before.Number.Uint64(), header.Number.Uint64()
	if first >= last || last-first >= MaxAncestors {
		return nil
	}
	if header.ParentHash == before.Hash() {
		return nil
	}
	list, err := r.Ancestors(ctx, header, first)
	if err != nil {
		return err
	}
	if list[0].Hash() == before.Hash() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.proven[first] == nil {
		r.proven[first] = before // it was forgotten
	}
	return r.conflicting(list[0], r.proofs[last])
}

// StoredNode returns a node of a trie by its hash where it was proven before. The error is ErrAbsent.
func (r *Reader) StoredNode(hash common.Hash) ([]byte, error) { return r.store.node(hash) }
