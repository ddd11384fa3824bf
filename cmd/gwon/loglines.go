// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/ethereum/go-ethereum/log"
)

// needlessLines are what upstream says at levels above debug and what tells nobody anything on this chain.
var needlessLines = map[string]bool{
	"Disabled transaction unindexing for archive node":               true, // as asked for
	"Enabling recording of key preimages since archive mode is used": true, // as asked for
	"Engine API maximum reorg depth":                                 true, // there is no Engine API
	"Gasprice oracle is ignoring threshold set":                      true, // the tip is governed
	"Head block is not reachable":                                    true, // before a first start has written the genesis block
	"Inserted known block":                                           true, // after a kill the node executes again what it has
	"Initialized trienode history":                                   true, // as asked for
	"Initializing the KZG library":                                   true, // it is not set up on a chain without blobs
	"Marked indexing initer as synced":                               true,
	"Opened Era store":                                               true, // there are no era files
	"Maximum peer count":                                             true, // as configured
	"Set global gas cap":                                             true, // as configured
	"Sanitizing invalid node buffer size":                            true, // the default; the size used stands in the next line
}

// needlessDevLines are those of a node that has no peers on purpose.
var needlessDevLines = map[string]bool{
	"P2P server will be useless, neither dialing nor listening": true,
}

// foreignAdvice begins a line that names a command of another program; the error that ends the start says what to do.
const foreignAdvice = "Run 'geth prune-history"

// quietStart moves needless lines to the debug level. It implements slog.Handler on top of upstream's.
type quietStart struct {
	slog.Handler
	dev bool
}

// quietLog puts quietStart before the handler of the log.
func quietLog(dev bool) {
	log.SetDefault(log.NewLogger(quietStart{log.Root().Handler(), dev}))
}

// Handle writes a line, unless it is needless and the debug level is not asked for.
func (h quietStart) Handle(ctx context.Context, r slog.Record) error {
	if r.Level == log.LevelError && strings.HasPrefix(r.Message, foreignAdvice) {
		return nil
	}
	if r.Level > log.LevelDebug && r.Level < log.LevelError && (needlessLines[r.Message] || h.dev && needlessDevLines[r.Message]) {
		r.Level = log.LevelDebug
		if !h.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs returns the handler of a logger with fields of its own.
func (h quietStart) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quietStart{h.Handler.WithAttrs(attrs), h.dev}
}
