// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality/remotestate/remotetest"
	"gwon/internal/expect"
)

// insist asks again while the endpoint says that it reads what was asked for.
func insist[T any](t *testing.T, client *gethrpc.Client, method string, args ...any) (answer T) {
	t.Helper()
	for {
		err := client.CallContext(t.Context(), &answer, method, args...)
		switch {
		case err == nil:
			return answer
		case !strings.Contains(err.Error(), "are being read: ask again"):
			t.Fatalf("%s: %v", method, err)
		}
	}
}

// Each block that the gas limit allows is shown by its receipts and logs, and filters go on behind it.
//
// spec: wbft 7.1
func TestWorstBlocksAreShown(t *testing.T) {
	for _, worst := range remotetest.WorstBlocks(shop, common.Hash{1}) {
		t.Run(worst.Name, func(t *testing.T) {
			if testing.Short() && worst.Slow {
				t.Skip("it takes a minute on a machine with other work")
			}
			c := remotetest.New(t, 1337)
			c.Grow(t, nil)
			e, client := openLight(t, c, c.Serve(t, nil))
			filter := ask[gethrpc.ID](t, client, "eth_newFilter", map[string]any{"topics": []any{common.Hash{1}}})
			block := c.Grow(t, worst.Logs...)
			c.Grow(t, logOf(shop, 1))
			advance(t, e)
			var want, all int
			for _, r := range c.Receipts(block.NumberU64()) {
				for _, l := range r.Logs {
					if all++; len(l.Topics) == 1 {
						want++
					}
				}
			}
			found := 0
			for range 2 { // the second time begins behind a block with many
				found += len(insist[[]*types.Log](t, client, "eth_getFilterChanges", filter))
			}
			expect.Equal(t, found, want+1, "logs in a filter")
			number := hexutil.Uint64(block.NumberU64())
			query := map[string]any{"fromBlock": number, "toBlock": number}
			expect.Equal(t, len(insist[[]*types.Log](t, client, "eth_getLogs", query)), all, "logs")
			receipts := insist[types.Receipts](t, client, "eth_getBlockReceipts", number)
			expect.That(t, len(receipts) == len(worst.Logs) && len(receipts[0].Logs) == len(worst.Logs[0]),
				"%d receipts", len(receipts))
		})
	}
}
