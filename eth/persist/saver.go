// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package persist

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"golang.org/x/time/rate"
)

// Blocks are executed one after the other, so that a crash loses no more execution than the time since the last save.
// A save of many small blocks is cheap. It comes earlier, but takes no more than a tenth of the time.
const (
	longest   = 10 * time.Second // between two saves of a state that changes
	shortest  = time.Second / 2  // between two saves of many blocks
	warnEvery = time.Minute
)

var (
	savedGauge   = metrics.NewRegisteredGauge("gwon/state/saved", nil)
	writtenMeter = metrics.NewRegisteredMeter("gwon/state/written", nil)
)

// Chain is what a Saver saves.
type Chain interface {
	CurrentBlock() *types.Header
	SaveState(flush bool) (int64, error)
}

// Saver makes the state of a chain safe from a crash. It is used by one goroutine.
type Saver struct {
	chain   Chain
	number  uint64        // of the newest saved block
	saved   time.Time     // start of the last save
	took    time.Duration // time of the last save
	flushed time.Time
	written uint64         // newest block at the last flush
	failed  rate.Sometimes // lines of the log
}

// NewSaver returns a Saver of a chain. What the chain holds now counts as saved.
func NewSaver(chain Chain) *Saver {
	now, number := time.Now(), chain.CurrentBlock().Number.Uint64()
	return &Saver{chain: chain, number: number, saved: now, flushed: now, written: number,
		failed: rate.Sometimes{Interval: warnEvery}}
}

// Run saves the state until ctx ends.
func (s *Saver) Run(ctx context.Context) {
	ticker := time.Tick(shortest)
	for {
		select {
		case <-ticker:
			s.look()
		case <-ctx.Done():
			return
		}
	}
}

// look saves the state if that is due.
func (s *Saver) look() {
	number, since := s.chain.CurrentBlock().Number.Uint64(), time.Since(s.saved)
	many := number >= s.number+64 && since >= max(shortest, 10*s.took)
	flush := time.Since(s.flushed) >= 5*time.Minute && number != s.written
	if !flush && !many && (number == s.number || since < longest) {
		return
	}
	s.saved = time.Now()
	written, err := s.chain.SaveState(flush)
	s.took = time.Since(s.saved)
	if flush {
		s.flushed, s.written = s.saved, number
	}
	if err != nil {
		s.failed.Do(func() {
			log.Error("State not saved: a crash makes the node execute blocks again", "from", s.number+1, "err", err)
		})
		return
	}
	s.number = number
	savedGauge.Update(int64(number))
	writtenMeter.Mark(written)
}
