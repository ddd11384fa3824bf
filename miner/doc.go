// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package miner builds candidate blocks for the consensus driver: their transactions, the order of these, and the time
// for building. It bounds time, bytes and receipts besides gas, and remembers the senders whose transactions have cost
// a proposal too much time. The building itself is go-ethereum's miner. Specification: transactions 3.7, wbft 6.1.
package miner
