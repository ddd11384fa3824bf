// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package signing is the decision about what a validator key may sign, and how a message gets its seal and signature.
// The decision is pure: it sees what the key has signed in a sequence, and the next message.
//
// Two programs ask it: the consensus core of a node, and gwon-signer for a node without a key. So both refuse the same
// messages. A Book knows the signed messages of one sequence. An Intent is a message that the core wants to be signed.
//
// The package implements spec wbft 9.1 no. 3, and the signatures of 2.3 and 2.4.
package signing
