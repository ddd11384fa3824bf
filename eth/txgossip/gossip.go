// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/event"

	"gwon/eth/session"
)

const (
	// overdueAfter is how long a submission waits before it is announced again. The pools of the peers may have been full
	// at the first announcement, and a peer does not ask for a transaction that its pool has refused.
	overdueAfter = 5 * time.Second

	// overdueAtOnce is how many hashes are announced again at a time: as many as a peer takes notes of (network 5 no. 10).
	overdueAtOnce = 4096
)

// Pool is the transaction pool as the gossip sees it.
type Pool interface {
	// Has reports whether a transaction is in the pool.
	Has(hash common.Hash) bool
	// Known reports whether a transaction is not worth asking for: pooled, in a recent block, or refused for good.
	Known(hash common.Hash) bool
	// Overdue returns at most n executable submissions that came before a time.
	Overdue(before time.Time, n int) []common.Hash
	// SubscribeTransactions delivers transactions that have become executable.
	SubscribeTransactions(ch chan<- gethcore.NewTxsEvent, reorgs bool) event.Subscription
}

// Config is what a Gossip needs of the node.
type Config struct {
	Sessions  *session.Sessions
	Pool      Pool
	Validator func(*session.Session) bool // reports whether a peer is a validator
	Signer    types.Signer
}

// Gossip spreads the transactions of the pool among the peers and receives theirs. It is safe for concurrent use.
type Gossip struct {
	cfg     Config
	inboxes inboxes
}

// New returns a gossip that spreads nothing before Spread and AnnounceOverdue run.
func New(cfg Config) *Gossip { return &Gossip{cfg: cfg} }

// Spread subscribes to the pool. The returned function spreads transactions that become executable until ctx ends.
func (g *Gossip) Spread(ctx context.Context) (run func()) {
	s := &spreader{
		peers: func() (list []recipient) {
			for _, ses := range g.cfg.Sessions.Ready() {
				if p := ses.Up(); p != nil {
					list = append(list, peer{p, ses})
				}
			}
			return list
		},
		validator: func(r recipient) bool { return g.cfg.Validator(r.(peer).ses) },
		spreads:   func(r recipient) bool { return isGwon(r.(peer).ses.Peer.Fullname()) },
		pooled:    g.cfg.Pool.Has,
		signer:    g.cfg.Signer,
		seed:      maphash.MakeSeed(),
	}
	news := make(chan gethcore.NewTxsEvent, 64)
	sub := g.cfg.Pool.SubscribeTransactions(news, false)
	return func() { s.run(ctx, news, sub) }
}

// AnnounceOverdue announces submissions again that wait for too long, until ctx ends. Without it a promised transaction
// could stay in the pool of a node without a vote for ever.
func (g *Gossip) AnnounceOverdue(ctx context.Context) {
	ticker := time.NewTicker(overdueAfter)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			announce(g.cfg.Pool.Overdue(now.Add(-overdueAfter), overdueAtOnce), g.cfg.Sessions.Ready())
		case <-ctx.Done():
			return
		}
	}
}

// Greet announces to a new peer the pending transactions that have come since its connection began. go-ethereum has
// announced the earlier ones, and Spread covers the later ones.
func (g *Gossip) Greet(
	ses *session.Session, p *protocol.Peer, pending map[common.Address][]*txpool.LazyTransaction, begun time.Time,
) {
	announce(missed(pending, begun, p.KnownTransaction), []*session.Session{ses})
}

// Open makes room for the transactions of a peer. Each message is passed to handle, one after the other in the
// background, until Close.
func (g *Gossip) Open(p *protocol.Peer, handle func(protocol.Packet)) {
	box := g.inboxes.open(p.ID())
	go box.serve(handle)
}

// Close drops the waiting transactions of a peer, whose connection has ended.
func (g *Gossip) Close(p *protocol.Peer) { g.inboxes.close(p.ID()) }

// Pushed takes a message of transactions that nobody has asked for. Known ones are dropped, and the others are dropped
// if there is no room. An error ends the connection.
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
		box.put(fresh, cost(&fresh.RawList), hashes, false)
	}
	return nil
}

// Delivered takes a message of transactions that were asked for.
func (g *Gossip) Delivered(p *protocol.Peer, packet *protocol.PooledTransactionsPacket) {
	g.inboxes.of(p.ID()).put(packet, cost(&packet.List), nil, true)
}

// Wanted returns the announced transactions that are worth asking for.
func (g *Gossip) Wanted(
	packet *protocol.NewPooledTransactionHashesPacket71,
) *protocol.NewPooledTransactionHashesPacket71 {
	return unasked(packet, g.cfg.Pool.Known)
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

// missed returns the hashes of pending transactions that have come since a moment and that a peer does not know.
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
