// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pathdb

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
)

// Bounds of what SavedLayers keeps in files. Beyond them the write buffer goes to the database, which replaces files.
const (
	maxSavedBytes = 256 << 20
	maxSavedFiles = 64
)

const (
	savedVersion = 1
	savedSuffix  = ".layers"
	savedNew     = ".new"
	checksumSize = crc32.Size
)

var savedTable = crc32.MakeTable(crc32.Castagnoli)

// SavedLayers keeps copies of the states that the database holds in memory in files, so that a process that is killed
// loses none of them. Each file has the states of consecutive layers, and goes once the database has all of them on
// disk. Its methods may be called from any goroutine.
type SavedLayers struct {
	db  *Database
	dir string

	mu    sync.Mutex
	last  common.Hash // root of the newest saved state; zero before the first save
	files []savedFile // by the ids of their last states
}

// savedFile is a file of states. Its name has the id and the root of the last one.
type savedFile struct {
	name string
	last uint64
	root common.Hash
	size int64
}

// OpenSavedLayers adds the states of the files in dir to those that the database has. dir is made with the first file.
// A damaged file is skipped, because the blocks of its states can be executed again.
func (db *Database) OpenSavedLayers(dir string) (*SavedLayers, error) {
	s := &SavedLayers{db: db, dir: dir}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the directory of saved states: %w", err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), savedNew) {
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
				return nil, fmt.Errorf("remove an unfinished file of saved states: %w", err)
			}
			continue
		}
		file, ok := parseSavedName(entry.Name())
		info, err := entry.Info()
		if err != nil || !ok || !info.Mode().IsRegular() {
			continue
		}
		file.size = info.Size()
		s.files = append(s.files, file)
	}
	slices.SortFunc(s.files, func(a, b savedFile) int { return strings.Compare(a.name, b.name) })
	if db.modifyAllowed() != nil {
		return s, nil // read only, or waiting for the state of a sync
	}
	restored := 0
	for _, file := range s.files {
		n, err := s.restore(file)
		if restored += n; err != nil {
			log.Warn("Saved states skipped, their blocks are executed again", "file", filepath.Join(dir, file.name), "err", err)
		}
	}
	if restored > 0 {
		log.Info("Saved states restored", "states", restored, "files", len(s.files))
	}
	return s, nil
}

func (f *savedFile) setName() { f.name = fmt.Sprintf("%016x-%x%s", f.last, f.root, savedSuffix) }

func parseSavedName(name string) (file savedFile, ok bool) {
	id, root, found := strings.Cut(strings.TrimSuffix(name, savedSuffix), "-")
	if _, err := fmt.Sscanf(id, "%x", &file.last); err != nil || !found {
		return file, false
	}
	file.root = common.HexToHash(root)
	file.setName()
	return file, file.name == name
}

// restore adds the states of a file whose parents are known, and returns their number.
func (s *SavedLayers) restore(file savedFile) (restored int, err error) {
	if s.db.tree.get(file.root) != nil || file.last <= rawdb.ReadPersistentStateID(s.db.diskdb) {
		return 0, nil
	}
	f, err := os.Open(filepath.Join(s.dir, file.name))
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	content, err := checkedContent(f, file.size)
	if err != nil {
		return 0, err
	}
	stream := rlp.NewStream(bufio.NewReaderSize(content, 1<<20), 0)
	if version, err := stream.Uint64(); err != nil {
		return 0, fmt.Errorf("version of the file: %w", err)
	} else if version != savedVersion {
		return 0, fmt.Errorf("version %d of the file is unknown, want %d", version, savedVersion)
	}
	for {
		layer, err := decodeSaved(stream)
		if errors.Is(err, io.EOF) {
			return restored, nil
		} else if err != nil {
			return restored, err
		}
		added, err := s.add(layer)
		if err != nil {
			return restored, err
		}
		if added {
			restored++
		}
	}
}

// add puts a state above its parent. It reports false when the parent is not known or the state already is.
func (s *SavedLayers) add(l savedLayer) (bool, error) {
	db := s.db
	db.lock.Lock()
	defer db.lock.Unlock()
	if db.tree.get(l.root) != nil || db.tree.get(l.parent) == nil {
		return false, nil
	}
	if err := db.tree.add(l.root, l.parent, l.block, l.nodes, l.states); err != nil {
		return false, err
	}
	return true, db.tree.cap(l.root, maxDiffLayers)
}

// checkedContent returns the content of a file without its checksum, which it verifies.
func checkedContent(f *os.File, size int64) (io.Reader, error) {
	if size < checksumSize {
		return nil, errors.New("the file is too short")
	}
	sum := crc32.New(savedTable)
	if _, err := io.Copy(sum, io.LimitReader(f, size-checksumSize)); err != nil {
		return nil, err
	}
	var want [checksumSize]byte
	if _, err := io.ReadFull(f, want[:]); err != nil {
		return nil, err
	}
	if binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
		return nil, errors.New("the checksum of the file is wrong")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.LimitReader(f, size-checksumSize), nil
}

// savedLayer is a state as the difference from its parent.
type savedLayer struct {
	parent, root common.Hash
	block        uint64
	nodes        *nodeSetWithOrigin
	states       *StateSetWithOrigin
}

