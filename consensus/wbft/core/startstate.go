// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// StartState is what a core takes into a sequence besides the head that begins it. A core that is resumed from it and
// gets the same events gives the same effects (docs/adr/0100-a-recorder-of-the-core.md). Its lists are in a fixed
// order, and its times are ages at the moment at which it was taken.
type StartState struct {
	Begun     bool // the core has had a head
	LastTimer uint64
	Quorum    uint8
	Shortened bool
	Full      uint64 // until the whole deadline of a shortened round, in ns as two's complement

	Log         Restored // with the votes of sequences that have not begun
	Muted       bool
	Prior       []PriorState // none or one
	Executing   []common.Hash
	Suspects    []Since
	LastHeard   []Since
	Silent      []common.Address
	Parted      []Since // with Heard
	Refused     []Since
	Failing     []Since // with Count
	Bridges     []BridgeState
	Answers     []common.Address
	Unanswering []common.Address
	Arrivals    uint64
	Early       []EarlyState
	Deferred    []DeferredState // relays that the driver holds for StillNeeded; the core does not know them
}

// Since is a validator with a sequence and one more number.
type Since struct {
	Validator       common.Address
	Sequence, Other uint64
}

// PriorState is the sequence that the head decided, with its votes.
type PriorState struct {
	Header            *types.Header
	Set               []Member
	Prepares, Commits []VoteState
}

// VoteState is a vote for the head.
type VoteState struct {
	Index, Age   uint64 // in ns
	Payload      []byte
	Arrived, Bad bool
}

// BridgeState is a gap that is bridged.
type BridgeState struct {
	Author, Receiver common.Address
	Until, Span      uint64
}

// EarlyState is a message of the backlog.
type EarlyState struct {
	Code, Arrival    uint64
	Payload, Content []byte
	Sender, From     common.Address
	Second, Member   bool
}

// DeferredState is a deferred relay of an earlier sequence. Only votes have a payload.
type DeferredState struct {
	Code, Sequence, Round uint64
	Author                common.Address
	Payload               []byte
}

// Member is a validator of a set, in the form of a record.
type Member struct {
	Address   common.Address
	Key       []byte
	Diligence uint64
}

// MembersOf returns the validators of a set in their order.
func MembersOf(set *validators.Set) []Member {
	list := make([]Member, set.Len())
	for i := range list {
		v := set.At(i)
		list[i] = Member{v.Address, v.Key.Bytes(), v.Diligence}
	}
	return list
}

// Mark has the next sequence leave the state with which it starts, for Marked.
func (c *Core) Mark() { c.marking = true }

// Marked returns the state with which the sequence of the current head has started, once, if Mark asked for it. It
// returns nil if no sequence has begun since.
func (c *Core) Marked() *StartState {
	s := c.marked
	c.marked = nil
	return s
}

// State returns the start state of a core that has handled no event.
func (c *Core) State() *StartState { return c.startState() }

// age returns the time since a moment in ns, as two's complement. The zero time has no age.
func (c *Core) age(t time.Time) uint64 {
	if t.IsZero() || c.now.IsZero() {
		return 0
	}
	return uint64(c.now.Sub(t))
}

