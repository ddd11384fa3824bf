// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remote

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signer/wire"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// remoteVotes is the vote log of a node, which the signer keeps. Messages that the signer has signed are in it already.
type remoteVotes struct {
	client    *Client
	sequences []votelog.Sequence // at the start

	mu     sync.Mutex
	origin *votelog.Origin
	floor  uint64
	signed map[signedKey]bool
	locks  map[uint64]uint64 // rounds of locks that are in the log, by sequence
	voted  map[uint64]bool   // sequences with a message other than ROUND-CHANGE
}

type signedKey struct{ code, sequence, round uint64 }

// OpenVotes implements wbft.Keeper.
func (c *Client) OpenVotes(owner votelog.Owner) (votelog.Votes, error) {
	has := votelog.Owner{Validator: c.address, Genesis: c.identity.Genesis, ChainID: c.identity.ChainID}
	if has != owner {
		return nil, fmt.Errorf("the signer signs for validator %v on chain %d (genesis %v), and this node is validator %v "+
			"on chain %d (genesis %v): give --validator.signer of the right one", has.Validator, has.ChainID, has.Genesis,
			owner.Validator, owner.ChainID, owner.Genesis)
	}
	state, err := ask[wire.StateAnswer](c.votes, wire.KindState, &wire.Number{}, stateTimeout)
	if err != nil {
		return nil, err
	}
	v := &remoteVotes{
		client: c, floor: state.Floor, signed: make(map[signedKey]bool), locks: make(map[uint64]uint64),
		voted: make(map[uint64]bool),
	}
	if state.Known {
		v.origin = new(votelog.Origin(state.Origin))
	}
	for _, n := range state.Sequences {
		got, err := ask[wire.SequenceAnswer](c.votes, wire.KindSequence, &wire.Number{Number: n}, stateTimeout)
		if err != nil {
			return nil, err
		}
		s := votelog.Sequence{Number: n, Records: got.Records}
		for _, r := range got.Records {
			v.note(signedKey{r.Code, r.Sequence, r.Round})
		}
		if len(got.Locks) > 0 {
			s.Lock = &got.Locks[0]
			v.locks[n] = s.Lock.Round
		}
		v.sequences = append(v.sequences, s)
	}
	c.logMu.Lock()
	c.log = v
	c.logMu.Unlock()
	return v, nil
}

// note notes a message that is in the log. The caller holds v.mu or has v to itself.
func (v *remoteVotes) note(k signedKey) {
	v.signed[k] = true
	if k.code != messages.CodeRoundChange {
		v.voted[k.sequence] = true
	}
}

// noteSigned notes a message that the signer has just signed, with its lock.
func (v *remoteVotes) noteSigned(in signing.Intent) {
	v.mu.Lock()
	defer v.mu.Unlock()
	view := in.Message.View()
	v.note(signedKey{in.Message.Code(), view.Sequence, view.Round})
	if len(in.Lock) > 0 {
		v.locks[view.Sequence] = in.LockRound
	}
}

// newest returns the highest sequence with a message, and what was signed in it.
func (v *remoteVotes) newest() (sequence uint64, signed map[signedKey]bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for k := range v.signed {
		sequence = max(sequence, k.sequence)
	}
	signed = maps.Clone(v.signed)
	maps.DeleteFunc(signed, func(k signedKey, _ bool) bool { return k.sequence < sequence })
	return sequence, signed
}

// Torn implements votelog.Votes. The signer says it itself.
func (v *remoteVotes) Torn() int64 { return 0 }

// Origin implements votelog.Votes.
func (v *remoteVotes) Origin() *votelog.Origin {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.origin == nil {
		return nil
	}
	return new(*v.origin)
}

// SetOrigin implements votelog.Votes.
func (v *remoteVotes) SetOrigin(o votelog.Origin) error {
	body := wire.OriginBody(o)
	if _, err := v.client.votes.call(wire.KindOrigin, &body, wire.CallTimeout); err != nil {
		return err
	}
	v.mu.Lock()
	v.origin = &o
	v.mu.Unlock()
	return nil
}

// Write implements votelog.Votes. It sends what the signer does not have yet: messages of this key that came from the
// network, and locks without a message. What rests on a lock that is refused must not be sent, as when the signer is
// away: it knows the sequence only if it has signed in it.
func (v *remoteVotes) Write(records []votelog.Record, locks []votelog.Lock) error {
	for i := range records {
		r := &records[i]
		key := signedKey{r.Code, r.Sequence, r.Round}
		if v.has(key) {
			continue
		}
		if _, err := v.client.votes.call(wire.KindTakeBack, r, wire.CallTimeout); err != nil {
			return err
		}
		v.mu.Lock()
		v.note(key)
		v.mu.Unlock()
	}
	for i := range locks {
		if k := &locks[i]; !v.holds(k) {
			if _, err := v.client.votes.call(wire.KindLock, k, wire.CallTimeout); err != nil {
				return fmt.Errorf("%w: %w", signing.ErrAway, err)
			}
			v.mu.Lock()
			v.locks[k.Sequence] = k.Round
			v.mu.Unlock()
		}
	}
	return nil
}

func (v *remoteVotes) has(k signedKey) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.signed[k]
}

// holds reports whether the log has a lock of the same round, which is for the same block.
func (v *remoteVotes) holds(k *votelog.Lock) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	round, ok := v.locks[k.Sequence]
	return ok && round == k.Round
}

// Sequences implements votelog.Votes. It returns what the log had at the start.
func (v *remoteVotes) Sequences() []votelog.Sequence { return slices.Clone(v.sequences) }

// Knows implements votelog.Votes.
func (v *remoteVotes) Knows(sequence uint64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return sequence < v.floor || v.voted[sequence]
}

// Floor implements votelog.Votes.
func (v *remoteVotes) Floor() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.floor
}

// Prune implements votelog.Votes. A signer that is away prunes at the next block.
func (v *remoteVotes) Prune(sequence uint64) {
	v.mu.Lock()
	v.floor = max(v.floor, sequence+1)
	maps.DeleteFunc(v.signed, func(k signedKey, _ bool) bool { return k.sequence <= sequence })
	maps.DeleteFunc(v.locks, func(n, _ uint64) bool { return n <= sequence })
	maps.DeleteFunc(v.voted, func(n uint64, _ bool) bool { return n <= sequence })
	v.sequences = slices.DeleteFunc(v.sequences, func(s votelog.Sequence) bool { return s.Number <= sequence })
	v.mu.Unlock()
	// Where it fails the next call says it too.
	_, _ = v.client.votes.call(wire.KindPrune, &wire.Number{Number: sequence}, wire.CallTimeout)
}

// Wasteful implements votelog.Votes. The signer compacts its log itself.
func (v *remoteVotes) Wasteful() bool { return false }

// Compact implements votelog.Votes.
func (v *remoteVotes) Compact() error { return nil }

// Close implements votelog.Votes. The connection stays.
func (v *remoteVotes) Close() error {
	v.client.logMu.Lock()
	defer v.client.logMu.Unlock()
	if v.client.log == v {
		v.client.log = nil
	}
	return nil
}
