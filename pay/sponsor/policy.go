// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/abivalue"
	"gwon/internal/txobject"
	"gwon/pay/txsign"
)

// Finding is what one rule says of a request.
type Finding struct {
	Refusal
	Allowed bool `json:"allowed"`
}

// defaultFeeCapText explains the default of max_fee_per_gas, which the running sponsor applies.
const defaultFeeCapText = "2.5 x (base fee + tip) when it is submitted"

// Judge returns what each rule of the policy says of a request, without budgets and without the state of the chain.
func (k *Key) Judge(r *txobject.Transaction, now time.Time) []Finding {
	var all []Finding
	rule := func(name, limit, have, reason string, allowed bool) {
		if allowed {
			reason = ""
		}
		all = append(all, Finding{Refusal{Rule: name, Limit: limit, Have: have, Text: reason}, allowed})
	}
	have := now.UTC().Format(time.RFC3339)
	rule("active", "true", fmt.Sprint(!k.Inactive), "this key is switched off", !k.Inactive)
	if !k.From.IsZero() {
		rule("from", k.From.UTC().Format(time.RFC3339), have, "this key is not valid yet", !now.Before(k.From))
	}
	if !k.Until.IsZero() {
		rule("until", k.Until.UTC().Format(time.RFC3339), have, "this key is no longer valid", now.Before(k.Until))
	}
	denied := common.Address{}
	if k.deny[r.Sender] {
		denied = r.Sender
	} else if r.To != nil && k.deny[*r.To] {
		denied = *r.To
	}
	have = ""
	if denied != (common.Address{}) {
		have = denied.Hex()
	}
	rule("deny", "", have, "an account of the transaction is on the deny list", denied == common.Address{})
	target, reason := k.judgeTarget(r)
	rule("target", "", target, reason, reason == "")
	if !k.ValueAllowed {
		rule(
			"value_allowed",
			"0 WKRC",
			txsign.FormatCoins(r.Value),
			"this key sponsors no transfers of coins",
			r.Value.Sign() == 0,
		)
	}
	if !k.AccessList {
		have := fmt.Sprintf("%d accounts and keys", len(r.AccessList)+r.AccessList.StorageKeys())
		rule("access_list", "0", have, "this key sponsors no access lists, which the fee payer would pay for",
			len(r.AccessList) == 0)
	}
	if arguments := k.argumentsOf(r); arguments != nil {
		size, reason := callSize(arguments, r.Data)
		rule("extra_data", fmt.Sprintf("%d bytes", size), fmt.Sprintf("%d bytes", len(r.Data)), reason,
			len(r.Data) <= size)
	}
	if k.MaxGas > 0 {
		rule("max_gas", fmt.Sprint(k.MaxGas), fmt.Sprint(r.Gas), "the gas limit is too high", r.Gas <= k.MaxGas)
	}
	atMost := func(name string, limit *Amount, have *big.Int, reason string) {
		if limit != nil {
			rule(name, txsign.FormatCoins(limit.int()), txsign.FormatCoins(have), reason, have.Cmp(limit.int()) <= 0)
		}
	}
	if k.MaxFeePerGas == nil {
		rule("max_fee_per_gas", defaultFeeCapText, txsign.FormatCoins(r.GasFeeCap), "", true)
	}
	atMost("max_fee_per_gas", k.MaxFeePerGas, r.GasFeeCap, "the fee cap is too high")
	atMost("max_per_tx", k.maxPerTx, r.Cost(), "the transaction can cost too much")
	return all
}

// refuse returns the first rule that forbids a request, nil for none.
func (k *Key) refuse(r *txobject.Transaction, now time.Time) *Refusal {
	for _, f := range k.Judge(r, now) {
		if !f.Allowed {
			return &f.Refusal
		}
	}
	return nil
}

// judgeTarget returns what is called, and why it is not sponsored. The reason is empty for a target that is.
func (k *Key) judgeTarget(r *txobject.Transaction) (target, reason string) {
	if r.To == nil {
		if k.AnyTarget {
			return "contract creation", ""
		}
		return "contract creation", "this key sponsors no contract creations"
	}
	target = r.To.Hex()
	if len(r.Data) > 0 {
		target += fmt.Sprintf(" %#x", r.Data[:min(4, len(r.Data))])
	}
	if k.AnyTarget || len(r.Data) == 0 && k.recipients[*r.To] {
		return target, ""
	}
	if k.contracts[*r.To] == nil {
		return target, "the recipient is not in the policy"
	}
	if k.selector(r) == nil {
		return target, "the function of the contract is not in the policy"
	}
	return target, ""
}

// selector returns what the policy has of the function that is called, nil for nothing. A function that is named comes
// before the star for all.
func (k *Key) selector(r *txobject.Transaction) (found *Selector) {
	contract := k.contracts[*r.To]
	if contract == nil {
		return nil
	}
	for _, s := range contract.Selectors {
		if s.Any {
			found = s
		} else if len(r.Data) >= len(s.ID) && [4]byte(r.Data[:4]) == s.ID {
			return s
		}
	}
	return found
}

// argumentsOf returns the arguments of the function that is called, nil where bytes behind them are allowed.
func (k *Key) argumentsOf(r *txobject.Transaction) abi.Arguments {
	if k.ExtraData || r.To == nil {
		return nil
	}
	if s := k.selector(r); s != nil {
		return s.arguments
	}
	return nil
}

// callSize returns how many bytes of call data its arguments take, and why there may be no more. What does not fit the
// arguments has the size of a selector.
func callSize(arguments abi.Arguments, data []byte) (size int, reason string) {
	selector := len(Selector{}.ID)
	size, err := abivalue.Rules{Named: true, Words: len(data)/common.HashLength + 1}.Size(arguments, data[selector:])
	if err != nil {
		return selector, "the call data do not fit the arguments of the function"
	}
	return selector + size, "the call data are longer than the arguments of the function"
}

// argumentsOf returns the arguments of a function. A type that no selector has is an error.
func argumentsOf(function abi.SelectorMarshaling) (abi.Arguments, error) {
	arguments := make(abi.Arguments, len(function.Inputs))
	for i, input := range function.Inputs {
		var err error
		if arguments[i].Type, err = abi.NewType(input.Type, "", input.Components); err != nil {
			return nil, err
		}
	}
	return arguments, nil
}

// Explain returns what each rule says of a signed transaction, its type first.
func (k *Key) Explain(tx *types.Transaction, r *txobject.Transaction, now time.Time) []Finding {
	kind := Finding{*refuseType(uint64(tx.Type())), tx.Type() == types.DynamicFeeTxType}
	if kind.Allowed {
		kind.Text = ""
	}
	return append([]Finding{kind}, k.Judge(r, now)...)
}
