// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"time"

	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"

	"gwon/rpc/explore"
)

// registerExplorer adds the methods of block explorers, whose calls have a limit of time, 0 for the usual one. It warns
// when the states of old blocks are missing.
func registerExplorer(stack *node.Node, backend *eth.EthAPIBackend, logs *filters.FilterSystem, limit time.Duration) {
	bounds := explore.DefaultBounds()
	if limit > 0 {
		bounds.Time = limit
	}
	stack.RegisterAPIs(explore.APIs(backend, logs, bounds))
	if missing := explore.MissingStates(backend); missing > 0 {
		log.Warn("States of old blocks missing or not indexed yet, explorers get errors for them: sync a new data directory "+
			"with --gcmode archive to have them", "below", missing)
	}
}
