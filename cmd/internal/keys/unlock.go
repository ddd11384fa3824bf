// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"fmt"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
)

// UnlockAccounts unlocks the accounts of --unlock for the life of the process. It refuses while HTTP or WebSocket is
// open and no flag says that this is meant (spec network 7.2).
func UnlockAccounts(ctx *cli.Context, stack *node.Node, cfg *settings.Config) error {
	names := utils.SplitAndTrim(ctx.String(settings.UnlockFlag.Name))
	if len(names) == 0 {
		return nil
	}
	if stack.Config().ExtRPCEnabled() && !cfg.Gwon.InsecureUnlock {
		return fmt.Errorf("account unlock with HTTP access is forbidden: close HTTP and WebSocket, or give --%s",
			settings.InsecureUnlockFlag.Name)
	}
	ks, err := KeyStoreOf(stack)
	if err != nil {
		return err
	}
	passwords, err := newPasswordSource(ctx)
	if err != nil {
		return err
	}
	for i, name := range names {
		account, err := FindAccount(ks, name)
		if err != nil {
			return fmt.Errorf("--%s: %w", settings.UnlockFlag.Name, err)
		}
		password, err := passwords.Get(i, "Unlocking account "+account.Address.Hex(), false)
		if err != nil {
			return err
		}
		if err := ks.Unlock(account, password); err != nil {
			return fmt.Errorf("--%s: account %v: %w", settings.UnlockFlag.Name, account.Address, err)
		}
		log.Info("Unlocked account", "address", account.Address)
	}
	return nil
}
