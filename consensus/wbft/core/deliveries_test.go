// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"testing"

	"gwon/consensus/wbft/messages"
)

// carry delivers a message by a peer.
func (p *player) carry(by int, m messages.Message) *player {
	return p.do(Message{Code: m.Code(), Payload: m.Encode(), From: p.f.address(by)})
}

// weak is validator i's ROUND-CHANGE with a certificate that fails; every version is another message.
func (f *fixture) weak(i, version int) messages.Message {
	cert := f.certificate(0, f.block("a"), 0, 1, 2)
	cert.prepares[version%3] = f.signed(version%3, &messages.Prepare{
		Sequence: 1, Digest: cert.digest, Seal: f.bls[3].Sign([]byte{byte(version)})}).(*messages.Prepare)
	return f.roundChange(i, 1, cert)
}

// TestFailedCertificatesOfADeliverer: nobody has signed a certificate, so each costs anew. After a few that fail no more are
// examined in the sequence; the deliverer is named, its author is not accused.
func TestFailedCertificatesOfADeliverer(t *testing.T) {
	f := newFixture(t, 7)
	good := f.certificate(0, f.block("a"), 0, 1, 2, 3, 4)
	for name, test := range map[string]struct{ by, author int }{"author": {0, 0}, "relayer": {5, 0}} {
		p := f.player(6)
		for version := range 5 {
			p.carry(test.by, f.weak(test.author, version)).wantDropped(name)
			blamed := only[BadDelivery](p.effects)
			if version < maxFailures && (len(blamed) != 1 || blamed[0].From != f.address(test.by)) {
				t.Errorf("%s, certificate %d: blamed %+v", name, version, blamed)
			}
			if version >= maxFailures && len(blamed) != 0 {
				t.Errorf("%s: certificate %d was examined", name, version)
			}
			if len(only[Misbehaviour](p.effects)) != 0 {
				t.Errorf("%s: what nobody signed is held against the author", name)
			}
		}
		p.carry(test.by, f.roundChange(test.author, 1, good)).wantDropped("good certificate of such a deliverer")
		// What has no expensive part is heard as before, and so is everybody else.
		p.carry(test.by, f.prepare(test.by, 0, f.block("a")))
		if p.dropped() {
			t.Errorf("%s: a vote was dropped", name)
		}
		if p.carry(1, f.roundChange(1, 1, good)); p.dropped() {
			t.Errorf("%s: another deliverer suffers: %v", name, p.effects)
		}
		// The next sequence begins anew.
		head := f.head
		head.Header = f.sealed(f.block("a"), 0, 0, 1, 2, 3, 4)
		p.do(NewHead{head})
		if !p.mayDecode(f.address(test.by), 1<<20) || len(p.deliveries.own)+len(p.deliveries.relayed) != 0 {
			t.Errorf("%s: the failures outlast their sequence", name)
		}
	}
}

// TestRelayedFailuresDoNotSilence: a validator of the reference passes on certificates that it has not examined in full. Its own
// ROUND-CHANGE is heard all the same, and so is what it delivers in small messages.
func TestRelayedFailuresDoNotSilence(t *testing.T) {
	f := newFixture(t, 7)
	p := f.player(6)
	for version := range 3 {
		p.carry(5, f.weak(0, version))
	}
	if p.carry(5, f.roundChange(5, 1, f.certificate(0, f.block("a"), 0, 1, 2, 3, 4))); p.dropped() {
		t.Errorf("effects %v", p.effects)
	}
}

// TestFailedCertificatesOfAll: many deliverers together have no more examined than a limit, beyond which only authors are heard.
func TestFailedCertificatesOfAll(t *testing.T) {
	f := newFixture(t, 13)
	p := f.player(12)
	examined := 0
	for by := 1; by < 12; by++ {
		for version := range 3 {
			p.carry(by, f.weak(0, 3*by+version))
			examined += len(only[BadDelivery](p.effects))
		}
	}
	if examined != maxRelayedFailures {
		t.Errorf("%d were examined, want %d", examined, maxRelayedFailures)
	}
	good := f.certificate(0, f.block("a"), f.indices(9)...)
	p.carry(2, f.roundChange(1, 1, good)).wantDropped("passed on")
	if p.carry(1, f.roundChange(1, 1, good)); p.dropped() {
		t.Errorf("from its author: %v", p.effects)
	}
}

