// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package validators holds what follows from a validator set: quorum, proposer, seal bitmaps and aggregated seals.
//
// Everything is a function of its arguments: no state database, chain, clock or log enters.
//
// The package implements spec wbft 2.5, 3.2 and 3.3.
package validators
