// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !linux

package process

// SingleKeys changes nothing on these systems: keys come with the line that Enter ends.
func SingleKeys(int) (restore func()) { return func() {} }
