// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package snapshot writes a chain and one of its states into files that any static server can give out, and builds a
// chain database from such files after it has proven them from the genesis block. The format and the proof are those
// of docs/adr/0058-snapshot-files.md.
//
// The package reads and writes databases and files, and knows no command. Programs register its Service with a node,
// which writes snapshots while it runs.
//
// Spec: wbft 1.4 (hashes and seals), 3.1 (validator sets), 7.1 (what a quorum vouches for); chain 4 (accounts).
package snapshot
