// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build linux

// Package worstgas measures how much time the gas of this chain buys at the worst.
package worstgas

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/pathdb"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

const (
	sweepGas      = 20_000_000 // of one run
	sweepAccounts = 100_000    // with coins, from address sweepFirst on
	sweepFirst    = 1 << 32
	sweepSlots    = 20_000 // set in the contract that runs
	sweepCodes    = 100    // accounts with the largest code, from address codesFirst on
	codesFirst    = 2 << 32
	emptyFirst    = 3 << 32 // accounts that do not exist
)

var (
	sweepContract = common.HexToAddress("0xc0de")
	sweepConfig   = params.Testnet()
	sweepNumber   = big.NewInt(100_000_000) // after every upgrade
)

// expense is code that gets as much work for its gas as there is to get with one instruction or precompile.
type expense struct {
	name  string
	begin []byte // runs once
	body  []byte // runs again and again; leaves the stack as it was
	input []byte // of the call
	once  bool   // body is the whole program, without a loop
	gas   uint64 // of a run, if not sweepGas
}

// program appends the encodings of instructions, byte strings and pushed numbers.
func program(parts ...any) []byte {
	var out []byte
	for _, part := range parts {
		switch part := part.(type) {
		case vm.OpCode:
			out = append(out, byte(part))
		case []byte:
			out = append(out, part...)
		case int:
			out = append(out, push(uint64(part))...)
		case uint64:
			out = append(out, push(part)...)
		case common.Address:
			out = append(append(out, byte(vm.PUSH20)), part[:]...)
		default:
			panic(fmt.Sprintf("%T in a program", part))
		}
	}
	return out
}

func push(n uint64) []byte {
	if n == 0 {
		return []byte{byte(vm.PUSH0)}
	}
	digits := bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, n), "\x00")
	return append([]byte{byte(vm.PUSH1) + byte(len(digits)) - 1}, digits...)
}

// code repeats the body for about 20 KiB, and all that until the gas is used up.
func (e expense) code() []byte {
	if e.once {
		return append(slices.Clone(e.begin), e.body...)
	}
	code := append(slices.Clone(e.begin), byte(vm.JUMPDEST))
	start := len(code) - 1
	for {
		code = append(code, e.body...)
		if len(code) > 20<<10 {
			return append(code, byte(vm.PUSH2), byte(start>>8), byte(start), byte(vm.JUMP))
		}
	}
}

// inputInMemory copies the input of the call to the start of the memory.
var inputInMemory = program(vm.CALLDATASIZE, 0, 0, vm.CALLDATACOPY)

// precompile is an expense that calls a precompile with exactly its price. The call must succeed unless its name says
// otherwise.
func precompile(t testing.TB, name string, address uint64, input []byte) expense {
	contract := vm.PrecompiledContractsBoho[common.BigToAddress(new(big.Int).SetUint64(address))]
	price := contract.RequiredGas(input)
	_, err := contract.Run(input)
	must.That(t, (err != nil) == strings.HasSuffix(name, "failing"), "%s: %v", name, err)
	return expense{name: name, begin: inputInMemory, input: input,
		body: program(0, 0, len(input), 0, address, price, vm.STATICCALL, vm.POP)}
}

// counted is an expense whose body runs with a number on the stack that grows by one each time.
func counted(name string, from uint64, body ...any) expense {
	return expense{name: name, begin: program(from), body: program(append(body, 1, vm.ADD)...)}
}

func modexp(base, exponent, modulus []byte) []byte {
	var out []byte
	for _, n := range [][]byte{base, exponent, modulus} {
		out = append(out, common.LeftPadBytes(big.NewInt(int64(len(n))).Bytes(), 32)...)
	}
	return slices.Concat(out, base, exponent, modulus)
}

func repeated(b byte, n int) []byte { return bytes.Repeat([]byte{b}, n) }

