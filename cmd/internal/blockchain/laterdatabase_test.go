// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/network"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A database that a newer program has written is refused with the reason, by all that opens it, and stays as it was.
func TestLaterDatabase(t *testing.T) {
	data := t.TempDir()
	genesis := apptest.PrivateGenesis(t)
	must.Get(run(t, "init", "--datadir", data, genesis))(t)
	setVersion := func(version uint64) {
		t.Helper()
		cfg := node.Config{Name: program.Name, DataDir: data}
		stack := must.Get(node.New(&cfg))(t)
		db := must.Get(stack.OpenDatabaseWithOptions("chaindata", node.DatabaseOptions{}))(t)
		rawdb.WriteDatabaseVersion(db, version)
		must.Do(t, errors.Join(db.Close(), stack.Close()))
	}
	start := func(args ...string) error {
		return withFlags(t, func(ctx *cli.Context) error {
			cfg, _, err := settings.Load(ctx)
			if err != nil {
				return err
			}
			_, err = network.Select(ctx, cfg)
			return err
		}, append([]string{"--datadir", data}, args...)...)
	}
	setVersion(gethcore.BlockChainVersion)
	must.Do(t, start(), "this version:")
	setVersion(gethcore.BlockChainVersion + 1)
	before := contents(t, data)
	for name, err := range map[string]error{
		"start":   start(),
		"testnet": start("--testnet"),
		"init":    second(run(t, "init", "--datadir", data, genesis)),
		"export":  second(run(t, "export", "--datadir", data, filepath.Join(t.TempDir(), "blocks"))),
		"import":  second(run(t, "import", "--datadir", data, genesis)),
		"compact": second(run(t, "db", "compact", "--datadir", data)),
	} {
		expect.Says(t, err, "a newer gwon has written it", "%s", name)
	}
	after := contents(t, data)
	for name, content := range before {
		expect.Equal(t, after[name], content, "%s was changed", name)
	}
	expect.That(t, len(after) == len(before), "%d files, were %d", len(after), len(before))
	setVersion(gethcore.BlockChainVersion)
	expect.Says(t, start("--testnet"), "not that of --testnet", "another network's chain")
}

// The chain is found when its ancient blocks are elsewhere.
func TestAncientElsewhere(t *testing.T) {
	data, ancient := t.TempDir(), filepath.Join(t.TempDir(), "ancient")
	must.Get(run(t, "init", "--datadir", data, "--datadir.ancient", ancient, apptest.PrivateGenesis(t)))(t)
	expect.Error(t, withFlags(t, func(ctx *cli.Context) error {
		cfg, _, err := settings.Load(ctx)
		if err != nil {
			return err
		}
		_, err = network.Select(ctx, cfg)
		return err
	}, "--datadir", data, "--datadir.ancient", ancient), nil, "error")
}

func second[T any](_ T, err error) error { return err }

// contents returns the files below a directory, without empty ones (locks).
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	must.Do(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if len(content) > 0 {
			files[path] = string(content)
		}
		return err
	}))
	return files
}
