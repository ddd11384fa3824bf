// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"gwon/contracts"
	"gwon/core"
	"gwon/internal/must"
	"gwon/params"
)

var (
	adapter      = params.NativeCoinAdapterAddress
	govValidator = params.GovValidatorAddress
	masterMinter = params.GovMasterMinterAddress
	govMinter    = params.GovMinterAddress
	council      = params.GovCouncilAddress

	accountManager = common.HexToAddress("0xb00003")
	coinManager    = common.HexToAddress("0xb00002")
)

// governances are the four contracts with proposals.
var governances = []common.Address{govValidator, masterMinter, govMinter, council}

// coins returns an amount of whole coins in wei.
func coins(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e18)) }

func address(n int64) common.Address { return common.BigToAddress(big.NewInt(n)) }

// generations names the contract at each address.
func generations(minter string) map[common.Address]contracts.Contract {
	m := make(map[common.Address]contracts.Contract)
	for at, name := range map[common.Address]string{
		adapter: "nativeCoinAdapter", govValidator: "govValidator", masterMinter: "govMasterMinter", council: "govCouncil",
	} {
		c, ok := contracts.Lookup(name, "g1")
		if !ok {
			panic(name)
		}
		m[at] = c
	}
	c, ok := contracts.Lookup("govMinter", minter)
	if !ok {
		panic(minter)
	}
	m[govMinter] = c
	return m
}

// tester is what tests and properties have in common.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// world is a chain with our contracts, under the chain's rules with its native managers. Senders pay no fees.
type world struct {
	tester
	state  machine
	config *gethparams.ChainConfig
	number uint64
	time   uint64 // of the next message
	sent   int64
	gas    uint64 // of each message
	abis   map[common.Address]abi.ABI
}

// newWorld returns the state of a genesis with our contracts, at block 1.
func newWorld(t tester, genesis *gethcore.Genesis, minter string) *world {
	t.Helper()
	full, _, err := core.DescribeGenesis(genesis, nil)
	must.Do(t, err)
	db := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
	w := &world{tester: t, state: machine{db}, config: full.Config, number: 1, time: 1700000000, gas: 50_000_000,
		abis: make(map[common.Address]abi.ABI)}
	w.state.begin(full.Alloc)
	for a, c := range generations(minter) {
		w.install(a, c)
	}
	return w
}

// install puts the code of a contract at an address, as an upgrade does.
func (w *world) install(at common.Address, c contracts.Contract) {
	w.state.SetCode(at, c.Code, tracing.CodeChangeUnspecified)
	w.abis[at] = c.ABI()
}

// outcome is what a message did.
type outcome struct {
	err  error // of the frame
	data []byte
	logs []*types.Log
}

func (o outcome) ok() bool { return o.err == nil }

// machine is a chain without blocks: a state, and an EVM for each message. The time stands still.
type machine struct{ *state.StateDB }

func (m machine) begin(alloc types.GenesisAlloc) {
	for a, account := range alloc {
		m.SetBalance(a, uint256.MustFromBig(account.Balance), tracing.BalanceChangeUnspecified)
		m.SetExtra(a, account.Extra)
		for slot, value := range account.Storage {
			m.SetState(a, slot, value)
		}
	}
}

// evm returns an EVM for a message of this block.
func (m machine) evm(w *world, from, to common.Address) *vm.EVM {
	coinbase := common.Address{0xc0}
	header := &types.Header{
		Number: new(big.Int).SetUint64(w.number), Time: w.time, Difficulty: common.Big1, GasLimit: 105_000_000,
		BaseFee: new(big.Int), Coinbase: coinbase, Extra: (&types.WBFTExtra{GasTip: new(big.Int)}).Encode(),
	}
	evm := vm.NewEVM(gethcore.NewEVMBlockContext(header, nil, &coinbase), m.StateDB, w.config, vm.Config{})
	evm.SetTxContext(vm.TxContext{Origin: from, GasPrice: new(uint256.Int)})
	rules := w.rules()
	m.Finalise(rules) // what the test itself wrote is no part of the transaction
	m.Prepare(rules, from, coinbase, &to, vm.ActivePrecompiles(rules), nil)
	return evm
}

