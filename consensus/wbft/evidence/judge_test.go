// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

func made(t *testing.T, kind Kind, first, second []byte, headers ...*types.Header) *Evidence {
	t.Helper()
	return must.Get(New(kind, genesis, first, second, headers, seen))(t)
}

// What is proven, what an honest validator may have done, and what shows nothing (spec wbft 5.5, 5.10, 9.1 nos. 3, 6,
// 9.2 nos. 8, 9).
func TestJudge(t *testing.T) {
	v, w := newSigner(t, "v"), newSigner(t, "w")
	a, b := block(parent, sequence, "a"), block(parent, sequence, "b")
	elsewhere := block(common.Hash{9}, sequence, "c")
	above := block(parent, sequence+1, "d")
	claim := func(round uint64, h *types.Header) *messages.PreparedClaim {
		return &messages.PreparedClaim{Round: round, Digest: h.Hash()}
	}
	sealOf := func(round uint64, h *types.Header) []byte {
		digest := extra.SealDigest(h, uint32(round), extra.Prepare)
		return v.bls.Sign(digest[:])
	}
	junk := w.bls.Sign([]byte("something else"))
	here := court(w, v)
	keyless := Court{
		Set:     validators.NewSet([]validators.Validator{{Address: v.address()}}),
		Genesis: genesis,
		Parent:  parent,
	}
	for name, c := range map[string]struct {
		e     *Evidence
		court Court
		want  Label
		says  string
		limit string // a part of a limit; "" for any
	}{
		// Seals that are false under a true signature.
		"one seal over two blocks": {
			made(t, TwoPrepares, v.prepare(1, a), v.prepareWith(b.Hash(), 1, sealOf(1, a))),
			here, Proven, "one and the same", "",
		},
		"two seals over one block": {
			made(t, TwoPrepares, v.prepare(1, a), v.prepareWith(a.Hash(), 1, junk)),
			here, Proven, "two different", "",
		},
		"a false seal in round 0": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepareWith(b.Hash(), 0, junk)),
			here, Proven, "is false", "",
		},
		"a false seal in a later round, headers known": {
			made(t, TwoPrepares, v.prepare(3, a), v.prepareWith(b.Hash(), 3, junk), a, b),
			here, Proven, "is false", "",
		},

		// What a restart explains, and what remains open.
		"two PREPAREs": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, b), a, b),
			here, Explainable, "restarted", timeless,
		},
		"two COMMITs": {
			made(t, TwoCommits, v.commit(2, a), v.commit(2, b), a, b),
			here, Explainable, "restarted", timeless,
		},
		"two proposals": {
			made(t, TwoProposals, v.propose(1, a), v.propose(1, b)),
			here, Explainable, "restarted", timeless,
		},
		"a block that is not known": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, b), a),
			here, Explainable, "restarted", "messages name no chain",
		},
		"no parent known": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, b), a, b),
			Court{Set: here.Set}, Explainable, "restarted", "was not checked",
		},
		"a seal that cannot be checked": {
			made(t, TwoPrepares, v.prepare(3, a), v.prepareWith(b.Hash(), 3, junk)),
			here, Explainable, "restarted", "not every seal",
		},
		"two false seals": {
			made(t, TwoPrepares, v.prepareWith(a.Hash(), 0, junk), v.prepareWith(b.Hash(), 0, w.bls.Sign([]byte("x")))),
			here, Explainable, "restarted", "neither seal",
		},
		"no BLS key": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepareWith(b.Hash(), 0, junk)),
			keyless, Explainable, "restarted", "not every seal",
		},
		"COMMIT forgotten": {
			made(t, ForgottenCommit, v.commit(1, a), v.change(2, nil)),
			here, Explainable, "without its lock", "messages name no chain",
		},
		"COMMIT forgotten, lower claim": {
			made(t, ForgottenCommit, v.commit(1, a), v.change(4, claim(0, b)), a),
			here, Explainable, "only round 0", timeless,
		},
		"claims of two blocks in a round": {
			made(t, TwoRoundChanges, v.change(3, claim(1, a)), v.change(3, claim(1, b)), a, b),
			here, Explainable, "same round 1", timeless,
		},

		// What shows nothing.
		"the same twice": {made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, a)), here, Refused, "the same", ""},
		"another signature under the same": {
			made(t, TwoPrepares, v.prepare(0, a), malleated(t, v.prepare(0, a))),
			here, Refused, "the same", "",
		},
		"signed by two": {
			made(t, TwoPrepares, v.prepare(0, a), w.prepare(0, b)),
			here, Refused, "is signed by " + w.address().Hex(), "",
		},
		"of two rounds": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(1, b)),
			here, Refused, "of rounds 0 and 1", "",
		},
		"of two sequences": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, above)),
			here, Refused, "of sequence 8", "",
		},
		"no validator": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, b)),
			court(w), Refused, "not among the validators", "",
		},
		"another network": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, b)),
			Court{Set: here.Set, Genesis: common.Hash{8}}, Refused, "genesis block", "",
		},
		"a block of another chain": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, elsewhere), elsewhere),
			here, Refused, "not block 6 of this chain", "",
		},
		"blocks of two chains": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, elsewhere), a, elsewhere),
			Court{Set: here.Set}, Refused, "different parents", "",
		},
		"a proposal of another chain": {
			made(t, TwoProposals, v.propose(0, a), v.propose(0, elsewhere)),
			here, Refused, "not block 6 of this chain", "",
		},
		"proposals of two chains": {
			made(t, TwoProposals, v.propose(0, a), v.propose(0, elsewhere)),
			Court{Set: here.Set}, Refused, "different parents", "",
		},
		"a header of something else": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, b), elsewhere),
			here, Refused, "neither message names", "",
		},
		"too many headers": {
			made(t, TwoPrepares, v.prepare(0, a), v.prepare(0, b), a, b, a),
			here, Refused, "3 headers", "",
		},
		"prepared after it had changed round": {
			made(t, TwoRoundChanges, v.change(2, nil), v.change(2, claim(2, a))),
			here, Refused, "supersedes", "",
		},
		"ROUND-CHANGE of the COMMIT's round": {
			made(t, ForgottenCommit, v.commit(2, a), v.change(2, nil)),
			here, Refused, "has to be later", "",
		},
		"ROUND-CHANGE that knows of the COMMIT": {
			made(t, ForgottenCommit, v.commit(1, a), v.change(2, claim(1, a))),
			here, Refused, "not below", "",
		},
		"ROUND-CHANGE that knows of a later one": {
			made(t, ForgottenCommit, v.commit(1, a), v.change(4, claim(3, b))),
			here, Refused, "not below", "",
		},
	} {
		verdict := Judge(c.e, c.court)
		expect.That(t, verdict.Label == c.want && strings.Contains(verdict.Reason, c.says),
			"%s: %s: %s; want %s: ...%s...", name, verdict.Label, verdict.Reason, c.want, c.says)
		if !slices.ContainsFunc(verdict.Limits, func(l string) bool { return strings.Contains(l, c.limit) }) &&
			c.limit != "" {
			t.Errorf("%s: limits %q, want one with %q", name, verdict.Limits, c.limit)
		}
		if c.want == Refused {
			continue
		}
		// The verdict does not depend on the order, and the JSON form keeps all that matters.
		if c.e.Kind != ForgottenCommit {
			turned := *c.e
			turned.Messages[0], turned.Messages[1] = c.e.Messages[1], c.e.Messages[0]
			again := Judge(&turned, c.court)
			expect.That(t, again.Label == c.want, "%s, turned: %s: %s", name, again.Label, again.Reason)
		}
		content := must.Get(json.Marshal(c.e))(t)
		var read Evidence
		must.Do(t, json.Unmarshal(content, &read))
		again := Judge(&read, c.court)
		expect.That(t, again.Label == c.want, "%s, from JSON: %s: %s", name, again.Label, again.Reason)
	}
}

