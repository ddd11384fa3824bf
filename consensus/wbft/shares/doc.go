// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package shares is an experiment: a validator whose BLS key no machine has. Each of several cosigners has a share of
// the key and a vote log of its own. A node asks all of them at once, and a threshold of them, two of three, makes an
// ordinary seal of 96 bytes. No program links the package; docs/adr/0145-two-of-three-seals.md says why.
//
// A Cosigner decides by signing.Book what it approves and records it before it answers. A Committee is the key of a
// node (wbft.Keeper). Its vote log is the union of what the cosigners have. Every message needs the approval of a
// threshold, also a PRE-PREPARE and a ROUND-CHANGE, which have no seal. Two approvals meet in one cosigner, so that
// the messages of all nodes with the key contradict each other no more than those of one log.
//
// The node signs messages with the whole ECDSA key. The cosigners do not have that key. The package knows no
// connection: an Endpoint is a cosigner as a node reaches it.
//
// The package realizes spec wbft 9.1 no. 3 for several nodes with one key, and makes the seals of 2.4.
package shares
