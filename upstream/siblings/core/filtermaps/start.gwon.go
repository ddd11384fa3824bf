// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filtermaps

// StartBeside is Start for a caller that has more urgent things to do than to wait for the newest map of the index, which takes
// about a second to read. Stop waits for it.
func (f *FilterMaps) StartBeside() {
	f.closeWg.Add(1)
	go func() {
		defer f.closeWg.Done()
		f.Start()
	}()
}
