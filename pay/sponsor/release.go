// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/pay/txsign"
)

// Selection names reservations: one by the sender's hash, those of a sender, or those that the chain has decided about
// (stale). The last are part of every selection.
type Selection struct {
	Hash   *common.Hash
	Sender *common.Address
	Force  bool // releases what may still be in a block, too
}

// Outcome is what became of one reservation.
type Outcome struct {
	Hash    common.Hash    `json:"senderTransactionHash"`
	Sender  common.Address `json:"sender"`
	Nonce   uint64         `json:"nonce"`
	Label   string         `json:"label"`
	Cost    string         `json:"maxCost"`
	State   string         `json:"state"` // one of the following
	Chain   string         `json:"chain"` // what the chain says of it
	OnChain *common.Hash   `json:"transactionHash,omitempty"`
	Fee     string         `json:"fee,omitempty"`
}

// What became of a reservation.
const (
	Settled  = "settled"
	Released = "released"
	Kept     = "kept"
)

// Release brings the books of a stopped sponsor to the node's head, which ends what the chain has decided, and then
// releases the selected reservations that are left, if it may. It returns what became of each.
func Release(ctx context.Context, c *Config, which Selection) (outcomes []Outcome, err error) {
	s, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var before []common.Hash
	if err := s.books.Each(func(hash common.Hash, _ *reservation) { before = append(before, hash) }); err != nil {
		return nil, err
	}
	if err := s.releasePassed(ctx); err != nil {
		return nil, err
	}
	for _, hash := range before {
		o, err := s.release(ctx, hash, which)
		if err != nil {
			return outcomes, err
		}
		if o != nil {
			outcomes = append(outcomes, *o)
		}
	}
	return outcomes, nil
}

// releasePassed brings the books to the head, and ends what the state of the head has passed, also where the head was
// in the books before.
func (s *Sponsor) releasePassed(ctx context.Context) error {
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	passed, err := s.passedNonces(ctx, hexutil.Uint64(s.cursor), nil)
	if err != nil {
		return err
	}
	_, err = s.books.ApplyBlock(s.cursor, time.Now(), passed)
	return err
}

// release decides about one reservation. The outcome is nil for one that is open and not selected.
func (s *Sponsor) release(ctx context.Context, hash common.Hash, which Selection) (*Outcome, error) {
	found, open, err := s.books.Find(hash)
	if err != nil || found == nil {
		return nil, err
	}
	o := &Outcome{Hash: hash, Sender: found.Sender, Nonce: found.Nonce, Label: found.Label}
	switch {
	case found.State == stateSettled:
		o.State, o.Chain, o.OnChain, o.Fee = Settled, "a block has it", &found.Hash, txsign.FormatCoins(found.Fee)
		return o, nil
	case found.State == stateReleased:
		o.State, o.Chain = Released, "the nonce was used without it"
		return o, nil
	case which.Hash != nil && *which.Hash != hash, which.Sender != nil && *which.Sender != found.Sender,
		which.Hash == nil && which.Sender == nil:
		return nil, nil
	}
	o.Cost = txsign.FormatCoins(open.Cost)
	if o.Chain, err = s.standing(ctx, found.Sender, found.Nonce); err != nil {
		return nil, err
	}
	if o.State = Kept; which.Force {
		if _, err := s.books.Release(hash, time.Now(), "by the operator: "+o.Chain, false); err != nil {
			return nil, err
		}
		o.State = Released
	}
	return o, nil
}

// standing says what the chain knows of a reservation whose nonce is not used.
func (s *Sponsor) standing(ctx context.Context, sender common.Address, nonce uint64) (string, error) {
	var pending hexutil.Uint64
	call := rpc.BatchElem{Method: "eth_getTransactionCount", Args: []any{sender, "pending"}, Result: &pending}
	if err := s.askAll(ctx, call); err != nil {
		return "", err
	}
	if uint64(pending) > nonce {
		return "the nonce is unused, and the node's pool has a transaction with it: a block may still have this one", nil
	}
	return "the nonce is unused: who has the signed transaction can still submit it", nil
}
