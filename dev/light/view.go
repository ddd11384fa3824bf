// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/event"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality/remotestate"
	"gwon/core"
	"gwon/internal/door"
)

// errPending refuses a question about the pending block itself.
var errPending = errors.New("nothing proves a pending block: ask for latest, which on this chain is final")

// view is the chain up to one block, as one request reads it through go-ethereum's services.
type view struct {
	eth.RPCBackend // nil: no service that is offered calls its methods for pools, accounts and the database

	e    *Endpoint
	ctx  context.Context
	head *types.Header

	mu       sync.Mutex // guards what follows
	linked   map[uint64]*types.Header
	block    *types.Block
	receipts types.Receipts // of block, nil if they were not read
	states   []*database
	failed   error                // the first read of a header that has failed: contracts that ask for hashes go on
	located  *remotestate.Located // by its hash, for the service of transactions
}

// view returns the chain up to the newest block, which stays the same for the request.
func (e *Endpoint) view(ctx context.Context) (*view, error) {
	head, err := e.tip.Head()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, door.RequestTime)
	context.AfterFunc(ctx, cancel) // no request of a WebSocket has a deadline of its own
	return &view{e: e, ctx: ctx, head: head, linked: map[uint64]*types.Header{head.Number.Uint64(): head}}, nil
}

// viewInTurn returns a view for a request that takes one of the places of long ones, until leave is called.
func (e *Endpoint) viewInTurn(ctx context.Context) (v *view, leave func(), err error) {
	if leave, err = enter(ctx, e.busy); err != nil {
		return nil, nil, err
	}
	if v, err = e.view(ctx); err != nil {
		leave()
		return nil, nil, err
	}
	return v, leave, nil
}

// answer returns what a service has made of a view, or why a part of it could not be read or proven.
func answer[T any](v *view, result T, err error) (T, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failed != nil {
		return *new(T), v.failed
	}
	for _, d := range v.states {
		if failed := d.failure(); failed != nil {
			return *new(T), failed
		}
	}
	return result, err
}

// fail keeps the first error of reading a header.
func (v *view) fail(err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failed == nil {
		v.failed = err
	}
	return err
}

// ChainConfig returns the rules of the chain.
func (v *view) ChainConfig() *gethparams.ChainConfig { return v.e.options.Config }

// Engine returns an engine that knows who made a block, which is all that an execution asks for.
func (v *view) Engine() consensus.Engine { return author{} }

type author struct{ consensus.Engine }

// Author implements consensus.Engine.
func (author) Author(header *types.Header) (common.Address, error) { return header.Coinbase, nil }

func (v *view) RPCGasCap() uint64            { return ethconfig.Defaults.RPCGasCap }
func (v *view) RPCEVMTimeout() time.Duration { return 0 } // SetCallTime bounds calls
func (v *view) RPCTxFeeCap() float64         { return ethconfig.Defaults.RPCTxFeeCap }
func (v *view) UnprotectedAllowed() bool     { return false }
func (v *view) CurrentHeader() *types.Header { return v.head }
func (v *view) CurrentBlock() *types.Header  { return v.head }
func (v *view) HistoryPruningCutoff() uint64 { return 0 }
func (v *view) TxIndexDone() bool            { return true }

// SubscribeChainHeadEvent returns nil: the oracle of prices is asked once.
func (v *view) SubscribeChainHeadEvent(chan<- gethcore.ChainHeadEvent) event.Subscription { return nil }

// Pending returns nothing.
func (v *view) Pending() (*types.Block, types.Receipts, *state.StateDB) { return nil, nil, nil }

// HeaderByNumber returns a proven header, nil behind the newest one.
func (v *view) HeaderByNumber(_ context.Context, number gethrpc.BlockNumber) (*types.Header, error) {
	switch number {
	case gethrpc.PendingBlockNumber:
		return nil, errPending
	case gethrpc.LatestBlockNumber, gethrpc.SafeBlockNumber, gethrpc.FinalizedBlockNumber:
		return v.head, nil
	case gethrpc.EarliestBlockNumber:
		number = 0
	}
	wanted, newest := uint64(number), v.head.Number.Uint64()
	if wanted > newest {
		return nil, nil
	}
	v.mu.Lock()
	header := v.linked[wanted]
	v.mu.Unlock()
	switch {
	case header != nil:
		return header, nil
	case newest-wanted > maxLinked:
		header, err := v.e.reader.Header(v.ctx, wanted)
		return header, v.fail(err)
	}
	first := wanted - wanted%64 // contracts ask for hashes one after the other
	if _, err := v.link(v.head, first); err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.linked[wanted], nil
}

