// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"gwon/core"
	"gwon/params"
)

// scenario is a chain of single calls on the contracts of a genesis.
type scenario struct {
	config *params.ChainConfig
	db     *state.StateDB
	named  []common.Address
}

// governanceScenario runs calls on the contracts that are part of the program: they stand in for the network's, whose
// code is not, and have their interfaces and storage.
func governanceScenario(in reader) (any, error) {
	s, err := newScenario(in)
	if err != nil {
		return nil, err
	}
	steps := []any{}
	for i, step := range in.objects("steps") {
		r, err := s.call(i, step)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		steps = append(steps, r)
	}
	return record{"steps": steps}, nil
}

func newScenario(in reader) (*scenario, error) {
	described := in.object("genesis")
	network, err := preset(described.text("preset"))
	if err != nil {
		return nil, err
	}
	config := network.Config()
	useOwnContracts(config)
	govern(config.Anzeon.SystemContracts.GovCouncil.Params, described.object("gov_council"))
	validator := described.object("gov_validator")
	settings := config.Anzeon.SystemContracts.GovValidator.Params
	govern(settings, validator)
	init := readInit(validator)
	settings["validators"] = joinItems(init.Validators, common.Address.Hex)
	settings["blsPublicKeys"] = joinItems(init.BLSPublicKeys, hexutil.Bytes.String)
	settings["gasTip"] = validator.integer("gas_tip").String()
	config.Anzeon.Init = init

	g := genesisFile(network, config)
	g.Timestamp = in.number("genesis_time")
	for _, a := range described.objects("alloc") {
		g.Alloc[a.address("address")] = types.Account{Balance: a.integer("balance")}
	}
	named := in.addresses("named_accounts")
	if *in.err != nil {
		return nil, unsupported{(*in.err).Error()}
	}
	built, _, err := core.BuildGenesis(g, nil)
	if err != nil {
		return nil, err
	}
	db, err := stateOf(built.Alloc)
	return &scenario{config, db, named}, err
}

// useOwnContracts names the versions of the five contracts that are part of the program.
func useOwnContracts(config *params.ChainConfig) {
	c := config.Anzeon.SystemContracts
	c.GovValidator.Version, c.NativeCoinAdapter.Version, c.GovMinter.Version = params.G1, params.G1, params.G1
	c.GovMasterMinter.Version, c.GovCouncil.Version = params.G1, params.G1
	if config.Boho != nil && config.Boho.SystemContracts != nil && config.Boho.SystemContracts.GovMinter != nil {
		config.Boho.SystemContracts.GovMinter.Version = params.G2
	}
}

func govern(settings map[string]string, in reader) {
	settings["members"] = joinItems(in.addresses("members"), common.Address.Hex)
	settings["quorum"] = in.integer("quorum").String()
	settings["expiry"] = in.integer("expiry").String()
	settings["maxProposals"] = in.integer("max_proposals").String()
}

func joinItems[T any](items []T, write func(T) string) string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = write(item)
	}
	return strings.Join(list, ",")
}

// stateOf makes the state of an allocation.
func stateOf(alloc types.GenesisAlloc) (*state.StateDB, error) {
	db, err := emptyState()
	if err != nil {
		return nil, err
	}
	for address, a := range alloc {
		balance, overflow := uint256.FromBig(a.Balance)
		if overflow {
			return nil, fmt.Errorf("balance of %v has more than 256 bits", address)
		}
		db.AddBalance(address, balance, tracing.BalanceIncreaseGenesisBalance)
		db.SetNonce(address, a.Nonce, tracing.NonceChangeGenesis)
		db.SetCode(address, a.Code, tracing.CodeChangeGenesis)
		if a.Extra != 0 {
			db.SetExtra(address, a.Extra)
		}
		for key, value := range a.Storage {
			db.SetState(address, key, value)
		}
	}
	return db, nil
}

// slotOf is a storage slot of an account.
type slotOf struct {
	address common.Address
	key     common.Hash
}

