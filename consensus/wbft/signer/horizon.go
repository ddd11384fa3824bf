// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/atomicfile"
)

// horizonSlack is how far a sequence may be beyond the horizon, in blocks: a day of them.
const horizonSlack = 24 * 60 * 60

// noBlockBefore is a time before the first block of any chain with this engine, in seconds since 1970: 1 January 2024.
const noBlockBefore = 1_704_067_200

// horizon bounds the sequences that a key signs for. Blocks are at least a second apart (spec wbft 7.1), so that no
// chain is further than one block for each second since a block that it has. A node that was taken over could make the
// key useless by a message for a far sequence otherwise.
//
// Until the key has committed to a block here, the horizon is that of a chain that began at noBlockBefore. Later it
// counts from the first such block, and from no later one: a node that is behind signs for old sequences, and a bound
// by the last of them would refuse the newest block when it has caught up. A COMMIT is for a block that other
// validators took too: what this node proposes has the time of its clock, which may be wrong.
type horizon struct {
	path string
	now  func() time.Time

	Number uint64 `json:"number"`
	Time   uint64 `json:"time"`               // of the block in seconds since 1970
	Any    bool   `json:"anyBlock,omitempty"` // the first block that is signed takes the place of this one
}

// readHorizon reads the block of a file, and makes the file where it is missing.
func readHorizon(path string) (*horizon, error) {
	h := &horizon{path: path, now: time.Now}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, h.write(0, noBlockBefore, true)
	}
	if err == nil {
		err = json.Unmarshal(text, h)
	}
	if err == nil && h.Time == 0 {
		err = errors.New("the time is missing")
	}
	if err != nil {
		return nil, fmt.Errorf("%s names no block: remove it, then the next signed block is written there (%w)", path, err)
	}
	return h, nil
}

// write makes a block durable as the one that the horizon counts from.
func (h *horizon) write(number, time uint64, any bool) error {
	next := *h
	next.Number, next.Time, next.Any = number, time, any
	if err := atomicfile.WriteJSON(h.path, &next, 0o600); err != nil {
		return err
	}
	*h = next
	return nil
}

// check refuses a sequence that the chain cannot have reached.
func (h *horizon) check(sequence uint64) error {
	if h == nil {
		return nil
	}
	most := h.Number + horizonSlack + max(h.seconds(), h.Time) - h.Time
	if sequence <= most {
		return nil
	}
	return fmt.Errorf("%w: sequence %d is beyond block %d, which the chain cannot have passed: it had block %d at %s. "+
		"Look at the clock and at the node (docs/operate/runbooks/signer-refuses.md)", errRefused, sequence, most, h.Number,
		time.Unix(int64(h.Time), 0).UTC().Format(time.RFC3339)) //nolint:gosec // it was not in the future
}

// take keeps the first block that the key commits to. One that would raise the bound is not kept.
func (h *horizon) take(block *types.Header) error {
	if h == nil || !h.Any || block == nil || block.Time < h.Time+block.Number.Uint64() {
		return nil
	}
	if block.Time > h.seconds()+horizonSlack {
		return fmt.Errorf("%w: block %d is of the future: set the clock", errRefused, block.Number)
	}
	if err := h.write(block.Number.Uint64(), block.Time, false); err != nil {
		return fmt.Errorf("%w: the first signed block is not kept: %w", errRefused, err)
	}
	return nil
}

// seconds returns the time in seconds since 1970.
func (h *horizon) seconds() uint64 { return uint64(max(h.now().Unix(), 0)) }
