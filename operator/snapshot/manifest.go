// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/common"
)

const (
	// Format is the version of the file format of a snapshot with all transactions, and formatRecent that of one which
	// begins with headers alone. This program writes and reads both.
	Format       = 1
	formatRecent = 2

	// ManifestName is the name of the manifest in the directory of a snapshot.
	ManifestName = "manifest.json"
)

// Bounds of a snapshot. A block has at most 10 MiB and its receipts 32 MiB.
const (
	chunkBytes  = 64 << 20 // before compression; a chunk ends with the item that passes it
	maxItem     = 48 << 20 // bytes of one item
	maxUnpacked = chunkBytes + maxItem
	maxPacked   = maxUnpacked + maxUnpacked/128 // zstd adds less to what it cannot compress
	maxChunks   = 1 << 16                       // of each kind
	maxManifest = 32 << 20                      // bytes
	maxCommas   = 2*maxChunks*4 + 8             // of a manifest: a chunk has four members, a manifest nine
)

// Digest is a SHA-256, in text hexadecimal without prefix, as sha256sum prints it.
type Digest [sha256.Size]byte

// String returns the hexadecimal form.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(d)) {
		return fmt.Errorf("a SHA-256 has %d hexadecimal digits, not %d", hex.EncodedLen(len(d)), len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// Chunk describes one file of a snapshot.
type Chunk struct {
	Size     uint64 `json:"size"`             // bytes of the file
	Unpacked uint64 `json:"unpacked"`         // bytes before compression
	Blocks   uint64 `json:"blocks,omitempty"` // blocks in it; none in one of state
	SHA256   Digest `json:"sha256"`           // of the file
}

// Manifest describes a snapshot. Nothing in it is trusted.
type Manifest struct {
	Format    int         `json:"format"`
	ChainID   uint64      `json:"chainId"`
	Genesis   common.Hash `json:"genesis"`
	Number    uint64      `json:"number"` // of the head
	Hash      common.Hash `json:"hash"`
	StateRoot common.Hash `json:"stateRoot"`
	// HistoryFrom is the first block with transactions and receipts. Those before it, but for the genesis block, are
	// headers alone. 0 means that no block is.
	HistoryFrom uint64  `json:"historyFrom,omitempty"`
	Blocks      []Chunk `json:"blocks"` // of blocks 0 to Number
	State       []Chunk `json:"state"`
}

// kind is what a chunk holds, and how its name begins.
type kind string

const (
	blocksKind kind = "blocks"
	stateKind  kind = "state"
)

// chunkName returns the name of a chunk's file. Names stand in no manifest, so that none leads out of a directory.
func chunkName(k kind, index int) string { return fmt.Sprintf("%s-%06d.zst", k, index) }

// parseManifest decodes a manifest and checks its bounds. Two bytes of JSON become a chunk of 56 bytes in memory, so
// that the commas are counted first: no list has more items.
func parseManifest(raw []byte) (*Manifest, error) {
	if n := bytes.Count(raw, []byte(",")); n > maxCommas {
		return nil, fmt.Errorf("%s has %d commas, at most %d are allowed: take another snapshot", ManifestName, n, maxCommas)
	}
	var version struct{ Format int }
	if err := json.Unmarshal(raw, &version); err != nil {
		return nil, fmt.Errorf("%s is no manifest of a snapshot: %w", ManifestName, err)
	}
	if version.Format != Format && version.Format != formatRecent {
		return nil, fmt.Errorf("%s has format %d, this program reads formats %d and %d: use the gwon that wrote it, or "+
			"another snapshot", ManifestName, version.Format, Format, formatRecent)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	m := new(Manifest)
	if err := decoder.Decode(m); err != nil {
		return nil, fmt.Errorf("%s is no manifest of a snapshot: %w", ManifestName, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s has bytes behind the manifest: take another snapshot", ManifestName)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s is wrong: %w: take another snapshot", ManifestName, err)
	}
	return m, nil
}

// check refuses a manifest that is out of bounds or contradicts itself.
func (m *Manifest) check() error {
	if m.Number == 0 {
		return errors.New("its head is the genesis block")
	}
	if m.HistoryFrom > m.Number || (m.HistoryFrom == 0) != (m.Format == Format) {
		return fmt.Errorf("its history begins with block %d, in format %d with head %d", m.HistoryFrom, m.Format, m.Number)
	}
	blocks := uint64(0)
	for _, list := range []struct {
		kind   kind
		chunks []Chunk
	}{{blocksKind, m.Blocks}, {stateKind, m.State}} {
		if n := len(list.chunks); n == 0 || n > maxChunks {
			return fmt.Errorf("it lists %d chunks of %s, from 1 to %d are allowed", n, list.kind, maxChunks)
		}
		for i, c := range list.chunks {
			switch name := chunkName(list.kind, i); {
			case c.Size == 0 || c.Size > maxPacked:
				return fmt.Errorf("%s has %d bytes, from 1 to %d are allowed", name, c.Size, maxPacked)
			case c.Unpacked == 0 || c.Unpacked > maxUnpacked:
				return fmt.Errorf("%s unpacks to %d bytes, from 1 to %d are allowed", name, c.Unpacked, maxUnpacked)
			case (c.Blocks == 0) != (list.kind == stateKind) || c.Blocks > m.Number+1-blocks:
				return fmt.Errorf("%s has %d blocks", name, c.Blocks)
			}
			blocks += c.Blocks
		}
	}
	if blocks-1 != m.Number {
		return fmt.Errorf("its chunks have %d blocks, and its head is block %d", blocks, m.Number)
	}
	return nil
}

// hasBody reports whether a block of the snapshot comes with its transactions and receipts.
func (m *Manifest) hasBody(number uint64) bool { return number == 0 || number >= m.HistoryFrom }

// Size returns the bytes of all chunks.
func (m *Manifest) Size() uint64 {
	total := uint64(0)
	for _, chunks := range [][]Chunk{m.Blocks, m.State} {
		for _, c := range chunks {
			total += c.Size
		}
	}
	return total
}

// Trust is what a snapshot has to agree with.
type Trust struct {
	Network    Network
	Checkpoint common.Hash // block that the chain must have; zero for none
	Manifest   Digest      // of the manifest; zero for any
}

// checkManifest refuses a manifest of another chain, or another one than is wanted.
func (t *Trust) checkManifest(raw []byte, m *Manifest) error {
	if have := Digest(sha256.Sum256(raw)); t.Manifest != (Digest{}) && have != t.Manifest {
		return fmt.Errorf("%s has SHA-256 %v, wanted is %v: take that snapshot, or leave --manifest out", ManifestName, have,
			t.Manifest)
	}
	if id := t.Network.Config.ChainID; !id.IsUint64() || id.Uint64() != m.ChainID || t.Network.Genesis != m.Genesis {
		return fmt.Errorf("the snapshot is of chain %d with genesis block %v, wanted is chain %d with %v: name its "+
			"network, or take another snapshot",
			m.ChainID, m.Genesis, id, t.Network.Genesis)
	}
	return nil
}
