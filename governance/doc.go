// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package governance governs an Anzeon chain from outside: it reads what the system contracts hold, makes and votes on proposals, and tells
// in words what a transaction would do and what it did. It is the product behind gwon gov.
//
// It knows nodes by JSON-RPC only, methods of eth and istanbul that a public node answers, and the contracts by what the reference's
// have too. A transaction is signed only after it was looked at: member, proposal, coins, and a call on the pending state.
//
// Spec: system-contracts 1 to 6; rpc 9.7.
package governance
