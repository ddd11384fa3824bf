// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package forkid

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
)

// Spec chain 1.5: the fork ids of the public networks. Their fork blocks must take part by being fields of the chain
// configuration, without a change of this package.
func TestAnzeonForkID(t *testing.T) {
	data, err := os.ReadFile("testdata/networks.json")
	if err != nil {
		t.Fatal(err)
	}
	type forkID struct {
		Hash hexutil.Bytes
		Next uint64
	}
	var v struct {
		Networks []struct {
			ChainConfig *params.ChainConfig
			GenesisHash common.Hash
			HeaderRlp   hexutil.Bytes
			ForkID      struct {
				AtGenesis forkID
				AtHead    forkID `json:"atHead1000000"`
			}
		}
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Networks) != 2 {
		t.Fatalf("%d networks", len(v.Networks))
	}
	for _, n := range v.Networks {
		header := new(types.Header)
		if err := rlp.DecodeBytes(n.HeaderRlp, header); err != nil {
			t.Fatal(err)
		}
		genesis := types.NewBlockWithHeader(header)
		if genesis.Hash() != n.GenesisHash {
			t.Errorf("chain %v: genesis hash %v, want %v", n.ChainConfig.ChainID, genesis.Hash(), n.GenesisHash)
		}
		for _, c := range []struct {
			head uint64
			want forkID
		}{
			{0, n.ForkID.AtGenesis},
			{99, n.ForkID.AtGenesis},
			{100, n.ForkID.AtHead},
			{1_000_000, n.ForkID.AtHead},
		} {
			got := NewID(n.ChainConfig, genesis, c.head, 1_700_000_000)
			if !bytes.Equal(got.Hash[:], c.want.Hash) || got.Next != c.want.Next {
				t.Errorf("chain %v at %d: fork id %x/%d, want %v/%d", n.ChainConfig.ChainID, c.head, got.Hash, got.Next,
					c.want.Hash, c.want.Next)
			}
		}
	}
}
