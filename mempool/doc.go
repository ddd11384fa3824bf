// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package mempool is the transaction pool of an Anzeon chain. It admits or refuses a transaction at once. It keeps an
// admitted transaction until that is in a block, is evicted by one that pays more, or can no longer be executed.
//
// Two parts of the pool need no chain. The tables hold transactions and the indexes that agree with them. The policy
// reads the tables and plans: where a transaction goes and which ones leave for it, or which limit is reached. The
// tables carry the plan out.
//
// A transaction passes these files:
//
//	pool.go               entry points, and the order of the steps
//	admission_control.go  bounds on signature recovery, back-pressure while blocks do not keep up
//	known.go              copies of pooled, included and refused transactions
//	admission.go          checks against the state of the head
//	authorities.go        signers of authorizations in type 0x04 transactions
//	policy.go             policy: places, and limits of slots and bytes
//	payers.go             policy: promises of fee payers
//	senders.go            policy: reserved slots of senders
//	eviction.go           tables: order of eviction
//	queued.go             tables: order of transactions behind gaps
//	tables.go             tables: insertion and removal
//	head.go               new heads, expiry
//	announce.go           announcements
//
// The package decides which transactions the node holds, and in which order they are evicted. Package txpool of
// go-ethereum checks their validity with hooks of this tree. Package miner builds blocks from them.
//
// Specification: transactions 3.3 (price), 4 (admission) and 6 (deliberate deviations from go-stablenet).
package mempool
