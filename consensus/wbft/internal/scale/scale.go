// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package scale has the bound on messages as a variable, so that simulations can fill messages to the last byte with
// small blocks. Only consensus/wbft can reach it, and a program never assigns it.
package scale

// MaxMessage is the largest payload of a message in bytes (spec wbft 4.1).
var MaxMessage = 10 << 20
