// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/require"
)

// The price that go-stablenet stores is not handed on. Anything else stays as it is, so that its reader refuses it.
// spec: transactions 3.5
func TestCanonicalReceipts(t *testing.T) {
	type receipt struct {
		Status []byte
		Gas    uint64
		Logs   []*Log
		Tail   []*big.Int `rlp:"tail"`
	}
	logs := []*Log{{Address: common.Address{1}, Topics: []common.Hash{{2}}, Data: bytes.Repeat([]byte{3}, 100)}}
	with := func(tails ...int) []byte {
		list := make([]receipt, len(tails))
		for i, tail := range tails {
			list[i] = receipt{Status: []byte{1}, Gas: uint64(i) * 21000, Logs: logs, Tail: make([]*big.Int, tail)}
			for j := range list[i].Tail {
				list[i].Tail[j] = big.NewInt(1e18)
			}
		}
		return must.Get(rlp.EncodeToBytes(list))(t)
	}
	for _, row := range []struct {
		name      string
		raw, want []byte
	}{
		{"own", with(0, 0), with(0, 0)},
		{"of go-stablenet", with(1, 1, 1), with(0, 0, 0)},
		{"of one transaction", with(1), with(0)},
		{"none", with(), with()},
		{"of two programs", with(1, 0), with(1, 0)},
		{"with another field", with(2), with(2)},
		{"missing", nil, nil},
		{"cut", with(1)[:20], with(1)[:20]},
		{"no list", []byte{1}, []byte{1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := CanonicalReceipts(row.raw)
			require.Truef(t, bytes.Equal(got, row.want), "%x, want %x", got, row.want)
			var decoded []*ReceiptForStorage
			if err := rlp.DecodeBytes(got, &decoded); (err == nil) != bytes.Equal(got, with(make([]int, len(decoded))...)) {
				t.Errorf("%d receipts, error %v", len(decoded), err)
			}
		})
	}
}
