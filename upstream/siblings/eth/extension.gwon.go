// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/txpool/locals"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
)

// protocolBackend returns the backend of the eth protocol, wrapped by the extension where there is one. The tracker of
// transactions by their deliverer then gets none: it reads all of its 262,144 entries at each final block, only to
// choose peers that are not dropped at random. Validators have reserved places (spec network 5).
func (s *Ethereum) protocolBackend() eth.Backend {
	backend := (*ethHandler)(s.handler)
	if s.config.Extension == nil {
		return backend
	}
	s.handler.txFetcher.ForgetDeliverers()
	return s.config.Extension.WrapBackend(backend)
}

// subPools returns the pools of the node. On an Anzeon chain they do not include the legacy pool and the blob pool,
// which exist but are never set up, open no store and see no block.
func (s *Ethereum) subPools(legacy *legacypool.LegacyPool) []txpool.SubPool {
	switch {
	case !s.blockchain.Config().IsAnzeon():
		return []txpool.SubPool{legacy, s.blobTxPool}
	case s.config.Extension == nil:
		return []txpool.SubPool{legacy, txpool.NoBlobs{}}
	}
	return []txpool.SubPool{s.config.Extension.NewPool(s.config.TxPool, s.blockchain), txpool.NoBlobs{}}
}

// LeaveBroadcast ends the node's own telling of transactions to its peers, once it has started. The caller does it
// instead.
func (s *Ethereum) LeaveBroadcast() { s.handler.txsSub.Unsubscribe() }

// submitKept gives a submission to the pool that keeps accepted transactions; kept is false if there is no such pool.
// An accepted transaction is also written to the journal, which a restart reads. A refused one is not, because its
// sender got the error and submits again.
func (b *EthAPIBackend) submitKept(tx *types.Transaction) (kept bool, err error) {
	if b.eth.config == nil || b.eth.config.Extension == nil || !b.eth.blockchain.Config().IsAnzeon() {
		return false, nil
	}
	if err := b.eth.config.Extension.Submit(tx); err != nil {
		return true, err
	}
	if b.eth.localTxTracker != nil {
		locals.Keep(b.eth.localTxTracker, tx)
	}
	return true, nil
}

// snapBackend returns the backend of the snap protocol, wrapped likewise.
func (s *Ethereum) snapBackend() snap.Backend {
	backend := (*snapHandler)(s.handler)
	if s.config.Extension == nil {
		return backend
	}
	return s.config.Extension.WrapSnapBackend(backend)
}

// trackerLifecycle returns what starts and stops with the node for its local transactions.
func (s *Ethereum) trackerLifecycle() node.Lifecycle {
	if s.blockchain.Config().IsAnzeon() && s.config.Extension != nil {
		return locals.Beside{TxTracker: s.localTxTracker, Submit: s.config.Extension.Submit}
	}
	return s.localTxTracker
}

// afterChain restores the head of an Anzeon chain, because a crash loses recent state but not the blocks, and final
// blocks must not be lost. It runs before the downloader reads the chain, which would otherwise take the missing state
// for an unfinished snap sync. The stored blocks of a snap sync that is unfinished are left alone.
//
// A stored block that cannot be executed does not keep the node from starting: it goes on serving what it has.
func (s *Ethereum) afterChain() {
	if !s.blockchain.Config().IsAnzeon() || s.config.Extension == nil {
		return
	}
	head := s.blockchain.CurrentBlock()
	if pivot := rawdb.ReadLastPivotNumber(s.chainDb); pivot != nil && head.Number.Uint64() < *pivot {
		return
	}
	if err := s.config.Extension.Replay(s.blockchain); err != nil {
		log.Error("Cannot execute the stored blocks above the head", "head", s.blockchain.CurrentBlock().Number, "err", err)
	}
	s.blockchain.MarkFinal(s.blockchain.CurrentBlock())
}

// The log index takes indexBatch blocks at a time, idleIndexBatch when they use at most one part in idleShare of their
// gas, and busyIndexBatch above one part in busyShare. A batch of idle blocks costs 4 to 50 ms whatever its size. One
// of 64 busy blocks costs 8 us a transaction, not 18, but half a second at once. Queries read blocks not indexed yet.
const (
	indexBatch     = 8
	idleIndexBatch = 64
	busyIndexBatch = 32
	busyShare      = 16
	idleShare      = 256
)

// indexPhase is the offset in its count of blocks at which this process updates the log index. It is random, so that
// not all validators do it in the same second. indexed is the last indexed head of the one chain of this process.
var (
	indexPhase = rand.Uint64N(idleIndexBatch) //nolint:gosec // not secret
	indexed    atomic.Uint64
)

// dueForIndex returns a new head if the log index is to be updated to it, and nil if the update can wait for later
// heads. Heads may be many blocks apart, as in a sync.
func (s *Ethereum) dueForIndex(head *types.Header) *types.Header {
	if !s.blockchain.Config().IsAnzeon() {
		return head
	}
	batch := uint64(indexBatch)
	switch {
	case head.GasUsed <= head.GasLimit/idleShare:
		batch = idleIndexBatch
	case head.GasUsed > head.GasLimit/busyShare:
		batch = busyIndexBatch
	}
	number := head.Number.Uint64()
	if (number+indexPhase)/batch == (indexed.Load()+indexPhase)/batch {
		return nil
	}
	indexed.Store(number)
	return head
}

// LogIndex returns the range of blocks in the log index; ok is false for an index that is switched off.
func (s *Ethereum) LogIndex() (blocks common.Range[uint64], ok bool) { return s.filterMaps.Indexed() }

// governedTip returns the gas tip in wei that the next block carries (spec transactions 3.2, 3.4). ok is false on other
// chains and without an extension. The result belongs to the caller.
func (s *Ethereum) governedTip() (tip *big.Int, ok bool, err error) {
	if !s.blockchain.Config().IsAnzeon() || s.config.Extension == nil {
		return nil, false, nil
	}
	if tip, err = s.config.Extension.GovernedTip(s.blockchain.CurrentBlock()); err != nil {
		return nil, true, fmt.Errorf("reading the governed gas tip: %w", err)
	}
	return tip, true, nil
}

// onlyGenesis reports whether an Anzeon chain has no block above genesis, so that no transaction waits to be indexed.
func (s *Ethereum) onlyGenesis() bool {
	return s.blockchain.Config().IsAnzeon() && s.blockchain.CurrentBlock().Number.Sign() == 0
}
