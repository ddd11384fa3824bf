// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/finality"
	"gwon/internal/must"
)

// A node proves its blocks to a program that knows the genesis block only, and gwon proof verify agrees.
// spec: wbft 3.1, 7.5
func TestFinalityProofOfNode(t *testing.T) {
	c := oneNode(t)
	c.awaitHead(t, 12, 0) // beyond the first epoch
	var genesis *types.Header
	c.must(t, 0, &genesis, "eth_getBlockByNumber", "0x0", false)
	var answer json.RawMessage
	c.must(t, 0, &answer, "istanbul_getFinalityProof", "0xc")
	proof := must.Get(finality.Decode(strings.NewReader(string(answer))))(t)
	header := must.Get(finality.Verify(proof, finality.Genesis(big.NewInt(chainID), genesis)))(t)
	if want := c.block(t, 0, "0xc").Hash; header.Hash() != want {
		t.Errorf("block %v is proven, want %v", header.Hash(), want)
	}
	file := filepath.Join(t.TempDir(), "proof.json")
	must.Do(t, os.WriteFile(file, answer, 0o600))
	out, _, err := gwon(t, t.TempDir(), "proof", "verify", "--chain", strconv.Itoa(chainID),
		"--trusted", genesis.Hash().Hex(), file)
	if err != nil || !strings.Contains(out, "Block 12 is final") {
		t.Errorf("%s, %v", out, err)
	}
	_, says, err := gwon(t, t.TempDir(), "proof", "verify", "--testnet", file)
	if err == nil { // of the testnet, whose first validators have other keys
		t.Errorf("the proof of another network: %s", says)
	}
}
