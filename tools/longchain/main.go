// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Longchain writes empty blocks into an initialized data directory, as many as years of a network leave, to see what
// grows with them:
//
//	gwon init --datadir DIR genesis.json && go run ./tools/longchain -datadir DIR -blocks 10000000
//
// The blocks are linked and name the genesis block's validators, but no validator has sealed them, and no peer takes
// them. All but the last 90,000 lie in the ancient store, where a node would have moved them.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
)

const (
	keptLive = gethparams.FullImmutabilityThreshold // newest blocks, which are in the key-value store
	batch    = 4096                                 // blocks written at a time
)

func main() {
	dir := flag.String("datadir", "", "data directory that gwon init has made")
	count := flag.Uint64("blocks", 10_000_000, "number of the last block")
	flag.Parse()
	start := time.Now()
	if err := run(*dir, *count); err != nil {
		fmt.Fprintln(os.Stderr, "longchain:", err)
		os.Exit(1)
	}
	fmt.Printf("%d blocks in %v\n", *count, time.Since(start).Round(time.Second))
}

func run(dir string, count uint64) (err error) {
	if dir == "" {
		return errors.New("name a data directory with -datadir")
	}
	stack, err := node.New(&node.Config{DataDir: dir, Name: "gwon"})
	if err != nil {
		return err
	}
	db, err := stack.OpenDatabaseWithOptions("chaindata", node.DatabaseOptions{Cache: 512, Handles: 512})
	if err != nil {
		return errors.Join(err, stack.Close())
	}
	defer func() { err = errors.Join(err, db.Close(), stack.Close()) }()
	genesis := rawdb.ReadHeader(db, rawdb.ReadCanonicalHash(db, 0), 0)
	if genesis == nil {
		return fmt.Errorf("there is no chain in %s: run gwon init first", dir)
	}
	if head := rawdb.ReadHeadHeaderHash(db); head != genesis.Hash() {
		return fmt.Errorf("the chain in %s has blocks already", dir)
	}
	config := rawdb.ReadChainConfig(db, genesis.Hash())
	if config == nil || config.Anzeon == nil {
		return fmt.Errorf("the chain in %s is not one of gwon's", dir)
	}
	blocks, err := newMaker(config, genesis)
	if err != nil {
		return err
	}
	_, err = rawdb.WriteAncientBlocks(db, []*types.Block{types.NewBlockWithHeader(genesis)},
		[]rlp.RawValue{rlp.EmptyList})
	if err != nil {
		return err
	}
	var last *types.Block
	for from := uint64(1); from <= count; from += batch {
		list := make([]*types.Block, 0, batch)
		for n := from; n <= min(count, from+batch-1); n++ {
			list = append(list, blocks.next())
		}
		old := list
		if live := count - min(count, keptLive); from+uint64(len(list)) > live {
			old = list[:live-min(live, from)]
		}
		if err := write(db, old, list[len(old):]); err != nil {
			return err
		}
		last = list[len(list)-1]
	}
	if err := db.SyncAncient(); err != nil {
		return err
	}
	rawdb.WriteHeadHeaderHash(db, last.Hash())
	rawdb.WriteHeadFastBlockHash(db, last.Hash())
	rawdb.WriteHeadBlockHash(db, last.Hash())
	rawdb.WriteTxIndexTail(db, 0) // there is nothing to index
	return nil
}

// write stores consecutive blocks, the old ones in the ancient store.
func write(db ethdb.Database, old, live []*types.Block) error {
	receipts := make([]rlp.RawValue, len(old))
	for i := range receipts {
		receipts[i] = rlp.EmptyList
	}
	if _, err := rawdb.WriteAncientBlocks(db, old, receipts); err != nil {
		return err
	}
	out := db.NewBatch()
	for _, b := range old {
		rawdb.WriteHeaderNumber(out, b.Hash(), b.NumberU64())
	}
	for _, b := range live {
		rawdb.WriteBlock(out, b)
		rawdb.WriteCanonicalHash(out, b.Hash(), b.NumberU64())
		rawdb.WriteReceipts(out, b.Hash(), b.NumberU64(), nil)
	}
	return out.Write()
}

// maker makes blocks one after the other.
type maker struct {
	config       *gethparams.ChainConfig
	parent       *types.Header
	hash         common.Hash
	plain, epoch []byte // extra data
}

func newMaker(config *gethparams.ChainConfig, genesis *types.Header) (*maker, error) {
	first, err := genesis.WBFTExtra()
	if err != nil {
		return nil, fmt.Errorf("genesis block: %w", err)
	}
	seal := &types.WBFTSeal{Sealers: []byte{0b0111}, Signature: bytes.Repeat([]byte{0xc0}, 96)}
	x := types.WBFTExtra{
		Vanity: make([]byte, 32), RandaoReveal: bytes.Repeat([]byte{1}, 65), GasTip: first.GasTip, PrevPreparedSeal: seal,
		PrevCommittedSeal: seal,
		PreparedSeal:      seal, CommittedSeal: seal,
	}
	m := &maker{config: config, parent: genesis, hash: genesis.Hash(), plain: x.Encode()}
	x.EpochInfo = first.EpochInfo
	m.epoch = x.Encode()
	return m, nil
}

func (m *maker) next() *types.Block {
	number := m.parent.Number.Uint64() + 1
	extra := m.plain
	if m.config.LastEpochBlock(number) == number {
		extra = m.epoch
	}
	m.parent = &types.Header{
		ParentHash: m.hash, UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash,
		Root: m.parent.Root, Difficulty: common.Big1, Number: new(big.Int).SetUint64(number), GasLimit: m.parent.GasLimit,
		Time: m.parent.Time + 1, BaseFee: m.parent.BaseFee, Extra: extra, MixDigest: m.parent.MixDigest,
	}
	block := types.NewBlockWithHeader(m.parent)
	m.hash = block.Hash()
	return block
}
