// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

import (
	_ "embed"
	"encoding/csv"
	"strings"
	"sync"
)

// Row describes a method.
type Row struct {
	Method  string // as eth_chainId
	Params  string // names of parameters in their order, separated by ", "
	Result  string // an expression of schemas, see result; empty for that of the Go type
	Summary string // sentences
	Differs string // from Ethereum, as sentences; empty for a method that does not
}

// names returns the names of the parameters.
func (r Row) names() []string {
	if r.Params == "" {
		return nil
	}
	return strings.Split(r.Params, ", ")
}

// namespace returns the part of a method's name before its separator.
func namespace(method string) string { return method[:strings.IndexAny(method, "_.")] }

//go:embed methods.csv
var methods string

// Rows returns the rows of all methods of a node by namespace, the public ones first. Those of gwon-dev node have a
// page of their own.
var Rows = sync.OnceValue(func() (list []Row) {
	texts := []string{}
	for _, r := range records(methods) {
		if strings.HasPrefix(r[0], "$") { // stands for a text in later rows
			texts = append(texts, r[0], r[4])
			continue
		}
		list = append(list, Row{r[0], r[1], r[2], r[3], strings.NewReplacer(texts...).Replace(r[4])})
	}
	return list
})

//go:embed parameters.csv
var parameters string

// meanings says what a parameter is, by its name. A name has one meaning in all methods.
var meanings = sync.OnceValue(func() map[string]string {
	list := make(map[string]string)
	for _, r := range records(parameters) {
		list[r[0]] = r[1]
	}
	return list
})

// records returns the rows of a table that is part of the program, without its head.
func records(table string) [][]string {
	list, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(err)
	}
	return list[1:]
}

// subscriptions are the methods of a connection with notifications, by namespace. No service has them: the server
// answers them itself.
var subscriptions = []Row{
	{Method: "subscribe", Params: "kind, options", Result: "Identifier",
		Summary: "Starts a subscription, whose notifications follow on the same connection. WebSocket and IPC only."},
	{Method: "unsubscribe", Params: "subscription", Result: "boolean",
		Summary: "Ends a subscription. WebSocket and IPC only."},
}
