// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// An archive keeps the states of all blocks, unless it is told how many. The line at the start says so.
func TestArchiveKeepsAllStates(t *testing.T) {
	file := func(text string) []string {
		path := filepath.Join(t.TempDir(), "config.toml")
		must.Do(t, os.WriteFile(path, []byte("[Eth]\n"+text), 0o600))
		return []string{"--config", path}
	}
	const all, newest = "all blocks from the first one executed here", "newest 128 blocks with changes"
	for _, row := range []struct {
		name    string
		args    []string
		history uint64
		line    string
	}{
		{"full", nil, 90_000, newest},
		{"archive", []string{"--gcmode", "archive"}, 0, all},
		{"part of an archive", []string{"--gcmode", "archive", "--history.state", "7"}, 7, "newest 7 blocks"},
		{"upstream's number, named", []string{"--gcmode", "archive", "--history.state", "90000"}, 90_000,
			"newest 90000 blocks"},
		{"archive by file", file("NoPruning = true\n"), 0, all},
		{"part by file", file("NoPruning = true\nStateHistory = 9\n"), 9, "newest 9 blocks"},
		{"explorer", []string{"--rpc.profile", "explorer", "--gcmode", "archive"}, 0, all},
	} {
		t.Run(row.name, func(t *testing.T) {
			args := append([]string{"--datadir", t.TempDir()}, row.args...)
			must.Do(t, withFlags(t, func(ctx *cli.Context) error {
				cfg, upstream, err := Load(ctx)
				if err != nil {
					return err
				}
				stack, err := NewStack(cfg, upstream)
				if err != nil {
					return err
				}
				defer func() { _ = stack.Close() }()
				expect.That(t, cfg.Eth.StateHistory == row.history,
					"states of %d blocks, want %d", cfg.Eth.StateHistory, row.history)
				expect.Equal(t, KeptStates(&cfg.Eth, rawdb.PathScheme), row.line, "KeptStates")
				return nil
			}, args...))
		})
	}
}
