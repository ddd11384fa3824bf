// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"syscall"
	"testing"
	"time"

	"gwon/consensus/wbft/wbfttest"
)

// BenchmarkReceive receives 192 headers of seven validators, sealed as on a live network: with the seals that the
// children hold, keeping those that the headers came with, and with each header verified later. VerifyHeaders, which
// follows, is part of it.
func BenchmarkReceive(b *testing.B) {
	const count, members = 192, 7
	net := wbfttest.NewWithEpochs(b, members, 140)
	headers := headersOf(net.History(b, count, nil).Blocks())
	for _, run := range []struct {
		name     string
		keepFrom uint64
		vouched  bool
	}{
		{"seals of the children", count, true},
		{"own seals kept", 0, true},
		{"each header verified", 0, false},
	} {
		b.Run(run.name, func(b *testing.B) {
			var spent time.Duration
			for b.Loop() {
				b.StopTimer()
				chain, engine := net.Chain(b)
				before := processorTime(b)
				b.StartTimer()
				kept, damaged, err := engine.Receive(chain, headers, run.keepFrom, run.vouched)
				if err != nil || damaged > 0 {
					b.Fatal(damaged, err)
				}
				for _, err := range errorsOf(engine, chain, kept) {
					if err != nil {
						b.Fatal(err)
					}
				}
				spent += processorTime(b) - before
			}
			b.ReportMetric(float64(b.N*count)/b.Elapsed().Seconds(), "headers/s")
			b.ReportMetric(float64(b.N*count)/spent.Seconds(), "headers/cpu-s")
		})
	}
}

// processorTime returns the time that the process has had of all cores, which others on the machine do not take part
// in.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
