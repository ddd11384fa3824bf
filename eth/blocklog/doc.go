// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package blocklog writes lines to the log about blocks as they come: a warning for each proposal that a validator has
// missed, and a summary every ten minutes.
//
// It follows the head of the chain, so that a follower tells the same as a validator. It reads and never decides. The
// lines of single blocks are written where blocks are committed and imported (spec wbft 3.3).
package blocklog
