// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package blockchain has the commands about the chain in a data directory: making it from a genesis file or a snapshot,
// importing, exporting, pruning and looking into it, the code of the system contracts, and proofs of finality.
//
// Opening databases is package datadir, and the choice of the chain that a node runs is package network.
package blockchain
