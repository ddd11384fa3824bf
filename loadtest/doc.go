// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package loadtest puts transactions on a network and measures what becomes of them: gwon load. It speaks JSON-RPC alone, so that it
// can be pointed at nodes of any client, and it is bounded in time and number.
//
// A run has four parts. Accounts are made and given coins; all transactions are signed; they are submitted, each at its time, while
// blocks are watched for them; and what is not in a block when the watching ends is asked for at every node.
package loadtest
