// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// specimens are aggregates of all kinds, good ones and bad ones.
func specimens(t testing.TB) map[string]Signed {
	t.Helper()
	a, b := blsKey(t, 0), blsKey(t, 1)
	one, two := []byte("one"), []byte("two")
	both := must.Get(aggregate([][]byte{a.Sign(two), b.Sign(two)}))(t)
	infinity := append([]byte{0xc0}, make([]byte, SignatureLength-1)...)
	minus := must.Get(ParsePublicKey(negated(a.PublicKey().Bytes())))(t)
	return map[string]Signed{
		"one key":            {Keys: []*PublicKey{a.PublicKey()}, Message: one, Signature: a.Sign(one)},
		"two keys":           {Keys: []*PublicKey{a.PublicKey(), b.PublicKey()}, Message: two, Signature: both},
		"other message":      {Keys: []*PublicKey{a.PublicKey()}, Message: two, Signature: a.Sign(one)},
		"other key":          {Keys: []*PublicKey{b.PublicKey()}, Message: one, Signature: a.Sign(one)},
		"key missing":        {Keys: []*PublicKey{a.PublicKey()}, Message: two, Signature: both},
		"negated":            {Keys: []*PublicKey{a.PublicKey()}, Message: one, Signature: negated(a.Sign(one))},
		"infinite signature": {Keys: []*PublicKey{a.PublicKey()}, Message: one, Signature: infinity},
		"infinite key":       {Keys: []*PublicKey{a.PublicKey(), minus}, Message: one, Signature: infinity},
		"no keys":            {Keys: nil, Message: one, Signature: infinity},
		"nil key":            {Keys: []*PublicKey{nil}, Message: one, Signature: a.Sign(one)},
		"short signature":    {Keys: []*PublicKey{a.PublicKey()}, Message: one, Signature: a.Sign(one)[:95]},
		"signature of no point": {
			Keys:      []*PublicKey{a.PublicKey()},
			Message:   one,
			Signature: bytes.Repeat([]byte{0xab}, SignatureLength),
		},
	}
}

// A batch is good exactly when each of its parts is, whatever the others are (spec wbft 2.5).
func TestVerifyBatch(t *testing.T) {
	all := specimens(t)
	var names []string
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			names = append(names, name)
			expect.Equal(t, VerifyBatch([]Signed{s}), VerifyAggregate(s.Keys, s.Message, s.Signature), "%s alone", name)
		})
	}
	expect.That(t, VerifyBatch(nil), "nothing to verify is false")
	rapid.Check(t, func(t *rapid.T) {
		var batch []Signed
		want := true
		for i := range rapid.IntRange(1, 5).Draw(t, "size") {
			name := "two keys"
			if rapid.IntRange(0, 3).Draw(t, fmt.Sprintf("odd%d", i)) == 0 {
				name = rapid.SampledFrom(names).Draw(t, fmt.Sprintf("name%d", i))
			}
			s := all[name]
			batch = append(batch, s)
			want = want && VerifyAggregate(s.Keys, s.Message, s.Signature)
		}
		must.Equal(t, VerifyBatch(batch), want, "VerifyBatch")
	})
}

// Two signatures that are wrong one by one and right in sum do not pass: a random factor keeps them apart.
func TestVerifyBatchKeepsSumsApart(t *testing.T) {
	a, b := blsKey(t, 0), blsKey(t, 1)
	msg := []byte("same")
	swapped := []Signed{
		{Keys: []*PublicKey{a.PublicKey()}, Message: msg, Signature: b.Sign(msg)},
		{Keys: []*PublicKey{b.PublicKey()}, Message: msg, Signature: a.Sign(msg)},
	}
	expect.That(t, !VerifyBatch(swapped), "swapped signatures pass")
	swapped[0].Signature, swapped[1].Signature = swapped[1].Signature, swapped[0].Signature
	expect.That(t, VerifyBatch(swapped), "the right ones do not")
}

