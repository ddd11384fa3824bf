// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Proposer policies (spec wbft 3.3). Any other number behaves as RoundRobin.
const (
	RoundRobin uint64 = 0
	Sticky     uint64 = 1
)

// AnzeonConfig is the section "anzeon" (and "boho") of a chain configuration (spec chain 1.2). Its presence alone makes
// a chain an Anzeon chain, from genesis on.
type AnzeonConfig struct {
	WBFT            *WBFTConfig      `json:"wbft"`
	Init            *WBFTInit        `json:"init"`
	SystemContracts *SystemContracts `json:"systemContracts"`

	// FeePayerCheckBlock is the first block in which a fee-delegated transaction with a wrong fee-payer signature makes
	// the block invalid. Nil keeps the rule of the reference, which never looks at that signature (spec chain 13 no. 1).
	FeePayerCheckBlock *uint64 `json:"feePayerCheckBlock,omitempty"`

	// StaticCallCheckBlock is the first block in which the native managers change nothing inside a static call. Nil keeps
	// the rule of the reference, which does not look at the read-only flag (spec chain 13 no. 2).
	StaticCallCheckBlock *uint64 `json:"staticCallCheckBlock,omitempty"`

	// KeepFlagsBlock is the first block in which an account keeps its flags when a contract is created at its address. Nil
	// keeps the rule of the reference, which clears them (spec chain 13 no. 3).
	KeepFlagsBlock *uint64 `json:"keepFlagsBlock,omitempty"`

	// MaxBlockSizeBlock is the first block that is invalid when its RLP, sealed, has more than 8,388,608 bytes. Nil keeps
	// the rule of release 1.1.0 of the reference, which has no such bound (spec wbft 7.3).
	MaxBlockSizeBlock *uint64 `json:"maxBlockSizeBlock,omitempty"`
}

// ruleBlock is the first block of a rule that a configuration may leave out.
type ruleBlock struct {
	name  string // of its key
	block *uint64
}

// ruleBlocks returns those of a configuration, in a fixed order.
func (a *AnzeonConfig) ruleBlocks() []ruleBlock {
	return []ruleBlock{
		{"feePayerCheckBlock", a.FeePayerCheckBlock},
		{"staticCallCheckBlock", a.StaticCallCheckBlock},
		{"keepFlagsBlock", a.KeepFlagsBlock},
		{"maxBlockSizeBlock", a.MaxBlockSizeBlock},
	}
}

// from reports whether block num is at or after a block that a configuration may leave out.
func from(block *uint64, num *big.Int) bool {
	return block != nil && num != nil && (!num.IsUint64() || num.Uint64() >= *block)
}

// ChecksFeePayers reports whether a wrong signature of a fee payer makes block num invalid.
func (a *AnzeonConfig) ChecksFeePayers(num *big.Int) bool { return from(a.FeePayerCheckBlock, num) }

// ChecksStaticCalls reports whether the native managers respect static calls in block num.
func (a *AnzeonConfig) ChecksStaticCalls(num *big.Int) bool { return from(a.StaticCallCheckBlock, num) }

// KeepsFlags reports whether accounts keep their flags when a contract is created at their address in block num.
func (a *AnzeonConfig) KeepsFlags(num *big.Int) bool { return from(a.KeepFlagsBlock, num) }

// LimitsBlockSize reports whether block num is invalid when it is too large.
func (a *AnzeonConfig) LimitsBlockSize(num *big.Int) bool { return from(a.MaxBlockSizeBlock, num) }

// WBFTConfig holds the consensus parameters (spec wbft 8.1). Times are in seconds, EpochLength is in blocks.
type WBFTConfig struct {
	RequestTimeoutSeconds    uint64  `json:"requestTimeoutSeconds"`
	BlockPeriodSeconds       uint64  `json:"blockPeriodSeconds"`
	EpochLength              uint64  `json:"epochLength"`
	AllowedFutureBlockTime   uint64  `json:"allowedFutureBlockTime,omitempty"`
	ProposerPolicy           *uint64 `json:"proposerPolicy"`           // 0 round robin, 1 sticky
	MaxRequestTimeoutSeconds *uint64 `json:"maxRequestTimeoutSeconds"` // nil or 0: the network sets no cap
}

// WBFTInit names the validators of the first epoch. The lists are parallel and their order is the validator order.
type WBFTInit struct {
	Validators    []common.Address `json:"validators"`
	BLSPublicKeys []hexutil.Bytes  `json:"blsPublicKeys"` // 48 bytes each, compressed G1
}

// SystemContract places one contract. Params are the initial storage in the form of spec system-contracts.
type SystemContract struct {
	Address common.Address    `json:"address"`
	Version string            `json:"version"`
	Params  map[string]string `json:"params"`
}

// SystemContracts names the five contracts of an Anzeon chain. In the section of a later fork, nil means unchanged.
type SystemContracts struct {
	GovValidator      *SystemContract `json:"govValidator"`
	NativeCoinAdapter *SystemContract `json:"nativeCoinAdapter"`
	GovMinter         *SystemContract `json:"govMinter,omitempty"`
	GovMasterMinter   *SystemContract `json:"govMasterMinter,omitempty"`
	GovCouncil        *SystemContract `json:"govCouncil,omitempty"`
}

