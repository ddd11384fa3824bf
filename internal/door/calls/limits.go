// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package calls

import "time"

// Bounds of JSON-RPC, for the page of limits. Those that one client may have by flags stand in cmd/internal/settings.
const (
	defaultBody = 5 << 20          // bytes of one request, without a flag
	answerTime  = 10 * time.Second // for writing an answer of a request that took too long

	MaxUnread     = 128 << 20 // bytes of answers and notifications that are not read; a block has 100 MB of receipts
	maxSubscribed = 4096      // subscriptions
	ownSubscribed = 256       // of these, subscriptions of one owner
	maxCriteria   = 1 << 18   // addresses and topics of filters and subscriptions; a filter counts as 256 at least
	ownCriteria   = 1 << 14   // of these, addresses and topics of one owner

	ipcConnections = 256 // connections of the IPC endpoint

	maxWaitingCalls = 4096                   // calls that wait for their first turn
	maxLongCalls    = 64                     // calls that have had it, and go on by turns
	shortTime       = 20 * time.Millisecond  // of the first turn
	longTime        = 50 * time.Millisecond  // of each later turn
	turnPatience    = 10 * time.Second       // for the first turn
	patience        = time.Second            // of a client without units, also before it is refused
	burstSeconds    = 10                     // seconds of units that a client can save up
	unitTime        = 100 * time.Microsecond // of a call for a unit; about what it takes to answer eth_blockNumber
	unitBytes       = 10_000                 // bytes received or sent for a unit
	mostShort       = time.Millisecond       // that a call pays for which cannot keep a processor busy
	submissionChars = 400                    // characters of a submission for a unit: those of one transfer
)
