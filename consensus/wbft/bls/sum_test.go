// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"bytes"
	"testing"

	"gwon/internal/vectors"
)

// A secret key that is read back signs as the one that was derived, and nothing else is read as one. spec: wbft 2.1
func TestParseSecretKey(t *testing.T) {
	key, err := DeriveKey(vectors.NodeKey(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseSecretKey(key.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !again.PublicKey().Equal(key.PublicKey()) || !bytes.Equal(again.Sign([]byte("m")), key.Sign([]byte("m"))) {
		t.Error("the key that was read back is another one")
	}
	for name, scalar := range map[string][]byte{
		"nothing": nil, "zero": make([]byte, 32), "short": key.Bytes()[1:], "above the order": bytes.Repeat([]byte{0xff}, 32),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseSecretKey(scalar); err == nil {
				t.Error("read as a key")
			}
		})
	}
}

// A signature verifies under the sum of the keys that have made its parts. spec: wbft 2.5
func TestSumKeys(t *testing.T) {
	var keys []*PublicKey
	var signatures [][]byte
	for i := range 3 {
		key, err := DeriveKey(vectors.NodeKey(t, i))
		if err != nil {
			t.Fatal(err)
		}
		keys, signatures = append(keys, key.PublicKey()), append(signatures, key.Sign([]byte("m")))
	}
	sum, err := ParsePublicKey(SumKeys(keys))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := AggregateSignatures(signatures)
	if err != nil || !Verify(sum, []byte("m"), signature) || Verify(sum, []byte("m"), signatures[0]) {
		t.Errorf("sum of the keys does not stand for them: %v", err)
	}
	if SumKeys(nil) != nil {
		t.Error("no keys have a sum")
	}
}
