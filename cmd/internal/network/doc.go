// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package network decides which chain a node runs, and supplies what the genesis block of a public network lacks (spec
// chain 1.5, 9). Commands about a stored chain are package blockchain.
package network
