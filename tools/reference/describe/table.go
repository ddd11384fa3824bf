// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

import (
	"slices"
	"strings"
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

// Rows returns the rows of all methods of a node by namespace, the public ones first. Those of gwon-dev node have a
// page of their own.
func Rows() []Row {
	return slices.Concat(ethTable, feeTable, keyTable, filterTable, istanbulTable, netTable, web3Table, txpoolTable,
		rpcTable, debugTable, adminTable, minerTable, personalTable, snapshotTable)
}

// subscriptions are the methods of a connection with notifications, by namespace. No service has them: the server
// answers them itself.
var subscriptions = []Row{
	{Method: "subscribe", Params: "kind, options", Result: "Identifier",
		Summary: "Starts a subscription, whose notifications follow on the same connection. WebSocket and IPC only."},
	{Method: "unsubscribe", Params: "subscription", Result: "boolean",
		Summary: "Ends a subscription. WebSocket and IPC only."},
}

// meanings says what a parameter is, by its name. A name has one meaning in all methods.
var meanings = map[string]string{
	"address":      "account or contract",
	"block":        "number, tag or hash of a block; the newest one if left out",
	"number":       "number or tag of a block",
	"hash":         "hash of a block",
	"transaction":  "hash of a transaction",
	"senderHash":   "hash of the type-2 transaction that the sender has signed",
	"index":        "position of the transaction in its block, from 0",
	"uncle":        "position of an uncle block",
	"full":         "true for whole transactions, false for their hashes",
	"slot":         "key of the storage, at most 32 bytes",
	"slots":        "keys of the storage",
	"slotsOf":      "keys of the storage by address",
	"call":         "what is called, by whom, and with what",
	"arguments":    "fields of a transaction; the node fills in what is left out",
	"overrides":    "state that the call sees in place of the real one, by account",
	"header":       "fields of the block that the call sees in place of the real ones",
	"simulation":   "blocks with calls to simulate",
	"blocks":       "number of blocks",
	"newest":       "number or tag of the newest block",
	"percentiles":  "ascending percentages of gas by tip, from 0 to 100",
	"raw":          "signed transaction in its canonical bytes",
	"raws":         "signed transactions in their canonical bytes",
	"timeout":      "milliseconds to wait for the receipt; the node's limit if left out",
	"filter":       "id of a filter",
	"query":        "blocks, addresses and topics of logs",
	"content":      "first block with transactions and receipts, and an earlier snapshot to extend; may be left out",
	"data":         "bytes",
	"signature":    "65 bytes: r, s and v",
	"account":      "account whose key the node has",
	"password":     "password of the account",
	"gasPrice":     "price of the replacement in wei per unit of gas",
	"gasLimit":     "gas limit of the replacement",
	"round":        "round of consensus; 0 if left out",
	"start":        "number of the first block",
	"end":          "number of the last block",
	"trusted":      "block that the reader trusts already; genesis if left out",
	"kind":         "what to subscribe to",
	"options":      "query of logs, hashes of transactions, or true for whole pending transactions; by kind",
	"subscription": "id of the subscription",
	"selection":    "validator, sequences and limit that restrict the result",
}
