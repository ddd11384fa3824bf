// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package txsign makes transactions of descriptions, adds fee payers to them, and submits them. It serves gwon-dev tx.
//
// What belongs here: how a transaction is described, what a signer is given, what is printed. Keys stay with the
// caller, which signs with a function. Nothing but Submit and Await uses a network.
//
// The package serves spec transactions 1.2 and 1.3 (a).
package txsign
