// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/validators"
)

// Backend is the running node as the methods of this package see it. The chain must be an Anzeon chain.
type Backend interface {
	Chain() *gethcore.BlockChain
	APIBackend() *eth.EthAPIBackend
	AccountManager() *accounts.Manager
	TxPool() *txpool.TxPool

	// NodeAddress is the address of the node key, validator or not.
	NodeAddress() common.Address

	// ValidatorsAt returns the set in charge of sealing block number, for 1 <= number <= head+1 (spec wbft 3.1).
	ValidatorsAt(number uint64) (*validators.Set, error)

	// ValidatorsForHeader returns the set in charge of sealing header, canonical or not. The header is not genesis.
	ValidatorsForHeader(header *types.Header) (*validators.Set, error)

	// Sealing reports whether the node takes part in consensus. StartSealing and StopSealing change that; a second call
	// of either is not an error.
	Sealing() bool
	StartSealing() error
	StopSealing() error

	// ConsensusStatus is what istanbul_consensusStatus answers: any value that encodes to JSON.
	ConsensusStatus() any

	// Evidence is what validators have said that contradicts itself; nil where none is kept.
	Evidence() *evidence.Store

	// SyncProgress tells how far a running sync is; false when none runs.
	SyncProgress(ctx context.Context) (ethereum.SyncProgress, bool)

	// SenderHashes finds fee-delegated transactions by the hash that their sender knows.
	SenderHashes() SenderHashes

	// Peer describes the connected peer of that identity; nil when there is none.
	Peer(id enode.ID) *p2p.PeerInfo

	// UnlockAllowed is false when HTTP or WS is open and the user did not ask for unlocking in spite of it.
	UnlockAllowed() bool
}

// Options selects what a node offers.
type Options struct {
	// Public makes every method of eth that needs a key of the node answer as if it did not exist (spec rpc 9.7). The
	// module list of the transports is set elsewhere; see PublicModules.
	Public bool

	// Personal offers the namespace personal (spec rpc 4.6).
	Personal bool
}

// APIs returns the services of this package in the order in which they have to be registered, which is after every
// service of upstream's eth and node packages: later methods replace earlier ones of the same name.
func APIs(b Backend, opts Options) []gethrpc.API {
	chain := b.Chain()
	node := &sealing{node: b}
	txs := newTransactions(b)
	apis := []gethrpc.API{
		{Namespace: "eth", Service: newBlocks(b)},
		{Namespace: "eth", Service: txs},
		{Namespace: "eth", Service: newSenderHashes(b, txs.upstream)},
		{Namespace: "eth", Service: &sealingState{node}},
		{Namespace: "eth", Service: &syncing{b}},
		{Namespace: "eth", Service: blobless{}},
		{Namespace: "istanbul", Service: &istanbul{chain: chain, node: b}},
		{Namespace: "istanbul", Service: &governance{chain: chain, node: b}},
		{Namespace: "istanbul", Service: &operators{node: b, public: opts.Public, evidence: b.Evidence(), genesis: chain.Genesis().Hash()}},
		{Namespace: "miner", Service: &miner{node}},
		{Namespace: "admin", Service: &admin{b}},
	}
	if opts.Personal {
		apis = append(apis, gethrpc.API{Namespace: "personal", Service: &personal{node: b, txs: txs}})
	}
	if opts.Public {
		apis = append(apis, gethrpc.API{Namespace: "eth", Service: keyless{}},
			gethrpc.API{Namespace: "eth", Service: &simulations{b, maxAnswer}},
			gethrpc.API{Namespace: "txpool", Service: &poolContent{b, maxAnswer}})
	}
	return apis
}
