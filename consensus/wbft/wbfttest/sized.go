// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbfttest

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
)

// Endow gives the payer of Sized its coins. It is called before the first chain is made.
func (net *Network) Endow() {
	net.Genesis.Alloc[net.payer()] = types.Account{Balance: new(big.Int).Lsh(common.Big1, 100)}
}

func (net *Network) payer() common.Address { return net.Genesis.Config.Anzeon.Init.Validators[0] }

// Sized returns the child of the head, sealed, with one transaction of zeros that makes its RLP as long as told, in
// bytes: from some thousand to what the gas limit allows. The network is endowed.
func (net *Network) Sized(t testing.TB, chain *gethcore.BlockChain, round uint64, bytes int) *types.Block {
	t.Helper()
	parent, signer := chain.CurrentBlock(), types.LatestSigner(chain.Config())
	statedb, err := chain.StateAt(parent.Root, parent.Number, parent.Time)
	check(t, err)
	from := net.payer()
	data := bytes - 1000
	for range 4 {
		tx, err := types.SignNewTx(net.Keys[from], signer, &types.DynamicFeeTx{
			ChainID: chain.Config().ChainID, Nonce: statedb.GetNonce(from), To: &common.Address{0xee},
			Gas:       parent.GasLimit / 2,
			GasFeeCap: new(big.Int).Mul(big.NewInt(100_000), big.NewInt(gethparams.GWei)),
			GasTipCap: new(big.Int).Mul(big.NewInt(27_600), big.NewInt(gethparams.GWei)),
			Data:      make([]byte, data),
		})
		check(t, err)
		block := net.Seal(t, chain, net.Build(t, chain, round, tx), uint32(round))
		if int(block.Size()) == bytes {
			return block
		}
		data += bytes - int(block.Size())
	}
	t.Fatalf("no block of %d bytes", bytes)
	return nil
}
