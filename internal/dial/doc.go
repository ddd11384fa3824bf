// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package dial asks nodes by JSON-RPC. It is the one place that knows an endpoint's user, password, path and query:
// texts and errors have its scheme and host. It bounds answers, and reads the receipts of a block, the longest answer
// that there is, log by log. Bounds of answers about a block follow from the gas that the block has used.
package dial
