// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explain

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/validators"
)

// View is what one run of a validator saw of a sequence.
type View struct {
	Validator common.Address   `json:"validator"`
	Recording string           `json:"recording"`
	Began     time.Time        `json:"began"`             // the head below was here
	Restarted bool             `json:"restarted"`         // the run began in the sequence
	Decided   time.Time        `json:"decided,omitzero"`  // a quorum of seals was here
	Written   time.Duration    `json:"written,omitempty"` // how long the import of the decided block took
	Ended     time.Time        `json:"ended,omitzero"`    // the block was the head
	Rounds    []*Round         `json:"rounds"`
	Silent    []common.Address `json:"unresponsive,omitempty"` // at the begin
	Parted    []common.Address `json:"disconnected,omitempty"` // at the begin, or while it lasted
	Probation []common.Address `json:"probation,omitempty"`    // at the begin
	Faults    []Fault          `json:"faults,omitempty"`

	parent *types.Header
	block  *types.Header
	set    *validators.Set
	params core.Params
	limit  time.Duration // default cap of the round timer
	asked  map[common.Hash]time.Time
}

// Fault is what a validator noted about another one or itself.
type Fault struct {
	Validator common.Address `json:"validator"`
	What      string         `json:"what"`
}

// Round is what a validator saw of a round.
type Round struct {
	Number    uint64                       `json:"round"`
	Proposer  common.Address               `json:"proposer"`
	Entered   time.Time                    `json:"entered"`
	Why       string                       `json:"why"`               // head, timer, votes of others, or a proposal
	Timer     time.Duration                `json:"timer,omitempty"`   // the last round timer
	Shortened bool                         `json:"shortened"`         // it was, because the proposer was absent
	Proposal  time.Time                    `json:"proposal,omitzero"` // arrived, or was sent
	Block     common.Hash                  `json:"block,omitzero"`    // that was proposed, if the message is at hand
	Asked     time.Time                    `json:"executed,omitzero"` // the execution began
	Accepted  time.Time                    `json:"accepted,omitzero"`
	Refused   string                       `json:"refused,omitempty"` // the verdict
	Left      time.Time                    `json:"left,omitzero"`
	Prepares  map[common.Address]time.Time `json:"prepares"`
	Commits   map[common.Address]time.Time `json:"commits"`
	Changes   map[common.Address]time.Time `json:"roundChanges"`
	Prepared  time.Time                    `json:"prepared,omitzero"` // quorum of PREPAREs
}

// errDone ends a replay behind the sequence.
var errDone = errors.New("done")

// segment is a file with what its begin shows.
type segment struct {
	path  string
	run   uint64
	first uint64 // sequence
}

// look reads the begin of a segment.
func look(path string) (g segment, err error) {
	s, err := recording.OpenSegment(path)
	if err != nil {
		return g, err
	}
	g.path, g.run = path, s.Header.Run
	err = s.Inputs(func(input any) error {
		if head, ok := input.(core.NewHead); ok {
			g.first = head.Header.Number.Uint64() + 1
			return errDone
		}
		return nil
	})
	if errors.Is(err, errDone) {
		err = nil
	}
	return g, errors.Join(err, s.Close())
}

// covering returns those of the segments, in the order of recording.Files, in which a run may have a sequence first.
func covering(paths []string, sequence uint64) (list []string, problems []string) {
	var sound []segment
	for _, path := range paths {
		g, err := look(path)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", path, err))
			continue
		}
		sound = append(sound, g)
	}
	for i, g := range sound {
		if g.first > sequence {
			continue
		}
		if i+1 < len(sound) && filepath.Dir(sound[i+1].path) == filepath.Dir(g.path) {
			next := sound[i+1]
			if next.first < sequence || next.first == sequence && next.run == g.run {
				continue
			}
		}
		list = append(list, g.path)
	}
	return list, problems
}

// Find returns the number of a block by the segments of recording.Files. The segments without it are read in vain.
func Find(paths []string, hash common.Hash) (number uint64, err error) {
	for _, path := range paths {
		s, err := recording.OpenSegment(path)
		if err != nil {
			continue // Gather tells what is wrong with it
		}
		err = s.Inputs(func(input any) error {
			if head, ok := input.(core.NewHead); ok && head.Header.Hash() == hash {
				number = head.Header.Number.Uint64()
				return errDone
			}
			return nil
		})
		if closed := s.Close(); closed != nil {
			return 0, closed
		}
		if errors.Is(err, errDone) {
			return number, nil
		}
	}
	return 0, fmt.Errorf("no recording has a head with hash %s: give the number of the block, or other recordings", hash)
}

