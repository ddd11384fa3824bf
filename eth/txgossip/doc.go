// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package txgossip spreads transactions among peers and receives theirs.
//
// What belongs in it: which peers get a transaction whole and which ones an announcement, announcements of submissions
// that wait for too long, and what happens to transactions of peers before the pool sees them. Which transactions the
// node holds is for mempool. Requests for announced transactions are for go-ethereum's fetcher.
//
// It implements spec network 2.4 (messages of transactions), 2.5 and 5 no. 10.
package txgossip
