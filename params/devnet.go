// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// DevChainID is the chain id of the built-in development network.
const DevChainID uint64 = 1337

// MaxGovernanceMembers is the largest number of members a governance body can have (spec system-contracts 1.8).
const MaxGovernanceMembers = 255

// DevnetValidator is one validator of a development network.
type DevnetValidator struct {
	Address      common.Address // signs blocks; the address of the node key
	BLSPublicKey []byte         // 48 bytes, compressed G1
	Operator     common.Address // its governance member; the zero address stands for Address
}

// DevnetOptions describes a private network. A zero value stands for the default.
type DevnetOptions struct {
	ChainID                  uint64            // default DevChainID
	Validators               []DevnetValidator // at least one; the order is the validator order
	BlockPeriodSeconds       uint64            // default 1
	EpochLength              uint64            // blocks, default 10
	RequestTimeoutSeconds    uint64            // default 2
	MaxRequestTimeoutSeconds uint64            // default 10
	BohoBlock                uint64            // default 0
	GovernanceQuorum         uint64            // default 1 for one validator, else 2
	ProposalExpirySeconds    uint64            // default 604800
	GasTip                   *uint64           // wei; nil stands for DefaultGasTip
	Contracts                string            // version of the system contracts, V1 or G1; default V1
}

// DevnetConfig returns a configuration in which every fork is active from genesis (Boho from BohoBlock), the fee payer's
// signature is always part of block validity, and round timeouts are capped. Contract parameters are those of the
// generator (spec chain 11.2).
func DevnetConfig(o DevnetOptions) (*ChainConfig, error) {
	switch {
	case len(o.Validators) == 0:
		return nil, errors.New("a network needs at least one validator")
	case len(o.Validators) > MaxGovernanceMembers:
		return nil, fmt.Errorf("a network can start with at most %d validators, not %d", MaxGovernanceMembers, len(o.Validators))
	}
	or := func(v, byDefault uint64) uint64 {
		if v == 0 {
			return byDefault
		}
		return v
	}
	if o.Contracts == "" {
		o.Contracts = V1
	}
	if o.Contracts != V1 && o.Contracts != G1 {
		return nil, fmt.Errorf("a network starts with system contracts of version %s or %s, not %q", V1, G1, o.Contracts)
	}
	s := setup{
		version:   o.Contracts,
		quorum:    or(o.GovernanceQuorum, min(2, uint64(len(o.Validators)))),
		expiry:    or(o.ProposalExpirySeconds, DefaultProposalExpirySeconds),
		gasTip:    DefaultGasTip,
		allowance: DefaultMinterAllowance().String(),
	}
	if o.GasTip != nil {
		s.gasTip = *o.GasTip
	}
	init := &WBFTInit{}
	validators, operators := make(map[common.Address]bool), make(map[common.Address]bool)
	for i, v := range o.Validators {
		operator := v.Operator
		if operator == (common.Address{}) {
			operator = v.Address
		}
		switch {
		case v.Address == (common.Address{}):
			return nil, fmt.Errorf("validator %d has the zero address", i)
		case len(v.BLSPublicKey) != BLSPublicKeyLength:
			return nil, fmt.Errorf("validator %v: the BLS public key has %d bytes, want %d",
				v.Address, len(v.BLSPublicKey), BLSPublicKeyLength)
		case validators[v.Address]:
			return nil, fmt.Errorf("validator %v is named twice", v.Address)
		case operators[operator]:
			return nil, fmt.Errorf("operator %v is named twice: one operator has one validator", operator)
		}
		validators[v.Address], operators[operator] = true, true
		key := hexutil.Bytes(common.CopyBytes(v.BLSPublicKey))
		init.Validators = append(init.Validators, v.Address)
		init.BLSPublicKeys = append(init.BLSPublicKeys, key)
		s.members = append(s.members, operator.Hex())
		s.validators = append(s.validators, v.Address.Hex())
		s.blsKeys = append(s.blsKeys, key.String())
	}
	policy, maxTimeout := RoundRobin, or(o.MaxRequestTimeoutSeconds, DefaultMaxRequestTimeoutSeconds)
	cfg := londonFromGenesis(or(o.ChainID, DevChainID), o.BohoBlock, s.version)
	cfg.Anzeon = &AnzeonConfig{
		WBFT: &WBFTConfig{
			RequestTimeoutSeconds:    or(o.RequestTimeoutSeconds, DefaultRequestTimeoutSeconds),
			BlockPeriodSeconds:       or(o.BlockPeriodSeconds, DefaultBlockPeriodSeconds),
			EpochLength:              or(o.EpochLength, DefaultEpochLength),
			ProposerPolicy:           &policy,
			MaxRequestTimeoutSeconds: &maxTimeout,
		},
		Init:            init,
		SystemContracts: s.contracts(),

		// No transaction that a wallet makes depends on it. The other rules that a network can choose stay those of the public
		// networks: a contract that works here must work there.
		FeePayerCheckBlock: new(uint64(0)),
	}
	if err := cfg.CheckConfigForkOrder(); err != nil {
		return nil, err
	}
	return cfg, nil
}

// DevConfig returns the configuration of a network of one: this validator, a block every period seconds (0 for the default),
// and system contracts of this version, as in DevnetOptions.
func DevConfig(chainID uint64, validator DevnetValidator, period uint64, contracts string) (*ChainConfig, error) {
	return DevnetConfig(DevnetOptions{
		ChainID:            chainID,
		BlockPeriodSeconds: period,
		Validators:         []DevnetValidator{validator},
		Contracts:          contracts,
	})
}
