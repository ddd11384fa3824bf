// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"maps"
	"testing"

	"github.com/ethereum/go-ethereum"

	"gwon/internal/expect"
	"gwon/internal/must"
)

type progress struct {
	counts  ethereum.SyncProgress
	running bool
}

func (p progress) SyncProgress(context.Context) (ethereum.SyncProgress, bool) {
	return p.counts, p.running
}

// eth_syncing returns false, or an object of quantities. spec: rpc 4.1
func TestSyncing(t *testing.T) {
	counts := ethereum.SyncProgress{StartingBlock: 1, CurrentBlock: 16, HighestBlock: 300, SyncedAccounts: 4,
		HealedBytecodeBytes: 5, TxIndexRemainingBlocks: 6}
	expect.Equal(t, (&syncing{progress{counts, false}}).Syncing(t.Context()), false, "idle")
	enc := must.Get(json.Marshal((&syncing{progress{counts, true}}).Syncing(t.Context())))(t)
	var got map[string]string
	must.Do(t, json.Unmarshal(enc, &got))
	maps.DeleteFunc(got, func(_, v string) bool { return v == "0x0" })
	want := map[string]string{"startingBlock": "0x1", "currentBlock": "0x10", "highestBlock": "0x12c",
		"syncedAccounts": "0x4", "healedBytecodeBytes": "0x5", "txIndexRemainingBlocks": "0x6"}
	expect.That(t, maps.Equal(got, want), "%v, want %v", got, want)
}
