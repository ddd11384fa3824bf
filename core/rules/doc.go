// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package rules holds the rules of blocks that need neither a chain nor a state. These are the gate for every block
// from outside, bounds of headers and seals, the outline of an encoded block, difficulty, and the shares of base
// fees.
//
// The package contains functions of headers, bodies and extra data. It imports nothing of gwon and has no state.
//
// The package implements spec wbft 1.1 to 1.4 and 2.5, network 1 and 2.2, and chain 5 (gas limit) and 8.1.
package rules
