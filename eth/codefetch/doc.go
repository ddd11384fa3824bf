// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package codefetch requests contract code from peers by its hash. The code of the system contracts is part of the
// genesis block (spec chain 9.1, 11). Fetch therefore runs before there is a chain. A Seeker requests code for later
// upgrades from the snap peers of the running node.
//
// Fetch runs its own peer-to-peer server with eth/68 and snap/1 (spec network 2.1 to 2.4 and 4). On eth it announces
// the genesis block and refuses peers of other networks; on snap it sends GetByteCodes. Every code is checked against
// its hash, so peers need no trust. Requests of other nodes get empty responses.
package codefetch
