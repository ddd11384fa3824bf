// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command rules lists the rules of docs/spec and the tests that cite them.
//
// A rule is a section of a text of docs/spec. A citation names text and section, as in "spec wbft 9.1" or
// "// spec: transactions 3.2, 3.3". Numbers of a list or of table rows may follow, as in "wbft 9.1 no. 4".
// The tests of this package fail when a citation names a text, section or list number that does not exist.
//
//	go run ./tools/rules             every section and its tests
//	go run ./tools/rules -untested   the sections that no test cites
package main
