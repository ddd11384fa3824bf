// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"golang.org/x/sync/errgroup"

	"gwon/consensus/wbft"
	"gwon/core/rules"
	"gwon/params"
)

// Bounds of a run of blocks, whose last one vouches for the others. They hold before any seal is verified.
const (
	runBlocks = 2048
	runBytes  = 16 << 20 // in memory
)

// blockItem is a block as the ancient store has it. One before the history has a header alone.
type blockItem struct {
	Header   rlp.RawValue
	Body     rlp.RawValue `rlp:"optional"`
	Receipts rlp.RawValue `rlp:"optional"`
}

// provenBlock is a block with its receipts in storage form; nil for a header alone.
type provenBlock struct {
	*types.Block
	receipts rlp.RawValue
}

// decode checks that body and receipts, which are wanted or not, are those of the header.
func (i *blockItem) decode(number uint64, wanted bool) (provenBlock, error) {
	var header types.Header
	if err := rlp.DecodeBytes(i.Header, &header); err != nil {
		return provenBlock{}, fmt.Errorf("header: %w", err)
	}
	if header.Number == nil || !header.Number.IsUint64() || header.Number.Uint64() != number {
		return provenBlock{}, fmt.Errorf("its number is %v", header.Number)
	}
	if number == 0 {
		return i.genesis(&header)
	}
	if !wanted {
		if len(i.Body) > 0 || len(i.Receipts) > 0 {
			return provenBlock{}, errors.New("it has a body, and the manifest says that the history begins later")
		}
		return provenBlock{types.NewBlockWithHeader(&header), nil}, nil
	}
	if len(i.Receipts) == 0 {
		return provenBlock{}, errors.New("it has no receipts")
	}
	var body types.Body
	if err := rlp.DecodeBytes(i.Body, &body); err != nil {
		return provenBlock{}, fmt.Errorf("body: %w", err)
	}
	block := types.NewBlockWithHeader(&header).WithBody(body)
	if err := rules.ValidateBasic(block); err != nil {
		return provenBlock{}, err
	}
	return provenBlock{block, i.Receipts}, checkReceipts(block, i.Receipts)
}

// genesis checks the genesis block, which has neither transactions nor seals. Its hash, which proves the header, leaves
// seals out (spec wbft 1.4).
func (i *blockItem) genesis(header *types.Header) (provenBlock, error) {
	body := genesisBody(header)
	want, err := rlp.EncodeToBytes(body)
	if err != nil {
		return provenBlock{}, err
	}
	if !bytes.Equal(i.Body, want) || !bytes.Equal(i.Receipts, rlp.EmptyList) {
		return provenBlock{}, errors.New("the genesis block has transactions")
	}
	if crypto.Keccak256Hash(i.Header) != header.Hash() {
		return provenBlock{}, errors.New("the genesis block has seals")
	}
	return provenBlock{types.NewBlockWithHeader(header).WithBody(*body), i.Receipts}, nil
}

// genesisBody returns the body of a genesis block.
func genesisBody(header *types.Header) *types.Body {
	if header.WithdrawalsHash == nil {
		return new(types.Body)
	}
	return &types.Body{Withdrawals: types.Withdrawals{}}
}

// memory returns the approximate memory in bytes of the block when it is decoded. An item that no block can be is an
// error.
func (i *blockItem) memory() (int, error) {
	size := len(i.Header) + len(i.Body) + len(i.Receipts)
	if size > maxItem {
		return 0, fmt.Errorf("it has %d bytes, at most %d are allowed", size, maxItem)
	}
	if len(i.Body) == 0 {
		return size, nil
	}
	outline, err := rules.OutlineBody(nil, i.Body)
	if err != nil {
		return 0, err
	}
	if outline.Transactions > params.MaxTransactions {
		return 0, fmt.Errorf("it has %d transactions, at most %d are allowed", outline.Transactions, params.MaxTransactions)
	}
	return size + outline.Transactions*rules.TransactionMemory, nil
}

// checkReceipts checks that receipts in storage form have the root that the header names. Four bytes can decode to a
// receipt of 500 bytes, so they are counted first.
func checkReceipts(block *types.Block, raw rlp.RawValue) error {
	list, _, err := rlp.SplitList(raw)
	if err != nil {
		return fmt.Errorf("receipts: %w", err)
	}
	count, err := rlp.CountValues(list)
	if err != nil {
		return fmt.Errorf("receipts: %w", err)
	}
	txs := block.Transactions()
	if count != len(txs) {
		return fmt.Errorf("it has %d transactions and %d receipts", len(txs), count)
	}
	var stored []*types.ReceiptForStorage
	if err := rlp.DecodeBytes(raw, &stored); err != nil {
		return fmt.Errorf("receipts: %w", err)
	}
	receipts := make(types.Receipts, len(stored))
	for i, s := range stored {
		receipts[i] = (*types.Receipt)(s)
		receipts[i].Type = txs[i].Type()
		receipts[i].Bloom = types.CreateBloom(receipts[i])
	}
	if root := types.DeriveSha(receipts, trie.NewStackTrie(nil)); root != block.ReceiptHash() {
		return fmt.Errorf("its receipts have root %v, the header says %v", root, block.ReceiptHash())
	}
	return nil
}

