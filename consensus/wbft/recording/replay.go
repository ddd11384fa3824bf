// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
)

// Played is a call of a recording, with what the core has answered in its replay.
type Played struct {
	Header  *Header
	At      time.Time     // wall clock
	Since   time.Duration // since the begin of the run
	Input   any           // as in Call
	Effects []core.Effect // with notes
	Core    *core.Core    // after the call; only to be read
}

// Difference is the first output of a replay that is not the recorded one.
type Difference struct {
	Call            uint64 // number of the call in the segment, from 1
	At              time.Time
	Input           string
	Want, Got       string // "nothing" for none
	RecordedBy      string // build
	Sequence, Round uint64
}

func (d *Difference) Error() string {
	return fmt.Sprintf("call %d (%s at %s, sequence %d, round %d): recorded %s, replayed %s; it was recorded by build %s",
		d.Call, d.Input, d.At.UTC().Format(time.RFC3339Nano), d.Sequence, d.Round, d.Want, d.Got, d.RecordedBy)
}

// player is a replay of a segment.
type player struct {
	header     *Header
	core       *core.Core
	signatures []Signature
	missing    bool // the core wanted a signature that the recorded one did not
	wall       time.Time
	deferred   []core.Relay
	calls      uint64
}

// anchor is the begin of a run in a replay, whose times have no monotonic part.
var anchor = time.Unix(0, 0)

// Replay runs the core over the segment and calls visit, which may be nil, with each call. It returns the number of
// calls. The error is a *Difference, says what is wrong with the recording, or comes from visit. ErrTorn and ErrDamaged
// come after everything that is intact was played.
func (s *Segment) Replay(visit func(*Played) error) (calls uint64, err error) {
	p, err := s.player()
	if err != nil {
		return 0, err
	}
	err = s.each(func(r *record, input any) error {
		if p.core.Status().Sequence == 0 {
			switch input.(type) {
			case core.NewHead, VotesLost, End, Committed:
			default:
				if s.Header.State.Begun {
					return s.damaged("a start state that no head follows")
				}
			}
		}
		played, err := p.play(r, input)
		if err != nil || visit == nil {
			return err
		}
		return visit(played)
	})
	return p.calls, err
}

// player returns a replay that has the start state of the segment.
func (s *Segment) player() (*player, error) {
	if limit := uint64(messages.Limit()); s.Header.Limit != limit {
		return nil, fmt.Errorf("%w: messages had at most %d bytes, now they have %d", ErrVersion, s.Header.Limit, limit)
	}
	p := &player{header: &s.Header}
	cfg := core.Config{
		Address: s.Header.Validator, DefaultMaxTimeout: time.Duration(s.Header.MaxTimeout), Notes: true,
		Strict: s.Header.Strict,
		Sign:   signing.With(p.sign, p.seal), Wall: func(time.Time) time.Time { return p.wall },
	}
	var err error
	if p.core, err = core.Resume(cfg, &s.Header.State, anchor.Add(time.Duration(s.Header.Since)), setOf); err != nil {
		return nil, fmt.Errorf("%w: start state: %w", ErrDamaged, err)
	}
	for _, d := range s.Header.State.Deferred {
		r := core.Relay{
			Code: d.Code, View: messages.View{Sequence: d.Sequence, Round: d.Round}, Author: d.Author,
		}
		if len(d.Payload) > 0 {
			r.Payload = d.Payload
		}
		p.deferred = append(p.deferred, r)
	}
	return p, nil
}

// each calls visit with the records of the segment and their inputs.
func (s *Segment) each(visit func(r *record, input any) error) error {
	var dec decoder
	for {
		r, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		input, err := dec.decode(r)
		if err != nil {
			return s.damaged(err.Error())
		}
		if err := visit(r, input); err != nil {
			return err
		}
	}
}

// Inputs calls visit with the inputs of the segment, without a replay.
func (s *Segment) Inputs(visit func(input any) error) error {
	return s.each(func(_ *record, input any) error { return visit(input) })
}

func (p *player) sign([]byte) ([]byte, error) {
	s, err := p.signature()
	if err != nil {
		return nil, err
	}
	if s.Err != "" {
		return nil, errors.New(s.Err)
	}
	return s.Bytes, nil
}

