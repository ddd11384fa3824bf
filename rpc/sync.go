// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// syncing serves eth_syncing from the node's own sync, which go-ethereum's downloader does not know.
type syncing struct {
	node interface {
		SyncProgress(ctx context.Context) (ethereum.SyncProgress, bool)
	}
}

// syncStatus is the progress while blocks or a state are downloaded. The first three fields are block numbers. The
// others count data of a snap sync, and blocks whose transactions are not indexed yet.
type syncStatus struct {
	StartingBlock          hexutil.Uint64 `json:"startingBlock"`
	CurrentBlock           hexutil.Uint64 `json:"currentBlock"`
	HighestBlock           hexutil.Uint64 `json:"highestBlock"`
	SyncedAccounts         hexutil.Uint64 `json:"syncedAccounts"`
	SyncedAccountBytes     hexutil.Uint64 `json:"syncedAccountBytes"`
	SyncedBytecodes        hexutil.Uint64 `json:"syncedBytecodes"`
	SyncedBytecodeBytes    hexutil.Uint64 `json:"syncedBytecodeBytes"`
	SyncedStorage          hexutil.Uint64 `json:"syncedStorage"`
	SyncedStorageBytes     hexutil.Uint64 `json:"syncedStorageBytes"`
	HealedTrienodes        hexutil.Uint64 `json:"healedTrienodes"`
	HealedTrienodeBytes    hexutil.Uint64 `json:"healedTrienodeBytes"`
	HealedBytecodes        hexutil.Uint64 `json:"healedBytecodes"`
	HealedBytecodeBytes    hexutil.Uint64 `json:"healedBytecodeBytes"`
	HealingTrienodes       hexutil.Uint64 `json:"healingTrienodes"`
	HealingBytecode        hexutil.Uint64 `json:"healingBytecode"`
	TxIndexFinishedBlocks  hexutil.Uint64 `json:"txIndexFinishedBlocks"`
	TxIndexRemainingBlocks hexutil.Uint64 `json:"txIndexRemainingBlocks"`
}

// Syncing returns false, or the progress of the sync (spec rpc 4.1).
func (s *syncing) Syncing(ctx context.Context) any {
	p, running := s.node.SyncProgress(ctx)
	if !running {
		return false
	}
	return syncStatus{
		hexutil.Uint64(p.StartingBlock), hexutil.Uint64(p.CurrentBlock), hexutil.Uint64(p.HighestBlock),
		hexutil.Uint64(p.SyncedAccounts), hexutil.Uint64(p.SyncedAccountBytes),
		hexutil.Uint64(p.SyncedBytecodes), hexutil.Uint64(p.SyncedBytecodeBytes),
		hexutil.Uint64(p.SyncedStorage), hexutil.Uint64(p.SyncedStorageBytes),
		hexutil.Uint64(p.HealedTrienodes), hexutil.Uint64(p.HealedTrienodeBytes),
		hexutil.Uint64(p.HealedBytecodes), hexutil.Uint64(p.HealedBytecodeBytes),
		hexutil.Uint64(p.HealingTrienodes), hexutil.Uint64(p.HealingBytecode),
		hexutil.Uint64(p.TxIndexFinishedBlocks), hexutil.Uint64(p.TxIndexRemainingBlocks),
	}
}
