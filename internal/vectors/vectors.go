// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vectors

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
)

// keys is the number of node keys that recorded chains and messages use.
const keys = 30

// TB is what the functions of this package need of a test. Properties of pgregory.net/rapid have it, too.
type TB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Load decodes a JSON file of the calling package's directory testdata. The name is relative to testdata.
func Load(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// NodeKey returns the secp256k1 node key with an index. The keys of recorded chains have the indices 0 to 29.
func NodeKey(t TB, index int) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "wbft-vector-key-%d", index)))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// NodeKeyOf returns the secp256k1 node key of a recorded chain that belongs to an address.
func NodeKeyOf(t TB, address common.Address) *ecdsa.PrivateKey {
	t.Helper()
	for i := range keys {
		if key := NodeKey(t, i); crypto.PubkeyToAddress(key.PublicKey) == address {
			return key
		}
	}
	t.Fatalf("none of the %d node keys belongs to %v", keys, address)
	return nil
}

// Header decodes the RLP of a header.
func Header(t TB, encoded []byte) *types.Header {
	t.Helper()
	header := new(types.Header)
	if err := rlp.DecodeBytes(encoded, header); err != nil {
		t.Fatalf("decode header: %v", err)
	}
	return header
}
