// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/votelog"
)

var encryptFlag = &cli.BoolFlag{Name: "encrypt", Usage: "Encrypt the key with a password, as nodekey.json in the " +
	"form of key stores"}

var validatorFlags = append([]cli.Flag{settings.DataDirFlag, utils.NodeKeyFileFlag,
	settings.NodeKeyPasswordFlag, program.JSONFlag}, settings.NetworkFlags...)

// Command makes or shows the key of a validator, and moves what it has signed.
var Command = &cli.Command{
	Name:  "validator",
	Usage: "Make or show the key of a validator, and move what it has signed",
	Description: "A validator has one key, the node key: it is the identity towards peers, its address signs " +
		"blocks, and the BLS key is derived from it. The key file is <datadir>/gwon/nodekey, or nodekey.json for an " +
		"encrypted key, unless --nodekey names another one. The holder of that file is the validator; one that runs " +
		"in two places may contradict itself.",
	Subcommands: []*cli.Command{
		{
			Name:   "new",
			Usage:  "Create a node key and print what a genesis file or a registration needs; never overwrites a key",
			Flags:  append([]cli.Flag{encryptFlag, utils.LightKDFFlag}, validatorFlags...),
			Action: validatorNew,
		},
		{
			Name:   "show",
			Usage:  "Print address, BLS public key and proof of possession of an existing node key",
			Flags:  validatorFlags,
			Action: validatorShow,
		},
		standbyCommand,
		votesCommand,
	},
}

func validatorNew(ctx *cli.Context) error {
	file, err := keys.NodeKeyFile(ctx)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s exists already; an existing key is never overwritten", file)
	}
	encrypt := ctx.Bool(encryptFlag.Name)
	if encrypt && ctx.String(utils.NodeKeyFileFlag.Name) == "" {
		file = filepath.Join(filepath.Dir(file), keys.EncryptedFile)
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		return fmt.Errorf("generate node key: %w", err)
	}
	identity, err := keys.Identify(key, file)
	if err != nil {
		return err
	}
	content := []byte(hex.EncodeToString(crypto.FromECDSA(key)))
	if encrypt {
		password, err := keys.NodeKeyPassword(ctx, file, true)
		if err != nil {
			return err
		}
		if content, err = keys.EncryptNodeKey(key, password, ctx.Bool(utils.LightKDFFlag.Name)); err != nil {
			return err
		}
	}
	if err := keys.WriteNewSecret(file, content); err != nil {
		return err
	}
	return identity.Print(ctx.App.Writer, ctx.Bool(program.JSONFlag.Name))
}

func validatorShow(ctx *cli.Context) error {
	file, err := keys.NodeKeyFile(ctx)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no node key at %s; make one with: gwon validator new. If gwon-signer has it: "+
			"gwon-signer status", file)
	}
	key, err := keys.ReadNodeKey(ctx, file)
	if err != nil {
		return err
	}
	identity, err := keys.Identify(key, file)
	if err != nil {
		return err
	}
	votes, err := votelog.Look(votelog.OS{}, filepath.Join(filepath.Dir(file), wbft.VoteLogFile))
	if err == nil && votes.Owner().Validator == identity.Address && len(votes.Data[0].Messages) > 0 {
		identity.SignedFor = new(votes.Owner().Genesis)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("Vote log not read: it is not known for which network the key has signed", "err", err)
	}
	return identity.Print(ctx.App.Writer, ctx.Bool(program.JSONFlag.Name))
}
