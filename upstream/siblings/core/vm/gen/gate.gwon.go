// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

// gate returns the condition, behind "rules.", under which an opcode introduced by a fork gets its own case. The Anzeon
// instruction set takes over the opcodes of Shanghai without that fork being active (spec chain 2.2).
func gate(fork string) string {
	if fork == "IsShanghai" {
		return "IsShanghai || rules.IsAnzeon"
	}
	return fork
}
