// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/core"
)

// ScenarioFormat is the format of scenarios.
const ScenarioFormat = "gwon-scenario/1"

// maxScenario bounds the JSON of a scenario in bytes.
const maxScenario = 256 << 20

// Scenario is one sequence out of recordings of one or several validators, for a test to keep.
type Scenario struct {
	Format   string         `json:"format"`
	Sequence uint64         `json:"sequence"`
	About    []string       `json:"about"` // what happened, in sentences
	Nodes    []ScenarioNode `json:"nodes"`
}

// ScenarioNode is what one validator was given and did.
type ScenarioNode struct {
	Validator common.Address `json:"validator"`
	Build     string         `json:"build"` // that recorded it
	Calls     []ScenarioCall `json:"calls"`
	// Segment is what is replayed: a segment of the one sequence. Calls tell its content to readers.
	Segment []byte `json:"segment"`
}

// ScenarioCall is a call of the core in words.
type ScenarioCall struct {
	At      string   `json:"at"` // since the first call
	Input   string   `json:"input"`
	Outputs []string `json:"outputs,omitempty"`
}

// ErrNoSequence means that a segment does not have the begin of a sequence.
var ErrNoSequence = errors.New("the recording does not have the begin of this sequence")

var errCut = errors.New("cut")

// Cut writes a segment with one sequence alone, from the head that begins it up to the head that ends it or the end of
// the recording. It replays what is before.
func (s *Segment) Cut(sequence uint64, w io.Writer) error {
	c := &cutter{sequence: sequence}
	p, err := s.player()
	if err != nil {
		return err
	}
	err = s.each(func(r *record, input any) error { return c.take(s, p, r, input) })
	if err != nil && !errors.Is(err, errCut) && !(errors.Is(err, ErrTorn) && c.open) {
		return err
	}
	if !c.open {
		return ErrNoSequence
	}
	_, err = w.Write(c.out)
	return err
}

// cutter copies the records of a sequence.
type cutter struct {
	sequence uint64
	open     bool // the head that begins the sequence was written
	out      []byte
}

func (c *cutter) take(s *Segment, p *player, r *record, input any) error {
	head, isHead := input.(core.NewHead)
	if c.open {
		if err := c.write(r); err != nil {
			return err
		}
		if isHead && head.Header.Number.Uint64() >= c.sequence {
			return errCut
		}
		return nil
	}
	if !isHead || head.Header.Number.Uint64()+1 < c.sequence {
		_, err := p.play(r, input)
		return err
	}
	if head.Header.Number.Uint64()+1 > c.sequence {
		return ErrNoSequence
	}
	header := s.Header
	if p.calls > 0 {
		deferred := slices.Clone(p.deferred)
		p.core.Mark()
		if _, err := p.play(r, input); err != nil {
			return err
		}
		state := p.core.Marked()
		if state == nil {
			return fmt.Errorf("%w: the head does not begin it here", ErrNoSequence)
		}
		state.Deferred = deferredVotes(deferred)
		header.State, header.Since = *state, r.Since
	}
	form, err := decodeAs[headForm](r.Input) // its set may be that of the head before
	if err != nil {
		return err
	}
	form.Set = core.MembersOf(head.Set)
	first := *r
	if first.Input, err = rlp.EncodeToBytes(&form); err != nil {
		return err
	}
	body, err := rlp.EncodeToBytes(&header)
	if err != nil {
		return err
	}
	c.out, c.open = appendFrame([]byte(magic), body), true
	return c.write(&first)
}

func (c *cutter) write(r *record) error {
	body, err := rlp.EncodeToBytes(r)
	if err == nil {
		c.out = appendFrame(c.out, body)
	}
	return err
}

