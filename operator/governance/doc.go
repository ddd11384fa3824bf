// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package governance reads and changes the governance of an Anzeon chain from outside. It reads the system contracts,
// creates and votes on proposals, and describes the effects of a transaction before and after it. gwon gov is built
// on it.
//
// The package uses only JSON-RPC methods of eth and istanbul that a public node serves, and contract functions that
// go-stablenet's contracts have too. Before a transaction is signed, its member, proposal and coins are checked, and
// it is executed on the pending state.
//
// Spec: system-contracts 1 to 6; rpc 9.7.
package governance
