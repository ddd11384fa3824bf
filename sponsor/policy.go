// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/txsign"
)

// Request is what a policy judges.
type Request struct {
	Sender common.Address
	To     *common.Address // nil for a contract creation
	Value  *big.Int        // wei
	Data   []byte
	Gas    uint64
	FeeCap *big.Int // wei for a unit of gas
}

// NewRequest describes a transaction of a sender.
func NewRequest(sender common.Address, tx *types.Transaction) *Request {
	return &Request{sender, tx.To(), tx.Value(), tx.Data(), tx.Gas(), tx.GasFeeCap()}
}

// Cost returns the most that the fee payer can have to pay, in wei.
func (r *Request) Cost() *big.Int {
	return new(big.Int).Mul(r.FeeCap, new(big.Int).SetUint64(r.Gas))
}

// Finding is what one rule says of a request.
type Finding struct {
	Refusal
	Allowed bool `json:"allowed"`
}

// defaultFeeCapText explains the default of max_fee_per_gas, which the running sponsor applies.
const defaultFeeCapText = "1.25 x (2 x base fee + tip) when it is submitted"

// Judge returns what each rule of the policy says of a request, without budgets and without the state of the chain.
func (k *Key) Judge(r *Request, now time.Time) []Finding {
	var all []Finding
	rule := func(name, limit, have, reason string, allowed bool) {
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
	if k.MaxGas > 0 {
		rule("max_gas", fmt.Sprint(k.MaxGas), fmt.Sprint(r.Gas), "the gas limit is too high", r.Gas <= k.MaxGas)
	}
	atMost := func(name string, limit *Amount, have *big.Int, reason string) {
		if limit != nil {
			rule(name, txsign.FormatCoins(limit.int()), txsign.FormatCoins(have), reason, have.Cmp(limit.int()) <= 0)
		}
	}
	if k.MaxFeePerGas == nil {
		rule("max_fee_per_gas", defaultFeeCapText, txsign.FormatCoins(r.FeeCap), "", true)
	}
	atMost("max_fee_per_gas", k.MaxFeePerGas, r.FeeCap, "the fee cap is too high")
	atMost("max_per_tx", k.maxPerTx, r.Cost(), "the transaction can cost too much")
	return all
}

// refuse returns the first rule that forbids a request, nil for none.
func (k *Key) refuse(r *Request, now time.Time) *Refusal {
	for _, f := range k.Judge(r, now) {
		if !f.Allowed {
			return &f.Refusal
		}
	}
	return nil
}

// judgeTarget returns what is called, and why it is not sponsored. The reason is empty for a target that is.
func (k *Key) judgeTarget(r *Request) (target, reason string) {
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
	contract := k.contracts[*r.To]
	if contract == nil {
		return target, "the recipient is not in the policy"
	}
	for _, s := range contract.Selectors {
		if s.Any || len(r.Data) >= len(s.ID) && [4]byte(r.Data[:4]) == s.ID {
			return target, ""
		}
	}
	return target, "the function of the contract is not in the policy"
}

// Explain returns what each rule says of a signed transaction, its type first.
func (k *Key) Explain(tx *types.Transaction, r *Request, now time.Time) []Finding {
	kind := Refusal{
		Rule:  "type",
		Limit: "0x2",
		Have:  fmt.Sprintf("%#x", tx.Type()),
		Text:  "a fee payer can be added to transactions of type 2 alone",
	}
	return append([]Finding{{kind, tx.Type() == types.DynamicFeeTxType}}, k.Judge(r, now)...)
}
