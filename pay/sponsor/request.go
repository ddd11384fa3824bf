// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// Request is a transaction of a sender that is judged, estimated and tried: all its fields, signed or not.
type Request struct {
	Sender common.Address
	types.DynamicFeeTx
}

// NewRequest describes a transaction of a sender.
func NewRequest(sender common.Address, tx *types.Transaction) *Request {
	return &Request{sender, types.DynamicFeeTx{
		ChainID: tx.ChainId(), Nonce: tx.Nonce(), GasTipCap: tx.GasTipCap(), GasFeeCap: tx.GasFeeCap(), Gas: tx.Gas(),
		To: tx.To(), Value: tx.Value(), Data: tx.Data(), AccessList: tx.AccessList(),
	}}
}

// Cost returns the most that the fee payer can have to pay, in wei.
func (r *Request) Cost() *big.Int {
	return new(big.Int).Mul(r.GasFeeCap, new(big.Int).SetUint64(r.Gas))
}

// callArguments is the request for eth_call and eth_estimateGas of the node, without fees: the sender pays none.
func (r *Request) callArguments() map[string]any {
	call := map[string]any{
		"from": r.Sender, "value": (*hexutil.Big)(r.Value), "data": hexutil.Bytes(r.Data),
		"nonce": hexutil.Uint64(r.Nonce), "accessList": accessListOf(r.AccessList),
	}
	if r.To != nil {
		call["to"] = r.To
	}
	if r.Gas > 0 {
		call["gas"] = hexutil.Uint64(r.Gas)
	}
	return call
}

// accessListOf returns a list that is written as an array in JSON, also the empty one.
func accessListOf(list types.AccessList) types.AccessList {
	if list == nil {
		return types.AccessList{}
	}
	return list
}

// callObject is a transaction object of a caller, with every key that a transaction of type 2 has. There is no other
// reader of such objects.
type callObject struct {
	From       *common.Address   `json:"from,omitempty"`
	To         *common.Address   `json:"to,omitempty"`
	Value      *hexutil.Big      `json:"value,omitempty"`
	Data       *hexutil.Bytes    `json:"data,omitempty"`
	Input      *hexutil.Bytes    `json:"input,omitempty"`
	Gas        *hexutil.Uint64   `json:"gas,omitempty"`
	FeeCap     *hexutil.Big      `json:"maxFeePerGas,omitempty"`
	Tip        *hexutil.Big      `json:"maxPriorityFeePerGas,omitempty"`
	GasPrice   *hexutil.Big      `json:"gasPrice,omitempty"`
	Nonce      *hexutil.Uint64   `json:"nonce,omitempty"`
	ChainID    *hexutil.Big      `json:"chainId,omitempty"`
	AccessList *types.AccessList `json:"accessList,omitempty"`
	Type       *hexutil.Uint64   `json:"type,omitempty"`
}

// readCall reads the transaction object of a request. The refusal names a field that a sponsored transaction cannot
// carry: what was left out silently would be signed and paid without it.
func (s *Sponsor) readCall(params []json.RawMessage) (*callObject, *Refusal, error) {
	var keys map[string]json.RawMessage
	if err := argument(params, 0, "a transaction object", &keys); err != nil {
		return nil, nil, err
	}
	known := make(map[string]bool)
	for _, key := range callKeys {
		known[key] = true
	}
	var unknown []string
	for key, value := range keys {
		if !known[key] && !bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, &Refusal{Rule: "type", Limit: "0x2", Have: shortened(unknown[0]),
			Text: "a transaction of type 2 cannot carry this field: leave it out, or pay for the transaction"}, nil
	}
	a := new(callObject)
	if err := argument(params, 0, "a transaction object", a); err != nil {
		return nil, nil, err
	}
	switch {
	case a.Type != nil && *a.Type != types.DynamicFeeTxType:
		return nil, refuseType(uint64(*a.Type)), nil
	case a.Data != nil && a.Input != nil && !bytes.Equal(*a.Data, *a.Input):
		return nil, nil, invalidParams("argument 0: data and input differ: give one of them")
	case a.ChainID != nil && a.ChainID.ToInt().Cmp(s.chainID) != 0:
		return nil, nil, invalidParams("argument 0: chainId is %v: the chain of this sponsor is %v",
			a.ChainID.ToInt(), s.chainID)
	}
	return a, nil, nil
}

// callKeys are the keys of callObject.
var callKeys = []string{
	"from", "to", "value", "data", "input", "gas", "maxFeePerGas", "maxPriorityFeePerGas", "gasPrice", "nonce",
	"chainId", "accessList", "type",
}

func refuseType(kind uint64) *Refusal {
	return &Refusal{Rule: "type", Limit: "0x2", Have: fmt.Sprintf("%#x", kind),
		Text: "a fee payer can be added to transactions of type 2 alone"}
}

// refuseLegacy refuses a gas price: it makes a transaction of type 0 or 1, which the sponsor passes on as it is.
func (a *callObject) refuseLegacy() *Refusal {
	if a.GasPrice == nil {
		return nil
	}
	refusal := refuseType(types.LegacyTxType)
	refusal.Text = "gasPrice makes a transaction of type 0, which its sender pays: give maxFeePerGas instead"
	return refusal
}

// request returns the transaction, with what is missing filled in by the fees of the newest block. Gas and nonce are 0
// where they are missing.
func (a *callObject) request(s *Sponsor) *Request {
	f := s.fees.Load()
	r := &Request{DynamicFeeTx: types.DynamicFeeTx{
		ChainID: s.chainID, To: a.To, Value: new(big.Int), GasFeeCap: f.cap(), GasTipCap: f.tip,
	}}
	if a.From != nil {
		r.Sender = *a.From
	}
	if a.Value != nil {
		r.Value = a.Value.ToInt()
	}
	if a.Input != nil {
		r.Data = *a.Input
	} else if a.Data != nil {
		r.Data = *a.Data
	}
	if a.Gas != nil {
		r.Gas = uint64(*a.Gas)
	}
	if a.FeeCap != nil {
		r.GasFeeCap = a.FeeCap.ToInt()
	}
	if a.Tip != nil {
		r.GasTipCap = a.Tip.ToInt()
	} else if r.GasTipCap.Cmp(r.GasFeeCap) > 0 {
		r.GasTipCap = r.GasFeeCap
	}
	if a.Nonce != nil {
		r.Nonce = uint64(*a.Nonce)
	}
	if a.AccessList != nil {
		r.AccessList = *a.AccessList
	}
	return r
}
