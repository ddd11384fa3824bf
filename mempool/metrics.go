// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"errors"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/metrics"
)

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
	senderRoomMeter = metrics.GetOrRegisterMeter("txpool/refused/senderroom", nil) // no reserved slot of its sender
	missedMeter     = metrics.GetOrRegisterMeter("txpool/refused/missed", nil)     // follows a refused submission
)

// invalidReasons are the reasons that are counted of invalid transactions. The first that matches counts.
var invalidReasons = []struct {
	meter *metrics.Meter
	errs  []error
}{
	{metrics.GetOrRegisterMeter("txpool/refused/nonce", nil), []error{gethcore.ErrNonceTooLow, gethcore.ErrNonceTooHigh}},
	{metrics.GetOrRegisterMeter("txpool/refused/payerfunds", nil), []error{txpool.ErrFeePayerFunds}},
	{metrics.GetOrRegisterMeter("txpool/refused/funds", nil), []error{
		gethcore.ErrInsufficientFunds, gethcore.ErrInsufficientFundsForTransfer, txpool.ErrSenderValue,
	}},
	{metrics.GetOrRegisterMeter("txpool/refused/price", nil), []error{
		txpool.ErrTxGasPriceTooLow, txpool.ErrUnderpriced, txpool.ErrReplaceUnderpriced, gethcore.ErrFeeCapTooLow,
		gethcore.ErrTipAboveFeeCap,
	}},
	{metrics.GetOrRegisterMeter("txpool/refused/gas", nil), []error{
		txpool.ErrGasLimit, gethcore.ErrIntrinsicGas, gethcore.ErrFloorDataGas, gethcore.ErrGasLimitTooHigh,
	}},
	{metrics.GetOrRegisterMeter("txpool/refused/signature", nil), []error{txpool.ErrInvalidSender}},
	{metrics.GetOrRegisterMeter("txpool/refused/blacklist", nil), []error{vm.ErrBlacklisted}},
	{metrics.GetOrRegisterMeter("txpool/refused/other", nil), []error{nil}},
}

// countFull counts a refusal for want of room, if its reason has a meter.
func countFull(err error) {
	var full *FullError
	switch {
	case errors.As(err, new(*PayerLimitError)):
		payerLimitMeter.Mark(1)
	case errors.As(err, &full) && full.meter != nil:
		full.meter.Mark(1)
	}
}

// countInvalid counts a transaction that is refused, by reason. countFull counts refusals for want of room.
func countInvalid(err error) {
	invalidMeter.Mark(1)
	if errors.Is(err, txpool.ErrOutOfCapacity) || errors.Is(err, txpool.ErrAlreadyKnown) {
		return
	}
	for _, reason := range invalidReasons {
		for _, known := range reason.errs {
			if known == nil || errors.Is(err, known) {
				reason.meter.Mark(1)
				return
			}
		}
	}
}

// noteSize updates the gauges and the delay factor of admission control. The lock is held.
func (p *Pool) noteSize() {
	p.control.delay.Store(p.delayFactor())
	pendingGauge.Update(int64(p.tables.held.executableTxs))
	queuedGauge.Update(int64(p.tables.held.queuedTxs))
	slotsGauge.Update(int64(p.tables.held.executable + p.tables.held.queued))
	bytesGauge.Update(int64(p.tables.bytes))
}
