// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/program"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// frozen makes a data directory whose chain is in the ancient store, and returns its blocks, the first of which is
// number 1.
func frozen(t *testing.T, data string, count int) types.Blocks {
	t.Helper()
	net := wbfttest.New(t, 1)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, count)
	receipts := make([]rlp.RawValue, count)
	for i := range receipts {
		receipts[i] = rlp.EmptyList
	}
	apptest.OnChain(t, data, net, func(chain *gethcore.BlockChain) error {
		_, err := chain.InsertReceiptChain(blocks, receipts, uint64(count)+1)
		return err
	})
	return blocks
}

// tailOf returns the first block of a data directory whose transactions are there.
func tailOf(t *testing.T, data string) uint64 {
	t.Helper()
	stack := must.Get(node.New(&node.Config{DataDir: data, Name: program.Name}))(t)
	db, err := stack.OpenDatabaseWithOptions("chaindata", node.DatabaseOptions{Cache: 16, Handles: 16, ReadOnly: true})
	must.Do(t, err)
	tail, err := db.Tail(rawdb.ChainFreezerBlockDataGroup)
	must.Do(t, errors.Join(err, db.Close(), stack.Close()))
	return tail
}

// History can be dropped of blocks that are old enough and of this chain; every refusal says why, and drops nothing. A
// start that is to keep less than there is says what to do, and so does an export of what is gone.
func TestPruneHistory(t *testing.T) {
	const count, oldest = 20, 7
	data := t.TempDir()
	blocks := frozen(t, data, count)
	at := func(n int, hash common.Hash) string { return fmt.Sprintf("%d:%v", n, hash) }
	prune := func(args ...string) (string, error) {
		return run(t, append([]string{"prune-history", "--datadir", data, "--yes"}, args...)...)
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing said", nil, "NUMBER:HASH"},
		{"everything is to stay", []string{"--history.chain", "all"}, "NUMBER:HASH"},
		{"a point of another network", []string{"--history.chain", "postmerge"}, "NUMBER:HASH"},
		{"no hash", []string{"--history.chain", "7"}, `--history.chain "7": want NUMBER:HASH`},
		{"a block of another chain", []string{"--history.chain", at(oldest, common.Hash{1})},
			blocks[oldest-1].Hash().Hex() + ", not 0x01"},
		{"a block that is not there", []string{"--history.chain", at(count+1, common.Hash{1})},
			"block 21 is above the head of this chain, which is block 20: nothing dropped"},
		{"nobody to ask", []string{"--yes=false", "--history.chain", at(oldest, blocks[oldest-1].Hash())},
			"nothing dropped: nobody answered, since standard input is closed: run this in a terminal, or with --yes"},
	} {
		out, err := prune(c.args...)
		expect.That(t, err != nil && strings.Contains(err.Error(), c.want), "%s: %q, %v, want %q", c.name, out, err, c.want)
	}
	keep := at(oldest, blocks[oldest-1].Hash())
	release := apptest.Hold(t, data)
	expect.Says(t, expect.Err(prune("--history.chain", keep)), "is running with the data "+
		"directory "+data+": stop it first", "while a node runs")
	release()
	must.Equal(t, tailOf(t, data), 0, "refused, and the history begins at block")
	for range 2 { // the second time it is gone already
		out, err := prune("--history.chain", keep)
		must.That(t, err == nil && strings.Contains(out, "before block 7"), "%q, %v", out, err)
	}
	_, err := prune("--history.chain", at(oldest, common.Hash{1}))
	expect.That(t, err != nil && strings.Contains(err.Error(), blocks[oldest-1].Hash().Hex()+", not 0x01"),
		"another block, afterwards: %v", err)
	for want, point := range map[string]string{
		"names another block than the one with which the history in the data directory begins": at(oldest, common.Hash{1}),
		"asks for history that has been dropped": at(oldest-1,
			blocks[oldest-2].Hash()),
	} {
		dir := t.TempDir() // a refused start leaves its locks to the end of the process
		must.Do(t, os.CopyFS(dir, os.DirFS(data)))
		_, err := run(t, "--datadir", dir, "--nodiscover", "--bootnodes", "", "--port", "0", "--ipcdisable",
			"--history.chain", point)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "start without the flag") {
			t.Errorf("start with --history.chain %s: %v, want %q", point, err, want)
		}
	}
	expect.Equal(t, tailOf(t, data), oldest, "the history begins at block")
	expect.Says(t, expect.Err(prune("--history.chain", at(oldest-1, blocks[oldest-2].Hash()))), "gone already",
		"back to an older block")
	expect.Says(t, expect.Err(run(t, "export", "--datadir", data, t.TempDir()+"/blocks")), "before block 7",
		"export of everything")
}

// A node that is to keep less than its data directory holds says how to drop the rest, and one at the beginning of a
// chain how to begin.
func TestStartWithHistoryFlag(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks int
		want   string
	}{{"more is there", 20, "gwon prune-history --datadir"}, {"nothing is there", 0, "--syncmode snap"}} {
		t.Run(c.name, func(t *testing.T) {
			data, hash := t.TempDir(), common.Hash{1}
			if c.blocks > 0 {
				hash = frozen(t, data, c.blocks)[6].Hash()
			} else if _, err := run(t, "init", "--datadir", data, apptest.PrivateGenesis(t)); err != nil {
				t.Fatal(err)
			}
			expect.Says(t, expect.Err(run(t, "--datadir", data, "--nodiscover", "--bootnodes", "", "--port", "0", "--ipcdisable",
				"--history.chain", fmt.Sprintf("7:%v", hash))), c.want, "started")
		})
	}
}
