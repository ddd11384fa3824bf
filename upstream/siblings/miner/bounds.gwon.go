// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"errors"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
)

// WatchedGas is the gas limit above which the execution of a transaction is timed, and ended when it takes too long.
// What has less takes a tenth of a second at the worst.
const WatchedGas = 500_000

// Time for one block, in units of Bounds.Time, in which watched transactions are executed in vain. Those of proven
// senders have their own, so that new accounts, which cost nothing, take no turn of theirs.
const (
	wasteOfOthers = 2
	wasteOfProven = 1
)

var (
	errTooLong     = errors.New("the execution takes longer than a transaction may in a proposal")
	errReceipts    = errors.New("the receipts exceed what a block of a proposal may have")
	errAllReceipts = errors.New("the receipts of this transaction alone exceed what a block of a proposal may have")
)

// Reason says why a transaction was left out of a proposal.
type Reason string

// The reasons.
const (
	TooLong         Reason = "time"     // its execution was ended
	TooManyReceipts Reason = "receipts" // alone it has more of them than a block may have
)

// Standing says when the watched transactions of a sender are taken.
type Standing int

// The standings.
const (
	Ordinary Standing = iota
	Last              // after all others, with the time that they leave
	LeftOut
	Proven // as Ordinary; one of its watched transactions has gone well
)

// Bounds limit what a block under construction may cost others, besides its gas. Zero values do not limit.
type Bounds struct {
	Bytes        uint64        // of the block, and never more than upstream's limit
	ReceiptBytes uint64        // of the receipts as eth/68 carries them
	Time         time.Duration // of one transaction above WatchedGas, unless its sender's standing is Last

	// Standing returns the standing of a sender. Nil makes all of them Ordinary.
	Standing func(sender common.Address) Standing
	// Included is told how long the execution of a watched transaction took. It may be nil.
	Included func(sender common.Address, hash common.Hash, took time.Duration)
	// Excluded is told which transaction cost too much, and why. It may be nil.
	Excluded func(sender common.Address, hash common.Hash, took time.Duration, reason Reason)
	// Calls bounds the calls of precompiles that were given up. Nil waits for each of them.
	Calls *vm.LongCalls
}

// Stopper ends the building of a block early, with the transactions that are in it by then.
type Stopper struct {
	mu      sync.Mutex
	signal  int32         // why the build ends; commitInterruptNone for not at all
	running *vm.EVM       // executes a watched transaction; nil for none
	over    chan struct{} // of that transaction, closed when it is ended
}

// Stop makes the build that uses s finish its block as far as it got; a watched transaction that runs is left out. A
// build that begins afterwards makes an empty block.
func (s *Stopper) Stop() { s.stop(commitInterruptResubmit) }

func (s *Stopper) stop(signal int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signal == commitInterruptNone {
		s.signal = signal
	}
	s.interrupt()
}

// interrupt ends the watched transaction that runs, if there is one. The lock is held.
func (s *Stopper) interrupt() {
	if s.running != nil && !s.running.Cancelled() {
		s.running.Cancel()
		close(s.over)
	}
}

// stopped reports whether the build ends.
func (s *Stopper) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.signal != commitInterruptNone
}

// ended returns the channel that is closed when the watched transaction that runs is ended.
func (s *Stopper) ended() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// watch has what evm executes next ended when the build ends, or after a time unless that is 0. The function that it
// returns has to be called when the execution is over.
func (s *Stopper) watch(evm *vm.EVM, limit time.Duration) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := make(chan struct{})
	s.running, s.over = evm, over
	if s.signal != commitInterruptNone {
		s.interrupt()
	}
	var timer *time.Timer
	if limit > 0 {
		timer = time.AfterFunc(limit, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.over == over {
				s.interrupt()
			}
		})
	}
	return func() {
		if timer != nil {
			timer.Stop()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running, s.over = nil, nil
		evm.Resume()
	}
}

// receiptBytes returns an upper bound of what one receipt with these logs takes in eth/68.
func receiptBytes(logs []*types.Log) uint64 {
	const (
		fixed   = 320 // type, status, gas, bloom and the heads of four lists
		fixedOf = 64  // address and the heads of a log
		topic   = 33
	)
	size := uint64(fixed)
	for _, l := range logs {
		size += fixedOf + topic*uint64(len(l.Topics)) + uint64(len(l.Data))
	}
	return size
}

// standing returns when a transaction is taken.
func (b *Bounds) standing(sender common.Address, tx *txpool.LazyTransaction) Standing {
	if b.Standing == nil || tx.Gas <= WatchedGas {
		return Ordinary
	}
	return b.Standing(sender)
}
