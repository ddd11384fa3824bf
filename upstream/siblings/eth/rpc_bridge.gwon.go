// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/internal/ethapi"
	"github.com/ethereum/go-ethereum/internal/ethapi/override"
)

// The services outside of this module need these names of an internal package. They replace single methods of the eth
// namespace, because a method that is registered later wins.

type (
	// RPCBackend is what the RPC services read the chain, the pool and the accounts through. EthAPIBackend is one.
	RPCBackend = ethapi.Backend

	// TransactionArgs are the arguments of eth_call, eth_sendTransaction and their like.
	TransactionArgs = ethapi.TransactionArgs

	// Simulation is the first argument of eth_simulateV1.
	Simulation = ethapi.Simulation

	// StateOverride is what a call changes of the state in which it is executed.
	StateOverride = override.StateOverride

	// BlockOverrides is what a call changes of the block in which it is executed.
	BlockOverrides = override.BlockOverrides

	// RPCTransaction is a transaction object as the RPC shows it.
	RPCTransaction = ethapi.RPCTransaction

	// SignTransactionResult is the answer of the signing methods: the raw bytes and the transaction.
	SignTransactionResult = ethapi.SignTransactionResult

	// NonceLock keeps two transactions of one account from getting the same nonce.
	NonceLock = ethapi.AddrLocker

	// BlockChainAPI is upstream's service for blocks and state.
	BlockChainAPI = ethapi.BlockChainAPI

	// TransactionAPI is upstream's service for transactions.
	TransactionAPI = ethapi.TransactionAPI

	// EthereumAPI is upstream's service for prices and fees.
	EthereumAPI = ethapi.EthereumAPI
)

var (
	// NewBlockChainAPI returns upstream's service for blocks and state.
	NewBlockChainAPI = ethapi.NewBlockChainAPI

	// NewTransactionAPI returns upstream's service for transactions.
	NewTransactionAPI = ethapi.NewTransactionAPI

	// NewEthereumAPI returns upstream's service for prices and fees.
	NewEthereumAPI = ethapi.NewEthereumAPI

	// RPCMarshalHeader returns a header as the RPC shows it.
	RPCMarshalHeader = ethapi.RPCMarshalHeader

	// RPCMarshalBlock returns a block as the RPC shows it.
	RPCMarshalBlock = ethapi.RPCMarshalBlock

	// NewRPCPendingTransaction returns the object of a pooled transaction.
	NewRPCPendingTransaction = ethapi.NewRPCPendingTransaction

	// MarshalReceipt returns a receipt as the RPC shows it.
	MarshalReceipt = ethapi.MarshalReceipt

	// SimulateWithin answers eth_simulateV1 up to a number of bytes, above which it returns ErrSimulationSize.
	SimulateWithin = ethapi.SimulateWithin

	// ErrSimulationSize is the error of SimulateWithin for a larger answer.
	ErrSimulationSize = ethapi.ErrSimulationSize

	// NewTxIndexingError is the error of a lookup while old blocks are being indexed.
	NewTxIndexingError = ethapi.NewTxIndexingError

	// SubmitTransaction puts a signed transaction into the pool after the checks that concern the RPC alone.
	SubmitTransaction = ethapi.SubmitTransaction
)

// BlockChain returns the chain, whose stored blocks queries of logs look through.
func (b *EthAPIBackend) BlockChain() *core.BlockChain { return b.eth.blockchain }
