// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package native_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/eth/tracers/logger"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
)

// The accounts of the traced transactions, and the names under which a test shows them.
var (
	tracedKey, _ = crypto.HexToECDSA(strings.Repeat("01", 32))
	tracedFrom   = crypto.PubkeyToAddress(tracedKey.PublicKey)
	tracedPayer  = common.Address{0xfa}
	tracedTo     = common.Address{0xee}
	adapter      = common.Address{18: 0x10}
	council      = common.Address{18: 0x10, 19: 4}
	forwarder    = common.Address{0xf0}
	failing      = common.Address{0xf1}
	holder       = common.Address{0xa0}
	taker        = common.Address{0xa1}
	tracedNames  = map[common.Address]string{
		tracedFrom: "sender", tracedPayer: "payer", tracedTo: "to", adapter: "adapter", council: "council", holder: "holder",
		taker: "taker", forwarder: "forwarder", failing: "failing", {0xc0}: "coinbase", {}: "zero",
		vm.CoinManagerAddress: "coins", vm.AccountManagerAddress: "accounts",
	}
)

const tracedPrice = 12 // wei for a unit of gas: base fee 10, governed tip 2

func tracedConfig() *params.ChainConfig {
	config := *params.TestChainConfig
	config.ChainID, config.ApplepieBlock = big.NewInt(8283), new(big.Int)
	config.Anzeon = &params.AnzeonConfig{SystemContracts: &params.SystemContracts{
		NativeCoinAdapter: &params.SystemContract{Address: adapter}, GovCouncil: &params.SystemContract{Address: council},
	}}
	return &config
}

// traced makes a transaction of the sender.
func traced(to common.Address, value int64, data []byte) *types.Transaction {
	config := tracedConfig()
	return types.MustSignNewTx(tracedKey, types.LatestSigner(config), &types.DynamicFeeTx{
		ChainID: config.ChainID, To: &to, Value: big.NewInt(value), Gas: 200_000, GasTipCap: common.Big1,
		GasFeeCap: big.NewInt(1000), Data: data,
	})
}

// managerInput encodes a call of a native manager.
func managerInput(selector string, words ...[]byte) []byte {
	data := common.FromHex(selector)
	for _, word := range words {
		data = append(data, common.LeftPadBytes(word, 32)...)
	}
	return data
}

// trace runs one transaction under a tracer, the struct logger if there is no name.
func trace(
	t *testing.T, tx *types.Transaction, authorized bool, name, options string,
) (json.RawMessage, *types.Receipt) {
	t.Helper()
	config, raw := tracedConfig(), json.RawMessage(options)
	statedb, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	must.Do(t, err)
	for _, addr := range []common.Address{tracedFrom, tracedPayer, holder} {
		statedb.SetBalance(addr, uint256.NewInt(1e18), tracing.BalanceChangeUnspecified)
	}
	statedb.SetAuthorized(tracedFrom, authorized)
	for addr, code := range map[common.Address]string{
		adapter:   "365f5f375f5f365f5f62b000025af100",                             // passes its input to the coin manager
		council:   "365f5f375f5f365f5f62b000035af100",                             // the same to the account manager
		forwarder: "5f5f5f5f600373ee000000000000000000000000000000000000005af100", // 3 wei on to 0xee
		failing:   "5f5f5f5f600373ee000000000000000000000000000000000000005af15f5ffd",
	} {
		statedb.SetCode(addr, common.FromHex(code), tracing.CodeChangeUnspecified)
	}
	statedb.Finalise(params.Rules{IsEIP158: true})

	var tracer *tracers.Tracer
	if name == "" {
		structs := logger.NewStructLogger(nil)
		tracer = &tracers.Tracer{Hooks: structs.Hooks(), GetResult: structs.GetResult}
	} else if tracer, err = tracers.DefaultDirectory.New(name, new(tracers.Context), raw, config); err != nil {
		t.Fatal(err)
	}
	coinbase := common.Address{0xc0}
	header := &types.Header{
		Number: common.Big1, Difficulty: common.Big1, GasLimit: 1_000_000, BaseFee: big.NewInt(10), Coinbase: coinbase,
		Extra: (&types.WBFTExtra{GasTip: common.Big2}).Encode(),
	}
	evm := vm.NewEVM(core.NewEVMBlockContext(header, nil, &coinbase), state.NewHookedState(statedb, tracer.Hooks), config,
		vm.Config{Tracer: tracer.Hooks})
	defer evm.Release()
	msg := must.Get(core.TransactionToMessage(tx, types.LatestSigner(config), header.BaseFee))(t)
	statedb.SetTxContext(tx.Hash(), 0, 1)
	receipt, _, err := core.ApplyTransactionWithEVM(context.Background(), msg, core.NewGasPool(header.GasLimit), statedb,
		header.Number, common.Hash{}, 0, tx, evm)
	must.Do(t, err)
	result := must.Get(tracer.GetResult())(t)
	return result, receipt
}

