// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
)

const (
	// maxWaiting bounds the queue in reports. Its bound in bytes is maxOfValidator.
	maxWaiting = 64
	// reportsPerMinute bounds the judged pairs of a validator and kind.
	reportsPerMinute = 6
	// maxCounted is the number of validators with metrics of their own. The others share one.
	maxCounted = 128
)

var (
	droppedMeter = metrics.NewRegisteredMeter("wbft/evidence/dropped", nil)

	countedMu sync.Mutex
	counted   = make(map[common.Address]struct{})
)

// count adds n to the number of kept pairs of a validator.
func count(label Label, validator common.Address, n int64) {
	countedMu.Lock()
	defer countedMu.Unlock()
	name := "others"
	if _, known := counted[validator]; known || len(counted) < maxCounted {
		counted[validator] = struct{}{}
		name = fmt.Sprintf("%#x", validator)
	}
	metrics.GetOrRegisterGauge(fmt.Sprintf("wbft/evidence/%s/%s", label, name), nil).Inc(n)
}

// Report is a pair of contradictory messages from the state machine.
type Report struct {
	Kind    Kind
	Signer  common.Address
	Pair    [2][]byte       // payloads
	Headers []*types.Header // of the blocks that they name, as far as they are known
	Court   Court           // of the sequence, on this chain

	seen time.Time
}

// Recorder judges and stores reports in the background.
type Recorder struct {
	store   *Store
	queue   chan Report
	waiting atomic.Int64 // bytes

	// Owned by the goroutine that calls Report.
	minute time.Time
	heard  map[heardKey]int // in this minute
}

type heardKey struct {
	signer common.Address
	kind   Kind
}

// NewRecorder returns a recorder for a store. It works while Run does.
func NewRecorder(store *Store) *Recorder {
	return &Recorder{store: store, queue: make(chan Report, maxWaiting)}
}

// Report queues a pair and reports whether it was queued. It never blocks; reports beyond the bounds are dropped. It is
// not safe for concurrent use.
func (r *Recorder) Report(now time.Time, report Report) bool {
	if now.Sub(r.minute) >= time.Minute {
		r.minute, r.heard = now, make(map[heardKey]int)
	}
	who, bytes := heardKey{report.Signer, report.Kind}, report.bytes()
	if r.heard[who] >= reportsPerMinute || r.waiting.Load()+bytes > maxOfValidator {
		droppedMeter.Mark(1)
		return false
	}
	report.seen = now
	select {
	case r.queue <- report:
		r.heard[who]++
		r.waiting.Add(bytes)
		return true
	default:
		droppedMeter.Mark(1)
		return false
	}
}

func (r *Report) bytes() int64 { return int64(len(r.Pair[0]) + len(r.Pair[1])) }

// Run judges and stores reports until ctx ends, and then the rest of the queue.
func (r *Recorder) Run(ctx context.Context) {
	for {
		select {
		case report := <-r.queue:
			r.record(report)
		case <-ctx.Done():
			for {
				select {
				case report := <-r.queue:
					r.record(report)
				default:
					return
				}
			}
		}
	}
}

// record judges a pair. A new pair that is not refused is stored and logged.
func (r *Recorder) record(report Report) {
	defer r.waiting.Add(-report.bytes())
	e, err := New(report.Kind, report.Court.Genesis, report.Pair[0], report.Pair[1], report.Headers, report.seen)
	if err != nil {
		log.Error("Contradictory messages not kept", "kind", report.Kind, "signer", report.Signer,
			"err", err)
		return
	}
	if r.store.Has(e) {
		return
	}
	verdict := Judge(e, report.Court)
	if verdict.Label == Refused {
		log.Debug("Contradictory messages refused as evidence", "kind", e.Kind, "signer", e.Validator, "sequence", e.Sequence,
			"reason", verdict.Reason)
		return
	}
	e.Label, e.Reason = verdict.Label, verdict.Reason
	path, err := r.store.Add(e)
	if err != nil {
		log.Error("Evidence not kept", "kind", e.Kind, "signer", e.Validator, "sequence", e.Sequence,
			"reason", e.Reason, "err", err)
		return
	}
	if path == "" {
		return
	}
	text := "Validator misbehavior"
	if e.Label == Explainable {
		text = "Validator contradicted itself"
	}
	log.Warn(text, "kind", e.Kind, "signer", e.Validator, "sequence", e.Sequence, "round", e.Rounds[0], "label", e.Label,
		"reason", e.Reason, "evidence", path)
}
