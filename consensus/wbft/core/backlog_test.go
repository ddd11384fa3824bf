// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// entryOf returns a message as a backlog entry of any given size.
func entryOf(t *testing.T, m messages.Message, sender common.Address, size int) backlogEntry {
	t.Helper()
	env := must.Get(messages.Open(m.Code(), m.Encode()))(t)
	e := backlogEntry{backlogKey: backlogKey{code: m.Code(), view: m.View()}, envelope: env, sender: sender, size: size}
	switch m := m.(type) {
	case *messages.PrePrepare:
		e.content = m.Block.Hash().Hex()
	case *messages.Prepare, *messages.Commit:
		e.content = contentOf(m)
	}
	return e
}

// When a sequence begins, its ROUND-CHANGEs are admitted first, then by round the proposals, PREPAREs and COMMITs.
// spec: wbft 5.4
func TestBacklogOrder(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	b := newBacklog()
	add := func(sender int, m messages.Message) {
		e := entryOf(t, m, f.address(sender), len(m.Encode()))
		must.Equal(t, b.add(e, false, roundWindow), "", "reason")
	}
	add(2, f.commit(2, 0, a))
	add(1, f.prepare(1, 1, a))
	add(0, f.prepare(0, 0, a))
	add(3, f.prepare(3, 0, a))
	add(1, f.roundChange(1, 3, nil))
	add(0, f.proposal(0, 0, a))
	add(0, f.roundChange(0, 1, nil))
	add(3, f.commit(3, 2, a))
	var got []string
	for _, e := range b.take(messages.View{Sequence: 1, Round: 1}) {
		got = append(got, fmt.Sprintf("%#x/%d", e.code, e.view.Round))
	}
	expect.Slice(t, got, []string{"0x15/1", "0x15/3", "0x12/0", "0x13/0", "0x13/0", "0x14/0", "0x13/1"}, "order")
	expect.That(t, b.len() == 1, "%d messages left, want the one of round 2", b.len())
}

// Each sender has one message of a kind and view, and one that contradicts it. Bytes are limited for each sender and
// for all strangers together.
// spec: wbft 9.3
func TestBacklogBounds(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	b := newBacklog()
	entry := func(sender byte, m messages.Message, size int) backlogEntry {
		return entryOf(t, m, common.Address{sender}, size)
	}
	steps := []struct {
		name     string
		e        backlogEntry
		stranger bool
		ok       bool
	}{
		{"first", entry(1, f.prepare(0, 1, a), 100), false, true},
		{"the same again", entry(1, f.prepare(0, 1, a), 100), false, false},
		{"a contradiction", entry(1, f.prepare(0, 1, f.block("b")), 100), false, true},
		{"another one", entry(1, f.prepare(0, 1, f.block("c")), 100), false, false},
		{"another view", entry(1, f.prepare(0, 2, a), 100), false, true},
		{"too large", entry(1, f.proposal(0, 3, a), messages.ShareBytes-299), false, false},
		{"just fits", entry(1, f.proposal(0, 3, a), messages.ShareBytes-300), false, true},
		{"full", entry(1, f.prepare(0, 4, a), 1), false, false},
		{"stranger", entry(2, f.proposal(0, 1, a), messages.ShareBytes), true, true},
		{"another stranger", entry(3, f.proposal(0, 1, a), messages.ShareBytes), true, true},
		{"a contradiction of a stranger", entry(2, f.proposal(0, 1, f.block("b")), 0), true, false},
		{"one too many bytes of strangers", entry(4, f.proposal(0, 1, a), 1), true, false},
		{"a member has its own room", entry(5, f.proposal(0, 1, a), messages.ShareBytes), false, true},
	}
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			expect.Equal(t, b.add(s.e, s.stranger, roundWindow) == "", s.ok, "%s: taken", s.name)
		})
	}
	b = newBacklog()
	for i := range maxStrangers + 1 {
		got := b.add(entry(byte(i), f.prepare(0, 1, a), 1), true, roundWindow) == ""
		must.That(t, got == (i < maxStrangers), "stranger %d: taken %v", i, got)
	}
	b.take(messages.View{Sequence: 1, Round: 1})
	expect.That(t, b.strangers == 0 && b.strangerBytes == 0 && len(b.queues) == 0,
		"after all is taken: %d strangers, %d bytes", b.strangers, b.strangerBytes)
}

