// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package sim runs a network of WBFT cores in one goroutine under a seeded scheduler: simulated time, delays, losses,
// duplicates, partitions, crashes with and without the vote log, skewed clocks and Byzantine validators. A run is a
// function of its Config and of what the test does between steps: the same seed gives the same run.
//
// Two kinds of promises are checked while it runs. Safety: no two blocks at one height, every committed block carries
// valid seals of a quorum, no validator with a vote log signs two different things for one view, and nothing leaves a
// node before its record is durable. Liveness, where a test asks for it: once faults stop, every honest validator moves
// on within a bounded time.
//
// What may enter: fakes of the world around the core (chain, clock, network, disk) and misbehaviour. Blocks are empty,
// headers and seals are real. It exercises spec wbft 4.4, 5, 6.1 and 6.2 and the weaknesses of section 9.
package sim
