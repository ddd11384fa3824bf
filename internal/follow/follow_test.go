// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package follow

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
	"gwon/internal/expect"
)

// following returns a follower of a chain of some blocks, whose hashes begin with a byte.
func following(chain *byte, head *int64) *Follower[common.Hash] {
	return &Follower[common.Hash]{Block: func(_ context.Context, number rpc.BlockNumber) (*dial.Head, error) {
		if number == rpc.LatestBlockNumber {
			number = rpc.BlockNumber(*head)
		}
		if number > rpc.BlockNumber(*head) || number < 0 {
			return nil, nil
		}
		return &dial.Head{Number: hexutil.Uint64(number), Hash: common.Hash{*chain, byte(number)}}, nil
	}}
}

// A chain that was begun again is noticed, however long the new one is. A node that is behind is none.
func TestLook(t *testing.T) {
	last := Place{Number: 50, Hash: common.Hash{1, 50}, Genesis: common.Hash{1, 0}}
	for name, row := range map[string]struct {
		chain byte
		head  int64
		want  error
	}{
		"the same":              {chain: 1, head: 50},
		"it has grown":          {chain: 1, head: 60},
		"a node that is behind": {chain: 1, head: 49, want: ErrBehind},
		"a node without blocks": {chain: 1, head: -1, want: ErrBehind},
		"begun again, shorter":  {chain: 2, head: 5, want: ErrOtherChain},
		"begun again, as long":  {chain: 2, head: 50, want: ErrOtherChain},
		"begun again, longer":   {chain: 2, head: 60, want: ErrOtherChain},
	} {
		t.Run(name, func(t *testing.T) {
			f := following(&row.chain, &row.head)
			head, err := f.Look(t.Context(), last)
			expect.That(t, errors.Is(err, row.want) && (err == nil) == (head != nil), "%v, %v, want %v", head, err, row.want)
		})
	}
}

// Failures are told once a minute and with longer and longer pauses, a final one ends the loop, and a step that knows
// of more is followed by the next one at once.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away, end := errors.New("away"), errors.New("end")
		var steps, told []time.Duration
		begun := time.Now()
		f := &Follower[common.Hash]{Every: time.Second, Pause: time.Second, Most: 10 * time.Second,
			Final:  func(err error) bool { return errors.Is(err, end) },
			Report: func(error, time.Duration) { told = append(told, time.Since(begun)) },
		}
		err := f.Run(t.Context(), func(context.Context) (bool, error) {
			at := time.Since(begun)
			steps = append(steps, at)
			switch {
			case at > 5*time.Minute:
				return false, end
			case len(steps) < 4: // the third one waits
				return len(steps) < 3, nil
			}
			return false, away
		})
		expect.That(t, errors.Is(err, end) && slices.Equal(steps[:4], []time.Duration{0, 0, 0, time.Second}),
			"%v, steps at %v", err, steps)
		for i, at := range told[1:] {
			expect.That(t, at-told[i] >= time.Minute, "told at %v", told)
		}
		expect.That(t, len(told) >= 3 && len(steps) <= 75 && steps[4]-steps[3] <= time.Second,
			"%d reports, %d steps: %v", len(told), len(steps), steps)
	})
}
