// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

import (
	"reflect"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// forms are the components whose Go types are maps, or have an encoding of their own.
var forms = map[string]reflect.Type{
	"Authorization":   reflect.TypeFor[authorization](),
	"Block":           reflect.TypeFor[block](),
	"Header":          reflect.TypeFor[header](),
	"Log":             reflect.TypeFor[log](),
	"LogQuery":        reflect.TypeFor[logQuery](),
	"PoolContent":     reflect.TypeFor[pool[map[string]map[string]transaction]](),
	"PoolContentOf":   reflect.TypeFor[pool[map[string]transaction]](),
	"PoolStatus":      reflect.TypeFor[pool[hexutil.Uint64]](),
	"PoolSummaries":   reflect.TypeFor[pool[map[string]map[string]string]](),
	"Receipt":         reflect.TypeFor[receipt](),
	"SealedHeader":    reflect.TypeFor[sealedHeader](),
	"SimulatedBlock":  reflect.TypeFor[simulatedBlock](),
	"SimulatedCall":   reflect.TypeFor[simulatedCall](),
	"Simulation":      reflect.TypeFor[simulation](),
	"SyncStatus":      reflect.TypeFor[syncStatus](),
	"Transaction":     reflect.TypeFor[transaction](),
	"TransactionBody": reflect.TypeFor[transactionBody](),
}

// header is a header as methods show it. That of the pending block has no hash, nonce, miner and total difficulty.
type header struct {
	sealedHeader
	TotalDifficulty *hexutil.Big `json:"totalDifficulty"`
}

// sealedHeader is a header with the fields that its hash covers.
type sealedHeader struct {
	BaseFeePerGas    hexutil.Big     `json:"baseFeePerGas"`
	Difficulty       hexutil.Big     `json:"difficulty"`
	ExtraData        hexutil.Bytes   `json:"extraData"`
	GasLimit         hexutil.Uint64  `json:"gasLimit"`
	GasUsed          hexutil.Uint64  `json:"gasUsed"`
	Hash             *common.Hash    `json:"hash"`
	LogsBloom        hexutil.Bytes   `json:"logsBloom"`
	Miner            *common.Address `json:"miner"`
	MixHash          common.Hash     `json:"mixHash"`
	Nonce            *hexutil.Bytes  `json:"nonce"`
	Number           hexutil.Uint64  `json:"number"`
	ParentHash       common.Hash     `json:"parentHash"`
	ReceiptsRoot     common.Hash     `json:"receiptsRoot"`
	Sha3Uncles       common.Hash     `json:"sha3Uncles"`
	StateRoot        common.Hash     `json:"stateRoot"`
	Timestamp        hexutil.Uint64  `json:"timestamp"`
	TransactionsRoot common.Hash     `json:"transactionsRoot"`
}

// block is a header with what the block holds.
type block struct {
	header
	Size         hexutil.Uint64 `json:"size"`
	Transactions any            `json:"transactions"` // hashes or transactions
	Uncles       []common.Hash  `json:"uncles"`
}

type authorization struct {
	ChainID hexutil.Big    `json:"chainId"`
	Address common.Address `json:"address"`
	Nonce   hexutil.Uint64 `json:"nonce"`
	YParity hexutil.Uint64 `json:"yParity"`
	R       hexutil.Big    `json:"r"`
	S       hexutil.Big    `json:"s"`
}

// transactionBody is a transaction without a place in a block.
type transactionBody struct {
	AccessList           []types.AccessTuple `json:"accessList,omitempty"`
	AuthorizationList    []authorization     `json:"authorizationList,omitempty"`
	ChainID              *hexutil.Big        `json:"chainId,omitempty"`
	FeePayer             *common.Address     `json:"feePayer,omitempty"`
	FR                   *hexutil.Big        `json:"fr,omitempty"`
	FS                   *hexutil.Big        `json:"fs,omitempty"`
	FV                   *hexutil.Big        `json:"fv,omitempty"`
	Gas                  hexutil.Uint64      `json:"gas"`
	GasPrice             *hexutil.Big        `json:"gasPrice"`
	Hash                 common.Hash         `json:"hash"`
	Input                hexutil.Bytes       `json:"input"`
	MaxFeePerGas         *hexutil.Big        `json:"maxFeePerGas,omitempty"`
	MaxPriorityFeePerGas *hexutil.Big        `json:"maxPriorityFeePerGas,omitempty"`
	Nonce                hexutil.Uint64      `json:"nonce"`
	R                    *hexutil.Big        `json:"r"`
	S                    *hexutil.Big        `json:"s"`
	To                   *common.Address     `json:"to"`
	Type                 hexutil.Uint64      `json:"type"`
	V                    *hexutil.Big        `json:"v"`
	Value                *hexutil.Big        `json:"value"`
	YParity              *hexutil.Uint64     `json:"yParity,omitempty"`
}

// transaction is a transaction of a block or of the pool.
type transaction struct {
	transactionBody
	BlockHash             *common.Hash    `json:"blockHash"`
	BlockNumber           *hexutil.Big    `json:"blockNumber"`
	BlockTimestamp        *hexutil.Uint64 `json:"blockTimestamp"`
	From                  common.Address  `json:"from"`
	SenderTransactionHash *common.Hash    `json:"senderTransactionHash,omitempty"`
	TransactionIndex      *hexutil.Uint64 `json:"transactionIndex"`
}

type log struct {
	Address          common.Address `json:"address"`
	BlockHash        *common.Hash   `json:"blockHash"`
	BlockNumber      *hexutil.Big   `json:"blockNumber"`
	BlockTimestamp   hexutil.Uint64 `json:"blockTimestamp"`
	Data             hexutil.Bytes  `json:"data"`
	LogIndex         hexutil.Uint64 `json:"logIndex"`
	Removed          bool           `json:"removed"`
	Topics           []common.Hash  `json:"topics"`
	TransactionHash  common.Hash    `json:"transactionHash"`
	TransactionIndex hexutil.Uint64 `json:"transactionIndex"`
}

type receipt struct {
	BlockHash             common.Hash     `json:"blockHash"`
	BlockNumber           hexutil.Uint64  `json:"blockNumber"`
	ContractAddress       *common.Address `json:"contractAddress"`
	CumulativeGasUsed     hexutil.Uint64  `json:"cumulativeGasUsed"`
	EffectiveGasPrice     hexutil.Big     `json:"effectiveGasPrice"`
	FeePayer              *common.Address `json:"feePayer,omitempty"`
	From                  common.Address  `json:"from"`
	GasUsed               hexutil.Uint64  `json:"gasUsed"`
	Logs                  []log           `json:"logs"`
	LogsBloom             hexutil.Bytes   `json:"logsBloom"`
	SenderTransactionHash *common.Hash    `json:"senderTransactionHash,omitempty"`
	Status                hexutil.Uint64  `json:"status"`
	To                    *common.Address `json:"to"`
	TransactionHash       common.Hash     `json:"transactionHash"`
	TransactionIndex      hexutil.Uint64  `json:"transactionIndex"`
	Type                  hexutil.Uint64  `json:"type"`
}

// logQuery selects logs by blocks, or by the hash of one, by addresses and by topics.
type logQuery struct {
	Address   any                  `json:"address,omitempty"` // one or several
	BlockHash *common.Hash         `json:"blockHash,omitempty"`
	FromBlock *gethrpc.BlockNumber `json:"fromBlock,omitempty"`
	ToBlock   *gethrpc.BlockNumber `json:"toBlock,omitempty"`
	Topics    []any                `json:"topics,omitempty"` // null, one or several for each position
}

// syncStatus is the progress of a sync. Further figures depend on its kind.
type syncStatus struct {
	StartingBlock hexutil.Uint64 `json:"startingBlock"`
	CurrentBlock  hexutil.Uint64 `json:"currentBlock"`
	HighestBlock  hexutil.Uint64 `json:"highestBlock"`
}

// pool is a view of the two parts of the pool.
type pool[T any] struct {
	Pending T `json:"pending"`
	Queued  T `json:"queued"`
}

type simulation struct {
	BlockStateCalls []struct {
		BlockOverrides map[string]any   `json:"blockOverrides,omitempty"`
		StateOverrides map[string]any   `json:"stateOverrides,omitempty"`
		Calls          []map[string]any `json:"calls,omitempty"`
	} `json:"blockStateCalls,omitempty"`
	TraceTransfers         bool `json:"traceTransfers,omitempty"`
	Validation             bool `json:"validation,omitempty"`
	ReturnFullTransactions bool `json:"returnFullTransactions,omitempty"`
}

// simulatedBlock is a block that was not sealed, and the results of its calls.
type simulatedBlock struct {
	Number hexutil.Uint64  `json:"number"`
	Hash   common.Hash     `json:"hash"`
	Calls  []simulatedCall `json:"calls"`
}

type simulatedCall struct {
	ReturnData hexutil.Bytes  `json:"returnData"`
	Logs       []log          `json:"logs"`
	GasUsed    hexutil.Uint64 `json:"gasUsed"`
	MaxUsedGas hexutil.Uint64 `json:"maxUsedGas"`
	Status     hexutil.Uint64 `json:"status"`
	Error      any            `json:"error,omitempty"`
}
