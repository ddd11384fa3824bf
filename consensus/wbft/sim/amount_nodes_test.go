// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package sim

// Amounts of make test.
const (
	thorough           = true
	defaultSeeds int64 = 1000
	defaultMixed int64 = 40
)
