// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"

	"gwon/internal/txobject"
)

// Arguments describe a transaction to fill, sign or send. They are upstream's object, and what an object of a
// transaction has beyond it. V, R and S are the sender's signature over the type-2 transaction; only a complete one
// makes a transaction fee-delegated (spec transactions 5.4).
type Arguments struct {
	eth.TransactionArgs
	FeePayer *common.Address `json:"feePayer"`
	V        *hexutil.Big    `json:"v"`
	R        *hexutil.Big    `json:"r"`
	S        *hexutil.Big    `json:"s"`
	Type     *hexutil.Uint64 `json:"type"`

	Filled
}

// Filled are fields of a transaction that a node has filled in. They are zero, or repeat what the others say. Its hash
// is not read: it changes with the signature.
type Filled struct {
	YParity *hexutil.Uint64 `json:"yParity"`
	FV      *hexutil.Big    `json:"fv"`
	FR      *hexutil.Big    `json:"fr"`
	FS      *hexutil.Big    `json:"fs"`
}

// UnmarshalJSON implements json.Unmarshaler. Upstream's methods leave keys out that they do not know; these refuse
// them by name, because a transaction would be signed without them.
func (a *Arguments) UnmarshalJSON(input []byte) error {
	type plain Arguments
	if err := json.Unmarshal(input, (*plain)(a)); err != nil {
		return err
	}
	return txobject.Check(input, txobject.Node)
}

// effective returns the arguments with what their type asks for, or an error that names what would have no effect.
func (a Arguments) effective(price func() (*hexutil.Big, error)) (Arguments, error) {
	if name := a.idle(); name != "" {
		return a, fmt.Errorf("%s has no effect in this transaction: leave it out", name)
	}
	if a.Type == nil {
		return a, nil
	}
	if a.GasPrice == nil && a.MaxFeePerGas == nil && a.MaxPriorityFeePerGas == nil && *a.Type <= types.AccessListTxType {
		var err error
		if a.GasPrice, err = price(); err != nil {
			return a, err
		}
	}
	if *a.Type == types.AccessListTxType && a.AccessList == nil {
		a.AccessList = new(types.AccessList)
	}
	made := a.kind()
	if uint64(*a.Type) == uint64(made) || *a.Type == types.DynamicFeeTxType && made == types.FeeDelegateTxType {
		return a, nil
	}
	return a, fmt.Errorf("type is %#x, and the other fields make a transaction of type %#x: leave type out, or give the "+
		"fields of that type", uint64(*a.Type), made)
}

// idle returns the name of a field that says something, and that no transaction of these arguments would have.
func (a *Arguments) idle() string {
	blobs := a.BlobHashes != nil || a.Blobs != nil
	for _, field := range []struct {
		name string
		idle bool
	}{
		{"v", a.FeePayer == nil && set(a.V)}, {"r", a.FeePayer == nil && set(a.R)}, {"s", a.FeePayer == nil && set(a.S)},
		{"yParity", a.YParity != nil && *a.YParity != 0 && !a.delegated()}, {"fv", set(a.FV)}, {"fr", set(a.FR)},
		{"fs", set(a.FS)}, {"maxFeePerBlobGas", a.BlobFeeCap != nil && !blobs},
		{"commitments", a.Commitments != nil && a.Blobs == nil}, {"proofs", a.Proofs != nil && a.Blobs == nil},
	} {
		if field.idle {
			return field.name
		}
	}
	if a.delegated() && a.YParity != nil && a.V.ToInt().Cmp(new(big.Int).SetUint64(uint64(*a.YParity))) != 0 {
		return "yParity"
	}
	return ""
}

// set reports whether a part of a signature is there. Zeros stand in its place in a transaction that was filled in.
func set(part *hexutil.Big) bool { return part != nil && part.ToInt().Sign() != 0 }

// orNil returns a part of a signature, nil for none.
func orNil(part *hexutil.Big) *hexutil.Big {
	if !set(part) {
		return nil
	}
	return part
}

