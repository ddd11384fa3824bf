// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package mempool is the transaction pool of an Anzeon chain. It takes a transaction or refuses it, with the reason, at the moment when it
// is offered; what it has taken it keeps until a block has it or it can no longer be executed.
//
// Go-ethereum's pool admits first and cuts itself back afterwards, beside, by rules that look at the fee cap. Here a full pool refuses. Only
// a transaction that really pays more takes the place of another one (spec transactions 3.3, 4), and work for each block is bounded by the
// block and a fixed number of accounts, not by what is pooled.
//
// What may enter: what decides which transactions the node holds, and in which order they give way. Their validity is checked by go-ethereum's
// txpool package with the hooks of this tree (spec transactions 4.1); blocks are built from them in package miner.
package mempool
