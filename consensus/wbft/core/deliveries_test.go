// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
)

// carry delivers a message through a peer.
func (p *player) carry(by int, m messages.Message) *player {
	return p.do(Message{Code: m.Code(), Payload: m.Encode(), From: p.f.address(by)})
}

// weak returns validator i's ROUND-CHANGE with a certificate that fails. Every version is another message.
func (f *fixture) weak(i, version int) messages.Message {
	cert := f.certificate(0, f.block("a"), 0, 1, 2)
	cert.prepares[version%3] = f.signed(version%3, &messages.Prepare{
		Sequence: 1, Digest: cert.digest, Seal: f.bls[3].Sign([]byte{byte(version)})}).(*messages.Prepare)
	return f.roundChange(i, 1, cert)
}

// A failed certificate is charged to its deliverer, and its author is not accused. After a few no more are examined in
// the sequence.
// spec: wbft 5.7
func TestFailedCertificatesOfDeliverer(t *testing.T) {
	f := newFixture(t, 7)
	good := f.certificate(0, f.block("a"), 0, 1, 2, 3, 4)
	for name, test := range map[string]struct{ by, author int }{"author": {0, 0}, "relayer": {5, 0}} {
		t.Run(name, func(t *testing.T) {
			p := f.player(6)
			for version := range 5 {
				p.carry(test.by, f.weak(test.author, version)).wantDropped(name)
				blamed := only[BadDelivery](p.effects)
				if version < maxFailures && (len(blamed) != 1 || blamed[0].From != f.address(test.by)) {
					t.Errorf("%s, certificate %d: blamed %+v", name, version, blamed)
				}
				expect.That(t, version < maxFailures || len(blamed) == 0, "%s: certificate %d was examined", name, version)
				expect.Equal(t, len(only[Misbehavior](p.effects)), 0, "%s: an unsigned part accuses the author", name)
			}
			p.carry(test.by, f.roundChange(test.author, 1, good)).wantDropped("good certificate of such a deliverer")
			// Messages without a costly part are accepted as before, and so are those of other deliverers.
			p.carry(test.by, f.prepare(test.by, 0, f.block("a")))
			expect.That(t, !p.dropped(), "%s: a vote was dropped", name)
			p.carry(1, f.roundChange(1, 1, good))
			expect.That(t, !p.dropped(), "%s: another deliverer suffers: %v", name, p.effects)
			// Relayed failures are forgotten with the sequence, own failures some sequences later.
			head := f.head
			parent := f.block("a")
			for sequence := 2; sequence <= 1+failureMemory; sequence++ {
				head.Header = f.sealed(parent, 0, 0, 1, 2, 3, 4)
				p.do(NewHead{head})
				parent = f.child(head.Header, "next")
				expect.Equal(t, p.mayDecode(f.address(test.by), 1<<20), test.by != test.author || sequence == 1+failureMemory,
					"%s: sequence %d: heard", name, sequence)
				expect.Equal(t, len(p.deliveries.relayed), 0, "%s: relayed failures outlast their sequence", name)
			}
			expect.Equal(t, len(p.deliveries.own), 0, "%s: failures are never forgotten", name)
		})
	}
}

// Unsigned parts without use are not relayed.
// spec: wbft 4.2, 5.3
func TestRelayedMessagesAreCanonical(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	junk := f.certificate(0, a, 0, 1, 2).prepares
	proposal := f.proposal(0, 0, a)
	proposal.Prepares = junk
	p := f.player(1)
	p.carry(2, proposal).wantDropped("PREPAREs in round 0")
	blamed := only[BadDelivery](p.effects)
	expect.That(t, len(blamed) == 1 && blamed[0].From == f.address(2), "blamed %+v", blamed)
	proposal = f.proposal(0, 0, a)
	proposal.RoundChanges = f.changes(1, nil, 0, 2, 3)
	p.carry(3, proposal).wantDropped("ROUND-CHANGEs in round 0")
	p.carry(0, f.proposal(0, 0, a)).wantEffects("SetTimer", "Execute")

	// PREPAREs without a claim are left out, and a surplus of them is refused.
	plain := f.roundChange(0, 1, nil)
	with := f.roundChange(0, 1, nil)
	with.Prepares = junk
	other := append(
		bytes.Clone(plain.Encode()[:len(plain.Encode())-2]), 0x80, 0x80,
	) // the other form of absent parts (spec wbft 4.2)
	for name, payload := range map[string][]byte{"with PREPAREs": with.Encode(), "other form": other} {
		t.Run(name, func(t *testing.T) {
			q := f.player(1).do(Message{Code: messages.CodeRoundChange, Payload: payload, From: f.address(2)})
			relays := only[Relay](q.effects)
			expect.That(t, len(relays) == 1 && bytes.Equal(relays[0].Payload, plain.Encode()),
				"%s: effects %v", name, names(q.effects))
		})
	}
	for range 4 {
		with.Prepares = append(with.Prepares, junk[0])
	}
	q := f.player(1).carry(2, with)
	q.wantDropped("more PREPAREs than validators")
	expect.Equal(t, len(only[BadDelivery](q.effects)), 1, "no deliverer was blamed")
}

