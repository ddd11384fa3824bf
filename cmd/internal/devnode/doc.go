// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package devnode is what --dev adds to a node: accounts and genesis block, the directory of --state, the page, and
// what the terminal shows.
//
// The flags and what they imply for the configuration belong to package settings, the chain itself to package devchain.
package devnode
