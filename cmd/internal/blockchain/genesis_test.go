// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/params"
)

// A genesis file may not change the rules of blocks that exist, those from the genesis block on included
// (spec chain 1.5).
func TestInitKeepsRules(t *testing.T) {
	config := func(block *uint64) *params.ChainConfig {
		c, err := params.DevConfig(params.DevChainID, params.DevnetValidator{
			Address: common.Address{1}, BLSPublicKey: make([]byte, params.BLSPublicKeyLength),
		}, 1, params.V1)
		if err != nil {
			t.Fatal(err)
		}
		c.Anzeon.FeePayerCheckBlock = block
		return c
	}
	for _, c := range []struct {
		name     string
		head     int64
		old, new *uint64
		text     string // of the error; empty for none
	}{
		{"nothing changes", 10, new(uint64(0)), new(uint64(0)), ""},
		{"no blocks yet", 0, new(uint64(0)), new(uint64(5)), ""},
		{"from the genesis block on", 10, new(uint64(0)), new(uint64(5)), "feePayerCheckBlock was block 0 and would be " +
			"block 5"},
		{"never before", 10, nil, new(uint64(5)), "feePayerCheckBlock was never and would be block 5"},
		{"above the head", 10, nil, new(uint64(11)), ""},
	} {
		db := rawdb.NewMemoryDatabase()
		genesis := &types.Header{Number: new(big.Int), Difficulty: common.Big1}
		head := &types.Header{Number: big.NewInt(c.head), Difficulty: common.Big1}
		for _, h := range []*types.Header{head, genesis} {
			rawdb.WriteHeader(db, h)
			rawdb.WriteCanonicalHash(db, h.Hash(), h.Number.Uint64())
		}
		rawdb.WriteHeadHeaderHash(db, head.Hash())
		rawdb.WriteChainConfig(db, genesis.Hash(), config(c.old))
		err := checkRules(db, config(c.new))
		if c.text == "" && err != nil || c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.text)
		}
	}
}
