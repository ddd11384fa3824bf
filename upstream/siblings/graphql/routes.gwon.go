// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/internal/ethapi"
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

// helper has the client of a query pay for its fields, whose goroutines are those of the library. They work one at a
// time, because a query has one worker.
type helper struct{ trace.NoopTracer }

// TraceField implements trace.Tracer. A field without work of its own is trivial.
func (helper) TraceField(ctx context.Context, _, _, _ string, trivial bool, _ map[string]any) (
	context.Context, trace.TraceFieldFinishFunc) {
	end := func() {}
	if !trivial {
		end = rpc.Help(ctx)
	}
	return ctx, func(*errors.QueryError) { end() }
}

// maxNames is how many names a query may have: of fields, aliases, arguments and types. Whether fields of one name may
// stand beside each other is looked at pair by pair, before anything is resolved or can be canceled.
const maxNames = 2000

// checkNames refuses queries with too many names.
func checkNames(body []byte) error {
	var request struct {
		Query string `json:"query"`
	}
	// The handler says what is wrong with a body that cannot be decoded.
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&request); err == nil {
		if n := names(request.Query); n > maxNames {
			return fmt.Errorf("the query has %d names, at most %d are allowed: divide it", n, maxNames)
		}
	}
	return nil
}

// names returns the number of names in a query. Words of strings and comments count too.
func names(query string) (n int) {
	inName := false
	for i := range len(query) {
		c := query[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if letter && !inName {
			n++
		}
		inName = letter || inName && '0' <= c && c <= '9'
	}
	return n
}

// Register serves GraphQL at the HTTP endpoint of a node. Its routes name their methods. Those of New do not, so that
// http.ServeMux refuses them beside a route for every path with a method. A query is one long call, because its fields
// execute transactions and search for logs.
func Register(stack *node.Node, backend ethapi.Backend, logs *filters.FilterSystem, cors, vhosts []string) error {
	parsed, err := parseSchema(&Resolver{backend, logs})
	if err != nil {
		return err
	}
	calls := rpc.AsCall(rpc.GraphQL, maxRequestBodySize, checkNames, writeRequestError, handler{Schema: parsed})
	queries := node.NewHTTPHandlerStack(calls, cors, vhosts, nil, false)
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
		for _, path := range []string{"/graphql", "/graphql/"} {
			stack.RegisterHandler("GraphQL", method+" "+path, queries)
		}
	}
	for _, path := range []string{"/graphql/ui", "/graphql/ui/"} {
		stack.RegisterHandler("GraphQL UI", http.MethodGet+" "+path, GraphiQL{})
	}
	return nil
}
