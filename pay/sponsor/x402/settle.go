// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package x402

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/door"
)

// Facilitator settles payments, each once. It is safe for concurrent use.
type Facilitator struct {
	store *store
	turns *door.Queue[paymentID]
	under *underWay
	now   func() time.Time
}

// Open returns a facilitator with its records in a file, which is made if there is none. The caller closes it.
func Open(path string) (*Facilitator, error) {
	s, err := openStore(path)
	if err != nil {
		return nil, err
	}
	under := &underWay{all: make(map[common.Address]map[paymentID]amountUntil)}
	f := &Facilitator{store: s, turns: door.NewLocks[paymentID](), under: under, now: time.Now}
	err = s.each(func(id paymentID, r *record) {
		if !r.Done && len(r.Call) == callSize {
			f.under.begin(id, valueOf(r.Call), validBeforeOf(r.Call))
		}
	})
	if err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return f, nil
}

// Close ends a facilitator. Requests have to have ended before.
func (f *Facilitator) Close() error { return f.store.db.Close() }

// Settle verifies a payment again, and has its amount moved. It answers once a block has decided. The same payment has
// the same answer. The hash is zero without a transaction. The error is *Refusal, or that of network or disk.
func (f *Facilitator) Settle(ctx context.Context, n Network, p *Payment, t *Terms) (common.Hash, error) {
	if refusal := p.refuseTerms(t); refusal != nil {
		return common.Hash{}, refusal
	}
	id := p.id()
	end, err := f.turns.Take(ctx, id)
	if err != nil {
		return common.Hash{}, err
	}
	defer end()
	r, err := f.store.get(id)
	if err != nil {
		return common.Hash{}, err
	}
	if r == nil {
		return f.begin(ctx, n, p, t)
	}
	if r.Struct != p.StructHash() {
		return common.Hash{}, refuse(ReasonUsed, "the nonce %v of %v belongs to another payment", p.Nonce, p.From)
	}
	if err := p.prove(ctx, n, r); err != nil {
		return common.Hash{}, err
	}
	if r.Done {
		return r.answer()
	}
	hash, err := f.send(ctx, n, p, r)
	if hash == (common.Hash{}) && errors.As(err, new(*Refusal)) {
		return f.begin(ctx, n, p, t) // the transaction of an earlier process was never submitted, and is out of date
	}
	return hash, err
}

// prove verifies the signature of a payment that has a record. What is settled is public, its signature too: another
// signature than that of the record has to be the authorizer's as well.
func (p *Payment) prove(ctx context.Context, n Network, r *record) error {
	if bytes.Equal(r.Call, p.CallData()) {
		return nil
	}
	domain, _, err := n.Domain(ctx)
	if err != nil {
		return err
	}
	if refusal := p.refuseSignature(domain); refusal != nil {
		return refusal
	}
	return nil
}

// begin makes the transaction of a payment, and writes it down before anybody else sees it.
func (f *Facilitator) begin(ctx context.Context, n Network, p *Payment, t *Terms) (common.Hash, error) {
	state, err := f.admit(ctx, n, p, t)
	if err != nil {
		return common.Hash{}, err
	}
	raw, err := n.Sign(p.CallData(), state.Gas)
	if err != nil {
		f.under.end(p.id())
		return common.Hash{}, err
	}
	r := &record{
		Struct: p.StructHash(), Raw: raw, Day: uint64(f.now().Unix()) / SecondsADay, Call: p.CallData(),
	}
	if err := f.store.put(p.id(), r); err != nil {
		f.under.end(p.id())
		return common.Hash{}, err
	}
	return f.send(ctx, n, p, r)
}

// admit verifies a payment together with what is under way for its authorizer: one balance pays each coin once. A
// payment that has ended since the balance was read is not in the sum any more, so that the balance is read again: five
// times at most.
func (f *Facilitator) admit(ctx context.Context, n Network, p *Payment, t *Terms) (*Verified, error) {
	for range 5 {
		ended := f.under.ended(p.From)
		state, err := Verify(ctx, n, p, t, f.now())
		if err != nil {
			return nil, err
		}
		refusal, current := f.under.admit(p, state, ended)
		if refusal == nil && current {
			return state, nil
		}
		if !current {
			continue
		}
		more, err := f.endDecided(n, p.From)
		if err != nil {
			return nil, err
		}
		if !more {
			return nil, refusal
		}
	}
	return nil, refuse(ReasonSettleError, "other payments of %v end all the time: settle again", p.From)
}

// endDecided ends the payments of an account that a block has decided about. Their shops did not wait for that. It
// reports whether there were any.
func (f *Facilitator) endDecided(n Network, from common.Address) (ended bool, err error) {
	for _, id := range f.under.of(from) {
		r, err := f.store.get(id)
		if err != nil {
			return ended, err
		}
		if r == nil {
			continue // another request has just begun it, and writes its record now
		}
		decided, err := n.Decided(r.Raw)
		if err != nil {
			return ended, err
		}
		if !decided {
			continue
		}
		f.under.end(id)
		ended = true
	}
	return ended, nil
}

// send has the transaction of a record submitted, and writes down what became of it.
func (f *Facilitator) send(ctx context.Context, n Network, p *Payment, r *record) (common.Hash, error) {
	receipt, err := n.Send(ctx, p.From, r.Raw)
	if errors.As(err, new(*Refusal)) {
		err = errors.Join(err, f.store.remove(p.id(), r))
		f.under.end(p.id())
		return common.Hash{}, err
	}
	if err != nil {
		return common.Hash{}, err
	}
	if receipt.Pending {
		return receipt.Hash, refuse(ReasonPending, "the transaction %v is submitted, and in no block yet: settle again",
			receipt.Hash)
	}
	r.Done, r.Transaction = true, receipt.Hash
	switch {
	case receipt.Failed:
		r.Reason, r.Text = ReasonFailed, "the transfer has failed in its block: the customer has to sign again"
		if state, err := n.State(ctx, &p.Authorization); err != nil || state.Used {
			r.Text = "the transfer has failed in its block, and another transaction can have used the authorization: " +
				"look for its transfer before the customer signs again"
		}
	case !receipt.pays(p):
		r.Reason, r.Text = ReasonNoTransfer, "the block logs no transfer of this payment"
	}
	f.under.end(p.id())
	if err := f.store.put(p.id(), r); err != nil {
		return receipt.Hash, err
	}
	return r.answer()
}

func (r *record) answer() (common.Hash, error) {
	if r.Reason != "" {
		return r.Transaction, &Refusal{r.Reason, r.Text}
	}
	return r.Transaction, nil
}

func (r *Receipt) pays(p *Payment) bool {
	return slices.ContainsFunc(r.Transfers,
		func(t Transfer) bool { return t.From == p.From && t.To == p.To && t.Value.Eq(p.Value) })
}
