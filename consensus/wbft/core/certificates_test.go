// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"strings"
	"testing"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// verifier returns empty certificates of the sequence after the fixture's head.
func (f *fixture) verifier() *certificates {
	c := new(certificates).next(f.head.Header, f.set)
	return &c
}

// spec: wbft 5.7, 9.1
func TestCertificateChecks(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	forged := f.certificate(1, a, 0, 1, 2)
	forged.prepares[2] = f.signed(2, &messages.Prepare{
		Sequence: 1, Round: 1, Digest: a.Hash(), Seal: f.prepare(3, 1, a).Seal,
	}).(*messages.Prepare)
	mislabeled := f.certificate(1, a, 0, 1, 2)
	mislabeled.digest = b.Hash()
	for _, test := range []struct {
		name string
		cert *certificate
		want string // part of the error; empty for none
	}{
		{"quorum", f.certificate(1, a, 0, 1, 2), ""},
		{"all validators", f.certificate(1, a, 0, 1, 2, 3), ""},
		{"prepared in the round itself", f.certificate(2, a, 0, 1, 2), ""},
		{"prepared in a later round", f.certificate(3, a, 0, 1, 2), "prepared round 3 is above round 2"},
		{"no quorum", f.certificate(1, a, 0, 1), "2 PREPAREs, want 3 to 4"},
		{"validator twice", f.certificate(1, a, 0, 1, 1), "second message"},
		{"seal of another validator", forged, "prepare seals do not verify"},
		{"digest of another block", mislabeled, "prepared digest is not that of the block"},
		{"PREPAREs for another block", &certificate{
			round: 1, digest: a.Hash(), block: a, prepares: f.certificate(1, b, 0, 1, 2).prepares,
		}, "PREPARE 0 is for another block"},
		{"PREPAREs of another round", &certificate{
			round: 1, digest: a.Hash(), block: a, prepares: f.certificate(0, a, 0, 1, 2).prepares,
		}, "PREPARE 0 is of round 0, want 1"},
		{"sealed block", f.certificate(1, f.selfSealed(a), 0, 1, 2), "block is sealed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := f.verifier()
			err := c.check(test.cert, 2)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
			if known := c.byClaim[claim{test.cert.round, test.cert.digest}] != nil; known != (err == nil) {
				t.Errorf("certificate is kept: %t", known)
			}
			if len(c.proven) > 0 != (err == nil) {
				t.Errorf("%d PREPAREs are kept", len(c.proven))
			}
		})
	}
}

// A claim is proven once. Other PREPAREs for it are replaced by the ones that were verified. spec: wbft 5.7
func TestProvenClaimIsNotVerifiedAgain(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	c := f.verifier()
	must.Do(t, c.check(f.certificate(1, a, 0, 1, 2), 2))
	other := f.certificate(1, a, 1, 2, 3)
	must.Do(t, c.check(other, 2))
	if signer, err := other.prepares[0].Signer(); err != nil || signer != f.address(0) {
		t.Errorf("the first PREPARE is of %v, error %v, want that of the proven certificate", signer, err)
	}
	expect.Equal(t, len(c.proven), 3, "PREPAREs are kept")
}

// An offered ROUND-CHANGE is relayed with its own PREPAREs if they are good, otherwise with the proven ones.
// spec: wbft 4.4, 5.7
func TestOfferedCertificates(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	good, bad := f.certificate(1, a, 1, 2, 3), f.certificate(1, a, 1, 2, 3)
	bad.prepares[0] = f.signed(1, &messages.Prepare{
		Sequence: 1, Round: 1, Digest: a.Hash(), Seal: f.prepare(2, 1, a).Seal,
	}).(*messages.Prepare)
	proof := f.certificate(1, a, 0, 1, 2)
	for _, test := range []struct {
		name    string
		offered *certificate
		want    *certificate
	}{{"good PREPAREs", good, good}, {"bad seal", bad, proof}} {
		t.Run(test.name, func(t *testing.T) {
			c := f.verifier()
			c.add(proof)
			m := f.roundChange(3, 2, test.offered)
			c.proveOffered([]*messages.RoundChange{m})
			want := m.EncodeWith(test.want.block, test.want.prepares)
			if got := c.provenForm(m); string(got) != string(want) {
				t.Errorf("relayed form has %d bytes, want the %d of the certificate", len(got), len(want))
			}
		})
	}
	unknown := f.roundChange(3, 2, good)
	if f.verifier().provenForm(unknown) != nil {
		t.Error("an unproven claim is relayed")
	}
}

// The certificates of the next sequence are empty, but suspects are remembered for their time.
func TestCertificatesOfNextSequence(t *testing.T) {
	f := newFixture(t, 4)
	c := f.verifier()
	must.Do(t, c.check(f.certificate(0, f.block("a"), 0, 1, 2), 1))
	c.suspect(f.address(2))
	n := c.next(f.block("a").Header(), f.set)
	if n.sequence != 2 || len(n.byClaim)+len(n.proven)+len(n.blocks.list) != 0 {
		t.Errorf("sequence %d begins with %d certificates, %d PREPAREs, %d blocks",
			n.sequence, len(n.byClaim), len(n.proven), len(n.blocks.list))
	}
	if !n.isSuspect(f.address(2)) || n.isSuspect(f.address(1)) {
		t.Errorf("suspects %v", n.suspects)
	}
}
