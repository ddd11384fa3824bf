// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	proposer    = common.Address{0xc0}
	governedTip = big.NewInt(27_600_000_000_000)
	testBaseFee = big.NewInt(20_000_000_000_000)
)

// anzeonConfig returns a valid configuration of an Anzeon chain with all forks active.
func anzeonConfig() *params.ChainConfig {
	contract := &params.SystemContract{Address: common.Address{19: 1}, Version: "v1"}
	zero := func() *big.Int { return new(big.Int) }
	return &params.ChainConfig{
		ChainID: big.NewInt(8283), HomesteadBlock: zero(), EIP150Block: zero(), EIP155Block: zero(), EIP158Block: zero(),
		ByzantiumBlock: zero(), ConstantinopleBlock: zero(), PetersburgBlock: zero(), IstanbulBlock: zero(),
		MuirGlacierBlock: zero(), BerlinBlock: zero(), LondonBlock: zero(), ApplepieBlock: zero(), BohoBlock: zero(),
		Anzeon: &params.AnzeonConfig{
			WBFT: &params.WBFTConfig{
				RequestTimeoutSeconds: 2, BlockPeriodSeconds: 1, EpochLength: 10, ProposerPolicy: new(uint64),
			},
			Init: &params.WBFTInit{Validators: make([]common.Address, 1), BLSPublicKeys: []hexutil.Bytes{make([]byte, 48)}},
			SystemContracts: &params.SystemContracts{
				NativeCoinAdapter: contract, GovValidator: contract, GovMasterMinter: contract,
				GovMinter: contract, GovCouncil: contract,
			},
		},
	}
}

// soloEngine is an engine without seals that marks the blocks it assembles.
type soloEngine struct {
	consensus.Engine
	tip      *big.Int
	assemble error
}

func (e *soloEngine) Author(header *types.Header) (common.Address, error) {
	return header.Coinbase, nil
}

func (e *soloEngine) VerifyHeader(consensus.ChainHeaderReader, *types.Header) error { return nil }

func (e *soloEngine) Prepare(_ consensus.ChainHeaderReader, header *types.Header) error {
	header.Difficulty, header.Coinbase = big.NewInt(1), proposer
	header.Extra = (&types.WBFTExtra{GasTip: e.tip}).Encode()
	return nil
}

func (e *soloEngine) Assemble(_ consensus.ChainHeaderReader, header *types.Header, _ vm.StateDB, _ *types.Body) error {
	header.MixDigest = common.Hash{0xaa}
	return e.assemble
}

func (e *soloEngine) Finish(_ consensus.ChainHeaderReader, header *types.Header, _ vm.StateDB, _ *types.Body) error {
	if header.MixDigest != (common.Hash{0xaa}) {
		return errors.New("the block was not assembled")
	}
	return nil
}

type proposalBackend struct {
	chain *core.BlockChain
	pool  *txpool.TxPool
}

func (b proposalBackend) BlockChain() *core.BlockChain { return b.chain }
func (b proposalBackend) TxPool() *txpool.TxPool       { return b.pool }

// senders are the accounts of the tests, in no particular order of addresses.
var senders = func() (keys [5]*ecdsa.PrivateKey) {
	for i := range keys {
		keys[i], _ = crypto.HexToECDSA(strings.Repeat("0"+string(rune('1'+i)), 32))
	}
	return keys
}()

func senderAddress(i int) common.Address { return crypto.PubkeyToAddress(senders[i].PublicKey) }

func soloChain(t *testing.T, engine consensus.Engine) *core.BlockChain {
	t.Helper()
	rich := new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil)
	gspec := &core.Genesis{
		Config: anzeonConfig(), Difficulty: big.NewInt(1), GasLimit: 105_000_000, BaseFee: testBaseFee,
		Alloc: types.GenesisAlloc{},
	}
	for i := range senders {
		gspec.Alloc[senderAddress(i)] = types.Account{Balance: rich}
	}
	for addr, code := range boundsCode {
		gspec.Alloc[addr] = types.Account{Balance: new(big.Int), Code: code}
	}
	config := core.DefaultConfig().WithStateScheme(rawdb.PathScheme)
	chain := must.Get(core.NewBlockChain(rawdb.NewMemoryDatabase(), gspec, engine, config))(t)
	t.Cleanup(chain.Stop)
	return chain
}

