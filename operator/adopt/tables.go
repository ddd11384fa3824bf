// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/ancient"
	"gwon/internal/atomicfile"
)

// A table of the ancient store has an index, data files with numbers, and metadata. An entry of the index is the number
// of a data file in two bytes and the end of an item in it in four. The first entry has the file of the first item and
// the number of items that were dropped before it.
const (
	entrySize    = 6
	metaSuffix   = ".meta"
	maxTableFile = 2_000_000_000 // bytes of a data file
)

// dataFile returns table and number of a data file of the ancient store by its name.
func dataFile(name string) (table string, number uint64, ok bool) {
	base, suffix := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
	if suffix != ".cdat" && suffix != ".rdat" {
		return "", 0, false
	}
	i := strings.LastIndexByte(base, '.')
	if i < 0 {
		return "", 0, false
	}
	if _, err := fmt.Sscanf(base[i+1:], "%d", &number); err != nil {
		return "", 0, false
	}
	return base[:i], number, true
}

// table is the index of a table.
type table struct {
	name   string
	path   string // of the index
	first  uint64 // item
	length uint64 // items with those that were dropped
}

// readTables reads the indices of the tables in a directory.
func readTables(dir string) (list []table, err error) {
	for _, suffix := range []string{".cidx", ".ridx"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			t := table{name: strings.TrimSuffix(filepath.Base(path), suffix), path: path}
			_, dropped, err := t.entry(0)
			if err != nil {
				return nil, err
			}
			info, err := os.Stat(path)
			if err != nil {
				return nil, err
			}
			t.first = dropped
			t.length = dropped + uint64(info.Size()/entrySize) - 1
			list = append(list, t)
		}
	}
	return list, nil
}

// entry reads an entry of the index.
func (t *table) entry(position uint64) (file, offset uint64, err error) {
	index, err := os.Open(t.path)
	if err != nil {
		return 0, 0, err
	}
	defer index.Close() //nolint:errcheck // read only
	var entry [entrySize]byte
	if _, err := index.ReadAt(entry[:], int64(position*entrySize)); err != nil && err != io.EOF {
		return 0, 0, fmt.Errorf("read %s: %w", t.path, err)
	}
	return uint64(binary.BigEndian.Uint16(entry[:])), uint64(binary.BigEndian.Uint32(entry[2:])), nil
}

// fullFiles returns, by the name of its table, the number of the first data file that a program may still change: items
// are appended to the last one, and a table that a crash left longer than another is cut to that.
func fullFiles(dir string) (map[string]uint64, error) {
	list, err := readTables(dir)
	if err != nil {
		return nil, err
	}
	common := uint64(math.MaxUint64)
	for _, t := range list {
		if t.length > 0 {
			common = min(common, t.length)
		}
	}
	full := make(map[string]uint64)
	for _, t := range list {
		position := uint64(0)
		if common > t.first && t.length > 0 {
			position = common - t.first
		}
		if full[t.name], _, err = t.entry(position); err != nil {
			return nil, err
		}
	}
	return full, nil
}

// chainTables returns the directory of the chain in an ancient store.
func chainTables(ancient string) string {
	dir := filepath.Join(ancient, rawdb.ChainFreezerName)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	return ancient // as programs made it before 2023
}

// oldMetadata gives the tables of an ancient store the metadata of go-stablenet: version and number of items that were
// dropped.
func oldMetadata(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, metaSuffix) {
			return err
		}
		_, tail, err := ancient.ReadMeta(path)
		if err != nil {
			return err
		}
		return writeMetadata(path, tail)
	})
}

// writeMetadata writes the metadata of a table as go-stablenet does.
func writeMetadata(path string, tail uint64) error {
	encoded, err := rlp.EncodeToBytes([]uint64{ancient.OldVersion, tail})
	if err != nil {
		return err
	}
	return atomicfile.Write(path, encoded, 0o600)
}

// extendDifficulties adds to go-stablenet's table of total difficulties the blocks that gwon has moved to the ancient
// store. A directory without the table gets it.
func extendDifficulties(dir string) error {
	list, err := readTables(dir)
	if err != nil {
		return err
	}
	var have, want table
	for _, t := range list {
		switch t.name {
		case oldDifficulties:
			have = t
		case rawdb.ChainFreezerHashTable:
			want = t
		}
	}
	kept, file, end := uint64(0), uint64(0), uint64(0)
	if have.path == "" {
		have.path = filepath.Join(dir, oldDifficulties+".ridx")
		if err := errors.Join(
			writeAt(have.path, 0, make([]byte, entrySize)), writeMetadata(filepath.Join(dir, oldDifficulties+metaSuffix), 0),
		); err != nil {
			return err
		}
	} else if kept = min(have.length, want.length) - have.first; kept > 0 { // a crash may have left one of them longer
		if file, end, err = have.entry(kept); err != nil {
			return err
		}
	}
	var index, data []byte
	for number := have.first + kept; number < want.length; number++ {
		data = append(data, difficulty(number)...)
		index = binary.BigEndian.AppendUint16(index, uint16(file))
		index = binary.BigEndian.AppendUint32(index, uint32(end+uint64(len(data))))
	}
	if end+uint64(len(data)) > maxTableFile {
		return fmt.Errorf("the total difficulties of %d blocks do not fit in a file: sync go-stablenet again", want.length)
	}
	name := fmt.Sprintf("%s.%04d.rdat", oldDifficulties, file)
	return errors.Join(writeAt(filepath.Join(dir, name), end, data), writeAt(have.path, (kept+1)*entrySize, index))
}

// writeAt gives a file, which is made where it is absent, a new end.
func writeAt(path string, offset uint64, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = file.Truncate(int64(offset))
	if err == nil {
		_, err = file.WriteAt(content, int64(offset))
	}
	return errors.Join(err, file.Sync(), file.Close())
}
