// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Amounts of make test; make sim plays more.
const (
	defaultSeeds int64 = 40
	defaultMixed int64 = 6
)

var (
	seedsFlag  = flag.Int64("sim.seeds", defaultSeeds, "how many seeds TestAnyFaults plays")
	fromFlag   = flag.Int64("sim.from", 0, "the first of them")
	seedFlag   = flag.Int64("sim.seed", -1, "the only seed that TestAnyFaults plays")
	shrinkFlag = flag.Bool("sim.shrink", true, "shorten the scripts that break a promise")
	scriptFlag = flag.String("sim.script", "", "file with a script that TestScript plays")
)

// play plays a script in a bubble of its own. It returns what happened, unless quiet, and the broken promise. A script
// that cannot be read fails the test.
func play(t *testing.T, script []string, quiet bool) (trace string, broken error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(quiet)
		defer func() { p.Network().Close() }()
		for _, line := range script {
			if broken = p.Play(line); broken != nil {
				break
			}
		}
		trace = p.Network().Trace()
	})
	must.That(t, !errors.Is(broken, errScript), "%v", broken)
	return trace, broken
}

// numbers are what differs between two failures of one kind.
var numbers = regexp.MustCompile(`[0-9][0-9a-zµ.]*|; \[node.*`)

// attempts is how often a script is played to see whether it breaks a promise: where several events wait for a driver,
// which one it takes first is not in the seed.
const attempts = 3

// report fails the test for a script that breaks a promise: it looks for a short one that does, writes that with all
// that happens in it to a file, and says how to play it again.
func report(t *testing.T, script []string, broken error, again string) {
	t.Helper()
	if !*shrinkFlag {
		t.Errorf("%v\nagain: go test ./consensus/wbft/sim %s", broken, again)
		return
	}
	kind := func(err error) string { return numbers.ReplaceAllString(err.Error(), "") }
	fails := func(candidate []string) bool {
		for range attempts {
			if _, err := play(t, candidate, true); err != nil && kind(err) == kind(broken) {
				return true
			}
		}
		return false
	}
	expect.That(t, fails(script), "%v\nbut not when it was played again", broken)
	short := Shrink(script, fails, 200)
	trace, err := "", error(nil)
	for range 4 * attempts {
		if trace, err = play(t, short, false); err != nil {
			break
		}
	}
	if err == nil {
		err = errors.New("not broken when the shortened script was played with a trace: play it again")
	}
	path := filepath.Join(os.TempDir(),
		fmt.Sprintf("gwon-sim-%s.txt", strings.NewReplacer("/", "-", " ", "_").Replace(t.Name())))
	content := fmt.Sprintf("%s\n\n# %v\n#\n# %s\n", strings.Join(short, "\n"), err,
		strings.ReplaceAll(strings.TrimSpace(trace), "\n", "\n# "))
	expect.Error(t, os.WriteFile(path, []byte(content), 0o600), nil, "WriteFile")
	t.Errorf(
		"%v\nagain:       go test ./consensus/wbft/sim %s\n"+
			"shortened:   go test ./consensus/wbft/sim -run TestScript -sim.script %s\n"+
			"what happens stands in that file\n%s",
		broken,
		again,
		path,
		strings.Join(short, "\n"),
	)
}

// TestAnyFaults draws networks, faults and their times from seeds. At most F validators are Byzantine, have a twin or
// lose their vote log; all others may crash at any moment, in the middle of a write too, and lose power. Whatever
// happens, safety holds; when the faults stop, the chain goes on.
func TestAnyFaults(t *testing.T) {
	first, last := *fromFlag, *fromFlag+*seedsFlag
	if *seedFlag >= 0 {
		first, last = *seedFlag, *seedFlag+1
	}
	anyFaults(t, first, last, "TestAnyFaults")
}

func anyFaults(t *testing.T, first, last int64, name string) {
	for seed := first; seed < last; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			script := Generate(seed)
			if _, broken := play(t, script, true); broken != nil {
				report(t, script, broken, fmt.Sprintf("-run %s -sim.seed %d", name, seed))
			}
		})
	}
}

// TestAnyFaultsWithSigners is TestAnyFaults where the keys of two of three nodes are in signers, behind the real
// protocol. A signer dies with its node, also between a record and the answer. spec: wbft 9.1
func TestAnyFaultsWithSigners(t *testing.T) {
	first, last := int64(20_000), 20_000+*seedsFlag/3
	if *seedFlag >= 0 {
		first, last = *seedFlag, *seedFlag+1
	}
	for seed := first; seed < last; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			script := Generate(seed)
			var nodes int
			_, settings, _ := strings.Cut(script[0], "nodes=")
			must.Do(t, expect.Err(fmt.Sscan(settings, &nodes)), script[0])
			for i := range nodes {
				if i%3 != 2 {
					script = slices.Insert(script, 1, fmt.Sprintf("signer %d", i))
				}
			}
			if _, broken := play(t, script, true); broken != nil {
				report(t, script, broken, fmt.Sprintf("-run TestAnyFaultsWithSigners -sim.seed %d", seed))
			}
		})
	}
}

// TestRealSignatures plays a few random networks with the signatures that ship.
func TestRealSignatures(t *testing.T) {
	first, last := int64(10_000), int64(10_030)
	if !*largeFlag {
		last = first + 4
	}
	if *seedFlag >= 0 {
		first, last = *seedFlag, *seedFlag+1
	}
	realSignatures()
	defer func() { realSignatures = UseCheapSignatures() }()
	t.Run("networks", func(t *testing.T) { anyFaults(t, first, last, "TestRealSignatures") })
}

// TestScript plays the script of a file.
func TestScript(t *testing.T) {
	if *scriptFlag == "" {
		t.Skip("no -sim.script")
	}
	content := must.Get(os.ReadFile(*scriptFlag))(t)
	trace, broken := play(t, strings.Split(string(content), "\n"), false)
	t.Log(trace)
	expect.That(t, broken == nil, "%v", broken)
}
