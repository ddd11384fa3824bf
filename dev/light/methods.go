// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/log"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality/remotestate"
	"gwon/core/rules"
	"gwon/internal/door"
)

// methods are the methods of the namespace eth that can be proven.
type methods struct{ e *Endpoint }

// answered runs a service on the newest proven block.
func answered[T any](ctx context.Context, m *methods, run func(*view) (T, error)) (T, error) {
	v, err := m.e.view(ctx)
	if err != nil {
		return *new(T), err
	}
	result, err := run(v)
	return answer(v, result, err)
}

// executed runs a service that executes code. What the code reads is read ahead in few requests, as far as a node can
// tell.
func executed[T any](ctx context.Context, m *methods, call callObject, at *gethrpc.BlockNumberOrHash,
	run func(*view, *eth.BlockChainAPI) (T, error),
) (none T, err error) {
	v, leave, err := m.e.viewInTurn(ctx)
	if err != nil {
		return none, err
	}
	defer leave()
	header, err := v.HeaderByNumberOrHash(ctx, orLatest(at))
	if err != nil {
		return none, err
	}
	if header != nil && call.To != nil {
		if err := m.e.reader.State(header).FetchAccessed(v.ctx, call.raw); err != nil {
			log.Debug("State of a call not read ahead", "err", err)
		}
	}
	done, err := enter(v.ctx, m.e.runs)
	if err != nil {
		return none, err
	}
	defer done()
	result, err := run(v, eth.NewBlockChainAPI(v))
	return answer(v, result, err)
}

// callObject is the object of a call, as it is and as a client has sent it.
type callObject struct {
	eth.TransactionArgs
	raw json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *callObject) UnmarshalJSON(input []byte) error {
	c.raw = append(json.RawMessage{}, input...)
	return json.Unmarshal(input, &c.TransactionArgs)
}

// orLatest returns the block whose state answers a question. That of the pending block is the latest one, which is
// final: stock clients ask for pending, and nothing proves what waits in a pool.
func orLatest(at *gethrpc.BlockNumberOrHash) gethrpc.BlockNumberOrHash {
	if isPending(at) || at == nil {
		return gethrpc.BlockNumberOrHashWithNumber(gethrpc.LatestBlockNumber)
	}
	return *at
}

func isPending(at *gethrpc.BlockNumberOrHash) bool {
	return at != nil && at.BlockNumber != nil && *at.BlockNumber == gethrpc.PendingBlockNumber
}

// ChainId implements eth_chainId.
func (m *methods) ChainId() *hexutil.Big { //nolint:revive // the name of the method
	return (*hexutil.Big)(m.e.options.Config.ChainID)
}

// BlockNumber implements eth_blockNumber: the number of the newest proven block.
func (m *methods) BlockNumber() (hexutil.Uint64, error) {
	head, err := m.e.tip.Head()
	if err != nil {
		return 0, err
	}
	return hexutil.Uint64(head.Number.Uint64()), nil
}

// Syncing implements eth_syncing: false while the newest proven block is not old.
func (m *methods) Syncing() (any, error) {
	head, err := m.e.tip.Head()
	if err != nil {
		return nil, err
	}
	if ageOf(head) < lateAge {
		return false, nil
	}
	number := hexutil.Uint64(head.Number.Uint64())
	return map[string]any{"startingBlock": number, "currentBlock": number, "highestBlock": number}, nil
}

// Accounts implements eth_accounts: there are none.
func (m *methods) Accounts() []common.Address { return []common.Address{} }

// GetBalance implements eth_getBalance.
func (m *methods) GetBalance(ctx context.Context, address common.Address, at *gethrpc.BlockNumberOrHash) (*hexutil.Big,
	error,
) {
	return answered(ctx, m, func(v *view) (*hexutil.Big, error) {
		return eth.NewBlockChainAPI(v).GetBalance(ctx, address, at)
	})
}

// GetCode implements eth_getCode.
func (m *methods) GetCode(ctx context.Context, address common.Address, at *gethrpc.BlockNumberOrHash) (hexutil.Bytes,
	error,
) {
	return answered(ctx, m, func(v *view) (hexutil.Bytes, error) {
		return eth.NewBlockChainAPI(v).GetCode(ctx, address, at)
	})
}

// GetStorageAt implements eth_getStorageAt.
func (m *methods) GetStorageAt(ctx context.Context, address common.Address, slot string,
	at *gethrpc.BlockNumberOrHash,
) (hexutil.Bytes, error) {
	return answered(ctx, m, func(v *view) (hexutil.Bytes, error) {
		return eth.NewBlockChainAPI(v).GetStorageAt(ctx, address, slot, at)
	})
}

