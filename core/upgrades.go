// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	gethparams "github.com/ethereum/go-ethereum/params"
)

// CodeUpgrade is a system contract that gets new code at the end of a block.
type CodeUpgrade struct {
	Contract string // key in the chain configuration
	Address  common.Address
	Version  string
	CodeHash common.Hash // Keccak-256 of the runtime code
}

// CodeUpgrades returns the contracts whose code is set when block number is finalized, after its transactions (spec
// chain 10, wbft 6.4). Nonce, balance and storage of the contracts do not change. The list is empty for most blocks,
// and for block 0, whose upgrades are part of the genesis state.
//
// An error means that the configuration names an unknown version or gives parameters to an upgrade.
func CodeUpgrades(cfg *gethparams.ChainConfig, number uint64) ([]CodeUpgrade, error) {
	if number == 0 {
		return nil, nil
	}
	var list []CodeUpgrade
	for _, u := range cfg.SystemContractUpgrades() {
		if u.Block != number {
			continue
		}
		for i := range contractKinds {
			c := contractKinds[i].pick(u.Contracts)
			if c == nil {
				continue
			}
			up, err := codeUpgrade(&contractKinds[i], c)
			if err != nil {
				return nil, err
			}
			list = append(list, up)
		}
	}
	return list, nil
}

// codeUpgrade describes an upgrade after genesis, which changes only code. The effect of an initializer on an
// existing contract is undefined (spec wbft 6.4, step 1).
func codeUpgrade(kind *contractKind, c *gethparams.SystemContract) (CodeUpgrade, error) {
	hash, err := kind.codeHash(c.Version)
	if err != nil {
		return CodeUpgrade{}, err
	}
	if hasStorage(c) {
		return CodeUpgrade{}, fmt.Errorf("%s: an upgrade after genesis cannot have parameters: remove \"params\"", kind.name)
	}
	return CodeUpgrade{Contract: kind.name, Address: c.Address, Version: c.Version, CodeHash: hash}, nil
}
