// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/must"
)

// freeze moves the first blocks of a node that does not run to its ancient store, where they would be anyway after
// 90,000 more.
func freeze(t testing.TB, data string, count uint64) {
	t.Helper()
	stack := must.Get(node.New(&node.Config{DataDir: data, Name: "gwon"}))(t)
	db := must.Get(stack.OpenDatabaseWithOptions("chaindata", node.DatabaseOptions{Cache: 16, Handles: 16}))(t)
	var blocks []*types.Block
	var receipts []rlp.RawValue
	for n := range count {
		hash := rawdb.ReadCanonicalHash(db, n)
		blocks = append(blocks, rawdb.ReadBlock(db, hash, n))
		receipts = append(receipts, rawdb.ReadReceiptsRLP(db, hash, n))
	}
	must.Get(rawdb.WriteAncientBlocks(db, blocks, receipts))(t)
	must.Do(t, db.SyncAncient())
	for _, block := range blocks[1:] {
		rawdb.DeleteBlockWithoutNumber(db, block.Hash(), block.NumberU64())
		rawdb.DeleteCanonicalHash(db, block.NumberU64())
	}
	must.Do(t, errors.Join(db.Close(), stack.Close()))
}

// Where the only peer has dropped the beginning of the history, a new node that wants it does not follow, and says
// why and what to do, again and again; one that is told to keep no more than the peer does follows. The peer does not
// suffer from either.
func TestSyncFromPrunedPeer(t *testing.T) {
	t.Parallel()
	const past, frozen, oldest = 300, 200, 150
	c := startAgedCluster(t, 1, past, 2, frozen)
	keep := fmt.Sprintf("%d:%v", oldest, c.block(t, 0, uint64(oldest)).Hash)
	out, err := runGwon(t, "prune-history", "--yes", "--datadir", c.node(0).Dir, "--history.chain", keep)
	if err == nil || !strings.Contains(out, "stop it first") {
		t.Errorf("while it runs: %v: %s", err, out)
	}
	c.stop(t, 0)
	out, err = runGwon(t, "prune-history", "--yes", "--datadir", c.node(0).Dir, "--history.chain", keep)
	if err != nil {
		t.Fatalf("prune-history: %s", out)
	}
	c.start(t, 0, "--history.chain", keep)

	first := c.addFollowers(t, 3)
	full, snap, alike := first, first+1, first+2
	c.follow(t, full, []int{0})
	c.follow(t, snap, []int{0}, "--syncmode", "snap")
	c.follow(t, alike, []int{0}, "--syncmode", "snap", "--history.chain", keep)
	c.atHead(t, alike, 0)
	for _, i := range []int{full, snap} {
		c.await(t, c.node(i).Name+" that says why it does not follow", func() (bool, string) {
			text, err := os.ReadFile(c.node(i).LogFile())
			if err != nil {
				return false, err.Error()
			}
			return strings.Contains(string(text), "Connected peers have dropped the history that comes next: connect one that "+
				"keeps it"), string(text)
		})
		var progress any
		c.must(t, i, &progress, "eth_syncing")
		if status, behind := progress.(map[string]any); !behind || status["highestBlock"] == "0x0" {
			t.Errorf("%s is at its beginning and says eth_syncing: %v", c.node(i).Name, progress)
		}
	}
}