// GetProof implements eth_getProof. The paths are those that were verified here.
func (m *methods) GetProof(ctx context.Context, address common.Address, slots []string, at *gethrpc.BlockNumberOrHash) (
	any, error,
) {
	v, err := m.e.view(ctx)
	if err != nil {
		return nil, err
	}
	header, err := v.HeaderByNumberOrHash(ctx, orLatest(at))
	if err != nil {
		return nil, err
	}
	if header != nil && len(slots) <= maxReads {
		keys := make([]common.Hash, len(slots))
		for i, slot := range slots {
			keys[i] = common.HexToHash(slot) // what cannot be read is refused below
		}
		wanted := []remotestate.Wanted{{Address: address}, {Address: address, Slots: keys}}
		if err := v.e.reader.State(header).Fetch(v.ctx, wanted); err != nil {
			return nil, err
		}
	}
	result, err := eth.NewBlockChainAPI(v).GetProof(ctx, address, slots, at)
	return answer(v, result, err)
}

// GetTransactionCount implements eth_getTransactionCount. That of pending counts the transactions which were submitted
// here on top of the proven ones.
func (m *methods) GetTransactionCount(ctx context.Context, address common.Address, at *gethrpc.BlockNumberOrHash) (
	*hexutil.Uint64, error,
) {
	v, err := m.e.view(ctx)
	if err != nil {
		return nil, err
	}
	proven := orLatest(at)
	count, err := eth.NewTransactionAPI(v, new(eth.NonceLock)).GetTransactionCount(ctx, address, &proven)
	if count, err = answer(v, count, err); err == nil && isPending(at) {
		*count = hexutil.Uint64(m.e.sent.next(address, uint64(*count)))
	}
	return count, err
}

// Call implements eth_call.
func (m *methods) Call(ctx context.Context, call callObject, at *gethrpc.BlockNumberOrHash, changes *eth.StateOverride,
	block *eth.BlockOverrides,
) (hexutil.Bytes, error) {
	return executed(ctx, m, call, at, func(_ *view, api *eth.BlockChainAPI) (hexutil.Bytes, error) {
		return api.Call(ctx, call.TransactionArgs, at, changes, block)
	})
}

// EstimateGas implements eth_estimateGas.
func (m *methods) EstimateGas(ctx context.Context, call callObject, at *gethrpc.BlockNumberOrHash,
	changes *eth.StateOverride, block *eth.BlockOverrides,
) (hexutil.Uint64, error) {
	return executed(ctx, m, call, at, func(_ *view, api *eth.BlockChainAPI) (hexutil.Uint64, error) {
		return api.EstimateGas(ctx, call.TransactionArgs, at, changes, block)
	})
}

// CreateAccessList implements eth_createAccessList.
func (m *methods) CreateAccessList(ctx context.Context, call callObject, at *gethrpc.BlockNumberOrHash,
	changes *eth.StateOverride,
) (any, error) {
	return executed(ctx, m, call, at, func(_ *view, api *eth.BlockChainAPI) (any, error) {
		return api.CreateAccessList(ctx, call.TransactionArgs, at, changes)
	})
}

// GasPrice implements eth_gasPrice.
func (m *methods) GasPrice(ctx context.Context) (*hexutil.Big, error) {
	return answered(ctx, m, func(v *view) (*hexutil.Big, error) { return eth.NewEthereumAPI(v).GasPrice(ctx) })
}

// MaxPriorityFeePerGas implements eth_maxPriorityFeePerGas.
func (m *methods) MaxPriorityFeePerGas(ctx context.Context) (*hexutil.Big, error) {
	return answered(ctx, m, func(v *view) (*hexutil.Big, error) { return eth.NewEthereumAPI(v).MaxPriorityFeePerGas(ctx) })
}

// GetHeaderByNumber implements eth_getHeaderByNumber.
func (m *methods) GetHeaderByNumber(ctx context.Context, number gethrpc.BlockNumber) (map[string]any, error) {
	return m.header(ctx, gethrpc.BlockNumberOrHashWithNumber(number))
}

// GetHeaderByHash implements eth_getHeaderByHash.
func (m *methods) GetHeaderByHash(ctx context.Context, hash common.Hash) (map[string]any, error) {
	return m.header(ctx, gethrpc.BlockNumberOrHashWithHash(hash, false))
}