// call runs one step, the only transaction of its block.
func (s *scenario) call(index int, in reader) (any, error) {
	contract := s.config.Anzeon.SystemContracts.GovValidator.Address
	tip := core.GasTip(s.db, contract)
	list, err := core.ValidatorList(s.db, contract)
	if err != nil {
		return nil, err
	}
	header := &types.Header{
		Number: in.integer("number"), Time: in.number("time"), Difficulty: big.NewInt(1), GasLimit: params.DefaultGenesisGas,
		BaseFee: new(big.Int).SetUint64(params.MinBaseFee), Extra: (&types.WBFTExtra{GasTip: tip}).Encode(),
	}
	if len(list) > 0 {
		header.Coinbase = list[0]
	}
	price, overflow := uint256.FromBig(new(big.Int).Add(header.BaseFee, tip))
	if overflow {
		return nil, errors.New("gas tip has more than 256 bits")
	}
	sender, to := in.address("sender"), in.address("to")
	msg := &gethcore.Message{
		From: sender, To: &to, Nonce: s.db.GetNonce(sender), Value: new(uint256.Int), GasLimit: in.number("gas"),
		GasPrice: price, GasFeeCap: price, GasTipCap: uint256.MustFromBig(tip), Data: in.bytes("data"),
	}
	if *in.err != nil {
		return nil, unsupported{(*in.err).Error()}
	}
	before := make(map[slotOf]common.Hash)
	hooks := &tracing.Hooks{OnStorageChange: func(a common.Address, key, prior, _ common.Hash) {
		if _, known := before[slotOf{a, key}]; !known {
			before[slotOf{a, key}] = prior
		}
	}}
	hash := common.BigToHash(big.NewInt(int64(index) + 1))
	s.db.SetTxContext(hash, 0, 1)
	evm := newEVM(s.config, header, state.NewHookedState(s.db, hooks), hooks)
	executed, err := gethcore.ApplyMessage(evm, msg, nil)
	if err != nil {
		return nil, err
	}
	logs := s.db.GetLogs(hash, header.Number.Uint64(), common.Hash{}, header.Time)
	writes := s.changes(before)
	s.db.Finalise(s.config.Rules(header.Number, false, header.Time))
	projection, err := s.project()
	if err != nil {
		return nil, err
	}
	status, reverted := "success", []byte{}
	switch {
	case errors.Is(executed.Err, vm.ErrExecutionReverted):
		status, reverted = "revert", executed.ReturnData
	case executed.Err != nil:
		status = "failure"
	}
	return record{
		"status": status, "revert_data": toHex(reverted), "logs": listOf(logs, writeLog), "write_set": writes,
		"projection": projection,
	}, nil
}

// changes returns the slots whose values are others than before the call, in ascending order.
func (s *scenario) changes(before map[slotOf]common.Hash) []any {
	var changed []slotOf
	for slot, value := range before {
		if s.db.GetState(slot.address, slot.key) != value {
			changed = append(changed, slot)
		}
	}
	sortSlots(changed)
	return listOf(changed, func(slot slotOf) any {
		value := s.db.GetState(slot.address, slot.key)
		return record{"address": addressItem(slot.address), "key": hashItem(slot.key), "value": hashItem(value)}
	})
}

// project returns what consensus reads from the contracts and accounts.
func (s *scenario) project() (any, error) {
	contract := s.config.Anzeon.SystemContracts.GovValidator.Address
	list, err := core.ValidatorList(s.db, contract)
	if err != nil {
		return nil, err
	}
	keys := []any{}
	for _, v := range list {
		key, err := core.BLSKey(s.db, contract, v)
		if err != nil {
			return nil, err
		}
		keys = append(keys, toHex(key))
	}
	blacklisted, authorized := make(map[common.Address]bool), make(map[common.Address]bool)
	for _, a := range s.named {
		if s.db.IsBlacklisted(a) {
			blacklisted[a] = true
		}
		if s.db.IsAuthorized(a) {
			authorized[a] = true
		}
	}
	return record{
		"validators": listOf(list, addressItem), "bls_public_keys": keys, "gas_tip": core.GasTip(s.db, contract).String(),
		"blacklisted": listOf(sortedAddresses(blacklisted), addressItem),
		"authorized":  listOf(sortedAddresses(authorized), addressItem),
	}, nil
}
