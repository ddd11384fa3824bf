// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package persist keeps the work of a node: it makes the state safe from a crash as blocks are executed, and executes
// stored blocks again whose state a crash lost nevertheless. It knows no peer and no vote.
//
// Spec: wbft 7.5 (a final block stays final).
package persist
