// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ethconfig

import (
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"
)

// EngineFactory makes the consensus engine of a chain. It returns nil and no error for a configuration that is not its
// own.
type EngineFactory func(config *params.ChainConfig, db ethdb.Database) (consensus.Engine, error)

// Extension is what a node service adds to the inside of eth.Ethereum. Nil in Config means plain upstream behavior.
type Extension interface {
	// WrapBackend returns the backend that the eth protocol talks to, made around upstream's own.
	WrapBackend(eth.Backend) eth.Backend
	// WrapSnapBackend does the same for the snap protocol.
	WrapSnapBackend(snap.Backend) snap.Backend
	// GovernedTip returns the gas tip in wei that the child of head carries. The result belongs to the caller.
	GovernedTip(head *types.Header) (*big.Int, error)
	// NewPool returns the pool of an Anzeon chain, which stands in the place of upstream's.
	NewPool(legacypool.Config, legacypool.BlockChain) txpool.SubPool
	// Replay executes the stored blocks above the head of an Anzeon chain that a crash left without state.
	Replay(*core.BlockChain) error
	// Submit gives that pool a transaction of this node's own users. Without an error the pool has it, and keeps it.
	Submit(*types.Transaction) error
}

var (
	enginesLock sync.RWMutex
	engines     []EngineFactory
)

// RegisterEngine adds a factory that CreateConsensusEngine asks before upstream's own choice. The first factory that
// answers with an engine or an error wins.
func RegisterEngine(factory EngineFactory) {
	enginesLock.Lock()
	defer enginesLock.Unlock()
	engines = append(engines, factory)
}

// registeredEngine asks the registered factories in order of registration; nil and no error means that none claims
// config.
func registeredEngine(config *params.ChainConfig, db ethdb.Database) (consensus.Engine, error) {
	enginesLock.RLock()
	defer enginesLock.RUnlock()
	for _, factory := range engines {
		if engine, err := factory(config, db); engine != nil || err != nil {
			return engine, err
		}
	}
	return nil, nil
}
