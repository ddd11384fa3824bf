// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// BLSPublicKeyLength is the length of a compressed G1 point in bytes.
const BLSPublicKeyLength = 48

// checkAnzeon reports the first violation of spec chain 1.3, and every setting that has no meaning on an Anzeon chain:
// silence about those would hide a mistake. It returns nil on other chains.
func (c *ChainConfig) checkAnzeon() error {
	if c.Anzeon == nil {
		return nil
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"shanghaiTime", c.ShanghaiTime != nil},
		{"cancunTime", c.CancunTime != nil},
		{"pragueTime", c.PragueTime != nil},
		{"osakaTime", c.OsakaTime != nil},
		{"bpo1Time", c.BPO1Time != nil},
		{"bpo2Time", c.BPO2Time != nil},
		{"bpo3Time", c.BPO3Time != nil},
		{"bpo4Time", c.BPO4Time != nil},
		{"bpo5Time", c.BPO5Time != nil},
		{"amsterdamTime", c.AmsterdamTime != nil},
		{"bogotaTime", c.BogotaTime != nil},
		{"ubtTime", c.UBTTime != nil},
		{"enableUBTAtGenesis", c.EnableUBTAtGenesis},
		{"mergeNetsplitBlock", c.MergeNetsplitBlock != nil},
		{"terminalTotalDifficulty", c.TerminalTotalDifficulty != nil},
	} {
		if f.set {
			return fmt.Errorf("invalid chain configuration: %q has no meaning on a chain with an \"anzeon\" section: "+
				"remove it", f.name)
		}
	}
	if c.ChainID == nil || c.ChainID.Sign() <= 0 {
		return errors.New("invalid chain configuration: \"chainId\" must be above 0")
	}
	if c.LondonBlock == nil || c.LondonBlock.Sign() != 0 {
		// Headers have a base fee from genesis on.
		return errors.New("invalid chain configuration: \"londonBlock\" must be 0 on a chain with an \"anzeon\" section")
	}
	if err := c.Anzeon.checkInit(); err != nil {
		return fmt.Errorf("invalid chain configuration: %w", err)
	}
	if err := c.Anzeon.checkSystemContracts(); err != nil {
		return fmt.Errorf("invalid chain configuration: %w", err)
	}
	if c.Boho != nil && c.Boho.SystemContracts != nil {
		for _, n := range c.Boho.SystemContracts.named() {
			if err := n.checkVersion(); n.contract != nil && err != nil {
				return fmt.Errorf("invalid chain configuration: boho.systemContracts: %w", err)
			}
		}
	}
	if err := c.Anzeon.WBFT.check(); err != nil {
		return fmt.Errorf("invalid chain configuration: %w", err)
	}
	for i, t := range c.Transitions {
		switch {
		case t.Block == nil:
			return fmt.Errorf("invalid chain configuration: transitions[%d] has no \"block\"", i)
		case t.Block.Sign() < 0 || !t.Block.IsUint64():
			return fmt.Errorf("invalid chain configuration: transitions[%d]: block %v is not a block number", i, t.Block)
		case t.WBFTConfig != nil && t.EpochLength == 1:
			return fmt.Errorf("invalid chain configuration: transitions[%d]: epochLength must be at least 2", i)
		}
	}
	return nil
}

func (a *AnzeonConfig) checkInit() error {
	switch {
	case a.Init == nil:
		return errors.New("\"anzeon\" has no section \"init\"")
	case len(a.Init.Validators) == 0:
		return errors.New("anzeon.init.validators is missing or empty")
	case len(a.Init.BLSPublicKeys) == 0:
		return errors.New("anzeon.init.blsPublicKeys is missing or empty")
	case len(a.Init.Validators) != len(a.Init.BLSPublicKeys):
		return fmt.Errorf("anzeon.init names %d validators but %d blsPublicKeys: give one key for each validator, "+
			"in the same order", len(a.Init.Validators), len(a.Init.BLSPublicKeys))
	}
	for i, key := range a.Init.BLSPublicKeys {
		if len(key) != BLSPublicKeyLength {
			return fmt.Errorf("anzeon.init.blsPublicKeys[%d] has %d bytes, want %d", i, len(key), BLSPublicKeyLength)
		}
		if slices.Contains(a.Init.Validators[:i], a.Init.Validators[i]) {
			return fmt.Errorf("anzeon.init.validators names %v twice", a.Init.Validators[i])
		}
	}
	return nil
}

