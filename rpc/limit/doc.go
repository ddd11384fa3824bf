// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package limit bounds what one client may ask of a public node: units a second, requests in flight, WebSocket
// connections and subscriptions. It stands in front of go-ethereum's handlers of HTTP and WebSocket.
//
// A client is an IPv4 address or 64 bits of an IPv6 address. 56 and 48 bits of it have bounds of their own. The header
// X-Forwarded-For counts only in requests of proxies that the operator trusts. A loopback or private address that is no
// trusted proxy stands for an unknown number of clients, the operator among them, and is not limited.
//
// Requests and calls cost a unit each. The time that a call has run and the bytes that were carried are charged
// afterwards, so a client can owe units. A client without units waits for a second at most, and then is refused.
//
// Refusals are JSON-RPC errors with code -32005 (spec rpc 2.5, 9.6). All tables are bounded. The defaults are those of
// the flags, in cmd/internal/settings.
package limit
