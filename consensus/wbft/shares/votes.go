// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package shares

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// finishedSequences is the number of newest sequences whose messages are approved again at the start of a node. The
// node may send those again, and none of earlier sequences.
const finishedSequences = 2

// unionVotes is the vote log of a node with a committee: the union of what a threshold of cosigners has. Each message
// with a threshold of approvals is in it, since two thresholds have a cosigner in common.
type unionVotes struct {
	committee *Committee

	mu        sync.Mutex
	sequences []votelog.Sequence // at the start
	origin    *votelog.Origin
	floor     uint64
	signed    map[signedKey]bool
	locks     map[uint64]uint64 // rounds of locks that a threshold has, by sequence
	voted     map[uint64]bool   // sequences with a message other than ROUND-CHANGE
}

type signedKey struct{ code, sequence, round uint64 }

// OpenVotes implements wbft.Keeper.
func (c *Committee) OpenVotes(owner votelog.Owner) (votelog.Votes, error) {
	if c.cfg.Owner != owner {
		return nil, fmt.Errorf("the cosigners approve for validator %v on chain %d (genesis %v), and this node is validator "+
			"%v on chain %d (genesis %v)", c.cfg.Owner.Validator, c.cfg.Owner.ChainID, c.cfg.Owner.Genesis, owner.Validator,
			owner.ChainID, owner.Genesis)
	}
	states, err := c.states()
	if err != nil {
		return nil, err
	}
	v := &unionVotes{
		committee: c, floor: floorOf(states, c.cfg.Threshold), origin: originOf(states), sequences: unionOf(states),
		signed: make(map[signedKey]bool), locks: make(map[uint64]uint64), voted: make(map[uint64]bool),
	}
	for i := range v.sequences {
		s := &v.sequences[i]
		newest := uint64(math.MaxUint64) // round whose messages may be sent again
		if n := len(s.Records); n > 0 && len(v.sequences)-i <= finishedSequences {
			newest = s.Records[n-1].Round
		}
		var kept []votelog.Record
		for _, r := range s.Records {
			if n := len(kept); n > 0 && kept[n-1].Code == r.Code && kept[n-1].Round == r.Round {
				continue // another digest of the view is the one that was approved, or may have been
			}
			r.Payload, err = c.finish(r, s.Lock, r.Round == newest)
			if errors.Is(err, ErrRefused) {
				continue // it was never sent
			}
			if err != nil {
				return nil, err
			}
			kept = append(kept, r)
			v.note(signedKey{r.Code, r.Sequence, r.Round})
		}
		s.Records = kept
	}
	c.mu.Lock()
	c.votes = v
	c.mu.Unlock()
	return v, nil
}

// states asks the cosigners what they have, until a threshold has answered.
func (c *Committee) states() ([]*State, error) {
	var states []*State
	err := c.ask(func(ctx context.Context, m Member) (count func() int, err error) {
		s, err := m.Endpoint.State(ctx)
		return func() int {
			states = append(states, s)
			return len(states)
		}, err
	})
	return states, err
}

// floorOf returns the lowest sequence in which a threshold of cosigners may approve.
func floorOf(states []*State, threshold int) uint64 {
	floors := make([]uint64, len(states))
	for i, s := range states {
		floors[i] = s.Floor
	}
	slices.Sort(floors)
	return floors[threshold-1]
}

// originOf returns the most careful origin, nil if one of the logs has none.
func originOf(states []*State) *votelog.Origin {
	out := new(votelog.Origin)
	for _, s := range states {
		if s.Origin == nil {
			return nil
		}
		out.Since, out.Lost = max(out.Since, s.Origin.Since), out.Lost || s.Origin.Lost
	}
	return out
}