// startState returns the state after closeSequence.
func (c *Core) startState() *StartState {
	s := &StartState{
		Begun: c.head != nil, LastTimer: c.timing.lastID, Quorum: uint8(c.timing.quorum), Shortened: c.timing.shortened,
		Muted: c.signer.muted, Arrivals: c.backlog.arrivals,
		Log: Restored{
			LowWatermark: c.signer.lowWatermark, Complete: c.signer.complete, Since: c.signer.since, Lost: c.signer.lost,
		},
	}
	if s.Shortened {
		s.Full = c.age(c.timing.full)
	}
	for _, sequence := range sortedRounds(c.signer.restored) {
		s.Log.Sequences = append(s.Log.Sequences, c.signer.restored[sequence])
	}
	if p := c.prior; p != nil {
		s.Prior = []PriorState{{
			Header: p.header, Set: MembersOf(p.set), Prepares: c.voteStates(&p.prepares), Commits: c.voteStates(&p.commits),
		}}
	}
	for hash, v := range c.verdicts {
		if v == executing {
			s.Executing = append(s.Executing, hash)
		}
	}
	slices.SortFunc(s.Executing, common.Hash.Cmp)
	s.Suspects, s.LastHeard = sinceOf(c.certs.suspects), sinceOf(c.presence.lastHeard)
	s.Refused, s.Silent = sinceOf(c.presence.refused), members(c.presence.unresponsive, true)
	for a, d := range c.presence.disconnected {
		s.Parted = append(s.Parted, Since{a, d.since, d.heard})
	}
	for a, f := range c.deliveries.own {
		s.Failing = append(s.Failing, Since{a, f.sequence, uint64(f.count)})
	}
	for _, list := range [][]Since{s.Parted, s.Failing} {
		slices.SortFunc(list, func(a, b Since) int { return a.Validator.Cmp(b.Validator) })
	}
	for g, b := range c.gaps.bridges {
		s.Bridges = append(s.Bridges, BridgeState{g.author, g.receiver, b.until, b.span})
	}
	slices.SortFunc(s.Bridges, func(a, b BridgeState) int {
		if order := a.Author.Cmp(b.Author); order != 0 {
			return order
		}
		return a.Receiver.Cmp(b.Receiver)
	})
	s.Answers, s.Unanswering = members(c.gaps.answers, true), members(c.gaps.answers, false)
	for sender, q := range c.backlog.queues {
		for _, e := range q.entries {
			s.Early = append(s.Early, EarlyState{
				e.code, e.arrival, e.envelope.Payload, []byte(e.content), sender, e.from, e.second, !q.stranger,
			})
		}
	}
	slices.SortFunc(s.Early, func(a, b EarlyState) int { return int(int64(a.Arrival) - int64(b.Arrival)) })
	return s
}

// voteStates returns the votes for the head of one kind.
func (c *Core) voteStates(votes *lateVotes) []VoteState {
	var list []VoteState
	for _, v := range votes.bySender {
		if v != nil {
			list = append(list, VoteState{
				uint64(v.index), c.age(v.arrived), v.payload, !v.arrived.IsZero(), v.bad,
			})
		}
	}
	return list
}

// sinceOf returns the entries of a map in the order of their validators.
func sinceOf(m map[common.Address]uint64) []Since {
	var list []Since
	for _, a := range slices.SortedFunc(maps.Keys(m), common.Address.Cmp) {
		list = append(list, Since{a, m[a], 0})
	}
	return list
}

// members returns the keys with a value in their order.
func members(m map[common.Address]bool, value bool) []common.Address {
	var list []common.Address
	for _, a := range slices.SortedFunc(maps.Keys(m), common.Address.Cmp) {
		if m[a] == value {
			list = append(list, a)
		}
	}
	return list
}

