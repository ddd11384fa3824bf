// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import "time"

// Bounds of what comes in. Those that one client may have by flags stand in cmd/internal/settings. The page of limits
// shows this list.
const (
	maxHeader    = 16 << 10         // bytes of the header of a request
	headerTime   = 5 * time.Second  // for a header to come
	bodyTime     = 30 * time.Second // for a request to come
	bodyGrace    = 5 * time.Second  // for the first bytes of a body, without a least rate
	bodyRate     = 128 << 10        // bytes of a body a second, at least, after that
	bodyChunk    = 16 << 10         // bytes of a body that are counted at a time
	messageBytes = 1 << 10          // bytes that a message takes beside its contents, until its calls have ended
	maxBody      = 64 << 20         // bytes of all requests and messages that are read or served, or four of the largest
	ownBody      = 12 << 20         // of these, bytes of one owner, or two of the largest
	defaultBody  = 5 << 20          // bytes of one request, without a flag
	answerTime   = 10 * time.Second // for writing an answer of a request that took too long

	maxUnread     = 128 << 20 // bytes of answers and notifications that are not read; a block has 100 MB of receipts
	maxSubscribed = 4096      // subscriptions
	ownSubscribed = 256       // of these, subscriptions of one owner
	maxCriteria   = 1 << 18   // addresses and topics of filters and subscriptions; a filter counts as 256 at least
	ownCriteria   = 1 << 14   // of these, addresses and topics of one owner

	filesPerConnection  = 4    // files of the process for each connection of clients: the database takes half of all
	mostConnections     = 4096 // connections of clients, however many files there are
	leastConnections    = 64   // connections of clients, however few files there are
	ownConnections      = 256  // connections of one owner, and at most its part of all
	ownConnectionPart   = 8    // part of all connections that one owner may have
	operatorConnections = 64   // connections of endpoints for operators and their programs
	ipcConnections      = 256  // connections of the IPC endpoint

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
