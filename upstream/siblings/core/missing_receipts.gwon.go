// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
)

// ErrReceiptsMissing is wrapped by the error for a receipt of a block that was stored without its receipts (see package
// gwon/eth/sync).
var ErrReceiptsMissing = errors.New("receipts are not stored here")

// missingReceiptsKey is where the numbers of the blocks without receipts are that the log index has passed.
var missingReceiptsKey = []byte("gwon-missing-receipts")

// lacksReceipts reports whether a block of transactions has none of its receipts in what is stored for them.
func lacksReceipts(header *types.Header, stored []byte) bool {
	return header.TxHash != types.EmptyTxsHash && string(stored) == string(rlp.EmptyList)
}

func missingReceipts(number uint64) error {
	return fmt.Errorf("%w: those of block %d are larger than a message, and no peer could give them when this node "+
		"synchronized; ask a node that has executed the block", ErrReceiptsMissing, number)
}

// explainReceipt returns the error for a receipt that could not be read: ErrReceiptsMissing if the receipts of its
// block are missing, otherwise err.
func (bc *BlockChain) explainReceipt(hash common.Hash, err error) error {
	header := bc.GetHeaderByHash(hash)
	if header == nil || !bc.chainConfig.IsAnzeon() {
		return err
	}
	if number := header.Number.Uint64(); lacksReceipts(header, rawdb.ReadReceiptsRLP(bc.db, hash, number)) {
		return missingReceipts(number)
	}
	return err
}

// rawReceipts reads the receipts of a block for the log index. The index cannot tell a block without receipts from one
// without logs, so that such blocks are recorded and searched apart.
func (bc *BlockChain) rawReceipts(hash common.Hash, number uint64) types.Receipts {
	receipts := rawdb.ReadRawReceipts(bc.db, hash, number)
	if receipts == nil || len(receipts) > 0 || !bc.chainConfig.IsAnzeon() {
		return receipts
	}
	if header := bc.GetHeader(hash, number); header == nil || header.TxHash == types.EmptyTxsHash {
		return receipts
	}
	s := &bc.stored
	s.missingMu.Lock()
	defer s.missingMu.Unlock()
	s.loadMissing(bc.db)
	i, known := slices.BinarySearch(s.missing, number)
	if known {
		return receipts
	}
	s.missing = slices.Insert(s.missing, i, number)
	encoded, err := rlp.EncodeToBytes(s.missing)
	if err == nil {
		err = bc.db.Put(missingReceiptsKey, encoded)
	}
	if err != nil {
		log.Error("Block without receipts not noted: queries of its logs may be incomplete after a restart",
			"number", number, "err", err)
	}
	return receipts
}

// WithoutReceipts returns the numbers of the blocks from first to last of which the log index has no logs because their
// receipts are missing.
func (bc *BlockChain) WithoutReceipts(first, last uint64) []uint64 {
	s := &bc.stored
	s.missingMu.Lock()
	defer s.missingMu.Unlock()
	s.loadMissing(bc.db)
	from, _ := slices.BinarySearch(s.missing, first)
	to, found := slices.BinarySearch(s.missing, last)
	if found {
		to++
	}
	return slices.Clone(s.missing[from:max(from, to)])
}

// loadMissing reads the list of blocks without receipts when it is used first. The caller holds missingMu.
func (s *storedBlocks) loadMissing(db ethdb.KeyValueReader) {
	if s.missingLoaded {
		return
	}
	s.missingLoaded = true
	if has, err := db.Has(missingReceiptsKey); err != nil || !has {
		return
	}
	encoded, err := db.Get(missingReceiptsKey)
	if err == nil {
		err = rlp.DecodeBytes(encoded, &s.missing)
	}
	if err != nil {
		log.Error("List of the blocks without receipts not read: queries of their logs are incomplete", "err", err)
	}
}
