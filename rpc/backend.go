// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"math"

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

// Backend is the node as the methods of this package see it. The chain must be an Anzeon chain.
type Backend interface {
	Chain() *gethcore.BlockChain
	APIBackend() *eth.EthAPIBackend
	AccountManager() *accounts.Manager
	TxPool() *txpool.TxPool

	// NodeAddress returns the address of the node key, for validators and followers.
	NodeAddress() common.Address

	// ValidatorsAt returns the validator set of block number, for 1 <= number <= head+1 (spec wbft 3.1).
	ValidatorsAt(number uint64) (*validators.Set, error)

	// ValidatorsForHeader returns the validator set of header, canonical or not. The header must not be genesis.
	ValidatorsForHeader(header *types.Header) (*validators.Set, error)

	// Sealing reports whether the node takes part in consensus. StartSealing and StopSealing change that; a repeated
	// call is not an error.
	Sealing() bool
	StartSealing() error
	StopSealing() error

	// ConsensusStatus returns the result of istanbul_consensusStatus, a value that encodes to JSON.
	ConsensusStatus() any

	// Evidence returns the store of contradictory messages; nil if the node keeps none.
	Evidence() *evidence.Store

	// SyncProgress returns the progress of a running sync; false if none runs.
	SyncProgress(ctx context.Context) (ethereum.SyncProgress, bool)

	// SenderHashes returns the index of fee-delegated transactions by sender hash.
	SenderHashes() SenderHashes

	// Peer returns the description of a connected peer; nil if it is not connected.
	Peer(id enode.ID) *p2p.PeerInfo

	// UnlockAllowed reports whether accounts may be unlocked. It is false when HTTP or WS is open and the operator did
	// not allow unlocking.
	UnlockAllowed() bool
}

// Options selects the methods of a node.
type Options struct {
	// Public hides every eth method that needs a key of the node (spec rpc 9.7). Transports have their own list of
	// modules; see PublicModules.
	Public bool

	// Personal enables the namespace personal (spec rpc 4.6).
	Personal bool
}

// APIs returns the services of this package in the order of registration. They must follow all services of upstream's
// eth and node packages, because later methods replace earlier ones of the same name.
func APIs(b Backend, opts Options) []gethrpc.API {
	chain := b.Chain()
	node := &sealing{node: b}
	txs := newTransactions(b)
	apis := []gethrpc.API{
		{Namespace: "eth", Service: &blocks{eth.NewBlockChainAPI(b.APIBackend()), b.Chain(), b.APIBackend(), b.Chain()}},
		{Namespace: "eth", Service: txs},
		{Namespace: "eth", Service: newSenderHashes(b, txs.upstream)},
		{Namespace: "eth", Service: &sealingState{node}},
		{Namespace: "eth", Service: &syncing{b}},
		{Namespace: "eth", Service: absent{}},
		{Namespace: "istanbul", Service: &istanbul{chain: chain, node: b}},
		{Namespace: "istanbul", Service: &governance{chain: chain, node: b}},
		{Namespace: "istanbul", Service: &receiptProofs{chain, b.APIBackend(), b.SenderHashes()}},
		{Namespace: "istanbul", Service: &operators{node: b, public: opts.Public, evidence: b.Evidence(),
			genesis: chain.Genesis().Hash()}},
		{Namespace: "miner", Service: &miner{node}},
		{Namespace: "admin", Service: &admin{b}},
	}
	if opts.Personal {
		apis = append(apis, gethrpc.API{Namespace: "personal", Service: &personal{node: b, txs: txs}})
	}
	simulated := &simulations{b, math.MaxInt}
	apis = append(apis, gethrpc.API{Namespace: "eth", Service: simulated})
	if opts.Public {
		simulated.most = gethrpc.MaxAnswer
		apis = append(apis, gethrpc.API{Namespace: "eth", Service: keyless{}},
			gethrpc.API{Namespace: "txpool", Service: &poolContent{b, gethrpc.MaxAnswer}})
	}
	return apis
}
