// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
)

// Call is one call of the core: what went in, and what came out. Nothing in it changes afterwards.
type Call struct {
	At    time.Time        // of the call
	Since time.Duration    // from the begin of the run to At, by the monotonic clock
	Start *core.StartState // of the core before the call, if a writer has asked for it
	Lost  uint64           // number of calls before this one that the queue had no room for

	Input      any           // a core.Event, or one of the types below
	Effects    []core.Effect // of a core.Event
	Signatures []Signature   // that the core asked for, in order
	Relays     []core.Relay  // answer to StillNeeded
	Late       LateSum       // answer to LateSeals
}

// Begin is the start of a core. It has no record: a segment begins with it.
type Begin struct{ Identity }

// End is the orderly end of a run.
type End struct{}

// VotesLost is a call of core.Core.VotesLost. Wait is 1 for true.
type VotesLost struct{ Since, Wait uint64 }

// LateSeals is a call of core.Core.LateSeals.
type LateSeals struct{}

// StillNeeded is a call of core.Core.StillNeeded with the oldest relays, by their number.
type StillNeeded struct{ Count uint64 }

// Committed is the end of the import of a decided block. The core is not told of it.
type Committed struct {
	Number uint64
	Hash   common.Hash
	OK     bool
	Took   time.Duration
}

// Signature is what the key has answered: a signature or seal, or an error.
type Signature struct {
	Bytes []byte
	Err   string
}

// LateSum is an answer of core.Core.LateSeals.
type LateSum struct {
	Round               uint32
	Digest              common.Hash
	Prepared, Committed *types.WBFTSeal
}

// Identity says whose recording it is.
type Identity struct {
	Genesis    common.Hash
	ChainID    uint64
	Validator  common.Address
	MaxTimeout time.Duration
	Strict     bool // core.Config.Strict
}

// Tape is the core of a driver. It hands each call to a recorder. One goroutine owns it.
type Tape struct {
	*core.Core

	recorder   *Recorder // nil for none
	origin     time.Time
	signatures []Signature
	deferred   []core.Relay // in the order in which StillNeeded will be asked
	lost       uint64       // calls since the last one that was queued
	gap        bool         // calls were lost, and no start state was queued since
	begun      bool
}

// NewTape returns a tape over a new core. Without a recorder it only passes calls on.
func NewTape(cfg core.Config, recorder *Recorder) *Tape {
	t := &Tape{recorder: recorder, origin: time.Now()}
	if recorder != nil {
		sign := cfg.Sign
		cfg.Sign = func(in signing.Intent) error {
			err := sign(in)
			t.noteSignatures(in.Message, err)
			return err
		}
		cfg.Notes = recorder.notes
	}
	t.Core = core.New(cfg)
	return t
}

// noteSignatures notes the seal of a vote and the signature of a message, or why there is none.
func (t *Tape) noteSignatures(m messages.Message, err error) {
	if _, seal, vote := messages.Ballot(m); vote {
		t.signatures = append(t.signatures, Signature{Bytes: seal})
	}
	s := Signature{Bytes: m.Signature()}
	if err != nil {
		s = Signature{Err: err.Error()}
	}
	t.signatures = append(t.signatures, s)
}

// Begin records the start of the core, which has its vote log (core.Core.Restore) and has handled nothing.
func (t *Tape) Begin(id Identity) {
	if t.recorder == nil {
		return
	}
	t.begun = true
	t.put(&Call{At: time.Now(), Start: t.State(), Input: Begin{id}})
}

// End records the end of the run and waits until all is written.
func (t *Tape) End() {
	if t.recorder == nil || !t.begun {
		return
	}
	t.recorder.put(&Call{At: time.Now(), Since: time.Since(t.origin), Input: End{}}, 0, true)
	t.recorder.Flush()
}

// Step is core.Core.Step.
func (t *Tape) Step(now time.Time, ev core.Event) []core.Effect {
	if t.recorder == nil {
		return t.Core.Step(now, ev)
	}
	if _, ok := ev.(core.NewHead); ok && (t.gap || t.recorder.wantsStart()) {
		t.Mark()
	}
	effects := t.Core.Step(now, ev)
	call := &Call{At: now, Start: t.Marked(), Input: ev, Effects: effects}
	if call.Start != nil {
		call.Start.Deferred = deferredVotes(t.deferred)
	}
	for _, e := range effects {
		if r, ok := e.(core.Relay); ok && r.To == nil {
			t.deferred = append(t.deferred, r)
		}
	}
	t.put(call)
	return effects
}

// deferredVotes returns those of the deferred relays that a new sequence still asks for: votes for the head.
func deferredVotes(relays []core.Relay) []core.DeferredState {
	list := make([]core.DeferredState, len(relays))
	for i, r := range relays {
		list[i] = core.DeferredState{Code: r.Code, Sequence: r.View.Sequence, Round: r.View.Round, Author: r.Author}
		if len(r.Payload) <= 1024 { // larger than any vote
			list[i].Payload = r.Payload
		}
	}
	return list
}

// StillNeeded is core.Core.StillNeeded. The relays are the oldest ones that were not asked for yet.
func (t *Tape) StillNeeded(relays []core.Relay) []core.Relay {
	needed := t.Core.StillNeeded(relays)
	if t.recorder != nil {
		t.deferred = t.deferred[min(len(relays), len(t.deferred)):]
		t.put(&Call{At: time.Now(), Input: StillNeeded{uint64(len(relays))}, Relays: needed})
	}
	return needed
}

// LateSeals is core.Core.LateSeals.
func (t *Tape) LateSeals() (round uint32, digest common.Hash, prepared, committed *types.WBFTSeal) {
	round, digest, prepared, committed = t.Core.LateSeals()
	if t.recorder != nil {
		t.put(&Call{At: time.Now(), Input: LateSeals{}, Late: LateSum{round, digest, prepared, committed}})
	}
	return round, digest, prepared, committed
}

// VotesLost is core.Core.VotesLost.
func (t *Tape) VotesLost(since uint64, wait bool) {
	t.Core.VotesLost(since, wait)
	input := VotesLost{Since: since}
	if wait {
		input.Wait = 1
	}
	if t.begun {
		t.put(&Call{At: time.Now(), Input: input})
	}
}

// Committed notes the end of the import of a decided block.
func (t *Tape) Committed(c Committed) {
	if t.begun {
		t.put(&Call{At: time.Now(), Input: c})
	}
}

// put hands a call to the recorder.
func (t *Tape) put(call *Call) {
	call.Since, call.Signatures, call.Lost = call.At.Sub(t.origin), t.signatures, t.lost
	t.signatures = nil
	if !t.recorder.put(call, call.size(), false) {
		t.lost, t.gap = t.lost+1, true
		return
	}
	t.lost, t.gap = 0, t.gap && call.Start == nil
}

// size returns about how many bytes a call holds.
func (c *Call) size() int {
	size := 512 + 128*(len(c.Effects)+len(c.Signatures))
	switch in := c.Input.(type) {
	case core.Message:
		size += len(in.Payload)
	case core.Candidate:
		size += int(in.Block.Size())
	}
	for _, e := range c.Effects {
		switch e := e.(type) {
		case core.Send:
			size += len(e.Payload)
		case core.PersistLock:
			size += len(e.Certificate)
		}
	}
	if c.Start != nil {
		for _, e := range c.Start.Early {
			size += len(e.Payload)
		}
	}
	return size
}
