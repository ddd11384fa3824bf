// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

// pauseOf returns what an execution has to call often: that of a client's call pauses for others. It is nil for blocks.
func pauseOf(chain any) func(long bool) error {
	if call, ok := chain.(interface{ Pause() func(long bool) error }); ok {
		return call.Pause()
	}
	return nil
}
