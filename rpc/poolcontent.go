// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
)

// poolContent serves upstream's queries of the pool to the clients of a public node, with a limit in bytes.
type poolContent struct {
	node Backend
	most int
}

// byNonce maps decimal nonces to one sender's transactions.
type byNonce map[string]json.RawMessage

// poolAnswer counts the bytes of a result up to a limit.
type poolAnswer struct {
	most, bytes int // most is 0 without a limit
	remedy      string
	show        func(*types.Transaction) any
}

func (s *poolContent) answer(ctx context.Context, remedy string, show func(*types.Transaction) any) *poolAnswer {
	a := &poolAnswer{remedy: remedy, show: show}
	if fromPublic(ctx) {
		a.most = s.most
	}
	return a
}

// add adds to the size of the result. It fails above the limit.
func (a *poolAnswer) add(bytes int) error {
	if a.bytes += bytes; a.most > 0 && a.bytes > a.most {
		return tooLarge(a.most, a.remedy)
	}
	return nil
}

func (a *poolAnswer) flatten(txs []*types.Transaction) (byNonce, error) {
	shown := make(byNonce, len(txs))
	for _, tx := range txs {
		encoded, err := json.Marshal(a.show(tx))
		if err != nil {
			return nil, fmt.Errorf("encode transaction %v: %w", tx.Hash(), err)
		}
		nonce := strconv.FormatUint(tx.Nonce(), 10)
		if err := a.add(len(encoded) + len(nonce) + len(`"":,`)); err != nil {
			return nil, err
		}
		shown[nonce] = encoded
	}
	return shown, nil
}

func (a *poolAnswer) all(pool map[common.Address][]*types.Transaction) (map[string]byNonce, error) {
	shown := make(map[string]byNonce, len(pool))
	for addr, txs := range pool {
		if err := a.add(len(`"0x":{},`) + 2*len(addr)); err != nil {
			return nil, err
		}
		one, err := a.flatten(txs)
		if err != nil {
			return nil, err
		}
		shown[addr.Hex()] = one
	}
	return shown, nil
}

func (a *poolAnswer) whole(pending, queued map[common.Address][]*types.Transaction) (
	map[string]map[string]byNonce, error) {

	run, err := a.all(pending)
	if err != nil {
		return nil, err
	}
	blocked, err := a.all(queued)
	if err != nil {
		return nil, err
	}
	return map[string]map[string]byNonce{"pending": run, "queued": blocked}, nil
}

func (s *poolContent) object() func(*types.Transaction) any {
	head, config := s.node.APIBackend().CurrentHeader(), s.node.Chain().Config()
	return func(tx *types.Transaction) any { return eth.NewRPCPendingTransaction(tx, head, config) }
}

const askLess = "ask txpool_contentFrom for one account, or txpool_status for the numbers"

// Content implements txpool_content.
func (s *poolContent) Content(ctx context.Context) (map[string]map[string]byNonce, error) {
	return s.answer(ctx, askLess, s.object()).whole(s.node.TxPool().Content())
}

// Inspect implements txpool_inspect.
func (s *poolContent) Inspect(ctx context.Context) (map[string]map[string]byNonce, error) {
	return s.answer(ctx, askLess, func(tx *types.Transaction) any {
		target := "contract creation"
		if to := tx.To(); to != nil {
			target = to.Hex()
		}
		return fmt.Sprintf("%s: %v wei + %v gas × %v wei", target, tx.Value(), tx.Gas(), tx.GasPrice())
	}).whole(s.node.TxPool().Content())
}

// ContentFrom implements txpool_contentFrom.
func (s *poolContent) ContentFrom(ctx context.Context, addr common.Address) (map[string]byNonce, error) {
	a := s.answer(ctx, "ask eth_getTransactionCount of pending, or eth_getTransactionByHash for one", s.object())
	pending, queued := s.node.TxPool().ContentFrom(addr)
	run, err := a.flatten(pending)
	if err != nil {
		return nil, err
	}
	blocked, err := a.flatten(queued)
	if err != nil {
		return nil, err
	}
	return map[string]byNonce{"pending": run, "queued": blocked}, nil
}
