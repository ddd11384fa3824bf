// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package eth is the node service of an Anzeon chain around go-ethereum's own. It connects the WBFT engine and its
// driver with the packages for peers below this one. It follows the head of the chain and keeps the finality marker
// (spec network 2 and 3, wbft 4 and 7.4).
//
// go-ethereum's service remains in charge of the database, the pool, the peers and their requests. This package wraps
// its protocol backend.
package eth
