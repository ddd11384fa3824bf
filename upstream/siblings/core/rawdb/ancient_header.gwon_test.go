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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Headers with seals, which are outside the block hash (spec wbft 1.4), are found in the ancient store like all others,
// and no header is found there by the hash of another block.
func TestAncientSealedHeaders(t *testing.T) {
	db := must.Get(Open(NewMemoryDatabase(), OpenOptions{Ancient: t.TempDir()}))(t)
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
			header = must.Get(header.WithWBFTSeals(uint32(n), seal, seal))(t)
		}
		blocks = append(blocks, types.NewBlockWithHeader(header))
		parent = header.Hash()
	}
	must.Get(WriteAncientBlocks(db, blocks, make([]rlp.RawValue, len(blocks))))(t)
	for n, block := range blocks {
		hash, number := ReadCanonicalHash(db, uint64(n)), uint64(n)
		require.Equalf(t, block.Hash(), hash, "block %d has hash", n)
		header := ReadHeader(db, hash, number)
		assert.Truef(t, header != nil && bytes.Equal(header.Extra, block.Extra()) && header.Hash() == hash,
			"header %d is not the one that was stored: %v", n, header)
		assert.Truef(t, ReadHeader(db, blocks[(n+1)%len(blocks)].Hash(), number) == nil,
			"header %d is found by another hash", n)
	}
	assert.Equal(t, 3, len(ReadHeaderRange(db, 3, 3)), "headers in a range of 3")
}
