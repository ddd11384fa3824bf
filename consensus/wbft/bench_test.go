// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// hookedChain is a real chain whose calls a test can watch, hold up or let fail.
type hookedChain struct {
	*gethcore.BlockChain

	mu      sync.Mutex
	execute func(*types.Block) error // before an execution; an error takes its place
	hold    func(context.Context)    // before an execution
	commit  func(*types.Block) error // before a commit; an error takes its place
	written func(*types.Block)       // after a commit, before it returns
	sync    func(head uint64) error  // before a sync; an error takes its place
	runs    []common.Hash            // blocks that were executed
	commits []common.Hash            // blocks that were to be committed
	synced  []uint64                 // heads at which the chain was synced
}

func (c *hookedChain) ExecuteProposal(ctx context.Context, block *types.Block) (*gethcore.Executed, error) {
	c.mu.Lock()
	c.runs = append(c.runs, block.Hash())
	hook, hold := c.execute, c.hold
	c.mu.Unlock()
	if hold != nil {
		hold(ctx)
	}
	if hook != nil {
		if err := hook(block); err != nil {
			return nil, err
		}
	}
	return c.BlockChain.ExecuteProposal(ctx, block)
}

func (c *hookedChain) CommitExecuted(sealed *types.Block, ex *gethcore.Executed) error {
	c.mu.Lock()
	c.commits = append(c.commits, sealed.Hash())
	before, after := c.commit, c.written
	c.mu.Unlock()
	if before != nil {
		if err := before(sealed); err != nil {
			return err
		}
	}
	err := c.BlockChain.CommitExecuted(sealed, ex)
	if after != nil {
		after(sealed)
	}
	return err
}

func (c *hookedChain) SyncBlocks() error {
	c.mu.Lock()
	head, hook := c.CurrentBlock().Number.Uint64(), c.sync
	c.mu.Unlock()
	if hook != nil {
		if err := hook(head); err != nil {
			return err
		}
	}
	if err := c.BlockChain.SyncBlocks(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.synced = append(c.synced, head)
	return nil
}

func (c *hookedChain) executions() []common.Hash {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.runs)
}

// sent is a message that a driver sent or relayed.
type sent struct {
	messages.Message
	to    []common.Address
	force bool
}

// recorder is a network that keeps what goes through it.
type recorder struct {
	mu        sync.Mutex
	sends     []sent
	relays    []sent
	forgotten [][]byte
	dropped   []common.Address // peers
	announced []*types.Block
	holders   []common.Address // of the last one announced
	onSend    func(messages.Message)
}

func (n *recorder) Send(_ []common.Address, code uint64, payload []byte, to []common.Address, force bool) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		panic(err)
	}
	n.mu.Lock()
	n.sends = append(n.sends, sent{m, to, force})
	hook := n.onSend
	n.mu.Unlock()
	if hook != nil {
		hook(m)
	}
}

func (n *recorder) Relay(to []common.Address, code uint64, payload []byte) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		panic(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.relays = append(n.relays, sent{Message: m, to: to})
}

func (n *recorder) Forget(payload []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forgotten = append(n.forgotten, payload)
}

// forgets returns how many messages are welcome again.
func (n *recorder) forgets() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.forgotten)
}

func (n *recorder) Drop(validator common.Address, _ string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dropped = append(n.dropped, validator)
}

func (n *recorder) Broadcast(block *types.Block, holders []common.Address) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.announced = append(n.announced, block)
	n.holders = holders
}

// relayed returns what was relayed so far.
func (n *recorder) relayed() []sent {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.relays)
}

// take returns what was sent since it was asked last.
func (n *recorder) take() []sent {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.sends
	n.sends = nil
	return out
}

// noBuilder never builds: the driver under test is no proposer, or need not be.
type noBuilder struct{}

