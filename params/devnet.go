// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethparams "github.com/ethereum/go-ethereum/params"
)

// DevChainID is the chain ID of the built-in development network.
const DevChainID uint64 = 1337

// MaxGovernanceMembers is the largest number of members of a governance contract (spec system-contracts 1.8).
const MaxGovernanceMembers = 255

// DevnetValidator is one validator of a development network.
type DevnetValidator struct {
	Address      common.Address // address of the node key, which signs blocks
	BLSPublicKey []byte         // 48 bytes, compressed G1
	Operator     common.Address // governance member; zero means Address
}

// Member returns the account that votes for the validator in the governances.
func (v *DevnetValidator) Member() common.Address {
	if v.Operator == (common.Address{}) {
		return v.Address
	}
	return v.Operator
}

// DevnetOptions describes a private network. A zero value means the default.
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
	GasTip                   *uint64           // wei; nil means DefaultGasTip
	Contracts                string            // version of the system contracts, V1 or G1; default V1
}

// DevnetConfig returns a configuration with every fork active from genesis and Boho from BohoBlock. The fee payer's
// signature is always part of block validity, and round timeouts are limited. Contract parameters are those of the
// generator (spec chain 11.2).
func DevnetConfig(o DevnetOptions) (*ChainConfig, error) {
	switch {
	case len(o.Validators) == 0:
		return nil, errors.New("a network needs at least one validator: name one")
	case len(o.Validators) > MaxGovernanceMembers:
		return nil, fmt.Errorf("a network starts with at most %d validators, not %d", MaxGovernanceMembers,
			len(o.Validators))
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
		operator := v.Member()
		switch {
		case v.Address == (common.Address{}):
			return nil, fmt.Errorf("validator %d has the zero address", i)
		case len(v.BLSPublicKey) != gethparams.BLSPublicKeyLength:
			return nil, fmt.Errorf("validator %v: the BLS public key has %d bytes, want %d",
				v.Address, len(v.BLSPublicKey), gethparams.BLSPublicKeyLength)
		case validators[v.Address]:
			return nil, fmt.Errorf("validator %v appears twice: remove one entry", v.Address)
		case operators[operator]:
			return nil, fmt.Errorf("operator %v appears twice: give each validator an operator of its own", operator)
		}
		validators[v.Address], operators[operator] = true, true
		key := hexutil.Bytes(common.CopyBytes(v.BLSPublicKey))
		init.Validators = append(init.Validators, v.Address)
		init.BLSPublicKeys = append(init.BLSPublicKeys, key)
		s.members = append(s.members, operator.Hex())
		s.validators = append(s.validators, v.Address.Hex())
		s.blsKeys = append(s.blsKeys, key.String())
	}
	policy, maxTimeout := gethparams.RoundRobin, or(o.MaxRequestTimeoutSeconds, 10)
	cfg := londonFromGenesis(or(o.ChainID, DevChainID), o.BohoBlock, s.version)
	cfg.Anzeon = &AnzeonConfig{
		WBFT: &WBFTConfig{
			RequestTimeoutSeconds:    or(o.RequestTimeoutSeconds, DefaultRequestTimeoutSeconds),
			BlockPeriodSeconds:       or(o.BlockPeriodSeconds, DefaultBlockPeriodSeconds),
			EpochLength:              or(o.EpochLength, 10),
			ProposerPolicy:           &policy,
			MaxRequestTimeoutSeconds: &maxTimeout,
		},
		Init:            init,
		SystemContracts: s.contracts(),

		// Wallets never produce a transaction for which this rule matters. The other optional rules stay as on the public
		// networks: contracts that work here must work there.
		FeePayerCheckBlock: new(uint64(0)),
	}
	if err := cfg.CheckConfigForkOrder(); err != nil {
		return nil, err
	}
	return cfg, nil
}

// DevConfig returns the configuration of a network with one validator and a block every period seconds (0 for the
// default). The parameter contracts is the version of the system contracts, as in DevnetOptions.
func DevConfig(chainID uint64, validator DevnetValidator, period uint64, contracts string) (*ChainConfig, error) {
	return DevnetConfig(DevnetOptions{
		ChainID:            chainID,
		BlockPeriodSeconds: period,
		Validators:         []DevnetValidator{validator},
		Contracts:          contracts,
	})
}
