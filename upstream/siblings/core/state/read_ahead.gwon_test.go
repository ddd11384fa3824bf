// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"errors"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

// TestReadAhead checks that accounts and slots are named before they are read, and that a failure is that of the read.
func TestReadAhead(t *testing.T) {
	t.Cleanup(func() { ReadAhead(nil) })
	statedb := must.Get(New(types.EmptyRootHash, NewDatabaseForTesting()))(t)
	account, slot := common.Address{1}, common.Hash{2}
	statedb.GetBalance(common.Address{9})
	var named []common.Address
	var slots []common.Hash
	ReadAhead(func(address common.Address, slot *common.Hash) error {
		if named = append(named, address); slot != nil {
			slots = append(slots, *slot)
		}
		return nil
	})
	statedb.GetBalance(account)
	must.Get(statedb.reader.Storage(account, slot))(t)
	assert.Truef(t, slices.Equal(named, []common.Address{account, account}) && slices.Equal(slots, []common.Hash{slot}),
		"accounts %v, slots %v", named, slots)
	failed := errors.New("failed")
	ReadAhead(func(common.Address, *common.Hash) error { return failed })
	statedb.GetBalance(common.Address{3})
	assert.ErrorIs(t, statedb.Error(), failed, "error of the state")
}
