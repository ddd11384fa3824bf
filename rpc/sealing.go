// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// sealing is the state shared by the miner's switches and the eth methods about them.
type sealing struct {
	node interface {
		NodeAddress() common.Address
		Sealing() bool
		StartSealing() error
		StopSealing() error
	}

	mu        sync.Mutex
	etherbase *common.Address // set by miner_setEtherbase; nil means the node address
}

func (s *sealing) coinbase() common.Address {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.etherbase != nil {
		return *s.etherbase
	}
	return s.node.NodeAddress()
}

// sealingState serves the eth methods that upstream removed with its own miner (spec rpc 4.1).
type sealingState struct{ s *sealing }

// Coinbase returns the address set by miner_setEtherbase, by default the node address.
func (a *sealingState) Coinbase() common.Address { return a.s.coinbase() }

// Etherbase is Coinbase.
func (a *sealingState) Etherbase() common.Address { return a.s.coinbase() }

// Mining reports whether the node takes part in consensus.
func (a *sealingState) Mining() bool { return a.s.node.Sealing() }

// Hashrate returns 0, because the chain has no proof of work.
func (a *sealingState) Hashrate() hexutil.Uint64 { return 0 }

// miner serves the operator's switches (spec rpc 4.5).
type miner struct{ s *sealing }

// Start makes the node take part in consensus.
func (a *miner) Start() error { return a.s.node.StartSealing() }

// Stop ends the part of the node in consensus. The node continues to follow the chain.
func (a *miner) Stop() error { return a.s.node.StopSealing() }

// SetEtherbase changes only the result of eth_coinbase. The coinbase of a block is always its proposer.
func (a *miner) SetEtherbase(address common.Address) bool {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.etherbase = &address
	return true
}

// SetRecommitInterval is accepted without effect: a proposal is built once.
func (a *miner) SetRecommitInterval(int) {}

// SetGasPrice returns false: governance sets the minimum tip.
func (a *miner) SetGasPrice(hexutil.Big) bool { return false }
