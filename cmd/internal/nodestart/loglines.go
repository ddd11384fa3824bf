// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"context"
	"log/slog"
	"regexp"
	"strings"

	"github.com/ethereum/go-ethereum/log"
)

// needlessLines are messages of upstream, above the debug level, that have no meaning on this chain or for an operator.
var needlessLines = map[string]bool{
	"Allocated cache and file handles":                               true,
	"Allocated trie memory caches":                                   true,
	"Defaulting to pebble as the backing database":                   true, // another line names the database
	"Disabled transaction unindexing for archive node":               true, // as asked for
	"Enabling recording of key preimages since archive mode is used": true, // as asked for
	"Engine API maximum reorg depth":                                 true, // there is no Engine API
	"Enabled full-sync":                                              true, // as configured
	"Enabled state history indexing":                                 true, // as configured
	"Enabled trienode history indexing":                              true, // as configured
	"Exported blockchain to":                                         true, // a part of an export
	"Exporting blockchain":                                           true, // a part of an export
	"Gasprice oracle is ignoring threshold set":                      true, // the tip is governed
	"IPC endpoint opened":                                            true, // a line of gwon names all endpoints
	"Initialising Ethereum protocol":                                 true, //nolint:misspell // upstream's word
	"Initialized path database":                                      true,
	"Initialized transaction indexer":                                true, // as configured
	"Load database journal from disk":                                true,
	"Load database journal from file":                                true,
	"New local node record":                                          true, // the next line has the URL
	"Opened ancient database":                                        true,
	"Started log indexer":                                            true,
	"Starting peer-to-peer node":                                     true, // a line of gwon says that it has started
	"State scheme set to already existing":                           true,
	"State schema set to default":                                    true,
	"State snapshot generator is not found":                          true, // the genesis state
	"Using pebble as the backing database":                           true,
	"Head block is not reachable":                                    true, // before the genesis block is written
	"Inserted known block":                                           true, // executed again after a kill
	"Initialized history indexing flag":                              true, // as configured
	"Initialized trienode history":                                   true, // as asked for
	"Initializing the KZG library":                                   true, // not set up without blobs
	"Marked indexing initer as synced":                               true,
	"Opened Era store":                                               true, // there are no era files
	"Maximum peer count":                                             true, // as configured
	"Set global gas cap":                                             true, // as configured
	"Sanitizing invalid node buffer size":                            true, // the next line has the size in use
	"Pebble database uses legacy v1 format; upgrade offline with 'geth db pebble-upgrade'": true, // adopted, stays
}

// needlessDevLines are those of a node that has no peers, goes back to snapshots and is killed on purpose.
var needlessDevLines = map[string]bool{
	"P2P server will be useless, neither dialing nor listening": true,
	"Rewinding blockchain to block":                             true, // the next block says so
	"Unclean shutdown detected":                                 true,
}

// importLine is upstream's line about imported blocks. Of a single block, gwon has a line of its own.
const importLine = "Imported new chain segment"

// crashLine begins upstream's line about a call that a panic has ended, and damagePart is a part of it where damage
// is the reason: the stack then says nothing.
const (
	crashLine  = "RPC method "
	damagePart = " crashed: fatal: "
)

// tellCritical prints what ends the process in place of its line; nil leaves the line. It is set before other
// goroutines write.
var tellCritical func(slog.Record)

// isSingle reports whether a line of upstream is about one imported block.
func isSingle(r slog.Record) (single bool) {
	if r.Message != importLine {
		return false
	}
	r.Attrs(func(a slog.Attr) bool {
		single = a.Key == "blocks" && a.Value.String() == "1"
		return a.Key != "blocks"
	})
	return single
}

// configLine matches a line of the chain's configuration, which every start would repeat; gwon genesis show has it too.
var configLine = regexp.MustCompile(`^(-*|Chain ID: .*|Consensus: .*|Forks, by block:|System contracts:| - .*)$`)

// isConfig reports whether a line of upstream is one of the chain's configuration.
func isConfig(r slog.Record) bool { return r.NumAttrs() == 0 && configLine.MatchString(r.Message) }

// isMissingJournal reports whether a line is about the journal of states that a new database does not have yet.
func isMissingJournal(r slog.Record) (missing bool) {
	if r.Message != "Failed to load journal, discard it" {
		return false
	}
	r.Attrs(func(a slog.Attr) bool {
		missing = a.Value.String() == "journal not found"
		return false
	})
	return missing
}

// foreignAdvice begins the name of a command that this program does not have.
const foreignAdvice = "'geth "

// quietHandler moves needless lines to the debug level. It implements slog.Handler on top of upstream's.
type quietHandler struct {
	slog.Handler
	dev bool
}

// QuietLog moves needless lines of upstream to the debug level, and on a developer chain those about missing peers too.
func QuietLog(dev bool) {
	log.SetDefault(log.NewLogger(quietHandler{log.Root().Handler(), dev}))
}

// Handle writes a line, unless it is needless and the debug level is not asked for.
func (h quietHandler) Handle(ctx context.Context, r slog.Record) error {
	if before, _, advises := strings.Cut(r.Message, foreignAdvice); advises {
		fact, _, found := strings.Cut(before, ";")
		if !found {
			return nil // the error that ends the start says what to do
		}
		r.Message = fact
	}
	if r.Level >= log.LevelCrit && tellCritical != nil {
		tellCritical(r)
		return nil
	}
	if strings.HasPrefix(r.Message, crashLine) && strings.Contains(r.Message, damagePart) {
		r.Message, _, _ = strings.Cut(r.Message, "\n")
		r.Message, _, _ = strings.Cut(r.Message, "; bounds:") // keys
	}
	needless := needlessLines[r.Message] || h.dev && needlessDevLines[r.Message] || isSingle(r) || isConfig(r) ||
		isMissingJournal(r)
	if needless && r.Level > log.LevelDebug && r.Level < log.LevelError {
		r.Level = log.LevelDebug
		if !h.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs returns the handler of a logger with fields of its own.
func (h quietHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quietHandler{h.Handler.WithAttrs(attrs), h.dev}
}
