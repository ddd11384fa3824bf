// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/finality"
)

// errNothing is the answer of an endpoint that does not know what was asked for. Nothing proves it.
var errNothing = errors.New("the endpoint does not know it")

// errLate is why an endpoint is not waited for: another one has proven a block meanwhile.
var errLate = errors.New("another endpoint was faster")

// errUnshown is why an endpoint rests that names a newest block and does not prove it, whatever the reason is.
var errUnshown = errors.New("it does not show the newest block that it names")

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

// NumberOf looks for the number of a block at the endpoints. The hash proves it, and neither that the block is one of
// the chain nor that none has the block.
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
		header, err := readHeader(raw, uint64(*named.Number))
		if err != nil {
			return err
		}
		if header.Hash() != hash {
			return lie("hash", "it is %v, not %v", header.Hash(), hash)
		}
		number = uint64(*named.Number)
		return nil
	})
	return number, found, err
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// lateTime is how long a slower endpoint is waited for when one has named its newest block, and how long one proves its
// newest block alone.
const lateTime = 500 * time.Millisecond

// claim is the number of the newest block that an endpoint names.
type claim struct {
	p       *endpoint
	number  uint64
	resting bool
	header  *types.Header // that is proven
	err     error
}

// Latest returns the newest block that an endpoint names and that is proven. All endpoints are asked at once, and the
// highest number is tried first. A block that is not newer than a known one is not proven again. While an endpoint is
// slow with its proof, the next one makes another, so that no endpoint delays others for long.
func (r *Reader) Latest(ctx context.Context, known *types.Header) (*types.Header, error) {
	list := r.nodes.inOrder()
	var newer []claim
	var failed []error
	older := false
	for _, c := range r.claims(ctx, r.nodes.awake(list)) {
		switch {
		case c.err != nil && r.nodes.lieOf(c.p) != nil:
			failed = append(failed, c.err)
		case c.err != nil:
			failed = append(failed, r.nodes.leave(c.p, "eth_blockNumber", c.err))
		case known != nil && c.number <= known.Number.Uint64():
			older = true
		default:
			newer = append(newer, c)
		}
	}
	late := lateTime
	if known == nil {
		late = r.nodes.slow // the first proof can be long
	}
	header, errs := r.race(ctx, newer, late)
	failed = append(failed, errs...)
	switch {
	case header != nil:
		return header, nil
	case slices.ContainsFunc(errs, final):
		return nil, errors.Join(errs...)
	case older:
		return known, nil
	case !slices.ContainsFunc(list, func(p *endpoint) bool { return r.nodes.lieOf(p) == nil }):
		return nil, fmt.Errorf("%w: %w", ErrLeft, errors.Join(failed...))
	}
	return nil, fmt.Errorf("%w: %w", ErrUnreachable, errors.Join(failed...))
}

// claims asks endpoints for their newest blocks. The highest number comes first.
func (r *Reader) claims(ctx context.Context, list []*endpoint) []claim {
	claims := make([]claim, len(list))
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var done sync.WaitGroup
	for i, p := range list {
		claims[i].p, claims[i].resting = p, r.nodes.resting(p)
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
	return claims
}

// race has endpoints prove the blocks that they name, highest numbers first. The next one begins when one has failed or
// is late. The highest number that is proven counts. Endpoints that name a higher one are waited for, unless they rest,
// for as long as an answer may take. They rest then.
func (r *Reader) race(ctx context.Context, claims []claim, late time.Duration) (*types.Header, []error) {
	proving, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	defer done.Wait()
	defer stop()
	var failed []error
	begin := time.NewTimer(0)
	defer begin.Stop()
	var enough <-chan time.Time // of waiting for higher numbers
	open, ended := make(map[int]bool), make(chan int, len(claims))
	best := len(claims)
	isWaitedFor := func(at int) bool { return claims[at].number > claims[best].number && !claims[at].resting }
	isOver := false
	for begun := 0; !isOver && (begun < len(claims) || len(open) > 0); {
		select {
		case <-begin.C:
			if begun == len(claims) || best < len(claims) {
				continue
			}
			at := begun
			begun++
			open[at] = true
			done.Go(func() {
				c := &claims[at]
				c.header, c.err = r.headerFrom(proving, c.p, c.number)
				ended <- at
			})
			begin.Reset(late)
		case <-enough:
			isOver = true
		case at := <-ended:
			delete(open, at)
			switch err := claims[at].err; {
			case err == nil && at < best:
				r.nodes.proved(claims[at].p)
				best, enough = at, time.After(r.nodes.slow)
			case err == nil:
				r.nodes.proved(claims[at].p)
			case final(err) && !errors.Is(err, finality.ErrOlder): // whose number is lower than that of others
				return nil, append(failed, err)
			default:
				if !errors.As(err, new(*LieError)) {
					err = fmt.Errorf("%w: %w", errUnshown, err)
				}
				failed = append(failed, r.nodes.leave(claims[at].p, "eth_blockNumber", err))
				begin.Reset(0)
			}
			isOver = best < len(claims) && !slices.ContainsFunc(slices.Collect(maps.Keys(open)), isWaitedFor)
		}
	}
	if best == len(claims) {
		return nil, failed
	}
	for at := range open {
		if at < best {
			_ = r.nodes.leave(claims[at].p, "eth_blockNumber", errLate) // nothing was wrong
		}
	}
	return claims[best].header, nil
}

// Keep makes the proof of a block from the one that the user trusts the content of a store with a bound for the memory.
// The next start goes on from there.
func (r *Reader) Keep(ctx context.Context, header *types.Header) error {
	return r.nodes.ask("istanbul_getFinalityProof", func(p *endpoint) error {
		proof, err := r.proofFrom(ctx, p, *r.options.Trusted, header.Number.Uint64())
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
