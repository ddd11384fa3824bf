// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package network

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/log"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/settings"
	"gwon/core"
	"gwon/params"
)

// updateRules brings the stored configuration of a public network to the network's own, where an earlier gwon has
// stored another one and no stored block can differ. Otherwise it returns an error, and changes nothing
// (spec chain 1.5).
func (n *Chosen) updateRules(cfg *settings.Config) error {
	if n.preset == nil || n.isNew() || n.stored.Config == nil {
		return nil
	}
	rules := n.preset.Config()
	stored, err := core.Canonical(n.stored.Config)
	if err != nil {
		return err
	}
	if wanted, err := core.Canonical(rules); err != nil || stored.Hash() == wanted.Hash() {
		return err
	}
	if err := checkStoredRules(n.stored.Config, rules, n.stored.NewestHeader); err != nil {
		return fmt.Errorf("the chain in %s cannot become that of --%s: %w. Remove the chain with gwon removedb, which keeps "+
			"keys and votes, and sync again", cfg.Node.DataDir, n.preset.Name, err)
	}
	path := cfg.Node.ResolvePath("chaindata")
	db, err := datadir.OpenKeyValues(path, false)
	if err != nil {
		return err
	}
	rawdb.WriteChainConfig(db, n.stored.Genesis, rules)
	if err := errors.Join(db.SyncKeyValue(), db.Close()); err != nil {
		return fmt.Errorf("store the configuration of --%s: %w", n.preset.Name, err)
	}
	n.stored.Config = rules
	log.Info("Stored configuration updated", "network", n.preset.Name, "boho", rules.BohoBlock, "feePayerCheckBlock", 0)
	return nil
}

// checkStoredRules returns an error when a block up to head can differ under the rules of a network. That every fee
// payer has signed is true of all blocks of the network, so the check of that may begin below the head
// (spec transactions 2.4).
func checkStoredRules(stored, rules *params.ChainConfig, head uint64) error {
	if head == 0 {
		return nil // block 0 is the network's, by its hash
	}
	if stored.Anzeon != nil && stored.Anzeon.FeePayerCheckBlock == nil {
		copied, anzeon := *stored, *stored.Anzeon
		anzeon.FeePayerCheckBlock = rules.Anzeon.FeePayerCheckBlock
		copied.Anzeon, stored = &anzeon, &copied
	}
	compat := stored.CheckCompatible(rules, head, 0)
	if compat == nil {
		return nil
	}
	return fmt.Errorf("its blocks from %d on were made with another rule (%s at %s, on the network at %s), "+
		"and it has blocks up to %d",
		compat.RewindToBlock+1, compat.What, blockOrNever(compat.StoredBlock), blockOrNever(compat.NewBlock), head)
}

// blockOrNever names a block of a configuration that may leave it out.
func blockOrNever(block *big.Int) string {
	if block == nil {
		return "never"
	}
	return "block " + block.String()
}
