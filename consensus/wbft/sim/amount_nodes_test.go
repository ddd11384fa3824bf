// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package sim

// Amounts of make test. make sim plays more.
const (
	thorough           = true
	defaultSeeds int64 = 300
	defaultMixed int64 = 40
)
