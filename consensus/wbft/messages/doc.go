// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package messages is the wire form of WBFT: the four consensus messages, their RLP layouts, what their signatures
// cover, and the recovery of signers.
//
// Decoding is strict and bounded, so that a decoded message is well-formed: sizes of digests, seals and signatures
// are right, numbers fit, lists are short. Whether it is true (who signed, which view, which seals) is for its user
// to judge. No peer, state machine or clock enters. It realises spec wbft 4.1 to 4.4 and the message signatures of
// 2.3.
package messages