// A PREPARE is verified once, as a vote or in a certificate. One that differs in a single bit is another PREPARE.
// spec: wbft 5.7
func TestPreparesAreVerifiedOnce(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(3).propose(a)
	p.deliver(f.prepare(0, 0, a), f.prepare(1, 0, a)).wantState(Prepared, 0)
	expect.Equal(t, len(p.certs.proven), 3, "PREPAREs are known after a quorum of votes")
	known := f.certificate(0, a, 0, 1, 3).prepares
	expect.That(t, p.certs.isProven(known, claim{0, a.Hash()}), "the PREPAREs of the quorum are not known")
	known[1].Seal = f.prepare(2, 0, a).Seal // the signature stays
	expect.That(t, !p.certs.isProven(known, claim{0, a.Hash()}),
		"a known signature is taken for the proof of another seal")
	for i := range 2 * maxProven * 4 {
		p.certs.remember([]*vote{{message: &messages.Prepare{Round: uint64(i) + 10}}})
	}
	expect.That(t, len(p.certs.proven) <= maxProven*4, "%d PREPAREs are remembered", len(p.certs.proven))
	for i := range uint64(2 * maxCertificates) {
		p.certs.add(&certificate{round: i + 10})
	}
	expect.That(t, len(p.certs.byClaim) <= maxCertificates, "%d certificates are remembered", len(p.certs.byClaim))
}

// The PREPAREs for a proven claim are not examined. Relayed ROUND-CHANGEs have good PREPAREs all the same.
// spec: wbft 5.7
func TestProvenClaimNeedsNoSecondProof(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	good := f.certificate(0, a, 0, 1, 2)
	spoiled := func(spoil func(list []*messages.Prepare)) *certificate {
		cert := *good
		cert.prepares = append([]*messages.Prepare{}, good.prepares...)
		spoil(cert.prepares)
		return &cert
	}
	for name, test := range map[string]struct {
		cert *certificate
		own  bool // it is relayed with its own PREPAREs
	}{
		"known":             {good, true},
		"with another good": {f.certificate(0, a, 0, 2, 3), true},
		"seal of another": {spoiled(func(list []*messages.Prepare) {
			wrong := &messages.Prepare{Sequence: 1, Digest: a.Hash(), Seal: f.prepare(2, 0, a).Seal}
			list[1] = f.signed(1, wrong).(*messages.Prepare)
		}), false},
		"another round":       {spoiled(func(list []*messages.Prepare) { list[1] = f.prepare(1, 1, a) }), false},
		"one of them twice":   {spoiled(func(list []*messages.Prepare) { list[2] = list[0] }), false},
		"fewer than a quorum": {&certificate{round: 0, digest: a.Hash(), block: a, prepares: good.prepares[:2]}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := f.player(3).carry(0, f.roundChange(0, 1, good))
			m := f.roundChange(1, 1, test.cert)
			p.carry(2, m)
			relays := only[Relay](p.effects)
			if p.dropped() || len(relays) != 1 || p.roundChanges[1].bySender[1] == nil {
				t.Errorf("%s: effects %v", name, names(p.effects))
				return
			}
			out := p.StillNeeded(relays)
			if len(out) != 1 {
				t.Errorf("%s: not passed on", name)
				return
			}
			expect.Equal(t, bytes.Equal(out[0].Payload, m.Encode()), test.own, "%s: passed on as it came is %v", name, !test.own)
			// The next node accepts no claim unverified.
			q := f.player(2).do(Message{Code: messages.CodeRoundChange, Payload: out[0].Payload, From: f.address(3)})
			expect.That(t, !q.dropped() && q.roundChanges[1].bySender[1] != nil,
				"%s: what is passed on is refused: %v", name, q.effects)
		})
	}
	// A claim for another round or block is another one, and needs its own proof.
	p := f.player(3).carry(0, f.roundChange(0, 2, good))
	weak := f.certificate(0, f.block("b"), 0, 1)
	p.carry(1, f.roundChange(1, 2, weak)).wantDropped("another block")
	weak = f.certificate(1, a, 0, 1)
	p.carry(2, f.roundChange(2, 2, weak)).wantDropped("another round")
}

