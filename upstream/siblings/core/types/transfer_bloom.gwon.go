// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"bytes"

	"github.com/ethereum/go-ethereum/common"
)

// NativeCoinAdapterAddress is the usual address of the NativeCoinAdapter (spec chain 1.2). The configuration of a chain
// decides.
var NativeCoinAdapterAddress = common.HexToAddress("0x1000")

// TransferTopic is the first topic of the logs of coin movements (spec chain 5): the Keccak-256 of
// "Transfer(address,address,uint256)".
var TransferTopic = common.HexToHash("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")

// bloomBits are the three bits that an item sets in a bloom.
type bloomBits struct {
	index [3]uint
	value [3]byte
}

func newBloomBits(item []byte) (bits bloomBits) {
	var buf [6]byte
	bits.index[0], bits.value[0], bits.index[1], bits.value[1], bits.index[2], bits.value[2] = bloomValues(item, &buf)
	return bits
}

var (
	adapterBits  = newBloomBits(NativeCoinAdapterAddress[:])
	transferBits = newBloomBits(TransferTopic[:])
)

// addItem adds an address or topic as AddWithBuffer does. The bits of the two that are in the log of every coin
// movement are computed once.
func (b *Bloom) addItem(item []byte, buf *[6]byte) {
	var bits *bloomBits
	switch {
	case bytes.Equal(item, TransferTopic[:]):
		bits = &transferBits
	case bytes.Equal(item, NativeCoinAdapterAddress[:]):
		bits = &adapterBits
	default:
		b.AddWithBuffer(item, buf)
		return
	}
	for i, at := range bits.index {
		b[at] |= bits.value[i]
	}
}
