// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package health

import "time"

// settle is the time without a failure after which a failed criterion counts as fulfilled again.
const settle = 5 * time.Second

// reading is one look at a criterion. A reading that neither fails nor passes lies between the two thresholds.
type reading struct {
	fails  bool // beyond the limit
	passes bool // within the limit of recovery, which is the narrower one
}

// pass is the reading of a criterion with one threshold.
func pass(ok bool) reading { return reading{fails: !ok, passes: ok} }

// signal is the state of a criterion with hysteresis. It fails at once, and recovers after settle of passing readings.
type signal struct {
	known bool
	ok    bool
	since time.Time // first of the passing readings in a row; zero without one
}

// update takes a reading at a time.
func (s *signal) update(now time.Time, r reading) {
	switch {
	case !s.known:
		s.known, s.ok = true, !r.fails
	case r.fails:
		s.ok, s.since = false, time.Time{}
	case !r.passes:
		s.since = time.Time{}
	case s.since.IsZero():
		s.since = now
	case now.Sub(s.since) >= settle:
		s.ok = true
	}
}
