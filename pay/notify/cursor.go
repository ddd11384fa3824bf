// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofrs/flock"

	"gwon/internal/atomicfile"
)

// cursor is how far a webhook has been served.
type cursor struct {
	// Next is the first block that is not served whole, and Index the first log index in it that is not delivered.
	Next  uint64 `json:"next"`
	Index uint   `json:"index"`
	// Seen and Hash are a block of the chain that the webhook was served from. ChainID and Genesis are those of the chain;
	// an older version wrote no Genesis.
	Seen    uint64      `json:"seen"`
	Hash    common.Hash `json:"hash"`
	ChainID uint64      `json:"chainId"`
	Genesis common.Hash `json:"genesis,omitzero"`
}

// store is the directory of the cursors, locked for this process.
type store struct {
	directory string
	lock      *flock.Flock
}

// openStore makes and locks the directory. The error says when another process serves the same cursors.
func openStore(directory string) (*store, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	lock := flock.New(filepath.Join(directory, "lock"))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("state %s is in use by another gwon-pay notify: stop it, or give this one its own directory",
			directory)
	}
	return &store{directory, lock}, nil
}

func (s *store) close() error { return s.lock.Unlock() }

func (s *store) path(label string) string { return filepath.Join(s.directory, label+".json") }

// load returns the cursor of a webhook, nil for none. A damaged one is an error, as a new one would skip transfers.
func (s *store) load(label string) (*cursor, error) {
	text, err := os.ReadFile(s.path(label))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var c cursor
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("cursor %s is damaged: restore it, or delete it and set start of the webhook: %w",
			s.path(label), err)
	}
	if c.Hash == (common.Hash{}) || c.ChainID == 0 || c.Seen > c.Next {
		return nil, fmt.Errorf("cursor %s is damaged: restore it, or delete it and set start of the webhook", s.path(label))
	}
	return &c, nil
}

func (s *store) save(label string, c cursor) error {
	return atomicfile.WriteJSON(s.path(label), c, 0o600)
}
