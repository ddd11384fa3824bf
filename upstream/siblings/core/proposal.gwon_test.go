// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var proposalKey, _ = crypto.HexToECDSA(strings.Repeat("01", 32))

// proposalGenesis funds the sender of the transactions in tests.
func proposalGenesis() *Genesis {
	rich := new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil)
	return &Genesis{
		Config: anzeonConfig(), Difficulty: big.NewInt(1), GasLimit: 105_000_000, BaseFee: big.NewInt(20_000_000_000_000),
		Alloc: types.GenesisAlloc{crypto.PubkeyToAddress(proposalKey.PublicKey): {Balance: rich}},
	}
}

// proposals makes n blocks, each paying 1 wei to an address that depends on branch.
func proposals(t *testing.T, n int, branch byte) []*types.Block {
	t.Helper()
	gspec := proposalGenesis()
	signer := types.LatestSigner(gspec.Config)
	_, blocks, _ := GenerateChainWithGenesis(gspec, newStageEngine(), n, func(i int, b *BlockGen) {
		b.AddTx(types.MustSignNewTx(proposalKey, signer, &types.LegacyTx{
			Nonce: uint64(i), To: &common.Address{0xee, branch}, Value: common.Big1, Gas: 21000, GasPrice: b.BaseFee(),
		}))
	})
	return blocks
}

func proposalChain(t *testing.T, scheme string) (*BlockChain, *stageEngine) {
	t.Helper()
	engine := newStageEngine()
	config := DefaultConfig().WithStateScheme(scheme)
	chain := must.Get(NewBlockChain(rawdb.NewMemoryDatabase(), proposalGenesis(), engine, config))(t)
	t.Cleanup(chain.Stop)
	return chain, engine
}

func TestCommitOfHeldExecution(t *testing.T) {
	for _, scheme := range []string{rawdb.HashScheme, rawdb.PathScheme} {
		t.Run(scheme, func(t *testing.T) {
			chain, _ := proposalChain(t, scheme)
			heads := make(chan ChainHeadEvent, 10)
			sub := chain.SubscribeChainHeadEvent(heads)
			defer sub.Unsubscribe()

			for _, block := range proposals(t, 3, 1) {
				ex := must.Get(chain.ExecuteProposal(context.Background(), block))(t)
				require.False(t, chain.HasHeader(block.Hash(), block.NumberU64()),
					"the execution of a proposal has written its header")
				must.Do(t, chain.CommitExecuted(block, ex))
				if head := chain.CurrentBlock(); head.Hash() != block.Hash() {
					t.Fatalf("head %d, want the committed block %d", head.Number, block.NumberU64())
				}
				if event := <-heads; event.Header.Hash() != block.Hash() {
					t.Fatalf("head event for %d, want %d", event.Header.Number, block.NumberU64())
				}
				final := chain.CurrentFinalBlock()
				require.True(t, final != nil && final.Hash() == block.Hash(), "the committed block is not final")
				receipts := chain.GetReceiptsByHash(block.Hash())
				require.Truef(t, len(receipts) == 1 && receipts[0].BlockHash == block.Hash(), "stored receipts: %v", receipts)
				require.NoError(t, chain.CommitExecuted(block, ex), "commit of the head again")
			}
			assert.True(t, rawdb.ReadFinalizedBlockHash(chain.db) == (common.Hash{}),
				"the final mark was written to the database, where the freezer follows it")
		})
	}
}

// A committed proposal counts in the metrics of block imports, once and not before it is committed.
func TestMetricsOfCommittedProposals(t *testing.T) {
	chain, _ := proposalChain(t, rawdb.PathScheme)
	metrics.Enable()
	inserts := func() int { return blockInsertTimer.Snapshot().Count() } // since the last look
	inserts()
	block := proposals(t, 1, 1)[0]
	ex := must.Get(chain.ExecuteProposal(context.Background(), block))(t)
	assert.Equal(t, 0, inserts(), "imports counted for a block that was only executed")
	for _, want := range []int{1, 0} {
		must.Do(t, chain.CommitExecuted(block, ex))
		assert.Equal(t, want, inserts(), "imports counted")
	}
}

func TestStaleProposals(t *testing.T) {
	chain, _ := proposalChain(t, rawdb.PathScheme)
	ours, other := proposals(t, 2, 1), proposals(t, 2, 2)
	first := must.Get(chain.ExecuteProposal(context.Background(), ours[0]))(t)
	rival := must.Get(chain.ExecuteProposal(context.Background(), other[0]))(t)
	_, err := chain.ExecuteProposal(context.Background(), ours[1])
	assert.ErrorIs(t, err, ErrStaleProposal, "proposal two above the head")
	assert.True(t, chain.CommitExecuted(other[0], first) != nil,
		"a sealed block was committed with the execution of another block")
	must.Do(t, chain.CommitExecuted(ours[0], first))
	assert.ErrorIs(t, chain.CommitExecuted(other[0], rival), ErrStaleProposal, "commit beside the head")
	_, err = chain.ExecuteProposal(context.Background(), other[0])
	assert.ErrorIs(t, err, ErrStaleProposal, "proposal beside the head")
	must.Do(t, chain.SetHead(0))
	assert.Error(t, chain.CommitExecuted(ours[0], first), "one execution was committed twice")
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = chain.ExecuteProposal(stopped, ours[0])
	assert.ErrorIs(t, err, context.Canceled, "execution for a caller that has left")
}