// Network is the chain that a snapshot has to be of.
type Network struct {
	Genesis common.Hash
	Config  *gethparams.ChainConfig
	Alloc   []byte // of the genesis block, in JSON, for the database; empty where it is not known
}

// chainProof proves consecutive blocks from the genesis block on (spec wbft 3.1, 7.1). It implements
// consensus.ChainHeaderReader for the engine, with the only headers that judge what comes next.
type chainProof struct {
	network    Network
	engine     *wbft.Engine
	checkpoint common.Hash
	keepFrom   uint64          // first block that keeps the seals it comes with
	proven     []*types.Header // the last one and those that judge it and its child; empty before the genesis block
	passed     bool            // the checkpoint was among them, or there is none
	damaged    uint64          // headers whose seals were replaced
}

// newChainProof returns a proof of a chain whose last block will be the given one.
func newChainProof(trust *Trust, last uint64) (*chainProof, error) {
	engine, err := wbft.New(trust.Network.Config, nil)
	if err != nil {
		return nil, err
	}
	return &chainProof{
		network: trust.Network, engine: engine, checkpoint: trust.Checkpoint, passed: trust.Checkpoint == common.Hash{},
		keepFrom: wbft.KeepsFrom(last),
	}, nil
}

// parent returns the last proven header, nil before the genesis block.
func (p *chainProof) parent() *types.Header {
	if len(p.proven) == 0 {
		return nil
	}
	return p.proven[len(p.proven)-1]
}

// next returns the number of the block to be proven next.
func (p *chainProof) next() uint64 {
	if parent := p.parent(); parent != nil {
		return parent.Number.Uint64() + 1
	}
	return 0
}

// prove checks the blocks that follow, the last of which vouches for the others, and gives them proven seals.
func (p *chainProof) prove(run []provenBlock) error {
	if len(run) > 0 && p.parent() == nil {
		if hash := run[0].Hash(); hash != p.network.Genesis {
			return fmt.Errorf("the genesis block is %v, wanted is %v", hash, p.network.Genesis)
		}
		p.note(run[0].Header())
		run = run[1:]
	}
	if len(run) == 0 {
		return nil
	}
	headers := make([]*types.Header, len(run))
	for i, b := range run {
		headers[i] = b.Header()
	}
	if parent := p.parent(); headers[0].ParentHash != parent.Hash() {
		return fmt.Errorf("block %d does not follow on block %v", headers[0].Number, parent.Hash())
	}
	kept, damaged, err := p.engine.Receive(p, headers, p.keepFrom, true)
	if err != nil {
		return fmt.Errorf("blocks %d to %d are not of this chain: %w", headers[0].Number, headers[len(headers)-1].Number, err)
	}
	if err := p.judge(kept); err != nil {
		return err
	}
	if p.damaged == 0 && damaged > 0 {
		log.Warn("Seals replaced: the snapshot has bad ones, the next block holds good ones", "blocks", damaged, "from",
			headers[0].Number)
	}
	p.damaged += uint64(damaged)
	for i, h := range kept {
		run[i].Block = run[i].WithSeal(h)
		p.note(h)
	}
	return nil
}

// judge checks every rule of proven headers that needs no state.
func (p *chainProof) judge(headers []*types.Header) error {
	abort, results := p.engine.VerifyHeaders(p, headers)
	defer close(abort)
	for _, h := range headers {
		switch err := <-results; {
		case errors.Is(err, consensus.ErrFutureBlock):
			return fmt.Errorf("block %d is ahead of this machine's clock by %v: set the clock", h.Number, p.engine.FutureBy(h))
		case err != nil:
			return fmt.Errorf("block %d is sealed and breaks a rule: %w", h.Number, err)
		}
	}
	return nil
}

// note makes a header the newest proven one, and forgets those that judge nothing any more.
func (p *chainProof) note(h *types.Header) {
	p.proven = append(p.proven, h)
	needed := p.judges(h.Number.Uint64())
	p.proven = slices.DeleteFunc(p.proven, func(h *types.Header) bool {
		return !slices.Contains(needed, h.Number.Uint64())
	})
	p.passed = p.passed || h.Hash() == p.checkpoint
}

