// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"fmt"
	"math/big"
	"strings"
)

// describeAnzeon returns the rules of an Anzeon chain, a line each, for the start of a node. It does not name the
// network because two networks may have the same chain ID.
func (c *ChainConfig) describeAnzeon() string {
	var text strings.Builder
	fmt.Fprintf(&text, "Chain ID:  %v\n", c.ChainID)
	text.WriteString("Consensus: WBFT")
	if w := c.Anzeon.WBFT; w != nil {
		fmt.Fprintf(&text, ", a block every %d s, epochs of %d blocks", w.BlockPeriodSeconds, w.EpochLength)
	}
	text.WriteString("\n\nForks, by block:\n")
	for _, fork := range []struct {
		name  string
		block *big.Int
	}{
		{"Homestead to London", c.LondonBlock},
		{"Applepie (fee delegation)", c.ApplepieBlock},
		{"Anzeon", new(big.Int)},
		{"Boho", c.BohoBlock},
	} {
		if fork.block != nil {
			fmt.Fprintf(&text, " - %-26s #%v\n", fork.name, fork.block)
		}
	}
	for _, rule := range c.Anzeon.ruleBlocks() {
		if rule.block != nil {
			fmt.Fprintf(&text, " - %-26s #%v\n", rule.name, *rule.block)
		}
	}
	text.WriteString("\nSystem contracts:\n")
	for _, upgrade := range c.SystemContractUpgrades() {
		at := c.SystemContractsAt(upgrade.Block)
		inForce := at.named()
		for i, n := range upgrade.Contracts.named() {
			// What another upgrade of the same block replaces is never there.
			if n.contract != nil && n.contract == inForce[i].contract {
				fmt.Fprintf(&text, " - %-26s %v %s from #%d\n", n.name, n.contract.Address, n.contract.Version, upgrade.Block)
			}
		}
	}
	return text.String()
}