func (m *methods) header(ctx context.Context, at gethrpc.BlockNumberOrHash) (map[string]any, error) {
	v, err := m.e.view(ctx)
	if err != nil {
		return nil, err
	}
	header, err := v.find(ctx, at)
	if header == nil || err != nil {
		return nil, err
	}
	if header, err = v.sealed(header); err != nil {
		return nil, err
	}
	return m.totalDifficulty(eth.RPCMarshalHeader(header), header), nil
}

// GetBlockByNumber implements eth_getBlockByNumber.
func (m *methods) GetBlockByNumber(ctx context.Context, number gethrpc.BlockNumber, full bool) (map[string]any, error) {
	return m.block(ctx, gethrpc.BlockNumberOrHashWithNumber(number), full)
}

// GetBlockByHash implements eth_getBlockByHash.
func (m *methods) GetBlockByHash(ctx context.Context, hash common.Hash, full bool) (map[string]any, error) {
	return m.block(ctx, gethrpc.BlockNumberOrHashWithHash(hash, false), full)
}

func (m *methods) block(ctx context.Context, at gethrpc.BlockNumberOrHash, full bool) (map[string]any, error) {
	v, block, err := m.read(ctx, at, full)
	if block == nil || err != nil {
		return nil, err
	}
	header, err := v.sealed(block.Header())
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.block = block.WithSeal(header)
	v.linked[block.NumberU64()] = header
	v.mu.Unlock()
	object, err := eth.NewBlockChainAPI(v).GetBlockByHash(ctx, block.Hash(), full)
	if object, err = answer(v, object, err); object == nil || err != nil {
		return nil, err
	}
	return m.totalDifficulty(object, block.Header()), nil
}

// read returns a block, nil for an unknown one. With receipts these are read too: prices of transactions follow from
// them, and without them the services would guess.
func (m *methods) read(ctx context.Context, at gethrpc.BlockNumberOrHash, receipts bool) (*view, *types.Block, error) {
	leave, err := enter(ctx, m.e.busy)
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	v, err := m.e.view(ctx)
	if err != nil {
		return nil, nil, err
	}
	block, err := v.BlockByNumberOrHash(ctx, at)
	if block == nil || err != nil {
		return nil, nil, err
	}
	v.mu.Lock()
	v.linked[block.NumberU64()] = block.Header()
	v.mu.Unlock()
	if receipts {
		if _, err := v.receiptsOf(block); err != nil {
			return nil, nil, err
		}
	}
	return v, block, nil
}

// totalDifficulty adds the key of that name, as a node does (spec rpc 7).
func (m *methods) totalDifficulty(object map[string]any, header *types.Header) map[string]any {
	object["totalDifficulty"] = (*hexutil.Big)(rules.TotalDifficulty(m.e.options.Genesis.Difficulty,
		header.Number.Uint64()))
	return object
}

// GetBlockReceipts implements eth_getBlockReceipts.
func (m *methods) GetBlockReceipts(ctx context.Context, at gethrpc.BlockNumberOrHash) ([]map[string]any, error) {
	v, block, err := m.read(ctx, at, true)
	if block == nil || err != nil {
		return nil, err
	}
	list, err := eth.NewBlockChainAPI(v).GetBlockReceipts(ctx, gethrpc.BlockNumberOrHashWithHash(block.Hash(), false))
	return answer(v, list, err)
}

// GetBlockTransactionCountByNumber implements eth_getBlockTransactionCountByNumber.
func (m *methods) GetBlockTransactionCountByNumber(ctx context.Context, number gethrpc.BlockNumber) (*hexutil.Uint,
	error,
) {
	return m.countOf(ctx, gethrpc.BlockNumberOrHashWithNumber(number))
}

// GetBlockTransactionCountByHash implements eth_getBlockTransactionCountByHash.
func (m *methods) GetBlockTransactionCountByHash(ctx context.Context, hash common.Hash) (*hexutil.Uint, error) {
	return m.countOf(ctx, gethrpc.BlockNumberOrHashWithHash(hash, false))
}

func (m *methods) countOf(ctx context.Context, at gethrpc.BlockNumberOrHash) (*hexutil.Uint, error) {
	_, block, err := m.read(ctx, at, false)
	if block == nil || err != nil {
		return nil, err
	}
	count := hexutil.Uint(len(block.Transactions()))
	return &count, nil
}

// GetTransactionByBlockNumberAndIndex implements eth_getTransactionByBlockNumberAndIndex.
func (m *methods) GetTransactionByBlockNumberAndIndex(ctx context.Context, number gethrpc.BlockNumber,
	index hexutil.Uint,
) (any, error) {
	return m.transactionAt(ctx, gethrpc.BlockNumberOrHashWithNumber(number), index)
}

