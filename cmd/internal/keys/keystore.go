// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
)

// OpenKeyStore opens the key store that flags and configuration file name, without opening the node.
func OpenKeyStore(ctx *cli.Context) (*keystore.KeyStore, error) {
	cfg, _, err := settings.Load(ctx)
	if err != nil {
		return nil, err
	}
	dir, ephemeral, err := cfg.Node.GetKeyStoreDir()
	if err != nil {
		return nil, fmt.Errorf("key store directory: %w", err)
	}
	if ephemeral {
		return nil, errors.New("no data directory: give --datadir or --keystore")
	}
	return settings.NewKeyStore(dir, cfg.Node.UseLightweightKDF), nil
}

// KeyStoreOf returns the key store of a node. There is none when an external signer holds the keys.
func KeyStoreOf(stack *node.Node) (*keystore.KeyStore, error) {
	for _, backend := range stack.AccountManager().Backends(keystore.KeyStoreType) {
		if ks, ok := backend.(*keystore.KeyStore); ok {
			return ks, nil
		}
	}
	return nil, errors.New("this node has no key store")
}

// FindAccount returns the account that an address or a key store index names.
func FindAccount(ks *keystore.KeyStore, name string) (accounts.Account, error) {
	if common.IsHexAddress(name) {
		account, err := ks.Find(accounts.Account{Address: common.HexToAddress(name)})
		if err != nil {
			return accounts.Account{}, fmt.Errorf("account %s: %w", name, err)
		}
		return account, nil
	}
	index, err := strconv.Atoi(name)
	if err != nil {
		return accounts.Account{}, fmt.Errorf("%q is neither an address nor a key store index", name)
	}
	all := ks.Accounts()
	if index < 0 || index >= len(all) {
		return accounts.Account{}, fmt.Errorf("there is no account %d, the key store has %d", index, len(all))
	}
	return all[index], nil
}
