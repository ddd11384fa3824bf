// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"errors"
	"fmt"
	"os"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/secretfile"
)

var keyStoreFlags = []cli.Flag{settings.DataDirFlag, utils.KeyStoreDirFlag}

// AccountCommand manages the accounts of the key store.
var AccountCommand = &cli.Command{
	Name:  "account",
	Usage: "Manage accounts of the key store",
	Description: "Accounts are encrypted key files in <datadir>/keystore. They belong to people and to fee " +
		"payers; a validator's key is elsewhere (see gwon validator). A lost password cannot be recovered. For " +
		"scripts, --password names a file with it.",
	Subcommands: []*cli.Command{
		{
			Name:   "list",
			Usage:  "Print the accounts",
			Flags:  append([]cli.Flag{program.JSONFlag}, keyStoreFlags...),
			Action: accountList,
		},
		{
			Name:   "new",
			Usage:  "Create an account",
			Flags:  append([]cli.Flag{utils.PasswordFileFlag, utils.LightKDFFlag, program.JSONFlag}, keyStoreFlags...),
			Action: accountNew,
		},
		{
			Name:      "update",
			Usage:     "Change the password of accounts",
			ArgsUsage: "<address or index>...",
			Description: "Asks for the old and the new password. With --password, the file's first line is the old " +
				"password and its second line the new one.",
			Flags:  append([]cli.Flag{utils.PasswordFileFlag, utils.LightKDFFlag}, keyStoreFlags...),
			Action: accountUpdate,
		},
		{
			Name:      "import",
			Usage:     "Make an account of a private key",
			ArgsUsage: "<file with 64 hex digits>",
			Flags:     append([]cli.Flag{utils.PasswordFileFlag, utils.LightKDFFlag, program.JSONFlag}, keyStoreFlags...),
			Action:    accountImport,
		},
	},
}

func accountList(ctx *cli.Context) error {
	ks, err := OpenKeyStore(ctx)
	if err != nil {
		return err
	}
	// A store by default is made with its first account. One that is given has to be there.
	if ctx.IsSet(utils.KeyStoreDirFlag.Name) {
		if _, err := os.Stat(ctx.Path(utils.KeyStoreDirFlag.Name)); err != nil {
			return fmt.Errorf("key store: %w: give the directory that holds the files of keys", err)
		}
	}
	return program.Print(ctx, ks.Accounts(), func() error {
		for i, account := range ks.Accounts() {
			if _, err := fmt.Fprintf(ctx.App.Writer, "Account #%d: {%x} %s\n", i, account.Address, account.URL); err != nil {
				return err
			}
		}
		return nil
	})
}

// openWithPasswords opens the key store, and what answers for its passwords.
func openWithPasswords(ctx *cli.Context) (*keystore.KeyStore, *passwordSource, error) {
	ks, err := OpenKeyStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	passwords, err := newPasswordSource(ctx)
	return ks, passwords, err
}

func accountNew(ctx *cli.Context) error {
	ks, passwords, err := openWithPasswords(ctx)
	if err != nil {
		return err
	}
	password, err := passwords.Get(0, "Choose a password for the new account. Without it the account is lost.", true)
	if err != nil {
		return err
	}
	account, err := ks.NewAccount(password)
	if err != nil {
		return fmt.Errorf("create account: %w", err)
	}
	return program.Print(ctx, account, func() error {
		_, err := fmt.Fprintf(ctx.App.Writer, "Public address of the key:   %s\nPath of the secret key file: %s\n\n"+
			"Keep a copy of this file and remember the password.\n", account.Address.Hex(), account.URL.Path)
		return err
	})
}

func accountUpdate(ctx *cli.Context) error {
	if ctx.NArg() == 0 {
		return errors.New("name the accounts to update by address or index")
	}
	ks, passwords, err := openWithPasswords(ctx)
	if err != nil {
		return err
	}
	for _, name := range ctx.Args().Slice() {
		account, err := FindAccount(ks, name)
		if err != nil {
			return err
		}
		before, err := passwords.Get(0, "Current password of account "+account.Address.Hex(), false)
		if err != nil {
			return err
		}
		after, err := passwords.Get(1, "New password of account "+account.Address.Hex(), true)
		if err != nil {
			return err
		}
		if err := ks.Update(account, before, after); err != nil {
			return fmt.Errorf("update account %v: %w", account.Address, err)
		}
	}
	return nil
}

func accountImport(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("name one file that holds the private key")
	}
	key, err := secretfile.LoadKey(program.ExpandHome(ctx.Args().First()))
	if err != nil {
		return fmt.Errorf("read private key: %w", err)
	}
	ks, passwords, err := openWithPasswords(ctx)
	if err != nil {
		return err
	}
	password, err := passwords.Get(0, "Choose a password for the imported account.", true)
	if err != nil {
		return err
	}
	account, err := ks.ImportECDSA(key, password)
	if errors.Is(err, keystore.ErrAccountAlreadyExists) {
		return fmt.Errorf("the keystore has the key of %v already, and keeps it under its password: `%s account update` "+
			"changes that", account.Address, program.Name)
	}
	if err != nil {
		return fmt.Errorf("import account: %w", err)
	}
	return program.Print(ctx, account, func() error {
		_, err := fmt.Fprintf(ctx.App.Writer, "Address: {%x}\n", account.Address)
		return err
	})
}