// tracedFrame is a call in the result of the call tracer.
type tracedFrame struct {
	Type         string
	From, To     common.Address
	Value        *hexutil.Big
	Input        hexutil.Bytes
	Gas, GasUsed hexutil.Uint64
	Error        string
	Calls        []tracedFrame
	Logs         []struct {
		Address common.Address
		Topics  []common.Hash
		Data    hexutil.Bytes
		Index   hexutil.Uint
	}
}

// lines shows a call, its logs and its inner calls, a line each, indented by depth.
func (f *tracedFrame) lines(indent string) []string {
	value := "-"
	if f.Value != nil {
		value = f.Value.ToInt().String()
	}
	list := []string{fmt.Sprintf("%s%s %s>%s %s", indent, f.Type, tracedNames[f.From], tracedNames[f.To], value)}
	for _, log := range f.Logs {
		line := fmt.Sprintf("%s log %d %s", indent, log.Index, tracedNames[log.Address])
		if len(log.Topics) == 3 {
			from, to := common.BytesToAddress(log.Topics[1][:]), common.BytesToAddress(log.Topics[2][:])
			line += fmt.Sprintf(" %s>%s %v", tracedNames[from], tracedNames[to], new(big.Int).SetBytes(log.Data))
		}
		list = append(list, line)
	}
	for i := range f.Calls {
		list = append(list, f.Calls[i].lines(indent+" ")...)
	}
	return list
}

func delegatedTransfer(t *testing.T) *types.Transaction {
	t.Helper()
	return must.Get(types.WrapFeeDelegated(traced(tracedTo, 7, nil), tracedPayer))(t)
}

