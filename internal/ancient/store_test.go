// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ancient

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/expect"
	"gwon/internal/must"
)

const items, tail = 40, 7

// store is one of the formats, made and read by go-ethereum.
type store struct {
	kind  Kind
	under string // directory below that of all stores
	make  func(t *testing.T, dir string)
	open  func(dir string) (ethdb.AncientReader, func() error, error)
	tail  uint64
	items uint64
}

// size returns a number of bytes that is short for some items, and for some so long that literals have all lengths.
func size(i int) int { return []int{0, 1, 59, 60, 61, 255, 256, 257, 5000, 70000}[i%10] }

// content is random for some items, and repeats itself for others, which are compressed well.
func content(i int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(i))) //nolint:gosec // not secret
	b := make([]byte, size(i))
	for j := range b {
		if b[j] = byte(random.Uint32()); i%3 == 0 {
			b[j] = byte(j % 7)
		}
	}
	return b
}

func openBlocks(dir string) (ethdb.AncientReader, func() error, error) {
	db, err := rawdb.Open(memorydb.New(), rawdb.OpenOptions{Ancient: dir})
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

func makeBlocks(t *testing.T, dir string) {
	db := must.Get(rawdb.Open(memorydb.New(), rawdb.OpenOptions{Ancient: dir}))(t)
	var blocks []*types.Block
	var receipts []rlp.RawValue
	for i := range items {
		tx := types.NewTx(&types.LegacyTx{Nonce: uint64(i), Data: content(i)})
		blocks = append(blocks, types.NewBlockWithHeader(&types.Header{
			Number: big.NewInt(int64(i)), Difficulty: new(big.Int), Extra: content(i + 1),
		}).WithBody(types.Body{Transactions: types.Transactions{tx}}))
		receipt := must.Get(rlp.EncodeToBytes([][]byte{content(i + 2)}))(t)
		receipts = append(receipts, receipt)
	}
	must.Get(rawdb.WriteAncientBlocks(db, blocks, receipts))(t)
	must.Do(t, db.SyncAncient())
	must.Do(t, db.Close())
}

func openStates(dir string) (ethdb.AncientReader, func() error, error) {
	db, err := rawdb.NewStateFreezer(dir, false, false)
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

func makeStates(t *testing.T, dir string) {
	db := must.Get(rawdb.NewStateFreezer(dir, false, false))(t)
	must.Get(db.ModifyAncients(func(op ethdb.AncientWriteOp) error {
		for i := range items {
			for _, table := range States {
				b := content(i)
				if table.raw {
					b = make([]byte, table.size)
				}
				if err := op.AppendRaw(table.name, uint64(i), b); err != nil {
					return err
				}
			}
		}
		return nil
	}))(t)
	must.Get(db.TruncateTail(rawdb.DefaultHistoryGroup, tail))(t)
	must.Do(t, db.SyncAncient())
	must.Do(t, db.Close())
}

var stores = []store{
	{Blocks, "chain", makeBlocks, openBlocks, 0, items},
	{States, "state", makeStates, openStates, tail, items},
}

// empties are those of a young chain, whose blocks and states are all elsewhere.
var empties = []store{
	{Blocks, "chain", makeEmpty(openBlocks), openBlocks, 0, 0},
	{States, "state", makeEmpty(openStates), openStates, 0, 0},
}

func makeEmpty(open func(string) (ethdb.AncientReader, func() error, error)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		_, closeDB, err := open(dir)
		must.Do(t, err)
		must.Do(t, closeDB())
	}
}

// all returns what go-ethereum reads of a store.
func (s *store) all(dir string) (content map[string][]byte, err error) {
	db, closeDB, err := s.open(dir)
	if err != nil {
		return nil, err
	}
	content = make(map[string][]byte)
	for _, table := range s.kind {
		for i := s.tail; i < s.items; i++ {
			b, err := db.Ancient(table.name, i)
			if err != nil {
				b = []byte(err.Error())
			}
			content[fmt.Sprint(table.name, " ", i)] = b
		}
	}
	return content, closeDB()
}

// files returns the contents of the files of a directory.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	paths := must.Get(filepath.Glob(filepath.Join(dir, "*.*")))(t)
	contents := make(map[string]string)
	for _, path := range paths {
		b := must.Get(os.ReadFile(path))(t)
		contents[filepath.Base(path)] = string(b)
	}
	return contents
}

