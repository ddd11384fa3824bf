// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package feed has what the commands of gwon-dev show a developer: blocks and transactions as they come, the contracts
// by which transactions are decoded, and the keys of the keyboard that ask for more.
//
// The words for transactions are package dev/inspect.
package feed
