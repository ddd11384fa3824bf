// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import "time"

// Bounds of what comes in at all ports. The page of limits shows this list, and that of package calls.
const (
	maxHeader    = 16 << 10         // bytes of the header of a request
	headerTime   = 5 * time.Second  // for a header to come
	RequestTime  = 30 * time.Second // for a request to come, and for those under way to end
	bodyGrace    = 5 * time.Second  // for the first bytes of a body, without a least rate
	bodyRate     = 128 << 10        // bytes of a body a second, at least, after that
	firstChunk   = 2 << 10          // bytes of a body that are not counted
	SmallBody    = 1 << 20          // bytes of a request to a server of few things, such as the sponsor
	bodyChunk    = 16 << 10         // bytes of a body that are counted at a time, at most
	messageBytes = 1 << 10          // bytes that a message takes beside its contents, until its calls have ended
	maxBody      = 64 << 20         // bytes of all requests and messages that are read or served, or four of the largest
	ownBody      = 12 << 20         // of these, bytes of one owner, or two of the largest

	filesPerConnection  = 4    // files of the process for each connection of clients: the database takes half of all
	mostConnections     = 4096 // connections of clients, however many files there are
	leastConnections    = 64   // connections of clients, however few files there are
	ownConnections      = 256  // connections of one owner, and at most its part of all
	ownConnectionPart   = 8    // part of all connections that one owner may have
	operatorConnections = 64   // connections of endpoints for operators and their programs
)
