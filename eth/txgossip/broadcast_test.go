// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/big"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/event"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// listener is a peer that notes what it is sent.
type listener struct {
	id          string
	validator   bool
	foreign     bool // of the other client
	known       map[common.Hash]bool
	whole, told []common.Hash
}

func (l *listener) ID() string                             { return l.id }
func (l *listener) KnownTransaction(hash common.Hash) bool { return l.known[hash] }

// As with the protocol's own peers, what is queued for one counts as known to it from then on.
func (l *listener) AsyncSendTransactions(hashes []common.Hash) {
	l.whole = append(l.whole, hashes...)
	l.learn(hashes)
}

func (l *listener) AsyncSendPooledTransactionHashes(hashes []common.Hash) {
	l.told = append(l.told, hashes...)
	l.learn(hashes)
}

func (l *listener) learn(hashes []common.Hash) {
	for _, hash := range hashes {
		l.known[hash] = true
	}
}

// audience returns a broadcaster with numbers of validators and others as its peers, and a pool that holds everything
// but what is gone.
func audience(validators, others int) (s *broadcaster, all []*listener, gone map[common.Hash]bool) {
	gone = make(map[common.Hash]bool)
	for i := range validators + others {
		all = append(all, &listener{id: fmt.Sprint(i), validator: i < validators, known: make(map[common.Hash]bool)})
	}
	return &broadcaster{
		peers: func() (list []recipient) {
			for _, l := range all {
				list = append(list, l)
			}
			return list
		},
		validator: func(r recipient) bool { return r.(*listener).validator },
		sendsAll:  func(r recipient) bool { return !r.(*listener).foreign },
		pooled:    func(hash common.Hash) bool { return !gone[hash] },
		signer:    types.NewAnzeonSigner(big.NewInt(8283)),
		seed:      maphash.MakeSeed(),
	}, all, gone
}

// payment is the transaction with a nonce of a sender, with a given size of data.
func payment(t *testing.T, from int64, nonce uint64, data int) *types.Transaction {
	t.Helper()
	key := must.Get(crypto.ToECDSA(common.BigToHash(big.NewInt(from)).Bytes()))(t)
	return types.MustSignNewTx(key, types.NewAnzeonSigner(big.NewInt(8283)),
		&types.DynamicFeeTx{ChainID: big.NewInt(8283), Nonce: nonce, Data: make([]byte, data)})
}

// What no validator is known to have goes to all validators whole, and to the others as the protocol proposes: the
// square root of their number gets it whole, the rest is told of it (spec network 5 no. 10). No peer gets what it has.
func TestBroadcastNews(t *testing.T) {
	s, all, _ := audience(3, 10)
	tx := payment(t, 1, 0, 0)
	all[5].known[tx.Hash()] = true
	s.tell([]*types.Transaction{tx}, time.Unix(0, 0))
	whole := 0
	for i, l := range all {
		switch {
		case i == 5 && len(l.whole)+len(l.told) > 0:
			t.Error("a peer is sent what it has")
		case l.validator && (len(l.whole) != 1 || len(l.told) != 0):
			t.Errorf("validator %d gets %d whole and is told of %d", i, len(l.whole), len(l.told))
		case !l.validator && i != 5 && len(l.whole)+len(l.told) != 1:
			t.Errorf("peer %d gets %d whole and is told of %d", i, len(l.whole), len(l.told))
		case !l.validator:
			whole += len(l.whole)
		}
	}
	if whole < 3 || whole > 4 { // the one that has it may be among those
		t.Errorf("%d of 10 others get it whole, want 4", whole)
	}
	expect.Equal(t, len(s.held), 0, "held back although everybody has been told")
}

// The same peers get all transactions of a sender whole; those of other senders go to others.
func TestBroadcastBySender(t *testing.T) {
	s, all, _ := audience(0, 25)
	used := make(map[string]bool)
	for from := range int64(30) {
		var first []string
		for nonce := range uint64(5) {
			s.tell([]*types.Transaction{payment(t, from+1, nonce, 0)}, time.Unix(0, 0))
			var chosen []string
			for _, l := range all {
				if len(l.whole) > 0 {
					chosen = append(chosen, l.id)
					used[l.id] = true
				}
				l.whole, l.told = nil, nil
			}
			must.Equal(t, len(chosen), 5, "peers of 25 that get it whole")
			if first == nil {
				first = chosen
			}
			must.That(t, slices.Equal(first, chosen),
				"sender %d: nonce %d goes to %v, the first went to %v", from, nonce, chosen, first)
		}
	}
	if len(used) < 20 { // by chance fewer once in 10^9
		t.Errorf("only %d of 25 peers ever get something whole", len(used))
	}
}

