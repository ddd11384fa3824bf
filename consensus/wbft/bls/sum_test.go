// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"bytes"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// A secret key that is read back signs as the one that was derived, and nothing else is read as one. spec: wbft 2.1
func TestParseSecretKey(t *testing.T) {
	key := must.Get(DeriveKey(vectors.NodeKey(t, 1)))(t)
	again := must.Get(ParseSecretKey(key.Bytes()))(t)
	if !again.PublicKey().Equal(key.PublicKey()) || !bytes.Equal(again.Sign([]byte("m")), key.Sign([]byte("m"))) {
		t.Error("the key that was read back is another one")
	}
	for name, scalar := range map[string][]byte{
		"nothing": nil, "zero": make([]byte, 32), "short": key.Bytes()[1:], "above the order": bytes.Repeat([]byte{0xff}, 32),
	} {
		t.Run(name, func(t *testing.T) {
			expect.Refused(t, expect.Err(ParseSecretKey(scalar)), "read as a key")
		})
	}
}
