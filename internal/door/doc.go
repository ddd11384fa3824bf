// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package door takes requests in, for all ports of all programs. It decides once who the owner of a request is, keeps
// one account for each resource, and has owners take turns.
//
// An owner is a list of names, from the narrowest on: an address and its networks, a connection, or an API key. A wider
// name may have allowanceOf times as much as the narrowest one. What is here:
//
//	Owner    the names that a request counts for, from its address and the proxies that are trusted
//	Account  what owners have of one resource; above the bound of all, the largest share goes
//	Queue    places, for which callers wait; owners take turns
//	Rates    units a second, which an owner can save up or owe
//
// What all of this is for JSON-RPC is package calls, which programs without a JSON-RPC of their own do not link. Every
// bound stands in limits.go, from which the page of limits is generated.
//
// Specification: rpc 2.5, 9.6.
package door
