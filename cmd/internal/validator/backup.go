// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/atomicfile"
	"gwon/internal/secretfile"
)

const (
	backupFormat  = "gwon validator backup 1"
	maxStoredKeys = 1000           // files of the key store in a backup
	maxBackup     = 2 * 1073741824 // bytes of a backup
	configFile    = "config.toml"  // in a data directory
	keyStoreDir   = "keystore"     // in a data directory
)

var backupFlags = append([]cli.Flag{settings.DataDirFlag, utils.NodeKeyFileFlag}, settings.NetworkFlags...)

// BackupCommand writes what makes a validator to a file.
var BackupCommand = &cli.Command{
	Name:      "backup",
	Usage:     "Write key, vote log, configuration and key store of a validator to a file, also while the node runs",
	ArgsUsage: "<file>",
	Description: "The file has the node key as it is on disk: encrypted only if the key was made with gwon " +
		"validator new --encrypt. --config names the configuration to take along. The chain is not in the file, " +
		"since every peer has it.",
	Flags:  append([]cli.Flag{settings.ConfigFlag, program.JSONFlag}, backupFlags...),
	Action: backupValidator,
}

// RestoreCommand makes a validator from such a file.
var RestoreCommand = &cli.Command{
	Name: "restore",
	Usage: "Make a validator from the file of gwon backup; it waits until it can contradict " +
		"nothing that it has signed since",
	ArgsUsage: "<file>",
	Description: "The old node has to be gone for good. A directory with a node key, another chain, or votes of " +
		"another key is left as it is, and so is a key that a process of this machine uses. Votes that are there " +
		"already are kept. Restore before the first start, which makes a random node key.",
	Flags:  append([]cli.Flag{program.JSONFlag}, backupFlags...),
	Action: restoreValidator,
}

// backup is the content of a backup file.
type backup struct {
	Format    string            `json:"format"`
	Created   uint64            `json:"created"` // in seconds since 1970
	Validator common.Address    `json:"validator"`
	NodeKey   string            `json:"nodeKey"`          // content of the key file
	Votes     json.RawMessage   `json:"votes,omitempty"`  // as gwon validator votes export writes them
	Config    string            `json:"config,omitempty"` // TOML
	KeyStore  map[string]string `json:"keyStore,omitempty"`
}

func backupValidator(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("give the file to write the backup to")
	}
	file := program.ExpandHome(ctx.Args().First())
	if err := program.RefuseExisting(file); err != nil {
		return err
	}
	cfg, votesPath, err := voteLogFile(ctx)
	if err != nil {
		return err
	}
	saved := &backup{Format: backupFormat, Created: uint64(time.Now().Unix())}
	if err := saved.addKeys(ctx, cfg); err != nil {
		return err
	}
	if path := ctx.Path(settings.ConfigFlag.Name); path != "" {
		text, err := atomicfile.Read(program.ExpandHome(path))
		if err != nil {
			return fmt.Errorf("read configuration file: %w", err)
		}
		saved.Config = string(text)
	}
	votes, err := votelog.Look(votelog.OS{}, votesPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case votes.Owner().Validator != saved.Validator:
		return fmt.Errorf("the vote log %s is of validator %v, the node key of %v: give the key of that validator with --%s",
			votesPath, votes.Owner().Validator, saved.Validator, utils.NodeKeyFileFlag.Name)
	default:
		if saved.Votes, err = json.Marshal(votes); err != nil {
			return fmt.Errorf("encode vote log: %w", err)
		}
	}
	text, err := json.Marshal(saved)
	if err != nil {
		return fmt.Errorf("encode backup: %w", err)
	}
	if err := atomicfile.Write(file, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return saved.describe(ctx, "Saved", file, "")
}

