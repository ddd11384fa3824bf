// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package persist

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
)

// growing is a chain that grows at a steady pace.
type growing struct {
	began   time.Time
	pace    time.Duration // of a block; 0 for a chain that stands still
	cost    time.Duration // of a save
	fails   bool
	saves   int
	flushes int
	saved   uint64
	at      time.Time     // start of the last save that worked
	widest  time.Duration // from there to the end of the next
}

func (c *growing) CurrentBlock() *types.Header {
	number := int64(100)
	if c.pace > 0 {
		number += int64(time.Since(c.began) / c.pace)
	}
	return &types.Header{Number: big.NewInt(number)}
}

func (c *growing) SaveState(flush bool) (int64, error) {
	number, start := c.CurrentBlock().Number.Uint64(), time.Now()
	time.Sleep(c.cost)
	if c.saves++; c.fails {
		return 0, errors.New("no space")
	}
	if flush {
		c.flushes++
	}
	c.widest = max(c.widest, time.Since(c.at))
	c.saved, c.at = number, start
	return 1, nil
}

// A state is safe 20 seconds after it changed, whatever the pace of the chain and the cost of a save. Saves take at
// most a tenth of the time where many come, and a chain that stands still is not saved.
func TestSavesAreBounded(t *testing.T) {
	for _, row := range []struct {
		name        string
		pace, cost  time.Duration
		least, most int // saves in an hour
		flushes     int
	}{
		{"head of the network", time.Second, 10 * time.Millisecond, 350, 360, 12},
		{"sync", time.Millisecond, time.Millisecond, 7000, 7210, 12},
		{"sync, dear saves", time.Millisecond, 300 * time.Millisecond, 1000, 1210, 12},
		{"sync, very dear saves", time.Millisecond, 8 * time.Second, 340, 365, 12},
		{"full blocks", 300 * time.Millisecond, time.Second, 300, 360, 12},
		{"nothing new", 0, 0, 0, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &growing{began: time.Now(), pace: row.pace, cost: row.cost, at: time.Now()}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour+time.Second)
				defer cancel()
				NewSaver(c).Run(ctx)
				if c.saves < row.least || c.saves > row.most || c.flushes < row.flushes-1 || c.flushes > row.flushes {
					t.Errorf("%d saves with %d flushes, want %d to %d with %d", c.saves, c.flushes, row.least, row.most, row.flushes)
				}
				expect.That(t, c.widest <= 20*time.Second, "a state was safe after %v only", c.widest)
			})
		})
	}
}

// A save that failed is tried again, also when no block follows.
func TestSaveIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &growing{began: time.Now(), pace: time.Second, at: time.Now(), fails: true}
		s := NewSaver(c)
		time.Sleep(longest)
		s.look()
		c.pace, c.fails = time.Hour, false
		c.began = time.Now().Add(-10 * time.Hour) // ten blocks, and no more for a while
		time.Sleep(longest)
		s.look()
		expect.That(t, c.saves == 2 && c.saved == 110, "%d saves, the last of block %d", c.saves, c.saved)
	})
}