// damages are the ways in which a small file is damaged; nil removes it.
func damages(size int) map[string]func([]byte) []byte {
	ways := map[string]func([]byte) []byte{
		"gone":  func([]byte) []byte { return nil },
		"empty": func([]byte) []byte { return []byte{} },
		"half":  func(b []byte) []byte { return b[:len(b)/2] },
		"tail":  func(b []byte) []byte { return b[:max(0, len(b)-7)] },
		"entry": func(b []byte) []byte { return b[:max(0, len(b)-EntrySize)] },
		"zero":  func(b []byte) []byte { return append(b[:len(b)/2:len(b)/2], make([]byte, len(b)-len(b)/2)...) },
		"junk":  func(b []byte) []byte { return append(b, bytes.Repeat([]byte{0xa5}, 100)...) },
	}
	for at := range min(size, EntrySize) {
		for _, i := range []int{at, size - 1 - at} {
			bit := byte(1) << (at % 8)
			if i == at {
				ways[fmt.Sprint("byte ", i)] = func(b []byte) []byte {
					b[i] = ^b[i]
					return b
				}
			}
			ways[fmt.Sprintf("bit %d of %d", bit, i)] = func(b []byte) []byte {
				b[i] ^= bit
				return b
			}
		}
	}
	return ways
}

// alike are the names of files that are read as others of their store.
var alike = regexp.MustCompile(`^(receipts|storage|account\.data)`)

// No damage of an index or a meta file costs an item: go-ethereum reads afterwards what it read before. What was
// replaced is kept until the next start. The damage of a data file changes nothing before it is named.
func TestSmallFilesCostNothing(t *testing.T) {
	for _, s := range slices.Concat(stores, empties) {
		t.Run(fmt.Sprint(s.under, " with ", s.items), func(t *testing.T) {
			whole := t.TempDir()
			s.make(t, whole)
			want := must.Get(s.all(whole))(t)
			for name, content := range files(t, filepath.Join(whole, s.under)) {
				if s.items > 0 && alike.MatchString(name) {
					continue // as the table beside it
				}
				for way, damage := range damages(len(content)) {
					t.Run(name+"/"+way, func(t *testing.T) {
						t.Parallel()
						s.try(t, whole, name, damage, want)
					})
				}
			}
		})
	}
}

func (s *store) try(t *testing.T, whole, name string, damage func([]byte) []byte, want map[string][]byte) {
	root := t.TempDir()
	must.Do(t, os.CopyFS(root, os.DirFS(whole)))
	dir := filepath.Join(root, s.under)
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	must.Do(t, err)
	must.Do(t, os.Remove(path))
	if b = damage(b); b != nil {
		must.Do(t, os.WriteFile(path, b, 0o600))
	}
	before := files(t, dir)
	small := !strings.HasSuffix(name, "dat") || strings.HasPrefix(name, "bals") // whose items are empty
	if err := s.kind.Mend(dir, s.items); err != nil {
		must.That(t, !small, "%v", err)
		expect.That(t, maps.Equal(files(t, dir), before), "files were changed: %v", err)
		expect.Contains(t, err.Error(), strings.SplitN(name, ".0", 2)[0], "%s is not named", name)
		return
	}
	kept := must.Get(filepath.Glob(filepath.Join(dir, "*"+Damaged)))(t)
	for _, path := range kept {
		original := strings.TrimSuffix(filepath.Base(path), Damaged)
		expect.That(t, files(t, dir)[original+Damaged] == before[original], "%s is not what was replaced", path)
	}
	got := must.Get(s.all(root))(t)
	if small {
		for item, b := range want {
			if len(b) > 0 && !bytes.Equal(got[item], b) && string(got[item]) == "out of bounds" {
				t.Fatalf("%s is lost", item)
			}
		}
	}
	must.Do(t, s.kind.Mend(dir, s.items))
	kept, err = filepath.Glob(filepath.Join(dir, "*"+Damaged))
	expect.That(t, err == nil && len(kept) == 0, "kept after a good start: %v, %v", kept, err)
	names := slices.Sorted(maps.Keys(files(t, dir)))
	if s.items == 0 && small && !slices.Equal(names, slices.Sorted(maps.Keys(files(t, filepath.Join(whole, s.under))))) {
		t.Errorf("an empty store has become %q", names)
	}
}

