// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package light is a JSON-RPC endpoint that has no chain. It reads what a question needs from nodes, proves it with
// package consensus/finality/remotestate, and answers as a node of gwon does.
//
// What belongs here: the methods that are offered, the reasons why others are refused, the newest proven block, and the
// bounds of a request. Answers are made by go-ethereum's own services over a backend of proven headers, blocks,
// receipts and state. They are therefore those of a node, byte for byte.
//
// The package knows no node of this process. It implements spec rpc 5, 6 and 7 (blocks), as far as they can be proven.
package light
