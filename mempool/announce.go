// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
)

// SubscribeTransactions implements txpool.SubPool: ch receives the transactions that become executable.
func (p *Pool) SubscribeTransactions(ch chan<- gethcore.NewTxsEvent, _ bool) event.Subscription {
	return p.feed.Subscribe(ch)
}

// announceLoop announces transactions that became executable, in the background. The first one after a pause is
// immediate. At 600 transactions a second a node needs 10 % less CPU with 30 ms between two announcements than with
// 10 ms. 60 ms save hardly more (November 2026).
func (p *Pool) announceLoop() {
	defer p.done.Done()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-p.quit:
			return
		}
		select {
		case <-p.announce:
		case <-p.quit:
			return
		}
		p.flush()
		pause.Reset(30 * time.Millisecond)
	}
}

// flush announces the transactions that became executable. All subscribers have them when it returns.
func (p *Pool) flush() {
	p.sending.Lock()
	defer p.sending.Unlock()
	p.mu.Lock()
	list := p.tables.unannounced
	p.tables.unannounced = nil
	p.mu.Unlock()
	// A transaction that left the executable ones and came back is listed twice. Peers disconnect for two copies
	// in one message.
	txs, seen := make([]*types.Transaction, 0, len(list)), make(map[*entry]struct{}, len(list))
	for _, e := range list {
		if _, twice := seen[e]; !twice && p.tables.look(e.tx.Hash()) == e {
			seen[e] = struct{}{}
			txs = append(txs, e.tx)
		}
	}
	if len(txs) > 0 {
		p.feed.Send(gethcore.NewTxsEvent{Txs: txs})
	}
}
