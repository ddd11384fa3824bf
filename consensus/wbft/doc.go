// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package wbft is the consensus engine of an Anzeon chain: the shell around the pure protocol of package core.
//
// The Engine is go-ethereum's consensus.Engine: it verifies headers, prepares and finalizes blocks (spec wbft 3, 6, 7).
// It needs no key and no running protocol, so that import, export and follower nodes use it as they are. The Driver is
// the one goroutine that connects the state machine to clock, network, chain and block production (spec wbft 5, 6.1).
//
// Only what needs both the chain and the protocol enters here; formulas and formats live in the packages below.
package wbft
