// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/event"

	"gwon/eth/session"
)

// overdueAfter is the time after which a submission is announced again. The pools of peers may have been full at the
// first announcement, and a peer does not request a transaction that its pool refused.
const overdueAfter = 5 * time.Second

// Pool is the part of the transaction pool that gossip uses.
type Pool interface {
	// Has reports whether a transaction is in the pool.
	Has(hash common.Hash) bool
	// Known reports whether a transaction need not be requested: pooled, in a recent block, or permanently refused.
	Known(hash common.Hash) bool
	// Overdue returns at most n executable submissions from before a time.
	Overdue(before time.Time, n int) []common.Hash
	// SubscribeTransactions delivers transactions that become executable.
	SubscribeTransactions(ch chan<- gethcore.NewTxsEvent, reorgs bool) event.Subscription
}

// Config is the access of a Gossip to the node.
type Config struct {
	Sessions  *session.Sessions
	Pool      Pool
	Validator func(*session.Session) bool // reports whether a peer is a validator
	Signer    types.Signer
}

// Gossip sends transactions of the pool to peers and receives transactions from them. It is safe for concurrent use.
type Gossip struct {
	cfg     Config
	inboxes inboxes
}

// New returns a Gossip. It sends nothing before Broadcast and AnnounceOverdue run.
func New(cfg Config) *Gossip { return &Gossip{cfg: cfg} }

// Broadcast subscribes to the pool. The returned function sends transactions that become executable, until ctx ends.
func (g *Gossip) Broadcast(ctx context.Context) (run func()) {
	s := &broadcaster{
		peers: func() (list []recipient) {
			for _, ses := range g.cfg.Sessions.Ready() {
				if p := ses.Up(); p != nil {
					list = append(list, peer{p, ses})
				}
			}
			return list
		},
		validator: func(r recipient) bool { return g.cfg.Validator(r.(peer).ses) },
		sendsAll: func(r recipient) bool {
			box := g.inboxes.of(r.ID())
			return box != nil && box.habit.sendsAll()
		},
		pooled: g.cfg.Pool.Has,
		signer: g.cfg.Signer,
		seed:   maphash.MakeSeed(),
	}
	news := make(chan gethcore.NewTxsEvent, 64)
	sub := g.cfg.Pool.SubscribeTransactions(news, false)
	return func() { s.run(ctx, news, sub) }
}

// AnnounceOverdue repeats announcements of overdue submissions until ctx ends. Otherwise a node that does not seal
// could keep a promised transaction forever. One announcement has the 4,096 hashes that a peer takes (network 5 no. 10).
func (g *Gossip) AnnounceOverdue(ctx context.Context) {
	ticker := time.Tick(overdueAfter)
	for {
		select {
		case now := <-ticker:
			announce(g.cfg.Pool.Overdue(now.Add(-overdueAfter), 4096), g.cfg.Sessions.Ready())
		case <-ctx.Done():
			return
		}
	}
}

// Greet announces to a new peer the pending transactions that were added since its connection began. go-ethereum has
// announced the earlier ones, and Broadcast covers the later ones.
func (g *Gossip) Greet(
	ses *session.Session, p *protocol.Peer, pending map[common.Address][]*txpool.LazyTransaction, begun time.Time,
) {
	announce(missed(pending, begun, p.KnownTransaction), []*session.Session{ses})
}

// Open creates the inbox of a peer. Messages are passed to handle in the background, one after the other, until
// Close.
func (g *Gossip) Open(p *protocol.Peer, handle func(protocol.Packet)) {
	box := g.inboxes.open(p.ID())
	go box.serve(handle)
}

// Close drops the waiting transactions of a disconnected peer.
func (g *Gossip) Close(p *protocol.Peer) { g.inboxes.close(p.ID()) }

// Pushed handles a message of unrequested transactions. Known ones are dropped, and all are dropped without room in
// the inbox. An error disconnects the peer.
func (g *Gossip) Pushed(p *protocol.Peer, packet *protocol.TransactionsPacket) error {
	box := g.inboxes.of(p.ID())
	if box.full() {
		return nil
	}
	fresh, hashes, err := unheard(packet, g.cfg.Pool.Known, p.MarkTransaction)
	if err != nil {
		return fmt.Errorf("pushed transactions: %w", err)
	}
	if fresh.Len() > 0 {
		box.habit.push(fresh.Len())
		box.put(fresh, cost(&fresh.RawList), hashes, false)
	}
	return nil
}

// Delivered handles a message of requested transactions.
func (g *Gossip) Delivered(p *protocol.Peer, packet *protocol.PooledTransactionsPacket) {
	g.inboxes.of(p.ID()).put(packet, cost(&packet.List), nil, true)
}

// Wanted returns the transactions announced by a peer that are to be requested.
func (g *Gossip) Wanted(
	p *protocol.Peer, packet *protocol.NewPooledTransactionHashesPacket71,
) *protocol.NewPooledTransactionHashesPacket71 {
	wanted := unasked(packet, g.cfg.Pool.Known)
	if len(wanted.Hashes) == 0 {
		return wanted
	}
	if box := g.inboxes.of(p.ID()); box != nil && box.habit.counts() && announcedFirst(wanted, g.heardFromOthers(p)) {
		box.habit.announce()
	}
	return wanted
}

// heardFromOthers returns a function that reports whether a peer besides p has sent or announced a transaction.
func (g *Gossip) heardFromOthers(p *protocol.Peer) func(common.Hash) bool {
	ready := g.cfg.Sessions.Ready()
	return func(hash common.Hash) bool {
		return slices.ContainsFunc(ready, func(ses *session.Session) bool {
			other := ses.Up()
			return other != nil && other.ID() != p.ID() && other.KnownTransaction(hash)
		})
	}
}

func announce(hashes []common.Hash, to []*session.Session) {
	if len(hashes) == 0 {
		return
	}
	for _, ses := range to {
		if p := ses.Up(); p != nil {
			p.AsyncSendPooledTransactionHashes(hashes)
		}
	}
}

// missed returns the hashes of pending transactions that were added after a time and that a peer does not know.
func missed(
	pending map[common.Address][]*txpool.LazyTransaction, since time.Time, known func(common.Hash) bool,
) (hashes []common.Hash) {
	for _, list := range pending {
		for _, tx := range list {
			if !tx.Time.Before(since) && !known(tx.Hash) {
				hashes = append(hashes, tx.Hash)
			}
		}
	}
	return hashes
}
