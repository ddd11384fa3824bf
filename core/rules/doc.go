// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package rules holds the rules of blocks that need neither a chain nor a state: the gate that every block from outside
// passes, bounds of headers and seals, the outline of a block that is not decoded yet, difficulty, and the shares of
// the base fees.
//
// What belongs in it: functions of headers, bodies and extra data. It is a leaf: it imports nothing of gwon, and keeps
// nothing between two calls.
//
// It realizes spec wbft 1.1 to 1.4 and 2.5, network 1 and 2.2, and chain 5 (gas limit) and 8.1.
package rules
