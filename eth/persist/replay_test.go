// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package persist

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/ancient"
	"gwon/internal/expect"
	"gwon/internal/must"
)

const length = 300 // more than one run

var options = wbfttest.LiveOptions{
	Validators: 4, EpochLength: 10, Boho: 15, Seed: 7, LightEvery: 3, LightTxs: 2, ChangeEvery: 3, Last: length,
}

var live = sync.OnceValues(func() (*wbfttest.Maker, error) {
	recipe, err := options.Recipe()
	if err != nil {
		return nil, err
	}
	return wbfttest.NewMaker(rawdb.NewMemoryDatabase(), recipe)
})

func liveBlocks(t *testing.T) types.Blocks {
	t.Helper()
	m, err := live()
	if err == nil {
		err = m.Make(t.Context(), length)
	}
	must.Do(t, err)
	return m.Blocks()
}

// node is a chain on disk whose process can be killed.
type node struct {
	t      *testing.T
	dir    string
	scheme string
	db     ethdb.Database
	chain  *gethcore.BlockChain
	engine *wbft.Engine
}

func newNode(t *testing.T, scheme string) *node {
	n := &node{t: t, dir: t.TempDir(), scheme: scheme}
	t.Cleanup(func() {
		n.chain.Stop()
		_ = n.db.Close()
	})
	n.open()
	return n
}

func (n *node) open() {
	n.t.Helper()
	kv := must.Get(pebble.New(n.dir, 0, 0, "", false))(n.t)
	n.db = must.Get(rawdb.Open(kv, rawdb.OpenOptions{Ancient: filepath.Join(n.dir, "ancient")}))(n.t)
	m := must.Get(live())(n.t)
	n.engine = must.Get(wbft.New(m.Config(), nil))(n.t)
	config := gethcore.DefaultConfig().WithStateScheme(n.scheme)
	config.SnapshotLimit, config.TrieJournalDirectory = 0, filepath.Join(n.dir, "triedb")
	n.chain = must.Get(gethcore.NewBlockChain(n.db, m.Genesis, n.engine, config))(n.t)
}

func (n *node) head() uint64 { return n.chain.CurrentBlock().Number.Uint64() }

// kill loses what is in memory.
func (n *node) kill() {
	n.t.Helper()
	_, _ = n.chain.TrieDB().Close(), n.db.Close()
	n.open()
}

// insert adds stored blocks as a sync does.
func (n *node) insert(blocks types.Blocks) {
	n.t.Helper()
	headers := make([]*types.Header, len(blocks))
	for i, b := range blocks {
		headers[i] = b.Header()
	}
	_, _, err := n.engine.Receive(n.chain, headers, 0, true)
	must.Do(n.t, err)
	must.Get(n.chain.InsertChain(blocks))(n.t)
}

// A crash loses the state since the last save, and no block: these blocks are executed again, and not fetched.
// spec: wbft 7.5
func TestReplayAfterCrash(t *testing.T) {
	for _, row := range []struct {
		scheme string
		saved  int
		first  uint64 // block that is executed again
	}{
		{rawdb.HashScheme, 0, 3}, // the first block with a payment
		{rawdb.PathScheme, 0, 3},
		{rawdb.PathScheme, 200, 202},
	} {
		t.Run(row.scheme, func(t *testing.T) {
			blocks := liveBlocks(t)
			n := newNode(t, row.scheme)
			n.insert(blocks[:row.saved+1])
			if row.saved > 0 {
				must.Get(n.chain.SaveState(false))(t)
			}
			n.insert(blocks[row.saved+1:])
			n.kill()
			r := FindReplay(n.chain, n.engine)
			must.That(t, r != nil && r.first >= row.first && r.first < row.first+options.LightEvery,
				"head %d after the crash, replay %+v, want one from %d", n.head(), r, row.first)
			if current, last := r.Progress(); current != r.first-1 || last != length {
				t.Errorf("progress %d of %d before the replay of %d to %d", current, last, r.first, length)
			}
			must.Do(t, r.Run())
			if current, last := r.Progress(); current != last || n.head() != length {
				t.Errorf("progress %d of %d after the replay, head %d", current, last, n.head())
			}
			expect.That(t, FindReplay(n.chain, n.engine) == nil, "blocks are left to execute")
		})
	}
}

