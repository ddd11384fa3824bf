// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"context"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// timedBuild is a builder of one function, which is told the timestamp.
type timedBuild func(ctx context.Context, timestamp uint64) (*gethcore.Executed, error)

func (f timedBuild) Build(
	ctx context.Context,
	_ *types.Header,
	_ common.Address,
	timestamp uint64,
) (*gethcore.Executed, error) {
	return f(ctx, timestamp)
}

// A proposal leaves at the time of its block, neither earlier nor later, however long building takes: it begins before,
// by what the last ones took, and is done again when there is much time left (spec wbft 6.1).
func TestProposalLeavesInTime(t *testing.T) {
	for _, takes := range []time.Duration{0, 100 * time.Millisecond, 250 * time.Millisecond} {
		onBench(t, 1, func(b *bench) {
			const last = 6
			var begun []time.Time
			b.builder = timedBuild(func(ctx context.Context, timestamp uint64) (*gethcore.Executed, error) {
				deadline, ok := ctx.Deadline()
				left := time.Until(deadline)
				expect.That(t, ok && left <= 750*time.Millisecond, "a build has %v", left)
				begun = append(begun, time.Now())
				time.Sleep(takes)
				block := b.variant(b.block(0), func(h *types.Header, _ *types.WBFTExtra) { h.Time = timestamp })
				return b.chain.BlockChain.ExecuteProposal(ctx, block)
			})
			left := make(map[uint64]time.Time)
			must.Do(b.t, b.tryStart())
			b.network.mu.Lock()
			b.network.onSend = func(m messages.Message) {
				if p, ok := m.(*messages.PrePrepare); ok && left[p.Sequence].IsZero() {
					left[p.Sequence] = time.Now()
				}
			}
			b.network.mu.Unlock()
			time.Sleep((last + 1) * time.Second)
			b.wait()
			head := b.chain.CurrentBlock().Number.Uint64()
			must.That(t, head >= last, "building takes %v: %d blocks", takes, head)
			for n := uint64(3); n <= last; n++ { // the first one is due at once, and nothing is known of the time for the second
				due := time.Unix(int64(b.chain.GetHeaderByNumber(n).Time), 0)
				expect.That(t, left[n].Equal(due),
					"building takes %v: proposal %d leaves %v after its time", takes, n, left[n].Sub(due))
				lead := takes + takes/2 + 20*time.Millisecond
				for _, start := range begun {
					if before := due.Sub(start); before > 0 && before < time.Second && before > 3*lead {
						t.Errorf("building takes %v: one begins %v before block %d is due", takes, before, n)
					}
				}
			}
		})
	}
}