// A batch in which signers, messages and known aggregates repeat is good exactly when each of its parts is.
// Signatures that were exchanged, forged or changed by the same point in opposite directions are not. spec: wbft 2.5
func TestVerifyBatchWithKnown(t *testing.T) {
	const members = 4
	sum := func(t rapid.TB, signers []int, msg []byte) ([]*PublicKey, []byte) {
		var keys []*PublicKey
		var signatures [][]byte
		for _, i := range signers {
			keys, signatures = append(keys, blsKey(t, i).PublicKey()), append(signatures, blsKey(t, i).Sign(msg))
		}
		signature := must.Get(aggregate(signatures))(t)
		return keys, signature
	}
	someOf := func(t *rapid.T, label string) (signers []int) {
		for mask, i := rapid.IntRange(1, 1<<members-1).Draw(t, label), 0; i < members; i++ {
			if mask>>i&1 == 1 {
				signers = append(signers, i)
			}
		}
		return signers
	}
	rapid.Check(t, func(t *rapid.T) {
		batch := make([]Signed, rapid.IntRange(1, 12).Draw(t, "size"))
		for i := range batch {
			msg := []byte{rapid.ByteRange(0, 3).Draw(t, "message")}
			keys, signature := sum(t, someOf(t, "signers"), msg)
			batch[i] = Signed{Keys: keys, Message: msg, Signature: signature}
			if rapid.Bool().Draw(t, "known") {
				keys, signature = sum(t, someOf(t, "known signers"), msg)
				batch[i].Known = &Aggregate{Keys: keys, Signature: signature}
			}
		}
		a, b := rapid.IntRange(0, len(batch)-1).Draw(t, "one"), rapid.IntRange(0, len(batch)-1).Draw(t, "other")
		switch rapid.SampledFrom([]string{"good", "exchanged", "forged", "opposite"}).Draw(t, "fault") {
		case "exchanged":
			batch[a].Signature, batch[b].Signature = batch[b].Signature, batch[a].Signature
		case "forged":
			batch[a].Signature = blsKey(t, members).Sign(batch[a].Message)
		case "opposite":
			if a != b {
				stray := blsKey(t, members).Sign([]byte("stray"))
				batch[a].Signature = added(t, batch[a].Signature, stray)
				batch[b].Signature = added(t, batch[b].Signature, negated(stray))
			}
		}
		want := true
		for _, s := range batch {
			want = want && VerifyAggregate(s.Keys, s.Message, s.Signature)
		}
		must.Equal(t, VerifyBatch(batch), want, "VerifyBatch")
	})
}

// An aggregate that is the known one is good, also alone. spec: wbft 2.5
func TestVerifyBatchOfTheKnown(t *testing.T) {
	msg := []byte("message")
	same := Aggregate{[]*PublicKey{blsKey(t, 0).PublicKey()}, blsKey(t, 0).Sign(msg)}
	expect.That(t, VerifyBatch([]Signed{{Keys: same.Keys, Message: msg, Signature: same.Signature, Known: &same}}),
		"not good")
}

// A known aggregate that could stand for every message, or that is none, makes nothing good. spec: wbft 2.5
func TestVerifyBatchRefusesKnown(t *testing.T) {
	a, msg := blsKey(t, 0), []byte("message")
	keys := []*PublicKey{a.PublicKey()}
	minus := must.Get(ParsePublicKey(negated(a.PublicKey().Bytes())))(t)
	infinity := append([]byte{0xc0}, make([]byte, SignatureLength-1)...)
	for _, test := range []struct {
		name  string
		known Aggregate
	}{
		{"infinite signature", Aggregate{keys, infinity}},
		{"infinite key", Aggregate{[]*PublicKey{a.PublicKey(), minus}, a.Sign(msg)}},
		{"no keys", Aggregate{nil, a.Sign(msg)}},
		{"no point", Aggregate{keys, bytes.Repeat([]byte{0xab}, SignatureLength)}},
		{"over another message", Aggregate{keys, a.Sign([]byte("other"))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			expect.That(t, !VerifyBatch([]Signed{{Keys: keys, Message: msg, Signature: a.Sign(msg), Known: &test.known}}),
				"good")
		})
	}
	stray := plus(t, a.Sign(msg), outside(t))
	if VerifyBatch([]Signed{{Keys: keys, Message: msg, Signature: stray, Known: &Aggregate{keys, a.Sign(msg)}}}) {
		t.Error("a signature outside the group is good")
	}
}

// added returns the sum of two signatures, whatever they are of.
func added(t rapid.TB, a, b []byte) []byte {
	t.Helper()
	return must.Get(aggregate([][]byte{a, b}))(t)
}

// aggregate returns the sum of signatures or aggregates (spec wbft 2.5).
func aggregate(sigs [][]byte) ([]byte, error) {
	parsed := make([]*Signature, len(sigs))
	for i, sig := range sigs {
		point, err := parseSignature(sig)
		if err != nil {
			return nil, err
		}
		parsed[i] = &Signature{point}
	}
	return Sum(parsed), nil
}
