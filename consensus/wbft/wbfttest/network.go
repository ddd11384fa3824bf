// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package wbfttest makes chains that a quorum has really sealed, for the tests of packages that need one.
package wbfttest

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/params"
)

// EpochLength is the number of blocks in an epoch of the test network.
const EpochLength = 4

// genesisTime lies far enough back that no test chain reaches the present.
const genesisTime = 1_700_000_000

// Network is a set of validators with their keys and the genesis of their chain.
type Network struct {
	Genesis *gethcore.Genesis
	Keys    map[common.Address]*ecdsa.PrivateKey
	Away    common.Address // seals nothing; zero for none
}

// New makes a network of n validators.
func New(t testing.TB, n int) *Network { return NewWithEpochs(t, n, EpochLength) }

// NewWithEpochs makes a network of n validators with epochs of another length in blocks.
func NewWithEpochs(t testing.TB, n int, length uint64) *Network {
	t.Helper()
	net := &Network{Keys: make(map[common.Address]*ecdsa.PrivateKey)}
	options := params.DevnetOptions{EpochLength: length}
	for i := range n {
		key, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "wbfttest validator %d", i)))
		check(t, err)
		secret, err := bls.DeriveKey(key)
		check(t, err)
		address := crypto.PubkeyToAddress(key.PublicKey)
		net.Keys[address] = key
		options.Validators = append(options.Validators,
			params.DevnetValidator{Address: address, BLSPublicKey: secret.PublicKey().Bytes()})
	}
	config, err := params.DevnetConfig(options)
	check(t, err)
	net.Genesis, _, err = core.BuildGenesis(core.DevnetGenesis(config, genesisTime, types.GenesisAlloc{}), nil)
	check(t, err)
	return net
}

// Chain returns a new chain of the network in memory, at genesis, with its engine.
func (net *Network) Chain(t testing.TB) (*gethcore.BlockChain, *wbft.Engine) {
	t.Helper()
	engine, err := wbft.New(net.Genesis.Config, nil)
	check(t, err)
	chain, err := gethcore.NewBlockChain(rawdb.NewMemoryDatabase(), net.Genesis, engine, nil)
	check(t, err)
	t.Cleanup(chain.Stop)
	return chain, engine
}

// Build returns the child of the head in a round with these transactions, which must all be good, without seals of its
// own, made by the proposer of that round.
func (net *Network) Build(
	t testing.TB,
	chain *gethcore.BlockChain,
	round uint64,
	txs ...*types.Transaction,
) *types.Block {
	t.Helper()
	engine, err := wbft.New(net.Genesis.Config, nil)
	check(t, err)
	parent := chain.CurrentBlock()
	set, err := engine.ValidatorsAfter(chain, parent)
	check(t, err)
	last := parent.Coinbase
	if parent.Number.Sign() == 0 {
		last = common.Address{}
	}
	proposer := set.Proposer(validators.RoundRobin, last, round)
	check(t, engine.Authorize(net.Keys[proposer]))
	statedb, err := chain.StateAt(parent.Root, parent.Number, parent.Time)
	check(t, err)
	block, _, err := build(engine, chain, proposer, statedb, txs)
	check(t, err)
	return block
}

// build executes the transactions of the child of a chain's head and returns it without seals of its own. statedb,
// which is the state of the head, becomes that of the child.
func build(
	engine *wbft.Engine,
	chain gethcore.ChainContext,
	proposer common.Address,
	statedb *state.StateDB,
	txs []*types.Transaction,
) (*types.Block, types.Receipts, error) {
	parent := chain.CurrentHeader()
	header := &types.Header{
		ParentHash: parent.Hash(),
		UncleHash:  types.EmptyUncleHash,
		Number:     new(big.Int).Add(parent.Number, common.Big1),
		GasLimit:   parent.GasLimit,
		Coinbase:   proposer,
		BaseFee:    eip1559.CalcBaseFee(chain.Config(), parent),
	}
	if err := engine.Prepare(chain, header); err != nil {
		return nil, nil, err
	}
	gethcore.SenderCacher().Recover(types.MakeSigner(chain.Config(), header.Number, header.Time), txs)
	evm := vm.NewEVM(gethcore.NewEVMBlockContext(header, chain, nil), statedb, chain.Config(), vm.Config{})
	gas := gethcore.NewGasPool(header.GasLimit)
	var receipts types.Receipts
	for i, tx := range txs {
		statedb.SetTxContext(tx.Hash(), i, uint32(i+1))
		receipt, _, err := gethcore.ApplyTransaction(context.Background(), evm, gas, statedb, header, tx)
		if err != nil {
			return nil, nil, fmt.Errorf("transaction %d: %w", i, err)
		}
		receipts = append(receipts, receipt)
	}
	header.GasUsed = gas.Used()
	body := &types.Body{Transactions: txs}
	if err := consensus.Assemble(engine, chain, header, statedb, body); err != nil {
		return nil, nil, err
	}
	return gethcore.AssembleBlock(chain, header, statedb, body, receipts, nil), receipts, nil
}