// A crash leaves items that the index does not count, or parts of one. These are in the key-value store, and cost
// nothing.
func TestUnsyncedItems(t *testing.T) {
	s := stores[0]
	root := t.TempDir()
	s.make(t, root)
	dir := filepath.Join(root, s.under)
	for name, content := range files(t, dir) {
		if strings.HasSuffix(name, ".cdat") {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content+content[:10]+"\x00\x00\x00"), 0o600))
		}
	}
	must.Do(t, s.kind.Check(dir, items-5))
	must.Do(t, os.Remove(filepath.Join(dir, "headers.cidx")))
	must.Do(t, s.kind.Mend(dir, items-5))
	got, err := s.all(root)
	expect.That(t, err == nil && string(got[fmt.Sprint("headers ", items-1)]) != "out of bounds", "error %v", err)
}

// A data file that was cut at an item, as another program does that has it by a hard link, is named, and nothing
// changes. A bit of the index that makes a file seem cut is mended.
func TestCutDataFile(t *testing.T) {
	s := stores[0]
	for _, row := range []struct {
		name   string
		damage func(index, data []byte) (newIndex, newData []byte)
		want   string
	}{
		{"data", func(index, data []byte) ([]byte, []byte) { return index, data[:32*(items/2-3)] }, "hashes.0000.rdat"},
		{"index", func(index, data []byte) ([]byte, []byte) { index[EntrySize*(items/2)+3] ^= 1; return index, data }, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			root := t.TempDir()
			s.make(t, root)
			want, err := s.all(root)
			must.Do(t, err)
			dir := filepath.Join(root, s.under)
			all := files(t, dir)
			index, data := []byte(all["hashes.ridx"]), []byte(all["hashes.0000.rdat"])
			for i := items/2 + 1; i <= items; i++ { // the second half of the items is in a file of its own
				copy(index[EntrySize*i:], entry{1, uint32(32 * (i - items/2))}.append(nil))
			}
			second := data[32*items/2:]
			index, data = row.damage(index, data[:32*items/2])
			for name, content := range map[string][]byte{
				"hashes.ridx": index, "hashes.0000.rdat": data, "hashes.0001.rdat": second,
			} {
				must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
			}
			before := files(t, dir)
			err = s.kind.Mend(dir, 5)
			if row.want != "" {
				expect.That(t, err != nil && strings.Contains(err.Error(), row.want) && maps.Equal(files(t, dir), before),
					"files changed, or error %v", err)
				return
			}
			must.Do(t, err)
			got, err := s.all(root)
			expect.That(t, err == nil && maps.EqualFunc(got, want, bytes.Equal), "items differ, error %v", err)
		})
	}
}

