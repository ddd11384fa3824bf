// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	testAdapter = common.Address{18: 0x10}
	testCouncil = common.Address{18: 0x10, 19: 4}
	testUser    = common.Address{0xa1}
	testOther   = common.Address{0xb0}
)

// anzeonTestConfig is a chain with Boho from block 100 on.
func anzeonTestConfig() *params.ChainConfig {
	config := *params.TestChainConfig
	config.ApplepieBlock, config.BohoBlock = new(big.Int), big.NewInt(100)
	config.Anzeon = &params.AnzeonConfig{SystemContracts: &params.SystemContracts{
		NativeCoinAdapter: &params.SystemContract{Address: testAdapter},
		GovCouncil:        &params.SystemContract{Address: testCouncil},
	}}
	return &config
}

func anzeonTestEVM(t testing.TB, number int64) (*EVM, *state.StateDB) {
	t.Helper()
	statedb := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
	context := diffBlockCtx(false)
	context.BlockNumber = big.NewInt(number)
	context.CanTransfer = func(db StateDB, addr common.Address, amount *uint256.Int) bool {
		return !db.GetBalance(addr).Lt(amount)
	}
	context.Transfer = func(db StateDB, from, to common.Address, amount *uint256.Int, _ *params.Rules) {
		db.SubBalance(from, amount, tracing.BalanceChangeTransfer)
		db.AddBalance(to, amount, tracing.BalanceChangeTransfer)
	}
	evm := NewEVM(context, statedb, anzeonTestConfig(), Config{})
	t.Cleanup(evm.Release)
	statedb.Prepare(evm.chainRules, testUser, context.Coinbase, nil, ActivePrecompiles(evm.chainRules), nil)
	return evm, statedb
}

func word(b ...byte) []byte { return common.LeftPadBytes(b, 32) }

func wordOf(addr common.Address) []byte { return word(addr[:]...) }

func managerInput(selector uint32, words ...[]byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, selector), bytes.Join(words, nil)...)
}

// testdata/anzeon/precompiles.json: proof of possession and secp256r1 (spec chain 2.4, 2.5).
func TestAnzeonPrecompileVectors(t *testing.T) {
	data := must.Get(os.ReadFile(filepath.Join("testdata", "anzeon", "precompiles.json")))(t)
	var file struct {
		BlsKeyDerivation struct{ BlsPublicKey, ProofOfPossession hexutil.Bytes }
		Cases            []struct {
			Address       common.Address
			Gas           uint64
			Input, Output hexutil.Bytes
			Note          string
			Error         *string
		}
	}
	must.Do(t, json.Unmarshal(data, &file))
	require.Equal(t, 14, len(file.Cases), "vectors")
	for _, c := range file.Cases {
		p, ok := PrecompiledContractsBoho[c.Address]
		require.Truef(t, ok, "%s: nothing at %v", c.Note, c.Address)
		assert.Equalf(t, c.Gas, p.RequiredGas(c.Input), "%s: gas", c.Note)
		output, err := p.Run(c.Input)
		assert.Truef(t, bytes.Equal(output, c.Output), "%s: output %x, want %x", c.Note, output, []byte(c.Output))
		assert.Truef(t, (err != nil) == (c.Error != nil) && (err == nil || err.Error() == *c.Error),
			"%s: error %v, want %v", c.Note, err, c.Error)
	}
	d := file.BlsKeyDerivation
	input := append(bytes.Clone(d.BlsPublicKey), d.ProofOfPossession...)
	output, err := new(blsPossession).Run(input)
	assert.Truef(t, err == nil && output[31] == 1, "possession of the derived key: %x, %v", output, err)
}