// Seal returns the block sealed by the first validators of its set, as many as a quorum needs, in a round.
func (net *Network) Seal(t testing.TB, chain *gethcore.BlockChain, block *types.Block, round uint32) *types.Block {
	t.Helper()
	engine, err := wbft.New(net.Genesis.Config, nil)
	check(t, err)
	set, err := engine.ValidatorsFor(chain, block.Header())
	check(t, err)
	return net.SealBy(t, set, block, round)
}

// SealBy is Seal for a block whose ancestors no chain has, by a set of the network's validators. The first of them
// proposes a block that names no proposer.
func (net *Network) SealBy(t testing.TB, set *validators.Set, block *types.Block, round uint32) *types.Block {
	t.Helper()
	if block.Coinbase() == (common.Address{}) {
		header := block.Header()
		header.Coinbase = set.At(0).Address
		decoded, err := header.WBFTExtra()
		check(t, err)
		decoded.RandaoReveal, err = extra.RandaoReveal(net.Keys[header.Coinbase], net.Genesis.Config.ChainID,
			block.NumberU64())
		check(t, err)
		header.Extra = decoded.Encode()
		block = block.WithSeal(header)
	}
	seal := func(kind byte) *types.WBFTSeal {
		digest := extra.SealDigest(block.Header(), round, kind)
		seals := make(map[int]scheme.Signature)
		for i := 0; len(seals) < set.Quorum(); i++ {
			if set.At(i).Address == net.Away {
				continue
			}
			secret, err := bls.DeriveKey(net.Keys[set.At(i).Address])
			check(t, err)
			seals[i], err = scheme.ParseSignature(secret.Sign(digest[:]))
			check(t, err)
		}
		sum, err := set.Aggregate(seals)
		check(t, err)
		return sum
	}
	header, err := block.Header().WithWBFTSeals(round, seal(extra.Prepare), seal(extra.Commit))
	check(t, err)
	return block.WithSeal(header)
}

// SealByOthers returns blocks of a chain sealed without the first validator of their sets, which Seal begins with.
func (net *Network) SealByOthers(t testing.TB, chain *gethcore.BlockChain, blocks types.Blocks) types.Blocks {
	t.Helper()
	engine, err := wbft.New(net.Genesis.Config, nil)
	check(t, err)
	resealed := make(types.Blocks, len(blocks))
	for i, block := range blocks {
		set, err := engine.ValidatorsFor(chain, block.Header())
		check(t, err)
		others := *net
		others.Away = set.At(0).Address
		resealed[i] = others.SealBy(t, set, block, 0)
	}
	return resealed
}

// Extend seals count empty blocks onto the chain and returns them.
func (net *Network) Extend(t testing.TB, chain *gethcore.BlockChain, count int) types.Blocks {
	t.Helper()
	return net.ExtendWith(t, chain, count, func(*types.Header) []*types.Transaction { return nil })
}

// ExtendWith seals count blocks onto the chain and returns them. fill makes the transactions of the child of a header.
func (net *Network) ExtendWith(
	t testing.TB,
	chain *gethcore.BlockChain,
	count int,
	fill func(parent *types.Header) []*types.Transaction,
) types.Blocks {
	t.Helper()
	blocks := make(types.Blocks, 0, count)
	for range count {
		block := net.Seal(t, chain, net.Build(t, chain, 0, fill(chain.CurrentBlock())...), 0)
		_, err := chain.InsertChain(types.Blocks{block})
		check(t, err)
		blocks = append(blocks, block)
	}
	return slices.Clip(blocks)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
