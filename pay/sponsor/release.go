// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/dial"
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

// PayerInfo is an account of the configuration, or one that follows it.
type PayerInfo struct {
	Address  common.Address `json:"address"`
	Path     string         `json:"path"`    // from the seed, or from the first key of the line as a seed
	Pays     bool           `json:"pays"`    // the last one of its line
	Deposit  bool           `json:"deposit"` // where coins for the line go
	Balance  string         `json:"balance"`
	Reserved string         `json:"reserved"`
	Sent     string         `json:"sent,omitempty"` // to the account of the operator, by a block
	Hash     *common.Hash   `json:"transactionHash,omitempty"`
	Reason   string         `json:"reason,omitempty"` // why nothing is sent, or is known to be
}

// Payers returns all accounts of a stopped sponsor. With to, it submits for each the transaction that moves its coins
// there, and waits for their blocks as long as it may. One that cannot be moved keeps no other: the list comes with the
// error.
func Payers(ctx context.Context, c *Config, to *common.Address, wait time.Duration) (list []*PayerInfo, err error) {
	if to != nil && *to == (common.Address{}) {
		return nil, errors.New("the zero address takes no coins: name an account of yours")
	}
	s, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if to != nil { // so that no later start takes it for the use of a stolen key
		for _, l := range s.payers.lines {
			if slices.ContainsFunc(l.accounts(), func(p *payer) bool { return p.address == *to }) {
				return nil, fmt.Errorf("%v is an account of this sponsor: name another one of yours", *to)
			}
		}
		if err := s.books.addWithdrawal(*to); err != nil {
			return nil, err
		}
	}
	var failures []error
	for _, l := range s.payers.lines {
		for _, p := range l.accounts() {
			_, balance, err := s.mover.account(ctx, p.address)
			if err != nil {
				return nil, err
			}
			reserved, err := s.books.reservedOf(p.address)
			if err != nil {
				return nil, err
			}
			info := &PayerInfo{Address: p.address, Path: p.path, Pays: p == l.last(),
				Deposit: p.address == l.depositOf(), Balance: txsign.FormatCoins(balance),
				Reserved: txsign.FormatCoins(reserved)}
			if to != nil {
				if err := s.mover.withdraw(ctx, p, *to, balance, info); err != nil {
					info.Reason = "see the error"
					failures = append(failures, fmt.Errorf("payer %v: %w", p.address, err))
				}
			}
			list = append(list, info)
		}
	}
	return list, errors.Join(append(failures, s.mover.awaitWithdrawals(ctx, list, wait))...)
}

// withdraw submits the transaction that moves the coins of a payer to the operator's account, which may have code.
func (m *mover) withdraw(ctx context.Context, p *payer, to common.Address, balance *big.Int, info *PayerInfo) error {
	m.s.payers.setBalances(map[common.Address]*big.Int{p.address: balance}, new(big.Int))
	gas := hexutil.Uint64(moveGas)
	if most := new(big.Int).Sub(balance, m.s.fees.Load().moveFee()); most.Sign() > 0 {
		call := map[string]any{"from": p.address, "to": to, "value": (*hexutil.Big)(most)}
		switch err := m.s.ask(ctx, &gas, "eth_estimateGas", call); {
		case dial.Begins(err, dial.Reverted):
			return fmt.Errorf("%v does not take the coins: name another account: %w", to, err)
		case dial.Says(err, dial.Unfunded): // by the pending state
			info.Reason = waits
			return nil
		case err != nil:
			return err
		}
	}
	limit := uint64(gas)
	if limit > moveGas {
		limit = withRoom(limit)
	}
	sent, err := m.move(ctx, departure{p, &payer{address: to}}, limit)
	if err != nil {
		return err
	}
	if info.Reason = sent.why; sent.value == nil {
		return nil
	}
	info.Hash, info.Sent, info.Reason = &sent.hash, txsign.FormatCoins(sent.value), "not in a block yet"
	return m.s.audit.write(auditLine{Event: "withdrawn", Sender: &p.address, To: &to, Hash: &sent.hash, Amount: info.Sent})
}

// awaitWithdrawals waits for the blocks of what was submitted. The error names what a block has failed.
func (m *mover) awaitWithdrawals(ctx context.Context, list []*PayerInfo, wait time.Duration) error {
	until, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var failures []error
	for _, info := range list {
		if info.Hash == nil {
			continue
		}
		receipt, err := m.awaitReceipt(ctx, until, *info.Hash)
		switch {
		case err != nil, receipt == nil:
			info.Sent = ""
			failures = append(failures, err)
		case receipt.Status == 1:
			info.Reason = ""
		default:
			info.Sent, info.Reason = "", fmt.Sprintf("failed in block %d", receipt.Block)
			line := auditLine{Event: "withdrawn", Sender: &info.Address, Hash: info.Hash, Reason: info.Reason}
			failures = append(failures, fmt.Errorf("payer %v: transaction %v has %s", info.Address, info.Hash, info.Reason),
				m.s.audit.write(line))
		}
	}
	return errors.Join(failures...)
}

// awaitReceipt returns the receipt of a transaction, nil where no block has it in time.
func (m *mover) awaitReceipt(ctx, until context.Context, hash common.Hash) (receipt *blockReceipt, err error) {
	for {
		if err := m.s.ask(ctx, &receipt, "eth_getTransactionReceipt", hash); err != nil || receipt != nil {
			return receipt, err
		}
		select {
		case <-until.Done():
			return nil, nil
		case <-time.After(followInterval):
		}
	}
}
