// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/external"
	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
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
	nameDamaged(dir)
	if light {
		return keystore.NewKeyStore(dir, keystore.LightScryptN, keystore.LightScryptP)
	}
	return keystore.NewKeyStore(dir, keystore.StandardScryptN, keystore.StandardScryptP)
}

// nameDamaged logs the files of a key store that go-ethereum skips in silence because they hold no key.
func nameDamaged(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the store says it, or makes the directory
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".") || strings.HasSuffix(entry.Name(), "~") {
			continue // as the store does
		}
		path := filepath.Join(dir, entry.Name())
		content, err := os.ReadFile(path)
		var key struct{ Address string }
		if err == nil {
			err = json.Unmarshal(content, &key)
		}
		if err == nil && !common.IsHexAddress(key.Address) {
			err = fmt.Errorf("%q is no address", key.Address)
		}
		if err != nil {
			log.Warn("Key file damaged, its account cannot be used", "file", path, "err", err,
				"remedy", "put the backup of the file in its place, or move it away")
		}
	}
}
