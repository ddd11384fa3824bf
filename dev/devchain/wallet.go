// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"crypto/ecdsa"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/event"

	"gwon/internal/wellknown"
)

// walletScheme begins the URLs of the wallets.
const walletScheme = "dev"

// wallet is an account whose key is in memory and always unlocked. Passphrases are ignored.
type wallet struct {
	account accounts.Account
	key     *ecdsa.PrivateKey
}

// wallets is an accounts.Backend of accounts that never change.
type wallets []accounts.Wallet

// Backend returns the accounts as a node's accounts.
func Backend(list []wellknown.Account) accounts.Backend {
	all := make(wallets, len(list))
	for i, a := range list {
		url := accounts.URL{Scheme: walletScheme, Path: a.Address.Hex()}
		all[i] = &wallet{accounts.Account{Address: a.Address, URL: url}, a.Key}
	}
	return all
}

// Wallets implements accounts.Backend.
func (w wallets) Wallets() []accounts.Wallet { return w }

// Subscribe implements accounts.Backend: nothing ever arrives.
func (w wallets) Subscribe(chan<- accounts.WalletEvent) event.Subscription {
	return event.NewSubscription(func(quit <-chan struct{}) error {
		<-quit
		return nil
	})
}

func (w *wallet) URL() accounts.URL            { return w.account.URL }
func (w *wallet) Status() (string, error)      { return "Unlocked", nil }
func (w *wallet) Open(string) error            { return nil }
func (w *wallet) Close() error                 { return nil }
func (w *wallet) Accounts() []accounts.Account { return []accounts.Account{w.account} }

// Contains implements accounts.Wallet.
func (w *wallet) Contains(account accounts.Account) bool {
	return account.Address == w.account.Address && (account.URL == (accounts.URL{}) || account.URL == w.account.URL)
}

// Derive implements accounts.Wallet.
func (w *wallet) Derive(accounts.DerivationPath, bool) (accounts.Account, error) {
	return accounts.Account{}, accounts.ErrNotSupported
}

// SelfDerive implements accounts.Wallet.
func (w *wallet) SelfDerive([]accounts.DerivationPath, ethereum.ChainStateReader) {}

func (w *wallet) sign(account accounts.Account, hash []byte) ([]byte, error) {
	if !w.Contains(account) {
		return nil, accounts.ErrUnknownAccount
	}
	return crypto.Sign(hash, w.key)
}

// SignData implements accounts.Wallet.
func (w *wallet) SignData(account accounts.Account, _ string, data []byte) ([]byte, error) {
	return w.sign(account, crypto.Keccak256(data))
}

// SignDataWithPassphrase implements accounts.Wallet.
func (w *wallet) SignDataWithPassphrase(account accounts.Account, _, _ string, data []byte) ([]byte, error) {
	return w.sign(account, crypto.Keccak256(data))
}

// SignText implements accounts.Wallet.
func (w *wallet) SignText(account accounts.Account, text []byte) ([]byte, error) {
	return w.sign(account, accounts.TextHash(text))
}

// SignTextWithPassphrase implements accounts.Wallet.
func (w *wallet) SignTextWithPassphrase(account accounts.Account, _ string, text []byte) ([]byte, error) {
	return w.SignText(account, text)
}

// SignTx implements accounts.Wallet. Without a chain ID the signature holds on every chain.
func (w *wallet) SignTx(account accounts.Account, tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	if !w.Contains(account) {
		return nil, accounts.ErrUnknownAccount
	}
	return types.SignTx(tx, types.LatestSignerForChainID(chainID), w.key)
}

// SignTxWithPassphrase implements accounts.Wallet.
func (w *wallet) SignTxWithPassphrase(account accounts.Account, _ string, tx *types.Transaction,
	chainID *big.Int,
) (*types.Transaction, error) {
	return w.SignTx(account, tx, chainID)
}
