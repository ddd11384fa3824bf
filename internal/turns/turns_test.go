// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package turns

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestPlaces: a key has its places, another key has its own, and what ends lets the next one in. Nothing is left over.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := New[string](2)
		take := func(key string) func() {
			end, err := all.Take(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			return end
		}
		first, second, other := take("a"), take("a"), take("b")
		entered := false
		go func() {
			end := take("a")
			entered = true
			end()
		}()
		synctest.Wait()
		if entered {
			t.Error("a third caller has one of two places")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := all.Take(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		first()
		synctest.Wait()
		if !entered {
			t.Error("no caller entered when a turn had ended")
		}
		second()
		other()
		if n := all.Len(); n != 0 {
			t.Errorf("%d keys are left", n)
		}
	})
}
