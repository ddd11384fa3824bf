// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/sync/errgroup"

	"gwon/internal/dial"
)

// Quantiles are three points of a distribution, in seconds.
type Quantiles struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Report is the outcome of a run. A transaction that was accepted is included, pending or lost.
type Report struct {
	Kinds      []Kind         `json:"kinds"`
	Rate       float64        `json:"rate"`     // asked for, transactions a second; 0 for as fast as accepted
	Seconds    float64        `json:"seconds"`  // of submission
	Offered    int            `json:"offered"`  // submissions
	Accepted   int            `json:"accepted"` // answered with a hash
	Refused    int            `json:"refused"`
	Errors     map[string]int `json:"errors"` // of the refused, by code and text; numbers and hashes are left out
	Included   int            `json:"included"`
	Failed     int            `json:"failed"`  // of the included, those whose receipt says so
	Pending    int            `json:"pending"` // some node still has them
	Lost       int            `json:"lost"`    // in no block and at no node: must be 0
	LostHashes []common.Hash  `json:"lostHashes,omitempty"`

	Spoilt         int `json:"spoilt"`         // submissions with a wrong signature; none of the figures above counts them
	SpoiltAccepted int `json:"spoiltAccepted"` // of them, those answered with a hash: must be 0
	Gaps           int `json:"gaps"`           // of the accepted, those that filled a gap

	Throughput   float64 `json:"throughput"`   // included transactions a second over the busy span
	GasPerSecond float64 `json:"gasPerSecond"` // of the blocks of the busy span
	// from the first submission to the last block with a transaction of this run
	BusySeconds float64   `json:"busySeconds"`
	Blocks      int       `json:"blocks"`      // of the busy span
	LaterRounds int       `json:"laterRounds"` // of them, those that were not sealed in round 0
	Interval    Quantiles `json:"blockInterval"`
	Latency     Quantiles `json:"latency"` // from submission until the block with the receipt is seen
	Answer      Quantiles `json:"answer"`  // from submission to the node's answer
	Head        Quantiles `json:"head"`    // from asking a node for its head to the answer, during the run
	Unanswered  int       `json:"unanswered"`
	// seconds from the last submission until the pools were empty; -1 if they were not, or no node reports
	Drained float64 `json:"drained"`
	Reads   *Reads  `json:"reads,omitempty"` // beside the submission; nil for none
	Nodes   []Usage `json:"nodes,omitempty"`
}

// conclude creates the report of a run at the end of the block watch.
func (r *run) conclude(ctx context.Context, begun, ended time.Time, nodes []Usage) (*Report, error) {
	rep := &Report{
		Kinds: r.kinds, Rate: r.Rate, Seconds: ended.Sub(begun).Seconds(), Offered: r.offered, Accepted: r.accepted,
		Errors: r.refused.byText(),
		Spoilt: r.spoiltSent, SpoiltAccepted: r.spoiltTaken, Gaps: r.gaps, Head: quantiles(r.probes),
		Unanswered: r.unanswered, Nodes: nodes,
	}
	for _, n := range rep.Errors {
		rep.Refused += n
	}
	pending, late, lost, err := r.missing(ctx)
	if err != nil {
		return nil, err
	}
	rep.Pending, rep.Lost, rep.LostHashes = pending, len(lost), lost[:min(len(lost), maxShown)]

	last := begun
	var latency, answer []float64
	for _, f := range r.fates {
		if f.hash == (common.Hash{}) {
			continue
		}
		answer = append(answer, f.accepted.Sub(f.sent).Seconds())
		if seen, ok := r.included[f.hash]; ok {
			rep.Included++
			latency = append(latency, max(0, seen.Sub(f.sent).Seconds()))
			if seen.After(last) {
				last = seen
			}
		}
	}
	rep.Included += late
	rep.Latency, rep.Answer = quantiles(latency), quantiles(answer)
	rep.BusySeconds = last.Sub(begun).Seconds()
	if r.onlyReads() {
		last = ended
	}

	var intervals []float64
	var busy []blockSeen
	gas, before := uint64(0), time.Time{}
	for _, b := range r.blocks {
		if b.seen.After(last) {
			break
		}
		busy = append(busy, b)
		gas += b.gasUsed
		if b.round > 0 {
			rep.LaterRounds++
		}
		if !before.IsZero() {
			intervals = append(intervals, b.seen.Sub(before).Seconds())
		}
		before = b.seen
	}
	rep.Blocks, rep.Interval = len(busy), quantiles(intervals)
	if rep.BusySeconds > 0 {
		rep.Throughput, rep.GasPerSecond = float64(rep.Included)/rep.BusySeconds, float64(gas)/rep.BusySeconds
	}
	rep.Failed, err = r.failed(ctx, busy)
	return rep, err
}

