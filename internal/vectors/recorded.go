// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vectors

import (
	_ "embed"
	"encoding/json"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

//go:embed testdata/network-v1.1.0.json
var recordedNetwork []byte

// Recorded holds JSON-RPC answers of go-stablenet v1.1.0 about a network of three validators with chain ID 8283.
// testdata/README.md names the source.
type Recorded struct {
	Blocks          map[uint64]*RecordedBlock
	RawTransactions map[common.Hash]hexutil.Bytes
	Receipts        map[uint64][]*RecordedReceipt
}

// RecordedBlock is a block as eth_getBlockByNumber with whole transactions answers it.
type RecordedBlock struct {
	Header       *types.Header
	Hash         common.Hash
	Size         hexutil.Uint64
	Transactions []*RecordedTransaction
}

// RecordedTransaction holds what the recorder's node derived from a transaction. FeePayer is nil without type 0x16.
type RecordedTransaction struct {
	Hash     common.Hash
	Type     hexutil.Uint64
	From     common.Address
	GasPrice *hexutil.Big
	FeePayer *common.Address
}

// RecordedReceipt holds the fields of a receipt that its root and its price depend on.
type RecordedReceipt struct {
	Type              hexutil.Uint64
	Status            hexutil.Uint64
	CumulativeGasUsed hexutil.Uint64
	EffectiveGasPrice *hexutil.Big
	LogsBloom         types.Bloom
	Logs              []*types.Log
}

// UnmarshalJSON reads the header's fields and those beside them from one object.
func (b *RecordedBlock) UnmarshalJSON(encoded []byte) error {
	var beside struct {
		Hash         common.Hash
		Size         hexutil.Uint64
		Transactions []*RecordedTransaction
	}
	if err := json.Unmarshal(encoded, &beside); err != nil {
		return err
	}
	b.Hash, b.Size, b.Transactions = beside.Hash, beside.Size, beside.Transactions
	b.Header = new(types.Header)
	return json.Unmarshal(encoded, b.Header)
}

// LoadRecorded returns the recorded network.
func LoadRecorded(t TB) *Recorded {
	t.Helper()
	recorded := new(Recorded)
	if err := json.Unmarshal(recordedNetwork, recorded); err != nil {
		t.Fatalf("network-v1.1.0.json: %v", err)
	}
	return recorded
}
