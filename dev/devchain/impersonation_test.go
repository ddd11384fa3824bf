// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// An impersonated signature names its account in every type of transaction, and after a change of one byte it names
// none.
func TestImpersonatedSignature(t *testing.T) {
	types.NameSigners(impersonated)
	chainID, account := big.NewInt(1337), common.HexToAddress("0x00000000000000000000000000000000000000aa")
	signer := types.NewAnzeonSigner(chainID)
	for name, inner := range map[string]types.TxData{
		"legacy":      &types.LegacyTx{Nonce: 1, Gas: 21_000, GasPrice: big.NewInt(1)},
		"access list": &types.AccessListTx{ChainID: chainID, Nonce: 1, Gas: 21_000, GasPrice: big.NewInt(1)},
		"dynamic fee": &types.DynamicFeeTx{
			ChainID: chainID, Nonce: 1, Gas: 21_000, GasFeeCap: big.NewInt(1), GasTipCap: big.NewInt(1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			tx := must.Get(types.NewTx(inner).WithSignature(signer, impersonate(account)))(t)
			raw := must.Get(tx.MarshalBinary())(t)
			decoded := new(types.Transaction)
			must.Do(t, decoded.UnmarshalBinary(raw))
			expect.Equal(t, must.Get(types.Sender(signer, decoded))(t), account, "sender")
			expect.Equal(t, decoded.Hash(), tx.Hash(), "the hash is not stable")
		})
	}
	for _, at := range []int{0, 11, 32, 63} {
		signature := impersonate(account)
		signature[at]++
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:64])
		named, ok := impersonated(r, s)
		expect.That(t, !ok, "byte %d changed: names %v", at, named)
	}
}
