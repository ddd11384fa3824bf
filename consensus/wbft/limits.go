// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

// This file holds the bounds on messages that wait for the core. core/limits.go says which bounds are elsewhere.
const (
	// shareMessages and messages.ShareBytes bound the share of a node in the inbox, and inboxBytes bounds all shares.
	// The largest share evicts first.
	shareMessages = 512
	inboxBytes    = 128 << 20

	// strangerRate bounds the messages per second from all peers that are no validators. Only a validator of the next
	// epoch has a reason to send some. Their main cost is the recovery of signatures.
	strangerRate = 64
)
