// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/atomicfile"
	"gwon/internal/progress"
)

// piece is a file that is taken over.
type piece struct {
	from, to string
	size     uint64
	fixed    bool // no program changes it, so that both may have the same file
}

// transfer takes files over from one directory to another.
type transfer struct {
	pieces []piece
	meter  *progress.Meter
	free   func(dir string) (uint64, error)

	clones, links, copies int
	copied                uint64 // bytes
}

// addKeyValues adds the files of a key-value store. Its sorted tables never change; a program deletes them.
func (t *transfer) addKeyValues(from, to string) error {
	entries, err := os.ReadDir(from)
	for _, e := range entries {
		if err == nil && !isLock(e.Name()) {
			suffix := filepath.Ext(e.Name())
			err = t.add(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()), suffix == ".sst" || suffix == ".ldb")
		}
	}
	return err
}

// addTables adds the files of the ancient store of a chain: those of one table, or all but those of that table. The
// directory may have none.
func (t *transfer) addTables(from, to, table string, only bool) error {
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.IsDir() || isLock(e.Name()) || strings.HasPrefix(e.Name(), table+".") != only
	})
	if len(entries) == 0 {
		return nil
	}
	full, err := fullFiles(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		of, number, isData := dataFile(e.Name())
		fixed := isData && number < full[of]
		if err := t.add(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()), fixed); err != nil {
			return err
		}
	}
	return nil
}

func isLock(name string) bool { return name == "LOCK" || name == "FLOCK" }

// add adds a file. What a symbolic link names is copied: a program may make another file in its place. A directory is
// no part of a store.
func (t *transfer) add(from, to string, fixed bool) error {
	info, err := os.Lstat(from)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		fixed = false
		info, err = os.Stat(from)
	}
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file: move it away", from)
	}
	t.pieces = append(t.pieces, piece{from, to, uint64(info.Size()), fixed})
	return nil
}

// run takes the files over, and makes them durable. It writes nothing before it has seen that there is room.
func (t *transfer) run(ctx context.Context, dir string) error {
	for _, p := range t.pieces {
		if err := os.MkdirAll(filepath.Dir(p.to), 0o700); err != nil {
			return err
		}
	}
	need, err := t.need(dir)
	if err != nil {
		return err
	}
	free, err := t.free(dir)
	if err != nil {
		return fmt.Errorf("ask for the free space of %s: %w", dir, err)
	}
	if need > free {
		return fmt.Errorf("%v have to be copied to %s, whose disk has %v: free some, or name a directory on the disk of "+
			"the old one, where most files are shared", common.StorageSize(need), dir, common.StorageSize(free))
	}
	t.meter.Begin("Taking over files", need)
	defer t.meter.End()
	directories := make(map[string]bool)
	for _, p := range t.pieces {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.take(ctx, p); err != nil {
			return fmt.Errorf("take over %s: %w", p.from, err)
		}
		for at := filepath.Dir(p.to); len(at) >= len(dir); at = filepath.Dir(at) {
			directories[at] = true
		}
	}
	for at := range directories {
		if err := atomicfile.SyncDirectory(at); err != nil {
			return err
		}
	}
	return nil
}

// need returns the bytes that are copied, by what the disk can do with one of the files.
func (t *transfer) need(dir string) (need uint64, err error) {
	probe := filepath.Join(dir, "probe")
	linked, tried := false, false
	for _, p := range t.pieces {
		if p.fixed && !tried {
			tried = true
			if newFile(p.from, probe, clone) == nil {
				return 0, os.Remove(probe)
			}
			if linked = os.Link(p.from, probe) == nil; linked {
				err = os.Remove(probe)
			}
		}
		if !p.fixed || !linked {
			need += p.size
		}
	}
	return need, err
}

// take takes one file over.
func (t *transfer) take(ctx context.Context, p piece) error {
	if newFile(p.from, p.to, clone) == nil {
		t.clones++
		return nil
	}
	if p.fixed && os.Link(p.from, p.to) == nil {
		t.links++
		return nil
	}
	t.copies++
	t.copied += p.size
	return newFile(p.from, p.to, func(target, source *os.File) error { return t.copy(ctx, target, source) })
}

// newFile makes a file from another one. After an error there is none.
func newFile(from, to string, fill func(target, source *os.File) error) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // read only
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = fill(target, source); err == nil {
		err = target.Sync()
	}
	if err = errors.Join(err, target.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// copy writes the content of a file to another one.
func (t *transfer) copy(ctx context.Context, target, source *os.File) error {
	buffer := make([]byte, 1<<20)
	for {
		n, err := source.Read(buffer)
		if _, err := target.Write(buffer[:n]); err != nil {
			return err
		}
		t.meter.Add(n)
		t.meter.At(t.meter.State().Bytes)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
}
