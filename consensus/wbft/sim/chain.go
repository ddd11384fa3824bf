// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/event"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/messages"
	"gwon/core/rules"
)

// The chain of a simulated node keeps the rules of the real one but for the EVM. Headers are verified by the real
// engine. The state is a number: the root of a block is the hash of its parent's root, the block's place and its
// transactions, a transaction uses all the gas that it has, one with poison in it is invalid, and the validators of the
// next epoch are those of the network's plan.

// poison makes a transaction fail.
const poison = "poison"

// dear begins the data of a transaction that takes a time to execute, in nanoseconds (timeOf).
const dear = "dear"

// timeOf returns the time that a block takes to execute beyond that of any block.
func timeOf(block *types.Block) time.Duration {
	took := time.Duration(0)
	for _, tx := range block.Transactions() {
		if at, ok := strings.CutPrefix(string(tx.Data()), dear); ok && len(at) == 8 {
			took += time.Duration(binary.BigEndian.Uint64([]byte(at)))
		}
	}
	return took
}

// stateRoot returns the root after a block on the parent's state.
func stateRoot(parent *types.Header, header *types.Header) common.Hash {
	number := binary.BigEndian.AppendUint64(nil, header.Number.Uint64())
	return crypto.Keccak256Hash([]byte("state"), parent.Root[:], number, header.Coinbase[:], header.TxHash[:])
}

func receiptRoot(txHash common.Hash) common.Hash {
	return crypto.Keccak256Hash([]byte("receipts"), txHash[:])
}

// execute judges a block by its parent as the execution does: body, gas, roots, epoch. No honest validator may vote for
// a refused block.
func (n *Network) execute(parent *types.Header, block *types.Block) error {
	if err := rules.ValidateBasic(block); err != nil {
		return err
	}
	if err := n.process(parent, block); err != nil {
		return fmt.Errorf("%w: %w", gethcore.ErrExecution, err)
	}
	return nil
}

// process finds what only an execution shows.
func (n *Network) process(parent *types.Header, block *types.Block) error {
	header := block.Header()
	for i, tx := range block.Transactions() {
		if string(tx.Data()) == poison {
			return fmt.Errorf("transaction %d cannot be executed", i)
		}
	}
	if used := uint64(len(block.Transactions())) * gethparams.TxGas; header.GasUsed != used {
		return fmt.Errorf("gas used %d, the header says %d", used, header.GasUsed)
	}
	if want := receiptRoot(header.TxHash); header.ReceiptHash != want {
		return fmt.Errorf("receipt root %v, the header says %v", want, header.ReceiptHash)
	}
	if want := stateRoot(parent, header); header.Root != want {
		return fmt.Errorf("state root %v, the header says %v", want, header.Root)
	}
	x, err := header.WBFTExtra()
	if err != nil {
		return err
	}
	want := &types.WBFTExtra{EpochInfo: n.epochInfo(header.Number.Uint64())}
	if got := (&types.WBFTExtra{EpochInfo: x.EpochInfo}); string(got.Encode()) != string(want.Encode()) {
		return errors.New("wrong epoch info")
	}
	return nil
}

// candidate makes a block on a parent. Engine is that of its proposer.
func (n *Network) candidate(
	engine *wbft.Engine,
	chain *chain,
	parent *types.Header,
	coinbase common.Address,
	timestamp uint64,
	vanity string,
	txs []*types.Transaction,
) (*types.Block, error) {
	header := &types.Header{
		ParentHash: parent.Hash(),
		UncleHash:  types.EmptyUncleHash,
		Number:     new(big.Int).Add(parent.Number, common.Big1),
		GasLimit:   parent.GasLimit,
		Coinbase:   coinbase,
		Time:       timestamp,
		BaseFee:    eip1559.CalcBaseFee(n.config, parent),
		Extra:      []byte(vanity),
	}
	if err := engine.Prepare(chain, header); err != nil {
		return nil, err
	}
	if info := n.epochInfo(header.Number.Uint64()); info != nil {
		x, err := header.WBFTExtra()
		if err != nil {
			return nil, err
		}
		x.EpochInfo = info
		header.Extra = x.Encode()
	}
	block := withTransactions(parent, types.NewBlockWithHeader(header), txs)
	if happens(n.roll("full", header.Number.Uint64(), timestamp, new(big.Int).SetBytes(coinbase[:8]).Uint64()),
		n.cfg.Full) {
		if full := filled(parent, block, messages.MaxProposal(len(n.members(header.Number.Uint64())))); full != nil {
			return full, nil
		}
	}
	return block, nil
}

