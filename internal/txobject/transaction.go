// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txobject

import (
	"bytes"
	"encoding/json"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
)

// Transaction is a whole transaction of a sender, signed or not. What judges, prices, estimates or tries it has every
// field of it.
type Transaction struct {
	Sender common.Address
	types.DynamicFeeTx
}

// Of returns a signed transaction of type 2, or the sender's part of one of type 0x16.
func Of(sender common.Address, tx *types.Transaction) *Transaction {
	return &Transaction{sender, types.DynamicFeeTx{
		ChainID: tx.ChainId(), Nonce: tx.Nonce(), GasTipCap: tx.GasTipCap(), GasFeeCap: tx.GasFeeCap(), Gas: tx.Gas(),
		To: tx.To(), Value: tx.Value(), Data: tx.Data(), AccessList: tx.AccessList(),
	}}
}

// Cost returns the most that the fee payer can have to pay, in wei.
func (t *Transaction) Cost() *big.Int {
	return new(big.Int).Mul(t.GasFeeCap, new(big.Int).SetUint64(t.Gas))
}

// LeastGas returns what the transaction takes before any code is executed (spec transactions 0: London and no fork
// after it).
func (t *Transaction) LeastGas() uint64 {
	gas := params.TxGas
	if t.To == nil {
		gas = params.TxGasContractCreation
	}
	zeros := uint64(bytes.Count(t.Data, []byte{0}))
	return gas + zeros*params.TxDataZeroGas + (uint64(len(t.Data))-zeros)*params.TxDataNonZeroGasEIP2028 +
		uint64(len(t.AccessList))*params.TxAccessListAddressGas +
		uint64(t.AccessList.StorageKeys())*params.TxAccessListStorageKeyGas
}

// CallObject is a transaction as eth_call and eth_estimateGas of a node take it.
type CallObject struct {
	From       *common.Address   `json:"from,omitempty"`
	To         *common.Address   `json:"to,omitempty"`
	Value      *hexutil.Big      `json:"value,omitempty"`
	Input      *hexutil.Bytes    `json:"input,omitempty"`
	Gas        *hexutil.Uint64   `json:"gas,omitempty"`
	Nonce      *hexutil.Uint64   `json:"nonce,omitempty"`
	ChainID    *hexutil.Big      `json:"chainId,omitempty"`
	GasPrice   *hexutil.Big      `json:"gasPrice,omitempty"`
	FeeCap     *hexutil.Big      `json:"maxFeePerGas,omitempty"`
	Tip        *hexutil.Big      `json:"maxPriorityFeePerGas,omitempty"`
	AccessList *types.AccessList `json:"accessList,omitempty"`

	AuthorizationList []types.SetCodeAuthorization `json:"authorizationList,omitempty"`
	FeePayer          *common.Address              `json:"feePayer,omitempty"`
}

// Call returns the call that tries a transaction, without fees: the sender pays none. Gas is left out while it is 0.
func (t *Transaction) Call() *CallObject {
	data, nonce, gas, list := hexutil.Bytes(t.Data), hexutil.Uint64(t.Nonce), hexutil.Uint64(t.Gas), t.Accesses()
	c := &CallObject{
		From: &t.Sender, To: t.To, Value: (*hexutil.Big)(t.Value), Input: &data, Nonce: &nonce, AccessList: &list,
	}
	if gas > 0 {
		c.Gas = &gas
	}
	return c
}

// Estimate returns the call that finds out how much gas a transaction needs, with gas as the most. It has no nonce,
// which may not be known yet.
func (t *Transaction) Estimate(gas uint64) *CallObject {
	c := t.Call()
	c.Nonce, c.Gas = nil, (*hexutil.Uint64)(&gas)
	return c
}

// Accesses returns the access list as it is written as an array in JSON, also the empty one.
func (t *Transaction) Accesses() types.AccessList {
	if t.AccessList == nil {
		return types.AccessList{}
	}
	return t.AccessList
}

// Shown is an unsigned transaction as eth_fillTransaction shows it: its bytes, and go-ethereum's object and the sender.
type Shown struct {
	Raw hexutil.Bytes              `json:"raw"`
	Tx  map[string]json.RawMessage `json:"tx"`
}

// Show returns the transaction as eth_fillTransaction shows it.
func (t *Transaction) Show() (*Shown, error) {
	tx := types.NewTx(&t.DynamicFeeTx)
	raw, err := tx.MarshalBinary()
	if err != nil {
		return nil, err
	}
	encoded, err := tx.MarshalJSON()
	if err != nil {
		return nil, err
	}
	shown := &Shown{Raw: raw}
	if err := json.Unmarshal(encoded, &shown.Tx); err != nil {
		return nil, err
	}
	if shown.Tx["from"], err = json.Marshal(t.Sender); err != nil {
		return nil, err
	}
	return shown, nil
}
