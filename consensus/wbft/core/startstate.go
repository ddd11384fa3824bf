// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"cmp"
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
	s := &StartState{Begun: c.head != nil, Quorum: uint8(c.timing.quorum), Log: Restored{
		LowWatermark: c.signer.lowWatermark, Complete: c.signer.complete, Since: c.signer.since, Lost: c.signer.lost,
	}}
	if c.timing.shortened {
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
	carry(c, s, false)
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

// carry copies what outlives a sequence and needs no decoding into a start state, or back into the core.
func carry(c *Core, s *StartState, back bool) {
	carryValue(back, &s.LastTimer, &c.timing.lastID)
	carryValue(back, &s.Shortened, &c.timing.shortened)
	carryValue(back, &s.Muted, &c.signer.muted)
	carryValue(back, &s.Arrivals, &c.backlog.arrivals)
	carryKeys(back, &s.Executing, &c.verdicts, executing, common.Hash.Cmp)
	carryKeys(back, &s.Silent, &c.presence.unresponsive, true, common.Address.Cmp)
	carryKeys(back, &s.Answers, &c.gaps.answers, true, common.Address.Cmp)
	carryKeys(back, &s.Unanswering, &c.gaps.answers, false, common.Address.Cmp)
	carrySequences(back, &s.Suspects, &c.certs.suspects)
	carrySequences(back, &s.LastHeard, &c.presence.lastHeard)
	carrySequences(back, &s.Refused, &c.presence.refused)
	carryRows(back, &s.Parted, &c.presence.disconnected, common.Address.Cmp,
		func(a common.Address, d disconnection) Since { return Since{a, d.since, d.heard} },
		func(s Since) (common.Address, disconnection) { return s.Validator, disconnection{s.Sequence, s.Other} })
	carryRows(back, &s.Failing, &c.deliveries.own, common.Address.Cmp,
		func(a common.Address, f failures) Since { return Since{a, f.sequence, uint64(f.count)} },
		func(s Since) (common.Address, failures) { return s.Validator, failures{int(s.Other), s.Sequence} })
	carryRows(back, &s.Bridges, &c.gaps.bridges,
		func(a, b gap) int { return cmp.Or(a.author.Cmp(b.author), a.receiver.Cmp(b.receiver)) },
		func(g gap, b bridge) BridgeState { return BridgeState{g.author, g.receiver, b.until, b.span} },
		func(b BridgeState) (gap, bridge) { return gap{b.Author, b.Receiver}, bridge{b.Until, b.Span} })
}

func carryValue[T any](back bool, carried, own *T) {
	if back {
		carried, own = own, carried
	}
	*carried = *own
}

// carryRows copies a map to rows in the order of its keys, or back.
func carryRows[K comparable, V, R any](
	back bool, rows *[]R, own *map[K]V, order func(a, b K) int, row func(K, V) R, entry func(R) (K, V),
) {
	if !back {
		for _, key := range slices.SortedFunc(maps.Keys(*own), order) {
			*rows = append(*rows, row(key, (*own)[key]))
		}
		return
	}
	if *own == nil {
		*own = make(map[K]V)
	}
	for _, r := range *rows {
		key, value := entry(r)
		(*own)[key] = value
	}
}

func carrySequences(back bool, rows *[]Since, own *map[common.Address]uint64) {
	carryRows(back, rows, own, common.Address.Cmp,
		func(a common.Address, sequence uint64) Since { return Since{a, sequence, 0} },
		func(s Since) (common.Address, uint64) { return s.Validator, s.Sequence })
}

// carryKeys copies the keys of a map that have a value, or gives it to them.
func carryKeys[K, V comparable](back bool, keys *[]K, own *map[K]V, value V, order func(a, b K) int) {
	having := *own
	if !back {
		having = maps.Clone(having)
		maps.DeleteFunc(having, func(_ K, v V) bool { return v != value })
	}
	carryRows(back, keys, &having, order, func(key K, _ V) K { return key }, func(key K) (K, V) { return key, value })
	if back {
		*own = having
	}
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

// Resume returns a core that continues from a start state. now is the time of the step in which the state was taken,
// with the head that begins its sequence. set finds the validators of a list. The error says what is wrong in a state.
func Resume(
	cfg Config, s *StartState, now time.Time, set func([]Member) (*validators.Set, error),
) (*Core, error) {
	c := New(cfg)
	c.now, c.resumed = now, s.Begun
	at := func(age uint64) time.Time { return now.Add(-time.Duration(age)) }
	c.timing.quorum, c.timing.full = quorumSeen(s.Quorum), at(s.Full)
	c.signer.restore(s.Log)
	for number, sequence := range c.signer.restored {
		if len(sequence.Lock) == 0 {
			sequence.Lock = nil // RLP does not tell none from empty
			c.signer.restored[number] = sequence
		}
	}
	carry(c, s, true)
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
			digest, seal, _ := messages.Ballot(m)
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
