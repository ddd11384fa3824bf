// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/operator/adopt"
	"gwon/operator/adopt/adopttest"
)

// recordedVariable names a directory with data directories that go-stablenet v1.0.1 wrote, and what its nodes answered.
const recordedVariable = "GWON_STABLENET_DATADIRS"

// recorded is what the nodes answered.
type recorded struct {
	Head     uint64
	HeadHash common.Hash
	Blocks   []struct {
		Hash, StateRoot   common.Hash
		Transactions      int
		RawReceiptsSha256 string
	}
	Balances   map[common.Address][2]string // balance, nonce
	Logs       int
	LogsSha256 string
}

// Directories that go-stablenet wrote have every answer of its nodes after they were taken over, and go-stablenet's
// decoders take them after they were given back.
func TestRecordedDirectories(t *testing.T) {
	dir := os.Getenv(recordedVariable)
	if dir == "" {
		t.Skip("no " + recordedVariable)
	}
	text := must.Get(os.ReadFile(filepath.Join(dir, "expected.json")))(t)
	var want recorded
	must.Do(t, json.Unmarshal(text, &want))
	for i, kind := range adopttest.Kinds(0, 0) {
		if kind.Killed {
			continue
		}
		archive := fmt.Sprintf("clean-%d.tar.xz", i/2)
		t.Run(archive+" "+kind.Engine+" "+kind.Scheme, func(t *testing.T) {
			old, data := t.TempDir(), t.TempDir()
			unpack := exec.Command("tar", "-xJf", filepath.Join(dir, archive), "-C", old)
			if out, err := unpack.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			before := hashOf(t, old)
			result := must.Get(adopt.Run(t.Context(), options(old, data)))(t)
			if c := result.Chain; c.Engine != kind.Engine || c.Scheme != kind.Scheme || c.Hash != want.HeadHash {
				t.Errorf("took over %+v", c)
			}
			c := openGwon(t, result.To)
			blocks := make(types.Blocks, want.Head+1)
			for number := range blocks {
				blocks[number] = c.GetBlockByNumber(uint64(number))
			}
			c.check(t, blocks)
			want.check(t, c, blocks)
			must.Do(t, c.TrieDB().Commit(c.CurrentBlock().Root, false))
			c.close()
			expect.Equal(t, hashOf(t, old), before, "the directory that was taken over has changed")
			must.Get(adopt.Return(t.Context(), options("", data)))(t)
			adopttest.Check(t, filepath.Join(old, adopt.Instance), blocks)
		})
	}
}

// check compares a chain with the answers of other nodes.
func (want *recorded) check(t *testing.T, c *chainOf, blocks types.Blocks) {
	t.Helper()
	var lines []string
	for number, block := range want.Blocks {
		b := blocks[number]
		if b.Hash() != block.Hash || b.Root() != block.StateRoot || len(b.Transactions()) != block.Transactions {
			t.Fatalf("block %d differs", number)
		}
		receipts := c.GetReceiptsByHash(b.Hash())
		hash := sha256.New()
		for _, r := range receipts {
			raw := must.Get(r.MarshalBinary())(t)
			hash.Write([]byte(hexutil.Encode(raw)))
			for _, l := range r.Logs {
				topics := make([]string, len(l.Topics))
				for i, topic := range l.Topics {
					topics[i] = topic.Hex()
				}
				lines = append(lines, fmt.Sprintf("%s|%s|%s|%s|%s", l.BlockHash.Hex(), hexutil.EncodeUint64(uint64(l.Index)),
					strings.ToLower(l.Address.Hex()), strings.Join(topics, ","), hexutil.Encode(l.Data)))
			}
		}
		if got := hex.EncodeToString(hash.Sum(nil)); block.Transactions > 0 && got != block.RawReceiptsSha256 {
			t.Errorf("block %d: raw receipts have SHA-256 %s, want %s", number, got, block.RawReceiptsSha256)
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	if len(lines) != want.Logs || want.LogsSha256 != hex.EncodeToString(sum[:]) {
		t.Errorf("%d logs with SHA-256 %x, want %d with %s; first %q", len(lines), sum, want.Logs, want.LogsSha256, lines[0])
	}
	state := must.Get(c.State())(t)
	for address, facts := range want.Balances {
		balance, nonce := state.GetBalance(address).Hex(), hexutil.EncodeUint64(state.GetNonce(address))
		if balance != facts[0] || nonce != facts[1] {
			t.Errorf("%v has %s and nonce %s, want %v", address, balance, nonce, facts)
		}
	}
	expect.Equal(t, rawdb.ReadFinalizedBlockHash(c.db), common.Hash{},
		"a key names a final block, up to which the freezer would go")
}
