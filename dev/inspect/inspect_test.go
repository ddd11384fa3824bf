// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/contracts"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/txobject"
	"gwon/params"
)

// node answers JSON-RPC by what a test put into it, by method and first argument.
type node map[string]string

// missing is the error of a method that a node does not offer.
type missing string

func (m missing) Error() string {
	return fmt.Sprintf("the method %s does not exist/is not available", string(m))
}
func (m missing) ErrorCode() int { return rpc.CodeNoMethod }

func (n node) CallContext(_ context.Context, result any, method string, args ...any) error {
	key := method
	if len(args) > 0 {
		key += " " + strings.Trim(fmt.Sprint(args[0]), "{}")
	}
	answer, ok := n[key]
	if !ok {
		answer, ok = n[method]
	}
	if !ok {
		return missing(method)
	}
	return json.Unmarshal([]byte(answer), result)
}

var (
	alice, bob, carol = common.HexToAddress("0xa1"), common.HexToAddress("0xb0b"), common.HexToAddress("0xca201")
	shop              = common.HexToAddress("0x5408")
	txHash            = common.HexToHash("0x77")
)

func named() *Book {
	b := NewBook()
	for address, name := range map[common.Address]string{alice: "Alice", bob: "Bob", carol: "Carol", shop: "Shop"} {
		b.Name(address, name)
	}
	return b
}

func coins(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e18)) }

func encode(t *testing.T, v any) string {
	t.Helper()
	text := must.Get(json.Marshal(v))(t)
	return string(text)
}

// coinLog is the log of a transfer of coins.
func coinLog(from, to common.Address, amount *big.Int) map[string]any {
	return map[string]any{
		"address": params.NativeCoinAdapterAddress, "data": hexutil.Bytes(common.BigToHash(amount).Bytes()),
		"topics":      []common.Hash{TransferTopic, common.BytesToHash(from[:]), common.BytesToHash(to[:])},
		"blockNumber": "0x5", "transactionHash": txHash, "transactionIndex": "0x0", "blockHash": txHash, "logIndex": "0x0",
	}
}

// mined returns a node with one transaction in a block.
func mined(t *testing.T, tx, receipt map[string]any) node {
	t.Helper()
	whole := map[string]any{
		"hash": txHash, "type": "0x2", "from": alice, "value": "0x0", "input": "0x", "nonce": "0x7", "gas": "0x5208",
		"gasPrice": "0x2b4abd176000", "maxFeePerGas": "0x56957a2ec000", "maxPriorityFeePerGas": "0x191a2b2b6c00",
		"blockNumber": "0x5",
	}
	for k, v := range tx {
		whole[k] = v
	}
	n := node{
		"eth_getTransactionByHash": encode(t, whole), "eth_getCode": `"0x"`,
		"eth_getBlockByNumber": `{"number":"0x5","timestamp":"0x64"}`,
	}
	if receipt == nil {
		return n
	}
	answer := map[string]any{
		"transactionHash": txHash, "status": "0x1", "gasUsed": "0x5208", "effectiveGasPrice": "0x2b4abd176000",
		"logs": []any{},
	}
	for k, v := range receipt {
		answer[k] = v
	}
	n["eth_getTransactionReceipt"] = encode(t, answer)
	return n
}

func inspected(t *testing.T, n node, o Options) *Transaction {
	t.Helper()
	tx := must.Get(New(n, named()).Transaction(t.Context(), txHash, o))(t)
	return tx
}

func input(t *testing.T, contract common.Address, function string, args ...any) hexutil.Bytes {
	t.Helper()
	data := must.Get(NewBook().At(contract).ABI.Pack(function, args...))(t)
	return data
}

