// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// startExplorer starts node i with the explorer profile instead of the modules of a development node.
func startExplorer(t testing.TB, c *cluster, i int) {
	t.Helper()
	args := c.node(i).Args()
	for _, flag := range []string{"--http.api", "--ws.api", "--unlock", "--password"} {
		if at := slices.Index(args, flag); at >= 0 {
			args = slices.Delete(args, at, at+2)
		}
	}
	args = slices.DeleteFunc(args, func(arg string) bool {
		return arg == "--rpc.enabledeprecatedpersonal" || arg == "--allow-insecure-unlock"
	})
	p := must.Get(c.supervisor.StartWith(c.node(i), append(args, "--rpc.profile", "explorer", "--gcmode", "archive")))(t)
	c.processes[c.node(i)] = p
}

// A node of the explorer profile serves the public methods, bounded traces and Otterscan, with the fee payer of a
// delegated transaction. Other methods of debug, and other namespaces, do not exist.
// spec: rpc 9.7
func TestExplorer(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 1)
	startExplorer(t, c, 0)
	c.awaitHead(t, 1, 0)
	payer, sender := c.network.Accounts[0].Address, c.network.Accounts[1].Address
	receiver := common.HexToAddress("0x00000000000000000000000000000000000000aa")
	hash := c.sponsored(t, receiver)
	number := c.receipt(t, 0, hash).BlockNumber.Uint64()

	callTracer := map[string]any{"tracer": "callTracer"}
	for _, test := range []struct {
		method string
		args   []any
		want   string // part of the answer, in lower case
	}{
		{"debug_traceBlockByNumber", []any{hexutil.Uint64(number), callTracer}, payer.Hex()},
		{"trace_block", []any{hexutil.Uint64(number)}, hash.Hex()},
		{"erigon_getHeaderByNumber", []any{number}, hexutil.EncodeUint64(number)},
		{"ots_getApiLevel", nil, "8"},
		{"ots_searchTransactionsAfter", []any{receiver, 0, 25}, `"type":"0x16"`},
		{"istanbul_getValidators", []any{"latest"}, "0x"},
		{"txpool_status", nil, "pending"},
	} {
		t.Run(test.method, func(t *testing.T) {
			answer := get[json.RawMessage](t, c, 0, test.method, test.args...)
			expect.Contains(t, strings.ToLower(string(answer)), strings.ToLower(test.want),
				"%.500s, want %s in it", answer, test.want)
		})
	}
	for _, test := range []struct {
		method string
		args   []any
		code   int
	}{
		{"admin_nodeInfo", nil, -32601},
		{"personal_listAccounts", nil, -32601},
		{"miner_stop", nil, -32601},
		{"debug_setHead", []any{"0x0"}, -32601},
		{"eth_sendTransaction", []any{map[string]any{}}, -32601},
		{"ots_searchTransactionsBefore", []any{sender, 0, 1000}, -32602},
	} {
		t.Run("refused "+test.method, func(t *testing.T) {
			err := c.call(0, nil, test.method, test.args...)
			var coded gethrpc.Error
			expect.That(t, errors.As(err, &coded) && coded.ErrorCode() == test.code, "%v, want code %d", err, test.code)
		})
	}
}

// sponsored sends a coin's smallest unit from account 1 of the network; account 0 pays for the gas.
func (c *cluster) sponsored(t *testing.T, to common.Address) (hash common.Hash) {
	t.Helper()
	payer, sender := c.network.Accounts[0], c.network.Accounts[1]
	tip, feeCap := c.fees(t, 0)
	tx := new(types.Transaction)
	err := tx.UnmarshalBinary(transfer(t, sender.Key(), 0, to, common.Big1, tip, feeCap))
	if err == nil {
		tx, err = types.WrapFeeDelegated(tx, payer.Address)
	}
	if err == nil {
		tx, err = types.SignTx(tx, types.NewFeeDelegateSigner(new(big.Int).SetUint64(chainID)), payer.Key())
	}
	must.Do(t, err)
	raw := must.Get(tx.MarshalBinary())(t)
	c.must(t, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
	return hash
}
