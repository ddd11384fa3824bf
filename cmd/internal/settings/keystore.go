// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"

	"github.com/ethereum/go-ethereum/accounts/external"
	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/node"
)

// openKeyStore gives the node its accounts: an external signer or the encrypted key files.
func openKeyStore(stack *node.Node) error {
	cfg := stack.Config()
	if cfg.ExternalSigner != "" {
		backend, err := external.NewExternalBackend(cfg.ExternalSigner)
		if err != nil {
			return fmt.Errorf("connect to external signer: %w", err)
		}
		stack.AccountManager().AddBackend(backend)
		return nil
	}
	stack.AccountManager().AddBackend(NewKeyStore(stack.KeyStoreDir(), cfg.UseLightweightKDF))
	return nil
}

// NewKeyStore opens the encrypted key files of a directory. light saves memory and time at the cost of strength.
func NewKeyStore(dir string, light bool) *keystore.KeyStore {
	if light {
		return keystore.NewKeyStore(dir, keystore.LightScryptN, keystore.LightScryptP)
	}
	return keystore.NewKeyStore(dir, keystore.StandardScryptN, keystore.StandardScryptP)
}
