// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/must"
	"gwon/params"
)

// Patterns of results on the wire.
const (
	quantity  = `"0x(0|[1-9a-f][0-9a-f]*)"`
	bytes32   = `"0x[0-9a-f]{64}"`
	addresses = `\["0x[0-9a-f]{40}"(,"0x[0-9a-f]{40}")*\]`
)

// Every method of the service description answers as column P of spec rpc 9 asks.
func TestServiceDescription(t *testing.T) {
	c := oneNode(t)
	rich := c.network.Accounts[1].Address.Hex()
	const (
		nobody  = `"0x00000000000000000000000000000000000000bb"`
		unknown = `"0x00000000000000000000000000000000000000000000000000000000000000aa"`
		adapter = `"0x0000000000000000000000000000000000001000"`
		// Init code that reverts with the two bytes 0xbeef.
		reverting = `{"data":"0x61beef6000526002601efd"}`
		farBlock  = `"0xffffff"`
	)
	gwei := func(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(gethparams.GWei)) }
	lowTip := hexutil.Encode(transfer(t, c.network.Accounts[3].Key(), 0, common.Address{1}, big.NewInt(1), gwei(27_599),
		gwei(60_000)))

	for _, test := range []struct {
		method, params string
		result         string // pattern of the whole result, or
		code           int    // of the error, with
		message        string // in its message
	}{
		// 9.1
		{"eth_chainId", `[]`, `"0x205b"`, 0, ""},
		{"net_version", `[]`, `"8283"`, 0, ""},
		// 9.2, 9.3
		{"eth_blockNumber", `[]`, quantity, 0, ""},
		{"eth_getBalance", `["` + rich + `","latest"]`, quantity, 0, ""},
		{"eth_getBalance", `["` + rich + `","pending"]`, quantity, 0, ""},
		{"eth_getBalance", `["` + rich + `"]`, quantity, 0, ""},
		{"eth_getBalance", `["` + rich + `","earliest"]`, `"0x33b2e3c9fd0803ce8000000"`, 0, ""},
		{"eth_getBalance", `[` + nobody + `,"latest"]`, `"0x0"`, 0, ""},
		{"eth_getBalance", `["` + rich + `",` + farBlock + `]`, "", -32000, "header not found"},
		{"eth_getBalance", `["0xaa","latest"]`, "", -32602, "invalid argument 0"},
		{"eth_getBalance", `["` + rich + `","0x01"]`, "", -32602, "leading zero"},
		{"eth_call", `[{"to":` + nobody + `},"latest"]`, `"0x"`, 0, ""},
		{"eth_call", `[` + reverting + `,"latest"]`, "", 3, "execution reverted"},
		{"eth_estimateGas", `[{"from":"` + rich + `","to":` + nobody + `,"value":"0x1"}]`, `"0x5208"`, 0, ""},
		{"eth_estimateGas", `[{"from":"` + rich + `","to":` + nobody + `,"value":"0x1"},"latest"]`, `"0x5208"`, 0, ""},
		{"eth_sendRawTransaction", `["` + lowTip + `"]`, "", -32000, "minimum needed 27600000000000"},
		{"eth_sendRawTransaction", `["0x05aabb"]`, "", -32000, "transaction type not supported"},
		{"eth_getTransactionReceipt", `[` + unknown + `]`, `null`, 0, ""},
		{"istanbul_getValidators", `[]`, addresses, 0, ""},
		{"istanbul_getValidators", `["latest"]`, addresses, 0, ""},
		{"istanbul_getValidators", `["earliest"]`, addresses, 0, ""},
		{"istanbul_getValidators", `["pending"]`, addresses, 0, ""},
		{"istanbul_getValidators", `["safe"]`, addresses, 0, ""},
		{"istanbul_getValidators", `["finalized"]`, addresses, 0, ""},
		{"istanbul_getValidators", `["0x1"]`, addresses, 0, ""},
		{"istanbul_getValidators", `[` + farBlock + `]`, "", -32000, "unknown block"},
		{"istanbul_status", `[]`,
			`\{.*"blockRange":\{"startBlock":\d+,"endBlock":\d+,"totalBlocks":([1-9]|[1-5]\d|6[0-4])\}.*\}`, 0, ""},
		{"istanbul_status", `["0x1","0x1"]`, `\{.*"totalBlocks":1\b.*\}`, 0, ""},
		// 9.4: with success in TestFeeDelegation
		{"eth_signRawFeeDelegateTransaction", `[{}]`, "", -32602, "missing value for required argument 1"},
		{"personal_signRawFeeDelegateTransaction", `[{},"0x"]`, "", -32602, "missing value for required argument 2"},
		// 9.5
		{"eth_getCode", `[` + nobody + `,"latest"]`, `"0x"`, 0, ""},
		{"eth_getStorageAt", `[` + nobody + `,"0x0","latest"]`, `"0x0{64}"`, 0, ""},
		{"eth_getStorageAt", `[` + adapter + `,"0x0","latest"]`, bytes32, 0, ""},
		{"eth_getTransactionCount", `["` + rich + `","latest"]`, quantity, 0, ""},
		{"eth_getTransactionByHash", `[` + unknown + `]`, `null`, 0, ""},
		{"eth_getBlockByNumber", `["latest",false]`, `\{.*"totalDifficulty":"0x[0-9a-f]+".*\}`, 0, ""},
		{"eth_getBlockByNumber", `[` + farBlock + `,false]`, `null`, 0, ""},
		{"eth_getBlockByHash", `[` + unknown + `,false]`, `null`, 0, ""},
		{"eth_gasPrice", `[]`, `"0x2b4abd176000"`, 0, ""},
		{"eth_maxPriorityFeePerGas", `[]`, `"0x191a20322000"`, 0, ""},
		{"eth_feeHistory", `["0x1","latest",[50]]`, `\{.*"baseFeePerGas":\["0x12309ce54000","0x12309ce54000"\].*\}`, 0, ""},
		{"eth_getLogs", `[{"fromBlock":"0x0","toBlock":"0x1"}]`, `\[\]`, 0, ""},
		{"eth_getLogs", `[{"fromBlock":"0x3","toBlock":"0x1"}]`, "", -32602,
			"invalid block range params: fromBlock 3 is above toBlock 1"},
		{"eth_getLogs", `[{"fromBlock":"latest"}]`, `\[.*\]`, 0, ""}, // the head may have a payment of another test
		{"eth_blobBaseFee", `[]`, "", -32601, "the method eth_blobBaseFee does not exist/is not available"},
		{"eth_syncing", `[]`, `false`, 0, ""},
		{"eth_mining", `[]`, `true`, 0, ""},
		{"txpool_status", `[]`, `\{"pending":"0x0","queued":"0x0"\}`, 0, ""},
		{"web3_clientVersion", `[]`, `"gwon/gstable-compatible/v.*"`, 0, ""},
		{"net_peerCount", `[]`, `"0x0"`, 0, ""},
		{"net_listening", `[]`, `true`, 0, ""},
		// 9.6
		{"eth_nonsense", `[]`, "", -32601, "the method eth_nonsense does not exist/is not available"},
		{"admin_nodeInfo", `[]`, "", -32601, "the method admin_nodeInfo does not exist/is not available"},
	} {
		t.Run(test.method+test.params, func(t *testing.T) {
			answer := post(t, c.node(0).HTTP(), test.method, test.params)
			if answer.Status != http.StatusOK {
				t.Errorf("HTTP status %d, want 200", answer.Status)
			}
			switch {
			case test.code != 0:
				if answer.Error == nil || answer.Error.Code != test.code || !strings.Contains(answer.Error.Message, test.message) {
					t.Errorf("result %s, error %+v; want error %d with %q", answer.Result, answer.Error, test.code, test.message)
				}
			case answer.Error != nil:
				t.Errorf("error %+v, want a result like %s", answer.Error, test.result)
			case !regexp.MustCompile(`^(?:` + test.result + `)$`).Match(answer.Result):
				t.Errorf("result %s, want it like %s", answer.Result, test.result)
			}
		})
	}
}

