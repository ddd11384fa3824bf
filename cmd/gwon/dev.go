// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/gwon/devnet"
	"gwon/consensus/wbft/bls"
	"gwon/core"
	"gwon/params"
)

// devValidatorPhrase makes the validator key of --dev. It guards nothing.
const devValidatorPhrase = "gwon dev validator"

// devAccounts is the number of funded accounts of --dev; the first is unlocked.
const devAccounts = 10

// isolateDev keeps a --dev node off the disk and off the network.
func isolateDev(ctx *cli.Context, cfg *node.Config) error {
	if ctx.IsSet(dataDirFlag.Name) {
		return fmt.Errorf("--%s keeps everything in memory: leave --%s out, or use gwon devnet for a chain that stays",
			devFlag.Name, dataDirFlag.Name)
	}
	if period := ctx.Duration(devPeriodFlag.Name); period < 0 || period%time.Second != 0 {
		return fmt.Errorf("--%s is a whole number of seconds, not %v", devPeriodFlag.Name, period)
	}
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte(devValidatorPhrase)))
	if err != nil {
		return fmt.Errorf("make validator key: %w", err)
	}
	cfg.DataDir = ""
	cfg.UseLightweightKDF = true
	cfg.P2P.PrivateKey = key
	cfg.P2P.MaxPeers = 0
	cfg.P2P.ListenAddr = ""
	cfg.P2P.NoDial = true
	cfg.P2P.NoDiscovery = true
	cfg.P2P.DiscoveryV4 = false
	cfg.P2P.DiscoveryV5 = false
	cfg.P2P.NAT = nil
	cfg.P2P.StaticNodes = nil
	cfg.P2P.TrustedNodes = nil
	return nil
}

// devGenesis returns the genesis of --dev: this node's key is the only validator, and the well-known accounts have coins.
func devGenesis(cfg *node.Config, period time.Duration) (*gethcore.Genesis, error) {
	secret, err := bls.DeriveKey(cfg.P2P.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("derive BLS key: %w", err)
	}
	validator := crypto.PubkeyToAddress(cfg.P2P.PrivateKey.PublicKey)
	chain, err := params.DevConfig(validator, secret.PublicKey().Bytes(), uint64(period/time.Second))
	if err != nil {
		return nil, fmt.Errorf("configure the developer chain: %w", err)
	}
	accounts := make([]devnet.Account, devAccounts)
	for i := range accounts {
		if accounts[i], err = devnet.NewAccount(i); err != nil {
			return nil, err
		}
	}
	genesis, _, err := core.BuildGenesis(core.DevnetGenesis(chain, uint64(time.Now().Unix()), devnet.Funds(accounts)), nil)
	if err != nil {
		return nil, fmt.Errorf("make the developer chain: %w", err)
	}
	return genesis, nil
}

// unlockDevAccount puts the first well-known account into the key store and unlocks it.
func unlockDevAccount(stack *node.Node) error {
	account, err := devnet.NewAccount(0)
	if err != nil {
		return err
	}
	ks, err := keyStoreOf(stack)
	if err != nil {
		return err
	}
	stored, err := ks.ImportECDSA(account.Key(), "")
	if err != nil {
		return fmt.Errorf("store the developer account: %w", err)
	}
	if err := ks.Unlock(stored, ""); err != nil {
		return fmt.Errorf("unlock the developer account: %w", err)
	}
	log.Warn("This is a developer chain in memory: it ends with this process, and its keys are public",
		"account", common.Address(account.Address), "key", account.PrivateKey)
	return nil
}
