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
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/assert"
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
	delegated := must.Get(types.WrapFeeDelegated(plain, common.Address{1}))(t)
	served := must.Get(parseSchema(&Resolver{backend: pooledBackend{pool: map[common.Hash]*types.Transaction{
		plain.Hash(): plain, delegated.Hash(): delegated,
	}}}))(t)
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

// introspection asks for what tools of GraphQL ask for, with eight spreads of fragments.
const introspection = `query { __schema { queryType { name } mutationType { name } types { ...All }
	directives { name locations args { ...Input } } } }
	fragment All on __Type { kind name fields(includeDeprecated: true) { name args { ...Input } type { ...Kind } }
		inputFields { ...Input } interfaces { ...Kind } possibleTypes { ...Kind }
		enumValues(includeDeprecated: true) { name } }
	fragment Input on __InputValue { name type { ...Kind } defaultValue }
	fragment Kind on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`

// A query with too many names is refused before it is validated, which takes time by their pairs. spec: rpc 9.6
func TestQueriesAreBounded(t *testing.T) {
	parsed := must.Get(parseSchema(&Resolver{backend: pooledBackend{}}))(t)
	for _, row := range []struct {
		name, query string
		refused     bool
	}{
		{"short", "{block{hash}}", false},
		{"as many as are allowed", "{" + strings.Repeat("a ", maxNames-1) + "}", false},
		{"aliases", "{" + strings.Repeat("a1:b2(c3:4){d5}", maxNames/4+1) + "}", true},
		{"one more", "{" + strings.Repeat("_a1 ", maxNames+1) + "}", true},
		{"in letters of another alphabet", "{" + strings.Repeat("é ", maxNames+1) + "}", true},
		{"brackets of values", "{block(number:" + strings.Repeat("[", maxNames+1), true},
		{"brackets that strings seem to close", "{block(number:" + strings.Repeat(`["]"`, maxNames+1), true},
		{"fragments that double", "{...f}fragment f on Query{" + strings.Repeat("...f ", maxSpreads) + "}", true},
		{"inline fragments", "{" + strings.Repeat("...{", maxSpreads+1), true},
		{"introspection", introspection, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := must.Get(json.Marshal(map[string]string{"query": row.query}))(t)
			w := httptest.NewRecorder()
			queries{parsed}.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body)))
			assert.Truef(t, strings.Contains(w.Body.String(), "at most 2000 and 10 are allowed") == row.refused,
				"%d: %.200s", w.Code, w.Body)
		})
	}
}

// A client pays for the fields of its query, which the library resolves in goroutines of its own. spec: rpc 9.6
func TestQueriesAreCharged(t *testing.T) {
	d := new(chargingDoor)
	rpc.SetDoor(d)
	t.Cleanup(func() { rpc.SetDoor(nil) })
	parsed := must.Get(parseSchema(&Resolver{backend: pooledBackend{}}))(t)
	hash := common.Hash{}.Hex()
	body := `{"query":"{a:transaction(hash:\"` + hash + `\"){hash} b:transaction(hash:\"` + hash + `\"){hash}}"}`
	request := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	queries{parsed}.ServeHTTP(httptest.NewRecorder(), request)
	assert.Truef(t, d.begun.Load() == 2 && d.ended.Load() == 2,
		"%d fields are charged for, %d to their ends, want 2", d.begun.Load(), d.ended.Load())
}

// chargingDoor counts the goroutines that calls pay for.
type chargingDoor struct {
	rpc.Door
	begun, ended atomic.Int64
}

func (*chargingDoor) Request(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(w, r)
}

func (*chargingDoor) OwnerOf(string) rpc.Owner { return nil }

func (*chargingDoor) Call(context.Context, rpc.Owner, string, json.RawMessage) error { return nil }

func (d *chargingDoor) Begin(context.Context, rpc.Owner, bool) (rpc.Turn, error) {
	return chargingTurn{d}, nil
}

func (*chargingDoor) Used(rpc.Owner, string, time.Duration) {}

type chargingTurn struct{ *chargingDoor }

func (t chargingTurn) Help() (end func()) {
	t.begun.Add(1)
	return func() { t.ended.Add(1) }
}

func (chargingTurn) Pause(context.Context, bool) error { return nil }

func (chargingTurn) Paused() time.Duration { return 0 }

func (chargingTurn) End() (time.Duration, error) { return 0, nil }
