// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package fetcher

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A peer that delivers to a stopped fetcher has done nothing wrong.
func TestStoppedFetcherIsRecognized(t *testing.T) {
	f := NewTxFetcher(nil, nil, nil, nil, nil, nil, nil)
	f.Stop()
	err := f.Drop("peer")
	assert.Truef(t, IsStopped(err), "error %v of a stopped fetcher is not recognized", err)
	assert.True(t, !IsStopped(errors.New("terminated")) && !IsStopped(nil), "other errors are taken for a stopped fetcher")
}
