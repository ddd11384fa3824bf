// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/pay/txsign"
)

// Outcome is what became of one reservation.
type Outcome struct {
	Hash    common.Hash    `json:"senderTransactionHash"`
	Sender  common.Address `json:"sender"`
	Nonce   uint64         `json:"nonce"`
	Label   string         `json:"label"`
	State   string         `json:"state"` // settled, released or kept
	OnChain *common.Hash   `json:"transactionHash,omitempty"`
	Amount  string         `json:"amount"` // the fee of a settled one, the most that others can cost
}

// Release brings the books of a stopped sponsor to the node's head, which ends what the chain has decided. It returns
// what became of each reservation.
func Release(ctx context.Context, c *Config) (outcomes []Outcome, err error) {
	s, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	costs := make(map[common.Hash]*big.Int)
	if err := s.books.Each(func(hash common.Hash, r *reservation) { costs[hash] = r.Cost }); err != nil {
		return nil, err
	}
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	// What the state of the head has passed ends, also where the head was in the books before.
	passed, err := s.passedNonces(ctx, hexutil.Uint64(s.last.Number), nil)
	if err != nil {
		return nil, err
	}
	if _, err := s.books.ApplyBlock(s.last.Number, s.last.Hash, time.Now(), passed); err != nil {
		return nil, err
	}
	for hash, cost := range costs {
		found, _, err := s.books.Find(hash)
		if err != nil {
			return nil, err
		}
		o := Outcome{Hash: hash, Sender: found.Sender, Nonce: found.Nonce, Label: found.Label, State: "kept",
			Amount: txsign.FormatCoins(cost)}
		switch found.State {
		case stateSettled:
			o.State, o.OnChain, o.Amount = "settled", &found.Hash, txsign.FormatCoins(found.Fee)
		case stateReleased:
			o.State = "released"
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// PayerInfo is a fee payer of the configuration, or one that follows it.
type PayerInfo struct {
	Address  common.Address `json:"address"`
	Path     string         `json:"path"` // from the seed, or from the first key of the line as a seed
	Pays     bool           `json:"pays"` // the last one of its line
	Balance  string         `json:"balance"`
	Reserved string         `json:"reserved"`
	Sent     string         `json:"sent,omitempty"` // on its way to the account of the operator
}

// Payers returns all fee payers of a stopped sponsor. With to, it submits for each the transaction that moves its coins
// there. One that cannot be moved keeps no other: the list comes with the error.
func Payers(ctx context.Context, c *Config, to *common.Address) (list []PayerInfo, err error) {
	s, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if to != nil { // so that no later start takes it for the use of a stolen key
		if err := s.books.addWithdrawal(*to); err != nil {
			return nil, err
		}
	}
	var failures []error
	for _, l := range s.payers.lines {
		for _, p := range l.accounts() {
			var balance hexutil.Big
			call := rpc.BatchElem{Method: "eth_getBalance", Args: []any{p.address, "latest"}, Result: &balance}
			if err := s.askAll(ctx, call); err != nil {
				return nil, err
			}
			reserved, err := s.books.reservedOf(p.address)
			if err != nil {
				return nil, err
			}
			info := PayerInfo{p.address, p.path, p == l.last(), txsign.FormatCoins(balance.ToInt()),
				txsign.FormatCoins(reserved), ""}
			if to != nil {
				s.payers.setBalances(map[common.Address]*big.Int{p.address: balance.ToInt()}, new(big.Int))
				sent, err := s.mover.move(ctx, departure{p, &payer{address: *to}})
				failures = append(failures, err)
				if sent != nil {
					info.Sent = txsign.FormatCoins(sent)
				}
			}
			list = append(list, info)
		}
	}
	return list, errors.Join(failures...)
}
