// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"testing"

	"github.com/ethereum/go-ethereum/rlp"

	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// The genesis blocks of the public networks, without seals, pass as they are.
func TestGenesisOfNetworks(t *testing.T) {
	for _, network := range params.Networks() {
		t.Run(network.Name, func(t *testing.T) {
			_, info, err := core.DescribeGenesis(core.NetworkGenesis(network), nil)
			must.Do(t, err)
			header := must.Get(rlp.EncodeToBytes(info.Header))(t)
			item := &blockItem{Header: header, Body: rlp.RawValue{0xc2, 0xc0, 0xc0}, Receipts: rlp.EmptyList}
			block := must.Get(item.decode(0, true))(t)
			expect.Equal(t, block.Hash(), network.GenesisHash, "hash")
		})
	}
}