// The call tracer shows every log of the receipt where it arose, and what the native managers do as a call below theirs
// (spec rpc 4.4, chain 5).
func TestCallTracerOnAnzeon(t *testing.T) {
	for _, c := range []struct {
		name       string
		tx         *types.Transaction
		authorized bool
		want       []string
		flat       []string // the kinds and ends of the flat trace
	}{
		{"fee-delegated transfer", delegatedTransfer(t), false,
			[]string{"CALL sender>to 7", " log 0 adapter sender>to 7"}, []string{"call sender>to"}},
		{"authorized sender", traced(tracedTo, 7, nil), true,
			[]string{"CALL sender>to 7", " log 0 adapter sender>to 7", " log 1 accounts"}, []string{"call sender>to"}},
		{"call with value", traced(forwarder, 7, nil), false, []string{
			"CALL sender>forwarder 7", " log 0 adapter sender>forwarder 7",
			" CALL forwarder>to 3", "  log 1 adapter forwarder>to 3",
		}, []string{"call sender>forwarder", "call forwarder>to"}},
		{"failed call of an authorized sender", traced(failing, 7, nil), true,
			[]string{"CALL sender>failing 7", " log 0 accounts", " CALL failing>to 3"},
			[]string{"call sender>failing", "call failing>to"}},
		{"coin transfer", traced(adapter, 0, managerInput("beabacc8", holder[:], taker[:], []byte{5})), false, []string{
			"CALL sender>adapter 0", " CALL adapter>coins 0", "  CALL holder>taker 5", "   log 0 adapter holder>taker 5",
		}, []string{"call sender>adapter", "call adapter>coins", "call holder>taker"}},
		{"mint", traced(adapter, 0, managerInput("40c10f19", taker[:], []byte{5})), false, []string{
			"CALL sender>adapter 0", " CALL adapter>coins 0", "  CALL zero>taker 5", "   log 0 adapter zero>taker 5",
		}, []string{"call sender>adapter", "call adapter>coins", "call zero>taker"}},
		{"burn", traced(adapter, 0, managerInput("9dc29fac", holder[:], []byte{5})), false, []string{
			"CALL sender>adapter 0", " CALL adapter>coins 0", "  CALL holder>zero 5", "   log 0 adapter holder>zero 5",
		}, []string{"call sender>adapter", "call adapter>coins", "call holder>zero"}},
		{"burn of more than there is", traced(adapter, 0, managerInput("9dc29fac", taker[:], []byte{5})), false,
			[]string{"CALL sender>adapter 0", " CALL adapter>coins 0", "  CALL taker>zero 5"},
			[]string{"call sender>adapter", "call adapter>coins", "call taker>zero"}},
		{"blacklisting", traced(council, 0, managerInput("f9f92be4", taker[:])), false,
			[]string{"CALL sender>council 0", " CALL council>accounts 0", "  CALL accounts>taker -"},
			[]string{"call sender>council", "call council>accounts", "call accounts>taker"}},
		{"query by a transaction", traced(vm.AccountManagerAddress, 0, managerInput("fe9fbb80", taker[:])), false,
			[]string{"CALL sender>accounts 0", " STATICCALL accounts>taker -"},
			[]string{"call sender>accounts", "call accounts>taker"}},
		{"not permitted", traced(vm.AccountManagerAddress, 0, managerInput("f9f92be4", taker[:])), false,
			[]string{"CALL sender>accounts 0"}, []string{"call sender>accounts"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, receipt := trace(t, c.tx, c.authorized, "callTracer", `{"withLog":true}`)
			var root tracedFrame
			must.Do(t, json.Unmarshal(result, &root))
			have := root.lines("")
			assert.Truef(t, slices.Equal(have, c.want),
				"trace\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(c.want, "\n"))
			logs := 0
			for _, line := range have {
				logs += strings.Count(line, " log ")
			}
			assert.Truef(t, logs == len(receipt.Logs), "%d logs in the trace, %d in the receipt", logs, len(receipt.Logs))
			for frame := &root; len(frame.Calls) == 1; frame = &frame.Calls[0] {
				if inner := frame.Calls[0]; vm.IsNativeManager(frame.To) && frame != &root &&
					(inner.Gas != frame.Gas || inner.GasUsed != frame.GasUsed || inner.Error != frame.Error ||
						!slices.Equal(inner.Input, frame.Input)) {
					t.Errorf("frame below the manager %+v, manager %+v", inner, frame)
				}
			}

			var flat []struct {
				Type   string
				Action struct{ From, To common.Address }
			}
			result, _ = trace(t, c.tx, c.authorized, "flatCallTracer", `{}`)
			must.Do(t, json.Unmarshal(result, &flat))
			have = nil
			for _, call := range flat {
				have = append(have, fmt.Sprintf("%s %s>%s", call.Type, tracedNames[call.Action.From], tracedNames[call.Action.To]))
			}
			assert.Truef(t, slices.Equal(have, c.flat), "flat trace %q, want %q", have, c.flat)
		})
	}
}

// The difference of the pre-state tracer is what changed: the payer's balance, both ends of a coin movement, flags
// (spec transactions 2.5, rpc 4.4).
func TestPrestateDifferenceOnAnzeon(t *testing.T) {
	for _, c := range []struct {
		name  string
		tx    *types.Transaction
		payer common.Address
		value map[common.Address]int64 // changes of balances, fees apart
		extra map[common.Address]uint64
	}{
		{"fee-delegated transfer", delegatedTransfer(t), tracedPayer,
			map[common.Address]int64{tracedFrom: -7, tracedTo: 7}, nil},
		{"call with value", traced(forwarder, 7, nil), tracedFrom,
			map[common.Address]int64{tracedFrom: -7, forwarder: 4, tracedTo: 3}, nil},
		{"coin transfer", traced(adapter, 0, managerInput("beabacc8", holder[:], taker[:], []byte{5})), tracedFrom,
			map[common.Address]int64{holder: -5, taker: 5}, nil},
		{"blacklisting", traced(council, 0, managerInput("f9f92be4", taker[:])), tracedFrom, nil,
			map[common.Address]uint64{taker: types.AccountBlacklisted}},
		{"authorization", traced(council, 0, managerInput("b6a5d7de", holder[:])), tracedFrom, nil,
			map[common.Address]uint64{holder: types.AccountAuthorized}},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, receipt := trace(t, c.tx, false, "prestateTracer", `{"diffMode":true}`)
			type account struct {
				Balance *hexutil.Big
				Extra   uint64
			}
			var diff struct{ Pre, Post map[common.Address]account }
			must.Do(t, json.Unmarshal(result, &diff))
			want := map[common.Address]int64{{0xc0}: int64(receipt.GasUsed) * 2}
			maps.Copy(want, c.value)
			want[c.payer] -= int64(receipt.GasUsed) * tracedPrice
			for addr, post := range diff.Post {
				before := new(big.Int)
				if pre, ok := diff.Pre[addr]; ok && pre.Balance != nil {
					before = pre.Balance.ToInt()
				}
				if post.Balance != nil {
					change := new(big.Int).Sub(post.Balance.ToInt(), before)
					assert.Truef(t, change.Int64() == want[addr], "%s changed by %v, want %d", tracedNames[addr], change, want[addr])
					delete(want, addr)
				}
				assert.Equalf(t, c.extra[addr], post.Extra, "%s has flags", tracedNames[addr])
				delete(c.extra, addr)
			}
			assert.Truef(t, len(want) == 0 && len(c.extra) == 0,
				"missing in the difference: balances %v, flags %v", want, c.extra)
		})
	}
}

