// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// sealing is what the miner's switches and the questions of eth about them have in common.
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

// sealingState serves the methods of eth that upstream dropped with its own miner (spec rpc 4.1).
type sealingState struct{ s *sealing }

// Coinbase returns the node address, or what miner_setEtherbase set.
func (a *sealingState) Coinbase() common.Address { return a.s.coinbase() }

// Etherbase is Coinbase.
func (a *sealingState) Etherbase() common.Address { return a.s.coinbase() }

// Mining reports whether the node takes part in consensus.
func (a *sealingState) Mining() bool { return a.s.node.Sealing() }

// Hashrate is 0: nothing is hashed.
func (a *sealingState) Hashrate() hexutil.Uint64 { return 0 }

// miner serves the operator's switches (spec rpc 4.5).
type miner struct{ s *sealing }

// Start makes the node take part in consensus.
func (a *miner) Start() error { return a.s.node.StartSealing() }

// Stop makes the node stand aside; it goes on following the chain.
func (a *miner) Stop() error { return a.s.node.StopSealing() }

// SetEtherbase changes what eth_coinbase answers and nothing else: a block names the validator that proposed it.
func (a *miner) SetEtherbase(address common.Address) bool {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.etherbase = &address
	return true
}

// SetRecommitInterval is accepted and has no effect: a proposal is built once.
func (a *miner) SetRecommitInterval(int) {}

// SetGasPrice is refused: the minimum tip is decided by governance.
func (a *miner) SetGasPrice(hexutil.Big) bool { return false }