func soloMiner(t *testing.T) (*Miner, *soloEngine) {
	t.Helper()
	engine := &soloEngine{Engine: ethash.NewFaker(), tip: governedTip}
	chain := soloChain(t, engine)
	config := legacypool.DefaultConfig
	config.Journal = ""
	pool := must.Get(txpool.New(1, chain, []txpool.SubPool{legacypool.New(config, chain)}))(t)
	t.Cleanup(func() { _ = pool.Close() })
	miner := New(proposalBackend{chain, pool}, DefaultConfig, engine)
	miner.SetGasCeil(105_000_000)
	return miner, engine
}

// syncPool waits until the pool has followed the head of the chain.
func syncPool(t *testing.T, miner *Miner) {
	t.Helper()
	must.Do(t, miner.txpool.Sync())
}

// submit puts a transaction of sender i into the pool.
func submit(t *testing.T, miner *Miner, i int, nonce uint64, tip, feeCap *big.Int) *types.Transaction {
	t.Helper()
	tx := types.MustSignNewTx(senders[i], types.LatestSigner(miner.chainConfig), &types.DynamicFeeTx{
		ChainID: miner.chainConfig.ChainID, Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap, Gas: 21000,
		To: &common.Address{0xee}, Value: common.Big1,
	})
	must.Do(t, miner.txpool.Add([]*types.Transaction{tx}, true)[0])
	return tx
}

func nextTask(miner *Miner) Task {
	head := miner.chain.CurrentBlock()
	return Task{ParentHash: head.Hash(), Timestamp: head.Time + 1, Coinbase: proposer, GasTip: governedTip}
}

func hashes(txs types.Transactions) (list []common.Hash) {
	for _, tx := range txs {
		list = append(list, tx.Hash())
	}
	return list
}

func times(fee *big.Int, n int64) *big.Int { return new(big.Int).Mul(fee, big.NewInt(n)) }

// A block that one node builds is executed by another and committed by both with the seals that only the commit knows.
func TestProposalIsBuiltExecutedAndCommitted(t *testing.T) {
	miner, _ := soloMiner(t)
	voter := soloChain(t, miner.engine)
	for number := uint64(1); number <= 3; number++ {
		tx := submit(t, miner, 0, number-1, governedTip, times(governedTip, 2))
		syncPool(t, miner)
		built := must.Get(miner.BuildProposal(context.Background(), nextTask(miner), nil))(t)
		have, want := hashes(built.Block().Transactions()), []common.Hash{tx.Hash()}
		require.Truef(t, slices.Equal(have, want), "transactions %v, want %v", have, want)
		executed := must.Get(voter.ExecuteProposal(context.Background(), built.Block()))(t)
		header := built.Block().Header()
		extra := must.Get(types.DecodeWBFTExtra(header.Extra))(t)
		seal := &types.WBFTSeal{Sealers: []byte{1}, Signature: make([]byte, 96)}
		extra.Round, extra.PreparedSeal, extra.CommittedSeal = 2, seal, seal
		header.Extra = extra.Encode()
		sealed := types.NewBlockWithHeader(header)
		for _, node := range []struct {
			chain *core.BlockChain
			ex    *core.Executed
		}{{miner.chain, built}, {voter, executed}} {
			must.Do(t, node.chain.CommitExecuted(sealed, node.ex))
			stored := node.chain.GetBlockByNumber(number)
			require.True(t, stored != nil && stored.Hash() == sealed.Hash() && string(stored.Extra()) == string(header.Extra),
				"the stored block does not carry the seals")
			receipts := node.chain.GetReceiptsByHash(stored.Hash())
			if len(receipts) != 1 || receipts[0].Status != types.ReceiptStatusSuccessful || receipts[0].TxHash != tx.Hash() {
				t.Fatalf("receipts: %v", receipts)
			}
		}
		require.True(t, built.Receipts()[0].BlockHash == sealed.Hash(), "the receipts of the builder name another block")
	}
}

