// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package sync brings the node to the head of the network when it is behind (spec network 2.7): the scout finds out how far the
// network is, by headers whose seals it verifies and never by what a peer claims; the download brings the blocks from all peers at
// once; the syncer verifies and executes them, or fetches the state of a recent one (spec network 4).
package sync
