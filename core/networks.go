// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/params"
)

// NetworkGenesis returns the genesis of a public network in the form that BuildGenesis takes.
func NetworkGenesis(n params.Network) *gethcore.Genesis {
	return &gethcore.Genesis{
		Config:     n.Config(),
		GasLimit:   n.GasLimit,
		Difficulty: new(big.Int).SetUint64(n.Difficulty),
		Alloc:      n.Alloc(),
	}
}

// DevnetGenesis returns the genesis of a private network in the form that BuildGenesis takes, with the generator's
// header values (spec chain 11.2). The timestamp is in seconds.
func DevnetGenesis(config *gethparams.ChainConfig, timestamp uint64, alloc types.GenesisAlloc) *gethcore.Genesis {
	return &gethcore.Genesis{
		Config:     config,
		Timestamp:  timestamp,
		GasLimit:   params.DefaultGasCeil,
		Difficulty: big.NewInt(1),
		Alloc:      alloc,
	}
}

// EncodeGenesis returns the text of a genesis file.
func EncodeGenesis(genesis *gethcore.Genesis) ([]byte, error) {
	text, err := json.MarshalIndent(genesis, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode genesis file: %w", err)
	}
	return append(text, '\n'), nil
}

// isPublicNetwork reports whether cfg has the chain ID, first validators and contract versions of a public network.
// Such a chain is known to other nodes and needs its code. A private network may use the same chain ID.
func isPublicNetwork(cfg *gethparams.ChainConfig) bool {
	if cfg.ChainID == nil || !cfg.ChainID.IsUint64() {
		return false
	}
	n, ok := params.NetworkByID(cfg.ChainID.Uint64())
	if !ok {
		return false
	}
	public := n.Config().Anzeon
	if !slices.Equal(cfg.Anzeon.Init.Validators, public.Init.Validators) {
		return false
	}
	want := public.SystemContracts
	for i := range contractKinds {
		have, want := contractKinds[i].pick(cfg.Anzeon.SystemContracts), contractKinds[i].pick(want)
		if have.Address != want.Address || have.Version != want.Version {
			return false
		}
	}
	return true
}