// The sets of spec chain 2.3. The managers are warm but not in the table.
func TestAnzeonPrecompileSets(t *testing.T) {
	for _, c := range []struct {
		number      int64
		precompiles int
		addresses   int
		p256        bool
		wantSet     *PrecompiledContracts
	}{
		{number: 99, precompiles: 11, addresses: 13, wantSet: &PrecompiledContractsAnzeon},
		{number: 100, precompiles: 12, addresses: 14, p256: true, wantSet: &PrecompiledContractsBoho},
	} {
		evm, statedb := anzeonTestEVM(t, c.number)
		if set := activePrecompiledContracts(evm.chainRules); set != c.wantSet || len(*set) != c.precompiles {
			t.Errorf("block %d: %d precompiles, want %d", c.number, len(*set), c.precompiles)
		}
		warm := ActivePrecompiles(evm.chainRules)
		assert.Truef(t, len(warm) == c.addresses, "block %d: %d warm addresses, want %d", c.number, len(warm), c.addresses)
		for addr, want := range map[common.Address]bool{
			{19: 1}: true, {19: 10}: true, {19: 11}: false, {19: 17}: false, {18: 1}: c.p256,
			BLSPossessionAddress: true, CoinManagerAddress: true, AccountManagerAddress: true,
		} {
			assert.Equalf(t, want, statedb.AddressInAccessList(addr), "block %d: %v warm", c.number, addr)
		}
		_, ok := evm.precompile(CoinManagerAddress)
		assert.Falsef(t, ok, "block %d: the coin manager is in the precompile table", c.number)
	}
}