// TestRelayedMessagesAreCanonical: what no signature covers and nobody needs is not passed on.
func TestRelayedMessagesAreCanonical(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	junk := f.certificate(0, a, 0, 1, 2).prepares
	proposal := f.proposal(0, 0, a)
	proposal.Prepares = junk
	p := f.player(1)
	p.carry(2, proposal).wantDropped("PREPAREs in round 0")
	if blamed := only[BadDelivery](p.effects); len(blamed) != 1 || blamed[0].From != f.address(2) {
		t.Errorf("blamed %+v", blamed)
	}
	proposal = f.proposal(0, 0, a)
	proposal.RoundChanges = f.changes(1, nil, 0, 2, 3)
	p.carry(3, proposal).wantDropped("ROUND-CHANGEs in round 0")
	p.carry(0, f.proposal(0, 0, a)).wantEffects("SetTimer", "Execute")

	// PREPAREs without a claim are left out, and a surplus of them is refused.
	plain := f.roundChange(0, 1, nil)
	with := f.roundChange(0, 1, nil)
	with.Prepares = junk
	other := append(bytes.Clone(plain.Encode()[:len(plain.Encode())-2]), 0x80, 0x80) // the other form of absent parts (spec wbft 4.2)
	for name, payload := range map[string][]byte{"with PREPAREs": with.Encode(), "other form": other} {
		q := f.player(1).do(Message{Code: messages.CodeRoundChange, Payload: payload, From: f.address(2)})
		relays := only[Relay](q.effects)
		if len(relays) != 1 || !bytes.Equal(relays[0].Payload, plain.Encode()) {
			t.Errorf("%s: effects %v", name, names(q.effects))
		}
	}
	for range 4 {
		with.Prepares = append(with.Prepares, junk[0])
	}
	q := f.player(1).carry(2, with)
	q.wantDropped("more PREPAREs than validators")
	if len(only[BadDelivery](q.effects)) != 1 {
		t.Error("nobody was blamed")
	}
}

// TestPreparesAreVerifiedOnce, whether they came as votes or in certificates; but anything that differs in a single bit is another
// one.
func TestPreparesAreVerifiedOnce(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(3).propose(a)
	p.deliver(f.prepare(0, 0, a), f.prepare(1, 0, a)).wantState(Prepared, 0)
	if len(p.proven) != 3 {
		t.Errorf("%d PREPAREs are known after a quorum of votes", len(p.proven))
	}
	p.deliver(f.prepare(2, 0, a), f.roundChange(0, 1, f.certificate(0, a, 0, 1, 2)))
	if len(p.proven) != 4 || p.changes[1] == nil {
		t.Errorf("%d PREPAREs are known after a certificate with another one", len(p.proven))
	}
	good := f.certificate(0, a, 0, 1, 2)
	for name, spoil := range map[string]func(m *messages.Prepare) messages.Message{
		"seal of another validator": func(m *messages.Prepare) messages.Message {
			return &messages.Prepare{Sequence: 1, Digest: m.Digest, Seal: f.prepare(2, 0, a).Seal}
		},
		"seal over another round": func(m *messages.Prepare) messages.Message {
			return &messages.Prepare{Sequence: 1, Digest: m.Digest, Seal: f.prepare(1, 1, a).Seal}
		},
	} {
		cert := *good
		cert.prepares = append([]*messages.Prepare{}, good.prepares...)
		cert.prepares[1] = f.signed(1, spoil(good.prepares[1])).(*messages.Prepare)
		p.carry(0, f.roundChange(1, 1, &cert)).wantDropped(name)
	}
	foreign := *good
	foreign.prepares = append([]*messages.Prepare{}, good.prepares...)
	foreign.prepares[2] = foreign.prepares[0]
	p.carry(2, f.roundChange(1, 1, &foreign)).wantDropped("one known PREPARE twice")
	bent := f.certificate(0, a, 0, 1, 2)
	bent.prepares[1].Seal = f.prepare(2, 0, a).Seal // the signature stays
	if err := f.player(3).propose(a).deliver(f.prepare(0, 0, a), f.prepare(1, 0, a)).checkCertificate(bent, 1); err == nil {
		t.Error("a known signature is taken for the proof of another seal")
	}
	known := len(p.proven)
	for i := range 2 * maxProven * 4 {
		p.remember([]*vote{{message: &messages.Prepare{Round: uint64(i) + 10}}})
	}
	if len(p.proven) > maxProven*4 || known > maxProven*4 {
		t.Errorf("%d PREPAREs are remembered", len(p.proven))
	}
}