// spoiledProposals returns proposals of round 1 by validator 1 that an honest go-stablenet makes of what a faulty
// validator has sent to it alone.
func (f *fixture) spoiledProposals() map[string]*messages.PrePrepare {
	block := f.block("a")
	cert := f.certificate(0, block, 0, 1, 3)
	bad := *cert
	bad.prepares = append([]*messages.Prepare{}, cert.prepares...)
	junk := &messages.Prepare{Sequence: block.NumberU64(), Digest: block.Hash(), Seal: f.bls[3].Sign([]byte("junk"))}
	bad.prepares[2] = f.signed(3, junk).(*messages.Prepare)
	proposal := func(cert *certificate, block *types.Block) *messages.PrePrepare {
		m := &messages.PrePrepare{Sequence: block.NumberU64(), Round: 1, Block: block, Prepares: cert.prepares}
		m.RoundChanges = f.changes(1, cert, 0, 1, 3)
		return f.signed(1, m).(*messages.PrePrepare)
	}
	return map[string]*messages.PrePrepare{
		"the body of the prepared block is another one": proposal(cert, swapped(block)),
		"a PREPARE has a bad seal":                      proposal(&bad, block),
	}
}

// An honest go-stablenet proposes again what a faulty validator has sent to it alone. However often that fails, its
// proposals and its lock are accepted in the next round.
// spec: wbft 5.7, 5.9
func TestRepeatedProposalIsChargedForRound(t *testing.T) {
	f := newFixture(t, 4)
	for name, spoiled := range f.spoiledProposals() {
		t.Run(name, func(t *testing.T) {
			p := f.player(2).toRound(1)
			for try := range 3 {
				p.carry(1, spoiled).wantDropped(name)
				expect.That(t, len(only[Disconnect](p.effects)) == 0, "the connection ends")
				expect.Equal(t, len(only[BadDelivery](p.effects)) > 0, try < maxFailures, "try %d examined", try)
			}
			p.carry(1, f.roundChange(1, 2, f.certificate(0, f.block("a"), 0, 1, 3)))
			expect.That(t, !p.dropped(), "its lock is not heard: %v", p.effects)
			p.toRound(5)
			p.carry(1, f.proposal(1, 5, f.block("b")))
			expect.That(t, !p.dropped(), "its next proposal is not heard: %v", p.effects)
		})
	}
}

// No proposer of round 0 repeats parts of others, so PREPAREs there are charged in full.
// spec: wbft 5.6
func TestJustificationInRoundZero(t *testing.T) {
	f := newFixture(t, 4)
	m := f.proposal(0, 0, swapped(f.block("a")))
	m.Prepares = f.certificate(0, f.block("a"), 0, 1, 3).prepares
	p := f.player(2).carry(0, m)
	expect.Equal(t, len(only[Disconnect](p.effects)), 1, "effects %v", p.effects)
	expect.Equal(t, p.deliveries.own[f.address(0)].count, 1, "not counted as its own")
}

// A go-stablenet whose timer ends while the head arrives carries its certificate into the next sequence. That costs it
// nothing beyond the round, and is examined a bounded number of times.
// spec: wbft 5.3, 9.2
func TestCertificateOfHeadIsNotCharged(t *testing.T) {
	f := newFixture(t, 4)
	first := f.block("a")
	p := f.player(2)
	head := f.head
	head.Header = f.sealed(first, 0, 0, 1, 3)
	p.do(NewHead{head})
	cert := f.certificate(0, first, 0, 1, 3)
	for try := range maxUseless + 1 {
		m := &messages.RoundChange{PreparedBlock: first, Prepares: cert.prepares}
		m.Sequence, m.Round, m.Prepared = 2, uint64(try+1), &messages.PreparedClaim{Digest: first.Hash()}
		p.carry(1, f.signed(1, m)).wantDropped("certificate of the head")
	}
	if own := p.deliveries.own[f.address(1)].count; own != 0 || p.deliveries.useless[f.address(1)] != maxUseless {
		t.Errorf("%d count as its own failures, %d as useless", own, p.deliveries.useless[f.address(1)])
	}
	p.toRound(1)
	next := f.child(head.Header, "b")
	good := &messages.RoundChange{PreparedBlock: next, Prepares: f.certificate(0, next, 0, 1, 3).prepares}
	good.Sequence, good.Round, good.Prepared = 2, 2, &messages.PreparedClaim{Digest: next.Hash()}
	p.carry(1, f.signed(1, good))
	expect.That(t, !p.dropped(), "its lock in this sequence is not heard: %v", p.effects)
}