// spec: transactions 1.2, chain 5
func TestSummary(t *testing.T) {
	coin, council := params.NativeCoinAdapterAddress, params.GovCouncilAddress
	value := hexutil.EncodeBig(coins(5))
	for _, test := range []struct {
		name        string
		tx, receipt map[string]any
		want        string
	}{
		{"payment", map[string]any{"to": bob, "value": value}, map[string]any{},
			"Alice paid Bob 5 WKRC; the fee was 0.9996 WKRC"},
		{"sponsored payment", map[string]any{"to": bob, "value": value, "type": "0x16", "feePayer": carol}, map[string]any{},
			"Alice paid Bob 5 WKRC; Carol paid the fee of 0.9996 WKRC"},
		{"waiting", map[string]any{"to": bob, "value": value, "blockNumber": nil}, nil,
			"Alice waits to pay Bob 5 WKRC; the fee will be at most 1.9992 WKRC"},
		{"nothing", map[string]any{"to": bob}, map[string]any{},
			"Alice sent Bob an empty transaction; the fee was 0.9996 WKRC"},
		{"creation", map[string]any{"input": "0x6000"}, map[string]any{"contractAddress": shop},
			"Alice created the contract Shop; the fee was 0.9996 WKRC"},
		{"transfer of the coin", map[string]any{"to": coin, "input": input(t, coin, "transfer", bob, coins(2))},
			map[string]any{},
			"Alice paid Bob 2 WKRC; the fee was 0.9996 WKRC"},
		{"transfer by another account", map[string]any{"to": coin, "input": input(t, coin, "transferFrom", bob, carol,
			coins(2))},
			map[string]any{}, "Bob paid Carol 2 WKRC, sent by Alice; the fee was 0.9996 WKRC"},
		{"allowance", map[string]any{"to": coin, "input": input(t, coin, "approve", bob, maxAmount)}, map[string]any{},
			"Alice allowed Bob to spend without limit; the fee was 0.9996 WKRC"},
		{"vote", map[string]any{"to": council, "input": input(t, council, "approveProposal", big.NewInt(3))},
			map[string]any{},
			"Alice approved proposal 3 of GovCouncil; the fee was 0.9996 WKRC"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tx := inspected(t, mined(t, test.tx, test.receipt), Options{})
			expect.Equal(t, tx.Named(tx.Summary), test.want, "tx.Named")
		})
	}
}

// The line of a terminal also has what a page shows below the sentence: arguments and gas.
func TestLine(t *testing.T) {
	council := params.GovCouncilAddress
	call := map[string]any{"to": council, "input": input(t, council, "proposeAddBlacklist", bob)}
	tx := inspected(t, mined(t, call, map[string]any{}), Options{})
	got := tx.Line()
	expect.That(t, strings.Contains(got, "called proposeAddBlacklist(account Bob) of GovCouncil; the fee was ") &&
		strings.HasSuffix(got, " for 21,000 gas"), "%q", got)
}

// spec: chain 5
func TestBalanceChanges(t *testing.T) {
	n := mined(t, map[string]any{"to": bob, "value": "0x1", "type": "0x16", "feePayer": carol}, map[string]any{
		"logs": []any{
			coinLog(alice, bob, coins(5)),
			coinLog(bob, alice, coins(1)),
			coinLog(common.Address{}, carol, coins(2)),
		},
	})
	want := map[common.Address]string{alice: "-4 WKRC", bob: "+4 WKRC", carol: "+1.0004 WKRC"}
	tx := inspected(t, n, Options{})
	must.Equal(t, len(tx.Changes), len(want), "changes %+v", tx.Changes)
	for _, c := range tx.Changes {
		expect.That(t, c.Text == want[c.Account] && c.Token == nil, "%s of %v, want %s", c.Text, c.Account, want[c.Account])
	}
}

// A token of one's own has its own symbol and decimals; what a stranger's contract answers moves no cursor.
func TestTokens(t *testing.T) {
	text := must.Get(abi.NewType("string", "", nil))(t)
	symbol := must.Get(abi.Arguments{{Type: text}}.Pack("TE\x1b[31mA"))(t)
	transfer := coinLog(alice, bob, big.NewInt(1250))
	transfer["address"] = shop
	n := mined(t, map[string]any{"to": shop}, map[string]any{"logs": []any{transfer}})
	n["eth_call"] = encode(t, hexutil.Bytes(common.BigToHash(big.NewInt(2)).Bytes()))
	n["eth_call map[input:"+symbolSelector+" to:"+shop.Hex()+"]"] = encode(t, hexutil.Bytes(symbol))
	tx := inspected(t, n, Options{})
	expect.That(t, len(tx.Changes) == 3 && tx.Changes[1].Text == "-12.5 TE[31mA" && *tx.Changes[1].Token == shop,
		"changes %+v", tx.Changes)
}

func revertData(t *testing.T, kind string, value any) hexutil.Bytes {
	t.Helper()
	signature := map[string]string{"string": "Error(string)", "uint256": "Panic(uint256)"}[kind]
	typ := must.Get(abi.NewType(kind, "", nil))(t)
	packed := must.Get(abi.Arguments{{Type: typ}}.Pack(value))(t)
	return append(crypto.Keccak256([]byte(signature))[:4], packed...)
}

