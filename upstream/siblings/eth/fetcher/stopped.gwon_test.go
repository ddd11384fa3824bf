// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package fetcher

import (
	"errors"
	"testing"
)

// A peer that delivers to a stopped fetcher has done nothing wrong.
func TestStoppedFetcherIsRecognized(t *testing.T) {
	f := NewTxFetcher(nil, nil, nil, nil, nil, nil, nil)
	f.Stop()
	if err := f.Drop("peer"); !IsStopped(err) {
		t.Errorf("error %v of a stopped fetcher is not recognized", err)
	}
	if IsStopped(errors.New("terminated")) || IsStopped(nil) {
		t.Error("other errors are taken for a stopped fetcher")
	}
}
