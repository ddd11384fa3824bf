// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package inspect decodes transactions for people and programs: a summary in plain words, the called function with its
// arguments, logs, fee and fee payer, changes of balances, the tree of calls, and the reason of a failure.
//
// Everything is read over JSON-RPC, so that any node of the network will do. The package knows no command and no page;
// both show the same structure. It realizes no rule of the chain. It relies on spec chain 5 (logs of transfers),
// transactions 1.2 (fee delegation) and system-contracts (interfaces).
package inspect
