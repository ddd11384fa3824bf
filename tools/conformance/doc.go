// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command conformance runs published test vectors of the network's protocol against the packages that ship.
//
// "conformance adapter" speaks the protocol wbft-vector/1 on standard input and output: one JSON object a line, a case
// in, a result out. It reads no vector file. "conformance run DIR" walks a tree of vectors, hands each case to an
// adapter that runs as a child process, compares every key, and prints a table by handler.
//
// A file per runner holds the handlers; each handler calls shipping code and does nothing but convert. What gwon does
// otherwise on purpose stands in deviations.go, with the rule. docs/compatibility.md has the results.
package main
