// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strings"
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
	// largestWhole is the size in bytes up to which a transaction is sent unasked (spec network 5 no. 10).
	largestWhole = 4096

	// mostWhole is to how many validators a transaction is sent whole. In larger sets some get it and the others are told
	// of it, as the peers that are no validators.
	mostWhole = 24

	// tellLater is how long a transaction that another validator of gwon has waits for a block before the rest of the
	// validators are told of it: who had it first has sent it to them, or else lies, or is cut off from some.
	tellLater = time.Second
)

// spreader tells the peers of transactions that have become executable in the pool. Those who build the blocks get them
// first, and once: a node that knows of no validator of gwon with a transaction sends it to all that lack it, and one
// that does keeps it from them unless it stays in the pool. A validator of the other client gives it whole to the
// square root of its peers and expects it to be passed on (spec network 2.5). Everybody else is treated as the protocol
// proposes: as many as the square root of their number get it whole, the same ones for each sender, and the rest is
// told of it (spec network 5 no. 10).
//
// It has no lock: one goroutine runs it.
type spreader struct {
	peers     func() []recipient
	validator func(recipient) bool
	// spreads reports whether a peer claims to spread as this node does. A lie delays what the peer has, by tellLater.
	spreads func(recipient) bool
	pooled  func(common.Hash) bool
	signer  types.Signer
	seed    maphash.Seed     // of the choice of those that get transactions whole
	held    []heldBack       // the oldest first
	due     <-chan time.Time // when to look at them next: no timer runs while there are none
}

// isGwon reports whether the name of a client is one of this program.
func isGwon(client string) bool { return strings.HasPrefix(client, "gwon/") }

// peer is a recipient that is connected.
type peer struct {
	*protocol.Peer
	ses *session.Session
}

// recipient is what the spreader needs of a peer (eth.Peer).
type recipient interface {
	ID() string
	KnownTransaction(common.Hash) bool
	AsyncSendTransactions([]common.Hash)
	AsyncSendPooledTransactionHashes([]common.Hash)
}

// heldBack are transactions of which validators have not been told, since others have them.
type heldBack struct {
	since  time.Time
	hashes []common.Hash
}

// run tells of what comes from the pool until ctx ends.
func (s *spreader) run(ctx context.Context, news <-chan gethcore.NewTxsEvent, sub event.Subscription) {
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
		case err := <-sub.Err(): // nil once the pool is closed
			if err != nil {
				log.Error("Subscription to transactions ended", "err", err)
			}
			return
		}
		if s.due == nil && len(s.held) > 0 { // at most four times in tellLater, however many they are
			s.due = time.After(max(time.Until(s.held[0].since.Add(tellLater)), tellLater/4))
		}
	}
}

// tell sends transactions to peers, or tells of them.
func (s *spreader) tell(txs []*types.Transaction, now time.Time) {
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
	ways := make(map[common.Address][]recipient) // the others, by the sender, those first that get its transactions whole
	for _, tx := range txs {
		hash, large := tx.Hash(), tx.Size() > largestWhole
		knows := func(p recipient) bool { return p.KnownTransaction(hash) }
		var lacking []recipient
		spread := false // by one of those that have it
		for _, p := range builders {
			if !knows(p) {
				lacking = append(lacking, p)
			} else if s.spreads(p) {
				spread = true
			}
		}
		switch {
		case len(lacking) == 0:
		case spread:
			held = append(held, hash)
		case large:
			add(told, lacking, hash)
		default:
			add(whole, lacking, hash)
		}
		if len(others) == 0 {
			continue
		}
		from, _ := types.Sender(s.signer, tx) // the pool knows it
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

// order returns peers in an order that is the same for all transactions of a sender: those that come first get them
// whole, so that they take the same ways and none overtakes another.
func (s *spreader) order(peers []recipient, from common.Address) []recipient {
	score := make(map[recipient]uint64, len(peers))
	for _, p := range peers {
		score[p] = maphash.Comparable(s.seed, struct {
			peer string
			from common.Address
		}{p.ID(), from})
	}
	return slices.SortedFunc(slices.Values(peers), func(a, b recipient) int { return cmp.Compare(score[a], score[b]) })
}

// tellHeld tells the validators of what has been held back for long enough and is still in the pool.
func (s *spreader) tellHeld(now time.Time) {
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
