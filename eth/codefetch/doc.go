// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package codefetch asks the peers of a network for contract code by its hash. The code of the system contracts is part of
// the genesis block, so a node without it has nothing to start from (spec chain 9.1, 11): Fetch asks before there is a chain.
// Code that only an upgrade needs can come later: a Seeker asks the snap peers of the running node for it.
//
// Fetch runs a peer-to-peer server of its own that speaks eth/68 and snap/1 (spec network 2.1 to 2.4 and 4). On eth it says
// that it stands at genesis and refuses peers of other networks; on snap it sends GetByteCodes. Every code is checked
// against the hash it was asked by, so a peer need not be trusted. Requests of others get empty answers: a node without
// blocks has nothing that it could prove.
package codefetch
