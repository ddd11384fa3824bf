// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package miner builds candidate blocks for the consensus driver: what enters a block, in which order, and how long the
// building may take (spec transactions 3.7, wbft 6.1). The building itself is go-ethereum's miner.
package miner
