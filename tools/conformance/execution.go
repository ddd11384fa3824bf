// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"gwon/core"
	"gwon/params"
)

func keccakHash(b []byte) common.Hash { return crypto.Keccak256Hash(b) }

func emptyState() (*state.StateDB, error) {
	return state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
}

// readState makes the state that consists of the accounts of the input.
func readState(in reader) (*state.StateDB, error) {
	db, err := emptyState()
	if err != nil {
		return nil, err
	}
	for _, a := range in.objects("accounts") {
		address := a.address("address")
		db.CreateAccount(address)
		balance, overflow := uint256.FromBig(a.integer("balance"))
		if overflow {
			return nil, fmt.Errorf("balance of %v has more than 256 bits", address)
		}
		db.AddBalance(address, balance, tracing.BalanceChangeUnspecified)
		db.SetNonce(address, a.number("nonce"), tracing.NonceChangeUnspecified)
		if extra := a.number("extra"); extra != 0 {
			db.SetExtra(address, extra)
		}
		if code := a.bytes("code"); len(code) > 0 {
			db.SetCode(address, code, tracing.CodeChangeUnspecified)
		}
		for _, s := range a.objects("storage") {
			db.SetState(address, s.hash("key"), s.hash("value"))
		}
	}
	return db, nil
}

func newEVM(config *params.ChainConfig, header *types.Header, db vm.StateDB, tracer *tracing.Hooks) *vm.EVM {
	ctx := gethcore.NewEVMBlockContext(header, nil, &header.Coinbase)
	return vm.NewEVM(ctx, db, config, vm.Config{Tracer: tracer})
}

// p256Gas is what a call of the precompile is given in the vectors.
const p256Gas = 100_000

func p256Verify(in reader) (any, error) {
	config, _, err := presetConfig(in.object("config"))
	if err != nil {
		return nil, err
	}
	db, err := emptyState()
	if err != nil {
		return nil, err
	}
	number := in.integer("number")
	header := &types.Header{Number: number, Difficulty: big.NewInt(1), BaseFee: new(big.Int).SetUint64(params.MinBaseFee)}
	evm := newEVM(config, header, db, nil)
	db.Prepare(config.Rules(number, false, 0), common.Address{}, common.Address{}, nil,
		vm.ActivePrecompiles(config.Rules(number, false, 0)), nil)
	output, left, err := evm.Call(common.Address{1}, common.Address{18: 1}, in.bytes("input"),
		vm.NewGasBudget(p256Gas, 0), new(uint256.Int))
	if err != nil {
		return nil, err
	}
	return record{"output": toHex(output), "gas": decimal(p256Gas - left.ExecutionGas)}, nil
}

// headerAndState reads a block's header and the state that it is executed on.
func headerAndState(in reader) (*types.Header, *state.StateDB, error) {
	header, err := in.header("header")
	if err != nil {
		return nil, nil, err
	}
	db, err := readState(in)
	return header, db, err
}

func applyTransactions(in reader) (any, error) {
	config, _, err := presetConfig(in.object("config"))
	if err != nil {
		return nil, err
	}
	header, db, err := headerAndState(in)
	if err != nil {
		return nil, err
	}
	evm := newEVM(config, header, db, nil)
	gas := gethcore.NewGasPool(header.GasLimit)
	receipts := []any{}
	for i, encoded := range in.byteList("transactions") {
		tx := new(types.Transaction)
		if err := tx.UnmarshalBinary(encoded); err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i, err)
		}
		db.SetTxContext(tx.Hash(), i, uint32(i+1))
		receipt, _, err := gethcore.ApplyTransaction(context.Background(), evm, gas, db, header, tx)
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i, err)
		}
		receipts = append(receipts, record{
			"status": decimal(receipt.Status), "gas_used": decimal(receipt.GasUsed),
			"cumulative_gas_used": decimal(receipt.CumulativeGasUsed),
			"effective_gas_price": receipt.EffectiveGasPrice.String(),
			"logs":                listOf(receipt.Logs, writeLog),
		})
	}
	accounts := listOf(in.objects("accounts"), func(a reader) any {
		address := a.address("address")
		return record{
			"address": addressItem(address), "balance": db.GetBalance(address).Dec(), "nonce": decimal(db.GetNonce(address)),
		}
	})
	return record{"receipts": receipts, "accounts": accounts}, nil
}

func writeLog(l *types.Log) any {
	return record{"address": addressItem(l.Address), "topics": listOf(l.Topics, hashItem), "data": toHex(l.Data)}
}

