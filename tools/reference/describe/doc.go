// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package describe describes the JSON-RPC methods of a node, as an OpenRPC document and as pages. The names, the
// number and the types of parameters come from the registered services, what they mean from a table for each
// namespace, and examples from the conversations in tests/rpc.
//
// The document is written by go run ./tools/reference into docs/reference, and nodes serve their part of it as
// rpc.discover (EIP-1901; package rpc).
package describe