// Gather returns the views of a sequence by the segments of recording.Files. Problems say which segments could not be
// read, or differ in their replay. The torn end of one is a problem where no other one has the sequence.
func Gather(paths []string, sequence uint64) (views []*View, problems []string) {
	starting, problems := covering(paths, sequence)
	var torn []string
	for _, path := range starting {
		s, err := recording.OpenSegment(path)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", path, err))
			continue
		}
		g := &gatherer{sequence: sequence, begin: !s.Header.State.Begun, view: &View{
			Recording: path, Validator: s.Header.Validator, limit: time.Duration(s.Header.MaxTimeout),
			asked: make(map[common.Hash]time.Time),
		}}
		err = play(s, g)
		if next := slices.Index(paths, path) + 1; err == nil && next < len(paths) {
			err = continued(s, paths[next], g) // the head that ends the sequence may begin the next segment
		}
		switch {
		case errors.Is(err, recording.ErrTorn):
			torn = append(torn, fmt.Sprintf("%s: %v", path, err))
		case err != nil && !errors.Is(err, errDone):
			problems = append(problems, fmt.Sprintf("%s: %v", path, err))
		}
		if g.view.parent != nil {
			views = append(views, g.view)
		}
	}
	if len(views) == 0 {
		problems = append(problems, torn...)
	}
	slices.SortStableFunc(views, func(a, b *View) int {
		return cmp.Or(a.Validator.Cmp(b.Validator), a.Began.Compare(b.Began))
	})
	return views, problems
}

// play replays a segment and closes it.
func play(s *recording.Segment, g *gatherer) error {
	_, err := s.Replay(g.visit)
	return errors.Join(err, s.Close())
}

// continued replays the segment in a file if it follows another one.
func continued(after *recording.Segment, path string, g *gatherer) error {
	s, err := recording.OpenSegment(path)
	if err != nil {
		return err
	}
	if s.Header.Run != after.Header.Run || s.Header.Number != after.Header.Number+1 {
		return s.Close()
	}
	return play(s, g)
}

// gatherer makes a view of a replay.
type gatherer struct {
	sequence uint64
	view     *View
	begin    bool // no head was seen yet in this run
}

func (g *gatherer) visit(p *recording.Played) error {
	v := g.view
	if head, ok := p.Input.(core.NewHead); ok {
		switch number := head.Header.Number.Uint64(); {
		case number == g.sequence && v.parent != nil && v.Ended.IsZero():
			v.Ended, v.block = p.At, head.Header
			g.leave(p.At)
		case number > g.sequence:
			return errDone // votes that came late have arrived or were counted
		case number+1 == g.sequence && v.parent == nil:
			v.parent, v.set, v.params, v.Began, v.Restarted = head.Header, head.Set, head.Params, p.At, g.begin
			status := p.Core.Status()
			v.Silent, v.Parted, v.Probation = status.Unresponsive, status.Disconnected, status.Probation
		}
		g.begin = false
	}
	if v.parent == nil {
		return nil
	}
	switch in := p.Input.(type) {
	case core.PeerLost:
		if v.Ended.IsZero() && !slices.Contains(v.Parted, in.Address) {
			v.Parted = append(v.Parted, in.Address)
		}
	case core.Message:
		g.arrived(p.At, in.Code, in.Payload)
	case core.Validated:
		g.judged(p.At, in)
	case recording.Committed:
		if in.Number == g.sequence {
			v.Written = in.Took
		}
	}
	if !v.Ended.IsZero() && p.Core.Status().Sequence != g.sequence {
		return nil
	}
	for _, e := range p.Effects {
		g.effect(p, e)
	}
	return nil
}

// round returns the last seen round of a number, nil for none.
func (v *View) round(number uint64) *Round {
	for _, r := range slices.Backward(v.Rounds) {
		if r.Number == number {
			return r
		}
	}
	return nil
}

func (g *gatherer) leave(at time.Time) {
	if n := len(g.view.Rounds); n > 0 && g.view.Rounds[n-1].Left.IsZero() {
		g.view.Rounds[n-1].Left = at
	}
}

// arrived notes the first copy of a message of the sequence.
func (g *gatherer) arrived(at time.Time, code uint64, payload []byte) {
	env, err := messages.Open(code, payload)
	if err != nil || env.View.Sequence != g.sequence {
		return
	}
	author, err := env.Signer()
	if err != nil || !g.view.set.Contains(author) {
		return
	}
	g.message(at, code, env.View.Round, author)
	r := g.view.round(env.View.Round)
	if code == messages.CodePrePrepare && author == r.Proposer && r.Block == (common.Hash{}) {
		if m, err := messages.Decode(code, payload); err == nil {
			r.Block = m.(*messages.PrePrepare).Block.Hash()
		}
	}
}

