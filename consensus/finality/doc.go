// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package finality proves that a block is final, from nothing but a block that the reader trusts: the genesis block or
// a checkpoint. A proof holds the sealed header of the block and the epoch headers that lead to its validators.
//
// A quorum of seals makes a block final (spec wbft 7.5). The trusted block names validators. Each epoch header that
// they sealed names others (spec wbft 3.1). A proof leaves out the epochs whose validators stay the same: a quorum of a
// set that is known to be right seals no block of another chain, however far away it is. The order of a set is shuffled
// for each epoch (spec wbft 3.5), so each sealed header comes with the order by which its seals name their signers.
//
// The package knows no node, database, network or clock. It imports the seals of consensus/wbft, and nothing else of
// gwon. Decode, Build and Verify are bounded in size, count and computation.
package finality
