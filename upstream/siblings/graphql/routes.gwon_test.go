// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
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

// A query with too many names is refused before it is validated, which takes time by their pairs. spec: rpc 9.6
func TestNamesAreBounded(t *testing.T) {
	answered := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for _, row := range []struct {
		name, query string
		status      int
	}{
		{"short", "{block{hash}}", http.StatusNoContent},
		{"as many as are allowed", "{" + strings.Repeat("a ", maxNames) + "}", http.StatusNoContent},
		{"aliases", "{" + strings.Repeat("a1:b2(c3:4){d5}", maxNames/4+1) + "}", http.StatusBadRequest},
		{"one more", "{" + strings.Repeat("_a1 ", maxNames+1) + "}", http.StatusBadRequest},
	} {
		t.Run(row.name, func(t *testing.T) {
			body, err := json.Marshal(map[string]string{"query": row.query})
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			boundNames(answered).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body)))
			if w.Code != row.status {
				t.Errorf("status %d, want %d: %s", w.Code, row.status, w.Body)
			}
		})
	}
}