// checkSame refuses arguments that say something else than the sender's transaction, which is all that is signed. The
// fee payer is not a part of it (spec transactions 5.1).
func (a *Arguments) checkSame(sender common.Address, tx *types.Transaction) error {
	v, r, s := tx.RawSignatureValues()
	nonce, gas, data := hexutil.Uint64(tx.Nonce()), hexutil.Uint64(tx.Gas()), hexutil.Bytes(tx.Data())
	list := tx.AccessList()
	if list == nil {
		list = types.AccessList{}
	}
	for _, field := range []struct {
		name       string
		have, want any
	}{
		{"from", a.From, &sender}, {"to", a.To, tx.To()}, {"value", a.Value, (*hexutil.Big)(tx.Value())},
		{"data", a.Data, &data}, {"input", a.Input, &data}, {"gas", a.Gas, &gas}, {"nonce", a.Nonce, &nonce},
		{"gasPrice", a.GasPrice, nil}, {"maxFeePerGas", a.MaxFeePerGas, (*hexutil.Big)(tx.GasFeeCap())},
		{"maxPriorityFeePerGas", a.MaxPriorityFeePerGas, (*hexutil.Big)(tx.GasTipCap())},
		{"chainId", a.ChainID, (*hexutil.Big)(tx.ChainId())}, {"accessList", a.AccessList, &list},
		{"v", orNil(a.V), (*hexutil.Big)(v)}, {"r", orNil(a.R), (*hexutil.Big)(r)}, {"s", orNil(a.S), (*hexutil.Big)(s)},
		{"fv", orNil(a.FV), nil}, {"fr", orNil(a.FR), nil}, {"fs", orNil(a.FS), nil},
		{"authorizationList", a.AuthorizationList, nil}, {"maxFeePerBlobGas", a.BlobFeeCap, nil},
		{"blobVersionedHashes", a.BlobHashes, nil}, {"blobs", a.Blobs, nil}, {"commitments", a.Commitments, nil},
		{"proofs", a.Proofs, nil},
	} {
		if reflect.ValueOf(field.have).IsNil() {
			continue
		}
		have, err := json.Marshal(field.have)
		if err != nil {
			return err
		}
		want, err := json.Marshal(field.want)
		if err != nil {
			return err
		}
		if !bytes.Equal(have, want) {
			return fmt.Errorf("%s differs from the sender's transaction: leave it out, or have the sender sign again",
				field.name)
		}
	}
	if a.Type != nil && !slices.Contains([]byte{types.DynamicFeeTxType, types.FeeDelegateTxType}, byte(*a.Type)) {
		return typeMismatch(byte(*a.Type))
	}
	return nil
}

// delegated reports whether the arguments describe a fee-delegated transaction.
func (a *Arguments) delegated() bool {
	return a.FeePayer != nil && a.V != nil && a.R != nil && a.S != nil
}

// kind returns the type of the transaction that the arguments describe (spec rpc 5).
func (a *Arguments) kind() byte {
	switch {
	case a.BlobHashes != nil:
		return types.BlobTxType
	case a.AuthorizationList != nil:
		return types.SetCodeTxType
	case a.GasPrice == nil && a.delegated():
		return types.FeeDelegateTxType
	case a.GasPrice == nil:
		return types.DynamicFeeTxType
	case a.AccessList != nil:
		return types.AccessListTxType
	default:
		return types.LegacyTxType
	}
}

// payerNotHere returns the error of calls that sign with from and submit, and therefore accept no fee payer.
func (a *Arguments) payerNotHere() error {
	if kind := a.kind(); kind != types.FeeDelegateTxType {
		return typeMismatch(kind)
	}
	return errPayerNotHere
}

// complete refuses arguments without the values needed before signing. The texts are upstream's.
func (a *Arguments) complete() error {
	switch {
	case a.Gas == nil:
		return errors.New("gas not specified")
	case a.GasPrice == nil && (a.MaxPriorityFeePerGas == nil || a.MaxFeePerGas == nil):
		return errors.New("missing gasPrice or maxFeePerGas/maxPriorityFeePerGas")
	case a.Nonce == nil:
		return errors.New("nonce not specified")
	}
	return nil
}