// expenses lists every instruction and precompile of the chain after Boho that has a price of its own, each used to
// cost most.
func expenses(t testing.TB) []expense {
	accounts, codes, nobody := uint64(sweepFirst), uint64(codesFirst), uint64(emptyFirst)
	list := []expense{
		{name: "JUMPDEST", body: program(vm.JUMPDEST)},
		{name: "PUSH32-POP", body: program(vm.PUSH32, repeated(0xff, 32), vm.POP)},
		{name: "DUP-SWAP", begin: program(1, 2), body: program(vm.DUP1, vm.SWAP1, vm.POP)},
		{name: "MUL", begin: program(vm.PUSH32, repeated(0xfe, 32)), body: program(vm.DUP1, vm.MUL)},
		{name: "DIV", begin: program(vm.PUSH32, repeated(0xfe, 32)), body: program(vm.PUSH16, repeated(0xfd, 16), vm.DUP2,
			vm.DIV, vm.POP)},
		{name: "SDIV", begin: program(vm.PUSH32, repeated(0xfe, 32)), body: program(vm.PUSH16, repeated(0xfd, 16),
			vm.DUP2, vm.SDIV, vm.POP)},
		{name: "MOD", begin: program(vm.PUSH32, repeated(0xfe, 32)), body: program(vm.PUSH16, repeated(0xfd, 16), vm.DUP2,
			vm.MOD, vm.POP)},
		{name: "SMOD", begin: program(vm.PUSH32, repeated(0xfe, 32)), body: program(vm.PUSH16, repeated(0xfd, 16),
			vm.DUP2, vm.SMOD, vm.POP)},
		{name: "ADDMOD", begin: program(vm.PUSH32, repeated(0xfe, 32)), body: program(vm.PUSH16, repeated(0xfd, 16),
			vm.DUP2, vm.DUP3, vm.ADDMOD, vm.POP)},
		{name: "MULMOD", begin: program(vm.PUSH32, repeated(0xfe, 32)), body: program(vm.PUSH16, repeated(0xfd, 16),
			vm.DUP2, vm.DUP3, vm.MULMOD, vm.POP)},
		{name: "EXP", body: program(vm.PUSH32, repeated(0xff, 32), vm.PUSH32, repeated(0xfd, 32), vm.EXP, vm.POP)},
		{name: "SAR", begin: program(vm.PUSH32, repeated(0xfe, 32)), body: program(vm.DUP1, 7, vm.SAR, vm.POP)},
		{name: "KECCAK256/32B", body: program(32, 0, vm.KECCAK256, vm.POP)},
		{name: "KECCAK256/1MiB", body: program(1<<20, 0, vm.KECCAK256, vm.POP)},
		{name: "MLOAD", body: program(1<<16, vm.MLOAD, vm.POP)},
		{name: "MCOPY/1MiB", body: program(1<<20, 1<<10, 0, vm.MCOPY)},
		{name: "CALLDATACOPY/1MiB", body: program(1<<20, 0, 0, vm.CALLDATACOPY)},
		{name: "CODECOPY/1MiB", body: program(1<<20, 0, 0, vm.CODECOPY)},
		{name: "RETURNDATACOPY/8KiB", begin: program(inputInMemory, 0, 0, vm.CALLDATASIZE, 0, 4, 10_000, vm.STATICCALL,
			vm.POP),
			input: repeated(1, 8<<10), body: program(8<<10, 0, 0, vm.RETURNDATACOPY)},
		{name: "MemoryExpansion", once: true, begin: program(1<<16, vm.MLOAD, vm.POP),
			body: bytes.Repeat(program(0, 0, 0, 0, vm.ADDRESS, vm.GAS, vm.STATICCALL, vm.POP), 100)},
		{name: "BLOCKHASH", body: program(vm.NUMBER, vm.BLOCKHASH, vm.POP)},
		{name: "SELFBALANCE", body: program(vm.SELFBALANCE, vm.POP)},
		{name: "TLOAD", body: program(1, vm.TLOAD, vm.POP)},
		counted("TSTORE/new", 1, vm.DUP1, vm.DUP1, vm.TSTORE),
		counted("SLOAD/cold", 1, vm.DUP1, vm.SLOAD, vm.POP),
		counted("SLOAD/cold-unset", 1<<40, vm.DUP1, vm.SLOAD, vm.POP),
		{name: "SLOAD/warm", body: program(1, vm.SLOAD, vm.POP)},
		counted("SSTORE/new", 1<<40, vm.DUP1, vm.DUP1, vm.SSTORE),
		counted("SSTORE/clear", 1, 0, vm.DUP2, vm.SSTORE),
		counted("BALANCE/cold", accounts, vm.DUP1, vm.BALANCE, vm.POP),
		counted("BALANCE/cold-nobody", nobody, vm.DUP1, vm.BALANCE, vm.POP),
		{name: "BALANCE/warm", body: program(accounts, vm.BALANCE, vm.POP)},
		counted("EXTCODEHASH/cold", accounts, vm.DUP1, vm.EXTCODEHASH, vm.POP),
		counted("EXTCODESIZE/cold", accounts, vm.DUP1, vm.EXTCODESIZE, vm.POP),
		{name: "EXTCODECOPY/warm-1MiB", body: program(1<<20, 0, 0, codes, vm.EXTCODECOPY)},
		counted("CALL/cold", accounts, 0, 0, 0, 0, 0, vm.DUP6, 0, vm.CALL, vm.POP),
		counted("CALL/value-new", nobody, 0, 0, 0, 0, 1, vm.DUP6, 0, vm.CALL, vm.POP),
		{name: "CALL/warm-248KiB-jump", body: program(0, 0, 0, 0, codes, 200, vm.STATICCALL, vm.POP)},
		{name: "CALL/warm", body: program(0, 0, 0, 0, 0, accounts, 0, vm.CALL, vm.POP)},
		{name: "CALL/recursive", once: true, body: program(0, 0, 0, 0, 0, vm.ADDRESS, vm.GAS, vm.CALL, 0, 0, 0, 0, 0,
			vm.ADDRESS, vm.GAS, vm.CALL)},
		{name: "DELEGATECALL/recursive", once: true, body: program(0, 0, 0, 0, vm.ADDRESS, vm.GAS, vm.DELEGATECALL, 0, 0,
			0, 0, vm.ADDRESS, vm.GAS, vm.DELEGATECALL)},
		{name: "LOG0/1MiB", body: program(1<<20, 0, vm.LOG0)},
		{name: "LOG4/0B", body: program(1, 2, 3, 4, 0, 0, vm.LOG4)},
		{name: "CREATE/empty", body: program(0, 0, 0, vm.CREATE, vm.POP)},
		// The init code jumps, so that all of it is searched for jump destinations.
		{name: "CREATE/248KiB", begin: program(vm.PUSH3, []byte{0x60, 0x03, 0x56}, 232, vm.SHL, 0, vm.MSTORE, vm.PUSH1,
			[]byte{0x5b}, 3, vm.MSTORE8),
			body: program(vm.MaxCodeSizeAnzeon, 0, 0, vm.CREATE, vm.POP)},
		counted("CREATE2/248KiB", 0, vm.DUP1, vm.MaxCodeSizeAnzeon, 0, 0, vm.CREATE2, vm.POP),
		// The init code destroys the account that it makes.
		{name: "SELFDESTRUCT/created", begin: program(vm.PUSH2, []byte{byte(vm.ADDRESS), byte(vm.SELFDESTRUCT)}, 240,
			vm.SHL, 0, vm.MSTORE),
			body: program(2, 0, 0, vm.CREATE, vm.POP)},
	}
	for _, e := range []expense{
		counted("EXTCODECOPY/cold-248KiB", codes, 1, 0, 0, vm.DUP4, vm.EXTCODECOPY),
		counted("CALL/cold-248KiB-jump", codes, 0, 0, 0, 0, vm.DUP5, 100, vm.STATICCALL, vm.POP),
	} {
		e.gas = sweepCodes * 2600 // there are no more of them
		list = append(list, e)
	}
	manager := common.BytesToAddress(vm.AccountManagerAddress[:]).Big().Uint64()
	isBlacklisted := common.RightPadBytes([]byte{0xfe, 0x57, 0x5a, 0x87}, 36)
	for name, from := range map[string]uint64{"Manager/isBlacklisted-cold": accounts,
		"Manager/isBlacklisted-nobody": nobody} {
		e := counted(name, from, vm.DUP1, 4, vm.MSTORE, 0, 0, 36, 0, manager, 0, vm.STATICCALL, vm.POP)
		e.begin, e.input = append(slices.Clone(inputInMemory), e.begin...), isBlacklisted
		list = append(list, e)
	}

	random := func(n int) []byte {
		out := make([]byte, n)
		rand.Read(out)
		out[0] |= 0x80
		return out
	}
	key, err := crypto.GenerateKey()
	check(t, err)
	hash := crypto.Keccak256([]byte("sweep"))
	sig, err := crypto.Sign(hash, key)
	check(t, err)
	list = append(list,
		precompile(t, "ecrecover", 1, slices.Concat(hash, common.LeftPadBytes([]byte{sig[64] + 27}, 32), sig[:64])),
		precompile(t, "sha256/64B", 2, random(64)), precompile(t, "sha256/1MiB", 2, random(1<<20)),
		precompile(t, "ripemd160/64B", 3, random(64)), precompile(t, "ripemd160/1MiB", 3, random(1<<20)),
		precompile(t, "identity/64B", 4, random(64)), precompile(t, "identity/1MiB", 4, random(1<<20)))
	for _, size := range []int{1, 8, 16, 24, 32, 48, 64, 128, 192, 256, 1024} {
		for _, exponent := range [][]byte{{3}, repeated(0xff, 8), repeated(0xff, 32), repeated(0xff, 64), repeated(0xff,
			512)} {
			for _, parity := range []byte{0, 1} {
				mod := random(size)
				mod[size-1] = mod[size-1]&^1 | parity
				name := fmt.Sprintf("modexp/%dB-exp%dx%x-%s", size, len(exponent), exponent[0], []string{"even", "odd"}[parity])
				list = append(list, precompile(t, name, 5, modexp(repeated(0xff, size), exponent, mod)))
			}
		}
	}
	pair := common.FromHex("1c76476f4def4bb94541d57ebba1193381ffa7aa76ada664dd31c16024c43f593034dd2920f673e204fee281" +
		"1c678745fc819b55d3e9d294e45c9b03a76aef41209dd15ebff5d46c4bd888e51a93cf99a7329636c6351439" +
		"6b4a452003a35bf704bf11ca01483bfa8b34b43561848d28905960114c8ac04049af4b6315a416782bb8324a" +
		"f6cfc93537a2ad1a445cfd0ca2a71acd7ac41fadbf933c2a51be344d120a2a4cf30c1bf9845f20c6fe39e07e" +
		"a2cce61f0c9bb048165fe5e4de877550")
	g1 := pair[:64]
	list = append(list,
		precompile(t, "bn256Add", 6, slices.Concat(g1, g1)),
		precompile(t, "bn256Mul", 7, slices.Concat(g1, repeated(0xff, 32))),
		precompile(t, "bn256Pairing/1", 8, pair), precompile(t, "bn256Pairing/2", 8, bytes.Repeat(pair, 2)),
		precompile(t, "bn256Pairing/20", 8, bytes.Repeat(pair, 20)))
	for _, rounds := range []uint32{1, 12, 1_000_000} {
		list = append(list, precompile(t, fmt.Sprintf("blake2f/%d", rounds), 9, append(binary.BigEndian.AppendUint32(nil,
			rounds), append(random(208), 1)...)))
	}
	_, _, generator, _ := bls12381.Generators()
	point := generator.Bytes()
	opening := func(claim byte) []byte {
		version := sha256.Sum256(point[:])
		version[0] = 1
		return slices.Concat(version[:], repeated(0x42, 32), repeated(claim, 32), point[:], point[:])
	}
	list = append(list, precompile(t, "pointEvaluation/failing", 10, opening(0x13)))
	secret := big.NewInt(0x1234567)
	var public bls12381.G1Affine
	public.ScalarMultiplication(&generator, secret)
	encoded := public.Bytes()
	message, err := bls12381.HashToG2(encoded[:], []byte("BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"))
	check(t, err)
	var proof bls12381.G2Affine
	proof.ScalarMultiplication(&message, secret)
	possession := proof.Bytes()
	list = append(list, precompile(t, "blsPossession", 0xb00001, slices.Concat(encoded[:], possession[:])))
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	r, s, err := ecdsa.Sign(rand.Reader, p256, hash)
	check(t, err)
	list = append(list, precompile(t, "p256Verify", 0x100, slices.Concat(hash, common.BigToHash(r).Bytes(),
		common.BigToHash(s).Bytes(),
		common.BigToHash(p256.X).Bytes(), common.BigToHash(p256.Y).Bytes())))
	return list
}

