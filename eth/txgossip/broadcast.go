// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"

	"gwon/eth/session"
)

const (
	// largestWhole is the largest size in bytes of a transaction that is sent without a request (spec network 5 no. 10).
	largestWhole = 4096

	// mostWhole is the largest number of validators that receive a transaction whole. The other validators of larger
	// sets receive the announcement, like other peers.
	mostWhole = 24

	// tellLater is the delay of announcements to validators when a validator has the transaction that usually sends
	// its transactions to all others.
	tellLater = time.Second
)

// broadcaster sends executable transactions of the pool to peers. Validators get them first, and once. A node that
// knows no validator with a transaction that sends to all others sends it to all validators that lack it. Otherwise it
// waits, and announces the transaction if it is still pooled.
//
// A validator of go-stablenet receives whole transactions of the square root of its peers and relies on relays (spec
// network 2.5). For other peers, the square root of their number receives the transaction whole, the same peers for
// each sender; the others receive announcements (spec network 5 no. 10).
//
// The broadcaster has no lock, because one goroutine runs it.
type broadcaster struct {
	peers     func() []recipient
	validator func(recipient) bool
	// sendsAll reports whether a peer has sent its transactions to all validators so far. A peer that pretends to delays
	// only what it receives, by tellLater.
	sendsAll func(recipient) bool
	pooled   func(common.Hash) bool
	signer   types.Signer
	seed     maphash.Seed     // seed of the choice of peers that receive transactions whole
	held     []heldBack       // oldest first
	due      <-chan time.Time // time of the next check; nil without deferred transactions
}

// peer is a connected recipient.
type peer struct {
	*protocol.Peer
	ses *session.Session
}

// recipient is the part of eth.Peer that the broadcaster uses.
type recipient interface {
	ID() string
	KnownTransaction(common.Hash) bool
	AsyncSendTransactions([]common.Hash)
	AsyncSendPooledTransactionHashes([]common.Hash)
}

// heldBack are transactions whose announcement to validators is deferred.
type heldBack struct {
	since  time.Time
	hashes []common.Hash
}

// run sends transactions of the pool until ctx ends.
func (s *broadcaster) run(ctx context.Context, news <-chan gethcore.NewTxsEvent, sub event.Subscription) {
	defer sub.Unsubscribe()
	for {
		select {
		case event := <-news:
			s.tell(event.Txs, time.Now())
		case now := <-s.due:
			s.tellHeld(now)
			s.due = nil
		case <-ctx.Done():
			return
		case err := <-sub.Err(): // nil when the pool is closed
			if err != nil {
				log.Error("Subscription to transactions ended", "err", err)
			}
			return
		}
		if s.due == nil && len(s.held) > 0 { // at most four times in tellLater
			s.due = time.After(max(time.Until(s.held[0].since.Add(tellLater)), tellLater/4))
		}
	}
}

// tell sends transactions to peers, or announces them.
func (s *broadcaster) tell(txs []*types.Transaction, now time.Time) {
	var builders, others []recipient
	for _, p := range s.peers() {
		if s.validator(p) {
			builders = append(builders, p)
		} else {
			others = append(others, p)
		}
	}
	if len(builders) > mostWhole {
		builders, others = nil, append(others, builders...)
	}
	var (
		whole, told = make(map[recipient][]common.Hash), make(map[recipient][]common.Hash)
		held        []common.Hash
	)
	ways := make(map[common.Address][]recipient) // other peers by sender, in the order of order
	for _, tx := range txs {
		hash, large := tx.Hash(), tx.Size() > largestWhole
		knows := func(p recipient) bool { return p.KnownTransaction(hash) }
		var lacking []recipient
		sent := false // one of the owners sends it to all validators
		for _, p := range builders {
			if !knows(p) {
				lacking = append(lacking, p)
			} else if s.sendsAll(p) {
				sent = true
			}
		}
		switch {
		case len(lacking) == 0:
		case sent:
			held = append(held, hash)
		case large:
			add(told, lacking, hash)
		default:
			add(whole, lacking, hash)
		}
		if len(others) == 0 {
			continue
		}
		from, _ := types.Sender(s.signer, tx) // recovered by the pool before
		if ways[from] == nil {
			ways[from] = s.order(others, from)
		}
		for i, p := range ways[from] {
			switch {
			case knows(p):
			case i*i < len(others) && !large:
				whole[p] = append(whole[p], hash)
			default:
				told[p] = append(told[p], hash)
			}
		}
	}
	for p, hashes := range whole {
		p.AsyncSendTransactions(hashes)
	}
	for p, hashes := range told {
		p.AsyncSendPooledTransactionHashes(hashes)
	}
	if len(held) > 0 {
		s.held = append(s.held, heldBack{now, held})
	}
}

func add(list map[recipient][]common.Hash, to []recipient, hash common.Hash) {
	for _, p := range to {
		list[p] = append(list[p], hash)
	}
}

// order returns peers in an order that is the same for all transactions of a sender. The first peers receive them
// whole, so that the transactions of a sender take the same path.
func (s *broadcaster) order(peers []recipient, from common.Address) []recipient {
	score := make(map[recipient]uint64, len(peers))
	for _, p := range peers {
		score[p] = maphash.Comparable(s.seed, struct {
			peer string
			from common.Address
		}{p.ID(), from})
	}
	return slices.SortedFunc(slices.Values(peers), func(a, b recipient) int { return cmp.Compare(score[a], score[b]) })
}

// tellHeld announces deferred transactions that are due and still pooled to validators.
func (s *broadcaster) tellHeld(now time.Time) {
	var due []common.Hash
	for len(s.held) > 0 && now.Sub(s.held[0].since) >= tellLater {
		for _, hash := range s.held[0].hashes {
			if s.pooled(hash) {
				due = append(due, hash)
			}
		}
		s.held = s.held[1:]
	}
	if len(due) == 0 {
		return
	}
	for _, p := range s.peers() {
		if !s.validator(p) {
			continue
		}
		if fresh := slices.DeleteFunc(slices.Clone(due), p.KnownTransaction); len(fresh) > 0 {
			p.AsyncSendPooledTransactionHashes(fresh)
		}
	}
}