// A stored block whose head marker was lost in a crash can still be proposed and committed.
func TestProposalOfStoredBlock(t *testing.T) {
	chain, _ := proposalChain(t, rawdb.PathScheme)
	block := proposals(t, 1, 1)[0]
	must.Get(chain.InsertBlockWithoutSetHead(context.Background(), block, false))(t)
	ex := must.Get(chain.ExecuteProposal(context.Background(), block))(t)
	must.Do(t, chain.CommitExecuted(block, ex))
	assert.True(t, chain.CurrentBlock().Hash() == block.Hash(), "the block is not the head")
}

// The engine can refuse a block before and after its transactions (spec wbft 6.4).
func TestStagesMakeBlocksInvalid(t *testing.T) {
	bad := errors.New("refused by the engine")
	refuse := func(*types.Header, vm.StateDB) error { return bad }
	for _, c := range []struct {
		name string
		set  func(*stageEngine)
	}{
		{"start", func(e *stageEngine) { e.start = refuse }},
		{"finish", func(e *stageEngine) { e.finish = refuse }},
	} {
		chain, engine := proposalChain(t, rawdb.PathScheme)
		block := proposals(t, 1, 1)[0]
		c.set(engine)
		_, err := chain.ExecuteProposal(context.Background(), block)
		assert.Truef(t, errors.Is(err, bad), "%s: proposal: %v, want the error of the engine", c.name, err)
		_, err = chain.InsertChain(types.Blocks{block})
		assert.Truef(t, errors.Is(err, bad), "%s: import: %v, want the error of the engine", c.name, err)
	}
	chain, engine := proposalChain(t, rawdb.PathScheme)
	engine.start = func(_ *types.Header, parent vm.StateDB) error {
		if parent.GetNonce(crypto.PubkeyToAddress(proposalKey.PublicKey)) != 0 {
			return errors.New("the state is not that of the parent")
		}
		return nil
	}
	_, err := chain.ExecuteProposal(context.Background(), proposals(t, 1, 1)[0])
	assert.NoError(t, err)
}

// deafDisk is a database that can stop to find the state's accounts, in the trie and in the snapshot.
type deafDisk struct {
	ethdb.Database
	deaf atomic.Bool
}

func (d *deafDisk) Get(key []byte) ([]byte, error) {
	node := len(key) == common.HashLength
	account := len(key) == 1+common.HashLength && key[0] == rawdb.SnapshotAccountPrefix[0]
	if d.deaf.Load() && (node || account) {
		return nil, errors.New("input/output error")
	}
	return d.Database.Get(key)
}