// What a validator has is kept from the other validators for a moment, not from anybody else. They are told of it when
// it stays in the pool; not when it is in a block by then, or known to all of them.
func TestBroadcastHeldBack(t *testing.T) {
	s, all, gone := audience(3, 2)
	stays, leaves, everywhere := payment(t, 1, 0, 0), payment(t, 1, 1, 0), payment(t, 1, 2, 0)
	all[0].learn([]common.Hash{stays.Hash(), leaves.Hash(), everywhere.Hash()})
	all[1].learn([]common.Hash{everywhere.Hash()})
	all[2].learn([]common.Hash{everywhere.Hash()})
	start := time.Unix(1000, 0)
	s.tell([]*types.Transaction{stays, leaves, everywhere}, start)
	for i, l := range all {
		n := len(l.whole) + len(l.told)
		expect.That(t, (!l.validator || n == 0) && (l.validator || n == 3), "peer %d hears of %d at once", i, n)
	}
	gone[leaves.Hash()] = true
	s.tellHeld(start.Add(tellLater - 1))
	expect.Equal(t, len(all[1].told), 0, "told too early")
	s.tellHeld(start.Add(tellLater))
	for i, l := range all[:3] {
		want := []common.Hash{stays.Hash()}
		if i == 0 {
			want = nil
		}
		expect.That(t, slices.Equal(l.told, want) && len(l.whole) == 0,
			"validator %d is told of %v and gets %v, want to be told of %v", i, l.told, l.whole, want)
	}
	s.tellHeld(start.Add(time.Hour))
	expect.That(t, len(all[1].told) == 1 && len(s.held) == 0, "told twice, or kept for ever")
}

// What only validators of the other client are known to have goes to the others at once, and to no peer twice; what one
// of gwon has as well is held back (spec network 2.5).
func TestBroadcastFromOtherClient(t *testing.T) {
	for _, tt := range []struct {
		name          string
		data          int
		have          []int // validators that have it; 0 and 1 are of the other client
		wholes, tolds int
		heldBack      bool
	}{
		{"of the other client", 0, []int{0}, 3, 0, false},
		{"both of the other client", 0, []int{0, 1}, 2, 0, false},
		{"one of each", 0, []int{0, 2}, 0, 0, true},
		{"of gwon", 0, []int{3}, 0, 0, true},
		{"large, of the other client", largestWhole, []int{0}, 0, 3, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, all, _ := audience(4, 0)
			all[0].foreign, all[1].foreign = true, true
			tx := payment(t, 1, 0, tt.data)
			for _, i := range tt.have {
				all[i].learn([]common.Hash{tx.Hash()})
			}
			s.tell([]*types.Transaction{tx}, time.Unix(0, 0))
			wholes, tolds := 0, 0
			for i, l := range all {
				wholes, tolds = wholes+len(l.whole), tolds+len(l.told)
				expect.That(t, !slices.Contains(tt.have, i) || len(l.whole)+len(l.told) == 0, "validator %d is sent what it has", i)
			}
			if wholes != tt.wholes || tolds != tt.tolds || (len(s.held) > 0) != tt.heldBack {
				t.Errorf("%d get it whole, %d are told, held back %t; want %d, %d, %t", wholes, tolds, len(s.held) > 0, tt.wholes,
					tt.tolds, tt.heldBack)
			}
		})
	}
}

// What is held back is told when its time has come, or a quarter of that later, and a timer runs only until then.
func TestBroadcastHeldBackInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all, _ := audience(2, 0)
		news, nonce := make(chan gethcore.NewTxsEvent, 1), uint64(0)
		send := func(held bool) {
			tx := payment(t, 1, nonce, 0)
			nonce++
			if held {
				all[0].learn([]common.Hash{tx.Hash()})
			}
			news <- gethcore.NewTxsEvent{Txs: []*types.Transaction{tx}}
		}
		start := time.Now()
		until := func(moment time.Duration, told int, timer bool) {
			t.Helper()
			ctx, stop := context.WithDeadline(t.Context(), start.Add(moment))
			defer stop()
			s.run(ctx, news, event.NewSubscription(func(quit <-chan struct{}) error { <-quit; return nil }))
			expect.Equal(t, len(all[1].told), told, "after %v told", moment)
			expect.That(t, (s.due != nil) == timer, "after %v a timer runs: %t, want %t", moment, s.due != nil, timer)
		}
		send(false)
		until(time.Hour, 0, false)
		for round := range 2 {
			start = time.Now()
			before := 3 * round
			send(true)
			until(tellLater/8, before, true)
			send(true)
			until(tellLater/4, before, true)
			send(false)
			until(tellLater*7/8, before, true)
			send(true)
			until(tellLater-1, before, true)
			until(tellLater+1, before+1, true)       // the first at its time
			until(tellLater*5/4-1, before+1, true)   // the second was due in between
			until(tellLater*5/4+1, before+2, true)   // and has waited a quarter at most
			until(tellLater*15/8-1, before+2, true)  // the third alone
			until(tellLater*15/8+1, before+3, false) // is told at its time
			until(time.Hour, before+3, false)
		}
	})
}

// Large transactions go to peers that have asked; and in a large set of validators not every one gets everything
// whole.
func TestBroadcastLarge(t *testing.T) {
	for _, tt := range []struct{ validators, data, whole int }{{3, largestWhole, 0}, {mostWhole, 0, mostWhole},
		{mostWhole + 1, 0, 5}, {100, 0, 10}} {
		s, all, _ := audience(tt.validators, 0)
		s.tell([]*types.Transaction{payment(t, 1, 0, tt.data)}, time.Unix(0, 0))
		whole, told := 0, 0
		for _, l := range all {
			whole += len(l.whole)
			told += len(l.told)
		}
		if whole != tt.whole || whole+told != tt.validators {
			t.Errorf("of %d validators %d get a transaction with %d bytes of data whole and %d are told, want %d whole",
				tt.validators, whole, tt.data, told, tt.whole)
		}
	}
}
