// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package loadtest sends transactions to a network and measures their inclusion (gwon-dev load). It uses only JSON-RPC
// and works with nodes of any client. Time and number of transactions are limited.
//
// A run has four parts: accounts are funded, all transactions are signed, they are submitted at their times while
// blocks are watched, and the missing ones are searched for at every node. Reads by a schedule run beside the
// submission, or alone.
package loadtest
