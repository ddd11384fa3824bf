// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"time"

	"gwon/consensus/wbft/messages"
)

// This file holds the bounds on one connection. consensus/wbft/core/limits.go says which bounds on consensus messages
// are elsewhere.
const (
	remembered     = 1024 // blocks, and consensus messages, remembered for each peer (spec network 2.6, wbft 4.4)
	earlyMessages  = 64   // consensus messages kept until the eth handshake ends, of messages.ShareBytes at most
	queuedMessages = 512  // consensus messages in the send queue of a peer, of queuedBytes at most
	queuedBytes    = 2 * messages.MaxSize

	queuedBlocks = 4  // blocks in the send queue of a peer (spec network 2.6)
	queuedHashes = 32 // announcements in the send queue of a peer
)

// Bounds on consensus messages above messages.MaxSmall (spec wbft 4.1, 4.4). In a round of at least one second a
// validator sends one PRE-PREPARE, one ROUND-CHANGE for each validator, and one repetition. A node outside of the set
// sends some when its set differs, near a change of the set.
const (
	largeAtOnce   = 16
	roundEach     = time.Second // of a validator
	strangersEach = time.Minute
	freshHead     = 10 * time.Second // age of a head up to which the set counts as current
)
