// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// Object is what a caller gives of a transaction. What is left out is nil.
type Object struct {
	From, To *common.Address
	Value    *big.Int
	Data     []byte
	Gas      *uint64
	Nonce    *uint64
	GasPrice *big.Int // of calls alone
	FeeCap   *big.Int
	Tip      *big.Int
	ChainID  *big.Int

	AccessList types.AccessList

	FeePayer       *common.Address // of simulations alone
	Authorizations []types.SetCodeAuthorization
}

// ObjectOf returns a signed transaction of any type as an object, without fees.
func ObjectOf(sender common.Address, tx *types.Transaction) *Object {
	gas, nonce := tx.Gas(), tx.Nonce()
	return &Object{
		From: &sender, To: tx.To(), Value: tx.Value(), Data: tx.Data(), Gas: &gas, Nonce: &nonce, ChainID: tx.ChainId(),
		AccessList: tx.AccessList(), FeePayer: tx.FeePayer(), Authorizations: tx.SetCodeAuthorizations(),
	}
}

// Read reads an object for every use but Node. Every value of it is in the result, or the error is a *FieldError.
func Read(object []byte, use Use) (*Object, error) {
	given, err := fieldsOf(object, use)
	if err != nil {
		return nil, err
	}
	o := new(Object)
	var data, input []byte
	var kind *uint64
	for _, field := range []struct {
		name string
		read func(json.RawMessage) error
	}{
		{"from", address(&o.From)}, {"to", address(&o.To)}, {"value", quantity(&o.Value)}, {"data", octets(&data)},
		{"input", octets(&input)}, {"gas", short(&o.Gas)}, {"gasPrice", quantity(&o.GasPrice)},
		{"maxFeePerGas", quantity(&o.FeeCap)}, {"maxPriorityFeePerGas", quantity(&o.Tip)}, {"nonce", short(&o.Nonce)},
		{"chainId", quantity(&o.ChainID)}, {"accessList", accessList(&o.AccessList)}, {"type", short(&kind)},
		{"feePayer", address(&o.FeePayer)}, {"authorizationList", authorizations(&o.Authorizations)},
	} {
		value, ok := given[field.name]
		if !ok {
			continue
		}
		if err := field.read(value); err != nil {
			return nil, &FieldError{Field: field.name, Reason: err.Error()}
		}
	}
	if use != Simulated && kind != nil && *kind != types.DynamicFeeTxType {
		return nil, &FieldError{"type", WrongType(*kind), true}
	}
	if data != nil && input != nil && !bytes.Equal(data, input) {
		return nil, &FieldError{Field: "input", Reason: "differs from data: give one of them"}
	}
	if o.Data = input; input == nil {
		o.Data = data
	}
	return o, nil
}

// WrongType says why a sponsor pays for no transaction of a type.
func WrongType(kind uint64) string {
	return fmt.Sprintf("is %#x: a fee payer can be added to transactions of type 0x2 alone", kind)
}

// CheckChain refuses an object for another chain.
func (o *Object) CheckChain(chainID *big.Int) error {
	if o.ChainID == nil || o.ChainID.Cmp(chainID) == 0 {
		return nil
	}
	return &FieldError{Field: "chainId", Reason: fmt.Sprintf("is %v: this chain has %v", o.ChainID, chainID)}
}

// Complete returns the whole transaction, with these fees where the object has none. The tip is at most the fee cap
// then. Sender, nonce and gas are 0 where they are missing, which Nonce and Gas of the object tell. CheckChain comes
// before.
func (o *Object) Complete(chainID, feeCap, tip *big.Int) *Transaction {
	t := &Transaction{DynamicFeeTx: types.DynamicFeeTx{
		ChainID: chainID, To: o.To, Value: o.Value, Data: o.Data, GasFeeCap: o.FeeCap, GasTipCap: o.Tip,
		AccessList: o.AccessList,
	}}
	if o.From != nil {
		t.Sender = *o.From
	}
	if t.Value == nil {
		t.Value = new(big.Int)
	}
	if o.Gas != nil {
		t.Gas = *o.Gas
	}
	if o.Nonce != nil {
		t.Nonce = *o.Nonce
	}
	if t.GasFeeCap == nil {
		t.GasFeeCap = feeCap
	}
	if t.GasTipCap == nil {
		if t.GasTipCap = tip; tip.Cmp(t.GasFeeCap) > 0 {
			t.GasTipCap = t.GasFeeCap
		}
	}
	return t
}

