// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package validators holds what follows from a validator set: quorum, proposer, seal bitmaps and aggregated seals,
// and the computation of the next set at an epoch block (diligence, order, shuffle).
//
// Everything is a function of its arguments: no state database, chain, clock or log enters. Callers collect the blocks
// of an epoch and the list of the contract.
//
// The package implements spec wbft 2.5, 3.2, 3.3 and 3.5.
package validators
