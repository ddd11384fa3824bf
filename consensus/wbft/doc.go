// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package wbft is the consensus engine of an Anzeon chain: the shell around the pure protocol of package core.
//
// The Engine is go-ethereum's consensus.Engine: it verifies headers, prepares and finalizes blocks (spec wbft 3, 6, 7).
// It needs no key and no running protocol, so that import, export and follower nodes use it as they are. The Driver is
// the one goroutine that connects the state machine to clock, network, chain and block production (spec wbft 5, 6.1).
//
// Files of the engine:
//
//	engine.go                 the engine and its key
//	verify.go, epochs.go      headers, validator sets
//	prepare.go, finalize.go   blocks that are built or executed
//	proof.go, received.go     runs of headers that one quorum of seals proves
//
// Files of the driver:
//
//	driver.go                 start, stop, and what survives a stop
//	run.go                    one run: the loop and the step
//	effects.go                what effects lead to: persist, perform, commit
//	inbox.go                  bounded queue of messages
//	dropped.go                useless messages that become welcome again
//	candidate.go, pace.go     own proposals, and the time for building them
//	proposals.go              execution of proposals
//	lateseals.go              seals over the head
//	lostvotes.go              restored and lost votes
//	reports.go, blockkeys.go  lines of the log, evidence
//
// Only what needs both the chain and the protocol enters here; formulas and formats live in the packages below.
package wbft
