// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/core/rules"
)

const (
	verified  = 8192 // aggregated seals and headers that were found good, those a quorum vouches for, by all bytes
	verifyRun = 16   // neighboring headers verified by one core: each holds the seals over the one before
)

// Engine implements consensus.Engine for an Anzeon chain. It is safe for concurrent use.
type Engine struct {
	config *gethparams.ChainConfig
	codes  core.CodeSource
	now    func() time.Time

	key      atomic.Pointer[Key] // nil on a node that builds no blocks
	late     atomic.Pointer[LateSeals]
	verified *lru.Cache[common.Hash, struct{}]
	vouched  *lru.Cache[common.Hash, struct{}] // see Prove
	seals    *lru.Cache[common.Hash, struct{}]
	sets     *lru.Cache[common.Hash, *validators.Set]

	held, followed *lru.Cache[common.Hash, struct{}] // blocks of doubtful size, see checkSize
}

// LateSeals are seals over the block Parent that arrived after it was committed, summed and known to hold in sum, or
// nil. They join the previous-block seals of the next header (spec wbft 5.8), all or none of a kind. They are of round
// Round.
type LateSeals struct {
	Parent              common.Hash
	Round               uint32
	Prepared, Committed *types.WBFTSeal
}

// New returns an engine for a chain configuration with an anzeon section. codes, which may be nil, gives the code of
// system-contract upgrades that is no part of this program.
func New(config *gethparams.ChainConfig, codes core.CodeSource) (*Engine, error) {
	if config.Anzeon == nil {
		return nil, errors.New("the chain configuration has no \"anzeon\" section")
	}
	if err := config.CheckConfigForkOrder(); err != nil {
		return nil, err
	}
	return &Engine{
		config:   config,
		codes:    core.OwnCode.Or(codes),
		now:      time.Now,
		verified: lru.NewCache[common.Hash, struct{}](verified),
		vouched:  lru.NewCache[common.Hash, struct{}](verified),
		seals:    lru.NewCache[common.Hash, struct{}](verified),
		sets:     lru.NewCache[common.Hash, *validators.Set](64),
		held:     lru.NewCache[common.Hash, struct{}](heldBlocks),
		followed: lru.NewCache[common.Hash, struct{}](heldBlocks),
	}, nil
}

// Authorize gives the engine the node key to build blocks with; its address becomes the coinbase (spec wbft 2.1).
func (e *Engine) Authorize(key *ecdsa.PrivateKey) error {
	secret, err := bls.DeriveKey(key)
	if err != nil {
		return fmt.Errorf("cannot derive the BLS key from the node key: %w", err)
	}
	e.AuthorizeKey(&ownKey{key, secret})
	return nil
}

// AuthorizeKey is Authorize for a key that may be in another process.
func (e *Engine) AuthorizeKey(key Key) { e.key.Store(&key) }

// SetClock sets the wall clock by which timestamps of blocks are made and judged, in place of the system's. It is
// called before anything else.
func (e *Engine) SetClock(now func() time.Time) { e.now = now }

// SetLateSeals sets the seals that Prepare merges into the next header on top of s.Parent. Nil forgets them.
func (e *Engine) SetLateSeals(s *LateSeals) { e.late.Store(s) }

// Author returns the coinbase: the validator that built the block (spec wbft 1.1).
func (e *Engine) Author(header *types.Header) (common.Address, error) { return header.Coinbase, nil }

// VerifyUncles checks what a chain of validators has in place of rules for uncles: there is none, and the size of the
// block is within the bound of the chain (spec wbft 7.3).
func (e *Engine) VerifyUncles(_ consensus.ChainReader, block *types.Block) error {
	if len(block.Uncles()) > 0 {
		return errUncles
	}
	return e.checkSize(block, rules.SizeOf(block))
}

// Seal always fails: blocks are sealed by the Driver and the quorum, not by a single call.
func (e *Engine) Seal(consensus.ChainHeaderReader, *types.Block, chan<- *types.Block, <-chan struct{}) error {
	return errors.New("WBFT blocks are sealed by the validators' votes")
}

// SealHash returns the block hash, which is independent of the seals (spec wbft 1.4).
func (e *Engine) SealHash(header *types.Header) common.Hash { return header.Hash() }

// CalcDifficulty returns 1, the difficulty of every block after genesis.
func (e *Engine) CalcDifficulty(consensus.ChainHeaderReader, uint64, *types.Header) *big.Int {
	return big.NewInt(1)
}

// Close implements consensus.Engine.
func (e *Engine) Close() error { return nil }

// stateReader is what a chain reader with state offers; core.BlockChain does, header chains do not.
type stateReader interface {
	StateAt(root common.Hash, number *big.Int, time uint64) (*state.StateDB, error)
}

// stateAfter returns the state after a block, or nil when the reader has no state or no longer this one.
func stateAfter(chain consensus.ChainHeaderReader, header *types.Header) *state.StateDB {
	reader, ok := chain.(stateReader)
	if !ok {
		return nil
	}
	statedb, err := reader.StateAt(header.Root, header.Number, header.Time)
	if err != nil {
		return nil
	}
	return statedb
}
