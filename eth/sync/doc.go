// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package sync brings the node to the head of the network (spec network 2.7). The scout proves the head by verified
// seals, whatever peers claim. The download fetches blocks from all peers concurrently. The syncer verifies and
// executes blocks, or fetches the state of a recent one (spec network 4).
//
//	scout.go, ladder.go  the proven head, and the peers that are asked for it
//	phases.go            what the syncer does, and what comes next: idle, following, snapping, failed
//	syncer.go            following: blocks are verified and executed
//	snapsync.go          snapping: blocks are stored, and the state of one is fetched
//	queue.go             which blocks are requested next from which peer, without goroutine, lock, clock or socket
//	download.go          the goroutines that request them
//	gate.go              the checkpoint
package sync
