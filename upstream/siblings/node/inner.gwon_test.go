// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/must"
)

// Stored receipts of a node's database are viewed without a copy: two views see the same memory.
func TestViewsOfTheDatabaseOfANode(t *testing.T) {
	stack := must.Get(New(&Config{DataDir: t.TempDir()}))(t)
	defer func() { _ = stack.Close() }()
	db := must.Get(stack.OpenDatabaseWithOptions("chaindata", DatabaseOptions{AncientsDirectory: t.TempDir()}))(t)
	if _, ok := db.(interface{ Inner() ethdb.Database }); !ok {
		t.Fatalf("%T hides the database of a node", db)
	}
	rawdb.WriteRawReceipts(db, common.Hash{1}, 1, make([]byte, 1000))
	var first, second *byte
	for _, begin := range []**byte{&first, &second} {
		must.Do(t, rawdb.ViewReceiptsRLP(db, common.Hash{1}, 1, func(encoded []byte) error {
			*begin = &encoded[0]
			return nil
		}))
	}
	if first != second {
		t.Error("the bytes are copied")
	}
}