func TestFailures(t *testing.T) {
	notAMember := crypto.Keccak256([]byte("NotAMember()"))[:4]
	for _, test := range []struct {
		name   string
		frame  map[string]any
		kind   string
		reason string
		in     common.Address
	}{
		{"text", map[string]any{"error": reverted, "output": revertData(t, "string", "too little\x1b[2J")}, kindError,
			"too little [2J", shop},
		{"panic", map[string]any{"error": reverted, "output": revertData(t, "uint256", big.NewInt(0x11))}, kindPanic,
			"arithmetic underflow or overflow", shop},
		{"error of a system contract", map[string]any{"error": reverted, "output": hexutil.Bytes(notAMember)}, kindCustom,
			"explained: NotAMember (NotAMember)", shop},
		{"unknown error", map[string]any{"error": reverted, "output": "0x01020304"}, kindCustom,
			"the contract reverted with an error of an unknown interface: 0x01020304, 4 bytes (--abi names the folder of its " +
				"artifacts)", shop},
		{"silence", map[string]any{"error": reverted}, kindSilent, "the contract reverted without a reason", shop},
		{"no gas", map[string]any{"error": "out of gas"}, kindHalt, "out of gas", shop},
		{"passed on from below", map[string]any{"error": reverted, "output": revertData(t, "string", "deep"), "calls": []any{
			map[string]any{"type": "CALL", "from": shop, "to": carol, "error": reverted, "output": revertData(t, "string",
				"deep")},
		}}, kindError, "deep", carol},
		{"another reason than below", map[string]any{"error": reverted, "output": revertData(t, "string", "own"),
			"calls": []any{
				map[string]any{"type": "CALL", "from": shop, "to": carol, "error": reverted, "output": revertData(t, "string",
					"deep")},
			}}, kindError, "own", shop},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := mined(t, map[string]any{"to": shop}, map[string]any{"status": "0x0"})
			frame := map[string]any{"type": "CALL", "from": alice, "to": shop}
			for k, v := range test.frame {
				frame[k] = v
			}
			n["debug_traceTransaction"] = encode(t, frame)
			i := New(n, named())
			i.Explain = func(name string) string { return "explained: " + name }
			tx := must.Get(i.Transaction(t.Context(), txHash, Options{}))(t)
			f := tx.Failure
			must.That(t, tx.Status == Failed && f != nil && f.Kind == test.kind && f.Text == test.reason &&
				*f.Contract == test.in, "%s, %+v", tx.Status, f)
			expect.Contains(t, tx.Summary, "and failed: "+test.reason+"; the fee was", "summary")
		})
	}
}

// A node without the namespace debug leaves a note, and everything else stays known.
func TestWithoutTraces(t *testing.T) {
	tx := inspected(t, mined(t, map[string]any{"to": bob}, map[string]any{"status": "0x0"}), Options{Trace: true})
	expect.That(t, tx.Trace == nil && tx.Failure == nil && len(tx.Notes) == 1 &&
		strings.Contains(tx.Notes[0], "--http.api"), "%+v", tx)
}

// A trace as long as it gets is cut, and says so.
func TestLongTraces(t *testing.T) {
	calls := make([]any, maxFrames+10)
	for i := range calls {
		calls[i] = map[string]any{"type": "CALL", "from": shop, "to": bob}
	}
	n := mined(t, map[string]any{"to": shop}, map[string]any{})
	n["debug_traceTransaction"] = encode(t, map[string]any{"type": "CALL", "from": alice, "to": shop, "calls": calls})
	tx := inspected(t, n, Options{Trace: true})
	expect.That(t, len(tx.Trace.Calls) == maxFrames-1 && tx.Trace.Omitted == 11,
		"%d calls, %d left out", len(tx.Trace.Calls), tx.Trace.Omitted)
}

