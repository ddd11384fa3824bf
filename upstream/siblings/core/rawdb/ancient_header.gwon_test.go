// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rawdb

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rlp"
)

// Headers with seals, which are outside the block hash (spec wbft 1.4), are found in the ancient store like all others,
// and no header is found there by the hash of another block.
func TestAncientSealedHeaders(t *testing.T) {
	db, err := Open(NewMemoryDatabase(), OpenOptions{Ancient: t.TempDir()})
	must.Do(t, err)
	defer func() { _ = db.Close() }()
	seal := &types.WBFTSeal{Sealers: []byte{7}, Signature: bytes.Repeat([]byte{1}, 96)}
	var blocks []*types.Block
	var parent common.Hash
	for n := range int64(4) {
		header := &types.Header{
			Number: big.NewInt(n), ParentHash: parent, Difficulty: common.Big1,
			Extra: new(types.WBFTExtra).Encode(), BaseFee: common.Big1,
		}
		if n != 2 {
			if header, err = header.WithWBFTSeals(uint32(n), seal, seal); err != nil {
				t.Fatal(err)
			}
		}
		blocks = append(blocks, types.NewBlockWithHeader(header))
		parent = header.Hash()
	}
	must.Get(WriteAncientBlocks(db, blocks, make([]rlp.RawValue, len(blocks))))(t)
	for n, block := range blocks {
		hash, number := ReadCanonicalHash(db, uint64(n)), uint64(n)
		if hash != block.Hash() {
			t.Fatalf("block %d has hash %v, want %v", n, hash, block.Hash())
		}
		header := ReadHeader(db, hash, number)
		if header == nil || !bytes.Equal(header.Extra, block.Extra()) || header.Hash() != hash {
			t.Errorf("header %d is not the one that was stored: %v", n, header)
		}
		if other := ReadHeader(db, blocks[(n+1)%len(blocks)].Hash(), number); other != nil {
			t.Errorf("header %d is found by another hash", n)
		}
	}
	if got := ReadHeaderRange(db, 3, 3); len(got) != 3 {
		t.Errorf("%d headers in a range of 3", len(got))
	}
}
