// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package session holds the connections to peers. It knows the blocks and claims of each peer, sends requests, and
// carries consensus messages in the sub-protocol istanbul/100. It also refuses peers that lied (spec network 2 and 3,
// wbft 4).
//
// Blocks that this package returns have passed the gate. All other checks are in other packages.
package session
