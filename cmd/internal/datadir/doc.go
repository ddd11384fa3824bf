// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package datadir opens what is in a data directory: its chain database and chain, the contract code, and what can be
// read of a chain without opening it. It waits for a process that gives the directory up.
//
// What commands do with a chain belongs to package blockchain, keys to package keys.
package datadir
