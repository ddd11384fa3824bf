// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/console/prompt"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"
)

// passwordSource answers for passwords in the order accounts are named: from the lines of --password, the last of which
// serves all accounts beyond it, else by asking.
type passwordSource struct {
	lines []string // nil: ask
}

func newPasswordSource(ctx *cli.Context) (*passwordSource, error) {
	path := ctx.Path(utils.PasswordFileFlag.Name)
	if path == "" {
		return &passwordSource{}, nil
	}
	text, err := os.ReadFile(expandHome(path))
	if err != nil {
		return nil, fmt.Errorf("read password file: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return &passwordSource{lines: lines}, nil
}

// get returns the password of the i-th account. question is what a person is asked; confirm asks twice.
func (p *passwordSource) get(i int, question string, confirm bool) (string, error) {
	if p.lines != nil {
		return p.lines[min(i, len(p.lines)-1)], nil
	}
	fmt.Fprintln(os.Stderr, question)
	password, err := prompt.Stdin.PromptPassword("Password: ")
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	if confirm {
		again, err := prompt.Stdin.PromptPassword("Repeat password: ")
		if err != nil {
			return "", fmt.Errorf("read password: %w", err)
		}
		if again != password {
			return "", errors.New("the passwords differ")
		}
	}
	return password, nil
}

// unlockAccounts unlocks the accounts of --unlock for the life of the process. It refuses while HTTP or WebSocket is open
// and nobody said that this is meant (spec network 7.2).
func unlockAccounts(ctx *cli.Context, stack *node.Node, cfg *config) error {
	names := utils.SplitAndTrim(ctx.String(unlockFlag.Name))
	if len(names) == 0 {
		return nil
	}
	if stack.Config().ExtRPCEnabled() && !cfg.Gwon.InsecureUnlock {
		return fmt.Errorf("account unlock with HTTP access is forbidden: close HTTP and WebSocket, or give --%s",
			insecureUnlockFlag.Name)
	}
	ks, err := keyStoreOf(stack)
	if err != nil {
		return err
	}
	passwords, err := newPasswordSource(ctx)
	if err != nil {
		return err
	}
	for i, name := range names {
		account, err := findAccount(ks, name)
		if err != nil {
			return fmt.Errorf("--%s: %w", unlockFlag.Name, err)
		}
		password, err := passwords.get(i, "Unlocking account "+account.Address.Hex(), false)
		if err != nil {
			return err
		}
		if err := ks.Unlock(account, password); err != nil {
			return fmt.Errorf("--%s: account %v: %w", unlockFlag.Name, account.Address, err)
		}
		log.Info("Unlocked account", "address", account.Address)
	}
	return nil
}