// chain is the chain of one node on its disk. It is safe for concurrent use.
type chain struct {
	net  *Network
	node *Node

	mu      sync.Mutex
	blocks  []*types.Block
	durable int // number of blocks on disk
	byHash  map[common.Hash]*types.Header

	executed map[common.Hash]bool // blocks that were executed here, in any process
}

func newChain(n *Network, node *Node) *chain {
	return &chain{
		net: n, node: node, blocks: []*types.Block{n.genesis}, durable: 1,
		byHash: map[common.Hash]*types.Header{n.genesis.Hash(): n.genesis.Header()}, executed: make(map[common.Hash]bool),
	}
}

func (c *chain) head() *types.Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blocks[len(c.blocks)-1]
}

// block returns the block at a height, or nil.
func (c *chain) block(number uint64) *types.Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number >= uint64(len(c.blocks)) {
		return nil
	}
	return c.blocks[number]
}

// onDisk returns the number of the newest block that survives a power loss.
func (c *chain) onDisk() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return uint64(c.durable - 1)
}

// append makes a sealed child of the head the new head, and reports whether it did.
func (c *chain) append(block *types.Block) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if block.ParentHash() != c.blocks[len(c.blocks)-1].Hash() {
		return false
	}
	c.blocks = append(c.blocks, block)
	c.byHash[block.Hash()] = block.Header()
	return true
}

func (c *chain) sync(length int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.durable = max(c.durable, min(length, len(c.blocks)))
}

func (c *chain) length() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.blocks)
}

// truncate loses every block from a length on.
func (c *chain) truncate(length int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.blocks[length:] {
		delete(c.byHash, b.Hash())
	}
	c.blocks = slices.Clip(c.blocks[:length])
	c.durable = min(c.durable, length)
}

// powerLoss drops blocks that are not on disk, except those that chance keeps.
func (c *chain) powerLoss(roll func() uint64) {
	length, durable := c.length(), int(c.onDisk())+1
	c.truncate(durable + int(roll()%uint64(length-durable+1)))
	c.sync(c.length())
}

// consensus.ChainHeaderReader and what the engine asks a chain with state for.

func (c *chain) Config() *gethparams.ChainConfig { return c.net.config }
func (c *chain) CurrentHeader() *types.Header    { return c.head().Header() }

func (c *chain) GetHeader(hash common.Hash, number uint64) *types.Header {
	if h := c.GetHeaderByHash(hash); h != nil && h.Number.Uint64() == number {
		return h
	}
	return nil
}

func (c *chain) GetHeaderByNumber(number uint64) *types.Header {
	if b := c.block(number); b != nil {
		return b.Header()
	}
	return nil
}

func (c *chain) GetHeaderByHash(hash common.Hash) *types.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byHash[hash]
}

// StateAt returns the same state for every block, as far as the engine reads it: no blacklisted accounts, and a
// governed tip of 0.
func (c *chain) StateAt(common.Hash, *big.Int, uint64) (*state.StateDB, error) {
	return state.New(types.EmptyRootHash, c.net.states)
}

// chainView is the chain as one process uses it (wbft.Chain).
type chainView struct {
	*chain
	process *process
	lock    chan struct{} // held while blocks are written or imported
	heads   event.FeedOf[gethcore.ChainHeadEvent]
}

func newChainView(p *process) *chainView {
	return &chainView{chain: p.node.chain, process: p, lock: make(chan struct{}, 1)}
}

func (v *chainView) Genesis() *types.Block       { return v.net.genesis }
func (v *chainView) CurrentBlock() *types.Header { return v.head().Header() }

func (v *chainView) SubscribeChainHeadEvent(ch chan<- gethcore.ChainHeadEvent) event.Subscription {
	return v.heads.Subscribe(ch)
}

// ExecuteProposal is documented in core.BlockChain.
func (v *chainView) ExecuteProposal(ctx context.Context, block *types.Block) (*gethcore.Executed, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", gethcore.ErrUnexamined, err)
	}
	parent := v.head().Header()
	if block.ParentHash() != parent.Hash() {
		return nil, gethcore.ErrStaleProposal
	}
	took := time.NewTimer(v.node.span("execute", v.net.conditions().MaxExecution) + timeOf(block))
	defer took.Stop()
	select {
	case <-took.C:
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", gethcore.ErrUnexamined, ctx.Err())
	}
	if v.process.dead.Load() {
		return nil, fmt.Errorf("%w: %w", gethcore.ErrUnexamined, gethcore.ErrChainStopped)
	}
	if v.node.chance("unexamined", v.net.conditions().Unexamined) {
		return nil, fmt.Errorf("%w: a read of the database failed", gethcore.ErrUnexamined)
	}
	if err := rules.ValidateBasic(block); err != nil {
		v.net.fail("node %d executes a block that has not passed the gate: %v", v.node.id, err)
	}
	if err := v.net.execute(parent, block); err != nil {
		return nil, err
	}
	v.noteExecuted(block)
	return gethcore.NewExecuted(block, nil, nil), nil
}

