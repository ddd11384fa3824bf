// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package calls is the door of JSON-RPC: it implements the Door of go-ethereum's package rpc with the owners, accounts,
// queues and rates of package door. Clients pay units for their calls, bytes and time. Calls that can take long have
// turns.
//
// Specification: rpc 2.5, 9.6.
package calls