// The order of spec transactions 3.7: own senders first, authorized before normal ones, tips count among the authorized
// only. No transaction below the governed tip gets in, except own senders.
func TestOrderOfProposal(t *testing.T) {
	miner, _ := soloMiner(t)
	var (
		rich  = times(governedTip, 10)
		short = new(big.Int).Sub(new(big.Int).Add(testBaseFee, governedTip), common.Big1)
		first = submit(t, miner, 0, 0, governedTip, rich)
		last  = submit(t, miner, 1, 0, times(governedTip, 5), rich) // a normal sender gains nothing by a higher tip
		above = submit(t, miner, 2, 0, times(governedTip, 2), rich) // authorized
		own   = submit(t, miner, 3, 0, common.Big1, rich)           // own, normal: its own tip does not count
		cheap = submit(t, miner, 4, 0, governedTip, short)          // leaves one wei less than the governed tip
		late  = submit(t, miner, 2, 1, governedTip, rich)
	)
	syncPool(t, miner)
	miner.SetPrioAddresses([]common.Address{senderAddress(3)})
	task := nextTask(miner)
	task.Authorized = func(addr common.Address) bool { return addr == senderAddress(2) }
	built := must.Get(miner.BuildProposal(context.Background(), task, nil))(t)
	want := []common.Hash{own.Hash(), above.Hash(), late.Hash(), first.Hash(), last.Hash()}
	have := hashes(built.Block().Transactions())
	assert.Truef(t, slices.Equal(have, want), "order %v, want %v; %v must not be in", have, want, cheap.Hash())
}

func TestRefusedTransactionsAreLeftOut(t *testing.T) {
	miner, _ := soloMiner(t)
	rich := times(governedTip, 10)
	kept := submit(t, miner, 0, 0, governedTip, rich)
	refused := submit(t, miner, 1, 0, governedTip, rich)
	submit(t, miner, 1, 1, governedTip, rich)
	syncPool(t, miner)
	task := nextTask(miner)
	task.Accept = func(tx *types.Transaction) error {
		if tx.Hash() == refused.Hash() {
			return errors.New("refused")
		}
		return nil
	}
	built := must.Get(miner.BuildProposal(context.Background(), task, nil))(t)
	if have := hashes(built.Block().Transactions()); !slices.Equal(have, []common.Hash{kept.Hash()}) {
		t.Errorf("transactions %v, want only that of the other sender", have)
	}
}

func TestStoppedAndFailedBuilds(t *testing.T) {
	miner, engine := soloMiner(t)
	submit(t, miner, 0, 0, governedTip, times(governedTip, 10))
	syncPool(t, miner)

	stopper := new(Stopper)
	stopper.Stop()
	built := must.Get(miner.BuildProposal(context.Background(), nextTask(miner), stopper))(t)
	assert.Equal(t, 0, len(built.Block().Transactions()), "transactions after the stop")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := miner.BuildProposal(ctx, nextTask(miner), nil)
	assert.ErrorIs(t, err, context.Canceled, "canceled build")
	for _, c := range []struct {
		name   string
		change func(*Task)
	}{
		{"unknown parent", func(task *Task) { task.ParentHash = common.Hash{1} }},
		{"old timestamp", func(task *Task) { task.Timestamp-- }},
		{"coinbase of another", func(task *Task) { task.Coinbase = common.Address{1} }},
	} {
		task := nextTask(miner)
		c.change(&task)
		_, err := miner.BuildProposal(context.Background(), task, nil)
		assert.Errorf(t, err, "%s: a block was built", c.name)
	}
	engine.assemble = errors.New("no epoch information")
	_, err = miner.BuildProposal(context.Background(), nextTask(miner), nil)
	assert.ErrorIs(t, err, engine.assemble, "engine that cannot assemble")
}

// No transaction whose fee payer has not signed gets into a block, whatever the pool holds.
func TestUnsignedFeePayerIsLeftOut(t *testing.T) {
	signer := types.NewAnzeonSigner(anzeonConfig().ChainID)
	inner := types.MustSignNewTx(senders[0], signer, &types.DynamicFeeTx{
		ChainID: signer.ChainID(), GasTipCap: governedTip, GasFeeCap: governedTip, Gas: 21000, To: &common.Address{0xee},
	})
	unsigned := must.Get(types.WrapFeeDelegated(inner, senderAddress(1)))(t)
	signed := must.Get(types.SignTx(unsigned, types.NewFeeDelegateSigner(signer.ChainID()), senders[1]))(t)
	for _, c := range []struct {
		name string
		tx   *types.Transaction
		want *types.Transaction
	}{{"unsigned", unsigned, nil}, {"signed", signed, signed}, {"not delegated", inner, inner}} {
		have := (&checked{tx: c.tx, signer: signer}).Get(c.tx.Hash())
		assert.Truef(t, have == c.want, "%s: resolved %v, want %v", c.name, have, c.want)
	}
}
