// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package gossip takes the blocks that peers push and announce, one by one, lets through what passes the gate and what
// a quorum has sealed, imports it and passes it on (spec network 2.6). It also judges sealed blocks that do not fit the
// chain here (spec wbft 7.5).
package gossip
