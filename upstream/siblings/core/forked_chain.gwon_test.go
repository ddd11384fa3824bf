// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
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
	if gotDB, gotGenesis, err := forkedOver(db, genesis); gotDB != other || gotGenesis != nil ||
		!errors.Is(err, refused) {
		t.Errorf("with one: %v, %v, %v", gotDB, gotGenesis, err)
	}
	if _, err := NewBlockChain(db, genesis, nil, nil); !errors.Is(err, refused) {
		t.Errorf("the chain is opened: %v", err)
	}
}
