// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package store keeps the runtime code of system contracts in a directory, by its hash.
//
// The package reads and writes that directory. Package core defines the code that a chain needs. The commands and
// eth/codefetch obtain it.
//
// The package serves spec chain 9 and 10: a block that sets code needs code with the right hash.
package store
