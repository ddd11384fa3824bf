// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package sim runs networks of real validators under every kind of fault, in simulated time. A node has the real
// driver, core and vote log, on a disk that tears writes, loses unsynced bytes, fills up and fails. Its engine verifies
// headers as in a node. Its chain keeps the real rules except for the EVM. Its messenger has the caches of package
// eth/session. A network lives in a bubble of testing/synctest: the clock moves when all goroutines wait.
//
// Networks and their faults are scripts with one command a line (Player). Each script in testdata is one failure;
// Generate draws further scripts from a seed. An observer sees only what leaves a node and what reaches its disk. The
// observer holds all honest nodes to the promises of docs/consensus.md at every step.
//
// go-stablenet, with the rules of its newer sources too, and Byzantine validators are models: state machines whose
// messages a Behavior replaces. Most runs use signatures that cost a hash (UseCheapSignatures), and bound messages at
// 256 KiB (UseSmallMessages), so that blocks fill them.
//
// A run depends on its seed alone, with one exception. Several events may wait for a driver at one moment, because its
// disk is slow or two timers end together. The Go scheduler then chooses, as in a node.
//
// Not covered, and where it is tested: a vote log that is lost before a block shows it, or replaced by an old copy
// (package wbft); compaction of the vote log, whose file stays too small here (package votelog); a crash while evidence
// is written, which goes to a real directory (package evidence). Not covered at all: a chain that is lost with the vote
// log; more than F validators with lost votes that sign by order of their operators; the EVM, the transaction pool and
// the sync protocol. The observer does not search for proposals out of their view, nor for a false claim in a
// ROUND-CHANGE before the true one.
//
// The package takes fakes of the world around the driver, and misbehavior. It exercises spec wbft 4.4, 5, 6.1 and 6.2,
// and the weaknesses of section 9.
package sim