// malleated returns a message with the other valid signature of the same key over the same content (spec wbft 2.3: high
// S passes).
func malleated(t *testing.T, payload []byte) []byte {
	t.Helper()
	m := must.Get(messages.Decode(messages.CodePrepare, payload))(t)
	sig := bytes.Clone(m.Signature())
	order := crypto.S256().Params().N
	s := new(big.Int).SetBytes(sig[32:64])
	new(big.Int).Sub(order, s).FillBytes(sig[32:64])
	sig[64] ^= 1
	at := bytes.Index(payload, m.Signature())
	out := bytes.Clone(payload)
	copy(out[at:], sig)
	return out
}

// No byte of the messages can be changed: what is left shows nothing, or nothing against this validator.
func TestTamperedMessages(t *testing.T) {
	v := newSigner(t, "v")
	a, b := block(parent, sequence, "a"), block(parent, sequence, "b")
	for kind, pair := range map[Kind][2][]byte{
		TwoPrepares:  {v.prepare(1, a), v.prepare(1, b)},
		TwoProposals: {v.propose(0, a), v.propose(0, b)},
		TwoRoundChanges: {
			v.change(3, &messages.PreparedClaim{Digest: a.Hash()}),
			v.change(3, &messages.PreparedClaim{Digest: b.Hash()}),
		},
		ForgottenCommit: {v.commit(0, a), v.change(1, nil)},
	} {
		e := made(t, kind, pair[0], pair[1])
		verdict := Judge(e, court(v))
		must.That(t, verdict.Label != Refused, "%s: refused as it is: %s", kind, verdict.Reason)
		for i := range e.Messages {
			for at := range e.Messages[i] {
				tampered := *e
				tampered.Messages[i] = bytes.Clone(e.Messages[i])
				tampered.Messages[i][at] ^= 0x01
				if verdict := Judge(&tampered, court(v)); verdict.Label != Refused {
					t.Fatalf("%s, message %d, byte %d: %s: %s", kind, i, at, verdict.Label, verdict.Reason)
				}
			}
		}
	}
	// Neither can what stands around them.
	for name, tamper := range map[string]func(*Evidence){
		"validator":   func(e *Evidence) { e.Validator[0] ^= 1 },
		"sequence":    func(e *Evidence) { e.Sequence++ },
		"no sequence": func(e *Evidence) { e.Sequence = 0 },
		"round":       func(e *Evidence) { e.Rounds[1]++ },
		"genesis":     func(e *Evidence) { e.Genesis[0] ^= 1 },
		"step":        func(e *Evidence) { e.Kind = TwoCommits },
		"kind":        func(e *Evidence) { e.Kind = "theft" },
		"header":      func(e *Evidence) { e.Headers[0][20] ^= 1 },
	} {
		e := made(t, TwoPrepares, v.prepare(1, a), v.prepare(1, b), a, b)
		e.Label, e.Reason = Proven, "because"
		tamper(e)
		verdict := Judge(e, court(v))
		expect.That(t, verdict.Label == Refused, "%s changed: %s: %s", name, verdict.Label, verdict.Reason)
	}
}

