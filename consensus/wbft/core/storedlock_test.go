// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"strings"
	"testing"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The lock of another vote log counts if a quorum of distinct validators prepared its block in its round. Without the
// set the checks are fewer.
// spec: wbft 9.1
func TestCheckLock(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	stranger := newFixture(t, 5)
	good := f.certificate(2, a, 0, 1, 2)
	sealedWith := func(seal []byte) *certificate {
		cert := f.certificate(2, a, 0, 1, 2)
		m := &messages.Prepare{Sequence: 1, Round: 2, Digest: a.Hash(), Seal: seal}
		cert.prepares[1] = f.signed(1, m).(*messages.Prepare)
		return cert
	}
	of := func(cert *certificate) []byte {
		encoded := must.Get(cert.encode(new(blocks)))(t)
		return encoded
	}
	mixed := f.certificate(2, a, 0, 1)
	mixed.prepares = append(mixed.prepares, f.prepare(2, 2, b))
	outsider := f.certificate(2, a, 0, 1)
	outsider.prepares = append(outsider.prepares, stranger.prepare(4, 2, a))
	sealed := f.certificate(2, a.WithSeal(f.sealed(a, 2, 0, 1, 2)), 0, 1, 2)
	for name, c := range map[string]struct {
		sequence, round uint64
		encoded         []byte
		with, without   string // error with the set and without; "" for none
	}{
		"a quorum":      {1, 2, of(good), "", ""},
		"all":           {1, 2, of(f.certificate(2, a, 0, 1, 2, 3)), "", ""},
		"no quorum":     {1, 2, of(f.certificate(2, a, 0, 1)), "2 PREPAREs, want 3", ""},
		"an outsider":   {1, 2, of(outsider), "is not a validator", ""},
		"a false seal":  {1, 2, of(sealedWith(f.prepare(1, 2, b).Seal)), "do not verify", ""},
		"no seal":       {1, 2, of(sealedWith(make([]byte, messages.SealLength))), "do not verify", "do not verify"},
		"none":          {1, 2, of(f.certificate(2, a)), "0 PREPAREs", "0 PREPAREs"},
		"one twice":     {1, 2, of(f.certificate(2, a, 0, 1, 1)), "second message", "second message"},
		"two blocks":    {1, 2, of(mixed), "another block", "another block"},
		"another round": {1, 3, of(good), "is of round 2", "is of round 2"},
		"PREPAREs of another": {
			1, 2, of(&certificate{2, a.Hash(), a, f.certificate(1, a, 0, 1, 2).prepares}), "of round 1", "of round 1",
		},
		"another sequence":      {2, 2, of(good), "of sequence 1", "of sequence 1"},
		"a sealed block":        {1, 2, of(sealed), "block is sealed", "block is sealed"},
		"nothing":               {1, 2, nil, "decode", "decode"},
		"bytes":                 {1, 2, []byte("certificate"), "decode", "decode"},
		"a bit of a signature":  {1, 2, flipped(of(good)), "", ""},
		"more than a quorum of": {1, 2, of(f.certificate(2, a, 0, 1, 2, 3, 0)), "5 PREPAREs", "second message"},
	} {
		t.Run(name, func(t *testing.T) {
			for set, want := range map[*validators.Set]string{f.set: c.with, nil: c.without} {
				err := CheckLock(c.sequence, c.round, c.encoded, set)
				if name == "a bit of a signature" { // it recovers to another author or to none
					expect.That(t, set == nil || err != nil, "%s: it is taken", name)
					continue
				}
				expect.That(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)),
					"%s, set known %t: %v, want %q", name, set != nil, err, want)
			}
		})
	}
}

// flipped changes a bit in the last signature.
func flipped(encoded []byte) []byte {
	encoded[len(encoded)-30] ^= 1
	return encoded
}

// A lock of an imported vote log that no quorum has prepared is dropped when its sequence begins. The COMMIT that
// needs it then prevents round changes.
// spec: wbft 9.1
func TestForgedLockIsRefused(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	for name, c := range map[string]struct {
		signers []int
		locked  bool
	}{"a quorum": {[]int{0, 1, 2}, true}, "too few": {[]int{0, 1}, false}, "one twice": {[]int{0, 1, 1}, false}} {
		lock := must.Get(f.certificate(0, a, c.signers...).encode(new(blocks)))(t)
		commit := f.commit(1, 0, a)
		p := f.restartedWith(1, Restored{Sequences: []RestoredSequence{{Sequence: 1, Lock: lock, Votes: []Vote{
			{Code: messages.CodeCommit, Sequence: 1, Digest: a.Hash(), Payload: commit.Encode()},
			// In round 1 the lock is not verified again.
			{Code: messages.CodePrepare, Sequence: 1, Round: 1, Digest: a.Hash(), Payload: f.prepare(1, 1, a).Encode()},
		}}}})
		expect.That(t, (p.lock != nil) == c.locked && (len(only[Failed](p.effects)) == 0) == c.locked,
			"%s: lock %v, effects %v", name, p.lock, names(p.effects))
		p.toRound(2)
		expect.Equal(t, len(p.sends(messages.CodeRoundChange)) > 0, c.locked, "%s: a ROUND-CHANGE is signed", name)
	}
}
