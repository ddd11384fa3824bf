// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"crypto/ecdsa"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/must"
)

// transfer returns a signed type-2 payment on the test networks' chain in canonical bytes.
func transfer(t *testing.T, key *ecdsa.PrivateKey, nonce uint64, to common.Address, value, tip,
	feeCap *big.Int) []byte {
	t.Helper()
	return transferOn(t, chainID, key, nonce, to, value, tip, feeCap)
}

func transferOn(
	t *testing.T, chain uint64, key *ecdsa.PrivateKey, nonce uint64, to common.Address, value, tip, feeCap *big.Int,
) []byte {
	t.Helper()
	id := new(big.Int).SetUint64(chain)
	tx := must.Get(types.SignNewTx(key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap, Gas: gethparams.TxGas, To: &to, Value: value,
	}))(t)
	return must.Get(tx.MarshalBinary())(t)
}

// delegate signs a transaction as its sender, and then as the account that pays its fee.
func delegate(t *testing.T, sender, payer *ecdsa.PrivateKey, inner types.DynamicFeeTx) hexutil.Bytes {
	t.Helper()
	signed := must.Get(types.SignNewTx(sender, types.LatestSignerForChainID(inner.ChainID), &inner))(t)
	inner.V, inner.R, inner.S = signed.RawSignatureValues()
	address := crypto.PubkeyToAddress(payer.PublicKey)
	tx := must.Get(types.SignNewTx(payer, types.NewFeeDelegateSigner(inner.ChainID),
		&types.FeeDelegateTx{SenderTx: inner, FeePayer: &address}))(t)
	return must.Get(tx.MarshalBinary())(t)
}

// emptyAccount returns the key of an account that nobody has heard of.
func emptyAccount(t *testing.T) (*ecdsa.PrivateKey, common.Address) {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	return key, crypto.PubkeyToAddress(key.PublicKey)
}
