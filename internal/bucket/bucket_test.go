// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bucket

import (
	"testing"
	"testing/synctest"
	"time"

	"gwon/internal/expect"
)

// A budget grants its burst, then one use after each duration, and saves at most the burst.
func TestBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Bucket
		spend := func(want int) {
			t.Helper()
			n := 0
			for b.Spend(3, time.Second) {
				n++
			}
			expect.Equal(t, n, want, "uses")
		}
		spend(3)
		time.Sleep(time.Second - time.Nanosecond)
		spend(0)
		time.Sleep(time.Nanosecond)
		spend(1)
		time.Sleep(2 * time.Second)
		spend(2)
		time.Sleep(time.Hour)
		spend(3)
	})
}
