// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/eth/tracers"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// APIs returns the services of the profile. They must follow upstream's tracers, because later methods replace earlier
// ones of the same name. logs searches the log index.
func APIs(backend *eth.EthAPIBackend, logs *filters.FilterSystem, bounds Bounds) []gethrpc.API {
	n := &node{backend, bounds}
	return []gethrpc.API{
		{Namespace: "debug", Service: &debug{n, tracers.NewAPI(backend)}},
		{Namespace: "trace", Service: &parity{n}},
		{Namespace: "ots", Service: &otterscan{n, logs, eth.NewTransactionAPI(backend, new(eth.NonceLock))}},
		{Namespace: "erigon", Service: &erigon{n}},
	}
}
