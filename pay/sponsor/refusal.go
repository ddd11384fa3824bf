// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"fmt"
	"math/big"

	"gwon/pay/txsign"

	"github.com/ethereum/go-ethereum/rpc"
)

// Codes of JSON-RPC errors that the sponsor alone has. The first is that of EIP-1474.
const (
	codeRejected     = -32003
	codeUnauthorized = -32001
	codeTimeout      = 4 // of eth_sendRawTransactionSync in go-ethereum
)

// Refusal is the error of a request that a rule forbids. It is a JSON-RPC error whose data are its fields.
type Refusal struct {
	Rule  string `json:"rule"`             // key of the policy, or name of a built-in rule
	Limit string `json:"limit,omitempty"`  // what the rule allows
	Have  string `json:"have,omitempty"`   // what the request has
	Text  string `json:"reason,omitempty"` // one sentence

	code int
}

// refuse returns a refusal. Limit and have are texts, numbers, wei, or nil for none.
func refuse(rule string, limit, have any, text string) *Refusal {
	return &Refusal{Rule: rule, Limit: shown(limit), Have: shown(have), Text: text}
}

// exceeded is refuse with the code for budgets and rates.
func exceeded(rule string, limit, have any, text string) *Refusal {
	r := refuse(rule, limit, have, text)
	r.code = rpc.CodeLimit
	return r
}

// outage is refuse with the code for what no rule of the policy forbids.
func outage(rule, text string) *Refusal {
	r := refuse(rule, nil, nil, text)
	r.code = rpc.CodeInternal
	return r
}

func shown(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case *big.Int:
		return txsign.FormatCoins(value)
	}
	return fmt.Sprint(value)
}

func (r *Refusal) Error() string { return fmt.Sprintf("sponsor refused by %s: %s", r.Rule, r.Text) }

// ErrorCode implements rpc.Error.
func (r *Refusal) ErrorCode() int {
	if r.code == 0 {
		return codeRejected
	}
	return r.code
}

// ErrorData implements rpc.DataError.
func (r *Refusal) ErrorData() any { return r }

// callError is the answer to a call that is wrong in form, or that cannot be served.
type callError struct {
	code int
	text string
	data any
}

func (e *callError) Error() string  { return e.text }
func (e *callError) ErrorCode() int { return e.code }
func (e *callError) ErrorData() any { return e.data }

func invalidParams(format string, args ...any) error {
	return &callError{code: rpc.CodeParams, text: fmt.Sprintf(format, args...)}
}
