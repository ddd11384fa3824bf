// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
	"gwon/internal/txobject"
)

// OpenKeyStore opens the key store that flags and configuration file name, without opening the node. Its directory need
// not be there, and is made for the first account.
func OpenKeyStore(ctx *cli.Context) (*keystore.KeyStore, error) {
	cfg, _, err := settings.Load(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := cfg.Node.KeyDirConfig()
	if err != nil {
		return nil, fmt.Errorf("key store directory: %w", err)
	}
	if dir == "" {
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
		address, err := txobject.ParseAddress("0x" + strings.TrimPrefix(name, "0x")) // gwon account list prints no 0x
		if err != nil {
			return accounts.Account{}, err
		}
		account, err := ks.Find(accounts.Account{Address: address})
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

// StoredAccount is an account of the key store that a command signs with.
type StoredAccount struct {
	Address common.Address

	store     *keystore.KeyStore
	account   accounts.Account
	passwords *passwordSource
}

// OpenAccount opens the account that the value of a flag names, by its address or index.
func OpenAccount(ctx *cli.Context, flag, name string) (*StoredAccount, error) {
	store, err := OpenKeyStore(ctx)
	if err != nil {
		return nil, err
	}
	account, err := FindAccount(store, name)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w; --%s or --%s names the key store", flag, err, settings.DataDirFlag.Name,
			utils.KeyStoreDirFlag.Name)
	}
	passwords, err := newPasswordSource(ctx)
	if err != nil {
		return nil, err
	}
	return &StoredAccount{account.Address, store, account, passwords}, nil
}

// password returns the password for a purpose, such as "Signing as".
func (a *StoredAccount) password(purpose string) (string, error) {
	return a.passwords.Get(0, purpose+" "+a.Address.Hex(), false)
}

// SignHash signs a hash. The question for the password begins with the purpose.
func (a *StoredAccount) SignHash(purpose string, hash common.Hash) ([]byte, error) {
	password, err := a.password(purpose)
	if err != nil {
		return nil, err
	}
	return a.store.SignHashWithPassphrase(a.account, password, hash[:])
}
