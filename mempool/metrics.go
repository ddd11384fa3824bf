// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import "github.com/ethereum/go-ethereum/metrics"

// The names are go-ethereum's where the meaning is the same.
var (
	pendingGauge = metrics.GetOrRegisterGauge("txpool/pending", nil)
	queuedGauge  = metrics.GetOrRegisterGauge("txpool/queued", nil)
	slotsGauge   = metrics.GetOrRegisterGauge("txpool/slots", nil)
	bytesGauge   = metrics.GetOrRegisterGauge("txpool/bytes", nil)

	knownMeter   = metrics.GetOrRegisterMeter("txpool/known", nil)
	validMeter   = metrics.GetOrRegisterMeter("txpool/valid", nil)
	invalidMeter = metrics.GetOrRegisterMeter("txpool/invalid", nil)
	fullMeter    = metrics.GetOrRegisterMeter("txpool/overflowed", nil) // refused for want of room
	outbidMeter  = metrics.GetOrRegisterMeter("txpool/outbid", nil)     // gave way to one that pays more
	droppedMeter = metrics.GetOrRegisterMeter("txpool/dropped", nil)    // left without being in a block, for whatever reason
	drainedMeter = metrics.GetOrRegisterMeter("txpool/drained", nil)    // could no longer be paid for
	expiredMeter = metrics.GetOrRegisterMeter("txpool/queued/eviction", nil)
	yieldedMeter = metrics.GetOrRegisterMeter("txpool/yielded", nil) // gave way, behind gaps, to executable ones of the same fee payer
	resetTimer   = metrics.GetOrRegisterTimer("txpool/reorgtime", nil)
)

// Refusals by reason.
var (
	payerLimitMeter = metrics.GetOrRegisterMeter("txpool/refused/payerlimit", nil) // the fee payer backs as many as it may
	payerGapsMeter  = metrics.GetOrRegisterMeter("txpool/refused/payergaps", nil)  // of these too many wait behind gaps
	senderRoomMeter = metrics.GetOrRegisterMeter("txpool/refused/senderroom", nil) // its sender has no sure place left
	missedMeter     = metrics.GetOrRegisterMeter("txpool/refused/missed", nil)     // follows a submission that was refused
)

// noteSize tells the workers and the metrics how much the pool holds. The lock is held.
func (p *Pool) noteSize() {
	p.crowded.Store(int32(p.crowding()))
	pendingGauge.Update(int64(p.held.executableTxs))
	queuedGauge.Update(int64(p.held.gappedTxs))
	slotsGauge.Update(int64(p.held.executable + p.held.gapped))
	bytesGauge.Update(int64(p.bytes))
}
