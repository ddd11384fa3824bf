// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"gwon/consensus/wbft/internal/scale"
	"gwon/consensus/wbft/recording"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// recorderIn has each process of an honest node record into a directory of its own below dir.
func recorderIn(t *testing.T, dir string) func(node int) []recording.Writer {
	var processes atomic.Uint64
	return func(node int) []recording.Writer {
		ring, err := recording.NewRing(recording.RingConfig{
			Dir:  filepath.Join(dir, fmt.Sprintf("%d-%d", node, processes.Add(1)), recording.Dir),
			Size: 64 << 20, Segment: 1, Build: "test",
		})
		if err != nil {
			t.Error(err)
			return nil
		}
		return []recording.Writer{ring}
	}
}

// recorded plays commands with a recorder at each honest node and returns the directory of the recordings.
func recorded(t *testing.T, commands []string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(true)
		p.cfg.Record = recorderIn(t, dir)
		defer func() { p.Network().Close() }()
		for _, command := range commands {
			err := p.Play(command)
			must.That(t, !errors.Is(err, errScript), "%v", err)
		}
	})
	return dir
}

// replayAll replays all recordings below a directory. It returns the numbers of segments and calls.
func replayAll(t *testing.T, dir string) (segments int, calls uint64) {
	t.Helper()
	processes := must.Get(os.ReadDir(dir))(t)
	for _, process := range processes {
		files, err := recording.Files(filepath.Join(dir, process.Name()))
		if err != nil {
			continue // the process did not start
		}
		for _, file := range files {
			s := must.Get(recording.OpenSegment(file))(t)
			n, err := s.Replay(nil)
			expect.Error(t, err, nil, "%s", file)
			segments, calls = segments+1, calls+n
			expect.Error(t, s.Close(), nil, "Close")
		}
	}
	return segments, calls
}

// Every process of every scenario is recorded, with a start state at each sequence, and each segment replays without a
// difference.
func TestScenariosReplay(t *testing.T) {
	eachScenario(t, func(t *testing.T, _, content string) {
		var commands []string
		for _, b := range parseScenario(content) {
			commands = append(commands, b.commands...)
		}
		segments, calls := replayAll(t, recorded(t, commands))
		expect.That(t, segments >= 2 && calls >= 20, "%d segments with %d calls were recorded", segments, calls)
		t.Logf("%d segments, %d calls", segments, calls)
	})
}

// Random networks with kills, power losses, delays, partitions and faulty validators replay without a difference.
func TestRandomNetworksReplay(t *testing.T) {
	seeds := int64(20)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			segments, calls := replayAll(t, recorded(t, Generate(seed)))
			t.Logf("%d segments, %d calls", segments, calls)
		})
	}
}

// Scenarios of testdata that come from recordings of real nodes (gwon replay --scenario) play bit by bit. A change of
// the core that changes an effect has to explain it, and to record the scenario again.
func TestRecordedScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/recorded/*.json")
	must.That(t, err == nil && len(files) != 0, "%d scenarios: %v", len(files), err)
	defer func(small int) { scale.MaxMessage = small }(scale.MaxMessage)
	scale.MaxMessage = 10 << 20 // as the nodes had it
	realSignatures()
	defer func() { realSignatures = UseCheapSignatures() }()
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			in := must.Get(os.Open(file))(t)
			defer func() { _ = in.Close() }()
			s := must.Get(recording.ReadScenario(in))(t)
			calls, err := s.Play()
			expect.Error(t, err, nil, "Play")
			expect.That(t, len(s.Nodes) >= 2 && calls >= 50, "%d validators, %d calls", len(s.Nodes), calls)
			t.Logf("block %d: %d validators, %d calls", s.Sequence, len(s.Nodes), calls)
		})
	}
}
