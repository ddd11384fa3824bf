// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package wellknown has the keys of the accounts that development networks fund: those of gwon-dev devnet, and those of
// the phrase that developer tools share. Everybody has them. Coins on these accounts are worthless on any chain.
package wellknown