// The messages of all validators together are bounded. The validator with most loses messages, and each keeps its
// equal share.
// spec: wbft 9.3
func TestBacklogOfAllValidators(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	const n = 100
	add := func(b *backlog, sender byte, round uint64, size int) string {
		m := f.signed(0, &messages.PrePrepare{Sequence: 1, Round: round, Block: a})
		return b.add(entryOf(t, m, common.Address{sender}, size), false, roundWindow)
	}
	b := newBacklog()
	total := func() (sum int) {
		for _, q := range b.queues {
			sum += q.bytes
		}
		return sum
	}
	greedy := 0
	for i := range byte(33) { // validators that take all the room they get
		for round := range uint64(10) {
			if add(b, i, round+1, 1<<20) == "" {
				greedy++
			}
		}
	}
	must.That(t, greedy >= 64 && b.memberBytes <= maxMemberBytes && b.memberBytes == total(),
		"%d messages taken, %d bytes, said to be %d", greedy, total(), b.memberBytes)
	expect.That(t, add(b, 40, 1, messages.ShareBytes) != "", "the greediest of all was given room")
	for i := byte(33); i < n; i++ { // the others take their share
		for round := range uint64(2) {
			must.Equal(t, add(b, i, round+1, maxMemberBytes/n/2), "", "validator %d, message %d", i, round)
		}
	}
	for i := byte(33); i < n; i++ {
		q := b.queues[common.Address{i}]
		must.That(t, q != nil && len(q.entries) == 2, "validator %d lost its share", i)
	}
	expect.That(t, b.memberBytes <= maxMemberBytes && b.memberBytes == total(),
		"%d bytes kept, said to be %d", total(), b.memberBytes)
	b.retain(1, func(address common.Address) bool { return address[0] < 50 })
	b.take(messages.View{Sequence: 2})
	expect.That(t, b.memberBytes == 0 && b.strangerBytes == 0 && b.len() == 0,
		"after all is taken: %d and %d bytes, %d messages", b.memberBytes, b.strangerBytes, b.len())
}

// A large message waits undecoded, and is decoded when its view has come.
// spec: wbft 5.4
func TestLargeMessageInBacklog(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	next := *f
	next.head.Header = f.sealed(a, 0, 0, 1, 2)
	b := next.full(100_000)
	p := f.player(2)
	p.deliver(f.signed(1, &messages.PrePrepare{Sequence: 2, Block: b}))
	must.Equal(t, p.backlog.len(), 1, "effects %v", p.effects)
	p.do(NewHead{next.head})
	got := only[Execute](p.effects)
	expect.That(t, len(got) == 1 && got[0].Block.Hash() == b.Hash(), "effects %v", names(p.effects))
}

// A validator that leaves the set becomes a stranger, one that joins it is no stranger any more, and old strangers are
// forgotten.
// spec: wbft 9.2
func TestBacklogOfFormerMember(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a") // sequence 1
	late := f.child(a.Header(), "late")
	b := newBacklog()
	for i, block := range []*types.Block{a, late, late, late} {
		m := f.prepare(i, 1, block)
		stranger := i >= 2
		b.add(entryOf(t, m, f.address(i), len(m.Encode())), stranger, roundWindow)
	}
	b.retain(1, func(address common.Address) bool { return address == f.address(2) })
	must.That(t, b.len() == 2 && b.queues[f.address(1)] != nil && b.queues[f.address(2)] != nil,
		"%d messages kept", b.len())
	if q := b.queues[f.address(1)]; !q.stranger || b.strangers != 1 || b.strangerBytes != q.bytes {
		t.Errorf("%d strangers with %d bytes", b.strangers, b.strangerBytes)
	}
	b.discard(f.address(1))
	expect.That(t, b.strangers == 0 && b.strangerBytes == 0,
		"%d strangers with %d bytes after they left", b.strangers, b.strangerBytes)
}

// Above the window only the ROUND-CHANGE to the highest round is kept, one for each sender.
// spec: wbft 5.4
func TestFarRoundChangesInBacklog(t *testing.T) {
	f := newFixture(t, 4)
	b := newBacklog()
	for _, round := range []uint64{11, 30, 20, 40} {
		m := f.roundChange(0, round, nil)
		b.add(entryOf(t, m, f.address(0), len(m.Encode())), false, roundWindow)
	}
	due := b.take(messages.View{Sequence: 1})
	expect.That(t, len(due) == 1 && due[0].view.Round == 40, "%d kept", len(due))
}

// A copy of an early proposal that was spoiled in an unsigned part is replaced by the original from its proposer.
// spec: wbft 5.4
func TestOriginalReplacesSpoiledCopy(t *testing.T) {
	for name, spoil := range map[string]func(*messages.PrePrepare, *fixture) []byte{
		"justification of its own": func(m *messages.PrePrepare, f *fixture) []byte {
			m.Prepares = []*messages.Prepare{f.prepare(2, 0, m.Block)}
			return m.Encode()
		},
		"undecodable": func(m *messages.PrePrepare, f *fixture) []byte {
			m.Prepares = []*messages.Prepare{f.prepare(2, 0, m.Block)}
			raw := m.Encode()
			raw[len(raw)-1] ^= 1
			return raw
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 4)
			p := f.player(3)
			head := f.head
			head.Header = f.sealed(f.block("a"), 0, 0, 1, 2)
			next := f.child(head.Header, "next")
			good := f.signed(1, &messages.PrePrepare{Sequence: 2, Block: next})
			copied := &messages.PrePrepare{Sequence: 2, Block: next}
			f.signed(1, copied)
			p.do(Message{Code: good.Code(), Payload: spoil(copied, f), From: f.address(2)})
			p.do(Message{Code: good.Code(), Payload: good.Encode(), From: f.address(1)})
			p.do(NewHead{head})
			expect.Equal(t, len(only[Execute](p.effects)), 1, "blocks executed")
		})
	}
}
