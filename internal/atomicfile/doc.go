// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package atomicfile writes files that are whole or absent, also after a crash. It writes every file of gwon's own that
// is replaced while a node runs, or whose loss has a cost (keys, contract code, votes). It reads whole files, within a
// bound, and appends lines to files of the caller's alone.
package atomicfile
