// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	gethcore "github.com/ethereum/go-ethereum/core"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/start"
	"gwon/rpc/minblock"
)

// servedChain tells package minblock how far the chain of this node is.
type servedChain struct{ *gethcore.BlockChain }

// Newest returns the number of the block that the tag "latest" means.
func (c servedChain) Newest() uint64 { return c.CurrentBlock().Number.Uint64() }

// Final returns the number of the block that every tag has reached. The safe block is marked last.
func (c servedChain) Final() uint64 {
	safe := c.CurrentSafeBlock()
	if safe == nil {
		return 0
	}
	return min(safe.Number.Uint64(), c.Newest())
}

// holdReads makes the endpoints wait for the block that a request names, after the bounds of its client are checked.
func (s *nodeStart) holdReads(*start.Closers) error {
	gethrpc.SetDoor(minblock.New(servedChain{s.started.Chain()}, s.door))
	return nil
}
