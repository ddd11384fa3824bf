// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package nextepoch computes the next validator set at an epoch block: diligence, order, shuffle. Who checks seals of a
// given set does without it. Everything is a function of its arguments: callers collect the blocks of an epoch and the
// list of the contract.
//
// The package implements spec wbft 3.5.
package nextepoch
