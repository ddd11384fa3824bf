// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package ancient checks the tables of go-ethereum's ancient stores before go-ethereum opens them, and makes their
// small files again. go-ethereum cuts all tables of a store to the shortest one, and one bit of an index can make a
// table short.
//
// A table has data files, an index with the end of each item in them, and a meta file. Index and meta file follow from
// the data, so that their loss costs nothing. Whatever is replaced is kept beside it under a name with Damaged, until a
// later start finds the store whole.
package ancient
