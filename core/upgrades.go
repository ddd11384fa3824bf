// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	gethparams "github.com/ethereum/go-ethereum/params"
)

// CodeUpgrade is a system contract that gets other code at the end of a block.
type CodeUpgrade struct {
	Contract string // key in the chain configuration
	Address  common.Address
	Version  string
	CodeHash common.Hash // Keccak-256 of the runtime code
}

// CodeUpgrades returns the contracts whose code is set while block number is finalised, after its transactions (spec chain
// 10, wbft 6.4). Nonce, balance and storage of the contracts stay. It is empty for nearly every block, and for block 0,
// whose upgrades are part of the genesis state. An error means that the configuration names an upgrade no client can do.
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

// codeUpgrade describes an upgrade after genesis. Those change code only: what an initialiser would do to a running
// contract is not defined (spec wbft 6.4, step 1).
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
