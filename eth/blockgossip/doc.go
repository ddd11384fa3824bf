// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package blockgossip takes the blocks that peers push and announce, one by one. It imports a block that passes the
// gate and has a quorum of seals, and passes it on (spec network 2.6). It also judges sealed blocks that do not fit the
// chain of this node (spec wbft 7.5).
//
// What belongs in it: the queue of blocks from peers, the verdict on them, the fetching of announced blocks, their
// import, and their announcement. Runs of blocks are for eth/sync.
package blockgossip