func TestNativeManagerRules(t *testing.T) {
	const all = 100_000
	var (
		mint     = managerInput(0x40c10f19, wordOf(testOther), word(5))
		mintZero = managerInput(0x40c10f19, wordOf(testOther), word(0))
		burn     = managerInput(0x9dc29fac, wordOf(testUser), word(5))
		burnZero = managerInput(0x9dc29fac, wordOf(testUser), word(0))
		tooMuch  = managerInput(0x9dc29fac, wordOf(testUser), word(1, 0, 0))
		move     = managerInput(0xbeabacc8, wordOf(testUser), wordOf(testOther), word(5))
		moveSelf = managerInput(0xbeabacc8, wordOf(testUser), wordOf(testUser), word(5))
		moveZero = managerInput(0xbeabacc8, wordOf(testUser), wordOf(testOther), word(0))
		flag     = managerInput(0xf9f92be4, wordOf(testOther))
		unflag   = managerInput(0x1a895266, wordOf(testUser))
		isFlag   = managerInput(0xfe575a87, wordOf(testUser))
		allow    = managerInput(0xb6a5d7de, wordOf(testUser))
		dirty    = managerInput(0xb6a5d7de, append(bytes.Repeat([]byte{0xff}, 12), testUser[:]...))
		isAllow  = managerInput(0xfe9fbb80, wordOf(testUser))
	)
	for _, c := range []struct {
		name    string
		kind    OpCode
		caller  common.Address
		manager common.Address
		input   []byte
		gas     uint64
		logs    int
		err     error
	}{
		{"mint to an absent account", CALL, testAdapter, CoinManagerAddress, mint, 29500, 1, nil},
		{"mint of nothing", CALL, testAdapter, CoinManagerAddress, mintZero, 0, 1, nil},
		{"mint by another", CALL, testCouncil, CoinManagerAddress, mint, all, 0, errManagerPermission},
		{"mint by delegate call", DELEGATECALL, testAdapter, CoinManagerAddress, mint, all, 0, errManagerPermission},
		{"mint by call code", CALLCODE, testAdapter, CoinManagerAddress, mint, all, 0, errManagerPermission},
		{"mint by static call", STATICCALL, testAdapter, CoinManagerAddress, mint, all, 0, errManagerPermission},
		{"burn", CALL, testAdapter, CoinManagerAddress, burn, 4500, 1, nil},
		{"burn of nothing", CALL, testAdapter, CoinManagerAddress, burnZero, 4500, 1, nil},
		{"burn of more than there is", CALL, testAdapter, CoinManagerAddress, tooMuch, all, 0, ErrInsufficientBalance},
		{"move to an absent account", CALL, testAdapter, CoinManagerAddress, move, 34000, 1, nil},
		{"move to itself", CALL, testAdapter, CoinManagerAddress, moveSelf, 9000, 1, nil},
		{"move of nothing", CALL, testAdapter, CoinManagerAddress, moveZero, 0, 1, nil},
		{"input too long", CALL, testAdapter, CoinManagerAddress, append(bytes.Clone(mint), 0), all, 0, errManagerInput},
		{"input too short", CALL, testAdapter, CoinManagerAddress, mint[:67], all, 0, errManagerInput},
		{"caller before length", CALL, testUser, CoinManagerAddress, mint[:67], all, 0, errManagerPermission},
		{"no selector", CALL, testAdapter, CoinManagerAddress, mint[:3], all, 0, errManagerSelector},
		{"method of the other manager", CALL, testAdapter, CoinManagerAddress, isFlag, all, 0, errManagerMethod},
		{"flag an absent account", CALL, testCouncil, AccountManagerAddress, flag, 29500, 0, nil},
		{"clear a clear flag", CALL, testCouncil, AccountManagerAddress, unflag, 4500, 0, nil},
		{"flag by the adapter", CALL, testAdapter, AccountManagerAddress, flag, all, 0, errManagerPermission},
		{"authorize", CALL, testCouncil, AccountManagerAddress, allow, 4500, 0, nil},
		{"upper bytes of an address do not count", CALL, testCouncil, AccountManagerAddress, dirty, 4500, 0, nil},
		{"query by anyone", STATICCALL, testUser, AccountManagerAddress, isFlag, 0, 0, nil},
		{"query by delegate call", DELEGATECALL, testUser, AccountManagerAddress, isAllow, 0, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			evm, statedb := anzeonTestEVM(t, 1)
			statedb.SetBalance(testUser, uint256.NewInt(1000), tracing.BalanceChangeUnspecified)
			gas, none := NewGasBudget(all, 0), new(uint256.Int)
			var (
				left GasBudget
				err  error
			)
			switch c.kind {
			case CALL:
				_, left, err = evm.Call(c.caller, c.manager, c.input, gas, none)
			case CALLCODE:
				_, left, err = evm.CallCode(c.caller, c.manager, c.input, gas, none)
			case DELEGATECALL:
				_, left, err = evm.DelegateCall(testUser, c.caller, c.manager, c.input, gas, none)
			case STATICCALL:
				_, left, err = evm.StaticCall(c.caller, c.manager, c.input, gas)
			}
			assert.Truef(t, errors.Is(err, c.err) && (err == nil) == (c.err == nil), "error %v, want %v", err, c.err)
			assert.Equal(t, c.gas, all-left.ExecutionGas, "gas")
			assert.Equal(t, c.logs, len(statedb.Logs()), "logs")
			flagged := statedb.IsAuthorized(testUser)
			assert.Truef(t, flagged == (c.name == "authorize" || bytes.Equal(c.input, dirty)), "authorized flag: %v", flagged)
		})
	}
	evm, statedb := anzeonTestEVM(t, 1)
	none, budget := new(uint256.Int), NewGasBudget(all, 0)
	if _, _, err := evm.Call(testCouncil, AccountManagerAddress, flag, budget, none); err != nil {
		t.Fatal(err)
	}
	query := managerInput(0xfe575a87, wordOf(testOther))
	output, _, err := evm.Call(testUser, AccountManagerAddress, query, budget, none)
	assert.Truef(t, err == nil && bytes.Equal(output, word(1)), "answer for a blacklisted account: %x, %v", output, err)
	// Too little gas for the surcharge of a new account.
	mint, short := managerInput(0x40c10f19, word(7), word(1)), NewGasBudget(29499, 0)
	_, left, err := evm.Call(testAdapter, CoinManagerAddress, mint, short, none)
	assert.Truef(t, errors.Is(err, ErrOutOfGas) && left.ExecutionGas == 0,
		"mint without enough gas: %v, left %d", err, left.ExecutionGas)
	assert.False(t, statedb.Exist(common.Address{19: 7}), "the failed mint left an account behind")
}