// sweepState is a state on disk with accounts, slots and large codes.
type sweepState struct {
	db   *triedb.Database
	root common.Hash
}

func newSweepState(t testing.TB) *sweepState {
	store, err := pebble.New(t.TempDir(), 256, 256, "", false)
	check(t, err)
	disk := rawdb.NewDatabase(store)
	t.Cleanup(func() { expect.Error(t, disk.Close(), nil, "Close") })
	tdb := triedb.NewDatabase(disk, &triedb.Config{PathDB: pathdb.Defaults})
	t.Cleanup(func() { expect.Error(t, tdb.Close(), nil, "Close") })
	db, err := state.New(types.EmptyRootHash, state.NewDatabase(tdb, nil))
	check(t, err)
	for i := range uint64(sweepAccounts) {
		db.AddBalance(common.BigToAddress(new(big.Int).SetUint64(sweepFirst+i)), uint256.NewInt(1), 0)
	}
	for i := range uint64(sweepCodes) {
		code := append(program(3, vm.JUMP, vm.JUMPDEST, i), repeated(0x5b, vm.MaxCodeSizeAnzeon)...)[:vm.MaxCodeSizeAnzeon]
		db.SetCode(common.BigToAddress(new(big.Int).SetUint64(codesFirst+i)), code, 0)
	}
	db.AddBalance(sweepContract, uint256.NewInt(1e18), 0)
	db.SetNonce(sweepContract, 1, 0)
	for i := range uint64(sweepSlots) {
		db.SetState(sweepContract, common.BigToHash(new(big.Int).SetUint64(i)), common.Hash{31: 1})
	}
	root, err := db.Commit(sweepConfig.Rules(sweepNumber, false, 0), 0)
	check(t, err)
	check(t, tdb.Commit(root, false))
	return &sweepState{tdb, root}
}

