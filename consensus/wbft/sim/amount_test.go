// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !nodes

package sim

// Amounts of go test without the tag nodes.
const (
	thorough           = false
	defaultSeeds int64 = 40
	defaultMixed int64 = 6
)