// The native coin manager ignores the read-only flag (spec chain 13 no. 2), unless the configuration of the chain says
// otherwise. Then the static call of the adapter fails, and a call that is not static still works.
func TestCoinManagerInStaticContext(t *testing.T) {
	this, next := uint64(1), uint64(2)
	for _, c := range []struct {
		name  string
		check *uint64
		moved uint64
	}{
		{"the rule of the reference", nil, 5},
		{"checked from the next block on", &next, 5},
		{"checked from this block on", &this, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			evm, statedb := anzeonTestEVM(t, 1)
			evm.chainConfig.Anzeon.StaticCallCheckBlock = c.check
			statedb.SetBalance(testUser, uint256.NewInt(1000), tracing.BalanceChangeUnspecified)
			// The adapter forwards its input to the coin manager and returns whether that succeeded.
			statedb.SetCode(testAdapter, asm(
				CALLDATASIZE, PUSH0, PUSH0, CALLDATACOPY,
				PUSH0, PUSH0, CALLDATASIZE, PUSH0, PUSH0, PUSH3, 0xb0, 0x00, 0x02, GAS, CALL,
				PUSH0, MSTORE, PUSH1, 0x20, PUSH0, RETURN), tracing.CodeChangeUnspecified)
			input := managerInput(0xbeabacc8, wordOf(testUser), wordOf(testOther), word(5))
			output, _, err := evm.StaticCall(testUser, testAdapter, input, NewGasBudget(200_000, 0))
			require.Truef(t, err == nil && bytes.Equal(output, word(1)) == (c.moved > 0), "output %x, error %v", output, err)
			if moved := statedb.GetBalance(testOther); moved.Uint64() != c.moved || (len(statedb.Logs()) == 1) != (c.moved > 0) {
				t.Errorf("moved %v with %d logs, want %d", moved, len(statedb.Logs()), c.moved)
			}
			output, _, err = evm.Call(testUser, testAdapter, input, NewGasBudget(200_000, 0), new(uint256.Int))
			assert.Truef(t, err == nil && bytes.Equal(output, word(1)),
				"a call that is not static: output %x, error %v", output, err)
			query := managerInput(0xfe9fbb80, wordOf(testUser))
			_, _, err = evm.StaticCall(testUser, AccountManagerAddress, query, NewGasBudget(10_000, 0))
			assert.NoError(t, err, "a query in a static call")
		})
	}
}

