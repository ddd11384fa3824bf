// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestSharesMakeTheSealOfTheKey: any threshold of shares make the bytes that the whole key makes, and a smaller number
// or a wrong part makes others. spec: wbft 2.1
func TestSharesMakeTheSealOfTheKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := secret(t)
		count := rapid.IntRange(1, 7).Draw(t, "count")
		threshold := rapid.IntRange(1, count).Draw(t, "threshold")
		message := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "message")
		shares, err := Split(key, threshold, count)
		if err != nil {
			t.Fatal(err)
		}
		chosen := rapid.Permutation(shares).Draw(t, "order")[:threshold]
		parts := make([]Part, threshold)
		keys, indices := make([]*PublicKey, threshold), make([]byte, threshold)
		for i, s := range chosen {
			encoded := s.Key.Sign(message)
			if !Verify(s.Key.PublicKey(), message, encoded) {
				t.Fatalf("the part of share %d does not verify", s.Index)
			}
			signature, err := ParseSignature(encoded)
			if err != nil {
				t.Fatal(err)
			}
			parts[i] = Part{s.Index, signature}
			keys[i], indices[i] = s.Key.PublicKey(), s.Index
		}
		want := key.Sign(message)
		if got, err := Combine(parts); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("the shares make %x, the key %x (%v)", got, want, err)
		}
		if got, err := CombineKeys(indices, keys); err != nil || !got.Equal(key.PublicKey()) {
			t.Fatalf("the public keys of the shares are not those of the key (%v)", err)
		}
		if threshold == 1 {
			return
		}
		if got, err := Combine(parts[1:]); err != nil || bytes.Equal(got, want) {
			t.Fatalf("%d of %d shares make the seal of the key (%v)", threshold-1, threshold, err)
		}
		parts[0].Signature = parts[1].Signature
		if got, err := Combine(parts); err != nil || Verify(key.PublicKey(), message, got) {
			t.Fatalf("a wrong part makes a seal that verifies (%v)", err)
		}
	})
}

// secret draws a secret key.
func secret(t *rapid.T) *SecretKey {
	scalar := rapid.SliceOfN(rapid.Byte(), SecretKeyLength, SecretKeyLength).Draw(t, "secret")
	scalar[0] &= 0x3f // below the order
	scalar[31] |= 1
	key, err := ParseSecretKey(scalar)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestShareErrors: what is no set of shares is refused.
func TestShareErrors(t *testing.T) {
	key, err := ParseSecretKey(append(make([]byte, 31), 7))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ threshold, count int }{{0, 3}, {4, 3}, {2, MaxShares + 1}, {-1, 2}} {
		if _, err := Split(key, c.threshold, c.count); err == nil {
			t.Errorf("a key was split into %d shares with threshold %d", c.count, c.threshold)
		}
	}
	signature, err := ParseSignature(key.Sign([]byte("message")))
	if err != nil {
		t.Fatal(err)
	}
	for name, indices := range map[string][]byte{"none": nil, "index 0": {0}, "twice": {2, 1, 2}, "0 of two": {1, 0}} {
		var parts []Part
		for _, i := range indices {
			parts = append(parts, Part{i, signature})
		}
		if _, err := Combine(parts); err == nil {
			t.Errorf("%s: combined", name)
		}
	}
	if _, err := CombineKeys([]byte{1, 2}, []*PublicKey{key.PublicKey()}); err == nil {
		t.Error("two indices and one key were combined")
	}
}
