// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt

import (
	"encoding/binary"
	"errors"
	"fmt"
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

const (
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

// fullFiles returns, by the name of its table, the number of the first data file that a program may still change: items
// are appended to the last one, and a table that a crash left longer than another is cut to that.
func fullFiles(dir string) (map[string]uint64, error) {
	list, err := ancient.Indices(dir)
	if err != nil {
		return nil, fmt.Errorf("the ancient store is damaged: start the program of that directory, which mends it, and stop "+
			"it with a signal before: %w", err)
	}
	common := uint64(math.MaxUint64)
	for _, t := range list {
		if t.End > 0 {
			common = min(common, t.End)
		}
	}
	full := make(map[string]uint64)
	for _, t := range list {
		if full[t.Name], _, err = t.Position(min(max(common, t.First), t.End)); err != nil {
			return nil, err
		}
	}
	return full, nil
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
	list, err := ancient.Indices(dir)
	if err != nil {
		return err
	}
	var have, want ancient.Index
	for _, t := range list {
		switch t.Name {
		case oldDifficulties:
			have = t
		case rawdb.ChainFreezerHashTable:
			want = t
		}
	}
	file, end, number := uint64(0), uint64(0), uint64(0)
	if have.Path == "" {
		have.Path = filepath.Join(dir, oldDifficulties+".ridx")
		if err := errors.Join(
			writeAt(have.Path, 0, make([]byte, ancient.EntrySize)),
			writeMetadata(filepath.Join(dir, oldDifficulties+metaSuffix), 0),
		); err != nil {
			return err
		}
	} else {
		number = min(have.End, want.End) // a crash may have left one of them longer
		if file, end, err = have.Position(number); err != nil {
			return err
		}
	}
	offset := (number - have.First + 1) * ancient.EntrySize
	var index, data []byte
	for ; number < want.End; number++ {
		data = append(data, difficulty(number)...)
		index = binary.BigEndian.AppendUint16(index, uint16(file))
		index = binary.BigEndian.AppendUint32(index, uint32(end+uint64(len(data))))
	}
	if end+uint64(len(data)) > maxTableFile {
		return fmt.Errorf("the total difficulties of %d blocks do not fit in a file: sync go-stablenet again", want.End)
	}
	name := fmt.Sprintf("%s.%04d.rdat", oldDifficulties, file)
	return errors.Join(writeAt(filepath.Join(dir, name), end, data), writeAt(have.Path, offset, index))
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
