// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// The bits of items that are known ahead are those of any other item: the bloom of a receipt is consensus.
func TestBloomOfTransferLogs(t *testing.T) {
	topicLikeAdapter := common.BytesToHash(NativeCoinAdapterAddress[:])
	for _, logs := range [][]*Log{
		{{Address: NativeCoinAdapterAddress, Topics: []common.Hash{TransferTopic, {1}, {2}}}},
		{{Address: NativeCoinAdapterAddress}},
		{{Address: common.Address{19: 9}, Topics: []common.Hash{TransferTopic}}},
		{{Address: common.Address{19: 9}, Topics: []common.Hash{topicLikeAdapter, {}}}},
		{{Address: common.Address{}}},
	} {
		var want Bloom
		for _, log := range logs {
			want.Add(log.Address[:])
			for _, topic := range log.Topics {
				want.Add(topic[:])
			}
		}
		if have := CreateBloom(&Receipt{Logs: logs}); have != want {
			t.Errorf("bloom of %v: %x, want %x", logs[0], have, want)
		}
	}
}
