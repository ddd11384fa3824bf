// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package senderindex finds fee-delegated transactions by the hash that their sender knows.
//
// The sender of a transaction of type 0x16 signs a type-2 transaction, and may know the hash of that one alone. The
// index has one row for each mined transaction of type 0x16: from the sender's hash to the transaction hash and the
// block number. It covers a range of blocks that ends at the head and begins where the transaction index begins
// (--history.transactions). It is a table of its own in the database of the chain.
//
// What belongs here: the table, and the goroutine that keeps it. The goroutine follows the heads of the chain. Older
// blocks, after an import or a snap sync, are indexed backwards from there. Rows of a batch and the range that they
// belong to are one write, so that a crash at any moment leaves a correct index.
//
// The package serves spec transactions 1.2.
package senderindex
