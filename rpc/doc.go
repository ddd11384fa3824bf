// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package rpc implements the JSON-RPC methods in which gwon differs from upstream. These are the namespaces istanbul
// and personal, the miner's switches, fee delegation, and the eth methods whose results differ on an Anzeon chain.
//
// The services are registered after upstream's, in namespaces of the same names. Registration merges methods by name,
// and the later method wins. A service here therefore replaces single methods and keeps the others of its namespace.
//
// The package contains methods, their parameters, results and error texts. Chain rules, consensus and signing are in
// other packages. Backend is the only access to the node.
//
// The package implements spec rpc 4.5, 4.6, 6, 7 (blocks), 8 (submission) and 9.7, spec transactions 5, and spec wbft
// 7.6.
package rpc
