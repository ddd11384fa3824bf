// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// specimens are aggregates of all kinds, good ones and bad ones.
func specimens(t testing.TB) map[string]Signed {
	t.Helper()
	a, b := blsKey(t, 0), blsKey(t, 1)
	one, two := []byte("one"), []byte("two")
	both, err := AggregateSignatures([][]byte{a.Sign(two), b.Sign(two)})
	if err != nil {
		t.Fatal(err)
	}
	infinity := append([]byte{0xc0}, make([]byte, SignatureLength-1)...)
	minus, err := ParsePublicKey(negated(a.PublicKey().Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Signed{
		"one key":               {Keys: []*PublicKey{a.PublicKey()}, Message: one, Signature: a.Sign(one)},
		"two keys":              {Keys: []*PublicKey{a.PublicKey(), b.PublicKey()}, Message: two, Signature: both},
		"other message":         {Keys: []*PublicKey{a.PublicKey()}, Message: two, Signature: a.Sign(one)},
		"other key":             {Keys: []*PublicKey{b.PublicKey()}, Message: one, Signature: a.Sign(one)},
		"key missing":           {Keys: []*PublicKey{a.PublicKey()}, Message: two, Signature: both},
		"negated":               {Keys: []*PublicKey{a.PublicKey()}, Message: one, Signature: negated(a.Sign(one))},
		"infinite signature":    {Keys: []*PublicKey{a.PublicKey()}, Message: one, Signature: infinity},
		"infinite key":          {Keys: []*PublicKey{a.PublicKey(), minus}, Message: one, Signature: infinity},
		"no keys":               {Keys: nil, Message: one, Signature: infinity},
		"nil key":               {Keys: []*PublicKey{nil}, Message: one, Signature: a.Sign(one)},
		"short signature":       {Keys: []*PublicKey{a.PublicKey()}, Message: one, Signature: a.Sign(one)[:95]},
		"signature of no point": {Keys: []*PublicKey{a.PublicKey()}, Message: one, Signature: bytes.Repeat([]byte{0xab}, SignatureLength)},
	}
}

// A batch is good exactly when each of its parts is, whatever the others are (spec wbft 2.5).
func TestVerifyBatch(t *testing.T) {
	all := specimens(t)
	var names []string
	for name, s := range all {
		names = append(names, name)
		want := VerifyAggregate(s.Keys, s.Message, s.Signature)
		if have := VerifyBatch([]Signed{s}); have != want {
			t.Errorf("%s alone: %t, want %t", name, have, want)
		}
	}
	if !VerifyBatch(nil) {
		t.Error("nothing to verify is false")
	}
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
		if have := VerifyBatch(batch); have != want {
			t.Fatalf("%t, want %t", have, want)
		}
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
	if VerifyBatch(swapped) {
		t.Error("swapped signatures pass")
	}
	if swapped[0].Signature, swapped[1].Signature = swapped[1].Signature, swapped[0].Signature; !VerifyBatch(swapped) {
		t.Error("the right ones do not")
	}
}

// BenchmarkVerifyBatch verifies 32 aggregates of five keys; the metric is the time of one.
func BenchmarkVerifyBatch(b *testing.B) {
	const size = 32
	var batch []Signed
	for i := range size {
		msg := []byte{byte(i)}
		var keys []*PublicKey
		var sigs [][]byte
		for k := range 5 {
			keys, sigs = append(keys, blsKey(b, k).PublicKey()), append(sigs, blsKey(b, k).Sign(msg))
		}
		sum, err := AggregateSignatures(sigs)
		if err != nil {
			b.Fatal(err)
		}
		batch = append(batch, Signed{Keys: keys, Message: msg, Signature: sum})
	}
	for b.Loop() {
		if !VerifyBatch(batch) {
			b.Fatal("good signatures do not pass")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*size), "us/aggregate")
}
