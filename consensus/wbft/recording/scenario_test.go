// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"gwon/consensus/wbft/core"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Each sequence of a segment is a segment by itself, also the one with which the run began, and replays.
func TestCut(t *testing.T) {
	recorder, dir := newRing(t, 64<<20, 0)
	c := newChain(t, recorder)
	c.decide(4)
	c.tape.End()
	files, err := Files(dir)
	must.That(t, err == nil && len(files) == 1, "%d segments: %v", len(files), err)
	for sequence := uint64(1); sequence <= 6; sequence++ {
		t.Run(fmt.Sprint(sequence), func(t *testing.T) {
			s, err := OpenSegment(files[0])
			must.Do(t, err)
			defer func() { _ = s.Close() }()
			var cut bytes.Buffer
			err = s.Cut(sequence, &cut)
			if sequence > 4 {
				expect.Error(t, err, ErrNoSequence, "error")
				return
			}
			must.Do(t, err)
			alone := must.Get(NewSegment(&cut))(t)
			var heads []uint64
			expect.Error(t, expect.Err(alone.Replay(func(p *Played) error {
				if head, ok := p.Input.(core.NewHead); ok {
					heads = append(heads, head.Header.Number.Uint64())
				}
				return nil
			})), nil, "Replay")
			want := []uint64{sequence - 1, sequence}
			if sequence == 4 { // which no head ended
				want = want[:1]
			}
			expect.That(t, fmt.Sprint(heads) == fmt.Sprint(want), "heads %v, want %v", heads, want)
		})
	}
}

// A scenario that was changed in a word or a byte does not play.
func TestChangedScenario(t *testing.T) {
	recorder, dir := newRing(t, 64<<20, 0)
	c := newChain(t, recorder)
	c.decide(3)
	c.tape.End()
	files := must.Get(Files(dir))(t)
	s, problems, err := ScenarioOf(files, 2)
	must.That(t, err == nil && len(problems) == 0, "%v %v", problems, err)
	var text bytes.Buffer
	must.Do(t, s.Write(&text))
	for name, row := range map[string]struct {
		change func(*Scenario)
		want   string
	}{
		"none": {func(*Scenario) {}, ""},
		"torn": {
			func(s *Scenario) { s.Nodes[0].Segment = s.Nodes[0].Segment[:len(s.Nodes[0].Segment)-1] }, "ends inside",
		},
		"further call": {
			func(s *Scenario) { s.Nodes[0].Calls = append(s.Nodes[0].Calls, ScenarioCall{}) }, "calls, its segment",
		},
		"word":           {func(s *Scenario) { s.Nodes[0].Calls[1].Input = "timer" }, "call 2 of the scenario is not"},
		"output":         {func(s *Scenario) { s.Nodes[0].Calls[0].Outputs = nil }, "call 1 of the scenario is not"},
		"other build":    {func(s *Scenario) { s.Nodes[0].Build = "other" }, "the segment is of validator"},
		"byte":           {func(s *Scenario) { s.Nodes[0].Segment[len(magic)+20] ^= 1 }, "damaged"},
		"other format":   {func(s *Scenario) { s.Format = "gwon-scenario/0" }, "another format"},
		"not a scenario": {nil, "no scenario"},
	} {
		t.Run(name, func(t *testing.T) {
			content := text.Bytes()
			if row.change == nil {
				content = []byte("[")
			} else {
				changed := must.Get(ReadScenario(bytes.NewReader(content)))(t)
				row.change(changed)
				var out bytes.Buffer
				must.Do(t, changed.Write(&out))
				content = out.Bytes()
			}
			read, err := ReadScenario(bytes.NewReader(content))
			if err == nil {
				_, err = read.Play()
			}
			expect.Ends(t, err, row.want, "the error")
		})
	}
	_, problems, err = ScenarioOf([]string{filepath.Join(dir, "absent")}, 2)
	expect.That(t, err != nil && len(problems) == 1, "%v, %v", problems, err)
}
