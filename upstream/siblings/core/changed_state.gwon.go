// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import "github.com/ethereum/go-ethereum/common"

// changedState returns the root of the state that stands in place of the one with this root after the block number. It
// is nil but in the process of a developer chain. A program that does not call ChangeStates has no code that sets it.
var changedState func(number uint64, root common.Hash) common.Hash

// ChangeStates makes every chain of this process read the state after a block where f says. The program calls it before
// it has a chain. It is for developer chains, whose state test methods change between two blocks. Nil ends it. It is
// a symbol of each program that calls it.
//
//go:noinline
func ChangeStates(f func(number uint64, root common.Hash) common.Hash) { changedState = f }

// stateRoot returns the root of the state after a block whose header has root.
func stateRoot(number uint64, root common.Hash) common.Hash {
	if changedState == nil {
		return root
	}
	return changedState(number, root)
}
