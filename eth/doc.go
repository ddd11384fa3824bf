// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package eth is the node service of an Anzeon chain around go-ethereum's own: it wires the WBFT engine and its driver with the parts
// that deal with peers, which are packages below this one, follows the head of the chain, and keeps the finality marker
// (spec network 2 and 3, wbft 4 and 7.4).
//
// go-ethereum's service stays in charge of the database, the pool, the peers and their requests; this package wraps its
// protocol backend and never reaches into it.
package eth