// AtNoPrice returns the object as a call without fees, so that the balance of the sender does not limit it. gas is the
// most that the call may use, whatever the object says.
func (o *Object) AtNoPrice(gas uint64) *CallObject {
	if o.Gas != nil {
		gas = min(gas, *o.Gas)
	}
	c := o.Call()
	c.Gas, c.GasPrice, c.FeeCap, c.Tip = (*hexutil.Uint64)(&gas), nil, nil, nil
	return c
}

// Call returns the object as a call. A price beside a fee cap is what a node has computed of it, and left out.
func (o *Object) Call() *CallObject {
	c := &CallObject{
		From: o.From, To: o.To, Value: (*hexutil.Big)(o.Value), Gas: (*hexutil.Uint64)(o.Gas),
		Nonce: (*hexutil.Uint64)(o.Nonce), ChainID: (*hexutil.Big)(o.ChainID), GasPrice: (*hexutil.Big)(o.GasPrice),
		FeeCap: (*hexutil.Big)(o.FeeCap), Tip: (*hexutil.Big)(o.Tip), FeePayer: o.FeePayer,
		AuthorizationList: o.Authorizations,
	}
	if o.FeeCap != nil {
		c.GasPrice = nil
	}
	if o.Data != nil {
		c.Input = (*hexutil.Bytes)(&o.Data)
	}
	if o.AccessList != nil {
		c.AccessList = &o.AccessList
	}
	return c
}

var errNoText = errors.New(`is no text: give one, as "0x1"`)

// text returns a JSON string. Numbers are not taken: other readers lose digits of large ones.
func text(value json.RawMessage) (string, error) {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return "", errNoText
	}
	return s, nil
}

// parsed returns what reads a JSON string into a field.
func parsed[T any](to *T, parse func(string) (T, error), wrong string) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		s, err := text(value)
		if err != nil {
			return err
		}
		if *to, err = parse(s); err != nil {
			return errors.New(wrong)
		}
		return nil
	}
}

func address(to **common.Address) func(json.RawMessage) error {
	return parsed(to, func(s string) (*common.Address, error) {
		b, err := hexutil.Decode(s)
		if err != nil || len(b) != common.AddressLength {
			return nil, errNoText
		}
		return new(common.BytesToAddress(b)), nil
	}, "is no address: give 0x and 40 hexadecimal digits")
}

func quantity(to **big.Int) func(json.RawMessage) error {
	return parsed(to, hexutil.DecodeBig,
		"is no quantity of at most 256 bits: give 0x and hexadecimal digits without leading zeros")
}

func short(to **uint64) func(json.RawMessage) error {
	return parsed(to, func(s string) (*uint64, error) {
		n, err := hexutil.DecodeUint64(s)
		return &n, err
	}, "is no quantity of at most 64 bits: give 0x and hexadecimal digits without leading zeros")
}

func octets(to *[]byte) func(json.RawMessage) error {
	return parsed(to, hexutil.Decode, "is no data: give 0x and an even number of hexadecimal digits")
}

func authorizations(to *[]types.SetCodeAuthorization) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		if json.Unmarshal(value, to) != nil || *to == nil {
			return errors.New("is no list of authorizations: give a list of those that EIP-7702 describes")
		}
		return nil
	}
}

// errAccessList names the form of an access list.
var errAccessList = errors.New(`is no access list: give a list of {"address": "0x...", "storageKeys": ["0x..."]} ` +
	"with keys of 32 bytes, and nothing else in it")

func accessList(to *types.AccessList) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var entries []map[string]json.RawMessage
		if json.Unmarshal(value, &entries) != nil {
			return errAccessList
		}
		list := make(types.AccessList, 0, len(entries))
		for _, entry := range entries {
			var account *common.Address
			var keys []json.RawMessage
			if len(entry) != 2 || address(&account)(entry["address"]) != nil ||
				json.Unmarshal(entry["storageKeys"], &keys) != nil || keys == nil {
				return errAccessList
			}
			tuple := types.AccessTuple{Address: *account, StorageKeys: make([]common.Hash, 0, len(keys))}
			for _, key := range keys {
				var word []byte
				if octets(&word)(key) != nil || len(word) != common.HashLength {
					return errAccessList
				}
				tuple.StorageKeys = append(tuple.StorageKeys, common.Hash(word))
			}
			list = append(list, tuple)
		}
		*to = list
		return nil
	}
}
