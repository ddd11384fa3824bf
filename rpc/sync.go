// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import "github.com/ethereum/go-ethereum/common/hexutil"

// syncing answers eth_syncing from the node's own block import, which go-ethereum's downloader knows nothing of.
type syncing struct {
	node interface {
		SyncProgress() (start, current, highest uint64, syncing bool)
	}
}

// syncStatus is the answer while blocks are being downloaded.
type syncStatus struct {
	StartingBlock hexutil.Uint64 `json:"startingBlock"`
	CurrentBlock  hexutil.Uint64 `json:"currentBlock"`
	HighestBlock  hexutil.Uint64 `json:"highestBlock"`
}

// Syncing returns false, or how far the download of blocks is (spec rpc 4.1).
func (s *syncing) Syncing() any {
	start, current, highest, running := s.node.SyncProgress()
	if !running {
		return false
	}
	return syncStatus{hexutil.Uint64(start), hexutil.Uint64(current), hexutil.Uint64(highest)}
}
