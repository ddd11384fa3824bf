// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/assert"
)

// The lookup of a receipt fails with ErrReceiptsMissing in a block that was stored without its receipts, whether or not
// they were looked up before.
func TestMissingReceipts(t *testing.T) {
	gspec := proposalGenesis()
	payer := common.Address{7}
	gspec.Alloc[payer] = types.Account{Balance: new(big.Int).Lsh(common.Big1, 100)}
	chain, db, block := chainOfOneBlock(t, gspec, func(b *BlockGen) {
		b.SetExtra(tipExtra(common.Big1))
		b.AddTx(delegatedTx(t, payer, 21000))
	})
	rawdb.WriteReceipts(db, block.Hash(), 1, nil)
	chain.receiptsCache.Purge()
	for _, name := range []string{"not looked up", "looked up"} {
		t.Run(name, func(t *testing.T) {
			_, err := chain.GetCanonicalReceipt(block.Transactions()[0], block.Hash(), 1, 0)
			assert.ErrorIs(t, err, ErrReceiptsMissing)
			chain.GetReceiptsByHash(block.Hash())
		})
	}
}
