// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package blockgossip handles single blocks that peers push and announce. It imports a block that passes the gate and
// has a quorum of seals, and announces it (spec network 2.6). It also judges sealed blocks that do not fit the local
// chain (spec wbft 7.5).
//
// The package contains the queue of blocks from peers, the verdict on them, the fetch of announced blocks, their
// import, and their announcement. Package eth/sync handles runs of blocks.
package blockgossip
