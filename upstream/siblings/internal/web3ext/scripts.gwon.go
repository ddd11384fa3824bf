// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web3ext

import (
	"fmt"
	"strings"
)

// init adds Anzeon's methods to upstream's scripts (spec rpc 4, transactions 5.6). The console loads the script of a
// namespace only when the node reports that namespace, and a script may have several parts.
func init() {
	for namespace, members := range map[string][]member{
		"istanbul": {
			{name: "nodeAddress", getter: true},
			{name: "getValidators", args: []string{block}},
			{name: "getValidatorsAtHash", args: []string{plain}},
			{name: "isValidator", args: []string{block}},
			{name: "getCommitSignersFromBlock", args: []string{block}},
			{name: "getCommitSignersFromBlockByHash", args: []string{plain}},
			{name: "status", args: []string{block, block}},
			{name: "getWbftExtraInfo", args: []string{block}},
			{name: "gasTip", args: []string{block}},
			{name: "nextProposer", args: []string{plain}},
			{name: "epochInfo", args: []string{block}},
			{name: "accountFlags", args: []string{address, block}},
			{name: "getFinalityProof", args: []string{block, block}},
			{name: "getReceiptProof", args: []string{plain, block}},
			{name: "consensusStatus", getter: true},
			{name: "evidence", args: []string{plain}},
		},
		"eth": {
			{name: "signRawFeeDelegateTransaction", args: []string{plain, plain}},
			{name: "sendRawTransactions", args: []string{plain}},
			{name: "getReceiptsByHash", args: []string{plain}},
			{name: "getTransactionBySenderHash", args: []string{plain}},
			{name: "getTransactionReceiptBySenderHash", args: []string{plain}},
			{name: "etherbase", getter: true},
		},
		"personal": {
			{name: "signRawFeeDelegateTransaction", args: []string{plain, plain, plain}},
			{name: "signTransaction", args: []string{transaction, plain}},
			{name: "listWallets", getter: true},
		},
		"miner": {
			{name: "start"},
			{name: "stop"},
			{name: "setEtherbase", args: []string{address}},
			{name: "setRecommitInterval", args: []string{plain}},
		},
		"admin": {
			{name: "peerInfo", args: []string{plain}},
		},
		"snapshot": {
			{name: "create", args: []string{plain, plain}},
			{name: "cancel"},
			{name: "status", getter: true},
		},
	} {
		Modules[namespace] += script(namespace, members)
	}
}

// Argument formatters of web3.js. With one of them, plain included, an argument may be left out.
const (
	plain       = "null"
	address     = "web3._extend.formatters.inputAddressFormatter"
	block       = "web3._extend.formatters.inputBlockNumberFormatter"
	transaction = "web3._extend.formatters.inputTransactionFormatter"
)

// member is a method, or with getter a property, of the console object of a namespace.
type member struct {
	name   string
	getter bool
	args   []string
}

// script returns the JavaScript that adds members to a namespace.
func script(namespace string, members []member) string {
	var methods, properties []string
	for _, m := range members {
		call := namespace + "_" + m.name
		if m.getter {
			properties = append(properties, fmt.Sprintf("new web3._extend.Property({name: '%s', getter: '%s'})", m.name, call))
			continue
		}
		const method = "new web3._extend.Method({name: '%s', call: '%s', params: %d, inputFormatter: [%s]})"
		methods = append(methods, fmt.Sprintf(method, m.name, call, len(m.args), strings.Join(m.args, ", ")))
	}
	return fmt.Sprintf("\nweb3._extend({property: '%s', methods: [%s], properties: [%s]});\n",
		namespace, strings.Join(methods, ", "), strings.Join(properties, ", "))
}
