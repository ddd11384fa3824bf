// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package txsign reads signed transactions, checks their signatures, and adds fee payers to them. It serves gwon-dev tx
// and pay/sponsor. Keys stay with the caller, which signs with a function. Nothing uses a network.
//
// The package serves spec transactions 1.2 and 1.3 (a).
package txsign