// Transition changes consensus parameters from Block on; zero and nil values mean unchanged (spec chain 1.4, wbft 8.2).
type Transition struct {
	Block *big.Int `json:"block"`
	*WBFTConfig
}

// SystemContractUpgrade is a set of contracts that takes effect at the end of block Block, or in genesis when it is 0.
type SystemContractUpgrade struct {
	Block     uint64
	Contracts *SystemContracts
}

// IsAnzeon reports whether the chain is an Anzeon chain.
func (c *ChainConfig) IsAnzeon() bool { return c.Anzeon != nil }

// IsApplepie reports whether a fee payer other than the sender is accepted in block num (spec chain 2).
func (c *ChainConfig) IsApplepie(num *big.Int) bool {
	return c.Anzeon != nil && isBlockForked(c.ApplepieBlock, num)
}

// IsBoho reports whether the Boho rules hold in block num. They need the anzeon section (spec chain 2).
func (c *ChainConfig) IsBoho(num *big.Int) bool {
	return c.Anzeon != nil && isBlockForked(c.BohoBlock, num)
}

// WBFTAt returns the consensus parameters of block num with every transition at or before it applied. The pointers of
// the result are shared with the configuration and must not be written through. It panics on a chain without
// anzeon.wbft, which CheckConfigForkOrder refuses.
func (c *ChainConfig) WBFTAt(num uint64) WBFTConfig {
	cfg := *c.Anzeon.WBFT
	for _, t := range c.sortedTransitions() {
		if t.Block.Cmp(new(big.Int).SetUint64(num)) > 0 {
			break
		}
		if t.WBFTConfig == nil {
			continue
		}
		if t.RequestTimeoutSeconds != 0 {
			cfg.RequestTimeoutSeconds = t.RequestTimeoutSeconds
		}
		if t.BlockPeriodSeconds != 0 {
			cfg.BlockPeriodSeconds = t.BlockPeriodSeconds
		}
		if t.EpochLength != 0 {
			cfg.EpochLength = t.EpochLength
		}
		if t.ProposerPolicy != nil {
			cfg.ProposerPolicy = t.ProposerPolicy
		}
		if t.MaxRequestTimeoutSeconds != nil {
			cfg.MaxRequestTimeoutSeconds = t.MaxRequestTimeoutSeconds
		}
	}
	return cfg
}

// sortedTransitions returns the transitions in ascending block order; equal blocks keep the order of the file.
func (c *ChainConfig) sortedTransitions() []Transition {
	byBlock := func(a, b Transition) int { return a.Block.Cmp(b.Block) }
	if slices.IsSortedFunc(c.Transitions, byBlock) {
		return c.Transitions
	}
	sorted := slices.Clone(c.Transitions)
	slices.SortStableFunc(sorted, byBlock)
	return sorted
}

// LastEpochBlock returns the newest epoch block at or before num (spec wbft 3.4). num is an epoch block when the result
// is num.
func (c *ChainConfig) LastEpochBlock(num uint64) uint64 {
	start, length := uint64(0), c.Anzeon.WBFT.EpochLength
	for _, t := range c.sortedTransitions() {
		if !t.Block.IsUint64() || t.Block.Uint64() > num {
			break
		}
		if t.WBFTConfig != nil && t.EpochLength != 0 {
			start, length = t.Block.Uint64(), t.EpochLength
		}
	}
	return num - (num-start)%length
}

// SystemContractUpgrades returns the upgrades in force in ascending block order; the first is block 0 (spec chain 10).
func (c *ChainConfig) SystemContractUpgrades() []SystemContractUpgrade {
	if c.Anzeon == nil || c.Anzeon.SystemContracts == nil {
		return nil
	}
	list := []SystemContractUpgrade{{0, c.Anzeon.SystemContracts}}
	if c.BohoBlock != nil && c.BohoBlock.IsUint64() && c.Boho != nil && c.Boho.SystemContracts != nil {
		list = append(list, SystemContractUpgrade{c.BohoBlock.Uint64(), c.Boho.SystemContracts})
	}
	return list
}

// SystemContractsAt returns for each contract the newest entry with a block at or before num (spec wbft 8.2). The
// result is empty on other chains.
func (c *ChainConfig) SystemContractsAt(num uint64) SystemContracts {
	var at SystemContracts
	for _, u := range c.SystemContractUpgrades() {
		if u.Block > num {
			break
		}
		for _, p := range []struct{ to, from **SystemContract }{
			{&at.GovValidator, &u.Contracts.GovValidator},
			{&at.NativeCoinAdapter, &u.Contracts.NativeCoinAdapter},
			{&at.GovMinter, &u.Contracts.GovMinter},
			{&at.GovMasterMinter, &u.Contracts.GovMasterMinter},
			{&at.GovCouncil, &u.Contracts.GovCouncil},
		} {
			if *p.from != nil {
				*p.to = *p.from
			}
		}
	}
	return at
}
