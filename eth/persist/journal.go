// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package persist

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/ancient"
	"gwon/internal/atomicfile"
	"gwon/internal/failures"
)

// Journal is the directory of the file with the newest states of a chain, which go-ethereum writes at a clean stop and
// reads without a check. Its checksum stands in a file beside it. A chain whose journal is missing takes these states
// from the saved ones, or executes their blocks again.
type Journal string

func (j Journal) path() string    { return filepath.Join(string(j), "merkle.journal") }
func (j Journal) sumPath() string { return j.path() + ".sum" }

// Start implements node.Lifecycle.
func (Journal) Start() error { return nil }

// Stop implements node.Lifecycle. It is registered before the service of the chain, and so runs after that has stopped.
func (j Journal) Stop() error { return j.Seal() }

// Seal writes the checksum of the journal. The chain has been stopped.
func (j Journal) Seal() error {
	sum, err := j.sum()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another scheme, or a chain in memory
	}
	if err == nil {
		err = atomicfile.Write(j.sumPath(), []byte(sum), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the checksum of the saved states: %w", err)
	}
	return nil
}

// sum returns checksum and size of the journal.
func (j Journal) sum() (string, error) {
	file, err := os.Open(j.path())
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	size, err := io.Copy(sum, file)
	return fmt.Sprintf("%08x %d\n", sum.Sum32(), size), err
}

// Check returns an error for a journal that differs from its checksum. A journal of an earlier gwon has none.
func (j Journal) Check() error {
	want, err := os.ReadFile(j.sumPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	sum, err := j.sum()
	if err == nil && sum != string(want) {
		return fmt.Errorf("%s does not fit its checksum", j.path())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Mend gives a journal that differs from its checksum another name. What is kept so goes when a later start finds a
// journal that fits.
func (j Journal) Mend() error {
	damage := j.Check()
	if damage == nil {
		if err := os.Remove(j.path() + ancient.Damaged); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if failures.Cure(damage) != "" {
		return fmt.Errorf("read the saved states: %w", damage)
	}
	log.Warn("Journal of states set aside, their blocks are executed again", "reason", damage,
		"kept", j.path()+ancient.Damaged)
	return j.SetAside()
}

// SetAside gives the journal another name.
func (j Journal) SetAside() error {
	if err := os.Rename(j.path(), j.path()+ancient.Damaged); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// NewestOnDisk returns the number of the state below all others in the journal, up to which the ancient store has to
// know what each state has changed; 0 without a journal that has a checksum.
func (j Journal) NewestOnDisk() (id uint64) {
	_, unsealed := os.Stat(j.sumPath())
	file, err := os.Open(j.path())
	if err != nil || unsealed != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	stream := rlp.NewStream(file, 0)
	var onDisk, root common.Hash
	_, err = stream.Uint64() // version
	if errors.Join(err, stream.Decode(&onDisk), stream.Decode(&root), stream.Decode(&id)) != nil {
		return 0
	}
	return id
}
