// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package devnet lays out a private network of several validators on one machine and keeps its processes running: keys,
// genesis file, static peers on loopback, one process of the gwon binary for each validator. It is the product behind gwon
// devnet and the ground that the whole-node tests stand on. What a node does is not its business; it knows nodes by
// their command line and their JSON-RPC only.
//
// Spec: network 10 (a private network, step by step), network 8 (data directory, node key).
package devnet
