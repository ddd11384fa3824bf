// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/rawdb"

	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session/sessiontest"
)

// BenchmarkIdleHistory measures empty blocks a second from one peer, without delay and with a round trip of 100 ms.
// The case "full" executes them with seals of all blocks or of the ends of runs; "snap" stores them below a pivot.
// Testnet's epochs have 140 blocks, mainnet's 10.
func BenchmarkIdleHistory(b *testing.B) {
	const count = 10 * headerBatch
	for _, length := range []uint64{140, 10} {
		net := wbfttest.NewWithEpochs(b, 4, length)
		blocks := net.History(b, count, nil).Blocks()
		for _, delay := range []time.Duration{0, 50 * time.Millisecond} {
			for _, how := range []string{"full, every seal", "full", "snap, every seal", "snap"} {
				b.Run(fmt.Sprintf("epoch=%d/delay=%v/%s", length, delay, how), func(b *testing.B) {
					for b.Loop() {
						b.StopTimer()
						chain, engine := net.Chain(b)
						sy, _ := newTestSyncer(b, chain, engine)
						sy.cfg.VerifyAll = how == "full, every seal" || how == "snap, every seal"
						src := &sessiontest.Source{Blocks: blocks, Chain: chain, Delay: delay}
						src.Connect(b, sy.cfg.Sessions, chain)
						if err := sy.examine(b, src); err != nil {
							b.Fatal(err)
						}
						run := func() error { return sy.importUpTo(b.Context(), count) }
						if how == "snap" || how == "snap, every seal" {
							sy.cfg.States = &lackingState{db: rawdb.NewMemoryDatabase()}
							run = func() error { return sy.storeUpTo(context.Background(), blocks[count-1].Header()) }
						}
						b.StartTimer()
						if err := run(); err != nil {
							b.Fatal(err)
						}
						b.StopTimer()
						src.Close()
						chain.Stop()
						b.StartTimer()
					}
					b.ReportMetric(float64(count*b.N)/b.Elapsed().Seconds(), "blocks/s")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
