// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package evidence keeps and judges contradictory messages of validators: pairs of which a validator that keeps to the
// protocol sends at most one (spec wbft 9.1 no. 6).
//
// Two messages prove little by themselves. They name no chain and carry no time (spec wbft 4.2): a key that is used in
// two networks contradicts itself without a fault, and the order of the two is unknown. Validators of go-stablenet keep
// no vote log, so an honest one may contradict itself after a restart (spec wbft 5.10). Judge separates pairs that no
// honest validator makes from pairs with an innocent explanation.
//
// A Store holds the pairs as files, within bounds. A Recorder takes them from the driver without delaying it. The
// command gwon evidence and istanbul_evidence show them with their labels and reasons.
package evidence
