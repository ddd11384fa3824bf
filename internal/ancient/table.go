// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ancient

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/atomicfile"
)

// OldVersion is that of a meta file without Flushed, as go-stablenet writes it: all of the index counts.
const OldVersion = 1

const (
	// EntrySize is the size in bytes of an entry of an index.
	EntrySize   = 6
	metaSize    = 32 // of a meta file, padded with zeros
	metaVersion = 2
	readBuffer  = 1 << 20
)

// Damaged ends the names of what was replaced.
const Damaged = ".damaged"

// table is one of a store.
type table struct {
	name  string
	raw   bool   // items are not compressed
	size  int64  // bytes of each item; 0 for items of different sizes
	group string // of tables whose oldest items are dropped together; empty for a table that keeps all
	empty bool   // items may be empty
	later bool   // added to the format later, so that a store may lack it
}

// entry is an entry of an index: the end of an item in a data file. The first one has the number of the first data file
// and the count of the items dropped before it.
type entry struct{ file, offset uint32 }

func (e entry) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(e.file)) //nolint:gosec // the format's, read from one
	return binary.BigEndian.AppendUint32(b, e.offset)
}

// meta is the content of a meta file.
type meta struct {
	Version uint16
	Tail    uint64 // items hidden or dropped at the beginning
	Flushed uint64 // bytes of the index that are safe on disk
}

// state is what the files of a table say.
type state struct {
	first   entry
	items   uint64 // numbered from 0, the dropped ones included
	length  uint64 // bytes of the index
	meta    meta
	index   error  // why the index cannot be used as it is; nil for a sound one
	least   uint64 // items of an index that ends beyond its data: with fewer it is the data that is damaged
	metaErr error  // likewise
}

func (t table) path(dir, ext string) string { return filepath.Join(dir, t.name+ext) }

func (t table) indexPath(dir string) string {
	if t.raw {
		return t.path(dir, ".ridx")
	}
	return t.path(dir, ".cidx")
}

func (t table) dataPath(dir string, number uint32) string {
	ext := ".cdat"
	if t.raw {
		ext = ".rdat"
	}
	return t.path(dir, fmt.Sprintf(".%04d%s", number, ext))
}

func (t table) metaPath(dir string) string { return t.path(dir, ".meta") }

