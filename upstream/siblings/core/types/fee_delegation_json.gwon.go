// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// feePayerJSON are the keys that a fee-delegated transaction adds to the JSON object (spec transactions 1.3 a).
type feePayerJSON struct {
	FeePayer *common.Address `json:"feePayer,omitempty"`
	FV       *hexutil.Big    `json:"fv"`
	FR       *hexutil.Big    `json:"fr"`
	FS       *hexutil.Big    `json:"fs"`
}

// marshalJSON returns the JSON object. enc holds type and hash already.
func (tx *FeeDelegateTx) marshalJSON(enc *txJSON) ([]byte, error) {
	sender := &tx.SenderTx
	accessList := sender.AccessList
	if accessList == nil {
		accessList = AccessList{}
	}
	parity := hexutil.Uint64(sender.V.Uint64())
	enc.ChainID = (*hexutil.Big)(sender.ChainID)
	enc.Nonce = (*hexutil.Uint64)(&sender.Nonce)
	enc.To = sender.To
	enc.Gas = (*hexutil.Uint64)(&sender.Gas)
	enc.MaxPriorityFeePerGas = (*hexutil.Big)(sender.GasTipCap)
	enc.MaxFeePerGas = (*hexutil.Big)(sender.GasFeeCap)
	enc.Value = (*hexutil.Big)(sender.Value)
	enc.Input = (*hexutil.Bytes)(&sender.Data)
	enc.AccessList = &accessList
	enc.V, enc.R, enc.S = (*hexutil.Big)(sender.V), (*hexutil.Big)(sender.R), (*hexutil.Big)(sender.S)
	enc.YParity = &parity
	return json.Marshal(&struct {
		*txJSON
		feePayerJSON
	}{enc, feePayerJSON{tx.FeePayer, (*hexutil.Big)(tx.FV), (*hexutil.Big)(tx.FR), (*hexutil.Big)(tx.FS)}})
}

// unmarshalFeeDelegateJSON makes the transaction of the JSON object input, of which dec holds the keys common to all
// types. Order and texts of the errors are those of spec transactions 1.3.
func unmarshalFeeDelegateJSON(input []byte, dec *txJSON) (*FeeDelegateTx, error) {
	var payer feePayerJSON
	if err := json.Unmarshal(input, &payer); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		key     string
		missing bool
		object  string
	}{
		{"chainId", dec.ChainID == nil, "in transaction"},
		{"nonce", dec.Nonce == nil, "in transaction"},
		{"maxPriorityFeePerGas", dec.MaxPriorityFeePerGas == nil, "for txdata"},
		{"maxFeePerGas", dec.MaxFeePerGas == nil, "for txdata"},
		{"gas", dec.Gas == nil, "for txdata"},
		{"value", dec.Value == nil, "in transaction"},
		{"input", dec.Input == nil, "in transaction"},
		{"v", dec.V == nil, "in transaction"},
		{"r", dec.R == nil, "in transaction"},
		{"s", dec.S == nil, "in transaction"},
	} {
		if f.missing {
			return nil, fmt.Errorf("missing required field '%s' %s", f.key, f.object)
		}
	}
	v, err := dec.yParityValue()
	if err != nil {
		return nil, err
	}
	tx := &FeeDelegateTx{
		SenderTx: DynamicFeeTx{
			ChainID:   dec.ChainID.ToInt(),
			Nonce:     uint64(*dec.Nonce),
			GasTipCap: dec.MaxPriorityFeePerGas.ToInt(),
			GasFeeCap: dec.MaxFeePerGas.ToInt(),
			Gas:       uint64(*dec.Gas),
			To:        dec.To,
			Value:     dec.Value.ToInt(),
			Data:      *dec.Input,
			V:         v,
			R:         dec.R.ToInt(),
			S:         dec.S.ToInt(),
		},
		FeePayer: payer.FeePayer,
		FV:       payer.FV.ToInt(),
		FR:       payer.FR.ToInt(),
		FS:       payer.FS.ToInt(),
	}
	if dec.AccessList != nil {
		tx.SenderTx.AccessList = *dec.AccessList
	}
	if err := checkUnlessUnsigned(tx.SenderTx.V, tx.SenderTx.R, tx.SenderTx.S); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		key     string
		missing bool
	}{
		{"feePayer", payer.FeePayer == nil},
		{"fv", payer.FV == nil},
		{"fr", payer.FR == nil},
		{"fs", payer.FS == nil},
	} {
		if f.missing {
			return nil, fmt.Errorf("missing required field '%s' in transaction", f.key)
		}
	}
	if err := checkUnlessUnsigned(tx.FV, tx.FR, tx.FS); err != nil {
		return nil, err
	}
	return tx, nil
}

// checkUnlessUnsigned accepts three zeros, which stand for a signature not made yet.
func checkUnlessUnsigned(v, r, s *big.Int) error {
	if v.Sign() == 0 && r.Sign() == 0 && s.Sign() == 0 {
		return nil
	}
	return sanityCheckSignature(v, r, s, false)
}
