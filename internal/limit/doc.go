// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package limit bounds what the owners of requests use, for the RPC of the node and for the sponsor. The text of a
// refusal, and what a request costs, belong to the caller.
//
// An owner is a list of names, from the narrowest on: an address and its networks, a connection, or an API key. A wider
// name may have rpc.AllowanceOf times as much as the narrowest one. All tables are bounded:
//
//	Shares  what is under way at the same time; nothing waits
//	Queue   places, for which callers wait until their contexts end; the owner that has used least lately comes first
//	Rates   units a second, which an owner can save up or owe
//	Workers the queue for long calls of RPC clients
//
// Specification: rpc 9.6.
package limit