// dataFiles returns the numbers of the data files in their order.
func (t table) dataFiles(dir string) (numbers []uint32, err error) {
	paths, err := filepath.Glob(t.dataPath(dir, 0)[:len(t.path(dir, "."))] + "*.?dat")
	for _, path := range paths {
		text, _, _ := strings.Cut(filepath.Base(path)[len(t.name)+1:], ".")
		number, err := strconv.ParseUint(text, 10, 16)
		if err == nil && t.dataPath(dir, uint32(number)) == path {
			numbers = append(numbers, uint32(number))
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// look reads index and meta file as go-ethereum does, and changes nothing.
func (t table) look(dir string) (s state) {
	s.index = t.readIndex(dir, &s)
	s.metaErr = readMeta(t.metaPath(dir), &s.meta)
	switch {
	case s.metaErr != nil || s.index != nil:
	case t.group == "" && s.meta.Tail != 0, s.meta.Tail > s.items:
		s.metaErr = fmt.Errorf("%s hides %d of %d items", t.metaPath(dir), s.meta.Tail, s.items)
	case uint64(s.first.offset) > s.meta.Tail && s.meta.Version != OldVersion:
		s.index = fmt.Errorf("%s begins with item %d, and item %d is there", t.indexPath(dir), s.first.offset, s.meta.Tail)
	case s.meta.Flushed%EntrySize != 0:
		s.metaErr = fmt.Errorf("%s counts %d bytes of an index, want a multiple of %d", t.metaPath(dir), s.meta.Flushed,
			EntrySize)
	case s.meta.Flushed < s.length && s.meta.Version != OldVersion:
		// After a crash that is so for items that the key-value store still has.
		s.items = uint64(s.first.offset) + max(s.meta.Flushed/EntrySize, 1) - 1
	}
	return s
}

// Index is what the index of a table says.
type Index struct {
	Name       string // of the table
	Path       string
	First, End uint64 // items; those before First were dropped
}

// Indices returns the sound indices of all tables in a directory. The error names one that is not sound.
func Indices(dir string) (list []Index, err error) {
	for _, suffix := range []string{".cidx", ".ridx"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			t := table{
				name: strings.TrimSuffix(filepath.Base(path), suffix), raw: suffix == ".ridx", group: "any", empty: true,
			}
			var s state
			if err := t.readIndex(dir, &s); err != nil {
				return nil, err
			}
			list = append(list, Index{t.name, path, uint64(s.first.offset), s.items})
		}
	}
	return list, nil
}

// Position returns data file and offset at which an item begins, or ends where it is the last one of its file.
func (x *Index) Position(item uint64) (file, offset uint64, err error) {
	index, err := os.Open(x.Path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = index.Close() }()
	var b [EntrySize]byte
	if _, err := index.ReadAt(b[:], int64((item-x.First)*EntrySize)); err != nil { //nolint:gosec // below the file's size
		return 0, 0, fmt.Errorf("read %s: %w", x.Path, err)
	}
	e := entry{uint32(binary.BigEndian.Uint16(b[:])), binary.BigEndian.Uint32(b[2:])}
	if item == x.First {
		e.offset = 0
	}
	return uint64(e.file), uint64(e.offset), nil
}

// readMeta reads a meta file.
func readMeta(path string, m *meta) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if _, rest, err := rlp.SplitList(content); err == nil {
		content = content[:len(content)-len(rest)]
	}
	old := struct {
		Version uint16
		Tail    uint64
	}{}
	if rlp.DecodeBytes(content, &old) == nil && old.Version == OldVersion {
		*m = meta{OldVersion, old.Tail, 0}
		return nil
	}
	if err := rlp.DecodeBytes(content, m); err != nil || m.Version != metaVersion {
		return errors.Join(fmt.Errorf("%s has no metadata of a known version, it says %d", path, m.Version), err)
	}
	return nil
}

// ReadMeta returns version and tail, the number of items hidden or dropped at the beginning, of a meta file.
func ReadMeta(path string) (version uint16, tail uint64, err error) {
	var m meta
	err = readMeta(path, &m)
	return m.Version, m.Tail, err
}

// readIndex reads an index whose entries have to be in order. Earlier data files have to be as long as it says, and the
// last item has to be where it says.
func (t table) readIndex(dir string, s *state) error {
	path := t.indexPath(dir)
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var before, last entry
	count := uint64(0)
	for buffer := make([]byte, readBuffer-readBuffer%EntrySize); ; {
		n, err := io.ReadFull(file, buffer)
		whole, ended := n-n%EntrySize, errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if n > whole || err != nil && !ended {
			return fmt.Errorf("%s ends inside of entry %d: %w", path, count+uint64(whole/EntrySize), err)
		}
		for b := buffer[:n]; len(b) > 0; b, count = b[EntrySize:], count+1 {
			next := entry{uint32(binary.BigEndian.Uint16(b)), binary.BigEndian.Uint32(b[2:])}
			switch {
			case count == 0:
				s.first, before, last = next, entry{next.file, 0}, entry{next.file, 0}
				continue
			case next.file == last.file && next.offset >= last.offset:
				before = last
			case next.file == last.file+1 && next.offset > 0:
				if err := t.checkLength(dir, last); err != nil {
					size, sizeErr := file.Seek(0, io.SeekEnd)
					s.least = uint64(s.first.offset) + uint64(size/EntrySize) - 1 //nolint:gosec // it has two entries
					return errors.Join(err, sizeErr)
				}
				before = entry{next.file, 0}
			default:
				return fmt.Errorf("entry %d of %s, %v, does not follow %v", count, path, next, last)
			}
			last = next
		}
		if ended {
			break
		}
	}
	if count == 0 {
		return fmt.Errorf("%s is empty", path)
	}
	if t.group == "" && s.first.offset != 0 {
		return fmt.Errorf("%s begins with item %d", path, s.first.offset)
	}
	s.items, s.length = uint64(s.first.offset)+count-1, count*EntrySize
	if count == 1 {
		return t.checkFirst(dir, s.first)
	}
	return t.checkItem(dir, before, last)
}

// checkFirst refuses an index without items whose data file is not there where others are. go-ethereum makes the first
// one.
func (t table) checkFirst(dir string, first entry) error {
	numbers, err := t.dataFiles(dir)
	if err == nil && len(numbers) > 0 && !slices.Contains(numbers, first.file) {
		err = fmt.Errorf("%s, which %s begins with, is missing", t.dataPath(dir, first.file), t.indexPath(dir))
	}
	return err
}

// checkLength refuses a data file that is shorter than its items. A program that has the same file by a hard link may
// have cut it.
func (t table) checkLength(dir string, end entry) error {
	if end.offset == 0 {
		return nil // no item is in it
	}
	info, err := os.Stat(t.dataPath(dir, end.file))
	if err == nil && info.Size() < int64(end.offset) {
		err = fmt.Errorf("%s has %d bytes, and its items end at %d", t.dataPath(dir, end.file), info.Size(), end.offset)
	}
	return err
}

// checkItem refuses an item that does not end where the index says.
func (t table) checkItem(dir string, begin, end entry) error {
	file, err := os.Open(t.dataPath(dir, end.file))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(int64(begin.offset), io.SeekStart); err != nil {
		return err
	}
	want := int64(end.offset) - int64(begin.offset)
	var length int64
	if t.raw && t.size == 0 {
		length, err = io.CopyN(io.Discard, file, want)
	} else {
		length, err = t.skip(bufio.NewReader(io.LimitReader(file, want)))
	}
	if err == nil && length != want {
		err = fmt.Errorf("it has %d bytes", length)
	}
	if err != nil {
		return fmt.Errorf("the last item, from %d to %d in %s: %w", begin.offset, end.offset, file.Name(), err)
	}
	return nil
}

// errPart is the error of bytes that are no whole item, as a crash leaves at the end of a file.
var errPart = errors.New("no whole item")

// skip reads an item and returns its length; io.EOF where the file ends.
func (t table) skip(r *bufio.Reader) (int64, error) {
	if _, err := r.Peek(1); err != nil {
		return 0, err
	}
	if t.size == 0 {
		return skipSnappy(r, t.empty)
	}
	n, err := r.Discard(int(t.size))
	if errors.Is(err, io.EOF) {
		err = errPart
	}
	return int64(n), err
}

// Elements of a compressed item by the low bits of their first byte.
const (
	snappyLiteral = 0
	snappyCopy1   = 1
	snappyCopy2   = 2
)

// skipSnappy reads an item in snappy's block format, which says how many bytes it stands for, and returns its length.
func skipSnappy(r *bufio.Reader, mayBeEmpty bool) (length int64, err error) {
	defer func() {
		if errors.Is(err, io.EOF) {
			err = errPart
		}
	}()
	read := func(n int) (value uint64, err error) {
		for i := range n {
			b, err := r.ReadByte()
			if err != nil {
				return 0, err
			}
			value |= uint64(b) << (8 * i)
			length++
		}
		return value, nil
	}
	size, b := uint64(0), uint64(0x80)
	for shift := 0; b >= 0x80; shift += 7 {
		if b, err = read(1); err != nil {
			return length, err
		}
		size |= b & 0x7f << shift
	}
	if size > math.MaxUint32 || size == 0 && !mayBeEmpty {
		return length, errPart
	}
	for done := uint64(0); done < size; {
		tag, err := read(1)
		if err != nil {
			return length, err
		}
		count, offset := tag>>2+1, 0
		switch tag & 3 {
		case snappyLiteral:
			if wide := int(tag>>2) - 59; wide > 0 { //nolint:gosec // six bits
				if count, err = read(wide); err != nil {
					return length, err
				}
				count++
			}
			n, err := r.Discard(int(min(count, size))) //nolint:gosec // 32 bits
			if length += int64(n); err != nil {
				return length, err
			}
		case snappyCopy1:
			count, offset = tag>>2&7+4, 1
		case snappyCopy2:
			offset = 2
		default:
			offset = 4
		}
		if _, err := read(offset); err != nil {
			return length, err
		}
		if done += count; done > size {
			return length, errPart
		}
	}
	return length, nil
}

// rebuild makes the index again from the data. total is the number of items of the whole tables of the store, zero if
// there are none. The result has at least begin items, or nothing is changed.
func (t table) rebuild(dir string, s *state, begin, total uint64) error {
	numbers, err := t.dataFiles(dir)
	if err != nil {
		return err
	}
	if len(numbers) == 0 {
		return fmt.Errorf("%s is missing", t.dataPath(dir, 0))
	}
	if t.raw && t.size == 0 {
		return fmt.Errorf("the data of %s does not tell where items end", t.indexPath(dir))
	}
	made := state{first: entry{file: numbers[0]}, meta: s.meta, metaErr: s.metaErr}
	known := t.group == "" ||
		s.length > 0 && s.first.file == numbers[0] && s.metaErr == nil && uint64(s.first.offset) <= s.meta.Tail
	most := uint64(math.MaxUint64)
	if known {
		if t.group != "" {
			made.first.offset = s.first.offset
		}
		if total > 0 {
			most = total - min(total, uint64(made.first.offset))
		}
	}
	path := t.indexPath(dir) + ".new"
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) //nolint:gosec // go-ethereum's
	if err != nil {
		return err
	}
	err = t.writeIndex(dir, file, numbers, &made, most)
	count := made.length/EntrySize - 1
	switch {
	case err != nil:
	case known:
		made.items = uint64(made.first.offset) + count
	case total < count:
		err = fmt.Errorf("no whole table tells the number of the first of the %d items of %s", count, t.name)
	default:
		made.items, made.first.offset = total, uint32(total-count) //nolint:gosec // bounded by the format
		_, err = file.WriteAt(made.first.append(nil), 0)
	}
	if err == nil && made.items < begin {
		err = fmt.Errorf("%s ends with item %d of at least %d", t.dataPath(dir, numbers[len(numbers)-1]), made.items, begin)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	if err := keep(t.indexPath(dir)); err != nil {
		return err
	}
	*s = made
	return atomicfile.Replace(path, t.indexPath(dir))
}

// writeIndex writes the index of the items in data files, up to a number. Behind the last whole item the last file may
// have a part of one, which a crash left.
func (t table) writeIndex(dir string, file *os.File, numbers []uint32, made *state, most uint64) error {
	w := bufio.NewWriterSize(file, readBuffer)
	if _, err := w.Write(made.first.append(nil)); err != nil {
		return err
	}
	made.length = EntrySize
	for i, number := range numbers {
		if number != numbers[0]+uint32(i) { //nolint:gosec // a few files
			return fmt.Errorf("%s is missing", t.dataPath(dir, numbers[0]+uint32(i))) //nolint:gosec // likewise
		}
		data, err := os.Open(t.dataPath(dir, number))
		if err != nil {
			return err
		}
		r, end, length := bufio.NewReaderSize(data, readBuffer), int64(0), int64(0)
		for err == nil && made.length/EntrySize <= most {
			if length, err = t.skip(r); err != nil {
				break
			}
			end += length
			made.length += EntrySize
			_, err = w.Write(entry{number, uint32(end)}.append(nil)) //nolint:gosec // a data file has less than 4 GB
		}
		if errors.Is(err, io.EOF) || errors.Is(err, errPart) && i == len(numbers)-1 {
			err = nil
		}
		if err = errors.Join(err, data.Close()); err != nil {
			return fmt.Errorf("item at %d of %s: %w", end, data.Name(), err)
		}
	}
	return w.Flush()
}

// leave gives the files of a table other names, so that it is not there.
func (t table) leave(dir string) error {
	numbers, err := t.dataFiles(dir)
	for _, number := range numbers {
		err = errors.Join(err, keep(t.dataPath(dir, number)))
	}
	return errors.Join(err, keep(t.indexPath(dir)), keep(t.metaPath(dir)))
}

// writeMeta makes the meta file again.
func (t table) writeMeta(dir string, s *state, tail uint64) error {
	content, err := rlp.EncodeToBytes(meta{metaVersion, tail, s.length})
	if err != nil {
		return err
	}
	if err := keep(t.metaPath(dir)); err != nil {
		return err
	}
	return atomicfile.Write(t.metaPath(dir), append(content, make([]byte, metaSize-len(content))...), 0o644)
}

// keep gives a file that is replaced another name. The file that is kept already is an older one, and stays.
func keep(path string) error {
	if _, err := os.Lstat(path + Damaged); err == nil {
		return nil
	}
	if err := os.Rename(path, path+Damaged); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