// The order of the checks at the start of a frame, and that they return the gas (spec chain 6).
func TestAnzeonFrameRules(t *testing.T) {
	const all = 50_000
	one, much := uint256.NewInt(1), uint256.NewInt(1_000_000)
	for _, c := range []struct {
		name        string
		blacklisted []common.Address
		to          common.Address
		value       *uint256.Int
		err         error
	}{
		{"nothing wrong", nil, testOther, one, nil},
		{"caller before callee", []common.Address{testUser, testOther}, testOther, much, BlacklistedError(testUser)},
		{"callee before balance", []common.Address{testOther}, testOther, much, BlacklistedError(testOther)},
		{"balance before zero address", nil, common.Address{}, much, ErrInsufficientBalance},
		{"zero address", nil, common.Address{}, one, ErrTransferToZero},
		{"zero address without value", nil, common.Address{}, new(uint256.Int), nil},
		{"precompile", nil, common.Address{19: 1}, one, ErrTransferToPrecompile},
		{"manager", nil, AccountManagerAddress, one, ErrTransferToPrecompile},
		{"balance before precompile", nil, common.Address{19: 1}, much, ErrInsufficientBalance},
		{"secp256r1 before Boho", nil, common.Address{18: 1}, one, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			evm, statedb := anzeonTestEVM(t, 99)
			statedb.SetBalance(testUser, uint256.NewInt(1000), tracing.BalanceChangeUnspecified)
			for _, addr := range c.blacklisted {
				statedb.SetBlacklisted(addr, true)
			}
			_, left, err := evm.Call(testUser, c.to, nil, NewGasBudget(all, 0), c.value)
			require.Truef(t, (err == nil) == (c.err == nil) && (err == nil || err.Error() == c.err.Error()),
				"error %v, want %v", err, c.err)
			assert.EqualValues(t, all, left.ExecutionGas, "gas left")
			want := 0
			if c.err == nil && !c.value.IsZero() {
				want = 1
			}
			assert.Equal(t, want, len(statedb.Logs()), "transfer logs")
		})
	}
	for _, kind := range []OpCode{CALLCODE, DELEGATECALL, STATICCALL, CREATE, CREATE2} {
		for _, bad := range []common.Address{testUser, testOther} {
			evm, statedb := anzeonTestEVM(t, 1)
			statedb.SetBlacklisted(bad, true)
			gas, none := NewGasBudget(all, 0), new(uint256.Int)
			var (
				left   GasBudget
				err    error
				create = kind == CREATE || kind == CREATE2
			)
			switch kind {
			case CALLCODE:
				_, left, err = evm.CallCode(testUser, testOther, nil, gas, none)
			case DELEGATECALL:
				_, left, err = evm.DelegateCall(common.Address{0xcc}, testUser, testOther, nil, gas, none)
			case STATICCALL:
				_, left, err = evm.StaticCall(testUser, testOther, nil, gas)
			case CREATE:
				_, _, left, err = evm.Create(testUser, nil, gas, none)
			case CREATE2:
				_, _, left, err = evm.Create2(testUser, nil, gas, none, none)
			}
			want := !create || bad == testUser
			assert.Truef(t, errors.Is(err, ErrBlacklisted) == want, "%v with %v blacklisted: %v", kind, bad, err)
			assert.EqualValuesf(t, all, left.ExecutionGas, "%v: gas left", kind)
			if create && bad == testUser && statedb.GetNonce(testUser) != 0 {
				t.Errorf("%v by a blacklisted account has raised its nonce", kind)
			}
		}
	}
}

// The instruction set of spec chain 2.2: what is there and what is not.
func TestAnzeonInstructionSet(t *testing.T) {
	london := newLondonInstructionSet()
	added := map[OpCode]bool{PUSH0: true, TLOAD: true, TSTORE: true, MCOPY: true}
	for code := range anzeonInstructionSet {
		op := OpCode(code)
		have, want := !anzeonInstructionSet[code].undefined, !london[code].undefined || added[op]
		assert.Equalf(t, want, have, "%v defined", op)
	}
	for _, op := range []OpCode{BLOBHASH, BLOBBASEFEE, CLZ, DUPN, SWAPN, EXCHANGE, SLOTNUM} {
		assert.Truef(t, anzeonInstructionSet[op].undefined, "%v is defined", op)
	}
	// Chains without the section keep their own table.
	for _, merged := range []bool{false, true} {
		evm := NewEVM(diffBlockCtx(merged), nil, params.MergedTestChainConfig, Config{})
		assert.True(t, evm.table != &anzeonInstructionSet, "a chain without the anzeon section runs the Anzeon set")
	}
}

// The limit of deployed code (spec chain 6.1).
func TestAnzeonCodeSize(t *testing.T) {
	sizes := map[int]bool{params.MaxCodeSize + 1: true, MaxCodeSizeAnzeon: true, MaxCodeSizeAnzeon + 1: false}
	for size, ok := range sizes {
		evm, _ := anzeonTestEVM(t, 1)
		init := asm(PUSH3, size>>16, size>>8&0xff, size&0xff, PUSH0, RETURN)
		_, _, _, err := evm.Create(testUser, init, NewGasBudget(1<<30, 0), new(uint256.Int))
		assert.Truef(t, (err == nil) == ok && (ok || errors.Is(err, ErrMaxCodeSizeExceeded)),
			"%d bytes of code: %v", size, err)
	}
}

