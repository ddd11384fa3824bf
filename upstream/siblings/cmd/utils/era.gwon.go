// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package utils

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/era"
	"github.com/ethereum/go-ethereum/internal/era/onedb"
	"github.com/ethereum/go-ethereum/rlp"
)

// Era1Blocks is the number of blocks of a full era1 file.
var Era1Blocks = uint64(era.MaxSize)

// era1Entry bounds a decompressed entry of an era1 file in bytes. No block of this chain has as many.
const era1Entry = 64 << 20

// NewEra1Builder returns what writes an era1 file.
func NewEra1Builder(w io.Writer) era.Builder { return onedb.NewBuilder(w) }

// Era1Reader reads the blocks of an era1 file in order. The file may come from anybody.
type Era1Reader struct {
	file io.Closer
	it   *onedb.RawIterator
	left uint64
}

// OpenEra1 opens an era1 file, which the reader then closes, and returns its first number and the number of its blocks.
func OpenEra1(file *os.File) (reader *Era1Reader, first, count uint64, err error) {
	opened, err := onedb.From(file)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("no era1 file, or one that was cut off: get it again (%w)", cutOff(err))
	}
	if first, count = opened.Start(), opened.Count(); count == 0 || count > Era1Blocks {
		return nil, 0, 0, fmt.Errorf("no era1 file: its index has %d blocks, not 1 to %d", count, Era1Blocks)
	}
	it, err := onedb.NewRawIterator(opened.(*onedb.Era))
	if err != nil {
		return nil, 0, 0, err
	}
	return &Era1Reader{file, it, count}, first, count, nil
}

// Next returns the next block with its receipts, which lack what follows from the block. It returns io.EOF behind the
// last one.
func (r *Era1Reader) Next() (*types.Block, types.Receipts, error) {
	if r.left == 0 {
		return nil, nil, io.EOF
	}
	r.left--
	if !r.it.Next() {
		if err := r.it.Error(); err != nil {
			return nil, nil, cutOff(err)
		}
		return nil, nil, errors.New("the file ends before its index says")
	}
	var (
		header   types.Header
		body     types.Body
		receipts types.Receipts
	)
	for _, entry := range []struct {
		name string
		from io.Reader
		to   any
	}{{"header", r.it.Header, &header}, {"body", r.it.Body, &body}, {"receipts", r.it.Receipts, &receipts}} {
		if err := rlp.NewStream(entry.from, era1Entry).Decode(entry.to); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", entry.name, cutOff(err))
		}
	}
	return types.NewBlockWithHeader(&header).WithBody(body), receipts, nil
}

// cutOff returns an error that is not the end of the blocks.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close closes the file.
func (r *Era1Reader) Close() error { return r.file.Close() }