func decodeSaved(stream *rlp.Stream) (savedLayer, error) {
	l := savedLayer{nodes: new(nodeSetWithOrigin), states: new(StateSetWithOrigin)}
	if err := stream.Decode(&l.parent); err != nil {
		return l, err // io.EOF at the end
	}
	err := errors.Join(stream.Decode(&l.root), stream.Decode(&l.block))
	if err == nil {
		err = l.nodes.decode(stream)
	}
	if err == nil {
		err = l.states.decode(stream)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return l, err
}

func (dl *diffLayer) encodeSaved(w io.Writer) error {
	for _, value := range []any{dl.parentLayer().rootHash(), dl.root, dl.block} {
		if err := rlp.Encode(w, value); err != nil {
			return err
		}
	}
	if err := dl.nodes.encode(w); err != nil {
		return err
	}
	return dl.states.encode(w)
}

// Save makes the states up to root safe from a crash, in files or in the database, and returns the bytes written to
// files. It writes the buffer of the database to disk when flush is set, when states below the newest ones have not
// been saved, and when the files reach their bound. A root that is not in memory, or saved already, needs nothing.
func (s *SavedLayers) Save(root common.Hash, flush bool) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	layers, complete := s.unsaved(root)
	if len(layers) == 0 && complete && !flush {
		return 0, nil
	}
	if flush || !complete || s.size() > maxSavedBytes || len(s.files) >= maxSavedFiles {
		if err := s.db.flush(root); err != nil {
			return 0, fmt.Errorf("write the state to the database: %w", err)
		}
		layers, _ = s.unsaved(root)
	}
	written, err := s.write(layers)
	if err != nil {
		return 0, fmt.Errorf("save the newest states in %s: %w", s.dir, err)
	}
	return written, s.drop()
}

// unsaved returns the layers below root that have not been saved, oldest first. complete is false when some below them
// have not been either.
func (s *SavedLayers) unsaved(root common.Hash) (layers []*diffLayer, complete bool) {
	defer func() { slices.Reverse(layers) }()
	for l := s.db.tree.get(root); ; {
		switch layer := l.(type) {
		case *diffLayer:
			if layer.root == s.last {
				return layers, true
			}
			layers = append(layers, layer)
			l = layer.parentLayer()
		case *diskLayer:
			return layers, layer.root == s.last || layer.id <= rawdb.ReadPersistentStateID(s.db.diskdb)
		default:
			return nil, true
		}
	}
}

// flush writes what is below the layers of root to disk, the lowest of these included, and waits for it.
func (db *Database) flush(root common.Hash) error {
	if err := db.merge(root); err != nil {
		return err
	}
	bottom := db.tree.bottom()
	bottom.lock.RLock()
	frozen := bottom.frozen
	bottom.lock.RUnlock()
	if frozen == nil {
		return nil
	}
	return frozen.waitFlush()
}

// merge merges the lowest layer of root into the database and makes the write buffer go to disk with it. With fewer
// than two layers the buffer goes with the next one, because a merge of the newest layer drops what is added above it.
func (db *Database) merge(root common.Hash) error {
	db.lock.Lock()
	defer db.lock.Unlock()
	if err := db.modifyAllowed(); err != nil {
		return err
	}
	depth := 0
	for l, ok := db.tree.get(root).(*diffLayer); ok; l, ok = l.parentLayer().(*diffLayer) {
		depth++
	}
	db.tree.bottom().flushSoon()
	if depth < 2 {
		return nil
	}
	return db.tree.cap(root, depth-1)
}

// write writes layers, oldest first, to a file.
func (s *SavedLayers) write(layers []*diffLayer) (written int64, err error) {
	if len(layers) == 0 {
		return 0, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return 0, err
	}
	newest := layers[len(layers)-1]
	file := savedFile{last: newest.id, root: newest.root}
	file.setName()
	path := filepath.Join(s.dir, file.name)
	f, err := os.OpenFile(path+savedNew, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	w := &summed{buffer: bufio.NewWriterSize(f, 1<<20), sum: crc32.New(savedTable)}
	err = rlp.Encode(w, uint64(savedVersion))
	for _, layer := range layers {
		if err == nil {
			err = layer.encodeSaved(w)
		}
	}
	if err == nil {
		_, err = w.Write(binary.BigEndian.AppendUint32(nil, w.sum.Sum32()))
	}
	if err == nil {
		err = w.buffer.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, errors.Join(err, os.Remove(path+savedNew))
	}
	if err := os.Rename(path+savedNew, path); err != nil {
		return 0, err
	}
	file.size, s.last = w.size, newest.root
	s.files = slices.DeleteFunc(s.files, func(old savedFile) bool { return old.name == file.name })
	s.files = append(s.files, file)
	return file.size, syncDir(s.dir)
}

// summed counts bytes and sums them up.
type summed struct {
	buffer *bufio.Writer
	sum    hash.Hash32
	size   int64
}

// Write implements io.Writer.
func (w *summed) Write(p []byte) (int, error) {
	n, err := w.buffer.Write(p)
	w.size += int64(n)
	_, _ = w.sum.Write(p[:n]) // never fails
	return n, err
}

// drop removes the files whose states are all on disk.
func (s *SavedLayers) drop() (err error) {
	onDisk := rawdb.ReadPersistentStateID(s.db.diskdb)
	s.files = slices.DeleteFunc(s.files, func(file savedFile) bool {
		if file.last > onDisk {
			return false
		}
		remove := os.Remove(filepath.Join(s.dir, file.name))
		if errors.Is(remove, fs.ErrNotExist) {
			remove = nil
		}
		err = errors.Join(err, remove)
		return remove == nil
	})
	return err
}

func (s *SavedLayers) size() (sum int64) {
	for _, file := range s.files {
		sum += file.size
	}
	return sum
}
