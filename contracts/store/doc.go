// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package store keeps the runtime code of system contracts in a directory, by its hash.
//
// What belongs in it: reading and writing that directory. Which code a chain needs is for package core to say; where
// the code comes from, for eth/codefetch and the commands.
//
// It serves spec chain 9 and 10: blocks that set code exist only with code of the right hash.
package store
