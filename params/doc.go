// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package params holds what is fixed by agreement and not by code: the two public networks (8282 and 8283), development
// networks, and the constants of an Anzeon chain. The configuration section types live in go-ethereum's params package,
// because its ChainConfig names them; this package aliases them and fills them in.
//
// What may enter: figures, addresses, boot nodes, configurations. No rules, no state, no input or output.
//
// It realises spec chain 1 and 11 and spec network 1.
package params
