// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"encoding/json"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// transactionJSON is a type 0x16 transaction as nodes answer it. Required keys are pointers.
type transactionJSON struct {
	Type                 hexutil.Uint64    `json:"type"`
	Hash                 *common.Hash      `json:"hash"`
	ChainID              *hexutil.Big      `json:"chainId"`
	Nonce                *hexutil.Uint64   `json:"nonce"`
	MaxPriorityFeePerGas *hexutil.Big      `json:"maxPriorityFeePerGas"`
	MaxFeePerGas         *hexutil.Big      `json:"maxFeePerGas"`
	Gas                  *hexutil.Uint64   `json:"gas"`
	To                   *common.Address   `json:"to"`
	Value                *hexutil.Big      `json:"value"`
	Input                *hexutil.Bytes    `json:"input"`
	AccessList           *types.AccessList `json:"accessList"`
	V                    *hexutil.Big      `json:"v"`
	R                    *hexutil.Big      `json:"r"`
	S                    *hexutil.Big      `json:"s"`
	FeePayer             *common.Address   `json:"feePayer"`
	FV                   *hexutil.Big      `json:"fv"`
	FR                   *hexutil.Big      `json:"fr"`
	FS                   *hexutil.Big      `json:"fs"`

	SenderTransactionHash *common.Hash `json:"senderTransactionHash,omitempty"`
}

// MarshalJSON implements json.Marshaler. The object of type 0x16 is that of the node's signing methods, with the
// sender's hash besides.
func (t *Transaction) MarshalJSON() ([]byte, error) {
	if t.payer == nil {
		return t.inner.MarshalJSON()
	}
	tx, hash, senderHash := dynamicFeeTx(t.inner), t.Hash(), t.SenderHash()
	accesses := tx.AccessList
	if accesses == nil {
		accesses = types.AccessList{}
	}
	return json.Marshal(&transactionJSON{
		Type: FeeDelegatedTxType, Hash: &hash, ChainID: (*hexutil.Big)(tx.ChainID), Nonce: (*hexutil.Uint64)(&tx.Nonce),
		MaxPriorityFeePerGas: (*hexutil.Big)(tx.GasTipCap), MaxFeePerGas: (*hexutil.Big)(tx.GasFeeCap),
		Gas: (*hexutil.Uint64)(&tx.Gas), To: tx.To, Value: (*hexutil.Big)(tx.Value), Input: (*hexutil.Bytes)(&tx.Data),
		AccessList: &accesses, V: (*hexutil.Big)(tx.V), R: (*hexutil.Big)(tx.R), S: (*hexutil.Big)(tx.S),
		FeePayer: t.FeePayer(), FV: (*hexutil.Big)(t.payer.v), FR: (*hexutil.Big)(t.payer.r), FS: (*hexutil.Big)(t.payer.s),
		SenderTransactionHash: &senderHash,
	})
}

// UnmarshalJSON implements json.Unmarshaler. It takes the objects that nodes answer, and checks the hash in them.
func (t *Transaction) UnmarshalJSON(input []byte) error {
	var object transactionJSON
	var kind struct {
		Type hexutil.Uint64 `json:"type"`
		Hash *common.Hash   `json:"hash"`
	}
	if err := json.Unmarshal(input, &kind); err != nil {
		return &EncodingError{"decode JSON", err}
	}
	var decoded *Transaction
	if kind.Type == FeeDelegatedTxType {
		if err := json.Unmarshal(input, &object); err != nil {
			return &EncodingError{"decode JSON of type 0x16", err}
		}
		var err error
		if decoded, err = object.transaction(); err != nil {
			return err
		}
	} else {
		tx := new(types.Transaction)
		if err := json.Unmarshal(input, tx); err != nil {
			return &EncodingError{"decode JSON", err}
		}
		decoded = Plain(tx)
	}
	if kind.Hash != nil && *kind.Hash != decoded.Hash() {
		return &HashError{"transaction", decoded.Hash(), *kind.Hash}
	}
	*t = *decoded
	return nil
}

func (o *transactionJSON) transaction() (*Transaction, error) {
	for _, f := range []struct {
		key     string
		missing bool
	}{
		{"chainId", o.ChainID == nil}, {"nonce", o.Nonce == nil}, {"maxPriorityFeePerGas", o.MaxPriorityFeePerGas == nil},
		{"maxFeePerGas", o.MaxFeePerGas == nil}, {"gas", o.Gas == nil}, {"value", o.Value == nil}, {"input", o.Input == nil},
		{"v", o.V == nil}, {"r", o.R == nil}, {"s", o.S == nil}, {"feePayer", o.FeePayer == nil}, {"fv", o.FV == nil},
		{"fr", o.FR == nil}, {"fs", o.FS == nil},
	} {
		if f.missing {
			return nil, &EncodingError{Reason: "JSON of type 0x16 lacks " + f.key}
		}
	}
	content := &feeDelegatedRLP{
		Sender: types.DynamicFeeTx{
			ChainID: o.ChainID.ToInt(), Nonce: uint64(*o.Nonce), GasTipCap: o.MaxPriorityFeePerGas.ToInt(),
			GasFeeCap: o.MaxFeePerGas.ToInt(), Gas: uint64(*o.Gas), To: o.To, Value: o.Value.ToInt(), Data: *o.Input,
			V: o.V.ToInt(), R: o.R.ToInt(), S: o.S.ToInt(),
		},
		FeePayer: *o.FeePayer, FV: o.FV.ToInt(), FR: o.FR.ToInt(), FS: o.FS.ToInt(),
	}
	if o.AccessList != nil {
		content.Sender.AccessList = *o.AccessList
	}
	return newFeeDelegated(content)
}

// receiptExtra is what receipts of the network have beyond go-ethereum's.
type receiptExtra struct {
	From                  common.Address  `json:"from"`
	To                    *common.Address `json:"to"`
	FeePayer              *common.Address `json:"feePayer"`
	SenderTransactionHash *common.Hash    `json:"senderTransactionHash"`
}

// Receipt is a receipt with what the network adds to it.
type Receipt struct {
	*types.Receipt
	From     common.Address
	To       *common.Address // nil for a contract creation
	FeePayer *common.Address // nil when the sender paid, and on nodes other than gwon

	// SenderHash is the hash of the type-2 transaction that the sender signed. It is nil for types other than 0x16, and
	// on nodes other than gwon.
	SenderHash *common.Hash
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Receipt) UnmarshalJSON(input []byte) error {
	var extra receiptExtra
	if err := json.Unmarshal(input, &extra); err != nil {
		return &EncodingError{"decode JSON of a receipt", err}
	}
	receipt := new(types.Receipt)
	if err := json.Unmarshal(input, receipt); err != nil {
		return &EncodingError{"decode JSON of a receipt", err}
	}
	*r = Receipt{receipt, extra.From, extra.To, extra.FeePayer, extra.SenderTransactionHash}
	return nil
}

// Fee returns what the fee payer, or the sender, paid for gas, in wei.
func (r *Receipt) Fee() *big.Int {
	if r.EffectiveGasPrice == nil {
		return nil
	}
	return new(big.Int).Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed))
}
