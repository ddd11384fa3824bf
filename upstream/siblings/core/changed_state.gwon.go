// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
)

// ChangedState returns the root of the state that stands in place of the one with this root after the block number.
type ChangedState func(number uint64, root common.Hash) common.Hash

// changedState is nil in every process but that of a developer chain.
var changedState atomic.Pointer[ChangedState]

// ChangeStates makes every chain of this process read the state after a block where f says. It is for developer chains,
// whose state test methods change between two blocks. Nil ends it.
func ChangeStates(f ChangedState) {
	if f == nil {
		changedState.Store(nil)
		return
	}
	changedState.Store(&f)
}

// stateRoot returns the root of the state after a block whose header has root.
func stateRoot(number uint64, root common.Hash) common.Hash {
	if f := changedState.Load(); f != nil {
		return (*f)(number, root)
	}
	return root
}
