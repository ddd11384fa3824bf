// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package graphql

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/internal/ethapi"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/errors"
	"github.com/graph-gophers/graphql-go/trace"
)

// anzeonSchema adds what fee-delegated transactions have to upstream's schema (spec transactions 6 no. 20).
const anzeonSchema = schema + `
    extend type Transaction {
        # FeePayer is the account that paid the gas of a fee-delegated transaction, null for others.
        feePayer(block: Long): Account
    }
`

// parseSchema returns the schema that r answers.
func parseSchema(r *Resolver) (*graphql.Schema, error) {
	parsed, err := graphql.ParseSchema(anzeonSchema, r, graphql.MaxDepth(maxQueryDepth), graphql.MaxParallelism(1),
		graphql.Tracer(helper{}))
	if err != nil {
		return nil, fmt.Errorf("parse the schema of GraphQL: %w", err)
	}
	return parsed, nil
}

// helper has the client of a query pay for its fields, which work one at a time in goroutines of the library.
type helper struct{ trace.NoopTracer }

// TraceField implements trace.Tracer. A field without work of its own is trivial.
func (helper) TraceField(ctx context.Context, _, _, _ string, trivial bool, _ map[string]any) (
	context.Context, trace.TraceFieldFinishFunc) {
	if trivial {
		return ctx, func(*errors.QueryError) {}
	}
	end := rpc.Help(ctx)
	return ctx, func(*errors.QueryError) { end() }
}

// Bounds of a query for what the library does before it looks at the context. It compares fields pair by pair, its
// parser calls itself for each bracket, and each spread copies a fragment with the spreads in it.
const (
	maxNames   = 2000 // of fields, aliases, arguments and types, and opening brackets
	maxSpreads = 10   // of fragments; the introspection of GraphiQL has 8
)

// queries serves each query as one long call, because its fields execute transactions and search for logs. It is read
// before it has a worker, and its answer is written after it: a slow client takes none.
type queries struct{ *graphql.Schema }

// ServeHTTP implements http.Handler.
func (q queries) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Query, OperationName string
		Variables            map[string]any
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBodySize))
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	err = cmp.Or(err, check(asked.Query))
	var answer []byte
	var failed error
	status := http.StatusOK
	if err == nil {
		err = rpc.RunCall(r.Context(), rpc.GraphQL, body, func(ctx context.Context) {
			response := q.Exec(ctx, asked.Query, asked.OperationName, asked.Variables)
			if len(response.Errors) > 0 {
				status = http.StatusBadRequest
			}
			if answer, failed = json.Marshal(response); len(answer) > rpc.MaxAnswer {
				failed = fmt.Errorf("the answer has more than %d bytes: ask for less", rpc.MaxAnswer)
			}
		})
	}
	if err = cmp.Or(err, failed); err != nil {
		writeRequestError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // a client that has gone needs no answer
}

// check refuses a query above the bounds. Strings and comments count too.
func check(query string) error {
	names, spreads, inName := 0, strings.Count(query, "..."), false
	for i := range len(query) {
		c := query[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf
		if letter && !inName || c == '{' || c == '[' || c == '(' {
			names++
		}
		inName = letter || inName && '0' <= c && c <= '9'
	}
	if names > maxNames || spreads > maxSpreads {
		return fmt.Errorf("the query has %d names and brackets and %d fragments, at most %d and %d are allowed: divide it",
			names, spreads, maxNames, maxSpreads)
	}
	return nil
}

// Register serves GraphQL at the HTTP endpoint of a node. Its routes name their methods. Those of New do not, so that
// http.ServeMux refuses them beside a route for every path with a method.
func Register(stack *node.Node, backend ethapi.Backend, logs *filters.FilterSystem, cors, vhosts []string) error {
	parsed, err := parseSchema(&Resolver{backend, logs})
	if err != nil {
		return err
	}
	served := node.NewHTTPHandlerStack(queries{parsed}, cors, vhosts, nil, false)
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
		for _, path := range []string{"/graphql", "/graphql/"} {
			stack.RegisterHandler("GraphQL", method+" "+path, served)
		}
	}
	for _, path := range []string{"/graphql/ui", "/graphql/ui/"} {
		stack.RegisterHandler("GraphQL UI", http.MethodGet+" "+path, GraphiQL{})
	}
	return nil
}

// paidPrice returns the effective gas price in wei of the receipt of a mined transaction. It returns nil on a chain
// without Anzeon, for a pooled transaction and without receipts (spec transactions 6 no. 16).
func (t *Transaction) paidPrice(ctx context.Context) *big.Int {
	tx, block := t.resolve(ctx)
	if tx == nil || block == nil || !t.r.backend.ChainConfig().IsAnzeon() {
		return nil
	}
	if _, err := block.resolveHeader(ctx); err != nil { // makes the block's hash known
		log.Debug("No header to find receipts by", "err", err)
		return nil
	}
	receipts, err := block.resolveReceipts(ctx)
	if err != nil {
		log.Debug("No receipts to take a gas price from", "err", err)
	}
	if t.index >= uint64(len(receipts)) {
		return nil
	}
	return receipts[t.index].EffectiveGasPrice
}

// FeePayer returns the account that pays the gas, nil without fee delegation (spec transactions 6 no. 20).
func (t *Transaction) FeePayer(ctx context.Context, args BlockNumberArgs) *Account {
	tx, _ := t.resolve(ctx)
	if tx == nil || tx.FeePayer() == nil {
		return nil
	}
	return &Account{r: t.r, address: *tx.FeePayer(), blockNrOrHash: args.NumberOrLatest()}
}
