// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"testing"

	"gwon/internal/must"
)

// A validator whose directory another program takes over signs again within 15 seconds on one-second blocks, and
// contradicts no vote of the program before, in any round in flight, with clocks two seconds apart
// (docs/consensus.md, Why the wait of rule 8 is sufficient).
func TestAdoptedValidator(t *testing.T) {
	for _, row := range []struct{ name, trouble string }{
		{"calm", "lose nothing"},
		{"commits lost", "lose COMMIT chance 0.7"},
		{"proposals lost", "lose PRE-PREPARE to 0,2 chance 0.5"},
		{"prepares lost", "lose PREPARE chance 0.5"},
	} {
		for seed := range 4 {
			t.Run(fmt.Sprintf("%s %d", row.name, seed), func(t *testing.T) {
				t.Parallel()
				script := []string{
					fmt.Sprintf("network nodes=4 seed=%d delay=10ms..200ms period=1 timeout=2 skew=2s", seed),
					"reach 3 within 60s", row.trouble, fmt.Sprintf("run %dms", 3000+617*seed),
					"adopt 1", "run 1s", "restart 1", "run 1s", "lose nothing", "rejoin within 15s", "run 20s",
				}
				trace, err := play(t, script, false)
				must.That(t, err == nil, "%v\n%s", err, trace)
			})
		}
	}
}