// addKeys reads the node key and the key store.
func (b *backup) addKeys(ctx *cli.Context, cfg *settings.Config) error {
	keyFile, err := keys.NodeKeyAt(ctx, cfg.Node.DataDir)
	if err != nil {
		return err
	}
	key, err := atomicfile.Read(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no node key at %s: name the data directory with --%s, or the key file with --%s. If "+
			"gwon-signer has it, keep a copy of the key in its directory", keyFile, settings.DataDirFlag.Name,
			utils.NodeKeyFileFlag.Name)
	}
	if err != nil {
		return fmt.Errorf("read node key: %w", err)
	}
	if b.Validator, err = secretfile.Address(key); err != nil {
		return fmt.Errorf("node key %s is damaged: %w", keyFile, err)
	}
	b.NodeKey = string(key)
	dir := filepath.Join(cfg.Node.DataDir, keyStoreDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read key store: %w", err)
	}
	entries = slices.DeleteFunc(
		entries,
		func(e fs.DirEntry) bool { return !e.Type().IsRegular() || !isStoredKey(e.Name()) },
	)
	if len(entries) > maxStoredKeys {
		return fmt.Errorf("%s has %d files, a backup takes %d: copy the key store by other means", dir, len(entries),
			maxStoredKeys)
	}
	b.KeyStore = make(map[string]string, len(entries))
	for _, e := range entries {
		content, err := atomicfile.Read(filepath.Join(dir, e.Name()))
		if err != nil {
			return fmt.Errorf("read key store: %w", err)
		}
		b.KeyStore[e.Name()] = string(content)
	}
	return nil
}