// message notes a message of a validator, by its first arrival. One of a later round waits for the round.
func (g *gatherer) message(at time.Time, code, number uint64, author common.Address) {
	r := g.view.round(number)
	if r == nil {
		r = newRound(number, g.view.set.Proposer(g.view.params.Policy, validators.LastProposer(g.view.parent), number))
		g.view.Rounds = append([]*Round{r}, g.view.Rounds...)
	}
	list := map[uint64]map[common.Address]time.Time{
		messages.CodePrepare: r.Prepares, messages.CodeCommit: r.Commits, messages.CodeRoundChange: r.Changes,
	}[code]
	if list == nil {
		if author == r.Proposer && r.Proposal.IsZero() {
			r.Proposal = at
		}
	} else if list[author].IsZero() {
		list[author] = at
	}
}

func newRound(number uint64, proposer common.Address) *Round {
	return &Round{
		Number: number, Proposer: proposer, Prepares: make(map[common.Address]time.Time),
		Commits: make(map[common.Address]time.Time), Changes: make(map[common.Address]time.Time),
	}
}

// judged notes the verdict on a proposal.
func (g *gatherer) judged(at time.Time, in core.Validated) {
	if in.Err == nil || in.RetryAfter > 0 {
		return
	}
	if n := len(g.view.Rounds); n > 0 && !g.view.asked[in.Hash].IsZero() {
		g.view.Rounds[n-1].Refused = in.Err.Error()
	}
}

// effect notes an effect in the sequence.
func (g *gatherer) effect(p *recording.Played, e core.Effect) {
	v := g.view
	var current *Round
	if n := len(v.Rounds); n > 0 {
		current = v.Rounds[n-1]
	}
	switch e := e.(type) {
	case core.Note:
		g.note(p, e)
	case core.SetTimer:
		if current != nil && e.Kind == core.RoundTimer && v.Decided.IsZero() {
			current.Timer = p.At.Add(e.Delay).Sub(current.Entered)
			limit := v.params.MaxRequestTimeout
			if limit == 0 {
				limit = max(v.params.RequestTimeout, v.limit)
			}
			current.Shortened = e.Delay < core.RoundTimeout(v.params.RequestTimeout, limit, current.Number) &&
				current.Proposal.IsZero()
		}
	case core.Execute:
		v.asked[e.Block.Hash()] = p.At
		if current != nil && current.Asked.IsZero() {
			current.Asked = p.At
		}
	case core.Send:
		if !e.Force {
			g.arrived(p.At, e.Code, e.Payload)
		}
	case core.Commit:
		v.Decided, v.block = p.At, e.Block.Header()
	case core.Misbehavior:
		v.fault(e.Author, string(e.Kind))
	case core.BadDelivery:
		v.fault(e.From, "delivered what is wrong: "+e.Reason)
	case core.Failed:
		v.fault(v.Validator, e.Err.Error())
	case core.StopSigning:
		v.fault(v.Validator, "signs nothing any more: "+e.Reason)
	}
}

// fault adds a fault. A view has 64 at most.
func (v *View) fault(of common.Address, what string) {
	if f := (Fault{of, what}); len(v.Faults) < 64 && !slices.Contains(v.Faults, f) {
		v.Faults = append(v.Faults, f)
	}
}

// note notes what a note tells.
func (g *gatherer) note(p *recording.Played, n core.Note) {
	v := g.view
	if n.View.Sequence != g.sequence {
		return
	}
	switch n.Kind {
	case core.NoteDue: // it came before its view
		if g.view.set.Contains(n.Author) {
			g.message(p.At, n.Code, n.View.Round, n.Author)
		}
	case core.NoteRound:
		g.leave(p.At)
		r := v.round(n.View.Round) // of messages that came before the round
		if r == nil || !r.Entered.IsZero() {
			r = newRound(n.View.Round, n.Author)
		}
		v.Rounds = append(slices.DeleteFunc(v.Rounds, func(x *Round) bool { return x == r }), r)
		r.Entered = p.At
		switch p.Input.(type) {
		case core.NewHead:
			r.Why = "head"
		case core.Timeout:
			r.Why = "timer"
		default:
			r.Why = "messages"
		}
	case core.NoteAccepted:
		v.round(n.View.Round).Accepted = p.At
	case core.NoteQuorum:
		if r := v.round(n.View.Round); n.Code == messages.CodePrepare && r != nil {
			r.Prepared = p.At
		}
	}
}
