// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package messages is the wire form of WBFT: the four consensus messages, their RLP layouts, what their signatures
// cover, and the recovery of signers.
//
// Decoding is strict and bounded: sizes of digests, seals and signatures are right, numbers fit, and lists are short.
// The user of the package judges authors, views and seals. No peer, state machine or clock enters.
//
// The package implements spec wbft 4.1 to 4.4 and the message signatures of 2.3.
package messages
