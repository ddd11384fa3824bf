// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/gofrs/flock"

	"gwon/consensus/finality"
	"gwon/internal/atomicfile"
)

const (
	// MaxStore bounds the bytes of a store, in memory and on disk.
	MaxStore = 256 << 20

	storeName = "proven.rlp"
	proofName = "newest.rlp" // of a store with a bound for the memory: one proof
	lockName  = "LOCK"
)

// ErrFull means that the store has no room left.
var ErrFull = errors.New("the store is full")

// kind is what a record of the store holds. The numbers are stored.
type kind uint8

const (
	kindProof     kind = iota + 1 // JSON of a finality.Proof, by its own hash
	kindNode                      // RLP of a placed, by the hash of the node
	kindCode                      // the code itself
	kindAncestors                 // RLP of a header
	kindBody                      // RLP of transactions, by their root
	kindReceipts                  // RLP of receipts as their root has them, by that root
)

// record is an entry of the store. Every content proves itself by hashes or seals, so that the file is not trusted.
type record struct {
	Kind    kind
	Content []byte
}

// key is the hash by which a content of a kind is found.
type key struct {
	kind kind
	hash common.Hash
}

// open returns the hash of the content and what is held of it.
func (r record) open() (hash common.Hash, held any, err error) {
	switch r.Kind {
	case kindProof:
		held, err = finality.Decode(bytes.NewReader(r.Content))
		return crypto.Keccak256Hash(r.Content), held, err
	case kindNode:
		var node placed
		err = rlp.DecodeBytes(r.Content, &node)
		return crypto.Keccak256Hash(node.Blob), node, err
	case kindCode:
		return crypto.Keccak256Hash(r.Content), r.Content, nil
	case kindAncestors:
		header := new(types.Header)
		err = rlp.DecodeBytes(r.Content, header)
		return header.Hash(), header, err
	case kindBody:
		var txs types.Transactions
		err = rlp.DecodeBytes(r.Content, &txs)
		return types.DeriveSha(txs, trie.NewStackTrie(nil)), txs, err
	case kindReceipts: // decoded ones have eight times as many bytes
		var list types.Receipts
		err = rlp.DecodeBytes(r.Content, &list)
		return types.DeriveSha(list, trie.NewStackTrie(nil)), r.Content, err
	}
	return hash, nil, fmt.Errorf("unknown kind %d", r.Kind)
}

// store holds what was proven, in memory and in an append-only file. It is safe for concurrent use.
type store struct {
	dir  string
	name string       // of the file
	most int          // bytes that are held, 0 for MaxStore and no more
	lock *flock.Flock // nil without file, or where another process writes it
	file *os.File     // nil without lock

	mu       sync.RWMutex
	size     int
	held     map[key]any
	proofs   []*finality.Proof // in order, because later ones start from blocks of earlier ones
	warnOnce sync.Once
}

// openStore reads the store of a chain below a directory. The record that a kill has cut off is dropped.
func openStore(options Options) (*store, error) {
	s := &store{name: storeName, most: options.Memory, held: make(map[key]any)}
	if s.most > 0 {
		s.name = proofName
	}
	if options.Dir == "" {
		return s, nil
	}
	genesis := cmp.Or(options.Genesis, options.Trusted.Hash)
	s.dir = filepath.Join(options.Dir, fmt.Sprintf("%v-%x", options.Config.ChainID, genesis[:4]))
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the store: %w", err)
	}
	if found, err := filepath.Glob(filepath.Join(s.dir, "conflict-*.json")); err != nil || len(found) > 0 {
		return nil, fmt.Errorf("%w: %v holds the proofs: report it to the operators of the network, and take the file away "+
			"to go on", ErrConflict, found)
	}
	lock := flock.New(filepath.Join(s.dir, lockName))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the store %s: %w", s.dir, err)
	}
	end, err := s.load()
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if !locked {
		log.Info("Store is written by another process and only read here", "dir", s.dir)
		return s, nil
	}
	s.lock = lock
	if s.file, err = os.OpenFile(filepath.Join(s.dir, s.name), os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("open the store: %w", err), lock.Close())
	}
	err = s.file.Truncate(end)
	if err == nil {
		_, err = s.file.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("continue the store: %w", err), s.close())
	}
	return s, nil
}

