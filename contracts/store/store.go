// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/atomicfile"
)

// MaxCode is the largest size in bytes of code in a Store, about three times that of the largest known contract.
const MaxCode = 1 << 16

// Store keeps contract code in a directory with one file for each code. The name of a file is the Keccak-256 hash of
// its code in lower-case hexadecimal without 0x. Other files are ignored. A nil store has no code. A Store is safe
// for concurrent use, also by several processes.
type Store struct {
	dir string
}

// Open returns the store in a directory, which may be missing. It fails, with the name of the file, when the content
// of a file does not match its name.
func Open(dir string) (*Store, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open contract code: %w", err)
	}
	s := &Store{dir}
	for _, e := range entries {
		hash := common.HexToHash(e.Name())
		if e.Name() != fileName(hash) {
			continue
		}
		if _, err := s.Get(hash); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func fileName(hash common.Hash) string { return hash.Hex()[2:] }

// Get returns the code with the given hash. The error wraps fs.ErrNotExist when the store lacks it. When the content
// of the file does not match the hash, the error names the file.
func (s *Store) Get(hash common.Hash) ([]byte, error) {
	if s == nil {
		return nil, fmt.Errorf("contract code %v: %w", hash, fs.ErrNotExist)
	}
	file, err := os.Open(filepath.Join(s.dir, fileName(hash)))
	if err != nil {
		return nil, fmt.Errorf("contract code: %w", err)
	}
	code, err := io.ReadAll(io.LimitReader(file, MaxCode+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("contract code: %w", err)
	}
	if got := crypto.Keccak256Hash(code); got != hash {
		return nil, fmt.Errorf("the file %s holds other code than its name says, with the hash %v; delete it and import "+
			"the code again", file.Name(), got)
	}
	return code, nil
}

// Put stores code and returns its hash. After success the code survives a power loss. Readers never see a partial
// file. Existing code is not written again.
func (s *Store) Put(code []byte) (common.Hash, error) {
	if len(code) == 0 || len(code) > MaxCode {
		return common.Hash{}, fmt.Errorf("contract code of %d bytes, must be 1 to %d", len(code), MaxCode)
	}
	hash := crypto.Keccak256Hash(code)
	if _, err := s.Get(hash); err == nil {
		return hash, nil
	}
	if err := s.write(fileName(hash), code); err != nil {
		return common.Hash{}, fmt.Errorf("store contract code: %w", err)
	}
	return hash, nil
}

func (s *Store) write(name string, content []byte) error {
	if s == nil {
		return errors.New("no data directory to store contract code in: set --datadir")
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.dir, name), content, 0o600)
}

// Source returns a function that returns the code with a hash, and reports whether the store has it. Each call reads
// the file and therefore finds code that is stored later. An invalid file is logged and counts as missing.
func (s *Store) Source() func(hash common.Hash) ([]byte, bool) {
	return func(hash common.Hash) ([]byte, bool) {
		code, err := s.Get(hash)
		if err == nil {
			return code, true
		}
		if !errors.Is(err, fs.ErrNotExist) {
			log.Error("Contract code refused", "err", err)
		}
		return nil, false
	}
}

// Search returns a source of the code in the stores of several directories, asked in their order.
func Search(dirs ...string) (func(hash common.Hash) ([]byte, bool), error) {
	var sources []func(hash common.Hash) ([]byte, bool)
	for _, dir := range dirs {
		s, err := Open(dir)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s.Source())
	}
	return func(hash common.Hash) ([]byte, bool) {
		for _, source := range sources {
			if code, ok := source(hash); ok {
				return code, true
			}
		}
		return nil, false
	}, nil
}