// What the file claims to be proven is not believed.
func TestLabelIsNotBelieved(t *testing.T) {
	v := newSigner(t, "v")
	e := made(t, ForgottenCommit, v.commit(0, block(parent, sequence, "a")), v.change(1, nil))
	e.Label, e.Reason = Proven, "because"
	verdict := Judge(e, court(v))
	expect.That(t, verdict.Label == Explainable, "%s: %s", verdict.Label, verdict.Reason)
}

// Justifications and certificates are not signed by the author, and not kept.
func TestBareMessages(t *testing.T) {
	v := newSigner(t, "v")
	a, b := block(parent, sequence, "a"), block(parent, sequence, "b")
	m := &messages.RoundChange{
		PreparedBlock: types.NewBlockWithHeader(a),
		Prepares:      []*messages.Prepare{{Seal: make([]byte, 96)}},
	}
	must.Do(t, messages.Sign(m.Prepares[0], v.node))
	m.Sequence, m.Round, m.Prepared = sequence, 2, &messages.PreparedClaim{Digest: a.Hash()}
	e := made(t, TwoRoundChanges, v.sign(m), v.change(2, &messages.PreparedClaim{Digest: b.Hash()}))
	expect.That(t, len(e.Messages[0]) <= 200, "the certificate is kept: %d bytes", len(e.Messages[0]))
	verdict := Judge(e, court(v))
	expect.That(t, verdict.Label == Explainable, "%s: %s", verdict.Label, verdict.Reason)
}

// Nothing in a file of the store makes the judge fail otherwise than with a verdict.
func FuzzJudge(f *testing.F) {
	v := newSigner(f, "v")
	a, b := block(parent, sequence, "a"), block(parent, sequence, "b")
	for kind, pair := range map[Kind][2][]byte{
		TwoPrepares:     {v.prepare(1, a), v.prepare(1, b)},
		TwoProposals:    {v.propose(0, a), v.propose(0, b)},
		ForgottenCommit: {v.commit(0, a), v.change(1, nil)},
	} {
		e := must.Get(New(kind, genesis, pair[0], pair[1], []*types.Header{a}, seen))(f)
		content := must.Get(json.Marshal(e))(f)
		f.Add(content)
	}
	jury := court(v)
	f.Fuzz(func(t *testing.T, content []byte) {
		e := new(Evidence)
		if json.Unmarshal(content, e) != nil {
			return
		}
		expect.That(t, Judge(e, jury).Reason != "", "a verdict without reason")
	})
}