// Resume returns a core that continues from a start state. now is the time of the step in which the state was taken,
// with the head that begins its sequence. set finds the validators of a list. The error says what is wrong in a state.
func Resume(
	cfg Config, s *StartState, now time.Time, set func([]Member) (*validators.Set, error),
) (*Core, error) {
	c := New(cfg)
	c.now, c.resumed = now, s.Begun
	at := func(age uint64) time.Time { return now.Add(-time.Duration(age)) }
	c.timing.lastID, c.timing.quorum = s.LastTimer, quorumSeen(s.Quorum)
	c.timing.shortened, c.timing.full = s.Shortened, at(s.Full)
	c.signer.restore(s.Log)
	for number, sequence := range c.signer.restored {
		if len(sequence.Lock) == 0 {
			sequence.Lock = nil // RLP does not tell none from empty
			c.signer.restored[number] = sequence
		}
	}
	c.signer.muted = s.Muted
	c.verdicts = make(map[common.Hash]verdict)
	for _, hash := range s.Executing {
		c.verdicts[hash] = executing
	}
	c.certs.suspects, c.presence.lastHeard = ofSince(s.Suspects), ofSince(s.LastHeard)
	c.presence.refused = ofSince(s.Refused)
	c.presence.unresponsive, c.gaps.answers = make(map[common.Address]bool), make(map[common.Address]bool)
	for _, a := range s.Silent {
		c.presence.unresponsive[a] = true
	}
	for _, d := range s.Parted {
		c.presence.disconnected[d.Validator] = disconnection{d.Sequence, d.Other}
	}
	for _, f := range s.Failing {
		c.deliveries.own[f.Validator] = failures{int(f.Other), f.Sequence}
	}
	for _, b := range s.Bridges {
		c.gaps.bridges[gap{b.Author, b.Receiver}] = bridge{b.Until, b.Span}
	}
	for _, a := range s.Answers {
		c.gaps.answers[a] = true
	}
	for _, a := range s.Unanswering {
		c.gaps.answers[a] = false
	}
	c.backlog.arrivals = s.Arrivals
	for i := range s.Early {
		if err := c.resumeEarly(&s.Early[i]); err != nil {
			return nil, fmt.Errorf("early message %d: %w", i, err)
		}
	}
	for i := range s.Prior {
		if err := c.resumePrior(&s.Prior[i], at, set); err != nil {
			return nil, fmt.Errorf("prior sequence: %w", err)
		}
	}
	return c, nil
}

func ofSince(list []Since) map[common.Address]uint64 {
	m := make(map[common.Address]uint64, len(list))
	for _, s := range list {
		m[s.Validator] = s.Sequence
	}
	return m
}

// resumeEarly puts a message back into the backlog.
func (c *Core) resumeEarly(s *EarlyState) error {
	env, err := messages.Open(s.Code, s.Payload)
	if err != nil {
		return err
	}
	e := &backlogEntry{
		backlogKey: backlogKey{code: s.Code, view: env.View, second: s.Second}, envelope: env, size: len(s.Payload),
		sender: s.Sender, from: s.From, arrival: s.Arrival, content: string(s.Content),
	}
	b := c.backlog
	q := b.queues[s.Sender]
	if q == nil {
		q = &senderQueue{entries: make(map[backlogKey]*backlogEntry), stranger: !s.Member}
		b.queues[s.Sender] = q
		if q.stranger {
			b.strangers++
		}
	}
	q.entries[e.backlogKey] = e
	q.bytes += e.size
	b.account(q, e.size)
	return nil
}

// resumePrior restores the sequence that the head decided.
func (c *Core) resumePrior(
	s *PriorState, at func(uint64) time.Time, set func([]Member) (*validators.Set, error),
) error {
	x, err := s.Header.WBFTExtra()
	if err != nil {
		return err
	}
	members, err := set(s.Set)
	if err != nil {
		return err
	}
	p := &priorSequence{
		header: s.Header, digest: s.Header.Hash(), round: x.Round, set: members,
		prepares: newLateVotes(extra.Prepare, members.Len()), commits: newLateVotes(extra.Commit, members.Len()),
	}
	for _, kind := range []struct {
		code  uint64
		list  []VoteState
		votes *lateVotes
	}{{messages.CodePrepare, s.Prepares, &p.prepares}, {messages.CodeCommit, s.Commits, &p.commits}} {
		for _, v := range kind.list {
			m, err := messages.Decode(kind.code, v.Payload)
			if err != nil {
				return err
			}
			if v.Index >= uint64(members.Len()) {
				return fmt.Errorf("vote of validator %d of %d", v.Index, members.Len())
			}
			digest, seal := ballotOf(m)
			restored := &vote{
				index: int(v.Index), digest: digest, seal: seal, message: m, payload: v.Payload, bad: v.Bad, relayed: true,
			}
			if v.Arrived {
				restored.arrived = at(v.Age)
			}
			kind.votes.bySender[v.Index] = restored
		}
	}
	c.prior = p
	return nil
}
