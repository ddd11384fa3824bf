// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The pool demands the tip of the next block, from the start of the node and from each head on. It drops and refuses
// transactions with a lower tip, and accepts them after the tip has fallen (spec transactions 3.2, 6 no. 27 and 30).
func TestPoolFollowsGovernedTip(t *testing.T) {
	const tip, raised, lowered = 1_000_000, 2_000_000, 500_000
	net := wbfttest.New(t, 1)
	sender := must.Get(crypto.GenerateKey())(t)
	voter := must.Get(crypto.GenerateKey())(t)
	rich := types.Account{Balance: new(big.Int).Lsh(common.Big1, 100)}
	net.Genesis.Alloc[crypto.PubkeyToAddress(sender.PublicKey)] = rich
	net.Genesis.Alloc[crypto.PubkeyToAddress(voter.PublicKey)] = rich
	// In place of the contract: what it is called with becomes the tip.
	address := net.Genesis.Config.Anzeon.SystemContracts.GovValidator.Address
	governor := net.Genesis.Alloc[address]
	governor.Code = common.FromHex("5f3560395500") // PUSH0 CALLDATALOAD PUSH1 0x39 SSTORE STOP
	governor.Storage[common.Hash{31: 0x39}] = common.BigToHash(big.NewInt(tip))
	net.Genesis.Alloc[address] = governor

	RegisterEngine(nil)
	stack := must.Get(node.New(&node.Config{P2P: p2p.Config{NoDiscovery: true, NoDial: true, PrivateKey: sender}}))(t)
	t.Cleanup(func() { expect.Error(t, stack.Close(), nil, "Close") })
	config := ethconfig.Defaults
	config.Genesis, config.NetworkId = net.Genesis, net.Genesis.Config.ChainID.Uint64()
	config.SyncMode, config.TxPool.Journal = ethconfig.FullSync, ""
	config.DatabaseCache, config.TrieCleanCache, config.TrieDirtyCache, config.SnapshotCache = 16, 16, 16, 0
	service := must.Get(New(stack, &Config{Eth: &config}))(t)
	must.Do(t, stack.Start())

	signer := types.LatestSigner(net.Genesis.Config)
	offering := func(nonce uint64, tip int64) *types.Transaction {
		return types.MustSignNewTx(sender, signer, &types.DynamicFeeTx{ChainID: signer.ChainID(), Nonce: nonce, Gas: 21000,
			GasTipCap: big.NewInt(tip), GasFeeCap: new(big.Int).Lsh(common.Big1, 50), To: &common.Address{1}})
	}
	add := func(tx *types.Transaction) error { return service.TxPool().Add([]*types.Transaction{tx}, true)[0] }
	expect.Refused(t, add(offering(0, tip-1)), "the pool takes less than the tip of the genesis block")
	pooled := offering(0, tip)
	must.Do(t, add(pooled))

	source, _ := net.Chain(t)
	vote := func(nonce uint64, value int64) {
		blocks := net.ExtendWith(t, source, 1, func(head *types.Header) []*types.Transaction {
			data := common.BigToHash(big.NewInt(value))
			return []*types.Transaction{types.MustSignNewTx(voter, signer, &types.LegacyTx{
				Nonce: nonce, To: &address, Gas: 100_000, GasPrice: new(big.Int).Lsh(common.Big1, 50), Data: data[:]})}
		})
		must.Get(service.Chain().InsertChain(blocks))(t)
	}
	// The head event is asynchronous; refused reports whether it has arrived.
	refused := func(tx *types.Transaction) bool {
		err := add(tx)
		return err != nil && strings.Contains(err.Error(), "gas tip cap")
	}
	await := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(sessiontest.Patience); !ok(); time.Sleep(time.Millisecond) {
			must.That(t, !time.Now().After(deadline), "%v", what)
		}
	}
	vote(0, raised)
	await("the pool does not follow a raised tip", func() bool { return refused(offering(1, raised-1)) })
	await("the pool keeps what is below a raised tip", func() bool { return !service.TxPool().Has(pooled.Hash()) })
	expect.Error(t, add(offering(0, raised)), nil, "the raised tip is not enough")
	vote(1, lowered)
	await("the pool does not follow a lowered tip", func() bool { return add(offering(2, lowered)) == nil })
	expect.That(t, refused(offering(3, lowered-1)), "the pool takes less than a lowered tip")
}
