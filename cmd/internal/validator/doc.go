// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package validator has the commands about a validator: gwon validator makes and shows its key, gwon validator votes
// moves its vote log, gwon backup and gwon restore move all of it, gwon validator standby watches it from another
// machine, and gwon evidence exports contradictory messages.
//
// Whatever keeps a validator from contradicting itself while it is not running belongs here. The vote log itself is
// package votelog (spec wbft 2.1, 2.2).
package validator