// link proves headers from first on by the hashes in the one of a later block.
func (v *view) link(last *types.Header, first uint64) ([]*types.Header, error) {
	list, err := v.e.reader.Ancestors(v.ctx, last, first)
	if err != nil {
		return nil, v.fail(err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, h := range list {
		v.linked[h.Number.Uint64()] = h
	}
	return list, nil
}

// sealed returns a proven header with seals that were verified, also where hashes have proven it: these do not cover
// seals.
func (v *view) sealed(header *types.Header) (*types.Header, error) {
	number := header.Number.Uint64()
	if number == 0 || header == v.head {
		return header, nil
	}
	proven, err := v.e.reader.Sealed(v.ctx, number)
	if err == nil && proven.Hash() != header.Hash() {
		err = fmt.Errorf("block %d: %w", number, remotestate.ErrConflict)
	}
	return proven, err
}

// HeaderByHash returns a proven header, nil where no node knows one with the hash.
func (v *view) HeaderByHash(ctx context.Context, hash common.Hash) (*types.Header, error) {
	v.mu.Lock()
	for _, h := range v.linked {
		if h.Hash() == hash {
			v.mu.Unlock()
			return h, nil
		}
	}
	v.mu.Unlock()
	number, found, err := v.e.reader.NumberOf(v.ctx, hash)
	if err != nil || !found {
		return nil, err
	}
	header, err := v.HeaderByNumber(ctx, gethrpc.BlockNumber(number))
	if header == nil || err != nil || header.Hash() != hash {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.linked[number] = header
	return header, nil
}

// find returns a proven header, nil for an unknown block.
func (v *view) find(ctx context.Context, at gethrpc.BlockNumberOrHash) (*types.Header, error) {
	if number, ok := at.Number(); ok {
		return v.HeaderByNumber(ctx, number)
	}
	if hash, ok := at.Hash(); ok {
		return v.HeaderByHash(ctx, hash)
	}
	return nil, errors.New("invalid arguments; neither block nor hash specified")
}

// HeaderByNumberOrHash returns a proven header. The texts of errors are those of a node.
func (v *view) HeaderByNumberOrHash(ctx context.Context, at gethrpc.BlockNumberOrHash) (*types.Header, error) {
	header, err := v.find(ctx, at)
	if _, byHash := at.Hash(); byHash && err == nil && header == nil {
		err = errors.New("header for hash not found")
	}
	return header, err
}

// BlockByNumber returns a proven block, nil behind the newest one.
func (v *view) BlockByNumber(ctx context.Context, number gethrpc.BlockNumber) (*types.Block, error) {
	return v.BlockByNumberOrHash(ctx, gethrpc.BlockNumberOrHashWithNumber(number))
}

// BlockByHash returns a proven block, nil where no node knows one with the hash.
func (v *view) BlockByHash(ctx context.Context, hash common.Hash) (*types.Block, error) {
	return v.BlockByNumberOrHash(ctx, gethrpc.BlockNumberOrHashWithHash(hash, false))
}

// BlockByNumberOrHash returns a proven block, nil for an unknown one.
func (v *view) BlockByNumberOrHash(ctx context.Context, at gethrpc.BlockNumberOrHash) (*types.Block, error) {
	header, err := v.find(ctx, at)
	if header == nil || err != nil {
		return nil, err
	}
	return v.blockOf(header)
}

// blockOf returns the block of a proven header. The last one is kept for the request.
func (v *view) blockOf(header *types.Header) (*types.Block, error) {
	v.mu.Lock()
	known := v.block
	v.mu.Unlock()
	if known != nil && known.Hash() == header.Hash() {
		return known, nil
	}
	block, err := v.e.reader.Block(v.ctx, header)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.block, v.receipts = block, nil
	return block, nil
}

// receiptsOf returns the receipts of a proven block. Those of the last one are kept for the request.
func (v *view) receiptsOf(block *types.Block) (types.Receipts, error) {
	v.mu.Lock()
	known := v.receipts
	same := v.block != nil && v.block.Hash() == block.Hash()
	v.mu.Unlock()
	if same && known != nil {
		return known, nil
	}
	receipts, err := v.e.reader.Receipts(v.ctx, block)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.block, v.receipts = block, receipts
	return receipts, nil
}

// GetReceipts returns the receipts of a proven block.
func (v *view) GetReceipts(ctx context.Context, hash common.Hash) (types.Receipts, error) {
	v.mu.Lock()
	block := v.block
	v.mu.Unlock()
	if block == nil || block.Hash() != hash {
		var err error
		if block, err = v.BlockByHash(ctx, hash); block == nil || err != nil {
			return nil, err
		}
	}
	return v.receiptsOf(block)
}

// GetCanonicalTransaction returns the transaction that the request has located.
func (v *view) GetCanonicalTransaction(common.Hash) (bool, *types.Transaction, common.Hash, uint64, uint64) {
	l := v.located
	if l == nil || l.Header == nil {
		return false, nil, common.Hash{}, 0, 0
	}
	return true, l.Tx, l.Header.Hash(), l.Header.Number.Uint64(), l.Index
}

// GetPoolTransaction returns the transaction that the request has located at a node and in no block.
func (v *view) GetPoolTransaction(common.Hash) *types.Transaction {
	if v.located == nil {
		return nil
	}
	return v.located.Tx
}

// GetCanonicalReceipt returns the receipt of a transaction of a proven block.
func (v *view) GetCanonicalReceipt(_ *types.Transaction, hash common.Hash, _, index uint64) (*types.Receipt, error) {
	receipts, err := v.GetReceipts(v.ctx, hash)
	if err != nil {
		return nil, err
	}
	if index >= uint64(len(receipts)) {
		return nil, fmt.Errorf("block %v has no receipt %d", hash, index)
	}
	return receipts[index], nil
}

// StateAndHeaderByNumber returns the state after a proven block.
func (v *view) StateAndHeaderByNumber(ctx context.Context, number gethrpc.BlockNumber) (*state.StateDB, *types.Header,
	error,
) {
	return v.StateAndHeaderByNumberOrHash(ctx, gethrpc.BlockNumberOrHashWithNumber(number))
}

// StateAndHeaderByNumberOrHash returns the state after a proven block, the latest one for pending.
func (v *view) StateAndHeaderByNumberOrHash(ctx context.Context, at gethrpc.BlockNumberOrHash) (*state.StateDB,
	*types.Header, error,
) {
	header, err := v.HeaderByNumberOrHash(ctx, orLatest(&at))
	if err != nil {
		return nil, nil, err
	}
	if header == nil {
		return nil, nil, errors.New("header not found")
	}
	d := v.e.database(v.ctx, header)
	statedb, err := state.New(header.Root, d)
	if err != nil {
		return nil, nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.states = append(v.states, d)
	return statedb, header, nil
}

// GetEVM returns an interpreter that ends with the request.
func (v *view) GetEVM(ctx context.Context, statedb *state.StateDB, header *types.Header, config *vm.Config,
	block *vm.BlockContext,
) *vm.EVM {
	if config == nil {
		config = new(vm.Config)
	}
	if block == nil {
		block = new(gethcore.NewEVMBlockContext(header, chain{v}, nil))
	}
	evm := vm.NewEVM(*block, statedb, v.ChainConfig(), *config)
	context.AfterFunc(ctx, evm.Cancel)
	return evm
}

// chain is a view as executions see it.
type chain struct{ *view }

// Config implements core.ChainContext.
func (c chain) Config() *gethparams.ChainConfig { return c.ChainConfig() }

// GetHeader implements core.ChainContext.
func (c chain) GetHeader(hash common.Hash, number uint64) *types.Header {
	if header := c.GetHeaderByNumber(number); header != nil && header.Hash() == hash {
		return header
	}
	return nil
}

// GetHeaderByNumber implements core.ChainContext.
func (c chain) GetHeaderByNumber(number uint64) *types.Header {
	header, err := c.HeaderByNumber(c.ctx, gethrpc.BlockNumber(number))
	if err != nil {
		return nil
	}
	return header
}

// GetHeaderByHash implements core.ChainContext.
func (c chain) GetHeaderByHash(hash common.Hash) *types.Header {
	header, err := c.HeaderByHash(c.ctx, hash)
	if err != nil {
		return nil
	}
	return header
}

// SuggestGasTipCap returns the governed tip after the newest block.
func (v *view) SuggestGasTipCap(ctx context.Context) (*big.Int, error) {
	statedb, _, err := v.StateAndHeaderByNumber(ctx, gethrpc.LatestBlockNumber)
	if err != nil {
		return nil, err
	}
	return core.GasTip(statedb, v.ChainConfig().Anzeon.SystemContracts.GovValidator.Address), statedb.Error()
}
