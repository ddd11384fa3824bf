// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"maps"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"
)

// injection is an allocation to which the system contracts are being added.
type injection struct {
	alloc types.GenesisAlloc
	code  map[common.Address]MissingCode // missing code of each contract address
	order []common.Address               // keys of code in the order of processing
}

// injectContracts replaces the entries of the system contracts and applies the upgrades of block 0 (spec chain 9,
// steps 4 to 6). The new entries have no code yet.
func injectContracts(in *gethcore.Genesis) (*injection, error) {
	j := &injection{
		alloc: make(types.GenesisAlloc, len(in.Alloc)+len(contractKinds)),
		code:  make(map[common.Address]MissingCode),
	}
	for a, account := range in.Alloc {
		if account.Balance == nil {
			account.Balance = new(big.Int)
		}
		j.alloc[a] = account
	}
	var installs []install
	for n, u := range in.Config.SystemContractUpgrades() {
		for i := range contractKinds {
			kind := &contractKinds[i]
			c := kind.pick(u.Contracts)
			if c == nil {
				continue
			}
			if u.Block > 0 {
				if _, err := codeUpgrade(kind, c); err != nil {
					return nil, err
				}
				continue
			}
			hash, err := kind.codeHash(c.Version)
			if err != nil {
				return nil, err
			}
			s, err := j.initialize(kind, c, in.Alloc)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind.name, err)
			}
			installs = append(installs, install{MissingCode{kind.name, c.Version, c.Address, hash, 0}, s, n > 0})
		}
	}
	for _, in := range installs {
		if err := j.install(in); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// install is a contract that will be put into the allocation.
type install struct {
	contract MissingCode
	storage  storage
	upgrade  bool // a fork at block 0 writes only code and slots
}

func (j *injection) install(in install) error {
	address := in.contract.Address
	earlier, known := j.code[address]
	entry := j.alloc[address]
	switch {
	case known && earlier.Contract != in.contract.Contract:
		return fmt.Errorf("contracts %s and %s have the same address %v", earlier.Contract, in.contract.Contract, address)
	case !in.upgrade:
		entry = types.Account{}
	case !known && entry.Nonce != 0:
		return fmt.Errorf("the allocation gives a nonce to %v, the address of the contract %s: remove that entry",
			address, in.contract.Contract)
	}
	if entry.Balance == nil {
		entry.Balance = new(big.Int)
	}
	slots := make(map[common.Hash]common.Hash, len(entry.Storage)+len(in.storage))
	maps.Copy(slots, entry.Storage)
	maps.Copy(slots, in.storage)
	entry.Storage = slots
	j.alloc[address] = entry
	if !known {
		j.order = append(j.order, address)
	}
	j.code[address] = in.contract
	return nil
}

// initialize returns the storage of one contract and sets the flags that belong to it. The parameter given is the
// allocation from the user's file.
func (j *injection) initialize(kind *contractKind, c *gethparams.SystemContract, given types.GenesisAlloc) (storage,
	error) {
	if !hasStorage(c) {
		return make(storage), nil
	}
	s, flags, err := kind.init(parameters(c.Params), given)
	if err != nil {
		return nil, err
	}
	for a, flag := range flags {
		account := j.alloc[a]
		if account.Balance == nil {
			account.Balance = new(big.Int)
		}
		account.Extra |= flag
		j.alloc[a] = account
	}
	return s, nil
}

// supplyCode puts available code into the entries of the system contracts.
func (j *injection) supplyCode(given types.GenesisAlloc, codes CodeSource) (*GenesisInfo, error) {
	info := &GenesisInfo{CodeHashes: make(map[common.Address]common.Hash)}
	for _, address := range j.order {
		need := j.code[address]
		info.CodeHashes[address] = need.Hash
		code := given[address].Code
		if crypto.Keccak256Hash(code) != need.Hash {
			var err error
			if code, err = codes.find(need.Hash); err != nil {
				return nil, fmt.Errorf("%s: %w", need.Contract, err)
			}
		}
		entry := j.alloc[address]
		if entry.Code = code; code == nil {
			entry.Nonce = 1
			info.Missing = append(info.Missing, need)
		}
		j.alloc[address] = entry
	}
	return info, nil
}
