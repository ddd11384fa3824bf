// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package forkwatch collects signs that the network has rules that this node lacks: peers with another fork id
// or chain configuration, peers with a newer client version, and sealed blocks that a named rule refuses here.
//
// It reads and never decides: a claim of a peer changes its report and its metric, nothing else. What may enter:
// further signs of another release of the network (spec network 2.1, wbft 7.5).
package forkwatch