// judges returns the numbers, in ascending order, of the headers up to a proven one that judge its child: this one, the
// one before, and the epoch blocks that name the validators of the child and of its parent (spec wbft 3.1).
func (p *chainProof) judges(number uint64) []uint64 {
	before := number - min(number, 1)
	list := []uint64{before, number, p.network.Config.LastEpochBlock(number), p.network.Config.LastEpochBlock(before)}
	slices.Sort(list)
	return slices.Compact(list)
}

// finish checks that the proven blocks are those that were wanted.
func (p *chainProof) finish(m *Manifest) error {
	switch {
	case p.parent().Hash() != m.Hash || p.parent().Root != m.StateRoot:
		return fmt.Errorf("block %d is %v with state root %v, the manifest says %v with %v: take another snapshot",
			m.Number, p.parent().Hash(), p.parent().Root, m.Hash, m.StateRoot)
	case !p.passed:
		return fmt.Errorf("no block of the snapshot is %v, the checkpoint: take another snapshot, or correct --checkpoint",
			p.checkpoint)
	}
	return nil
}

// Config implements consensus.ChainHeaderReader.
func (p *chainProof) Config() *gethparams.ChainConfig { return p.network.Config }

// CurrentHeader implements consensus.ChainHeaderReader.
func (p *chainProof) CurrentHeader() *types.Header { return p.parent() }

// GetHeader implements consensus.ChainHeaderReader.
func (p *chainProof) GetHeader(hash common.Hash, number uint64) *types.Header {
	if h := p.GetHeaderByNumber(number); h != nil && h.Hash() == hash {
		return h
	}
	return nil
}

// GetHeaderByNumber implements consensus.ChainHeaderReader.
func (p *chainProof) GetHeaderByNumber(number uint64) *types.Header {
	for _, h := range p.proven {
		if h.Number.Uint64() == number {
			return h
		}
	}
	return nil
}

// GetHeaderByHash implements consensus.ChainHeaderReader.
func (p *chainProof) GetHeaderByHash(hash common.Hash) *types.Header {
	for _, h := range p.proven {
		if h.Hash() == hash {
			return h
		}
	}
	return nil
}

// readBlocks decodes the blocks of a chunk beside the caller, which gets them in runs. Whole tells which have a body.
func readBlocks(
	ctx context.Context, path string, c Chunk, first uint64, whole func(number uint64) bool, use func([]provenBlock) error,
) error {
	runs := make(chan []provenBlock, 1)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(runs)
		r := &runReader{first: first, end: first + c.Blocks, whole: whole, out: func(run []provenBlock) error {
			select {
			case runs <- run:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		if err := readChunk(path, c, r.add); err != nil {
			return err
		}
		if err := r.send(); err != nil {
			return err
		}
		if r.first != r.end {
			return fmt.Errorf("it has %d blocks less than the manifest says", r.end-r.first)
		}
		return nil
	})
	group.Go(func() error {
		for run := range runs {
			if err := use(run); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// runReader collects the items of a chunk into runs.
type runReader struct {
	first uint64 // block of the first item
	end   uint64 // block behind the last one of the chunk
	whole func(number uint64) bool
	items []blockItem
	size  int
	out   func([]provenBlock) error
}

func (r *runReader) add(stream *rlp.Stream) error {
	if r.first+uint64(len(r.items)) == r.end {
		return errors.New("it has more blocks than the manifest says")
	}
	var item blockItem
	if err := stream.Decode(&item); err != nil {
		return fmt.Errorf("block %d: %w", r.first+uint64(len(r.items)), err)
	}
	size, err := item.memory()
	if err != nil {
		return fmt.Errorf("block %d: %w", r.first+uint64(len(r.items)), err)
	}
	r.items = append(r.items, item)
	r.size += size
	if len(r.items) < runBlocks && r.size < runBytes {
		return nil
	}
	return r.send()
}

// send decodes the collected items on all processors and passes them on.
func (r *runReader) send() error {
	if len(r.items) == 0 {
		return nil
	}
	run := make([]provenBlock, len(r.items))
	var group errgroup.Group
	share := (len(r.items) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	for begin := 0; begin < len(r.items); begin += share {
		group.Go(func() (err error) {
			for i := begin; i < min(begin+share, len(r.items)); i++ {
				number := r.first + uint64(i)
				if run[i], err = r.items[i].decode(number, r.whole(number)); err != nil {
					return fmt.Errorf("block %d: %w", number, err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	r.first += uint64(len(r.items))
	r.items, r.size = nil, 0
	return r.out(run)
}
