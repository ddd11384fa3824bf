// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/wbfttest"
)

// BenchmarkReceive receives 192 headers of seven validators whose seals were made by changing quorums, as
// synchronization does: with the seals that the children hold, with other PREPARE seals, which is the usual
// difference, and with other seals of both kinds.
func BenchmarkReceive(b *testing.B) {
	const count, members = 192, 7
	net := wbfttest.New(b, members)
	origin, judge := net.Chain(b)
	extended := *net
	var blocks types.Blocks
	for i := range count {
		set, err := judge.ValidatorsAfter(origin, origin.CurrentBlock())
		if err != nil {
			b.Fatal(err)
		}
		extended.Away = set.At(i % members).Address
		blocks = append(blocks, extended.Extend(b, origin, 1)...)
	}
	held := headersOf(blocks)
	prepares, both := headersOf(blocks), headersOf(blocks)
	for i, block := range blocks[:count-1] {
		set, err := judge.ValidatorsFor(origin, held[i])
		if err != nil {
			b.Fatal(err)
		}
		other := *net
		other.Away = set.At((3*i + 1) % members).Address
		if i%4 == 0 {
			other.Away = common.Address{}
		}
		both[i] = other.SealBy(b, set, block, 0).Header()
		own, err := both[i].WBFTExtra()
		if err != nil {
			b.Fatal(err)
		}
		as, err := held[i].WBFTExtra()
		if err != nil {
			b.Fatal(err)
		}
		if prepares[i], err = held[i].WithWBFTSeals(own.Round, own.PreparedSeal, as.CommittedSeal); err != nil {
			b.Fatal(err)
		}
	}
	for _, run := range []struct {
		name    string
		headers []*types.Header
		vouched bool
	}{
		{"those of the children", held, true},
		{"other PREPARE seals", prepares, true},
		{"other seals", both, true},
		{"other seals, each header verified later", both, false},
	} {
		b.Run(run.name, func(b *testing.B) {
			var spent time.Duration
			for b.Loop() {
				b.StopTimer()
				chain, engine := net.Chain(b)
				before := processorTime(b)
				b.StartTimer()
				if _, damaged, err := engine.Receive(chain, run.headers, run.vouched); err != nil || damaged > 0 {
					b.Fatal(damaged, err)
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
