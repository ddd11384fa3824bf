// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package devnet creates a private network of several validators on one machine and supervises its processes. It
// writes keys, genesis file and static peers on loopback, and runs one process of the gwon binary for each validator.
// gwon-dev devnet and the whole-node tests are built on it. The package uses nodes only by their command line and
// JSON-RPC.
//
// Spec: network 10 (a private network, step by step), network 8 (data directory, node key).
package devnet
