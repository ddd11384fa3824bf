// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/hex"
	"math/big"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// Receipts and logs of full blocks have their own encoder. Reflection and maps take ten times as long, which is most
// of the cost of such a result.

// logList is a list of logs with the encoding of upstream.
type logList []*types.Log

// MarshalJSON implements json.Marshaler.
func (l logList) MarshalJSON() ([]byte, error) {
	return appendLogs(make([]byte, 0, 2+sizeOfLogs(l)), l), nil
}

// sizeOfLogs returns about how many bytes logs take, so that their encoding does not grow into its memory.
func sizeOfLogs(logs []*types.Log) (size int) {
	for _, l := range logs {
		size += 500 + 70*len(l.Topics) + 2*len(l.Data)
	}
	return size
}

func appendLogs(b []byte, logs []*types.Log) []byte {
	b = append(b, '[')
	for i, l := range logs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendLog(b, l)
	}
	return append(b, ']')
}

func appendLog(b []byte, l *types.Log) []byte {
	b = appendBytes(append(b, `{"address":`...), l.Address[:])
	b = append(b, `,"topics":`...)
	if l.Topics == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, '[')
		for i := range l.Topics {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendBytes(b, l.Topics[i][:])
		}
		b = append(b, ']')
	}
	b = appendBytes(append(b, `,"data":`...), l.Data)
	b = appendNumber(append(b, `,"blockNumber":`...), l.BlockNumber)
	b = appendBytes(append(b, `,"transactionHash":`...), l.TxHash[:])
	b = appendNumber(append(b, `,"transactionIndex":`...), uint64(l.TxIndex))
	b = appendBytes(append(b, `,"blockHash":`...), l.BlockHash[:])
	b = appendNumber(append(b, `,"blockTimestamp":`...), l.BlockTimestamp)
	b = appendNumber(append(b, `,"logIndex":`...), uint64(l.Index))
	return append(strconv.AppendBool(append(b, `,"removed":`...), l.Removed), '}')
}

// receiptList is the list of a block's receipts. Its encoding equals that of upstream's objects, with sorted keys.
type receiptList struct {
	hash     common.Hash
	number   uint64
	signer   types.Signer
	txs      types.Transactions
	receipts types.Receipts // one for each transaction
}

// MarshalJSON implements json.Marshaler.
func (l *receiptList) MarshalJSON() ([]byte, error) {
	size := 2
	for _, r := range l.receipts {
		size += 1400 + sizeOfLogs(r.Logs)
	}
	b := append(make([]byte, 0, size), '[')
	for i := range l.receipts {
		if i > 0 {
			b = append(b, ',')
		}
		b = l.appendReceipt(b, i)
	}
	return append(b, ']'), nil
}

func (l *receiptList) appendReceipt(b []byte, i int) []byte {
	r, tx := l.receipts[i], l.txs[i]
	from, _ := types.Sender(l.signer, tx) // upstream shows the zero address on failure
	hash := tx.Hash()
	b = appendBytes(append(b, `{"blockHash":`...), l.hash[:])
	b = appendNumber(append(b, `,"blockNumber":`...), l.number)
	b = append(b, `,"contractAddress":`...)
	if r.ContractAddress == (common.Address{}) {
		b = append(b, "null"...)
	} else {
		b = appendBytes(b, r.ContractAddress[:])
	}
	b = appendNumber(append(b, `,"cumulativeGasUsed":`...), r.CumulativeGasUsed)
	b = appendBig(append(b, `,"effectiveGasPrice":`...), r.EffectiveGasPrice)
	if payer := tx.FeePayer(); payer != nil {
		b = appendBytes(append(b, `,"feePayer":`...), payer[:])
	}
	b = appendBytes(append(b, `,"from":`...), from[:])
	b = appendNumber(append(b, `,"gasUsed":`...), r.GasUsed)
	b = appendLogs(append(b, `,"logs":`...), r.Logs)
	b = appendBytes(append(b, `,"logsBloom":`...), r.Bloom[:])
	if len(r.PostState) > 0 {
		b = appendBytes(append(b, `,"root":`...), r.PostState)
	}
	if tx.FeePayer() != nil {
		b = appendBytes(append(b, `,"senderTransactionHash":`...), tx.SenderTransactionHash()[:])
	}
	if len(r.PostState) == 0 {
		b = appendNumber(append(b, `,"status":`...), r.Status)
	}
	b = append(b, `,"to":`...)
	if to := tx.To(); to == nil {
		b = append(b, "null"...)
	} else {
		b = appendBytes(b, to[:])
	}
	b = appendBytes(append(b, `,"transactionHash":`...), hash[:])
	b = appendNumber(append(b, `,"transactionIndex":`...), uint64(i))
	b = appendNumber(append(b, `,"type":`...), uint64(tx.Type()))
	return append(b, '}')
}

func appendBytes(b, value []byte) []byte {
	return append(hex.AppendEncode(append(b, `"0x`...), value), '"')
}

func appendNumber(b []byte, value uint64) []byte {
	return append(strconv.AppendUint(append(b, `"0x`...), value, 16), '"')
}

func appendBig(b []byte, value *big.Int) []byte {
	if value == nil {
		return append(b, "null"...)
	}
	return append(append(append(b, '"'), hexutil.EncodeBig(value)...), '"')
}
