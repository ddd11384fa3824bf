// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package atomicfile writes files that are whole or absent, whatever crashes when. Every file of gwon's own that is replaced
// while a node runs, or whose loss costs somebody something (keys, contract code, votes), is written by it.
package atomicfile