// unionOf returns all records and locks, of several locks of a sequence the one of the highest round. Of several
// digests in one view, the one with most records comes first. At most one of them was approved.
func unionOf(states []*State) []votelog.Sequence {
	type view struct{ sequence, round, code uint64 }
	records, locks := make(map[view][]votelog.Record), make(map[uint64]*votelog.Lock)
	for _, state := range states {
		for _, s := range state.Sequences {
			for _, r := range s.Records {
				at := view{r.Sequence, r.Round, r.Code}
				records[at] = append(records[at], r)
			}
			if old := locks[s.Number]; s.Lock != nil && (old == nil || s.Lock.Round > old.Round) {
				locks[s.Number] = s.Lock
			}
		}
	}
	union := make(map[uint64]*votelog.Sequence)
	of := func(number uint64) *votelog.Sequence {
		if union[number] == nil {
			union[number] = &votelog.Sequence{Number: number, Lock: locks[number]}
		}
		return union[number]
	}
	inOrder := func(a, b view) int {
		return cmp.Or(cmp.Compare(a.sequence, b.sequence), cmp.Compare(a.round, b.round), cmp.Compare(a.code, b.code))
	}
	for _, at := range slices.SortedFunc(maps.Keys(records), inOrder) {
		s := of(at.sequence)
		s.Records = append(s.Records, distinct(records[at])...)
	}
	for number := range locks {
		of(number)
	}
	list := make([]votelog.Sequence, 0, len(union))
	for _, number := range slices.Sorted(maps.Keys(union)) {
		list = append(list, *union[number])
	}
	return list
}

// distinct returns a record of each digest, the most common one first, with a payload if there is one.
func distinct(records []votelog.Record) (list []votelog.Record) {
	support := make(map[common.Hash]int)
	for _, r := range records {
		support[r.Digest]++
	}
	slices.SortFunc(records, func(a, b votelog.Record) int {
		return cmp.Or(cmp.Compare(support[b.Digest], support[a.Digest]), a.Digest.Cmp(b.Digest),
			cmp.Compare(len(b.Payload), len(a.Payload)))
	})
	return slices.CompactFunc(records, func(a, b votelog.Record) bool { return a.Digest == b.Digest })
}

// finish returns the message of a record as it was sent, nil if that is unknown. With again the cosigners are asked for
// it, since a node may have ended before a threshold had approved it.
func (c *Committee) finish(r votelog.Record, lock *votelog.Lock, again bool) ([]byte, error) {
	request, err := requestIn(r)
	if err != nil {
		return nil, nil //nolint:nilerr // a log may drop payloads; the digest still must not be contradicted
	}
	m, err := messages.Decode(r.Code, request.Message)
	if err != nil {
		return nil, nil //nolint:nilerr // the same
	}
	if signer, err := m.Signer(); err == nil && signer == c.cfg.Owner.Validator {
		return request.Message, nil // as it came from the network
	}
	if !again {
		return nil, nil
	}
	if lock != nil && lock.Round <= r.Round {
		request.Lock, request.LockRound = lock.Certificate, lock.Round
	}
	in, err := request.intent()
	if err != nil {
		return nil, nil //nolint:nilerr // the same
	}
	if err := c.approve(*in); err != nil {
		return nil, err
	}
	return in.Message.Encode(), nil
}

// note notes a message that is in the log. The caller holds v.mu or has v to itself.
func (v *unionVotes) note(k signedKey) {
	v.signed[k] = true
	if k.code != messages.CodeRoundChange {
		v.voted[k.sequence] = true
	}
}

// noteSigned notes a message that a threshold has just approved, with its lock.
func (v *unionVotes) noteSigned(in signing.Intent) {
	v.mu.Lock()
	defer v.mu.Unlock()
	view := in.Message.View()
	v.note(signedKey{in.Message.Code(), view.Sequence, view.Round})
	if len(in.Lock) > 0 {
		v.locks[view.Sequence] = in.LockRound
	}
}

// Torn implements votelog.Votes.
func (v *unionVotes) Torn() int64 { return 0 }

// Origin implements votelog.Votes.
func (v *unionVotes) Origin() *votelog.Origin {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.origin == nil {
		return nil
	}
	o := *v.origin
	return &o
}

