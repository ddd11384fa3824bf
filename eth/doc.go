// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package eth is the node service of an Anzeon chain around go-ethereum's own: it wires the WBFT engine and its driver,
// carries consensus messages (istanbul/100), spreads blocks over eth/68, follows peers that are ahead, and keeps the
// finality marker (spec network 2 and 3, wbft 4 and 7.4).
//
// go-ethereum's service stays in charge of the database, the pool, the peers and their requests; this package wraps its
// protocol backend and never reaches into it.
package eth
