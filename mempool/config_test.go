// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"math/big"
	"runtime"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"gwon/internal/must"
)

// TestMemoryIsBounded checks that a transaction takes at most 1.5 KiB and three times its bytes. With the limits of
// slots and bytes that bounds the memory of the pool, as docs/operate/transaction-pool.md says.
func TestMemoryIsBounded(t *testing.T) {
	const base, perByte = 1536, 3
	wide := func(n int) types.AccessList {
		list := make(types.AccessList, n)
		for i := range list {
			list[i].Address = common.BigToAddress(big.NewInt(int64(i + 1)))
		}
		return list
	}
	transfer := func(gas uint64, list types.AccessList, data []byte) types.TxData {
		return &types.DynamicFeeTx{
			ChainID: big.NewInt(8283), Gas: gas, To: &common.Address{1}, AccessList: list, Data: data,
			GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(1e14),
		}
	}
	auth := authorization(t, 77, 8283, 0)
	for _, tt := range []struct {
		name  string
		count int
		inner func(i int) types.TxData
	}{
		{"transfers", 3000, func(int) types.TxData {
			return transfer(21_000, nil, nil)
		}},
		{"access lists", 500, func(int) types.TxData {
			return transfer(1_000_000, wide(300), nil)
		}},
		{"data", 500, func(int) types.TxData {
			return transfer(1_000_000, nil, make([]byte, 8000))
		}},
		{"authorizations", 60, func(i int) types.TxData {
			inner := &types.SetCodeTx{
				ChainID: uint256.NewInt(8283), Gas: 2_000_000,
				GasTipCap: uint256.NewInt(governedTip), GasFeeCap: uint256.NewInt(1e14),
			}
			for n := range uint64(50) {
				auth.Nonce = uint64(i)<<32 | n // another account's with each
				inner.AuthList = append(inner.AuthList, auth)
			}
			return inner
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chain := newAnzeonTestChain(t)
			pool := chain.open(t)
			encoded, bytes := make([][]byte, tt.count), uint64(0)
			for i := range encoded {
				key, err := crypto.GenerateKey()
				must.Do(t, err)
				chain.state.SetBalance(
					crypto.PubkeyToAddress(key.PublicKey),
					uint256.NewInt(1e19).Mul(uint256.NewInt(1e19), uint256.NewInt(100)),
					tracing.BalanceChangeUnspecified,
				)
				encoded[i], err = types.MustSignNewTx(key, pool.signer, tt.inner(i)).MarshalBinary()
				must.Do(t, err)
				bytes += uint64(len(encoded[i]))
			}
			chain.extend(pool)
			heap := func() uint64 {
				var stats runtime.MemStats
				runtime.GC()
				runtime.GC()
				runtime.ReadMemStats(&stats)
				return stats.HeapAlloc
			}
			before := heap()
			for _, raw := range encoded {
				tx := new(types.Transaction)
				must.Do(t, tx.UnmarshalBinary(raw))
				mustAdd(t, pool, tx)
			}
			chain.extend(pool) // releases the state objects that the checks have read
			took := heap() - before
			t.Logf("%d bytes a transaction of %d", took/uint64(tt.count), bytes/uint64(tt.count))
			if most := base*uint64(tt.count) + perByte*bytes; took > most {
				t.Errorf("%d transactions of %d bytes take %d bytes of memory, want at most %d", tt.count, bytes, took, most)
			}
			runtime.KeepAlive(encoded)
			runtime.KeepAlive(pool)
		})
	}
}
