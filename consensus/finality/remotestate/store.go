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
	"slices"
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
	kindProof     kind = iota + 1 // JSON of a finality.Proof
	kindNode                      // RLP of a placed
	kindCode                      // the code itself
	kindAncestors                 // RLP of consecutive headers
	kindBody                      // RLP of transactions
	kindReceipts                  // RLP of receipts as their root has them
)

// record is an entry of the store. Every content proves itself by hashes or seals, so that the file is not trusted.
type record struct {
	Kind    kind
	Content []byte
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
	proofs   []*finality.Proof
	nodes    map[common.Hash]placed
	codes    map[common.Hash][]byte
	headers  map[common.Hash]*types.Header
	bodies   map[common.Hash]types.Transactions // by their root
	receipt  map[common.Hash][]byte             // by their root, encoded: decoded ones have eight times as many bytes
	warnOnce sync.Once
}

// openStore reads the store of a chain below a directory. The record that a kill has cut off is dropped.
func openStore(options Options) (*store, error) {
	s := &store{name: storeName, most: options.Memory}
	if s.most > 0 {
		s.name = proofName
	}
	s.empty()
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

// empty forgets everything but proofs. The lock is held, or the store is new.
func (s *store) empty() {
	s.size = 0
	s.nodes, s.codes = make(map[common.Hash]placed), make(map[common.Hash][]byte)
	s.headers, s.bodies = make(map[common.Hash]*types.Header), make(map[common.Hash]types.Transactions)
	s.receipt = make(map[common.Hash][]byte)
}

// makeRoom empties a store with a bound that has no room for a number of bytes. What is put in at once stays together.
func (s *store) makeRoom(size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 && s.size+size > s.most {
		s.empty()
	}
}

// take puts a record into the memory.
func (s *store) take(r record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size+len(r.Content) > MaxStore {
		return ErrFull
	}
	switch r.Kind {
	case kindProof:
		proof, err := finality.Decode(bytes.NewReader(r.Content))
		if err != nil {
			return err
		}
		s.proofs = append(s.proofs, proof)
	case kindNode:
		var node placed
		if err := rlp.DecodeBytes(r.Content, &node); err != nil {
			return fmt.Errorf("node: %w", err)
		}
		s.nodes[crypto.Keccak256Hash(node.Blob)] = node
	case kindCode:
		s.codes[crypto.Keccak256Hash(r.Content)] = r.Content
	case kindAncestors:
		var list []*types.Header
		if err := rlp.DecodeBytes(r.Content, &list); err != nil {
			return fmt.Errorf("headers: %w", err)
		}
		for _, h := range list {
			s.headers[h.Hash()] = h
		}
	case kindBody:
		var txs types.Transactions
		if err := rlp.DecodeBytes(r.Content, &txs); err != nil {
			return fmt.Errorf("transactions: %w", err)
		}
		s.bodies[types.DeriveSha(txs, trie.NewStackTrie(nil))] = txs
	case kindReceipts:
		var list types.Receipts
		if err := rlp.DecodeBytes(r.Content, &list); err != nil {
			return fmt.Errorf("receipts: %w", err)
		}
		s.receipt[types.DeriveSha(list, trie.NewStackTrie(nil))] = r.Content
	default:
		return fmt.Errorf("unknown kind %d", r.Kind)
	}
	s.size += len(r.Content)
	return nil
}

// add stores contents of one kind, in one write. A full disk costs the file and not the answer.
func (s *store) add(k kind, contents ...[]byte) error {
	size := 0
	for _, content := range contents {
		size += len(content)
	}
	s.makeRoom(size)
	var out bytes.Buffer
	for _, content := range contents {
		r := record{k, content}
		if err := s.take(r); errors.Is(err, ErrFull) {
			return fmt.Errorf("%w: %d bytes of proven state are held: choose a newer block or another directory", err, MaxStore)
		} else if err != nil {
			return err
		}
		if err := rlp.Encode(&out, r); err != nil {
			return fmt.Errorf("encode a record: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil || s.most > 0 {
		return nil
	}
	return s.write(out.Bytes())
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

// replaceProof makes a proof the only content of the file of a store with a bound. A kill in between costs the content.
func (s *store) replaceProof(proof *finality.Proof) error {
	content, err := json.Marshal(proof)
	if err != nil {
		return fmt.Errorf("encode a proof: %w", err)
	}
	encoded, err := rlp.EncodeToBytes(record{kindProof, content})
	if err != nil {
		return fmt.Errorf("encode a record: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proofs = []*finality.Proof{proof}
	if s.file == nil {
		return nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("replace the store: %w", err)
	}
	if err := s.file.Truncate(0); err != nil {
		return fmt.Errorf("replace the store: %w", err)
	}
	return s.write(encoded)
}

func (s *store) addProof(proof *finality.Proof) error {
	content, err := json.Marshal(proof)
	if err != nil {
		return fmt.Errorf("encode a proof: %w", err)
	}
	return s.add(kindProof, content)
}

// conflict writes the two proofs of a number to a file of their own, and returns its name.
func (s *store) conflict(number uint64, proofs ...*finality.Proof) (string, error) {
	if s.dir == "" {
		content, err := json.Marshal(proofs)
		log.Error("Two sealed blocks of one number", "number", number, "proofs", string(content), "err", err)
		return "the proofs in the log", nil
	}
	content, err := json.MarshalIndent(proofs, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode proofs: %w", err)
	}
	name := filepath.Join(s.dir, fmt.Sprintf("conflict-%d.json", number))
	return name, atomicfile.Write(name, append(content, '\n'), 0o600)
}

// node returns a node by its hash. The error is ErrAbsent.
func (s *store) node(hash common.Hash) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if node, found := s.nodes[hash]; found {
		return node.Blob, nil
	}
	return nil, ErrAbsent
}

// place returns where a node stands that a known node refers to.
func (s *store) place(hash common.Hash) (placed, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, node := range s.nodes {
		if path, found := node.childPath(hash, nil); found {
			return placed{Owner: node.Owner, Path: path}, true
		}
	}
	return placed{}, false
}

// addNodes stores the nodes that are not there.
func (s *store) addNodes(nodes []placed) error {
	const beside = 64 // bytes of owner, path and lengths
	size := 0
	for _, node := range nodes {
		size += len(node.Blob) + len(node.Path) + beside
	}
	s.makeRoom(size)
	var contents [][]byte
	seen := make(map[common.Hash]struct{})
	for _, node := range nodes {
		hash := crypto.Keccak256Hash(node.Blob)
		if _, twice := seen[hash]; twice {
			continue
		}
		seen[hash] = struct{}{}
		if _, err := s.node(hash); err == nil {
			continue
		}
		content, err := rlp.EncodeToBytes(node)
		if err != nil {
			return fmt.Errorf("encode a node: %w", err)
		}
		contents = append(contents, content)
	}
	return s.add(kindNode, contents...)
}

// StoredCode returns code by its hash where an account with it was read before, otherwise nil.
func (r *Reader) StoredCode(hash common.Hash) []byte { return r.store.code(hash) }

func (s *store) code(hash common.Hash) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.codes[hash]
}

func (s *store) addCode(code []byte) error { return s.add(kindCode, code) }

// ancestors returns a proven header with the stored ones before it, from first on or from the one after a missing one.
func (s *store) ancestors(header *types.Header, first uint64) []*types.Header {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := []*types.Header{header}
	for number := header.Number.Uint64(); number > first; number-- {
		if header = s.headers[header.ParentHash]; header == nil {
			break
		}
		list = append(list, header)
	}
	slices.Reverse(list)
	return list
}

func (s *store) addAncestors(list []*types.Header) error {
	content, err := rlp.EncodeToBytes(list)
	if err != nil {
		return fmt.Errorf("encode headers: %w", err)
	}
	return s.add(kindAncestors, content)
}

func (s *store) body(header *types.Header) types.Transactions {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.bodies[header.TxHash]
}

func (s *store) addBody(txs types.Transactions) error {
	content, err := rlp.EncodeToBytes(txs)
	if err != nil {
		return fmt.Errorf("encode transactions: %w", err)
	}
	return s.add(kindBody, content)
}

// receipts returns the receipts of a proven header, nil where they are not stored.
func (s *store) receipts(header *types.Header) (list types.Receipts, err error) {
	s.mu.RLock()
	content := s.receipt[header.ReceiptHash]
	s.mu.RUnlock()
	if content == nil {
		return nil, nil
	}
	err = rlp.DecodeBytes(content, &list)
	return list, err
}

func (s *store) addReceipts(list types.Receipts) error {
	content, err := rlp.EncodeToBytes(list)
	if err != nil {
		return fmt.Errorf("encode receipts: %w", err)
	}
	return s.add(kindReceipts, content)
}
