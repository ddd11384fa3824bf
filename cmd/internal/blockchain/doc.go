// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package blockchain has the commands about the chain in a data directory: making it from a genesis file or a snapshot,
// importing, exporting, pruning and looking into it, the code of the system contracts, and proofs of finality.
//
// It also decides which chain a node runs, and supplies what the genesis block of a public network lacks (spec chain
// 1.5, 9). Opening databases is package datadir.
package blockchain
