// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"strings"
	"testing"
)

// TestAnyFaultsWithCosigners draws networks whose validators have three cosigners each, and many of them two nodes at
// once, also more than F. Nodes and cosigners crash, lose power and each other, one cosigner of each validator may
// lie. No two digests of a view get two approvals, and the chain does not fork. It goes on when each validator is left
// with one node. spec: wbft 9.1
func TestAnyFaultsWithCosigners(t *testing.T) {
	first, last := *fromFlag, *fromFlag+max(*seedsFlag/4, 1)
	if *seedFlag >= 0 {
		first, last = *seedFlag, *seedFlag+1
	}
	before := rivals.Load()
	t.Cleanup(func() {
		found := rivals.Load() - before
		t.Logf("%d approvals of what another cosigner had approved otherwise", found)
		if found == 0 && last-first >= 10 {
			t.Error("no two nodes ever asked for different messages in one view, so that nothing was put to the test")
		}
	})
	for seed := first; seed < last; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			script := GenerateCosigned(seed)
			if _, broken := play(t, script, true); broken != nil {
				report(t, script, broken, fmt.Sprintf("-run TestAnyFaultsWithCosigners -sim.seed %d", seed))
			}
		})
	}
}

// TestCosigners plays what cosigners are for, line by line. spec: wbft 9.1
func TestCosigners(t *testing.T) {
	// A validator with one node at a time. The second one starts with other cosigners than the first one had, without the
	// chain of the first one, and would propose another block 1.
	const change = `network nodes=2 seed=1
		twin 1 of 0
		cosigned 0
		cosigned 1
		partition 0 | 1
		crash 1
		cosigner cut 0.2 from 0
		cosigner cut 0.1 from 1
		%s
		reach 1 within 5s
		crash 0
		cosigner crash 0.0
		cosigner restart 0.0
		restart 1
		run 20s`
	for name, c := range map[string]struct{ script, breaks string }{
		"one of each validator is down": {`network nodes=4 seed=1
			cosigned 0
			cosigned 1
			cosigned 2
			cosigned 3
			cosigner crash 0.0 1.1 2.2 3.0
			reach 8 within 9s`, ""},
		"one of each validator lies": {`network nodes=4 seed=1
			cosigned 0
			cosigned 1
			cosigned 2
			cosigned 3
			cosigner lie 0.0 1.1 2.2 3.0
			reach 8 within 9s`, ""},
		"all lose power and the chain goes on": {`network nodes=1 seed=1
			cosigned 0
			run 4s
			powerloss 0
			cosigner powerloss 0.0 0.1 0.2
			cosigner restart 0.0 0.1 0.2
			restart 0
			reach +3 within 10s`, ""},
		"a signature waits for a second cosigner": {`network nodes=1 seed=1
			cosigned 0
			run 4500ms
			cosigner crash 0.0 0.1
			run 20s
			expect 0 height=4 round=1
			cosigner restart 0.0
			reach +3 within 10s`, ""},
		"the next node has the lock": {`network nodes=5 seed=1
			twin 4 of 0
			cosigned 0
			cosigned 4
			crash 4
			lose COMMIT
			run 1500ms
			expect 0 locked=1a
			crash 0
			partition 4 | 0 1 2 3
			cosigner cut 0.0 from 4
			restart 4
			run 1s
			expect 4 locked=1a
			heal
			reach 3 within 30s`, ""},
		"the next node contradicts nothing": {fmt.Sprintf(change, "reach 0 within 1s"), ""},
		// So the promise can be broken: the approvals of the two nodes meet in no log that remembers.
		"the next node, and a cosigner forgets": {fmt.Sprintf(change, "cosigner forget 0.0"), "two different messages"},
	} {
		t.Run(name, func(t *testing.T) {
			trace, broken := play(t, strings.Split(c.script, "\n"), false)
			switch {
			case c.breaks == "" && broken != nil, c.breaks != "" && broken == nil:
				t.Errorf("%s\n%v", trace, broken)
			case broken != nil && !strings.Contains(broken.Error(), c.breaks):
				t.Errorf("%v, want %s", broken, c.breaks)
			}
		})
	}
}
