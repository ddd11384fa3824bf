// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// TestChangedState checks that the state after a block is the one of its header unless a developer chain changes it.
func TestChangedState(t *testing.T) {
	t.Cleanup(func() { ChangeStates(nil) })
	root, other := common.Hash{1}, common.Hash{2}
	if got := stateRoot(7, root); got != root {
		t.Errorf("without a developer chain: root %v", got)
	}
	ChangeStates(func(number uint64, root common.Hash) common.Hash {
		if number == 7 {
			return other
		}
		return root
	})
	if got := stateRoot(7, root); got != other {
		t.Errorf("changed block: root %v", got)
	}
	if got := stateRoot(8, root); got != root {
		t.Errorf("unchanged block: root %v", got)
	}
	ChangeStates(nil)
	if got := stateRoot(7, root); got != root {
		t.Errorf("after the developer chain: root %v", got)
	}
}
