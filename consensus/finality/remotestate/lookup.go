// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"bytes"
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

// errLate is why an endpoint rests: another one has proven a block meanwhile.
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
	var older error
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
		header, err := r.header(ctx, p, uint64(*place.Number), true)
		if errors.Is(err, finality.ErrOlder) { // the endpoint says so, and nothing proves it
			older = err
			return errNothing
		}
		if err != nil {
			return err
		}
		block, err := r.block(ctx, p, header)
		if err != nil {
			return err
		}
		index := uint64(*place.Index)
		if txs := block.Transactions(); index >= uint64(len(txs)) || txs[index].Hash() != hash {
			return lie("transactionIndex", "transaction %d of block %d is another one", index, header.Number)
		}
		if err := r.checkPlace(raw, "transaction", block, index); err != nil {
			return err
		}
		mined = &Located{tx, header, block, index}
		return nil
	})
	switch {
	case mined != nil || err != nil:
		return mined, err
	case waiting != nil:
		return waiting, nil
	}
	return nil, older
}

// compare checks the fields that an object names against what is proven of them.
func compare(raw json.RawMessage, field string, proven map[string]any) error {
	var named map[string]json.RawMessage
	if err := decode(raw, &named, field); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(proven)) {
		want, err := json.Marshal(proven[name])
		if err != nil {
			return fmt.Errorf("encode %s.%s: %w", field, name, err)
		}
		if have := named[name]; !isNull(have) && !bytes.EqualFold(have, want) {
			return lie(field+"."+name, "it is %.80s, and %.80s is proven", have, want)
		}
	}
	return nil
}

// placeOf returns what the object of a transaction says beside the transaction itself.
func (r *Reader) placeOf(block *types.Block, index uint64) (map[string]any, error) {
	tx := block.Transactions()[index]
	sender, err := types.Sender(types.MakeSigner(r.options.Config, block.Number(), block.Time()), tx)
	if err != nil {
		return nil, fmt.Errorf("sender of %v: %w", tx.Hash(), err)
	}
	return map[string]any{
		"hash": tx.Hash(), "blockHash": block.Hash(), "blockNumber": hexutil.Uint64(block.NumberU64()),
		"transactionIndex": hexutil.Uint64(index), "from": sender,
	}, nil
}

// checkPlace checks what the object of a transaction says beside the transaction itself.
func (r *Reader) checkPlace(raw json.RawMessage, field string, block *types.Block, index uint64) error {
	place, err := r.placeOf(block, index)
	if err != nil {
		return err
	}
	return compare(raw, field, place)
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

// claim is the newest block that an endpoint names, and that it proves.
type claim struct {
	p      *endpoint
	number uint64
	header *types.Header
	err    error
}

// Latest returns the newest block that an endpoint names and that is proven. All that do not rest are asked at once. A
// block that is not newer than a known one is not proven again.
func (r *Reader) Latest(ctx context.Context, known *types.Header) (*types.Header, error) {
	claims, failed := r.claims(ctx)
	newer := slices.DeleteFunc(claims, func(c claim) bool { return known != nil && c.number <= known.Number.Uint64() })
	older := len(newer) < len(claims)
	header, errs := r.hedge(ctx, newer)
	failed = append(failed, errs...)
	switch {
	case header != nil:
		return header, nil
	case slices.ContainsFunc(errs, final):
		return nil, errors.Join(errs...)
	case older:
		return known, nil
	}
	if list, bad := r.nodes.awake(); len(list) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrLeft, errors.Join(bad...))
	}
	return nil, fmt.Errorf("%w: %w", ErrUnreachable, errors.Join(failed...))
}

// claims asks endpoints for their newest blocks. The highest number comes first.
func (r *Reader) claims(ctx context.Context) (claims []claim, failed []error) {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	list, bad := r.nodes.awake()
	answers := make(chan claim, len(list))
	for _, p := range list {
		go func() {
			var number hexutil.Uint64
			raw, err := p.call(asking, "eth_blockNumber")
			if err == nil {
				err = decode(raw, &number, "number")
			}
			answers <- claim{p: p, number: uint64(number), err: err}
		}()
	}
	failed = bad
	for range list {
		c := <-answers
		if c.err != nil {
			failed = append(failed, r.nodes.leave(c.p, "eth_blockNumber", c.err))
			continue
		}
		claims = append(claims, c)
		time.AfterFunc(500*time.Millisecond, stop) // for the others
	}
	slices.SortStableFunc(claims, func(a, b claim) int { return cmp.Compare(b.number, a.number) }) // the fastest first
	return claims, failed
}

// hedge has endpoints prove the blocks that they name. It is a hedged request: the next one begins when one has failed,
// or after a fixed delay, and the first proof counts. Endpoints that began before and are not done rest.
func (r *Reader) hedge(ctx context.Context, claims []claim) (_ *types.Header, failed []error) {
	proving, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	next := time.NewTimer(0)
	defer next.Stop()
	ended := make(chan int, len(claims))
	for begun := 0; len(failed) < len(claims); {
		select {
		case <-next.C:
			if begun == len(claims) {
				continue
			}
			at := begun
			begun++
			running.Go(func() {
				c := &claims[at]
				c.header, c.err = r.header(proving, c.p, c.number, true)
				ended <- at
			})
			next.Reset(r.nodes.slow)
		case at := <-ended:
			c := claims[at]
			if c.err == nil {
				r.nodes.proved(c.p)
				stop()
				running.Wait()
				for _, before := range claims[:at] {
					if errors.Is(before.err, context.Canceled) {
						_ = r.nodes.leave(before.p, "eth_blockNumber", errLate) // nothing was wrong
					}
				}
				return c.header, nil
			}
			if final(c.err) && !errors.Is(c.err, finality.ErrOlder) { // whose number is lower than that of others
				return nil, append(failed, c.err)
			}
			if !errors.As(c.err, new(*LieError)) {
				c.err = fmt.Errorf("%w: %w", errUnshown, c.err)
			}
			failed = append(failed, r.nodes.leave(c.p, "eth_blockNumber", c.err))
			next.Reset(0)
		}
	}
	return nil, failed
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
		if errs[i] = r.nodes.badOf(p); errs[i] != nil {
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
	if r.proven[first].Header == nil {
		r.proven[first] = proven{Header: before} // it was forgotten
	}
	return r.record(list[0], r.proven[last].proof, true)
}
