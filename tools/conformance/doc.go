// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command conformance runs published test vectors of the network's protocol against the packages that ship.
//
// "conformance adapter" implements the protocol wbft-vector/1 on standard input and output. Each line is one JSON
// object: a case as input, a result as output. "conformance run DIR" walks a tree of vectors and sends each case to
// an adapter in a child process. It compares every key and prints a table by handler.
//
// A file per runner holds the handlers, which only convert and call shipping code. deviations.go lists intended
// differences with their rules. docs/compatibility.md has the results.
package main
