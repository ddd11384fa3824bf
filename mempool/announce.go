// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
)

// announceEvery is the least time between two announcements. The first transaction after a pause is announced at once; under load
// they go out in batches, which cost less by the piece for everybody: with 30 ms instead of 10 a node spends a tenth less on each of 600 a
// second, and with 60 hardly less than that.
const announceEvery = 30 * time.Millisecond

// SubscribeTransactions implements txpool.SubPool.
func (p *Pool) SubscribeTransactions(ch chan<- gethcore.NewTxsEvent, _ bool) event.Subscription {
	return p.feed.Subscribe(ch)
}

// announceLoop tells of transactions that have become executable, beside those who bring them.
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
		pause.Reset(announceEvery)
	}
}

// flush tells of what has become executable. When it returns, those that listen know.
func (p *Pool) flush() {
	p.sending.Lock()
	defer p.sending.Unlock()
	p.mu.Lock()
	fresh := p.fresh
	p.fresh = nil
	p.mu.Unlock()
	// One may be there twice: it has become executable, lost that, and become it again. Nobody forgives a message with two copies.
	txs, taken := make([]*types.Transaction, 0, len(fresh)), make(map[*entry]struct{}, len(fresh))
	for _, e := range fresh {
		if _, twice := taken[e]; !twice && p.look(e.tx.Hash()) == e {
			taken[e] = struct{}{}
			txs = append(txs, e.tx)
		}
	}
	if len(txs) > 0 {
		p.feed.Send(gethcore.NewTxsEvent{Txs: txs})
	}
}