// Paths of finalization.
const (
	importPath  = "import"
	proposePath = "propose"
)

func processFinalize(in reader) (any, error) {
	f, err := runnable(in)
	if err != nil {
		return nil, err
	}
	header, db, err := headerAndState(in)
	if err != nil {
		return nil, err
	}
	path := in.text("path")
	before := f.GetHeaderByHash(header.ParentHash)
	if before == nil || before.Root == (common.Hash{}) || !in.has("parent_gas_tip") {
		return nil, fmt.Errorf("the state of the parent of block %v is not available", header.Number)
	}
	parent, err := tipState(f, in.integer("parent_gas_tip"))
	if err != nil {
		return nil, err
	}
	if err := f.engine.Start(header, parent); err != nil {
		return nil, err
	}
	var written any
	switch path {
	case importPath:
		if err := f.engine.Finish(f, header, db, nil); err != nil {
			return nil, err
		}
	case proposePath:
		before := string(header.Extra)
		if err := f.engine.Assemble(f, header, db, nil); err != nil {
			return nil, err
		}
		x, err := header.WBFTExtra()
		if err != nil {
			return nil, err
		}
		if string(header.Extra) != before {
			written = orNull(x.EpochInfo, writeEpochInfo)
		} else if x.EpochInfo != nil && f.config.LastEpochBlock(header.Number.Uint64()) != header.Number.Uint64() {
			return nil, fmt.Errorf("block %v carries epoch info and is no epoch block", header.Number)
		}
	default:
		return nil, unsupported{fmt.Sprintf("path %q is not known", path)}
	}
	return finalState(in, f, header, db, written)
}

// finalState writes the state root and the accounts of the input, and those that an upgrade touched. Where code is not
// part of the program, the hash of the code it should be stands for it.
func finalState(in reader, f *fixture, header *types.Header, db *state.StateDB, written any) (any, error) {
	root := db.IntermediateRoot(f.config.Rules(header.Number, false, header.Time))
	var listed []common.Address
	seen := make(map[common.Address]bool)
	note := func(a common.Address) {
		if !seen[a] {
			seen[a] = true
			listed = append(listed, a)
		}
	}
	for _, a := range in.objects("accounts") {
		note(a.address("address"))
	}
	upgrades, err := core.CodeUpgrades(f.config, header.Number.Uint64())
	if err != nil {
		return nil, err
	}
	hashes := make(map[common.Address]common.Hash)
	for _, u := range upgrades {
		note(u.Address)
		hashes[u.Address] = u.CodeHash
	}
	accounts := listOf(listed, func(a common.Address) any {
		hash := db.GetCodeHash(a)
		if wanted, ok := standIns[hash]; ok {
			hash = wanted
		}
		return record{"address": addressItem(a), "balance": db.GetBalance(a).Dec(), "code_hash": hashItem(hash)}
	})
	if len(upgrades) > 0 {
		if root, err = rootWithCode(in, f, header, db, listed, hashes); err != nil {
			return nil, err
		}
	}
	return record{"root": hashItem(root), "epoch_info": written, "accounts": accounts}, nil
}

// rootWithCode computes the state root from the accounts, with the right hashes for code that has stand-ins. The
// accounts are those listed and those that the distribution of the base fee may have credited.
func rootWithCode(in reader, f *fixture, header *types.Header, db *state.StateDB, listed []common.Address,
	hashes map[common.Address]common.Hash) (common.Hash, error) {
	set, err := f.engine.ValidatorsFor(f, header)
	if err != nil {
		return common.Hash{}, err
	}
	listed = append(append(listed, set.Addresses()...), header.Coinbase)
	storage := make(map[common.Address]map[common.Hash]common.Hash)
	for _, a := range in.objects("accounts") {
		slots := make(map[common.Hash]common.Hash)
		for _, s := range a.objects("storage") {
			slots[s.hash("key")] = s.hash("value")
		}
		storage[a.address("address")] = slots
	}
	alloc := make(types.GenesisAlloc)
	for _, a := range listed {
		if !db.Exist(a) {
			continue
		}
		alloc[a] = types.Account{
			Balance: db.GetBalance(a).ToBig(), Nonce: db.GetNonce(a), Code: db.GetCode(a), Extra: db.GetExtra(a),
			Storage: storage[a],
		}
		if hash, ok := hashes[a]; ok && db.GetNonce(a) != 0 {
			return common.Hash{}, unsupported{fmt.Sprintf("contract %v has a nonce, and code that is not known: %v", a, hash)}
		}
	}
	return core.GenesisRoot(alloc, hashes)
}