func (v *chainView) noteExecuted(block *types.Block) {
	v.net.observer.learn(block)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.executed[block.Hash()] = true
}

// CommitExecuted is documented in core.BlockChain.
func (v *chainView) CommitExecuted(sealed *types.Block, ex *gethcore.Executed) error {
	v.lock <- struct{}{}
	defer func() { <-v.lock }()
	if v.process.act() != nil {
		return gethcore.ErrChainStopped
	}
	head := v.head()
	switch {
	case sealed.Hash() != ex.Block().Hash():
		return errors.New("sealed block is not the executed one")
	case head.Hash() == sealed.Hash():
		return v.syncNow()
	case head.Hash() != sealed.ParentHash():
		return gethcore.ErrStaleProposal
	}
	return v.write(ex.Block().WithSeal(sealed.Header()), "commits")
}

// write makes a sealed block the head, durably, and tells of it.
func (v *chainView) write(block *types.Block, how string) error {
	if v.node.disk.isFull() {
		return errDiskFull
	}
	v.net.observer.decided(v.node, block)
	if !v.append(block) {
		return gethcore.ErrStaleProposal
	}
	v.net.note(v.node.id, "%s block %s", how, v.net.name(block.Hash()))
	var err error
	// which does not wait for the disk, and keeps up with a chain that a slow one would not
	if !v.net.cfg.Followers[v.node.id] {
		err = v.syncNow()
	}
	v.heads.Send(gethcore.ChainHeadEvent{Header: block.Header()})
	return err
}

// SyncBlocks is documented in core.BlockChain.
func (v *chainView) SyncBlocks() error { return v.syncNow() }

func (v *chainView) syncNow() error {
	length := v.length()
	v.node.spend("sync blocks", v.net.conditions().MaxBlockSync)
	switch {
	case v.process.act() != nil:
		return gethcore.ErrChainStopped
	case v.node.disk.isFailing():
		return errDisk
	}
	v.sync(length)
	return nil
}

// imports verifies sealed blocks of a peer and writes them, in order.
func (v *chainView) imports(blocks []*types.Block) {
	v.lock <- struct{}{}
	defer func() { <-v.lock }()
	v.follow(blocks)
	for _, block := range blocks {
		parent := v.head().Header()
		if v.process.dead.Load() || block.ParentHash() != parent.Hash() {
			return
		}
		v.node.spend("import", v.net.conditions().MaxExecution)
		time.Sleep(timeOf(block))
		err := v.process.engine.VerifyHeader(v, block.Header())
		if err == nil {
			err = v.process.engine.VerifyUncles(nil, block)
		}
		if err == nil {
			err = v.net.execute(parent, block)
		}
		if errors.Is(err, wbft.ErrHeld) {
			v.net.note(v.node.id, "holds block %s", v.net.name(block.Hash()))
			return
		}
		if err != nil {
			v.net.observer.refusedImport(v.node, block, err)
			return
		}
		if v.process.act() != nil {
			return
		}
		if err := v.write(block, "imports"); err != nil {
			return
		}
		if v.net.isCut() {
			v.node.announce(block)
		}
	}
}

// follow ends the doubt about blocks with a sealed child, as a sync does.
func (v *chainView) follow(blocks []*types.Block) {
	if len(blocks) < 2 || !slices.ContainsFunc(blocks, contested) {
		return
	}
	headers := make([]*types.Header, len(blocks))
	for i, block := range blocks {
		headers[i] = block.Header()
	}
	abort, results := v.process.engine.VerifyHeaders(v, headers)
	defer close(abort)
	good := 0
	for range headers {
		if <-results != nil {
			break
		}
		good++
	}
	v.process.engine.Follow(blocks[:max(good-1, 0)])
}

// builder makes the blocks of one process (wbft.Builder).
type builder struct{ process *process }

func (b builder) Build(
	ctx context.Context,
	parent *types.Header,
	coinbase common.Address,
	timestamp uint64,
) (*gethcore.Executed, error) {
	p := b.process
	p.node.spend("build", p.node.net.conditions().MaxExecution)
	if p.dead.Load() {
		return nil, gethcore.ErrChainStopped
	}
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	number := p.builds.Add(1)
	vanity := fmt.Sprintf("%d.%d.%d", p.node.id, p.node.incarnation, number)
	block, err := p.node.net.candidate(p.engine, p.chain.chain, parent, coinbase, timestamp, vanity,
		p.node.transactions(number))
	if err != nil {
		return nil, err
	}
	p.chain.noteExecuted(block)
	return gethcore.NewExecuted(block, nil, nil), nil
}
