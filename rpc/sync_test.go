// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"testing"
)

type progress struct {
	start, current, highest uint64
	syncing                 bool
}

func (p progress) SyncProgress() (uint64, uint64, uint64, bool) {
	return p.start, p.current, p.highest, p.syncing
}

// eth_syncing is false, or an object of quantities (spec rpc 4.1).
func TestSyncing(t *testing.T) {
	for _, c := range []struct {
		progress progress
		want     string
	}{
		{progress{}, `false`},
		{progress{5, 16, 300, false}, `false`},
		{progress{0, 16, 300, true}, `{"startingBlock":"0x0","currentBlock":"0x10","highestBlock":"0x12c"}`},
	} {
		got, err := json.Marshal((&syncing{c.progress}).Syncing())
		if err != nil || string(got) != c.want {
			t.Errorf("%+v: %s, %v, want %s", c.progress, got, err, c.want)
		}
	}
}