// ScenarioOf returns the scenario of a sequence by the segments of Files, at most one for each validator. Problems say
// which files could not be read.
func ScenarioOf(paths []string, sequence uint64) (s *Scenario, problems []string, err error) {
	s = &Scenario{Format: ScenarioFormat, Sequence: sequence, About: []string{}}
	for _, path := range paths {
		node, err := nodeOf(path, sequence)
		if errors.Is(err, ErrNoSequence) {
			continue
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", path, err))
			continue
		}
		known := func(n ScenarioNode) bool { return n.Validator == node.Validator }
		if !slices.ContainsFunc(s.Nodes, known) { // a restart has another one, which begins in the sequence
			s.Nodes = append(s.Nodes, *node)
		}
	}
	if len(s.Nodes) == 0 {
		return nil, problems, fmt.Errorf("no recording has the begin of sequence %d: the ring may have passed it, or the "+
			"validator started later; name recordings of other validators", sequence)
	}
	return s, problems, nil
}

// nodeOf returns the part of a scenario that a segment has.
func nodeOf(path string, sequence uint64) (node *ScenarioNode, err error) {
	segment, err := OpenSegment(path)
	if err != nil {
		return nil, err
	}
	var cut bytes.Buffer
	if err := errors.Join(segment.Cut(sequence, &cut), segment.Close()); err != nil {
		return nil, err
	}
	node = &ScenarioNode{Validator: segment.Header.Validator, Build: segment.Header.Build, Segment: cut.Bytes()}
	node.Calls, err = node.replay()
	return node, err
}

// replay runs the core over the segment and returns its calls in words.
func (n *ScenarioNode) replay() (calls []ScenarioCall, err error) {
	s, err := NewSegment(bytes.NewReader(n.Segment))
	if err != nil {
		return nil, err
	}
	if s.Header.Validator != n.Validator || s.Header.Build != n.Build {
		return nil, fmt.Errorf("%w: the segment is of validator %v, build %s", ErrDamaged, s.Header.Validator, s.Header.Build)
	}
	var begun time.Duration
	_, err = s.Replay(func(p *Played) error {
		if len(calls) == 0 {
			begun = p.Since
		}
		call := ScenarioCall{At: (p.Since - begun).String(), Input: Describe(p.Input)}
		outputs, err := outputsOf(&Call{Input: p.Input, Effects: p.Effects})
		for _, o := range outputs {
			call.Outputs = append(call.Outputs, o.String())
		}
		calls = append(calls, call)
		return err
	})
	return calls, err
}

// Write writes a scenario as JSON.
func (s *Scenario) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(s)
}

// ReadScenario reads a scenario.
func ReadScenario(r io.Reader) (*Scenario, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxScenario+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxScenario {
		return nil, fmt.Errorf("a scenario of more than %d bytes", maxScenario)
	}
	s := new(Scenario)
	if err := json.Unmarshal(content, s); err != nil {
		return nil, fmt.Errorf("no scenario: %w", err)
	}
	if s.Format != ScenarioFormat {
		return nil, fmt.Errorf("%w: it has format %q, this program reads %q", ErrVersion, s.Format, ScenarioFormat)
	}
	return s, nil
}

// Play runs the shipping core over what each validator was given. The error names the first output that differs from
// the recorded one, or from the words of the scenario. Play returns the number of calls.
func (s *Scenario) Play() (calls int, err error) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		played, err := n.replay()
		if err != nil {
			return calls, fmt.Errorf("validator %v: %w", n.Validator, err)
		}
		for at, call := range played {
			if at >= len(n.Calls) || call.At != n.Calls[at].At || call.Input != n.Calls[at].Input ||
				!slices.Equal(call.Outputs, n.Calls[at].Outputs) {
				return calls, fmt.Errorf("validator %v: call %d of the scenario is not that of its segment: %+v", n.Validator, at+1,
					call)
			}
		}
		if len(played) != len(n.Calls) {
			return calls, fmt.Errorf("validator %v: the scenario has %d calls, its segment %d", n.Validator, len(n.Calls),
				len(played))
		}
		calls += len(played)
	}
	return calls, nil
}
