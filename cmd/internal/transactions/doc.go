// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package transactions has the commands gwon-dev tx: signing, co-signing, sending and decoding of transactions.
//
// The forms of transactions are package txsign, and who signs is package keys.
package transactions
