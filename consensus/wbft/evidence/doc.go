// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package evidence keeps and judges contradictory messages of validators: pairs of which one that keeps to the protocol
// sends only one (spec wbft 9.1 no. 6).
//
// What two messages show is limited. They name no chain and carry no time (spec wbft 4.2): a key that is used in two
// networks contradicts itself without a fault, and which of two messages came first is not known. And validators of the
// reference keep no record of what they have signed, so an honest one may contradict itself after a restart (spec wbft
// 5.10). Judge says which of the pairs no honest validator makes, whatever happened to it, and which have an innocent
// explanation.
//
// A Store holds the pairs as files, within bounds. A Recorder takes them from the driver without holding it up. A Jury
// knows the validators of a sequence, from a list, a node or a chain. Judgments are the report of gwon evidence verify.
package evidence
