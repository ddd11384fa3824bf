// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Entry is a method of a developer chain in words.
type Entry struct {
	Method string   // as gwon_mint
	Params []string // names of the parameters
	Does   string   // sentences
}

// Entries returns the methods of the namespaces of Namespaces.
func Entries() []Entry {
	var entries []Entry
	add := func(prefix string, rows []row) {
		for _, r := range rows {
			e := Entry{Method: prefix + "_" + r.name, Does: r.does}
			switch {
			case e.Method == "evm_mine", e.Method == "gwon_setAccountFlags": // objects, whose keys the tables write out
				e.Params = []string{"options"}
				if prefix == "gwon" {
					e.Params = []string{"account", "flags"}
				}
			case r.params != "":
				e.Params = strings.Split(strings.ReplaceAll(r.params, "?", ""), ", ")
			}
			entries = append(entries, e)
		}
	}
	add("gwon", coinTable)
	for _, prefix := range prefixes {
		add(prefix, testMethods)
	}
	return entries
}

// Services returns the services with these methods, for those who read their types. They belong to no chain.
func Services() []gethrpc.API { return (*Chain)(nil).apis() }
