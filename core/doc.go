// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package core builds genesis blocks of Anzeon chains and describes their five system contracts. It defines their
// initial storage, their code at each fork, and the values that the engine reads from them.
//
// The package contains functions of configuration, allocation and state, without goroutines, clocks, network or disk.
// The code of go-stablenet's contracts is never part of this program. A CodeSource, such as contracts/store, supplies
// it by its hash. The code of gwon's own contracts comes from package contracts. Rules of blocks that need no state
// are in core/rules.
//
// The package implements spec chain 4 (flags in an allocation), 9 and 10, the storage and genesis sections of spec
// system-contracts, and spec wbft 3.7 and 6.5.
package core
