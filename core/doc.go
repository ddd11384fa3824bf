// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package core makes genesis blocks of Anzeon chains and knows their five system contracts: the storage that they begin
// with, the code that they get at a fork, and the figures that the engine reads from them.
//
// What belongs in it: functions of configuration, allocation and state, without goroutines, clocks, network or disk. The
// code of go-stablenet's contracts is never part of this program. It is known by its hash and supplied by a CodeSource,
// such as contracts/store. The code of our own contracts comes from package contracts. Rules of blocks that need no state
// are in core/rules.
//
// It realizes spec chain 4 (flags in an allocation), 9 and 10, the storage and genesis sections of spec system-contracts,
// and spec wbft 3.7 and 6.5.
package core
