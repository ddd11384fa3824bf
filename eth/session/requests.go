// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/core/rules"
	"gwon/params"
)

// RequestTimeout limits one request to a peer.
const RequestTimeout = 10 * time.Second

// maxDecoded bounds the memory in bytes for the decoded part of a response. A single body may exceed it.
const maxDecoded = 32 << 20

var (
	// ErrNoAnswer means that no response arrived in time.
	ErrNoAnswer = errors.New("the peer did not answer in time")
	// ErrPeerGone means that the peer disconnected.
	ErrPeerGone = errors.New("the peer disconnected")
	// ErrMissing means that the peer does not have the block.
	ErrMissing = errors.New("the peer does not have the block")
	// ErrBadAnswer means that the response does not fit the request, which is a fault of the peer.
	ErrBadAnswer = errors.New("the peer sent another answer than requested")
)

// request sends one request and waits for the response, which use checks and reads. An error of use disconnects the
// peer, because the reader of the connection receives it.
func request(ctx context.Context, ses *Session,
	send func(chan *protocol.Response) (*protocol.Request, error), use func(*protocol.Response) error) error {
	sink := make(chan *protocol.Response)
	req, err := send(sink)
	if err != nil {
		return err
	}
	defer req.Close() //nolint:errcheck // the request has ended
	timer := time.NewTimer(RequestTimeout)
	defer timer.Stop()
	select {
	case res := <-sink:
		err := use(res)
		res.Done <- err
		return err
	case <-timer.C:
		return ErrNoAnswer
	case <-ses.closed:
		return ErrPeerGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// FirstOf asks peers concurrently and returns the first result without an error. Otherwise it returns the last error,
// which is ErrPeerGone without peers.
func FirstOf[T any](ctx context.Context, list []*Session, ask func(context.Context, *Session) (T, error)) (T, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, len(list))
	for _, ses := range list {
		go func() {
			value, err := ask(ctx, ses)
			answers <- answer{value, err}
		}()
	}
	last := answer{err: ErrPeerGone}
	for range list {
		if last = <-answers; last.err == nil {
			break
		}
	}
	return last.value, last.err
}

// HeadersFrom requests count headers from a number upwards and checks that they are consecutive and linked. A shorter
// or empty response is valid.
func HeadersFrom(ctx context.Context, ses *Session, p *protocol.Peer, from uint64, count int) ([]*types.Header, error) {
	return HeadersEvery(ctx, ses, p, from, 1, count)
}

// HeadersEvery is HeadersFrom with a distance between the headers. Links are checked only at distance 1.
func HeadersEvery(ctx context.Context, ses *Session, p *protocol.Peer, from, step uint64,
	count int) ([]*types.Header, error) {
	var headers []*types.Header
	err := request(ctx, ses, func(sink chan *protocol.Response) (*protocol.Request, error) {
		return p.RequestHeadersByNumber(from, count, int(step-1), false, sink)
	}, func(res *protocol.Response) error {
		headers = *res.Res.(*protocol.BlockHeadersRequest)
		hashes := res.Meta.([]common.Hash)
		for i, h := range headers {
			if h.Number == nil || !h.Number.IsUint64() || h.Number.Uint64() != from+uint64(i)*step || i > 0 && step == 1 &&
				h.ParentHash != hashes[i-1] {
				return fmt.Errorf("%w: header %d of %d from block %d", ErrBadAnswer, i, len(headers), from)
			}
			if err := checkLargeHeader(h); err != nil {
				return err
			}
		}
		return nil
	})
	return headers, err
}

// HeaderByHash requests one header. It fails with ErrMissing when the peer does not have it, which is valid.
func HeaderByHash(ctx context.Context, ses *Session, p *protocol.Peer, hash common.Hash) (*types.Header, error) {
	var header *types.Header
	err := request(ctx, ses, func(sink chan *protocol.Response) (*protocol.Request, error) {
		return p.RequestOneHeader(hash, sink)
	}, func(res *protocol.Response) error {
		headers := *res.Res.(*protocol.BlockHeadersRequest)
		if len(headers) == 0 {
			return nil
		}
		if len(headers) > 1 || headers[0].Number == nil || headers[0].Hash() != hash {
			return fmt.Errorf("%w: header %v", ErrBadAnswer, hash)
		}
		if err := checkLargeHeader(headers[0]); err != nil {
			return err
		}
		header = headers[0]
		return nil
	})
	if err == nil && header == nil {
		err = ErrMissing
	}
	return header, err
}

// checkLargeHeader checks the form of a header above the size of honest ones before its extra data is decoded.
func checkLargeHeader(h *types.Header) error {
	if len(h.Extra) <= rules.MaxExtra {
		return nil
	}
	if err := rules.ValidateHeader(h); err != nil {
		return fmt.Errorf("%w: header of block %d: %w", ErrBadAnswer, h.Number, err)
	}
	return nil
}

// BlocksOf requests the bodies of headers and returns the blocks that they form. The blocks have passed the gate. A
// response may omit bodies; the result ends before the first missing one. A body that fits no header in order is a
// bad answer, and so is a header that the gate refuses.
func BlocksOf(ctx context.Context, ses *Session, p *protocol.Peer, headers []*types.Header) (types.Blocks, error) {
	var ask []common.Hash
	for _, h := range headers {
		if h.TxHash != types.EmptyTxsHash {
			ask = append(ask, h.Hash())
		}
	}
	bodies := make(map[common.Hash]types.Transactions) // by transaction root
	if len(ask) > 0 {
		err := request(ctx, ses, func(sink chan *protocol.Response) (*protocol.Request, error) {
			return p.RequestBodies(ask, sink)
		}, func(res *protocol.Response) error {
			answer := *res.Res.(*protocol.BlockBodies68)
			next, decoded := 0, 0
			for i, raw := range answer {
				size, err := outlineBody(headers[next:], raw)
				if err != nil {
					return fmt.Errorf("%w: body %d of %d: %w", ErrBadAnswer, i, len(answer), err)
				}
				if decoded += size; i > 0 && decoded > maxDecoded {
					return nil // valid, like a shorter response
				}
				var body protocol.BlockBody
				if err := rlp.DecodeBytes(raw, &body); err != nil {
					return fmt.Errorf("%w: body %d of %d: %w", ErrBadAnswer, i, len(answer), err)
				}
				root, uncles := body.Roots()
				for next < len(headers) && headers[next].TxHash != root {
					next++
				}
				if next == len(headers) || uncles != types.EmptyUncleHash || body.Withdrawals != nil {
					return fmt.Errorf("%w: body %d of %d", ErrBadAnswer, i, len(answer))
				}
				txs, err := body.Transactions.Items()
				if err != nil {
					return fmt.Errorf("%w: %w", ErrBadAnswer, err)
				}
				bodies[root] = txs
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	blocks := make(types.Blocks, 0, len(headers))
	for _, h := range headers {
		txs, have := bodies[h.TxHash]
		if !have && h.TxHash != types.EmptyTxsHash {
			break
		}
		block := types.NewBlockWithHeader(h).WithBody(types.Body{Transactions: txs})
		if err := rules.ValidateBasic(block); err != nil {
			return nil, fmt.Errorf("%w: block %d: %w", ErrBadAnswer, h.Number, err)
		}
		blocks = append(blocks, rules.TrimSeals(block))
	}
	return blocks, nil
}

// outlineBody checks that a body can belong to one of the headers, and returns its size in bytes when decoded. The
// gas in a header may be false while its seals are not verified, so no body has more than params.MaxTransactions.
func outlineBody(headers []*types.Header, raw []byte) (decoded int, err error) {
	if len(headers) == 0 {
		return 0, errors.New("more bodies than headers")
	}
	outline, err := rules.OutlineBody(headers[0], raw)
	if err != nil {
		return 0, err
	}
	used := uint64(0)
	for _, h := range headers {
		used = max(used, h.GasUsed)
	}
	if err := outline.CheckGas(used); err != nil {
		return 0, err
	}
	if outline.Transactions > params.MaxTransactions {
		return 0, fmt.Errorf("%d transactions, at most %d are decoded", outline.Transactions, params.MaxTransactions)
	}
	return len(raw) + outline.Transactions*rules.TransactionMemory, nil
}

// ReceiptsOf requests the receipts of headers and returns one list per header, in order and in storage form. A
// response may omit lists; the result ends before the first missing one. A list that fits no header in order is a bad
// answer.
func ReceiptsOf(ctx context.Context, ses *Session, p *protocol.Peer, headers []*types.Header) ([]rlp.RawValue, error) {
	var (
		ask   []common.Hash
		gas   []uint64
		times []uint64
	)
	for _, h := range headers {
		if h.ReceiptHash != types.EmptyReceiptsHash {
			ask, gas, times = append(ask, h.Hash()), append(gas, h.GasUsed), append(times, h.Time)
		}
	}
	lists := map[common.Hash]rlp.RawValue{types.EmptyReceiptsHash: rlp.EmptyList} // by receipts root
	if len(ask) > 0 {
		err := request(ctx, ses, func(sink chan *protocol.Response) (*protocol.Request, error) {
			return p.RequestReceipts(ask, gas, times, sink)
		}, func(res *protocol.Response) error {
			answer, roots := *res.Res.(*protocol.ReceiptsRLPResponse), res.Meta.([]common.Hash)
			next := 0
			for i := range answer {
				for next < len(headers) && headers[next].ReceiptHash != roots[i] {
					next++
				}
				if next == len(headers) {
					return fmt.Errorf("%w: receipts %d of %d", ErrBadAnswer, i, len(answer))
				}
				lists[roots[i]] = answer[i]
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	out := make([]rlp.RawValue, 0, len(headers))
	for _, h := range headers {
		list, have := lists[h.ReceiptHash]
		if !have {
			break
		}
		out = append(out, list)
	}
	return out, nil
}
