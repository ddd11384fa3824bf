// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !linux

package mempool

// giveWay does nothing where a priority is one of the whole process.
func giveWay() error { return nil }
