// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
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
	expect.That(t, f.verifier().provenForm(f.roundChange(3, 2, good)) == nil, "an unproven claim is relayed")
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