func (w *world) rules() gethparams.Rules {
	return w.config.Rules(new(big.Int).SetUint64(w.number), false, w.time)
}

func (m machine) message(w *world, from, to common.Address, value *big.Int, input []byte) outcome {
	w.sent++
	hash := common.BigToHash(big.NewInt(w.sent))
	evm := m.evm(w, from, to)
	defer evm.Release()
	m.SetTxContext(hash, 0, uint32(w.sent))
	data, _, err := evm.Call(from, to, input, vm.NewGasBudget(w.gas, 0), uint256.MustFromBig(value))
	logs := m.GetLogs(hash, w.number, common.Hash{}, w.time)
	m.Finalise(w.rules())
	return outcome{err, data, logs}
}

func (m machine) view(w *world, from, to common.Address, input []byte) outcome {
	evm := m.evm(w, from, to)
	defer evm.Release()
	before := m.Snapshot()
	data, _, err := evm.StaticCall(from, to, input, vm.NewGasBudget(w.gas, 0))
	m.RevertToSnapshot(before) // an empty account may have been touched
	return outcome{err: err, data: data}
}

// call runs one message as one transaction.
func (w *world) call(from, to common.Address, value *big.Int, input []byte) outcome {
	w.Helper()
	return w.state.message(w, from, to, value, input)
}

// pack encodes a call. The function is named, or given with its types where there are several of that name.
func (w *world) pack(to common.Address, function string, args ...any) []byte {
	w.Helper()
	method := w.method(to, function)
	input, err := method.Inputs.Pack(args...)
	must.That(w, err == nil, "%s: %v", function, err)
	return append(bytes.Clone(method.ID), input...)
}

func (w *world) method(to common.Address, function string) abi.Method {
	w.Helper()
	contract := w.abis[to]
	for _, m := range contract.Methods {
		if m.Sig == function || m.RawName == function && !strings.Contains(function, "(") {
			return m
		}
	}
	w.Fatalf("%v has no function %s", to, function)
	return abi.Method{}
}

// send calls a function, which may fail.
func (w *world) send(from, to common.Address, function string, args ...any) outcome {
	w.Helper()
	return w.call(from, to, new(big.Int), w.pack(to, function, args...))
}

// must calls a function that has to succeed.
func (w *world) must(from, to common.Address, function string, args ...any) outcome {
	w.Helper()
	return w.succeeds(w.send(from, to, function, args...), function)
}

func (w *world) succeeds(out outcome, what string) outcome {
	w.Helper()
	if !out.ok() {
		w.Fatalf("%s: %v, %s", what, out.err, w.reason(out))
	}
	return out
}

// refuses calls a function that has to revert with an error of the contract or with a text.
func (w *world) refuses(want string, from, to common.Address, function string, args ...any) {
	w.Helper()
	w.failed(want, w.send(from, to, function, args...), function)
}

func (w *world) failed(want string, out outcome, what string) {
	w.Helper()
	have := w.reason(out)
	must.That(w, !out.ok() && have == want, "%s: have %q (%v), want %q", what, have, out.err, want)
}

// reason spells why a message failed: the name of an error, the text of a revert, or "empty".
func (w *world) reason(out outcome) string {
	switch {
	case out.ok():
		return "success"
	case !errors.Is(out.err, vm.ErrExecutionReverted):
		return out.err.Error()
	case len(out.data) == 0:
		return "empty"
	}
	if text, err := abi.UnpackRevert(out.data); err == nil {
		return text
	}
	for _, contract := range w.abis {
		for _, e := range contract.Errors {
			if bytes.Equal(out.data, e.ID[:4]) {
				return e.Name
			}
		}
	}
	return fmt.Sprintf("%x", out.data)
}

// get calls a view function and returns its only result.
func (w *world) get(to common.Address, function string, args ...any) any {
	w.Helper()
	return w.getAll(to, function, args...)[0]
}

// outsiderView calls a view from an account without roles.
var outsiderView = address(0xca11)

