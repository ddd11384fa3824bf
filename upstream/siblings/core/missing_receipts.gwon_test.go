// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
)

// A receipt of a block that was taken without its receipts is an error that says so, whether they were looked up before or not.
func TestMissingReceipts(t *testing.T) {
	gspec := proposalGenesis()
	payer := common.Address{7}
	gspec.Alloc[payer] = types.Account{Balance: new(big.Int).Lsh(common.Big1, 100)}
	_, blocks, _ := GenerateChainWithGenesis(gspec, newStageEngine(), 1, func(_ int, b *BlockGen) {
		b.SetExtra(tipExtra(common.Big1))
		b.AddTx(delegatedTx(t, payer, 21000))
	})
	db := rawdb.NewMemoryDatabase()
	chain, err := NewBlockChain(db, gspec, newStageEngine(), DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer chain.Stop()
	if _, err := chain.InsertChain(blocks); err != nil {
		t.Fatal(err)
	}
	block := blocks[0]
	rawdb.WriteReceipts(db, block.Hash(), 1, nil)
	chain.receiptsCache.Purge()
	for _, name := range []string{"not looked up", "looked up"} {
		t.Run(name, func(t *testing.T) {
			if _, err := chain.GetCanonicalReceipt(block.Transactions()[0], block.Hash(), 1, 0); !errors.Is(err, ErrReceiptsMissing) {
				t.Errorf("error %v", err)
			}
			chain.GetReceiptsByHash(block.Hash())
		})
	}
}
