// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package core holds the chain rules of an Anzeon chain that need no inside knowledge of go-ethereum: how a genesis
// specification becomes a genesis block, what the five system contracts hold in their storage, which of them change their
// code at a fork, what the engine reads from them, and how the base fee of a block is shared out.
//
// What may enter: functions of configuration, allocation and state, without goroutines, clocks, network or disk. The code of
// the reference's contracts is never part of this program; it is known by its hash and supplied by a CodeSource. That of our
// own comes from package contracts. CodeStore is a source on disk, and the only thing here that touches files.
//
// It realises spec chain 4 (flags in an allocation), 8.1, 9 and 10, the storage and genesis sections of spec
// system-contracts, and spec wbft 3.7 and 6.5.
package core
