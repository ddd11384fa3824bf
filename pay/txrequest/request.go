// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txrequest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/amounts"
	"gwon/internal/txobject"
	"gwon/pay/txsign"
)

// Amount is wei. In JSON it is a number, or a text as amounts.Parse reads it.
type Amount big.Int

// UnmarshalJSON implements json.Unmarshaler.
func (a *Amount) UnmarshalJSON(input []byte) error {
	text := string(input)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(input, &text); err != nil {
			return err
		}
	}
	n, err := amounts.Parse(text, amounts.Wei)
	if err != nil {
		return err
	}
	*a = Amount(*n)
	return nil
}

// Request describes a type-2 transaction. Absent fields are nil.
type Request struct {
	ChainID    *Amount           `json:"chainId"`
	Nonce      *Amount           `json:"nonce"`
	To         *string           `json:"to"` // absent for a contract creation, with Create
	Create     bool              `json:"create"`
	Value      *Amount           `json:"value"` // 0 when absent
	Data       *hexutil.Bytes    `json:"data"`  // none when absent
	Gas        *Amount           `json:"gas"`
	FeeCap     *Amount           `json:"maxFeePerGas"`
	Tip        *Amount           `json:"maxPriorityFeePerGas"`
	AccessList *types.AccessList `json:"accessList"`
}

// ParseRequest reads a description in JSON. Unknown keys are errors.
func ParseRequest(input []byte) (*Request, error) {
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	r := new(Request)
	if err := decoder.Decode(r); err != nil {
		return nil, fmt.Errorf("description of the transaction: %w: keys are chainId, nonce, to or create, value, data, "+
			"gas, maxFeePerGas, maxPriorityFeePerGas, accessList", err)
	}
	if decoder.More() {
		return nil, errors.New("description of the transaction: more follows after the object: give one object")
	}
	return r, nil
}

// Transaction returns the unsigned transaction. The error names everything that is missing: nothing is looked up.
func (r *Request) Transaction() (*types.DynamicFeeTx, error) {
	var missing []string
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"chainid", r.ChainID == nil}, {"nonce", r.Nonce == nil}, {"gas", r.Gas == nil}, {"fee-cap", r.FeeCap == nil},
		{"tip", r.Tip == nil}, {"to (or --create)", r.To == nil && !r.Create},
	} {
		if f.missing {
			missing = append(missing, "--"+f.name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("nothing is looked up when signing: give %s", strings.Join(missing, ", "))
	}
	if r.To != nil && r.Create {
		return nil, errors.New("a contract creation has no recipient: give --to or --create")
	}
	nonce, err := r.Nonce.uint64("--nonce")
	if err != nil {
		return nil, err
	}
	gas, err := r.Gas.uint64("--gas")
	if err != nil {
		return nil, err
	}
	tx := &types.DynamicFeeTx{
		ChainID: r.ChainID.int(), Nonce: nonce, Gas: gas, Value: r.Value.int(),
		GasTipCap: r.Tip.int(), GasFeeCap: r.FeeCap.int(),
	}
	if r.To != nil {
		to, err := txobject.ParseAddress(*r.To)
		if err != nil {
			return nil, fmt.Errorf("--to: %w", err)
		}
		tx.To = &to
	}
	if r.Data != nil {
		tx.Data = *r.Data
	}
	if r.AccessList != nil {
		tx.AccessList = *r.AccessList
	}
	switch {
	case tx.ChainID.Sign() == 0:
		return nil, errors.New("--chainid 0 is no chain: mainnet has 8282, testnet 8283")
	case tx.GasTipCap.Cmp(tx.GasFeeCap) > 0:
		return nil, fmt.Errorf("--tip of %v wei is above --fee-cap of %v wei: give a fee cap of at least base fee and tip",
			tx.GasTipCap, tx.GasFeeCap)
	case tx.To == nil && len(tx.Data) == 0:
		return nil, errors.New("a contract creation needs code: give --data")
	case gas < 21000:
		return nil, fmt.Errorf("--gas %d: a transaction needs at least 21000", gas)
	}
	return tx, nil
}

func (a *Amount) int() *big.Int {
	if a == nil {
		return new(big.Int)
	}
	return new(big.Int).Set((*big.Int)(a))
}

func (a *Amount) uint64(name string) (uint64, error) {
	n := (*big.Int)(a)
	if !n.IsUint64() {
		return 0, fmt.Errorf("%s %v does not fit in 64 bits: give less", name, n)
	}
	return n.Uint64(), nil
}

// Sign has a type-2 transaction signed. A signer that signs another transaction, or with another account than from, is
// an error.
func Sign(unsigned *types.DynamicFeeTx, from common.Address,
	sign func(*types.Transaction, *big.Int) (*types.Transaction, error)) (*txsign.Signed, error) {
	tx := types.NewTx(unsigned)
	signed, err := sign(tx, unsigned.ChainID)
	if err != nil {
		return nil, fmt.Errorf("sign as %v: %w", from, err)
	}
	signer := types.NewAnzeonSigner(unsigned.ChainID)
	if signed.Type() != tx.Type() || signer.Hash(signed) != signer.Hash(tx) {
		return nil, errors.New("signer has changed the transaction before it signed: allow no changes there, and sign again")
	}
	result, err := txsign.NewSigned(signed)
	if err != nil {
		return nil, err
	}
	if result.Sender != from {
		return nil, fmt.Errorf("signer has signed as %v, not as %v: check its accounts", result.Sender, from)
	}
	return result, nil
}