// The total difficulty counts blocks from the genesis difficulty on (spec rpc 10).
func TestTotalDifficulty(t *testing.T) {
	c := oneNode(t)
	for _, number := range []uint64{0, 1} {
		b := c.block(t, 0, number)
		if want := number + 1; b.TotalDiff == nil || b.TotalDiff.ToInt().Uint64() != want {
			t.Errorf("block %d: total difficulty %v, want %d", number, b.TotalDiff, want)
		}
	}
}

// The envelope rules of spec rpc 2 and 9.1 on the wire.
func TestEnvelope(t *testing.T) {
	c := oneNode(t)
	for _, test := range []struct {
		name, method, path, contentType, body string
		status                                int
		answer                                string
	}{
		{"missing params", "POST", "/", "application/json", `{"jsonrpc":"2.0","id":"a","method":"eth_chainId"}`, 200,
			`{"jsonrpc":"2.0","id":"a","result":"0x205b"}`},
		{"other content type", "POST", "/", "text/plain", `{}`, 415, ""},
		{"other path", "POST", "/x", "application/json", `{}`, 404, ""},
		{"health check", "GET", "/", "", "", 200, ""},
		{"other verb", "PUT", "/", "application/json", `{}`, 405, ""},
		{"no JSON", "POST", "/", "application/json", `{`, 200,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`},
		{"empty batch", "POST", "/", "application/json", `[]`, 200,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequest(test.method, c.node(0).HTTP()+test.path, strings.NewReader(test.body))
			must.Do(t, err)
			request.Header.Set("Content-Type", test.contentType)
			answer := must.Get(http.DefaultClient.Do(request))(t)
			defer func() { _ = answer.Body.Close() }()
			if answer.StatusCode != test.status {
				t.Errorf("HTTP status %d, want %d", answer.StatusCode, test.status)
			}
			if test.answer == "" {
				return
			}
			var got, want any
			must.Do(t, json.NewDecoder(answer.Body).Decode(&got))
			must.Do(t, json.Unmarshal([]byte(test.answer), &want))
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("answer %v, want %v", got, want)
			}
		})
	}
}
