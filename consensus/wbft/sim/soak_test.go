// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/explain"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/sim/modes"
	"gwon/internal/expect"
	"gwon/internal/must"
)

var soakFlag = flag.Uint64("sim.soak", 4*soakPart, "how many blocks TestSoakIsExplained makes")

const (
	// soakPart is how many blocks one network makes. A recorder keeps 1,024 segments, here one for each block.
	soakPart = 75
	// soakNodes is the number of validators. The last one is faulty, and another one has a fault now and then.
	soakNodes = 7
	// soakCycle is the time from one injected fault to the next, and soakFault how long each lasts. Its effects are over
	// soakAfter later: a validator that returns catches up, and is taken for absent until its first message.
	soakCycle, soakFault, soakAfter = 16 * time.Second, 6 * time.Second, 8 * time.Second
	// lateBlock is the time after a block is due from which it has to be explained: 1.5 s after the block before.
	lateBlock = 500 * time.Millisecond
)

// injected is a fault of a validator that was injected for some time after the start.
type injected struct {
	node     int
	from, to time.Duration
}

// soakScript returns a script with faults, and the faults in it.
func soakScript(part int64) (script []string, faults []injected) {
	behaviors := append(modes.Names(), modes.Every, "silent", "invalid", "equivocator", "badseals", "selective",
		"stretcher")
	script = []string{
		fmt.Sprintf("network nodes=%d seed=%d delay=5ms..40ms", soakNodes, part),
		fmt.Sprintf("byzantine %d %s", soakNodes-1, behaviors[int(part)%len(behaviors)]),
	}
	faults = []injected{{soakNodes - 1, 0, time.Hour}}
	for i, at := int(part), soakCycle; at < 4*soakPart*time.Second; i, at = i+1, at+soakCycle {
		node := (i * 5) % (soakNodes - 1)
		begin := []string{"crash %d", "hold ANY from %d", "powerloss %d", "lose ANY from %d chance 0.7"}[i%4]
		end := []string{"restart %d", "release", "restart %d", "lose nothing"}[i%4]
		script = append(script, fmt.Sprintf("at %v: "+begin, at, node))
		if strings.Contains(end, "%d") {
			end = fmt.Sprintf(end, node)
		}
		script = append(script, fmt.Sprintf("at %v: %s", at+soakFault, end))
		faults = append(faults, injected{node, at, at + soakFault + soakAfter})
	}
	return append(script, fmt.Sprintf("reach %d within 20m", soakPart)), faults
}

// Networks with kills, delays, losses and a faulty validator make blocks. Each block above round 0 or later than 1.5 s
// is explained with the validator whose fault was injected, round by round, and every recording replays bit by bit.
func TestSoakIsExplained(t *testing.T) {
	total, late, segments, calls := uint64(0), 0, 0, uint64(0)
	for part := int64(0); total < *soakFlag; part++ {
		script, faults := soakScript(part)
		dir, blocks, start := soaked(t, script)
		total += soakPart
		n, m := replayAll(t, dir)
		segments, calls = segments+n, calls+m
		l := explainAll(t, dir, blocks, start, faults)
		late += l
		must.That(t, !t.Failed(), "part %d:\n%s", part, strings.Join(script, "\n"))
	}
	expect.That(t, late != 0, "no block was late or above round 0: nothing was injected")
	t.Logf("%d blocks, %d of them above round 0 or late, all explained; %d recordings with %d calls replay", total, late,
		segments, calls)
}

// soakedBlock is a block of a soak.
type soakedBlock struct {
	number   uint64
	round    uint32
	interval uint64 // seconds since its parent
}

