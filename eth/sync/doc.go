// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package sync brings the node to the head of the network (spec network 2.7). The scout proves the head by verified
// seals, whatever peers claim. The download fetches blocks from all peers concurrently. The syncer verifies and
// executes blocks, or fetches the state of a recent one (spec network 4).
package sync
