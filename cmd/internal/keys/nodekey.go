// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/atomicfile"
	"gwon/internal/nodekey"
	"gwon/internal/secretfile"
)

// Names of the node key in <datadir>/gwon.
const (
	PlainFile     = nodekey.Plain
	EncryptedFile = nodekey.Encrypted
)

// NodeKeyIn returns the path of the node key in a data directory. The file may be absent. A key that gwon-signer init
// has begun to move is an error.
func NodeKeyIn(dataDir string) (string, error) {
	path, moving, err := nodekey.Find(filepath.Join(dataDir, program.Name))
	if moving {
		err = nodekey.RefuseMoving(path)
	}
	return path, err
}

// NodeKeyAt returns the path of the node key that --nodekey names, or else of that in a data directory, as NodeKeyIn.
func NodeKeyAt(ctx *cli.Context, dataDir string) (string, error) {
	file := ctx.String(utils.NodeKeyFileFlag.Name)
	if file == "" {
		return NodeKeyIn(dataDir)
	}
	file = program.ExpandHome(file)
	return file, nodekey.RefuseMoving(file)
}

// ReadNodeKey reads a node key: 64 hexadecimal digits, or an encrypted key file as key stores have. The password of the
// latter comes from --nodekey.password or from the terminal. A missing file is fs.ErrNotExist.
func ReadNodeKey(ctx *cli.Context, file string) (*ecdsa.PrivateKey, error) {
	content, err := atomicfile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("read node key: %w", err)
	}
	if !IsEncrypted(content) {
		key, err := secretfile.ParseKey(content)
		if err != nil {
			return nil, fmt.Errorf("node key %s is damaged, put its backup there: %w", file, err)
		}
		return key, nil
	}
	password, err := NodeKeyPassword(ctx, file, false)
	if err != nil {
		return nil, err
	}
	key, err := keystore.DecryptKey(content, password)
	if errors.Is(err, keystore.ErrDecrypt) {
		return nil, fmt.Errorf("the password does not open the node key %s: check --%s", file,
			settings.NodeKeyPasswordFlag.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("node key %s is damaged, put its backup there: %w", file, err)
	}
	return key.PrivateKey, nil
}

// IsEncrypted reports whether content is JSON, which only an encrypted key is.
func IsEncrypted(content []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(content), []byte("{"))
}

// NodeKeyPassword returns the password of the key in file. With confirm, for a new key, the terminal asks twice.
func NodeKeyPassword(ctx *cli.Context, file string, confirm bool) (string, error) {
	if path := ctx.Path(settings.NodeKeyPasswordFlag.Name); path != "" {
		text, err := secretfile.Read(program.ExpandHome(path))
		if err != nil {
			return "", fmt.Errorf("read password of the node key: %w", err)
		}
		line, _, _ := bytes.Cut(text, []byte("\n"))
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) == 0 {
			return "", fmt.Errorf("the first line of %s is empty: write the password of the node key there", path)
		}
		return string(line), nil
	}
	if !isatty.IsTerminal(os.Stdin.Fd()) {
		return "", fmt.Errorf("the node key %s needs a password, and there is no terminal to ask at: give --%s", file,
			settings.NodeKeyPasswordFlag.Name)
	}
	question := "Password of the node key " + file
	if confirm {
		question = "Choose a password for the node key " + file + ". Without the password the key is lost."
	}
	return new(passwordSource).Get(0, question, confirm)
}

// EncryptNodeKey returns the content of an encrypted key file. light saves memory and time at the cost of strength.
func EncryptNodeKey(key *ecdsa.PrivateKey, password string, light bool) ([]byte, error) {
	stored := keystore.Key{Address: crypto.PubkeyToAddress(key.PublicKey), PrivateKey: key}
	if _, err := rand.Read(stored.Id[:]); err != nil {
		return nil, fmt.Errorf("draw an identifier: %w", err)
	}
	stored.Id[6], stored.Id[8] = stored.Id[6]&0x0f|0x40, stored.Id[8]&0x3f|0x80 // a random UUID, RFC 9562 5.4
	n, p := keystore.StandardScryptN, keystore.StandardScryptP
	if light {
		n, p = keystore.LightScryptN, keystore.LightScryptP
	}
	content, err := keystore.EncryptKey(&stored, password, n, p)
	if err != nil {
		return nil, fmt.Errorf("encrypt node key: %w", err)
	}
	return append(content, '\n'), nil
}

// NodeKeyFile returns the file that flags name for the node key.
func NodeKeyFile(ctx *cli.Context) (string, error) {
	if ctx.String(utils.NodeKeyFileFlag.Name) != "" {
		file, err := NodeKeyAt(ctx, "")
		if err != nil {
			return "", err
		}
		return filepath.Abs(file)
	}
	if err := settings.CheckNetworkFlags(ctx); err != nil {
		return "", err
	}
	cfg := settings.Default()
	if ctx.IsSet(settings.DataDirFlag.Name) {
		cfg.Node.DataDir = program.ExpandHome(ctx.Path(settings.DataDirFlag.Name))
	} else if ctx.Bool(settings.TestnetFlag.Name) && cfg.Node.DataDir != "" {
		cfg.Node.DataDir = filepath.Join(cfg.Node.DataDir, "testnet")
	}
	if cfg.Node.DataDir == "" {
		return "", errors.New("no data directory: give --datadir or --nodekey")
	}
	dir, err := filepath.Abs(cfg.Node.DataDir)
	if err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	return NodeKeyIn(dir)
}

// WriteNewSecret stores content in a new file that only its owner can read. It never replaces a file.
func WriteNewSecret(file string, content []byte) error {
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