// load reads the file up to the first record that cannot be read, and returns where that is.
func (s *store) load() (end int64, err error) {
	content, err := os.ReadFile(filepath.Join(s.dir, s.name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the store: %w", err)
	}
	rest := content
	for len(rest) > 0 {
		_, _, behind, err := rlp.Split(rest)
		if err != nil {
			break
		}
		var r record
		if err := rlp.DecodeBytes(rest[:len(rest)-len(behind)], &r); err != nil || s.take(r) != nil {
			break
		}
		rest = behind
	}
	return int64(len(content) - len(rest)), nil
}

// take puts a record into the memory. The lock is held, or the store is new.
func (s *store) take(r record) error {
	if s.size+len(r.Content) > MaxStore {
		return ErrFull
	}
	hash, held, err := r.open()
	if err != nil {
		return err
	}
	if proof, is := held.(*finality.Proof); is {
		s.proofs = append(s.proofs, proof)
	}
	s.held[key{r.Kind, hash}] = held
	s.size += len(r.Content)
	return nil
}

// add stores values of one kind that are not there, in one write. A store with a bound that has no room for them
// forgets what it has. A full disk costs the file and not the answer.
func add[T any](s *store, k kind, values ...T) error {
	var records []record
	size := 0
	for _, value := range values {
		content, err := encoded(k, value)
		if err != nil {
			return err
		}
		records = append(records, record{k, content})
		size += len(content)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 && s.size+size > s.most {
		s.held, s.size = make(map[key]any), 0
	}
	var out bytes.Buffer
	for _, r := range records {
		before := len(s.held)
		if err := s.take(r); errors.Is(err, ErrFull) {
			return fmt.Errorf("%w: %d bytes of proven state are held: choose a newer block or another directory", err, MaxStore)
		} else if err != nil {
			return err
		}
		if len(s.held) == before { // it was there
			s.size -= len(r.Content)
		} else if err := rlp.Encode(&out, r); err != nil {
			return fmt.Errorf("encode a record: %w", err)
		}
	}
	if s.file == nil || s.most > 0 {
		return nil
	}
	return s.write(out.Bytes())
}

// encoded returns the content of a record with a value.
func encoded(k kind, value any) (content []byte, err error) {
	switch k {
	case kindProof:
		content, err = json.Marshal(value)
	case kindCode:
		content, _ = value.([]byte)
	default:
		content, err = rlp.EncodeToBytes(value)
	}
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", value, err)
	}
	return content, nil
}

// get returns what is held of a kind by a hash, nothing where the store has none.
func get[T any](s *store, k kind, hash common.Hash) (T, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	value, found := s.held[key{k, hash}].(T)
	return value, found
}

// write appends to the file. The lock is held.
func (s *store) write(content []byte) error {
	if _, err := s.file.Write(content); err != nil {
		s.warnOnce.Do(func() { log.Warn("Proven state not stored: the next run reads it again", "dir", s.dir, "err", err) })
		err = errors.Join(s.file.Close(), s.lock.Close())
		s.file, s.lock = nil, nil
		return err
	}
	return nil
}

func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Sync(), s.file.Close(), s.lock.Close())
	s.file, s.lock = nil, nil
	return err
}

// replaceProof makes a proof the only content of the file of a store with a bound.
func (s *store) replaceProof(proof *finality.Proof) error {
	content, err := encoded(kindProof, proof)
	if err != nil {
		return err
	}
	if content, err = rlp.EncodeToBytes(record{kindProof, content}); err != nil {
		return fmt.Errorf("encode a record: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	return atomicfile.Write(filepath.Join(s.dir, s.name), content, 0o600)
}

// conflict writes the two proofs of a number to a file of their own, and returns its name.
func (s *store) conflict(number uint64, proofs ...*finality.Proof) (string, error) {
	if s.dir == "" {
		content, err := json.Marshal(proofs)
		log.Error("Two sealed blocks of one number", "number", number, "proofs", string(content), "err", err)
		return "the proofs in the log", nil
	}
	name := filepath.Join(s.dir, fmt.Sprintf("conflict-%d.json", number))
	return name, atomicfile.WriteJSON(name, proofs, 0o600)
}

// node returns a node by its hash. The error is ErrAbsent.
func (s *store) node(hash common.Hash) ([]byte, error) {
	if node, found := get[placed](s, kindNode, hash); found {
		return node.Blob, nil
	}
	return nil, ErrAbsent
}

// place returns where a node stands that a known node refers to.
func (s *store) place(hash common.Hash) (placed, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, held := range s.held {
		node, _ := held.(placed) // one without a blob refers to nothing
		if path, found := node.childPath(hash, nil); found {
			return placed{Owner: node.Owner, Path: path}, true
		}
	}
	return placed{}, false
}

// StoredCode returns code by its hash where an account with it was read before, otherwise nil.
func (r *Reader) StoredCode(hash common.Hash) []byte {
	code, _ := get[[]byte](r.store, kindCode, hash)
	return code
}

// StoredNode returns a node of a trie by its hash where it was proven before. The error is ErrAbsent.
func (r *Reader) StoredNode(hash common.Hash) ([]byte, error) { return r.store.node(hash) }