// A store of histories whose data is lost begins again where the states are. The former one is kept.
func TestRestart(t *testing.T) {
	root := t.TempDir()
	s := stores[1]
	s.make(t, root)
	dir := filepath.Join(root, s.under)
	must.Do(t, os.Remove(filepath.Join(dir, "account.data.0000.cdat")))
	if err := s.kind.Mend(dir, items); err == nil || !strings.Contains(err.Error(), "account.data.0000.cdat") {
		t.Fatalf("error %v", err)
	}
	must.Do(t, s.kind.Restart(dir, items))
	path := filepath.Join(dir, "account.data.meta")
	b := must.Get(os.ReadFile(path))(t)
	b[3] ^= 4 // the length of the index, of which go-ethereum would leave a part of an entry
	must.Do(t, os.WriteFile(path, b, 0o600))
	must.Do(t, s.kind.Mend(dir, items))
	db := must.Get(rawdb.NewStateFreezer(root, false, false))(t)
	head, err := db.Ancients()
	expect.That(t, err == nil && head == items, "begins with %d, error %v", head, err)
	must.Do(t, db.Close())
	expect.Error(t, expect.Err(os.Stat(filepath.Join(dir+Damaged, "account.data.cidx"))), nil, "os.Stat")
}

// A meta file that hides more items than that of another table of the group is made again: go-ethereum would drop them
// in all.
func TestHiddenItems(t *testing.T) {
	s := stores[1]
	root := t.TempDir()
	s.make(t, root)
	want := must.Get(s.all(root))(t)
	path := filepath.Join(root, s.under, "account.index.meta")
	b := must.Get(os.ReadFile(path))(t)
	b[2] ^= 8
	must.Do(t, os.WriteFile(path, b, 0o600))
	must.Do(t, s.kind.Mend(filepath.Join(root, s.under), items))
	got, err := s.all(root)
	expect.That(t, err == nil && maps.EqualFunc(got, want, bytes.Equal), "items are hidden, error %v", err)
}

// A store whose making was cut short by a kill is no damaged one: go-ethereum goes on.
func TestUnmadeTables(t *testing.T) {
	for _, s := range empties {
		for _, table := range s.kind {
			t.Run(table.name, func(t *testing.T) {
				root := t.TempDir()
				s.make(t, root)
				dir := filepath.Join(root, s.under)
				must.Do(t, os.Remove(table.dataPath(dir, 0)))
				must.Do(t, os.Truncate(table.indexPath(dir), 0))
				must.Do(t, os.Truncate(table.metaPath(dir), 0))
				must.Do(t, s.kind.Mend(dir, 0))
				must.Get(s.all(root))(t)
			})
		}
	}
}

// A file that the operating system cannot read is no damaged one: nothing is replaced.
func TestUnreadableFiles(t *testing.T) {
	if _, err := os.ReadFile("/proc/self/mem"); !errors.Is(err, syscall.EIO) {
		t.Skipf("no file whose reading fails: %v", err)
	}
	for _, s := range slices.Concat(stores, empties) {
		whole := t.TempDir()
		s.make(t, whole)
		for _, ext := range []string{".cidx", ".meta"} {
			t.Run(fmt.Sprint(s.under, " with ", s.items, ext), func(t *testing.T) {
				root := t.TempDir()
				must.Do(t, os.CopyFS(root, os.DirFS(whole)))
				path := filepath.Join(root, s.under, s.kind[2].name+ext)
				must.Do(t, os.Remove(path))
				must.Do(t, os.Symlink("/proc/self/mem", path))
				err := s.kind.Mend(filepath.Dir(path), s.items)
				if to, linkErr := os.Readlink(path); !errors.Is(err, syscall.EIO) || linkErr != nil || to != "/proc/self/mem" {
					t.Errorf("error %v, the file is %s, %v", err, to, linkErr)
				}
			})
		}
	}
}

// What is not there, or what nothing depends on, is no damage.
func TestNothingToLose(t *testing.T) {
	root := t.TempDir()
	for _, s := range stores {
		must.Do(t, s.kind.Mend(filepath.Join(root, s.under), items))
		s.make(t, root)
		must.Do(t, os.Remove(filepath.Join(root, s.under, s.kind[0].name+".meta")))
		must.Do(t, s.kind.Mend(filepath.Join(root, s.under), 0))
	}
}
