// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package x402

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// Facilitator settles payments, each once. It is safe for concurrent use.
type Facilitator struct {
	store *store
	turns turns
	now   func() time.Time
}

// Open returns a facilitator with its records in a file, which is made if there is none. The caller closes it.
func Open(path string) (*Facilitator, error) {
	s, err := openStore(path)
	if err != nil {
		return nil, err
	}
	return &Facilitator{store: s, turns: turns{all: make(map[paymentID]*turn)}, now: time.Now}, nil
}

// Close ends a facilitator. Requests have to have ended before.
func (f *Facilitator) Close() error { return f.store.db.Close() }

// turns lets one request at a time settle a payment.
type turns struct {
	mu  sync.Mutex
	all map[paymentID]*turn
}

type turn struct {
	taken chan struct{}
	users int
}

// take waits for the turn of a payment. The caller ends it.
func (t *turns) take(ctx context.Context, id paymentID) (end func(), err error) {
	t.mu.Lock()
	mine := t.all[id]
	if mine == nil {
		mine = &turn{taken: make(chan struct{}, 1)}
		t.all[id] = mine
	}
	mine.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if mine.users--; mine.users == 0 {
			delete(t.all, id)
		}
	}
	select {
	case mine.taken <- struct{}{}:
		return func() { <-mine.taken; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// Settle verifies a payment again, and has its amount moved. It answers once a block has decided. The same payment has
// the same answer. The hash is zero without a transaction. The error is *Refusal, or that of network or disk.
func (f *Facilitator) Settle(ctx context.Context, n Network, p *Payment, t *Terms) (common.Hash, error) {
	if refusal := p.refuseTerms(t); refusal != nil {
		return common.Hash{}, refusal
	}
	id := p.id()
	end, err := f.turns.take(ctx, id)
	if err != nil {
		return common.Hash{}, err
	}
	defer end()
	r, err := f.store.get(id)
	if err != nil {
		return common.Hash{}, err
	}
	switch {
	case r == nil:
		return f.begin(ctx, n, p, t)
	case r.Struct != p.StructHash():
		return common.Hash{}, refuse(ReasonUsed, "the nonce %v of %v belongs to another payment", p.Nonce, p.From)
	case r.Done:
		return r.answer()
	}
	hash, err := f.send(ctx, n, p, r)
	if hash == (common.Hash{}) && errors.As(err, new(*Refusal)) {
		return f.begin(ctx, n, p, t) // the transaction of an earlier process was never submitted, and is out of date
	}
	return hash, err
}

// begin makes the transaction of a payment, and writes it down before anybody else sees it.
func (f *Facilitator) begin(ctx context.Context, n Network, p *Payment, t *Terms) (common.Hash, error) {
	state, err := Verify(ctx, n, p, t, f.now())
	if err != nil {
		return common.Hash{}, err
	}
	raw, err := n.Sign(p.CallData(), state.Gas)
	if err != nil {
		return common.Hash{}, err
	}
	r := &record{Struct: p.StructHash(), Raw: raw, Day: uint64(f.now().Unix()) / secondsADay}
	if err := f.store.put(p.id(), r); err != nil {
		return common.Hash{}, err
	}
	return f.send(ctx, n, p, r)
}

// send has the transaction of a record submitted, and writes down what became of it.
func (f *Facilitator) send(ctx context.Context, n Network, p *Payment, r *record) (common.Hash, error) {
	receipt, err := n.Send(ctx, r.Raw)
	if errors.As(err, new(*Refusal)) {
		return common.Hash{}, errors.Join(err, f.store.remove(p.id(), r))
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
	for _, t := range r.Transfers {
		if t.From == p.From && t.To == p.To && t.Value.Eq(p.Value) {
			return true
		}
	}
	return false
}