func (noBuilder) Build(ctx context.Context, _ *types.Header, _ common.Address, _ uint64) (*gethcore.Executed, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// buildFunc is a builder of one function.
type buildFunc func(ctx context.Context) (*gethcore.Executed, error)

func (f buildFunc) Build(ctx context.Context, _ *types.Header, _ common.Address, _ uint64) (*gethcore.Executed, error) {
	return f(ctx)
}

// buildUpTo returns a builder that builds empty blocks at once, up to a number.
func (b *bench) buildUpTo(number uint64) wbft.Builder {
	return buildFunc(func(ctx context.Context) (*gethcore.Executed, error) {
		if b.chain.CurrentBlock().Number.Uint64() >= number {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return b.chain.BlockChain.ExecuteProposal(ctx, b.block(0))
	})
}

// bench is one driver on a real chain with a real vote log; the test plays the other validators with their keys.
type bench struct {
	t       *testing.T
	net     *wbfttest.Network
	engine  *wbft.Engine
	chain   *hookedChain
	network *recorder
	dir     string
	self    common.Address
	driver  *wbft.Driver
	builder wbft.Builder

	evidence *evidence.Store // nil for none
	signFrom uint64
	disk     votelog.Disk // nil for the operating system's
	inStep   bool
	observe  func(core.Event, []core.Effect)
}

// onBench runs a test in a bubble of its own time, which begins after the genesis block's.
func onBench(t *testing.T, n int, f func(b *bench)) {
	t.Helper()
	gethcore.SenderCacher() // its goroutines outlive the bubble
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Unix(1_800_000_000, 0)))
		b := &bench{t: t, net: wbfttest.New(t, n), dir: dir, builder: noBuilder{}}
		b.newChain()
		b.self = b.set().At(n - 1).Address // proposes last
		f(b)
		if b.driver != nil {
			b.driver.Stop()
		}
	})
}

// onBenchRow is onBench for a row of a table.
func onBenchRow(t *testing.T, name string, n int, f func(b *bench)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { onBench(t, n, f) })
}

// newChain gives the bench a chain at genesis.
func (b *bench) newChain() {
	chain, engine := b.net.Chain(b.t)
	b.chain, b.engine = &hookedChain{BlockChain: chain}, engine
}

func (b *bench) set() *validators.Set {
	b.t.Helper()
	set := must.Get(b.engine.ValidatorsAfter(b.chain, b.chain.CurrentBlock()))(b.t)
	return set
}

// start makes and starts a driver, as a new process does, and waits until it has said all it has to say.
func (b *bench) start() {
	b.t.Helper()
	must.Do(b.t, b.tryStart())
	b.wait()
}

func (b *bench) tryStart() error {
	must.Do(b.t, b.engine.Authorize(b.net.Keys[b.self]))
	b.network = new(recorder)
	driver := must.Get(wbft.NewDriver(wbft.DriverConfig{
		Engine: b.engine, Chain: b.chain, Network: b.network, Builder: b.builder, VoteLogDir: b.dir, Evidence: b.evidence,
		SignFrom: b.signFrom, Disk: b.disk, InlineUpkeep: b.inStep,
		Observe: b.observe,
	}))(b.t)
	b.driver = driver
	return driver.Start()
}

// restart ends the driver and starts another one on the same files.
func (b *bench) restart() {
	b.t.Helper()
	b.driver.Stop()
	b.start()
}

// wait returns when everything that can happen without time passing has happened.
func (b *bench) wait() { synctest.Wait() }

// others are the validators that the test plays, in the order of the set.
func (b *bench) others() []common.Address {
	return slices.DeleteFunc(b.set().Addresses(), func(a common.Address) bool { return a == b.self })
}

// block is the block that the proposer of a round makes on the head.
func (b *bench) block(round uint64) *types.Block {
	b.t.Helper()
	return b.net.Build(b.t, b.chain.BlockChain, round)
}

// variant changes a block's header and extra data.
func (b *bench) variant(block *types.Block, f func(*types.Header, *types.WBFTExtra)) *types.Block {
	b.t.Helper()
	header := block.Header()
	x := must.Get(header.WBFTExtra())(b.t)
	f(header, x)
	header.Extra = x.Encode()
	return types.NewBlockWithHeader(header).WithBody(*block.Body())
}

// rival is another good block by the same proposer.
func (b *bench) rival(block *types.Block) *types.Block {
	return b.variant(block, func(_ *types.Header, x *types.WBFTExtra) { x.Vanity[0] ^= 1 })
}

// sign signs a message with the key of a validator.
func (b *bench) sign(from common.Address, m messages.Signed) {
	b.t.Helper()
	must.Do(b.t, messages.Sign(m, b.net.Keys[from]))
}

func (b *bench) seal(from common.Address, block *types.Block, round uint64, kind byte) []byte {
	b.t.Helper()
	secret := must.Get(bls.DeriveKey(b.net.Keys[from]))(b.t)
	digest := extra.SealDigest(block.Header(), uint32(round), kind)
	return secret.Sign(digest[:])
}

