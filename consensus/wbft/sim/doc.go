// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package sim runs networks of validators as they ship, under every kind of fault, in simulated time. A node is the
// real driver with the real state machine and the real vote log on a disk that tears writes, loses what was not synced,
// fills up and fails; its engine verifies headers as in a node; its chain keeps the real one's rules but for the EVM;
// its messenger has the caches of package eth/session. A network lives in a bubble of testing/synctest: its clock moves
// when everybody waits.
//
// Networks and what happens to them are scripts, a command a line (Player): those in testdata, each the story of a
// failure, and those that Generate draws from a seed. Outside stands an observer that knows nothing but what leaves a
// node and what comes to its disk, and holds all honest ones to the promises of docs/consensus.md at every step.
//
// Go-stablenet is here as a model, and so are the Byzantine validators: state machines whose messages a Behavior
// replaces. Most runs use signatures that cost a hash (UseCheapSignatures), and all bound messages at 256 KiB
// (UseSmallMessages), so that blocks fill them.
//
// A run depends on its seed alone, with one exception: where several events wait for a driver at one moment, because
// its disk is slow or two of its timers end together, the Go scheduler chooses, as it does in a node.
//
// Not covered: a vote log that is lost before a block shows that there was one, or in whose place an old one is put
// (package wbft tests that); a file of the log that is rewritten, for which it does not get large enough here
// (package votelog tests that); a chain that is lost together with the log; a crash while evidence is written (package
// evidence tests that), which goes to a real directory and not to the simulated disk; more than F validators whose
// operators have them sign although their votes are lost; the EVM, the transaction pool and the sync protocol, in place
// of which blocks come whole from a peer. Of contradictions, the observer does not look for proposals that come before
// their view or after it, nor for a false claim in a ROUND-CHANGE that comes before the true one.
//
// What may enter: fakes of the world around the driver, and misbehavior. It exercises spec wbft 4.4, 5, 6.1 and 6.2,
// and the weaknesses of section 9.
package sim
