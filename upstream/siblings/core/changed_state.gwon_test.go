// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/assert"
)

// TestChangedState checks that the state after a block is the one of its header unless a developer chain changes it.
func TestChangedState(t *testing.T) {
	t.Cleanup(func() { ChangeStates(nil) })
	root, other := common.Hash{1}, common.Hash{2}
	assert.Equal(t, root, stateRoot(7, root), "without a developer chain: root")
	ChangeStates(func(number uint64, root common.Hash) common.Hash {
		if number == 7 {
			return other
		}
		return root
	})
	assert.Equal(t, other, stateRoot(7, root), "changed block: root")
	assert.Equal(t, root, stateRoot(8, root), "unchanged block: root")
	ChangeStates(nil)
	assert.Equal(t, root, stateRoot(7, root), "after the developer chain: root")
}