func (b *bench) prePrepare(
	block *types.Block,
	round uint64,
	changes ...*messages.SignedRoundChange,
) *messages.PrePrepare {
	b.t.Helper()
	m := &messages.PrePrepare{Sequence: block.NumberU64(), Round: round, Block: block, RoundChanges: changes}
	b.sign(b.set().Proposer(validators.RoundRobin, b.lastProposer(), round), m)
	return m
}

func (b *bench) lastProposer() common.Address {
	if head := b.chain.CurrentBlock(); head.Number.Sign() > 0 {
		return head.Coinbase
	}
	return common.Address{}
}

func (b *bench) prepare(from common.Address, block *types.Block, round uint64) *messages.Prepare {
	b.t.Helper()
	m := &messages.Prepare{Sequence: block.NumberU64(), Round: round, Digest: block.Hash()}
	m.Seal = b.seal(from, block, round, extra.Prepare)
	b.sign(from, m)
	return m
}

func (b *bench) commit(from common.Address, block *types.Block, round uint64) *messages.Commit {
	b.t.Helper()
	m := &messages.Commit{Sequence: block.NumberU64(), Round: round, Digest: block.Hash()}
	m.Seal = b.seal(from, block, round, extra.Commit)
	b.sign(from, m)
	return m
}

func (b *bench) roundChange(from common.Address, sequence, round uint64) *messages.RoundChange {
	b.t.Helper()
	m := &messages.RoundChange{SignedRoundChange: messages.SignedRoundChange{Sequence: sequence, Round: round}}
	b.sign(from, m)
	return m
}

// deliver hands messages over as their authors' peers would, and waits until nothing moves any more.
func (b *bench) deliver(list ...messages.Message) {
	b.t.Helper()
	for _, m := range list {
		from := must.Get(m.Signer())(b.t)
		b.driver.Deliver(m.Code(), m.Encode(), from)
	}
	b.wait()
}

// prepares and commits deliver those votes of all other validators for a block.
func (b *bench) prepares(block *types.Block, round uint64) {
	b.t.Helper()
	for _, a := range b.others() {
		b.deliver(b.prepare(a, block, round))
	}
}

func (b *bench) commits(block *types.Block, round uint64) {
	b.t.Helper()
	for _, m := range b.commitsOf(block, round) {
		b.deliver(m)
	}
}

func (b *bench) commitsOf(block *types.Block, round uint64) (list []messages.Message) {
	b.t.Helper()
	for _, a := range b.others() {
		list = append(list, b.commit(a, block, round))
	}
	return list
}

// expect asserts which messages were sent since the last look, by code, and returns them.
func (b *bench) expect(what string, codes ...uint64) []sent {
	b.t.Helper()
	list := b.network.take()
	var got []uint64
	for _, s := range list {
		got = append(got, s.Code())
	}
	must.That(b.t, slices.Equal(got, codes), "%s: sent %x, want %x", what, got, codes)
	return list
}

// head asserts the number of the chain's head.
func (b *bench) head(want uint64) {
	b.t.Helper()
	must.Equal(b.t, b.chain.CurrentBlock().Number.Uint64(), want, "head")
}

// unhalted asserts that the driver goes on.
func (b *bench) unhalted() {
	b.t.Helper()
	must.Equal(b.t, b.driver.Halted(), "", "halted")
}

// votes reads the vote log of a stopped driver.
func (b *bench) votes() *votelog.Log {
	b.t.Helper()
	b.driver.Stop()
	l, err := votelog.Open(b.dir+"/votes.log", votelog.Owner{Validator: b.self, Genesis: b.chain.Genesis().Hash()})
	must.Do(b.t, err)
	b.t.Cleanup(func() { must.Do(b.t, l.Close()) })
	return l
}

// logged returns what is written to the log while f runs.
func logged(t *testing.T, f func()) string {
	t.Helper()
	var text lockedBuffer
	expect.Log(t, log.LogfmtHandler(&text))
	f()
	text.mu.Lock()
	defer text.mu.Unlock()
	return text.String()
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// counter reads a meter.
func counter(name string) int64 { return metrics.Get(name).(*metrics.Meter).Snapshot().Count() }

// block returns the block that a vote is for.
func (s sent) block() common.Hash {
	switch m := s.Message.(type) {
	case *messages.Prepare:
		return m.Digest
	case *messages.Commit:
		return m.Digest
	case *messages.PrePrepare:
		return m.Block.Hash()
	}
	return common.Hash{}
}

var errDisk = errors.New("input/output error")
