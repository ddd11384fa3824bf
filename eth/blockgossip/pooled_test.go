// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"math/big"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// countingSigner counts recoveries. A sender that it recovered is good for the chain's own signer.
type countingSigner struct {
	types.Signer
	recovered *atomic.Int64
}

func (s countingSigner) Sender(tx *types.Transaction) (common.Address, error) {
	s.recovered.Add(1)
	return s.Signer.Sender(tx)
}

func (s countingSigner) Equal(other types.Signer) bool {
	if o, ok := other.(countingSigner); ok {
		other = o.Signer
	}
	return s.Signer.Equal(other)
}

// The sender of a transaction that the pool has is not recovered again when a block with it comes from a peer. One that
// the pool does not have is, and by the chain's signer.
func TestImportKeepsPooledSenders(t *testing.T) {
	net := wbfttest.New(t, 4)
	key := must.Get(crypto.GenerateKey())(t)
	net.Genesis.Alloc[crypto.PubkeyToAddress(key.PublicKey)] = types.Account{Balance: new(big.Int).Lsh(common.Big1, 100)}
	source, _ := net.Chain(t)
	signer := types.LatestSigner(net.Genesis.Config)
	price := new(big.Int).Lsh(common.Big1, 50)
	var txs types.Transactions
	for nonce := range uint64(2) {
		txs = append(txs, types.MustSignNewTx(key, signer,
			&types.LegacyTx{Nonce: nonce, To: &common.Address{1}, Gas: 21000, GasPrice: price}))
	}
	sealed := net.Seal(t, source, net.Build(t, source, 0, txs...), 0)
	data, err := rlp.EncodeToBytes(sealed)
	must.Do(t, err)
	block := new(types.Block)
	must.Do(t, rlp.DecodeBytes(data, block))

	var pooled types.Transaction
	if data, err = txs[0].MarshalBinary(); err == nil {
		err = pooled.UnmarshalBinary(data)
	}
	must.Do(t, err)
	counting := countingSigner{signer, new(atomic.Int64)}
	must.Get(types.Sender(counting, &pooled))(t)
	chain, engine := net.Chain(t)
	im, _, ses := startImporter(t, chain, engine)
	im.pooled = func(hash common.Hash) *types.Transaction {
		if hash == pooled.Hash() {
			return &pooled
		}
		return nil
	}
	im.enqueue(arrival{block: block, from: ses, sealed: true})
	sessiontest.AwaitHead(t, chain, 1)

	// Whatever recovered a sender last has left its signer with it: only the counting one takes that for its own.
	for i, want := range []int64{1, 2} {
		must.Get(types.Sender(counting, block.Transactions()[i]))(t)
		expect.Equal(t, counting.recovered.Load(), want, "transaction %d recoveries by the counting signer", i)
	}
}
