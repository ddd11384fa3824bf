// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import "time"

// Bounds of what comes in. Those that one client may have by flags stand in cmd/internal/settings.
const (
	maxHeader     = 16 << 10        // bytes of the header of a request
	headerTime    = 5 * time.Second // for a header to come
	bodyTime      = 30 * time.Second
	bodyGrace     = 5 * time.Second // for the first bytes of a body
	bodyRate      = 128 << 10       // bytes of a body a second, at least, after the grace
	bodyChunk     = 16 << 10        // bytes of a body that are counted at a time
	maxBody       = 64 << 20        // bytes of all bodies and messages that are read or served
	ownBody       = 12 << 20        // of one owner
	defaultBody   = 5 << 20         // bytes of one request
	maxUnread     = 128 << 20       // bytes of answers and notifications that are not read
	ownUnread     = 64 << 20
	maxSubscribed = 8192 // subscriptions
	ownSubscribed = 512
	maxFilters    = 1024
	ownFilters    = 64
	maxCriteria   = 1 << 18 // addresses and topics of filters and subscriptions
	ownCriteria   = 1 << 14

	filesPerConnection  = 4    // files of the process for each connection of clients: the database takes half of all
	mostConnections     = 4096 // of clients, however many files there are
	leastConnections    = 64
	ownConnections      = 256 // of one client, and at most as many as ownConnectionPart allows
	ownConnectionPart   = 8   // of all connections are one client's
	operatorConnections = 64  // of endpoints for operators and their programs
	ipcConnections      = 256 // of the IPC endpoint

	maxWaitingCalls = 4096                   // calls that wait for their first turn
	maxLongCalls    = 64                     // calls that have had it, and go on by turns
	shortTime       = 20 * time.Millisecond  // of the first turn
	longTime        = 50 * time.Millisecond  // of each later one
	turnPatience    = 10 * time.Second       // for the first turn
	patience        = time.Second            // of a client without units; a refusal at once would be asked for again at once
	burstSeconds    = 10                     // of units that a client can save up
	unitTime        = 100 * time.Microsecond // for a unit; about what it takes to answer eth_blockNumber over HTTP
	unitBytes       = 10_000                 // received or sent for a unit
	mostShort       = time.Millisecond       // that a call pays for which cannot keep a processor busy
	submissionChars = 400                    // of the parameters of a submission for a unit: those of one transfer
)