func (p *player) seal([32]byte) []byte {
	s, _ := p.signature() // a missing one makes the outputs differ
	return s.Bytes
}

var errUnsigned = errors.New("the key has signed nothing here in the recording")

// signature returns the next recorded signature.
func (p *player) signature() (Signature, error) {
	if len(p.signatures) == 0 {
		p.missing = true
		return Signature{}, errUnsigned
	}
	s := p.signatures[0]
	p.signatures = p.signatures[1:]
	return s, nil
}

// play gives an input to the core and compares the outputs.
func (p *player) play(r *record, input any) (*Played, error) {
	p.calls++
	p.signatures, p.wall = r.Signatures, time.Unix(0, int64(r.Wall))
	call := &Call{Input: input}
	if err := p.answer(call, r, input); err != nil {
		return nil, err
	}
	if err := p.compare(r, call); err != nil {
		return nil, err
	}
	return &Played{
		Header: p.header, At: p.wall, Since: time.Duration(r.Since), Input: input, Effects: call.Effects, Core: p.core,
	}, nil
}

// answer fills a call with what the core answers. The core trusts its driver and its key, and a file can have inputs
// that neither gives.
func (p *player) answer(call *Call, r *record, input any) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w: no core was given call %d (%s): %v", ErrDamaged, p.calls, Describe(input), fault)
		}
	}()
	switch in := input.(type) {
	case core.Event:
		call.Effects = p.core.Step(anchor.Add(time.Duration(r.Since)), in)
		for _, e := range call.Effects {
			if relay, ok := e.(core.Relay); ok && relay.To == nil {
				p.deferred = append(p.deferred, relay)
			}
		}
	case StillNeeded:
		n := min(in.Count, uint64(len(p.deferred)))
		call.Relays = p.core.StillNeeded(p.deferred[:n:n])
		p.deferred = p.deferred[n:]
	case LateSeals:
		call.Late.Round, call.Late.Digest, call.Late.Prepared, call.Late.Committed = p.core.LateSeals()
	case VotesLost:
		p.core.VotesLost(in.Since, in.Wait != 0)
	}
	return nil
}

// compare returns the first difference between recorded and replayed outputs.
func (p *player) compare(r *record, call *Call) error {
	got, err := outputsOf(call)
	if err != nil {
		return err
	}
	describe := func(list []Output, i int) string {
		if i < len(list) {
			return list[i].String()
		}
		return "nothing"
	}
	for i := range max(len(got), len(r.Outputs)) {
		if want, have := describe(r.Outputs, i), describe(got, i); want != have {
			return p.difference(r, call, want, have)
		}
	}
	if p.missing || len(p.signatures) > 0 {
		return p.difference(r, call, fmt.Sprintf("%d signatures", len(r.Signatures)), "another number")
	}
	return nil
}

func (p *player) difference(r *record, call *Call, want, got string) error {
	status := p.core.Status()
	return &Difference{
		Call: p.calls, At: time.Unix(0, int64(r.Wall)), Input: Describe(call.Input), Want: want, Got: got,
		RecordedBy: p.header.Build, Sequence: status.Sequence, Round: status.Round,
	}
}

// Describe returns an input in a few words.
func Describe(input any) string {
	switch in := input.(type) {
	case core.NewHead:
		return fmt.Sprintf("head %d", in.Header.Number)
	case core.Message:
		return fmt.Sprintf("message %#x of %d bytes from %s", in.Code, len(in.Payload), in.From)
	case core.Timeout:
		return fmt.Sprintf("timer %d", in.ID)
	case core.Candidate:
		return fmt.Sprintf("own block %s", hashOf(in))
	case core.Validated:
		return fmt.Sprintf("verdict on %s", in.Hash)
	case core.PeerConnected:
		return fmt.Sprintf("connection to %s", in.Address)
	case core.PeerLost:
		return fmt.Sprintf("lost connection to %s", in.Address)
	}
	return fmt.Sprintf("%T", input)
}

func hashOf(c core.Candidate) common.Hash {
	if c.Block == nil {
		return common.Hash{}
	}
	return c.Block.Hash()
}
