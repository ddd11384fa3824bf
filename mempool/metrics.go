// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import "github.com/ethereum/go-ethereum/metrics"

// The metrics have go-ethereum's names where they mean the same.
var (
	pendingGauge = metrics.GetOrRegisterGauge("txpool/pending", nil)
	queuedGauge  = metrics.GetOrRegisterGauge("txpool/queued", nil)
	slotsGauge   = metrics.GetOrRegisterGauge("txpool/slots", nil)
	bytesGauge   = metrics.GetOrRegisterGauge("txpool/bytes", nil)
	limitGauge   = metrics.GetOrRegisterGauge("txpool/limit", nil) // executable slots that the pool holds

	knownMeter     = metrics.GetOrRegisterMeter("txpool/known", nil)
	validMeter     = metrics.GetOrRegisterMeter("txpool/valid", nil)
	invalidMeter   = metrics.GetOrRegisterMeter("txpool/invalid", nil)
	fullMeter      = metrics.GetOrRegisterMeter("txpool/overflowed", nil) // refused because the pool is full
	evictedMeter   = metrics.GetOrRegisterMeter("txpool/outbid", nil)     // evicted by one that pays more
	droppedMeter   = metrics.GetOrRegisterMeter("txpool/dropped", nil)    // left the pool without being in a block
	drainedMeter   = metrics.GetOrRegisterMeter("txpool/drained", nil)    // no longer payable
	expiredMeter   = metrics.GetOrRegisterMeter("txpool/queued/eviction", nil)
	displacedMeter = metrics.GetOrRegisterMeter("txpool/yielded", nil) // queued, displaced within their fee payer
	resetTimer     = metrics.GetOrRegisterTimer("txpool/reorgtime", nil)
)

// Refusals by reason.
var (
	payerLimitMeter = metrics.GetOrRegisterMeter("txpool/refused/payerlimit", nil) // too many of one fee payer
	payerGapsMeter  = metrics.GetOrRegisterMeter("txpool/refused/payergaps", nil)  // too many queued of one fee payer
	senderRoomMeter = metrics.GetOrRegisterMeter("txpool/refused/senderroom", nil) // no sure place of its sender
	missedMeter     = metrics.GetOrRegisterMeter("txpool/refused/missed", nil)     // follows a refused submission
)

// noteSize updates the gauges and the delay factor of admission control. The lock is held.
func (p *Pool) noteSize() {
	p.control.delay.Store(p.delayFactor())
	pendingGauge.Update(int64(p.held.executableTxs))
	queuedGauge.Update(int64(p.held.queuedTxs))
	slotsGauge.Update(int64(p.held.executable + p.held.queued))
	bytesGauge.Update(int64(p.bytes))
}
