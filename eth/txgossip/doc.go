// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package txgossip sends transactions to peers and receives transactions from them.
//
// The package chooses between whole transactions and announcements for each peer, announces overdue submissions
// again, and filters transactions of peers before the pool. Package mempool decides about the content of the pool.
// go-ethereum's fetcher requests announced transactions.
//
// The package implements spec network 2.4 (messages of transactions), 2.5 and 5 no. 10.
package txgossip
