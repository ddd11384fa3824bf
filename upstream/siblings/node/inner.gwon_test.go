// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
)

// Stored receipts of a node's database are viewed without a copy: two views see the same memory.
func TestViewsOfTheDatabaseOfANode(t *testing.T) {
	stack, err := New(&Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stack.Close() }()
	db, err := stack.OpenDatabaseWithOptions("chaindata", DatabaseOptions{AncientsDirectory: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := db.(interface{ Inner() ethdb.Database }); !ok {
		t.Fatalf("%T hides the database of a node", db)
	}
	rawdb.WriteRawReceipts(db, common.Hash{1}, 1, make([]byte, 1000))
	var first, second *byte
	for _, begin := range []**byte{&first, &second} {
		if err := rawdb.ViewReceiptsRLP(db, common.Hash{1}, 1, func(encoded []byte) error {
			*begin = &encoded[0]
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if first != second {
		t.Error("the bytes are copied")
	}
}
