// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package params holds what is fixed by agreement. It has the two public networks (8282 and 8283), development
// networks, and the constants of an Anzeon chain. The types of the configuration section are in go-ethereum's params
// package, because its ChainConfig refers to them. This package aliases them.
//
// The package contains numbers, addresses, boot nodes and configurations, without rules, state, input or output.
//
// The package implements spec chain 1 and 11 and spec network 1.
package params
