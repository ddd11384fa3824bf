// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"gwon/consensus/wbft/messages"
	"gwon/internal/must"
)

// script draws messages and events around two blocks and rounds 0 to 3, with votes of all validators including the
// node itself, sometimes with a wrong justification.
type script struct {
	f      *fixture
	blocks []*types.Block
}

func (s *script) event(t *rapid.T, p *player) Event {
	block := s.blocks[rapid.IntRange(0, len(s.blocks)-1).Draw(t, "block")]
	who := rapid.IntRange(0, len(s.f.keys)-1).Draw(t, "who")
	round := rapid.Uint64Range(0, 3).Draw(t, "round")
	var cert *certificate
	if round > 0 && rapid.Bool().Draw(t, "prepared") {
		cert = s.f.certificate(rapid.Uint64Range(0, round-1).Draw(t, "preparedRound"), block, 0, 1, 2)
	}
	switch rapid.IntRange(0, 9).Draw(t, "event") {
	case 0, 1:
		return network(s.f.prepare(who, round, block))
	case 2, 3:
		return network(s.f.commit(who, round, block))
	case 4:
		return network(s.f.roundChange(who, round+1, cert))
	case 5:
		m := &messages.PrePrepare{Sequence: 1, Round: round, Block: block}
		if round > 0 {
			m.RoundChanges = s.f.changes(round, cert, 0, 1, 2)
		}
		if cert != nil {
			m.Prepares = cert.prepares
		}
		return network(s.f.signed(int(round)%4, m))
	case 6:
		return Candidate{Block: block, Round: round}
	case 7:
		kind := rapid.IntRange(0, timerKinds-1).Draw(t, "timer")
		return Timeout{ID: p.timing.timers[kind].id}
	case 8:
		return PeerConnected{Address: s.f.address(who)}
	}
	v := Validated{Hash: block.Hash()}
	if rapid.IntRange(0, 3).Draw(t, "verdict") == 0 {
		v.Err = errTest
		v.RetryAfter = time.Duration(rapid.IntRange(0, 1).Draw(t, "retry")) * time.Second
	}
	return v
}

// In any order of events a core signs one message of a kind and view, records it before it sends it, locks before a
// COMMIT, and votes only for executed blocks. The same events give the same effects.
// spec: wbft 9.1
func TestInvariants(t *testing.T) {
	f := newFixture(t, 4)
	s := &script{f: f, blocks: []*types.Block{f.block("a"), f.block("b")}}
	rapid.Check(t, func(t *rapid.T) {
		self := rapid.IntRange(0, 3).Draw(t, "self")
		p, twin := f.player(self), f.player(self)
		type view struct{ code, round uint64 }
		recorded := make(map[view]common.Hash)
		durable := make(map[string]bool) // by signature: the justification of a proposal is not signed and may differ
		executed := make(map[common.Hash]bool)
		foreign := make(map[string]bool) // votes of this key that came from outside
		locked := false
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			ev := s.event(t, p)
			p.clock = p.clock.Add(100 * time.Millisecond)
			twin.clock = p.clock
			p.do(ev)
			a, b := fmt.Sprintf("%+v", names(p.effects)), fmt.Sprintf("%+v", names(twin.do(ev).effects))
			must.That(t, a == b, "two cores differ: %s and %s", a, b)
			if m, ok := ev.(Message); ok {
				foreign[string(m.Payload)] = true
			}
			if v, ok := ev.(Validated); ok && v.Err == nil && p.isValid(v.Hash) {
				executed[v.Hash] = true
			}
			for _, e := range p.effects {
				switch e := e.(type) {
				case Persist:
					key := view{e.Code, e.Round}
					old, ok := recorded[key]
					must.That(t, !ok || old == e.Digest, "two votes %#x in round %d", e.Code, e.Round)
					recorded[key] = e.Digest
					durable[signatureOf(t, e.Code, e.Payload)] = true
					vote := e.Code == messages.CodePrepare || e.Code == messages.CodeCommit
					if vote && !foreign[string(e.Payload)] && !executed[e.Digest] {
						t.Fatalf("vote %#x for a block that was not executed", e.Code)
					}
					if e.Code == messages.CodeCommit && !foreign[string(e.Payload)] && !locked {
						t.Fatal("COMMIT without a lock")
					}
				case PersistLock:
					locked = true
				case Send:
					must.That(t, durable[signatureOf(t, e.Code, e.Payload)], "message %#x sent before it was recorded", e.Code)
				case Commit:
					must.That(t, executed[e.Block.Hash()], "a block that was not executed is committed")
				}
			}
		}
	})
}

func signatureOf(t *rapid.T, code uint64, payload []byte) string {
	m := must.Get(messages.Decode(code, payload))(t)
	return string(m.Signature())
}

// No message panics in any state.
// spec: wbft 4.2
func FuzzStep(f *testing.F) {
	fix := newFixture(f, 4)
	block := fix.block("a")
	cert := fix.certificate(0, block, 0, 1, 2)
	justified := &messages.PrePrepare{Sequence: 1, Round: 1, Block: block, Prepares: cert.prepares,
		RoundChanges: fix.changes(1, cert, 0, 1, 2)}
	for _, m := range []messages.Message{
		fix.proposal(0, 0, block), fix.proposal(1, 1, block), fix.signed(1, justified), fix.prepare(0, 0, block),
		fix.commit(2, 0, block), fix.roundChange(0, 1, nil), fix.roundChange(2, 1, cert),
	} {
		f.Add(m.Code(), m.Encode(), uint8(0))
	}
	setup := []Event{ // the input says how many of them are played
		network(fix.proposal(0, 0, block)), Validated{Hash: block.Hash()},
		network(fix.prepare(0, 0, block)), network(fix.prepare(1, 0, block)),
		network(fix.commit(0, 0, block)), network(fix.commit(1, 0, block)),
	}
	f.Fuzz(func(t *testing.T, code uint64, payload []byte, state uint8) {
		p := &player{Core: New(fix.config(3)), f: fix, clock: origin}
		p.do(NewHead{fix.head})
		for _, ev := range setup[:int(state)%(len(setup)+1)] {
			p.do(ev)
		}
		p.do(Message{Code: code, Payload: payload})
		p.do(Timeout{ID: p.timing.timers[RoundTimer].id})
		p.do(Message{Code: code, Payload: payload})
	})
}
