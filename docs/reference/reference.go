// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package reference has the generated description of the JSON-RPC methods, which nodes serve (rpc.discover).
package reference

import _ "embed" // of the description

// OpenRPC is the file openrpc.json, written by go run ./tools/reference.
//
//go:embed openrpc.json
var OpenRPC []byte