// A database that fails during an execution makes accounts look empty and the result wrong. The proposal can be
// executed later. A proposal that is wrong itself has another error.
func TestUnreadableStateIsNotTheProposalsFault(t *testing.T) {
	blocks := proposals(t, 2, 1)
	disk := &deafDisk{Database: rawdb.NewMemoryDatabase()}
	config := DefaultConfig().WithStateScheme(rawdb.HashScheme)
	first := must.Get(NewBlockChain(disk, proposalGenesis(), newStageEngine(), config))(t)
	must.Get(first.InsertChain(blocks[:1]))(t)
	first.Stop() // which writes the state: the next chain has it on disk only
	chain := must.Get(NewBlockChain(disk, proposalGenesis(), newStageEngine(), config))(t)
	defer chain.Stop()

	disk.deaf.Store(true)
	_, err := chain.ExecuteProposal(context.Background(), blocks[1])
	assert.ErrorIs(t, err, ErrUnexamined, "disk fails")
	disk.deaf.Store(false)
	_, err = chain.ExecuteProposal(context.Background(), blocks[1])
	assert.NoError(t, err, "disk works again")
	header := blocks[1].Header()
	header.Root[0] ^= 1
	wrong := types.NewBlockWithHeader(header).WithBody(*blocks[1].Body())
	if _, err := chain.ExecuteProposal(context.Background(), wrong); err == nil || errors.Is(err, ErrUnexamined) {
		t.Errorf("a wrong state root: %v, want an error of the proposal", err)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = chain.ExecuteProposal(stopped, blocks[1])
	assert.ErrorIs(t, err, ErrUnexamined, "caller has left")
}

func TestFinalBlocksStay(t *testing.T) {
	chain, _ := proposalChain(t, rawdb.PathScheme)
	ours, other := proposals(t, 4, 1), proposals(t, 6, 2)
	must.Get(chain.InsertChain(ours))(t)
	chain.MarkFinal(ours[0].Header())
	if final := chain.CurrentFinalBlock(); final.Hash() != ours[3].Hash() {
		t.Fatalf("the final mark is at %d after the import of %d", final.Number, ours[3].Number())
	}
	_, err := chain.InsertChain(other)
	assert.ErrorIs(t, err, ErrFinalReorg, "branch below the final block")
	head := chain.CurrentBlock()
	require.Equalf(t, ours[3].Hash(), head.Hash(), "head is now %d", head.Number)
	// The way for blocks that are stored with their state.
	_, err = chain.SetCanonical(other[0])
	assert.ErrorIs(t, err, ErrFinalReorg, "known branch below the final block")
	_, err = chain.SetCanonical(ours[1])
	assert.ErrorIs(t, err, ErrFinalReorg, "dropping the final block")
}

// dearCode calls itself a precompile for as long as there is gas.
var dearCode = common.FromHex("5b600080808060055afa50600056")

// dearProposal returns a block whose only transaction uses all the gas of a block, and the chain for it.
func dearProposal(t *testing.T) (*BlockChain, *types.Block) {
	t.Helper()
	target := common.Address{0xde}
	gspec := proposalGenesis()
	gspec.Alloc[target] = types.Account{Code: dearCode, Balance: new(big.Int)}
	engine := newStageEngine()
	_, blocks, _ := GenerateChainWithGenesis(gspec, engine, 1, func(_ int, b *BlockGen) {
		b.AddTx(types.MustSignNewTx(proposalKey, types.LatestSigner(gspec.Config), &types.LegacyTx{
			To: &target, Gas: 50_000_000, GasPrice: b.BaseFee(),
		}))
	})
	config := DefaultConfig().WithStateScheme(rawdb.PathScheme)
	chain := must.Get(NewBlockChain(rawdb.NewMemoryDatabase(), gspec, engine, config))(t)
	t.Cleanup(chain.Stop)
	return chain, blocks[0]
}

// The end of its context ends an execution under way. The block has no verdict, is not reported as bad, and can be
// executed later. Blocks are imported meanwhile.
func TestExecutionIsInterrupted(t *testing.T) {
	chain, block := dearProposal(t)
	ctx, cancel := context.WithCancel(context.Background())
	ctx = vm.WithCalls(ctx, vm.NewPatientCalls())
	ended := make(chan error)
	chain.chainmu.TryLock() // the execution does not wait for the lock of the chain
	began := make(chan struct{})
	engine := chain.engine.(*stageEngine)
	engine.start = func(*types.Header, vm.StateDB) error {
		close(began)
		return nil
	}
	go func() {
		_, err := chain.ExecuteProposal(ctx, block)
		ended <- err
	}()
	<-began
	cancel()
	err := <-ended
	require.Truef(t, errors.Is(err, ErrUnexamined) && errors.Is(err, vm.ErrInterrupted) && !errors.Is(err, ErrExecution),
		"interrupted execution: %v", err)
	chain.chainmu.Unlock()
	assert.True(t, len(rawdb.ReadAllBadBlocks(chain.db)) == 0, "the interrupted block is reported as bad")
	engine.start = nil
	_, err = chain.ExecuteProposal(vm.WithCalls(t.Context(), vm.NewPatientCalls()), block)
	assert.NoError(t, err, "from the beginning")
}

// What only the execution shows is told apart from what the block shows by itself.
func TestExecutionShowsFault(t *testing.T) {
	chain, _ := proposalChain(t, rawdb.PathScheme)
	block := proposals(t, 1, 1)[0]
	change := func(f func(*types.Header)) *types.Block {
		header := block.Header()
		f(header)
		return types.NewBlockWithHeader(header).WithBody(*block.Body())
	}
	for name, c := range map[string]struct {
		block    *types.Block
		executed bool
	}{
		"state root":        {change(func(h *types.Header) { h.Root[0] ^= 1 }), true},
		"receipt root":      {change(func(h *types.Header) { h.ReceiptHash[0] ^= 1 }), true},
		"bloom":             {change(func(h *types.Header) { h.Bloom[0] ^= 1 }), true},
		"gas used":          {change(func(h *types.Header) { h.GasUsed++ }), true},
		"transactions root": {change(func(h *types.Header) { h.TxHash[0] ^= 1 }), false},
	} {
		_, err := chain.ExecuteProposal(t.Context(), c.block)
		assert.Truef(t, err != nil && errors.Is(err, ErrExecution) == c.executed, "%s: %v", name, err)
	}
}
