// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package remotestate reads a chain from nodes that need not be trusted: headers, accounts, storage, code, blocks and
// receipts. Seals prove a header from a trusted block on, with package consensus/finality. Merkle paths prove
// everything else against a proven header.
//
// What belongs here: questions to endpoints, the verification of their answers, and the store of what was proven. A
// node that lies is named and left. Every answer is bounded in bytes and in time. The store is checked like an answer
// when it is read.
//
// The package knows no node of this process. It serves spec wbft 3.1 and 7.1, rows 16 and 17, and spec rpc 5.
package remotestate