// With its newest state saved a node starts at its head, which is executed no more.
func TestSavedHeadNeedsNoReplay(t *testing.T) {
	n := newNode(t, rawdb.PathScheme)
	blocks := liveBlocks(t)
	for from := 0; from < length; from += 50 {
		n.insert(blocks[from : from+50])
		must.Get(n.chain.SaveState(from == 100))(t)
		n.kill()
		if r := FindReplay(n.chain, n.engine); r != nil || n.head() != uint64(from+50) {
			t.Fatalf("after the crash at %d the head is %d, replay %+v", from+50, n.head(), r)
		}
	}
}

// unproven finds no run proven.
type unproven struct{}

func (unproven) ProveStored(consensus.ChainHeaderReader, []*types.Header) error {
	return consensus.ErrUnknownAncestor
}

// Blocks whose last one does not prove them are verified one by one. An interrupted replay is an error.
func TestReplayVerifiesWhatIsNotProven(t *testing.T) {
	n := newNode(t, rawdb.PathScheme)
	n.insert(liveBlocks(t)[:20])
	n.kill()
	var text bytes.Buffer
	expect.Log(t, log.NewTerminalHandler(&text, false))
	n.chain.InterruptInsert(true)
	expect.Refused(t, FindReplay(n.chain, unproven{}).Run(), "an interrupted replay gives no error")
	n.chain.InterruptInsert(false)
	err := FindReplay(n.chain, unproven{}).Run()
	expect.That(t, err == nil && n.head() == 20, "replay to %d: %v", n.head(), err)
	expect.Contains(t, text.String(), "each is verified", "no word about missing proof")
}

// A journal that the operating system cannot read is no damaged one, and stays.
func TestUnreadableJournal(t *testing.T) {
	journal := Journal(t.TempDir())
	must.Do(t, os.WriteFile(journal.sumPath(), nil, 0o600))
	must.Do(t, os.Symlink("/proc/self/mem", journal.path()))
	if _, err := os.ReadFile(journal.path()); !errors.Is(err, syscall.EIO) {
		t.Skipf("no file whose reading fails: %v", err)
	}
	err := journal.Mend()
	_, statErr := os.Lstat(journal.path())
	expect.That(t, errors.Is(err, syscall.EIO) && statErr == nil, "error %v; %v", err, statErr)
}

// A journal that differs from its checksum is set aside, and costs no block: the saved states have what it had. The
// journal of an earlier gwon, which has no checksum, is read.
func TestDamagedJournal(t *testing.T) {
	blocks := liveBlocks(t)[:200]
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte {
			b[(len(b)+at)%len(b)] ^= 4
			return b
		}
	}
	for _, row := range []struct {
		name   string
		damage func(content []byte) []byte // nil removes it
		sum    bool                        // of the checksum
		aside  bool
	}{
		{"whole", func(b []byte) []byte { return b }, false, false},
		{"bit at the beginning", flip(0), false, true},
		{"bit at the root", flip(12), false, true},
		{"bit near the end", flip(-20), false, true},
		{"half", func(b []byte) []byte { return b[:len(b)/2] }, false, true},
		{"junk", func(b []byte) []byte { return append(b, 1, 2, 3) }, false, true},
		{"empty", func([]byte) []byte { return []byte{} }, false, true},
		{"gone", func([]byte) []byte { return nil }, false, false},
		{"checksum gone", func([]byte) []byte { return nil }, true, false},
		{"bit of the checksum", flip(3), true, true},
		{"checksum empty", func([]byte) []byte { return []byte{} }, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := newNode(t, rawdb.PathScheme)
			n.insert(blocks)
			must.Get(n.chain.SaveState(false))(t)
			n.chain.Stop()
			journal := Journal(filepath.Join(n.dir, "triedb"))
			must.Do(t, errors.Join(n.db.Close(), journal.Stop()))
			path := journal.path()
			if row.sum {
				path = journal.sumPath()
			}
			content, err := os.ReadFile(path)
			must.Do(t, err)
			if content = row.damage(content); content == nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, content, 0o600)
			}
			must.Do(t, errors.Join(err, journal.Mend()))
			_, err = os.Stat(journal.path() + ancient.Damaged)
			expect.That(t, (err == nil) == row.aside, "set aside: %v, want %v", err == nil, row.aside)
			n.open()
			expect.That(t, n.head() == 200, "head %d, replay %+v", n.head(), FindReplay(n.chain, n.engine))
		})
	}
}