// soaked plays a script with a recorder at each honest validator.
func soaked(t *testing.T, script []string) (dir string, blocks []soakedBlock, start time.Time) {
	t.Helper()
	dir = t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(true)
		p.cfg.Record = recorderIn(t, dir)
		defer func() { p.Network().Close() }()
		start = time.Now()
		for _, command := range script {
			must.Do(t, p.Play(command))
		}
		node := p.Network().tallest()
		for number := uint64(1); number <= soakPart; number++ {
			header := node.Block(number).Header()
			x := must.Get(header.WBFTExtra())(t)
			blocks = append(blocks, soakedBlock{number, x.Round, header.Time - node.Block(number-1).Time()})
		}
	})
	return dir, blocks, start
}

// segmentsBySequence returns the files of recordings by the sequence that each begins, or the next ones.
func segmentsBySequence(t *testing.T, dir string) map[uint64][]string {
	t.Helper()
	processes := must.Get(filepath.Glob(filepath.Join(dir, "*")))(t)
	files := make(map[uint64][]string)
	for _, process := range processes {
		list, err := recording.Files(process)
		if err != nil {
			continue // the process did not start
		}
		for _, file := range list {
			s := must.Get(recording.OpenSegment(file))(t)
			found := false
			must.Do(t, s.Inputs(func(input any) error {
				if head, ok := input.(core.NewHead); ok && !found {
					found = true
					files[head.Header.Number.Uint64()+1] = append(files[head.Header.Number.Uint64()+1], file)
				}
				return nil
			}))
			must.Do(t, s.Close())
		}
	}
	return files
}

// explainAll explains the blocks and returns how many were late or above round 0.
func explainAll(t *testing.T, dir string, blocks []soakedBlock, start time.Time, faults []injected) (late int) {
	t.Helper()
	names := make(map[common.Address]string)
	for i := range soakNodes {
		key, _ := Keys(i)
		names[addressOf(key)] = fmt.Sprintf("node %d", i)
	}
	files := segmentsBySequence(t, dir)
	for _, block := range blocks {
		var near []string
		for _, list := range [][]string{files[block.number], files[block.number+1]} {
			near = append(near, list...)
		}
		slices.Sort(near)
		views, problems := explain.Gather(near, block.number)
		e, err := explain.Explain(block.number, views, func(a common.Address) string { return names[a] })
		if err != nil || len(problems) > 0 {
			t.Errorf("block %d: %v %v", block.number, err, problems)
			continue
		}
		if block.round == 0 && block.interval < 2 && !decidedLate(e) {
			continue
		}
		late++
		var causes []string
		for _, f := range faults {
			if at := e.Due.Sub(start); at >= f.from-time.Second && at <= f.to {
				causes = append(causes, fmt.Sprintf("node %d", f.node))
			}
		}
		checkCauses(t, block, e, causes)
	}
	return late
}

// decidedLate reports whether no recorded validator had the block in time, by its own decision or from a peer.
func decidedLate(e *explain.Explanation) bool {
	for _, v := range e.Views {
		for _, at := range []time.Time{v.Decided, v.Ended} {
			if !at.IsZero() && at.Sub(e.Due) <= lateBlock {
				return false
			}
		}
	}
	return true
}

// checkCauses checks that the explanation names an injected cause: in a sentence of each round that was lost, and for a
// block that is only late in any sentence.
func checkCauses(t *testing.T, block soakedBlock, e *explain.Explanation, causes []string) {
	t.Helper()
	names := func(sentence string) bool {
		return slices.ContainsFunc(causes, func(cause string) bool { return strings.Contains(sentence, cause) })
	}
	for round := range block.round {
		if !slices.ContainsFunc(e.Sentences, func(s string) bool {
			return strings.HasPrefix(s, fmt.Sprintf("Round %d", round)) && names(s)
		}) {
			t.Errorf("block %d, round %d: no sentence names one of %v:\n%s", block.number, round, causes,
				strings.Join(e.Sentences, "\n"))
			return
		}
	}
	expect.That(t, slices.ContainsFunc(e.Sentences, names),
		"block %d: no sentence names one of %v:\n%s", block.number, causes, strings.Join(e.Sentences, "\n"))
}