func (a *AnzeonConfig) checkSystemContracts() error {
	if a.SystemContracts == nil {
		return errors.New("\"anzeon\" has no section \"systemContracts\"")
	}
	for _, n := range a.SystemContracts.named() {
		if n.contract == nil {
			return fmt.Errorf("anzeon.systemContracts has no %q", n.name)
		}
		if err := n.checkVersion(); err != nil {
			return fmt.Errorf("anzeon.systemContracts: %w", err)
		}
	}
	return nil
}

// namedContract is a system contract with its configuration key and the versions that exist of it.
type namedContract struct {
	name     string
	contract *SystemContract
	versions []string
}

func (s *SystemContracts) named() []namedContract {
	// Versions v are the reference's, g those of this project with the same interfaces.
	v1 := []string{"v1", "g1"}
	return []namedContract{
		{"govValidator", s.GovValidator, v1},
		{"nativeCoinAdapter", s.NativeCoinAdapter, v1},
		{"govMinter", s.GovMinter, []string{"v1", "v2", "g1", "g2"}},
		{"govMasterMinter", s.GovMasterMinter, v1},
		{"govCouncil", s.GovCouncil, v1},
	}
}

func (n namedContract) checkVersion() error {
	if n.contract != nil && !slices.Contains(n.versions, n.contract.Version) {
		return fmt.Errorf("%s: version %q is not known (known: %v)", n.name, n.contract.Version, n.versions)
	}
	return nil
}

func (w *WBFTConfig) check() error {
	switch {
	case w == nil:
		return errors.New("\"anzeon\" has no section \"wbft\"")
	case w.RequestTimeoutSeconds == 0:
		return errors.New("anzeon.wbft.requestTimeoutSeconds must be above 0")
	case w.BlockPeriodSeconds == 0:
		return errors.New("anzeon.wbft.blockPeriodSeconds must be above 0")
	case w.EpochLength < 2:
		return errors.New("anzeon.wbft.epochLength must be at least 2")
	case w.ProposerPolicy == nil:
		return errors.New("anzeon.wbft.proposerPolicy is missing: give 0 (round robin) or 1 (sticky)")
	}
	return nil
}

// checkAnzeonCompatible reports a change of the configuration that the blocks up to head would contradict (spec chain
// 1.5).
func (c *ChainConfig) checkAnzeonCompatible(newcfg *ChainConfig, head *big.Int) *ConfigCompatError {
	if (c.Anzeon == nil) != (newcfg.Anzeon == nil) {
		// A stored block 0: the error's text looks at the blocks, and there is nothing to rewind to.
		return newBlockCompatError("Anzeon section (present in only one of the two)", new(big.Int), nil)
	}
	if isForkBlockIncompatible(c.ApplepieBlock, newcfg.ApplepieBlock, head) {
		return newBlockCompatError("Applepie fork block", c.ApplepieBlock, newcfg.ApplepieBlock)
	}
	if isForkBlockIncompatible(c.BohoBlock, newcfg.BohoBlock, head) {
		return newBlockCompatError("Boho fork block", c.BohoBlock, newcfg.BohoBlock)
	}
	if c.Anzeon == nil {
		return nil
	}
	next := newcfg.Anzeon.ruleBlocks()
	for i, rule := range c.Anzeon.ruleBlocks() {
		if before, after := bigBlock(rule.block), bigBlock(next[i].block); isForkBlockIncompatible(before, after, head) {
			return newBlockCompatError(rule.name, before, after)
		}
	}
	return nil
}

// bigBlock returns a block that a configuration may leave out in the form of the fork blocks.
func bigBlock(block *uint64) *big.Int {
	if block == nil {
		return nil
	}
	return new(big.Int).SetUint64(*block)
}
