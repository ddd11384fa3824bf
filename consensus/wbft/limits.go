// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import "gwon/consensus/wbft/messages"

// This file holds the bounds on messages that wait for the core, or for a view in which they are useful again.
// core/limits.go says which bounds are elsewhere.
const (
	// shareMessages and messages.ShareBytes bound the share of a node in the inbox, and inboxBytes bounds all shares.
	// The largest share evicts first.
	shareMessages = 512
	inboxBytes    = 128 << 20

	// strangerRate bounds the messages per second from all peers that are no validators. Only a validator of the next
	// epoch has a reason to send some. Their main cost is the recovery of signatures.
	strangerRate = 64

	// droppedBytes bounds the large messages that are held until they are welcome again.
	droppedBytes = 3 * messages.MaxSize
)
