// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"slices"
	"testing"

	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/expect"
	"gwon/params"
)

// On both public networks Boho replaces the code of GovMinter, in genesis of the one and in block 14,408,500 of the
// other (spec chain 10).
func TestCodeUpgrades(t *testing.T) {
	v2, _ := CodeHash("govMinter", params.V2)
	boho := []CodeUpgrade{{Contract: "govMinter", Address: params.GovMinterAddress, Version: params.V2, CodeHash: v2}}
	for _, c := range []struct {
		cfg    *gethparams.ChainConfig
		number uint64
		want   []CodeUpgrade
	}{
		{params.Testnet(), 0, nil},
		{params.Testnet(), 14_408_499, nil},
		{params.Testnet(), 14_408_500, boho},
		{params.Testnet(), 14_408_501, nil},
		{params.Mainnet(), 0, nil},
		{params.Mainnet(), 1, nil},
		{gethparams.SepoliaChainConfig, 100, nil},
	} {
		got, err := CodeUpgrades(c.cfg, c.number)
		expect.That(t, err == nil && slices.Equal(got, c.want),
			"chain %v, block %d: %+v, %v", c.cfg.ChainID, c.number, got, err)
	}
}

func TestCodeUpgradesRefuse(t *testing.T) {
	cfg := params.Testnet()
	cfg.BohoBlock = big.NewInt(3)
	cfg.Boho.SystemContracts.GovMinter.Version = "v9"
	expect.Refused(t, expect.Err(CodeUpgrades(cfg, 3)), "an unknown version is accepted")
	cfg.Boho.SystemContracts.GovMinter.Version = params.V1
	expect.Error(t, expect.Err(CodeUpgrades(cfg, 3)), nil, "CodeUpgrades")
	cfg.Boho.SystemContracts.GovMinter.Params = map[string]string{}
	expect.Refused(t, expect.Err(CodeUpgrades(cfg, 3)), "parameters after genesis are accepted")
}
