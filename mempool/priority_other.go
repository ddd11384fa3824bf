// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !linux

package mempool

// lowerPriority does nothing on systems where only a whole process has a priority.
func lowerPriority() error { return nil }
