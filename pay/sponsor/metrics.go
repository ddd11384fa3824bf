// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	gethparams "github.com/ethereum/go-ethereum/params"
	"go.etcd.io/bbolt"
)

// buckets of latencies, in seconds.
var latencyBounds = [...]float64{0.001, 0.002, 0.003, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 1}

// histogram counts latencies.
type histogram struct {
	mu     sync.Mutex
	counts [len(latencyBounds) + 1]uint64
	sum    float64
}

func (h *histogram) observe(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i, _ := slices.BinarySearch(latencyBounds[:], d.Seconds())
	h.counts[i]++
	h.sum += d.Seconds()
}

// meters count what the sponsor does.
type meters struct {
	reserved, failed, foreign, paid, left atomic.Uint64
	submission                            histogram

	mu       sync.Mutex
	refusals map[string]uint64 // by rule; rules are those of this package
}

func (m *meters) refused(rule string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusals[rule]++
}

// coins is an amount for a metric: rounded, as all numbers of Prometheus are.
func coins(wei *big.Int) float64 {
	f, _ := new(big.Float).Quo(new(big.Float).SetInt(wei), big.NewFloat(gethparams.Ether)).Float64()
	return f
}

// WriteMetrics writes all metrics in the text format of Prometheus.
func (s *Sponsor) WriteMetrics(w io.Writer) error {
	out := &errorWriter{w: w}
	gauge := func(name, help string) {
		out.printf("# HELP gwon_sponsor_%s %s\n# TYPE gwon_sponsor_%s gauge\n", name, help, name)
	}
	counter := func(name, help string, value uint64) {
		out.printf("# HELP gwon_sponsor_%s %s\n# TYPE gwon_sponsor_%s counter\n", name, help, name)
		out.printf("gwon_sponsor_%s %d\n", name, value)
	}
	counter("sponsored_total", "Transactions that were reserved.", s.metrics.reserved.Load())
	counter("failed_total", "Reserved transactions that the node refused.", s.metrics.failed.Load())
	counter("foreign_total", "Transactions of a payer that are not in the books.", s.metrics.foreign.Load())
	counter("paid_total", "Payments of x402 that were settled.", s.metrics.paid.Load())
	counter("payers_left_total", "Fee payers whose coins moved away from what was stuck.", s.metrics.left.Load())
	s.metrics.mu.Lock()
	refusals := maps.Clone(s.metrics.refusals)
	s.metrics.mu.Unlock()
	out.printf(
		"# HELP gwon_sponsor_refused_total Refused requests by rule.\n# TYPE gwon_sponsor_refused_total counter\n",
	)
	for _, rule := range slices.Sorted(maps.Keys(refusals)) {
		out.printf("gwon_sponsor_refused_total{rule=%q} %d\n", rule, refusals[rule])
	}
	gauge("payer_balance_coins", "Balance of a fee payer, with what is on its way to it.")
	for _, p := range s.payers.paying() {
		if balance := s.payers.coins(p, s.fees.Load().moveFee()); balance != nil {
			out.printf("gwon_sponsor_payer_balance_coins{payer=%q} %g\n", p.address.Hex(), coins(balance))
		}
	}
	c := s.config.Load()
	gauge("low_balance_coins", "Balance below which a payer is reported; 0 for none.")
	low := new(big.Int)
	if c.LowBalance != nil {
		low = c.LowBalance.int()
	}
	out.printf("gwon_sponsor_low_balance_coins %g\n", coins(low))
	if err := s.writeBudgets(out, c, gauge); err != nil {
		return err
	}
	gauge("following", "1 while blocks of the node are read.")
	following := 0
	if s.following.Load() {
		following = 1
	}
	out.printf("gwon_sponsor_following %d\n", following)
	s.metrics.submission.write(out, "gwon_sponsor_submission_seconds", "Time from a request to its answer.")
	return out.err
}

func (s *Sponsor) writeBudgets(out *errorWriter, c *Config, gauge func(string, string)) error {
	tallies, today := make(map[string]*tally), make(map[string]*tally)
	err := s.books.db.View(func(tx *bbolt.Tx) error {
		for _, k := range c.Keys {
			t, err := readTally(tx, tallyName(totalKind, k.Label))
			if err != nil {
				return err
			}
			tallies[k.Label] = t
			if k.MaxPerDay == nil {
				continue
			}
			if today[k.Label], err = readTally(tx, tallyName(dayKind, dayText(dayOf(time.Now())), k.Label)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	each := func(name string, amount func(*tally) *big.Int) {
		for _, label := range slices.Sorted(maps.Keys(tallies)) {
			out.printf("gwon_sponsor_%s{label=%q} %g\n", name, label, coins(amount(tallies[label])))
			if t := today[label]; t != nil {
				out.printf("gwon_sponsor_%s{label=%q,period=\"day\"} %g\n", name, label, coins(amount(t)))
			}
		}
	}
	gauge("spent_coins", "Fees paid for a key, and of them those of the day where it has a budget for it.")
	each("spent_coins", func(t *tally) *big.Int { return t.Spent })
	gauge("reserved_coins", "Fees reserved for a key, likewise.")
	each("reserved_coins", func(t *tally) *big.Int { return t.Reserved })
	gauge("budget_coins", "Budget of a key, in all or for a day.")
	for _, k := range c.Keys {
		if k.MaxTotal != nil {
			out.printf("gwon_sponsor_budget_coins{label=%q} %g\n", k.Label, coins(k.MaxTotal.int()))
		}
		if k.MaxPerDay != nil {
			out.printf("gwon_sponsor_budget_coins{label=%q,period=\"day\"} %g\n", k.Label, coins(k.MaxPerDay.int()))
		}
	}
	return nil
}

func (h *histogram) write(out *errorWriter, name, help string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out.printf("# HELP %s %s\n# TYPE %s histogram\n", name, help, name)
	total := uint64(0)
	for i, bound := range latencyBounds {
		total += h.counts[i]
		out.printf("%s_bucket{le=\"%g\"} %d\n", name, bound, total)
	}
	total += h.counts[len(latencyBounds)]
	out.printf("%s_bucket{le=\"+Inf\"} %d\n%s_sum %g\n%s_count %d\n", name, total, name, h.sum, name, total)
}

// errorWriter keeps the first error of many writes.
type errorWriter struct {
	w   io.Writer
	err error
}

func (e *errorWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}
