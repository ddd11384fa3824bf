// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Stored receipts of a node's database are viewed without a copy: two views see the same memory.
func TestViewsOfTheDatabaseOfANode(t *testing.T) {
	stack := must.Get(New(&Config{DataDir: t.TempDir()}))(t)
	defer func() { _ = stack.Close() }()
	db := must.Get(stack.OpenDatabaseWithOptions("chaindata", DatabaseOptions{AncientsDirectory: t.TempDir()}))(t)
	_, ok := db.(interface{ Inner() ethdb.Database })
	require.Truef(t, ok, "%T hides the database of a node", db)
	rawdb.WriteRawReceipts(db, common.Hash{1}, 1, make([]byte, 1000))
	var first, second *byte
	for _, begin := range []**byte{&first, &second} {
		must.Do(t, rawdb.ViewReceiptsRLP(db, common.Hash{1}, 1, func(encoded []byte) error {
			*begin = &encoded[0]
			return nil
		}))
	}
	assert.True(t, first == second, "the bytes are copied")
}
