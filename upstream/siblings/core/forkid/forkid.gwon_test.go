// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package forkid

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publicNetwork is a network of testdata/networks.json.
type publicNetwork struct {
	ChainConfig *params.ChainConfig
	GenesisHash common.Hash
	HeaderRlp   hexutil.Bytes
	ForkID      struct {
		AtGenesis forkIDVector
		AtMillion forkIDVector `json:"atHead1000000"`
		AtBoho    forkIDVector `json:"atHead14408500"`
	}
}

type forkIDVector struct {
	Hash hexutil.Bytes
	Next uint64
}

// publicNetworks returns chains 8282 and 8283.
func publicNetworks(t *testing.T) []publicNetwork {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/networks.json"))(t)
	var v struct{ Networks []publicNetwork }
	must.Do(t, json.Unmarshal(data, &v))
	require.Equal(t, 2, len(v.Networks), "networks")
	return v.Networks
}

func (n *publicNetwork) genesis(t *testing.T) *types.Block {
	t.Helper()
	header := new(types.Header)
	must.Do(t, rlp.DecodeBytes(n.HeaderRlp, header))
	return types.NewBlockWithHeader(header)
}

// Spec chain 1.5: the fork ids of the public networks. Their fork blocks must take part by being fields of the chain
// configuration, without a change of this package.
func TestAnzeonForkID(t *testing.T) {
	for _, n := range publicNetworks(t) {
		genesis := n.genesis(t)
		assert.Equalf(t, n.GenesisHash, genesis.Hash(), "chain %v: genesis hash", n.ChainConfig.ChainID)
		for _, c := range []struct {
			head uint64
			want forkIDVector
		}{
			{0, n.ForkID.AtGenesis},
			{1_000_000, n.ForkID.AtMillion},
			{14_408_499, n.ForkID.AtMillion},
			{14_408_500, n.ForkID.AtBoho},
			{20_000_000, n.ForkID.AtBoho},
		} {
			got := NewID(n.ChainConfig, genesis, c.head, 1_700_000_000)
			if !bytes.Equal(got.Hash[:], c.want.Hash) || got.Next != c.want.Next {
				t.Errorf("chain %v at %d: fork id %x/%d, want %v/%d", n.ChainConfig.ChainID, c.head, got.Hash, got.Next,
					c.want.Hash, c.want.Next)
			}
		}
	}
}

// Nodes of chain 8283 accept each other before, at and after Boho, and no node that has it at another block
// (spec chain 1.5, network 2.1).
func TestPeersAroundBoho(t *testing.T) {
	const boho = 14_408_500
	testnet := publicNetworks(t)[1]
	genesis := checksumOf(0xdea2c682)
	for name, c := range map[string]struct {
		head uint64
		peer ID
		want error
	}{
		"both before":           {boho - 2, ID{genesis, boho}, nil},
		"peer after":            {boho - 1, ID{checksumOf(0x7b44b412), 0}, nil},
		"both after":            {boho, ID{checksumOf(0x7b44b412), 0}, nil},
		"peer before":           {boho + 1, ID{genesis, boho}, nil},
		"peer knows no fork":    {boho, ID{genesis, 0}, ErrRemoteStale},
		"fork at block 100":     {boho - 1, ID{checksumOf(0xf33f23e3), 0}, ErrLocalIncompatibleOrStale},
		"fork at 100, before":   {boho - 1, ID{genesis, 100}, ErrLocalIncompatibleOrStale},
		"fork at 100, long ago": {boho, ID{genesis, 100}, ErrRemoteStale},
	} {
		t.Run(name, func(t *testing.T) {
			head := func() (uint64, uint64) { return c.head, 1_700_000_000 }
			filter := newFilter(testnet.ChainConfig, testnet.genesis(t), head)
			assert.ErrorIs(t, filter(c.peer), c.want)
		})
	}
}

func checksumOf(hash uint32) (b [4]byte) {
	binary.BigEndian.PutUint32(b[:], hash)
	return b
}
