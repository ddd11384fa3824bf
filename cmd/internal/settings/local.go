// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"net"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/node"

	"gwon/cmd/internal/program"
)

// Loopback is the address of this machine alone.
const Loopback = "127.0.0.1"

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// DefaultIPC is where gwon attach looks.
func DefaultIPC() string {
	standard := node.Config{Name: program.Name, DataDir: program.DefaultDataDir(), IPCPath: program.Name + ".ipc"}
	return standard.IPCEndpoint()
}

// KeepStates has a chain keep each state under its hash, whatever block it belongs to, and no transaction that left the
// pool.
func KeepStates(cfg *ethconfig.Config) {
	cfg.StateScheme, cfg.NoPruning, cfg.Preimages = rawdb.HashScheme, true, true
	cfg.StateHistory, cfg.TrienodeHistory, cfg.SnapshotCache = 0, 0, 0
	cfg.TxPool.NoLocals, cfg.TxPool.Journal = true, ""
}
