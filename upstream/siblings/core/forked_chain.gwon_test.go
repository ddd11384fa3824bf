// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/stretchr/testify/assert"
)

// TestForkedChain checks that a chain is opened with its database and genesis unless a developer chain continues a
// network.
func TestForkedChain(t *testing.T) {
	t.Cleanup(func() { OpenForked(nil) })
	db, other, genesis := rawdb.NewMemoryDatabase(), rawdb.NewMemoryDatabase(), new(Genesis)
	if gotDB, gotGenesis, err := forkedOver(db, genesis); gotDB != db || gotGenesis != genesis || err != nil {
		t.Errorf("without a developer chain: %v, %v, %v", gotDB, gotGenesis, err)
	}
	refused := errors.New("refused")
	OpenForked(func(ethdb.Database, *Genesis) (ethdb.Database, *Genesis, error) { return other, nil, refused })
	gotDB, gotGenesis, err := forkedOver(db, genesis)
	assert.Truef(t, gotDB == other && gotGenesis == nil && errors.Is(err, refused),
		"with one: %v, %v, %v", gotDB, gotGenesis, err)
	_, err = NewBlockChain(db, genesis, nil, nil)
	assert.ErrorIs(t, err, refused, "the chain is opened")
}