// The deliverer of a message without effect is named if another validator has signed it, once for each signature and
// sequence, whatever the reason. spec: wbft 4.4
func TestRelayerIsNamed(t *testing.T) {
	f := newFixture(t, 5)
	f.set = f.members(0, 1, 2, 3)
	f.head.Set = f.set
	p := f.player(2).toRound(1)
	change := func(claimed byte) messages.Message {
		m := new(messages.RoundChange)
		m.Sequence, m.Round, m.Prepared = 1, 1, &messages.PreparedClaim{Digest: common.Hash{claimed}}
		return f.signed(1, m)
	}
	p.carry(1, change(0))
	for _, row := range []struct {
		name string
		by   int
		m    messages.Message
		want bool
	}{
		{"too early", 3, f.signed(1, &messages.Prepare{Sequence: 9, Seal: make([]byte, messages.SealLength)}), true},
		{"too late", 3, f.signed(1, &messages.Prepare{Sequence: 0, Seal: make([]byte, messages.SealLength)}), true},
		{"one of many claims", 3, change(1), true},
		{"another one", 3, change(2), true},
		{"the same again", 3, change(2), false},
		{"the same by another validator", 0, change(2), true},
		{"by its author", 1, change(3), false},
		{"of no validator", 3, f.signed(4, &messages.Prepare{Sequence: 9, Seal: make([]byte, messages.SealLength)}), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := common.Address{}
			if row.want {
				want = f.address(row.by)
			}
			dropped := only[Dropped](p.carry(row.by, row.m).effects)
			expect.That(t, len(dropped) == 1 && dropped[0].Relayer == want, "dropped %+v, want relayer %v", dropped, want)
		})
	}
}

// What other validators have signed costs a validator that relays it no message of its own, however much of it there
// is: neither its lock nor its proposal. Every relayer of a message is named.
// spec: wbft 4.4, 5.7
func TestRelaysCostNoOwnMessage(t *testing.T) {
	const author, relayer, proposer = 5, 2, 1
	f := newFixture(t, 7)
	first := f.block("a")
	head := f.head
	head.Header = f.sealed(first, 0, f.indices(5)...)
	next := f.child(head.Header, "b")
	weak := f.certificate(0, next, f.indices(4)...) // a PREPARE less than a quorum
	f.head = head
	for name, relayed := range map[string]func(k uint64) messages.Message{
		"claims of a decided block": func(k uint64) messages.Message {
			return f.roundChange(author, 1+k, &certificate{block: first, digest: first.Hash()})
		},
		"claims without a block": func(k uint64) messages.Message {
			return f.roundChange(author, 1+k, &certificate{digest: common.Hash{byte(k)}})
		},
		"certificates that fail":    func(k uint64) messages.Message { return f.roundChange(author, 1+k, weak) },
		"ROUND-CHANGEs without end": func(k uint64) messages.Message { return f.roundChange(author, 100-k, nil) },
		"votes without end": func(k uint64) messages.Message {
			return f.prepare(author, 0, f.child(head.Header, fmt.Sprint(k)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := f.player(6).do(NewHead{head})
			for k := range uint64(2 * maxUseless) {
				for _, by := range []int{relayer, proposer} {
					dropped := only[Dropped](p.carry(by, relayed(k)).effects)
					expect.That(t, len(dropped) == 0 || dropped[0].Relayer == f.address(by), "relayer %d is not named", by)
				}
			}
			p.carry(relayer, f.roundChange(relayer, 1, f.certificate(0, next, f.indices(5)...)))
			expect.That(t, !p.dropped(), "the lock of a relayer is not heard: %v", p.effects)
			p.carry(proposer, f.signed(proposer, &messages.PrePrepare{Sequence: 2, Block: next}))
			expect.That(t, !p.dropped(), "the proposal of a relayer is not heard: %v", p.effects)
		})
	}
}

// Nodes outside of the set, whose identities cost nothing, use up no bound of validators that relay.
// spec: wbft 4.4, 9.3 no. 1
func TestStrangersUseUpNoBoundOfRelayers(t *testing.T) {
	f := newFixture(t, 30)
	f.set = f.members(f.indices(7)...)
	f.head.Set = f.set
	head := f.head
	head.Header = f.sealed(f.block("a"), 0, f.indices(5)...)
	next := f.child(head.Header, "b")
	p := f.player(6)
	first := f.head
	f.head = head
	for k := range 20 { // before its sequence, by two validators through a node of its own each
		p.carry(10+k, f.roundChange(k%2, uint64(1+k/2), f.certificate(0, next, 0, 1)))
	}
	f.head = first
	p.do(NewHead{head})
	expect.Equal(t, len(only[BadDelivery](p.effects)), maxFailures, "certificates through them that were examined")
	f.head = head
	p.carry(2, f.roundChange(3, 1, f.certificate(0, next, f.indices(5)...)))
	expect.That(t, !p.dropped(), "a relayed lock is not heard: %v", p.effects)
}
