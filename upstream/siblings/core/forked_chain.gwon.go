// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import "github.com/ethereum/go-ethereum/ethdb"

// openForked puts the beginning of a forked chain into a database. It is nil but in the process of a developer chain
// that continues a network. A program that does not call OpenForked has no code that sets it.
var openForked func(db ethdb.Database, genesis *Genesis) (ethdb.Database, *Genesis, error)

// OpenForked makes every chain of this process open its database by f, which may write into it, return another one in
// front of it, and return no genesis where the database has one. The program calls it before it has a chain. It is for
// developer chains that continue a network, whose older state is read from elsewhere. Nil ends it. It is a symbol of
// each program that calls it.
//
//go:noinline
func OpenForked(f func(db ethdb.Database, genesis *Genesis) (ethdb.Database, *Genesis, error)) {
	openForked = f
}

// forkedOver returns the database and the genesis with which a chain is opened.
func forkedOver(db ethdb.Database, genesis *Genesis) (ethdb.Database, *Genesis, error) {
	if openForked == nil {
		return db, genesis, nil
	}
	return openForked(db, genesis)
}
