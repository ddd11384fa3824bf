// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package rpc holds what gwon answers over JSON-RPC beyond, and other than, upstream: the namespaces istanbul, personal
// and the miner's switches, fee delegation, and the few methods of eth whose answers differ on an Anzeon chain.
//
// Its services are registered after upstream's, in namespaces of the same names. Registration merges methods by name and
// the later one wins, so a service here replaces single methods and leaves its namespace otherwise as it is.
//
// What may enter: methods, their parameters, results and error texts. Chain rules, consensus and signing live elsewhere;
// the node is seen through Backend only.
//
// It realises spec rpc 4.5, 4.6, 6, 7 (blocks), 8 (submission) and 9.7, spec transactions 5, and spec wbft 7.6.
package rpc
