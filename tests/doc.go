// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package tests runs whole nodes behind the build tag nodes: processes of the gwon binary on loopback.
// Tests see them from outside, through command line, JSON-RPC and logs. TestMain builds the binary once.
// A test waits for conditions with a deadline. The nodes of a failed test leave their directories behind.
//
// A test calls t.Parallel, unless it bounds seconds or memory, or sends to the node of oneNode. Such tests run one by
// one before the others, so that no other network disturbs them. A pace that is compared with one of the same minute
// is no such bound.
//
// TestAttacks is the harness of attackers: a table of rows, one network, and one judge (attackjudge_test.go). A new
// attacker is a row, and a cell of the matrix in SECURITY.md.
//
// Spec: rpc 9 (service description), network 7 to 10, wbft 3.2 (quorum), transactions 5 (fee delegation).
package tests