// tell has a threshold of cosigners carry something out.
func (v *unionVotes) tell(do func(context.Context, Endpoint) error) error {
	done := 0
	return v.committee.ask(func(ctx context.Context, m Member) (count func() int, err error) {
		err = do(ctx, m.Endpoint)
		return func() int {
			done++
			return done
		}, err
	})
}

// SetOrigin implements votelog.Votes.
func (v *unionVotes) SetOrigin(o votelog.Origin) error {
	if err := v.tell(func(ctx context.Context, e Endpoint) error { return e.SetOrigin(ctx, o) }); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.origin = &o
	return nil
}

// Write implements votelog.Votes. It sends what no approval brought: messages of this key that came from the network,
// and locks without a message. If too few cosigners keep them, what rests on them must not be sent: the error wraps
// signing.ErrAway, whatever the reason.
func (v *unionVotes) Write(records []votelog.Record, locks []votelog.Lock) error {
	v.mu.Lock()
	records = slices.DeleteFunc(slices.Clone(records),
		func(r votelog.Record) bool { return v.signed[signedKey{r.Code, r.Sequence, r.Round}] })
	locks = slices.DeleteFunc(slices.Clone(locks), func(k votelog.Lock) bool {
		round, ok := v.locks[k.Sequence]
		return ok && round == k.Round
	})
	v.mu.Unlock()
	if len(records)+len(locks) == 0 {
		return nil
	}
	err := v.tell(func(ctx context.Context, e Endpoint) error { return e.Keep(ctx, records, locks) })
	if err != nil {
		return fmt.Errorf("%w: %w", signing.ErrAway, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range records {
		v.note(signedKey{r.Code, r.Sequence, r.Round})
	}
	for _, k := range locks {
		v.locks[k.Sequence] = k.Round
	}
	return nil
}

// Sequences implements votelog.Votes. It returns what the logs had at the start.
func (v *unionVotes) Sequences() []votelog.Sequence {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.sequences)
}

// Knows implements votelog.Votes. Another node may have signed in the sequence, so that the cosigners are asked. While
// too few of them answer, no votes count as lost.
func (v *unionVotes) Knows(sequence uint64) bool {
	v.mu.Lock()
	known := sequence < v.floor || v.voted[sequence]
	v.mu.Unlock()
	if known {
		return true
	}
	states, err := v.committee.states()
	if err != nil {
		return true
	}
	for _, s := range states {
		known = known || sequence < s.Floor
		for _, of := range s.Sequences {
			known = known || of.Number == sequence &&
				slices.ContainsFunc(of.Records, func(r votelog.Record) bool { return r.Code != messages.CodeRoundChange })
		}
	}
	return known
}

// Floor implements votelog.Votes.
func (v *unionVotes) Floor() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.floor
}

// Prune implements votelog.Votes. A cosigner that is away prunes at a later block.
func (v *unionVotes) Prune(sequence uint64) {
	v.mu.Lock()
	v.floor = max(v.floor, sequence+1)
	maps.DeleteFunc(v.signed, func(k signedKey, _ bool) bool { return k.sequence <= sequence })
	maps.DeleteFunc(v.locks, func(n, _ uint64) bool { return n <= sequence })
	maps.DeleteFunc(v.voted, func(n uint64, _ bool) bool { return n <= sequence })
	v.sequences = slices.DeleteFunc(v.sequences, func(s votelog.Sequence) bool { return s.Number <= sequence })
	v.mu.Unlock()
	// The next block says it too, so that no answer is needed.
	_ = v.tell(func(ctx context.Context, e Endpoint) error { return e.Prune(ctx, sequence) })
}

// Wasteful implements votelog.Votes. The cosigners compact their logs themselves.
func (v *unionVotes) Wasteful() bool { return false }

// Compact implements votelog.Votes.
func (v *unionVotes) Compact() error { return nil }

// Close implements votelog.Votes. The cosigners go on.
func (v *unionVotes) Close() error {
	c := v.committee
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.votes == v {
		c.votes = nil
	}
	return nil
}