// run executes the code of an expense with an amount of gas, and returns what it used and how long it took.
func (s *sweepState) run(t testing.TB, e expense, gas uint64) (uint64, time.Duration) {
	db, err := state.New(s.root, state.NewDatabase(s.db, nil))
	check(t, err)
	header := &types.Header{Number: sweepNumber, Difficulty: common.Big1, BaseFee: new(big.Int), GasLimit: 105_000_000,
		Extra: new(types.WBFTExtra).Encode()}
	context := vm.BlockContext{
		CanTransfer: gethcore.CanTransfer, Transfer: gethcore.Transfer,
		GetHash:     func(uint64) common.Hash { return common.Hash{} },
		BlockNumber: header.Number, Difficulty: header.Difficulty, BaseFee: header.BaseFee, GasLimit: header.GasLimit,
		Header: header,
	}
	evm := vm.NewEVM(context, db, sweepConfig, vm.Config{})
	defer evm.Release()
	db.SetCode(sweepContract, e.code(), 0)
	rules := sweepConfig.Rules(header.Number, false, 0)
	db.Prepare(rules, common.Address{1}, common.Address{}, &sweepContract, vm.ActivePrecompiles(rules), nil)
	evm.SetTxContext(vm.TxContext{GasPrice: new(uint256.Int)})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime(t)
	_, left, err := evm.Call(common.Address{1}, sweepContract, e.input, vm.NewGasBudget(gas, 0), new(uint256.Int))
	took := threadTime(t) - start
	must.That(t, e.once || errors.Is(err, vm.ErrOutOfGas), "%s: ended with %v", e.name, err)
	return gas - left.ExecutionGas, took
}

// threadTime returns the CPU time of this thread, which other processes of the machine do not change much.
func threadTime(t testing.TB) time.Duration {
	const clockOfThread = 3 // CLOCK_THREAD_CPUTIME_ID
	var now syscall.Timespec
	_, _, code := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockOfThread, uintptr(unsafe.Pointer(&now)),
		0)
	must.That(t, code == 0, "%v", code)
	return time.Duration(now.Nano())
}

// BenchmarkWorstGas measures how much gas a second each instruction and precompile takes, used to cost most.
// docs/load.md has the table.
func BenchmarkWorstGas(b *testing.B) {
	st := newSweepState(b)
	for _, e := range expenses(b) {
		b.Run(e.name, func(b *testing.B) {
			amount := uint64(sweepGas)
			if e.gas > 0 {
				amount = e.gas
			}
			var gas uint64
			var took time.Duration
			for b.Loop() {
				used, time := st.run(b, e, amount)
				gas, took = gas+used, took+time
			}
			b.ReportMetric(float64(gas)/1e6/took.Seconds(), "Mgas/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	must.Do(t, err)
}
