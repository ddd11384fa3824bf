// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"crypto/ecdsa"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/consensus/wbft/bls"
)

var encryptFlag = &cli.BoolFlag{Name: "encrypt", Usage: "Encrypt the key with a password, as nodekey.json in the form of key stores"}

var validatorFlags = []cli.Flag{dataDirFlag, testnetFlag, utils.NodeKeyFileFlag, nodeKeyPasswordFlag, program.JSONFlag}

var validatorCommand = &cli.Command{
	Name:  "validator",
	Usage: "Make or show the key of a validator, and move what it has signed",
	Description: `A validator has one key, the node key: it is the identity towards peers, its address signs blocks, and the BLS key is
derived from it. The key file is <datadir>/gwon/nodekey, or nodekey.json for an encrypted key, unless --nodekey names another
one. Whoever has that file is the validator; one that runs in two places may contradict itself.`,
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
		votesCommand,
	},
}

// validatorIdentity is what the network knows of a validator (spec wbft 2.1, 2.2).
type validatorIdentity struct {
	KeyFile           string         `json:"keyFile"`
	NodeID            string         `json:"nodePublicKey"` // 64 bytes, hex without 0x: the user part of an enode URL
	Address           common.Address `json:"address"`
	BLSPublicKey      hexutil.Bytes  `json:"blsPublicKey"`      // 48 bytes, compressed G1
	ProofOfPossession hexutil.Bytes  `json:"proofOfPossession"` // 96 bytes, compressed G2
}

func identify(key *ecdsa.PrivateKey, file string) (*validatorIdentity, error) {
	secret, err := bls.DeriveKey(key)
	if err != nil {
		return nil, fmt.Errorf("derive BLS key: %w", err)
	}
	return &validatorIdentity{
		KeyFile:           file,
		NodeID:            hex.EncodeToString(crypto.FromECDSAPub(&key.PublicKey)[1:]),
		Address:           crypto.PubkeyToAddress(key.PublicKey),
		BLSPublicKey:      secret.PublicKey().Bytes(),
		ProofOfPossession: secret.ProofOfPossession(),
	}, nil
}

func (v *validatorIdentity) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return program.PrintIndented(w, v)
	}
	_, err := fmt.Fprintf(w, "Key file:            %s\nNode public key:     %s\nAddress:             %s\n"+
		"BLS public key:      %s\nProof of possession: %s\n",
		v.KeyFile, v.NodeID, v.Address.Hex(), v.BLSPublicKey, v.ProofOfPossession)
	return err
}

// nodeKeyFile returns the file that flags name for the node key.
func nodeKeyFile(ctx *cli.Context) (string, error) {
	if file := ctx.String(utils.NodeKeyFileFlag.Name); file != "" {
		return filepath.Abs(program.ExpandHome(file))
	}
	cfg := defaultConfig()
	if ctx.IsSet(dataDirFlag.Name) {
		cfg.Node.DataDir = program.ExpandHome(ctx.Path(dataDirFlag.Name))
	} else if ctx.Bool(testnetFlag.Name) && cfg.Node.DataDir != "" {
		cfg.Node.DataDir = filepath.Join(cfg.Node.DataDir, "testnet")
	}
	if cfg.Node.DataDir == "" {
		return "", errors.New("no data directory: give --datadir or --nodekey")
	}
	dir, err := filepath.Abs(cfg.Node.DataDir)
	if err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	return nodeKeyIn(dir)
}

// writeNodeKey stores a key in a new file that only its owner can read. It never replaces a file.
func writeNodeKey(file string, key *ecdsa.PrivateKey) error {
	return writeNewSecret(file, []byte(hex.EncodeToString(crypto.FromECDSA(key))))
}

// writeNewSecret stores content in a new file that only its owner can read. It never replaces a file.
func writeNewSecret(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("make directory for %s: %w", file, err)
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; an existing key is never overwritten", file)
	}
	if err != nil {
		return fmt.Errorf("create file: %w", err)
	}
	_, err = out.Write(content)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", file, err), os.Remove(file))
	}
	return nil
}

func validatorNew(ctx *cli.Context) error {
	file, err := nodeKeyFile(ctx)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s exists already; an existing key is never overwritten", file)
	}
	encrypt := ctx.Bool(encryptFlag.Name)
	if encrypt && ctx.String(utils.NodeKeyFileFlag.Name) == "" {
		file = filepath.Join(filepath.Dir(file), encryptedKeyFile)
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		return fmt.Errorf("generate node key: %w", err)
	}
	identity, err := identify(key, file)
	if err != nil {
		return err
	}
	content := []byte(hex.EncodeToString(crypto.FromECDSA(key)))
	if encrypt {
		password, err := nodeKeyPassword(ctx, file, true)
		if err != nil {
			return err
		}
		if content, err = encryptNodeKey(key, password, ctx.Bool(utils.LightKDFFlag.Name)); err != nil {
			return err
		}
	}
	if err := writeNewSecret(file, content); err != nil {
		return err
	}
	return identity.print(ctx.App.Writer, ctx.Bool(program.JSONFlag.Name))
}

func validatorShow(ctx *cli.Context) error {
	file, err := nodeKeyFile(ctx)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no node key at %s; make one with: gwon validator new", file)
	}
	key, err := readNodeKey(ctx, file)
	if err != nil {
		return err
	}
	identity, err := identify(key, file)
	if err != nil {
		return err
	}
	return identity.print(ctx.App.Writer, ctx.Bool(program.JSONFlag.Name))
}
