// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package graphql

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/internal/ethapi"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/graph-gophers/graphql-go"
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
	parsed, err := graphql.ParseSchema(anzeonSchema, r, graphql.MaxDepth(maxQueryDepth))
	if err != nil {
		return nil, fmt.Errorf("parse the schema of GraphQL: %w", err)
	}
	return parsed, nil
}

// maxNames is how many names a query may have: of fields, aliases, arguments and types. Whether fields of one name may
// stand beside each other is looked at pair by pair, before anything is resolved or can be canceled.
const maxNames = 2000

// boundNames refuses queries with too many names. The body of a request is in memory.
func boundNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			writeRequestError(w, err)
			return
		}
		var request struct {
			Query string `json:"query"`
		}
		// The handler says what is wrong with a body that cannot be decoded.
		if err := json.NewDecoder(bytes.NewReader(body)).Decode(&request); err == nil {
			if n := names(request.Query); n > maxNames {
				writeRequestError(w, fmt.Errorf("the query has %d names, at most %d are allowed: divide it", n, maxNames))
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
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
	calls := rpc.AsCall(rpc.GraphQL, maxRequestBodySize, writeRequestError, boundNames(handler{Schema: parsed}))
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