// diffAnzeon runs a program by both loops under the Anzeon rules and reports where they differ.
func diffAnzeon(t testing.TB, code, input []byte, gas uint64) {
	t.Helper()
	config := anzeonTestConfig()
	table := runOne(t, config, false, true, code, input, gas)
	generated := runOne(t, config, false, false, code, input, gas)
	if where, ok := generated.equal(table); !ok {
		t.Fatalf("divergence in %s: code=%x input=%x gas=%d\n"+
			" table:     ret=%x %s err=%q root=%x\n generated: ret=%x %s err=%q root=%x", where, code, input, gas,
			table.ret, gasSummary(table.gas), table.errStr, table.root,
			generated.ret, gasSummary(generated.gas), generated.errStr, generated.root)
	}
}

// The generated loop, which executes blocks, and the table loop, which traces them, must agree under the Anzeon rules.
func TestInterpreterDiffAnzeon(t *testing.T) {
	input := common.FromHex("0xdeadbeef00000000000000000000000000000000000000000000000000000042")
	for _, prog := range diffPrograms {
		t.Run(prog.name, func(t *testing.T) { diffAnzeon(t, prog.code, input, prog.gas) })
	}
	r := runOne(t, anzeonTestConfig(), false, false, asm(PUSH0, STOP), nil, 100)
	assert.Truef(t, r.errStr == "", "PUSH0 in the generated loop: %s", r.errStr)
	// Every opcode at the edges of its stack bounds, and with gas that ends in the middle.
	for code := range 256 {
		for _, depth := range []int{0, 1, 2, 3, 7, 16, 17, 1022, 1023, 1024} {
			program := append(bytes.Repeat([]byte{byte(PUSH0)}, depth), byte(code), byte(PUSH0), byte(POP), byte(STOP))
			for _, gas := range []uint64{uint64(2*depth) + 1, uint64(2*depth) + 3, 100_000} {
				diffAnzeon(t, program, input, gas)
			}
		}
	}
	// Random programs of the opcodes that chains use, weighted to keep the stack filled.
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		code := make([]byte, 64)
		for i := range code {
			if code[i] = byte(random.UintN(256)); random.UintN(2) == 0 {
				code[i] = byte(PUSH0) + byte(random.UintN(4))
			}
		}
		diffAnzeon(t, code, input, 1+random.Uint64N(100_000))
	}
}

func FuzzInterpreterDiffAnzeon(f *testing.F) {
	for _, prog := range diffPrograms {
		f.Add(prog.code, []byte{1, 2, 3, 4}, uint64(100_000))
	}
	f.Fuzz(func(t *testing.T, code, input []byte, gas uint64) {
		if len(code) <= params.MaxCodeSize {
			diffAnzeon(t, code, input, min(gas, 5_000_000))
		}
	})
}

func FuzzBLSPossession(f *testing.F) {
	f.Add(make([]byte, 144))
	f.Add(append(append([]byte{0xc0}, make([]byte, 47)...), append([]byte{0xc0}, make([]byte, 95)...)...))
	f.Fuzz(func(t *testing.T, input []byte) {
		output, err := new(blsPossession).Run(input)
		if err == nil && (len(output) != 32 || output[31] > 1) || err != nil && output != nil {
			t.Fatalf("output %x, error %v", output, err)
		}
	})
}

func FuzzNativeManagers(f *testing.F) {
	f.Add(true, []byte{0x40, 0xc1, 0x0f, 0x19})
	f.Add(false, managerInput(0xfe575a87, word(1)))
	f.Fuzz(func(t *testing.T, coin bool, input []byte) {
		evm, statedb := anzeonTestEVM(t, 1)
		caller, manager := testCouncil, AccountManagerAddress
		if coin {
			caller, manager = testAdapter, CoinManagerAddress
		}
		before := statedb.Copy().IntermediateRoot(evm.chainRules)
		_, left, err := evm.Call(caller, manager, input, NewGasBudget(100_000, 0), new(uint256.Int))
		if err != nil && (left.ExecutionGas != 0 || statedb.IntermediateRoot(evm.chainRules) != before) {
			t.Fatalf("a failed call (%v) left %d gas or a changed state", err, left.ExecutionGas)
		}
	})
}
