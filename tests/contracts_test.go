// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/contracts/store"
	"gwon/core"
	"gwon/dev/devnet"
	"gwon/eth/codefetch"
	"gwon/eth/codefetch/fetchtest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A node gives contract code by its hash to somebody who is still without a chain: code of its genesis, and code that
// came with a later block (spec network 4).
func TestServesContractCode(t *testing.T) {
	t.Parallel()
	// 24 KiB of code stand in for go-stablenet's contracts, which have as much and cannot be had here.
	atGenesis := bytes.Repeat([]byte{0x60, 0x01, 0x50}, 8<<10)
	c := prepareGoverned(t, 1, func(_ *devnet.Network, genesis map[string]any) {
		account := map[string]any{"balance": "0x0", "code": hexutil.Encode(atGenesis)}
		inside(genesis, "alloc")["00000000000000000000000000000000000c0de0"] = account
	}).cluster
	file := must.Get(os.Open(filepath.Join(c.network.Dir, "genesis.json")))(t)
	given := must.Get(core.ReadGenesis(file))(t)
	must.Do(t, file.Close())
	genesis, _, err := core.BuildGenesis(given, nil)
	must.Do(t, err)
	c.start(t, 0)
	c.awaitHead(t, 1, 0)
	later := common.FromHex("0x60ff60ff")
	hash := get[common.Hash](t, c, 0, "eth_sendRawTransaction", hexutil.Bytes(deployment(t, c, later)))
	must.Equal(t, c.receipt(t, 0, hash).Status, types.ReceiptStatusSuccessful, "the contract was not made")

	store := must.Get(store.Open(filepath.Join(t.TempDir(), "contracts")))(t)
	node := must.Get(enode.Parse(enode.ValidSchemes, c.node(0).Enode()))(t)
	cfg := codefetch.Config{
		P2P:   fetchtest.Settings(t),
		Chain: codefetch.Chain{NetworkID: chainID, Config: genesis.Config, Genesis: genesis.ToBlock().Header()},
		Store: store,
		Missing: []core.MissingCode{
			{Contract: "genesis", Version: "v1", Hash: crypto.Keccak256Hash(atGenesis)},
			{Contract: "later", Version: "v1", Hash: crypto.Keccak256Hash(later)},
		},
		Patience: patience,
	}
	cfg.P2P.StaticNodes = []*enode.Node{node}
	must.Equal(t, must.Get(codefetch.Fetch(t.Context(), cfg))(t), 1, "peers asked")
	for _, code := range [][]byte{atGenesis, later} {
		got, err := store.Get(crypto.Keccak256Hash(code))
		expect.That(t, err == nil && bytes.Equal(got, code), "%d bytes, %v, want %d", len(got), err, len(code))
	}
	// The node has lost nothing by it, and goes on.
	head := must.Get(c.head(0))(t)
	c.awaitHead(t, head+1, 0)
}

// deployment returns a transaction that makes a contract with this code of 4 bytes.
func deployment(t *testing.T, c *cluster, code []byte) []byte {
	t.Helper()
	// PUSH4 code, PUSH1 0, MSTORE, PUSH1 4, PUSH1 28, RETURN
	init := append(append([]byte{0x63}, code...), 0x60, 0x00, 0x52, 0x60, 0x04, 0x60, 0x1c, 0xf3)
	tip, feeCap := c.fees(t, 0)
	id := big.NewInt(chainID)
	tx := must.Get(types.SignNewTx(c.network.Accounts[1].Key(), types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, GasTipCap: tip, GasFeeCap: feeCap, Gas: 200_000, Data: init,
	}))(t)
	return must.Get(tx.MarshalBinary())(t)
}
