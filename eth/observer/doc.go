// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package observer turns new blocks and steps of the consensus into metrics.
//
// The Observer follows the chain: seals and proposals by validator, rounds, intervals, gas, fee delegation and epochs.
// A follower has these metrics, too. Steps measures the rounds of a validator. The package reads and never decides:
// nothing depends on it, and a node without --metrics runs without it (spec wbft 1, 3).
package observer