// spec: rpc 4.4, chain 3.1
func TestSimulationOnNodesWithoutTransferLogs(t *testing.T) {
	coin := params.NativeCoinAdapterAddress
	moved := map[string]any{
		"type":  "CALL",
		"from":  alice,
		"to":    bob,
		"value": hexutil.EncodeBig(coins(2)),
		"input": "0xbeabacc8",
	}
	manager := map[string]any{"type": "CALL", "from": coin, "to": params.CoinManagerAddress, "calls": []any{moved},
		"input": input(t, params.CoinManagerAddress, "transfer", alice, bob, coins(2))}
	call := input(t, coin, "transfer", bob, coins(2))
	frame := map[string]any{
		"type":    "CALL",
		"from":    alice,
		"to":      coin,
		"input":   call,
		"gasUsed": "0x64",
		"calls":   []any{manager},
	}
	n := node{"debug_traceCall": encode(t, frame), "eth_gasPrice": `"0x2b4abd176000"`, "eth_getCode": `"0x"`}
	tx := must.Get(New(n, named()).Simulate(t.Context(), &txobject.Object{From: &alice, To: &coin, Data: call}))(t)
	expect.That(t, tx.Named(tx.Summary) == "Alice would pay Bob 2 WKRC, for 100 gas" && len(tx.Changes) == 2 &&
		tx.Changes[0].Text == "-2 WKRC", "%q, changes %+v", tx.Summary, tx.Changes)
	if inner := tx.Trace.Calls[0]; inner.Call == nil || inner.Call.Function != "transfer" || len(inner.Calls) != 0 {
		t.Errorf("call of the manager %+v", inner)
	}
}

// A fee-delegated transaction is decoded without a node; a missing signature of the payer is noticed.
//
// spec: transactions 1.2
func TestRaw(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	chainID := new(big.Int).SetUint64(params.TestnetChainID)
	inner := must.Get(types.SignNewTx(key, types.NewAnzeonSigner(chainID), &types.DynamicFeeTx{
		ChainID: chainID, To: &bob, Value: coins(5), Gas: 21000, GasFeeCap: big.NewInt(1e13), GasTipCap: big.NewInt(1e12),
	}))(t)
	delegated := must.Get(types.WrapFeeDelegated(inner, carol))(t)
	raw := must.Get(delegated.MarshalBinary())(t)
	tx := must.Get(New(nil, named()).Raw(t.Context(), raw))(t)
	sender := crypto.PubkeyToAddress(key.PublicKey)
	want := sender.Hex() + " wants to pay Bob 5 WKRC; Carol will pay a fee of at most 0.21 WKRC"
	expect.Equal(t, tx.Named(tx.Summary), want, "tx.Named")
	expect.That(t, len(tx.Notes) == 2 && strings.Contains(tx.Notes[0], "fee payer's signature") &&
		strings.Contains(tx.Notes[1], "WKRC testnet"), "notes %q", tx.Notes)
	expect.Refused(t, expect.Err(New(nil, named()).Raw(t.Context(), raw[:len(raw)-1])), "a cut transaction is decoded")
}

// Logs of another shape than their event are shown as they are.
func TestForeignLogs(t *testing.T) {
	book := named()
	for name, l := range map[string]*types.Log{
		"no topics":      {Address: shop},
		"missing topics": {Address: params.NativeCoinAdapterAddress, Topics: []common.Hash{TransferTopic}},
		"no data":        {Address: shop, Topics: []common.Hash{TransferTopic, {}, {}}},
		"unknown topic":  {Address: shop, Topics: []common.Hash{{1}}},
		"malformed bytes": {Address: params.GovMinterAddress,
			Topics: []common.Hash{book.At(params.GovMinterAddress).ABI.Events["ProposalFailed"].ID, {}, {}}, Data: []byte{1}},
	} {
		t.Run(name, func(t *testing.T) {
			event := book.event(book.At(l.Address), l)
			expect.That(t, event == nil, "decoded as %+v", event)
		})
	}
}

// Every function and event of the system contracts has a decoder.
func TestSystemContractsAreKnown(t *testing.T) {
	book := NewBook()
	for _, c := range contracts.All() {
		parsed := c.ABI()
		for name, method := range parsed.Methods {
			found := false
			for _, address := range SystemContracts() {
				_, err := book.At(address).ABI.MethodById(method.ID)
				found = found || err == nil
			}
			expect.That(t, found, "%s %s: %s is not known", c.Name, c.Version, name)
		}
	}
}

// FuzzRevert explains whatever a contract reverts with.
func FuzzRevert(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x4e, 0x48, 0x7b, 0x71})
	f.Add(append(crypto.Keccak256([]byte("Error(string)"))[:4], make([]byte, 64)...))
	i := New(node{}, NewBook())
	f.Fuzz(func(t *testing.T, data []byte) {
		failure := i.Revert(nil, data)
		expect.That(t, failure.Text != "", "no text")
		expect.That(t, !strings.ContainsFunc(failure.Text, func(r rune) bool { return r < ' ' }),
			"control characters in %q", failure.Text)
	})
}