// GetTransactionByBlockHashAndIndex implements eth_getTransactionByBlockHashAndIndex.
func (m *methods) GetTransactionByBlockHashAndIndex(ctx context.Context, hash common.Hash, index hexutil.Uint) (any,
	error,
) {
	return m.transactionAt(ctx, gethrpc.BlockNumberOrHashWithHash(hash, false), index)
}

func (m *methods) transactionAt(ctx context.Context, at gethrpc.BlockNumberOrHash, index hexutil.Uint) (any, error) {
	v, block, err := m.read(ctx, at, true)
	if block == nil || err != nil {
		return nil, err
	}
	tx, err := eth.NewTransactionAPI(v, new(eth.NonceLock)).GetTransactionByBlockHashAndIndex(ctx, block.Hash(), index)
	if tx, err = answer(v, tx, err); tx == nil || err != nil {
		return nil, err
	}
	return tx, nil
}

// GetTransactionByHash implements eth_getTransactionByHash. A node is asked for the place of the transaction.
func (m *methods) GetTransactionByHash(ctx context.Context, hash common.Hash) (any, error) {
	v, err := m.locate(ctx, hash)
	if v == nil || err != nil {
		return nil, err
	}
	tx, err := eth.NewTransactionAPI(v, new(eth.NonceLock)).GetTransactionByHash(ctx, hash)
	if tx, err = answer(v, tx, err); tx == nil || err != nil {
		return nil, err
	}
	return tx, nil
}

// GetTransactionReceipt implements eth_getTransactionReceipt. A node is asked for the place of the transaction.
func (m *methods) GetTransactionReceipt(ctx context.Context, hash common.Hash) (map[string]any, error) {
	v, err := m.locate(ctx, hash)
	if v == nil || err != nil || v.located.Header == nil {
		return nil, err
	}
	receipt, err := eth.NewTransactionAPI(v, new(eth.NonceLock)).GetTransactionReceipt(ctx, hash)
	return answer(v, receipt, err)
}

// locate returns a view that has a transaction, its block and receipts. It is nil when no node knows the transaction.
func (m *methods) locate(ctx context.Context, hash common.Hash) (*view, error) {
	ctx, cancel := context.WithTimeout(ctx, door.RequestTime)
	context.AfterFunc(ctx, cancel) // the view goes on with it
	leave, err := enter(ctx, m.e.busy)
	if err != nil {
		return nil, err
	}
	defer leave()
	located, err := m.e.reader.Transaction(ctx, hash)
	if located == nil || err != nil {
		return nil, err
	}
	if located.Header != nil {
		m.e.tip.Show(located.Header) // a node can have a newer block than the last poll has seen
	}
	v, err := m.e.view(ctx)
	if err != nil {
		return nil, err
	}
	v.located = located
	if located.Header == nil {
		return v, nil
	}
	v.linked[located.Header.Number.Uint64()] = located.Header
	_, err = v.receiptsOf(located.Block)
	return v, err
}

// SendRawTransaction implements eth_sendRawTransaction: all nodes get the transaction.
func (m *methods) SendRawTransaction(ctx context.Context, raw hexutil.Bytes) (common.Hash, error) {
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return common.Hash{}, err
	}
	if id := m.e.options.Config.ChainID; !tx.Protected() || tx.ChainId().Cmp(id) != 0 {
		return common.Hash{}, fmt.Errorf("the transaction is not signed for chain %v: sign it for that chain ID", id)
	}
	sender, err := types.Sender(types.LatestSigner(m.e.options.Config), tx)
	if err != nil {
		return common.Hash{}, fmt.Errorf("the sender's signature is wrong: %w", err)
	}
	if err := m.e.reader.Submit(ctx, tx); err != nil {
		return common.Hash{}, err
	}
	m.e.sent.add(sender, tx.Nonce())
	log.Info("Transaction submitted", "hash", tx.Hash(), "sender", sender, "nonce", tx.Nonce())
	return tx.Hash(), nil
}

// network has the methods of the namespace net that can be answered.
type network struct{ e *Endpoint }

// Version implements net_version.
func (n *network) Version() string { return n.e.options.Config.ChainID.String() }

// Listening implements net_listening.
func (n *network) Listening() bool { return true }

// program has the methods of the namespace web3.
type program struct{ version string }

// ClientVersion implements web3_clientVersion.
func (p *program) ClientVersion() string { return p.version }