// failed counts the transactions of this run with a receipt of failure.
func (r *run) failed(ctx context.Context, blocks []blockSeen) (int, error) {
	own := make(map[common.Hash]struct{}, len(r.fates))
	for _, f := range r.fates {
		own[f.hash] = struct{}{}
	}
	counts := make([]int, len(blocks))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for i, b := range blocks {
		if b.txs == 0 {
			continue
		}
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
			defer cancel()
			var receipts []struct {
				Hash   common.Hash `json:"transactionHash"`
				Status string      `json:"status"`
			}
			var failed []error
			for _, client := range r.clients { // one of them may have gone away meanwhile
				err := client.Client().CallContext(ctx, &receipts, "eth_getBlockReceipts", fmt.Sprintf("%#x", b.number))
				if err == nil {
					failed = nil
					break
				}
				failed = append(failed, err)
			}
			if failed != nil {
				return fmt.Errorf("receipts of block %d: %w", b.number, errors.Join(failed...))
			}
			for _, receipt := range receipts {
				if _, ok := own[receipt.Hash]; ok && receipt.Status != "0x1" {
					counts[i]++
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum, nil
}

// quantiles returns the nearest-rank quantiles of the values; zero if there are none.
func quantiles(values []float64) Quantiles {
	if len(values) == 0 {
		return Quantiles{}
	}
	slices.Sort(values)
	at := func(q float64) float64 { return values[min(len(values)-1, int(q*float64(len(values))))] }
	return Quantiles{at(0.50), at(0.95), at(0.99), values[len(values)-1]}
}

// WriteTable prints a report for people.
func (rep *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if rep.Offered > 0 || rep.Reads == nil {
		rep.writeTransactions(t)
	}
	fmt.Fprintf(t, "blocks\t%d, of them %d in rounds above 0\n", rep.Blocks, rep.LaterRounds)
	fmt.Fprintf(t, "block interval\tp50 %.2f s  p95 %.2f s  max %.2f s\n", rep.Interval.P50, rep.Interval.P95,
		rep.Interval.Max)
	if rep.Offered > 0 || rep.Reads == nil {
		fmt.Fprintf(t, "latency\tp50 %.2f s  p95 %.2f s  p99 %.2f s  max %.2f s\n", rep.Latency.P50, rep.Latency.P95,
			rep.Latency.P99, rep.Latency.Max)
		fmt.Fprintf(t, "answer\t%s\n", rep.Answer.milliseconds(0))
	}
	fmt.Fprintf(t, "head asked for\t%s, %d times without an answer\n", rep.Head.milliseconds(0), rep.Unanswered)
	if rep.Drained >= 0 {
		fmt.Fprintf(t, "pools empty\t%.1f s after the last submission\n", rep.Drained)
	}
	if rep.Reads != nil {
		rep.Reads.write(t)
	}
	for _, n := range rep.Nodes {
		fmt.Fprintf(t, "%s\t%.2f cores, %d MiB (process %d)\n", n.Endpoint, n.CPU/n.Duration, n.Memory>>20, n.PID)
	}
	return t.Flush()
}

// writeTransactions prints what became of the transactions.
func (rep *Report) writeTransactions(t io.Writer) {
	rate := "as fast as accepted"
	if rep.Rate > 0 {
		rate = fmt.Sprintf("%.0f/s", rep.Rate)
	}
	fmt.Fprintf(t, "kinds\t%s\n", names(rep.Kinds))
	fmt.Fprintf(t, "offered\t%d in %.1f s (%s)\n", rep.Offered, rep.Seconds, rate)
	fmt.Fprintf(t, "accepted\t%d\n", rep.Accepted)
	fmt.Fprintf(t, "refused\t%d\n", rep.Refused)
	writeErrors(t, rep.Errors)
	if rep.Spoilt > 0 {
		fmt.Fprintf(t, "spoilt\t%d more, %d of them accepted\n", rep.Spoilt, rep.SpoiltAccepted)
	}
	if rep.Gaps > 0 {
		fmt.Fprintf(t, "gaps\t%d filled\n", rep.Gaps)
	}
	fmt.Fprintf(t, "included\t%d, of them %d failed\n", rep.Included, rep.Failed)
	fmt.Fprintf(t, "pending\t%d\n", rep.Pending)
	fmt.Fprintf(t, "lost\t%d\n", rep.Lost)
	for _, hash := range rep.LostHashes {
		fmt.Fprintf(t, "\t%v\n", hash)
	}
	fmt.Fprintf(t, "throughput\t%.0f tx/s, %.1f Mgas/s over %.1f s\n", rep.Throughput, rep.GasPerSecond/1e6,
		rep.BusySeconds)
}

// writeErrors prints errors, the most frequent ones first.
func writeErrors(t io.Writer, counts map[string]int) {
	for _, text := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return counts[b] - counts[a] }) {
		fmt.Fprintf(t, "\t%d  %s\n", counts[text], text)
	}
}

// write prints the reads, one line for each method and transport.
func (reads *Reads) write(t io.Writer) {
	fmt.Fprintf(t, "reads\t%d (%.0f/s), %d failed\n", reads.Count, reads.Rate, reads.Failed)
	writeErrors(t, reads.Errors)
	fmt.Fprintf(t, "all reads\t%s\n", reads.Time.milliseconds(1))
	fmt.Fprintf(t, "sent late\t%s\n", reads.Late.milliseconds(1))
	for _, m := range reads.Methods {
		fmt.Fprintf(t, "%s %s\t%s, %d of %d failed\n", m.Transport, m.Method, m.Time.milliseconds(1), m.Failed, m.Count)
	}
}

// milliseconds returns the quantiles as text.
func (q Quantiles) milliseconds(digits int) string {
	return fmt.Sprintf("p50 %.*f ms  p95 %.*f ms  p99 %.*f ms  max %.*f ms", digits, 1e3*q.P50, digits, 1e3*q.P95,
		digits, 1e3*q.P99, digits, 1e3*q.Max)
}