// isStoredKey reports whether a key store could have a file of that name. The name stays inside of the directory.
func isStoredKey(name string) bool {
	return name == filepath.Base(name) && filepath.IsLocal(name) && !strings.HasPrefix(name, ".") &&
		!strings.ContainsAny(name, `/\`)
}

// describe prints what is in the backup.
func (b *backup) describe(ctx *cli.Context, done, file, report string) error {
	votes, sealed := "no vote log", "encrypted"
	if len(b.Votes) > 0 {
		votes = "vote log"
	}
	if !keys.IsEncrypted([]byte(b.NodeKey)) {
		sealed = "not encrypted: every holder of the file is the validator"
	}
	parts := []string{"node key", votes, fmt.Sprintf("%d keys of the key store", len(b.KeyStore))}
	if b.Config != "" {
		parts = append(parts, "configuration")
	}
	answer := map[string]any{
		"file": file, "validator": b.Validator, "created": b.Created, "parts": parts,
		"encrypted": keys.IsEncrypted([]byte(b.NodeKey)),
	}
	return program.Print(ctx, answer, func() error {
		_, err := fmt.Fprintf(ctx.App.Writer, "%s validator %v of %s: %s\nThe node key is %s\n%s", done, b.Validator, file,
			strings.Join(parts, ", "), sealed, report)
		return err
	})
}

// readBackup reads a backup and checks that its parts belong together. votes is nil if there are none.
func readBackup(file string) (b *backup, votes *votelog.Interchange, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, nil, fmt.Errorf("open backup: %w", err)
	}
	if info.Size() > maxBackup {
		return nil, nil, fmt.Errorf("%s has %d bytes, more than %d: it is no backup", file, info.Size(), int64(maxBackup))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read backup: %w", err)
	}
	b = new(backup)
	if err := json.Unmarshal(text, b); err != nil {
		return nil, nil, fmt.Errorf("%s is no whole backup, take another copy: %w", file, err)
	}
	if b.Format != backupFormat {
		return nil, nil, fmt.Errorf("%s has the format %q, this program reads %q", file, b.Format, backupFormat)
	}
	address, err := secretfile.Address([]byte(b.NodeKey))
	if err != nil {
		return nil, nil, fmt.Errorf("%s is damaged: its node key cannot be read: %w", file, err)
	}
	if address != b.Validator {
		return nil, nil, fmt.Errorf("%s is damaged: its node key is that of %v, not of %v", file, address, b.Validator)
	}
	if len(b.KeyStore) > maxStoredKeys {
		return nil, nil, fmt.Errorf("%s has %d keys of a key store, more than %d", file, len(b.KeyStore), maxStoredKeys)
	}
	for name := range b.KeyStore {
		if !isStoredKey(name) {
			return nil, nil, fmt.Errorf("%s is damaged: a key store has no file %q", file, name)
		}
	}
	if len(b.Votes) == 0 {
		return b, nil, nil
	}
	if votes, err = votelog.ReadInterchange(b.Votes); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if owner := votes.Owner().Validator; owner != b.Validator {
		return nil, nil, fmt.Errorf("%s is damaged: it has the key of %v and votes of %v", file, b.Validator, owner)
	}
	return b, votes, nil
}

func restoreValidator(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("give the file that gwon backup has written")
	}
	file := program.ExpandHome(ctx.Args().First())
	b, votes, err := readBackup(file)
	if err != nil {
		return err
	}
	cfg, votesPath, err := voteLogFile(ctx)
	if err != nil {
		return err
	}
	keyFile, err := b.targetKey(ctx, cfg)
	if err != nil {
		return err
	}
	others := b.otherFiles(cfg.Node.DataDir)
	for path, content := range others {
		if err := refuseOther(path, content); err != nil {
			return err
		}
	}
	report := "There are no votes in the backup. A validator that has signed before notices it and waits.\n"
	if votes != nil {
		// The key may have signed after the backup. A wait until then is over is what makes this harmless.
		s := &votes.Data[0]
		s.Since, s.Lost = max(s.Since, b.Created, uint64(time.Now().Unix())), true
		if report, err = mergeInto(cfg, votesPath, votes, s.Floor); err != nil {
			return err
		}
	}
	others[keyFile] = "" // for its directory
	for path := range others {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	}
	delete(others, keyFile)
	for path, content := range others {
		if err := atomicfile.Write(path, []byte(content), 0o600); err != nil {
			return fmt.Errorf("restore %s: %w", path, err)
		}
	}
	// The key comes last. Without it a restore that was cut short starts no validator, and can be repeated.
	if keyFile, err = b.targetKey(ctx, cfg); err != nil { // one may have come since
		return err
	}
	if err := atomicfile.Write(keyFile, []byte(b.NodeKey), 0o600); err != nil {
		return fmt.Errorf("restore node key: %w", err)
	}
	return b.describe(ctx, "Restored", file, report+"The old node must never run again.\n")
}

// targetKey returns where the node key goes. A key that is there is never replaced.
func (b *backup) targetKey(ctx *cli.Context, cfg *settings.Config) (string, error) {
	file, err := keys.NodeKeyAt(ctx, cfg.Node.DataDir)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(file); err == nil {
		return "", b.refuseKey(file)
	}
	if ctx.String(utils.NodeKeyFileFlag.Name) == "" && keys.IsEncrypted([]byte(b.NodeKey)) {
		file = filepath.Join(filepath.Dir(file), keys.EncryptedFile)
	}
	return file, nil
}

// refuseKey is the error for a node key that is there already.
func (b *backup) refuseKey(file string) error {
	owner := "another key"
	if content, err := atomicfile.Read(file); err == nil {
		if address, err := secretfile.Address(content); err == nil {
			owner = "the key of " + address.Hex()
			if address == b.Validator {
				owner += ", the same as in the backup"
			}
		}
	}
	return fmt.Errorf("%s exists already, %s; an existing key is never overwritten. Restore into an empty directory, "+
		"before the first start. A follower has a random key: if that key is of no validator, "+
		"move it away while the node is stopped (mv %s %s.follower) and restore again", file, owner, file, file)
}

// otherFiles returns path and content of what is restored beside node key and votes.
func (b *backup) otherFiles(dataDir string) map[string]string {
	files := make(map[string]string)
	if b.Config != "" {
		files[filepath.Join(dataDir, configFile)] = b.Config
	}
	for name, content := range b.KeyStore {
		files[filepath.Join(dataDir, keyStoreDir, name)] = content
	}
	return files
}

// refuseOther fails if path is a file with other content.
func refuseOther(path, content string) error {
	switch have, err := atomicfile.Read(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look for earlier files: %w", err)
	case string(have) != content:
		return fmt.Errorf("%s is not that of the backup: move it away", path)
	}
	return nil
}
