// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/contracts/store"
	"gwon/core"
	"gwon/internal/dial"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// codeNode answers eth_getCode by address and block, and fails for a block without states.
type codeNode struct {
	id    hexutil.Uint64
	codes map[common.Address]map[string]hexutil.Bytes
}

func (n codeNode) ChainId() hexutil.Uint64 { return n.id } //nolint:revive // the method's name on the wire

func (n codeNode) GetCode(address common.Address, block string) (hexutil.Bytes, error) {
	code, ok := n.codes[address][block]
	if !ok {
		return nil, errors.New("missing trie node")
	}
	return code, nil
}

func serveCode(t *testing.T, node codeNode) string {
	t.Helper()
	server := rpc.NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, server.RegisterName("eth", node))
	endpoint := httptest.NewServer(server)
	t.Cleanup(endpoint.Close)
	return endpoint.URL
}

// Code is stored only if its hash is right. Code that an upgrade has replaced is found before the upgrade.
//
// spec: chain 9.1, chain 10
func TestFetchCode(t *testing.T) {
	wanted, made := madeUp("kept", "replaced", "new", "lost", "other")
	places := []core.MissingCode{
		{Contract: "kept", Version: "v1", Address: common.Address{1}},
		{Contract: "replaced", Version: "v1", Address: common.Address{2}},
		{Contract: "new", Version: "v2", Address: common.Address{2}, Block: 10},
		{Contract: "lost", Version: "v1", Address: common.Address{3}},
		{Contract: "other", Version: "v1", Address: common.Address{4}},
	}
	for i := range places {
		places[i].Hash = wanted[i].Hash
	}
	node := must.Get(dial.Node(t.Context(), serveCode(t, codeNode{codes: map[common.Address]map[string]hexutil.Bytes{
		{1}: {"latest": made[0]},
		{2}: {"latest": made[2], "0x9": made[1]},
		{3}: {},
		{4}: {"latest": made[0], "0x0": {}},
	}})))(t)
	t.Cleanup(node.Close)
	codes := must.Get(store.Open(filepath.Join(t.TempDir(), "contracts")))(t)
	var out bytes.Buffer
	must.Do(t, fetchCode(t.Context(), &out, codes, node, places))
	for i, place := range places {
		code, err := codes.Get(place.Hash)
		stored := err == nil && crypto.Keccak256Hash(code) == place.Hash
		expect.That(t, stored == (i < 3), "%s: stored %v\n%s", place.Contract, stored, &out)
	}
	for _, want := range []string{
		"No code of lost v1: block 0x0: ", "missing trie node", "No code of other v1: the node",
	} {
		expect.Contains(t, out.String(), want, "no %q in\n%s", want, &out)
	}
}

// A node of another network is refused before it is asked for code.
func TestFetchFromOtherNetwork(t *testing.T) {
	for _, c := range []struct {
		id   hexutil.Uint64
		flag []string
		want string
	}{
		{1, nil, "has chain ID 1, which is no public network"},
		{8282, []string{"--testnet"}, "is on --mainnet: name a node of the other network"},
		{8283, []string{"--mainnet"}, "is on --testnet: name a node of the other network"},
	} {
		args := append([]string{"contracts", "fetch", "--datadir", t.TempDir()}, c.flag...)
		out, err := run(t, append(args, "--rpc", serveCode(t, codeNode{id: c.id}))...)
		expect.That(t, err != nil && strings.Contains(err.Error(), c.want),
			"chain %d with %v: %v\n%s", c.id, c.flag, err, out)
	}
}
