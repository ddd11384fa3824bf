// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package miner builds candidate blocks for the consensus driver: what enters a block, in which order, and how long the
// building may take (spec transactions 3.7, wbft 6.1). It bounds time, bytes and receipts besides gas, and remembers the
// senders whose transactions have cost a proposal too much. The building itself is go-ethereum's miner.
package miner
