// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ancient

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/failures"
)

// Kind is the format of a store.
type Kind []table

// The formats of go-ethereum's stores (core/rawdb/ancient_scheme.go).
var (
	Blocks = Kind{
		{name: rawdb.ChainFreezerHeaderTable},
		{name: rawdb.ChainFreezerHashTable, raw: true, size: 32},
		{name: rawdb.ChainFreezerBodiesTable, group: rawdb.ChainFreezerBlockDataGroup},
		{name: rawdb.ChainFreezerReceiptTable, group: rawdb.ChainFreezerBlockDataGroup},
		{name: rawdb.ChainFreezerBALTable, group: rawdb.ChainFreezerBALGroup, empty: true, later: true},
	}
	States = Kind{
		{name: "history.meta", raw: true, size: 73, group: rawdb.DefaultHistoryGroup},
		{name: "account.index", group: rawdb.DefaultHistoryGroup, empty: true},
		{name: "storage.index", group: rawdb.DefaultHistoryGroup, empty: true},
		{name: "account.data", group: rawdb.DefaultHistoryGroup, empty: true},
		{name: "storage.data", group: rawdb.DefaultHistoryGroup, empty: true},
	}
	Nodes = Kind{
		{name: "trienode.header", group: rawdb.DefaultHistoryGroup, empty: true},
		{name: "trienode.key", raw: true, group: rawdb.DefaultHistoryGroup},
		{name: "trienode.value", raw: true, group: rawdb.DefaultHistoryGroup},
	}
)

// Dir returns the directory of the store of blocks below that of all stores, as go-ethereum does.
func Dir(ancient string) string {
	dir := filepath.Join(ancient, rawdb.ChainFreezerName)
	if _, err := os.Stat(dir); err != nil {
		if entries, err := os.ReadDir(ancient); err == nil && len(entries) > 0 {
			return ancient // as it was before there were other stores
		}
	}
	return dir
}

// Check returns why go-ethereum would cut the store in dir below item begin, from which on the key-value store has the
// blocks or needs the states, or would not open it; nil if neither. A store that is not there has nothing to lose.
func (k Kind) Check(dir string, begin uint64) error {
	_, err := k.look(dir, begin)
	return err
}

// look reads the tables that are there. The error names the files that are damaged.
func (k Kind) look(dir string, begin uint64) (states map[string]*state, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	states = make(map[string]*state)
	found := false
	for _, t := range k {
		s := t.look(dir)
		numbers, err := t.dataFiles(dir)
		for _, err := range []error{err, s.index, s.metaErr} {
			if failures.Cure(err) != "" {
				return nil, err // it says nothing about the file
			}
		}
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(t.indexPath(dir))
		unmade := len(numbers) == 0 && (errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0)
		if unmade && (t.later || begin == 0) {
			continue // go-ethereum makes it, as it was about to when a process was killed
		}
		found = found || len(numbers) > 0 || s.index == nil
		states[t.name] = &s
	}
	if !found {
		return nil, nil // go-ethereum says that the store is elsewhere, and changes nothing
	}
	for _, t := range k {
		s := states[t.name]
		if s == nil {
			continue
		}
		if all := uint64(s.first.offset) + s.length/EntrySize; s.index == nil && all <= begin {
			s.index = fmt.Errorf("%s has items up to %d of at least %d", t.indexPath(dir), all-1, begin)
		} else if s.index == nil && s.metaErr == nil && s.items < begin {
			s.metaErr = fmt.Errorf("%s counts %d items of at least %d", t.metaPath(dir), s.items, begin)
		}
		if tail := k.tail(t, states); s.index == nil && s.metaErr == nil && s.meta.Tail > tail {
			s.metaErr = fmt.Errorf("%s hides %d items, and another table %d", t.metaPath(dir), s.meta.Tail, tail)
		}
		err = errors.Join(err, s.index, s.metaErr)
	}
	return states, err
}

// tail returns the lowest number of hidden items in the group of a table, and at least those that the table has
// dropped.
func (k Kind) tail(of table, states map[string]*state) (tail uint64) {
	if of.group == "" {
		return 0
	}
	own := states[of.name]
	if own.metaErr == nil {
		tail = own.meta.Tail
	}
	found := own.metaErr == nil
	for _, t := range k {
		if s := states[t.name]; t.group == of.group && s != nil && s.index == nil && s.metaErr == nil {
			if !found || s.meta.Tail < tail {
				tail, found = s.meta.Tail, true
			}
		}
	}
	if own.index == nil {
		tail = max(tail, uint64(own.first.offset))
	}
	return tail
}

// Mend makes index and meta files again without which go-ethereum would cut the store in dir below item begin. The
// error names what is lost; the files that are lost are left as they are.
func (k Kind) Mend(dir string, begin uint64) error {
	states, damage := k.look(dir, begin)
	if damage == nil || states == nil {
		return errors.Join(damage, forget(dir, states != nil))
	}
	total := uint64(0)
	for _, t := range k {
		if s := states[t.name]; s != nil && s.index == nil && s.metaErr == nil && (total == 0 || s.items < total) {
			total = s.items
		}
	}
	for _, t := range k {
		s := states[t.name]
		if s == nil || s.index == nil && s.metaErr == nil {
			continue
		}
		if s.index != nil {
			err := t.rebuild(dir, s, max(begin, s.least), total)
			if err != nil && t.later && failures.Cure(err) == "" {
				log.Warn("Table of the ancient store begins again, its items are empty on this chain", "table", t.name, "err", err)
				err = t.leave(dir)
			}
			if err != nil {
				return fmt.Errorf("%w: %w", damage, err)
			}
			if t.later && s.index != nil {
				continue // go-ethereum makes it
			}
			log.Warn("Index of the ancient store made again from its data", "file", t.indexPath(dir), "items", s.items,
				"kept", t.indexPath(dir)+Damaged)
		} else {
			log.Warn("Meta file of the ancient store made again", "file", t.metaPath(dir), "kept", t.metaPath(dir)+Damaged)
		}
		if err := t.writeMeta(dir, s, k.tail(t, states)); err != nil {
			return err
		}
	}
	return nil
}

// forget removes what Mend has kept of a store that is whole again.
func forget(dir string, whole bool) error {
	if !whole {
		return nil
	}
	kept, err := filepath.Glob(filepath.Join(dir, "*"+Damaged))
	for _, path := range kept {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// Restart gives the store in dir another name, and begins a new one with item begin in its place. It is for stores
// without which a chain goes on.
func (k Kind) Restart(dir string, begin uint64) error {
	if err := os.RemoveAll(dir + Damaged); err != nil { // of an earlier damage, whose start has succeeded
		return err
	}
	if err := os.Rename(dir, dir+Damaged); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // go-ethereum's
		return err
	}
	for _, t := range k {
		s := state{first: entry{0, uint32(begin)}, length: EntrySize} //nolint:gosec // bounded by the format
		for path, content := range map[string][]byte{t.dataPath(dir, 0): nil, t.indexPath(dir): s.first.append(nil)} {
			if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // go-ethereum's
				return err
			}
		}
		if err := t.writeMeta(dir, &s, begin); err != nil {
			return err
		}
	}
	return nil
}
