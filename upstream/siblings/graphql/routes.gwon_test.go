// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package graphql

import (
	"context"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// pooledBackend knows pooled transactions only.
type pooledBackend struct {
	priceBackend
	pool map[common.Hash]*types.Transaction
}

func (pooledBackend) GetCanonicalTransaction(common.Hash) (bool, *types.Transaction, common.Hash, uint64, uint64) {
	return false, nil, common.Hash{}, 0, 0
}
func (b pooledBackend) GetPoolTransaction(hash common.Hash) *types.Transaction { return b.pool[hash] }

// The schema that Register serves has the fee payer (spec transactions 6 no. 20).
func TestSchemaHasFeePayer(t *testing.T) {
	plain := types.NewTx(&types.DynamicFeeTx{To: new(common.Address)})
	delegated, err := types.WrapFeeDelegated(plain, common.Address{1})
	if err != nil {
		t.Fatal(err)
	}
	served, err := parseSchema(&Resolver{backend: pooledBackend{pool: map[common.Hash]*types.Transaction{
		plain.Hash(): plain, delegated.Hash(): delegated,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for tx, want := range map[*types.Transaction]string{
		plain:     `{"transaction":{"feePayer":null}}`,
		delegated: `{"transaction":{"feePayer":{"address":"0x0100000000000000000000000000000000000000"}}}`,
	} {
		query := `{transaction(hash:"` + tx.Hash().Hex() + `"){feePayer(block:"0x1"){address}}}`
		if have := served.Exec(context.Background(), query, "", nil); string(have.Data) != want || len(have.Errors) > 0 {
			t.Errorf("type %d: %s, want %s (errors %v)", tx.Type(), have.Data, want, have.Errors)
		}
	}
}
