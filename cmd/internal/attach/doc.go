// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package attach is how a command reaches a node that runs: which endpoint, with which headers, and what to do if
// nothing answers there. The operator endpoint and its token are here on both sides, that of the node and that of the
// command (spec rpc 9.7).
package attach