func (w *world) getAll(to common.Address, function string, args ...any) []any {
	w.Helper()
	out := w.succeeds(w.state.view(w, outsiderView, to, w.pack(to, function, args...)), function)
	results, err := w.method(to, function).Outputs.Unpack(out.data)
	must.That(w, err == nil, "%s: %v", function, err)
	return results
}

func (w *world) number256(to common.Address, function string, args ...any) *big.Int {
	w.Helper()
	return w.get(to, function, args...).(*big.Int)
}

// equal fails unless a view gives a value.
func (w *world) equal(want any, to common.Address, function string, args ...any) {
	w.Helper()
	must.Equal(w, fmt.Sprint(w.get(to, function, args...)), fmt.Sprint(want), "%s%v", function, args)
}

// seconds returns a timestamp so long after the next message.
func (w *world) seconds(later int64) *big.Int { return big.NewInt(int64(w.time) + later) }

func (w *world) balance(a common.Address) *big.Int { return w.state.GetBalance(a).ToBig() }

func (w *world) fund(a common.Address, amount *big.Int) {
	w.state.SetBalance(a, uint256.MustFromBig(amount), tracing.BalanceChangeUnspecified)
}

func (w *world) setCode(a common.Address, code []byte) {
	w.state.SetCode(a, code, tracing.CodeChangeUnspecified)
}

// events returns the names of the logs of a message, in order, those of the client as Transfer.
func (w *world) events(out outcome) []string {
	w.Helper()
	var names []string
	for _, l := range out.logs {
		name := "?"
		for _, contract := range w.abis {
			if e, err := contract.EventByID(l.Topics[0]); err == nil {
				name = e.Name
			}
		}
		names = append(names, name)
	}
	return names
}

// The states of a proposal (spec system-contracts 1.2).
const (
	none uint8 = iota
	voting
	approved
	executed
	canceled
	expired
	failed
	rejected
)

func hashed(s string) common.Hash { return crypto.Keccak256Hash([]byte(s)) }

// mapSlot returns where a mapping at a slot keeps the value of a key.
func mapSlot(key common.Hash, slot int64) common.Hash {
	return crypto.Keccak256Hash(key[:], common.BigToHash(big.NewInt(slot)).Bytes())
}

// transferLog is what the client writes when coins move (spec chain 5).
func transferLog(from, to common.Address, value *big.Int) vectorLog {
	return vectorLog{
		Address: adapter,
		Topics: []common.Hash{
			hashed("Transfer(address,address,uint256)"), common.BytesToHash(from[:]), common.BytesToHash(to[:]),
		},
		Data: common.BigToHash(value).Bytes(),
	}
}

// replaceWord replaces a 32-byte word of event data that occurs once.
func replaceWord(t tester, data []byte, from, to *big.Int) {
	t.Helper()
	var found int
	for i := 0; i+32 <= len(data); i += 32 {
		if new(big.Int).SetBytes(data[i:i+32]).Cmp(from) == 0 {
			copy(data[i:], common.BigToHash(to).Bytes())
			found++
		}
	}
	must.That(t, found == 1, "%v occurs %d times", from, found)
}

// staticCaller returns code that makes a STATICCALL of the adapter with this input and all gas, and returns the
// success flag.
func staticCaller(input []byte) []byte {
	var code []byte
	push := func(b []byte) { code = append(append(code, byte(vm.PUSH1)-1+byte(len(b))), b...) }
	for i := 0; i < len(input); i += 32 {
		word := make([]byte, 32)
		copy(word, input[i:])
		push(word)
		push([]byte{byte(i)})
		code = append(code, byte(vm.MSTORE))
	}
	for _, b := range [][]byte{{0}, {0}, {byte(len(input))}, {0}, adapter.Bytes()} {
		push(b)
	}
	code = append(code, byte(vm.GAS), byte(vm.STATICCALL))
	push([]byte{0})
	code = append(code, byte(vm.MSTORE))
	push([]byte{32})
	push([]byte{0})
	return append(code, byte(vm.RETURN))
}