// The other tracers accept such transactions and count what they count.
func TestOtherTracersOnAnzeon(t *testing.T) {
	move := managerInput("beabacc8", holder[:], taker[:], []byte{5})
	query := managerInput("fe9fbb80", holder[:])
	for _, c := range []struct {
		name, options string
		tx            *types.Transaction
		want          string
	}{
		{"4byteTracer", "{}", delegatedTransfer(t), `{}`},
		// The call of a manager counts once: its own frame is passed over like a precompile's, the frame below, which shows
		// what the method does (spec rpc 4.4), is not. This adapter is called with the input that it passes on.
		{"4byteTracer", "{}", traced(vm.AccountManagerAddress, 0, query), `{"0xfe9fbb80-32":1}`},
		{"4byteTracer", "{}", traced(adapter, 0, move), `{"0xbeabacc8-96":2}`},
		{"noopTracer", "{}", delegatedTransfer(t), `{}`},
		{"muxTracer", `{"4byteTracer":{},"noopTracer":{}}`, traced(adapter, 0, move),
			`{"4byteTracer":{"0xbeabacc8-96":2},"noopTracer":{}}`},
	} {
		have, _ := trace(t, c.tx, false, c.name, c.options)
		assert.Truef(t, string(have) == c.want, "%s: %s, want %s", c.name, have, c.want)
	}
	for _, c := range []struct {
		tx    *types.Transaction
		calls int
	}{{delegatedTransfer(t), 0}, {traced(forwarder, 7, nil), 1}, {traced(adapter, 0, move), 1}} {
		var logs struct {
			Gas        uint64
			Failed     bool
			StructLogs []struct{ Op string }
		}
		result, receipt := trace(t, c.tx, false, "", "")
		must.Do(t, json.Unmarshal(result, &logs))
		calls := 0
		for _, step := range logs.StructLogs {
			if step.Op == "CALL" {
				calls++
			}
		}
		assert.Truef(t, !logs.Failed && logs.Gas == receipt.GasUsed && calls == c.calls,
			"struct logs of %v: %+v, want gas %d and %d calls", c.tx.To(), logs, receipt.GasUsed, c.calls)
	}
}
