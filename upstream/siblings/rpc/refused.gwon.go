// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"fmt"
	"reflect"
	"regexp"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/metrics"
)

// Counters of refused calls by reason.
var (
	refusedUnknown  = metrics.NewRegisteredCounter("rpc/refused/unknown", nil)  // method is missing or not offered
	refusedParams   = metrics.NewRegisteredCounter("rpc/refused/params", nil)   // arguments cannot be read or used
	refusedInvalid  = metrics.NewRegisteredCounter("rpc/refused/invalid", nil)  // no JSON-RPC request
	refusedReverted = metrics.NewRegisteredCounter("rpc/refused/reverted", nil) // contract has reverted
	refusedTime     = metrics.NewRegisteredCounter("rpc/refused/time", nil)     // execution or wait took too long
	refusedLimit    = metrics.NewRegisteredCounter("rpc/refused/limit", nil)    // bound is reached: pool, filters
	refusedSize     = metrics.NewRegisteredCounter("rpc/refused/size", nil)     // answer is too large
	refusedCrashed  = metrics.NewRegisteredCounter("rpc/refused/crashed", nil)  // method has crashed
	refusedOther    = metrics.NewRegisteredCounter("rpc/refused/other", nil)    // the method's own errors
)

// Codes of refusals (spec rpc 2.5).
const (
	CodeTime  = errcodeTimeout
	CodeSize  = errcodeResponseTooLarge
	CodeLimit = -32005
)

// Refusal is the error of a call that exceeds a bound.
type Refusal struct {
	Code   int    `json:"-"`
	Text   string `json:"-"`
	Reason string `json:"reason"` // for programs; empty for none

	RetryAfter float64 `json:"retryAfter,omitempty"` // seconds; 0 for none
}

func (r *Refusal) Error() string { return r.Text }

// ErrorCode implements Error.
func (r *Refusal) ErrorCode() int { return r.Code }

// ErrorData implements DataError.
func (r *Refusal) ErrorData() any {
	if r.Reason == "" {
		return nil
	}
	return r
}

var refusedByCode = map[int]*metrics.Counter{
	-32601:    refusedUnknown,
	-32602:    refusedParams,
	-32600:    refusedInvalid,
	-32700:    refusedInvalid,
	-32603:    refusedCrashed,
	CodeTime:  refusedTime,
	CodeSize:  refusedSize,
	CodeLimit: refusedLimit,
	3:         refusedReverted,
}

// logRefused counts a failed call by the code of its error. The log line has level debug because clients can cause
// any number of them and would fill the disk. A crash is a fault of this program and is logged as a warning.
func (h *handler) logRefused(method string, code int, context []any) {
	counter := refusedByCode[code]
	if counter == nil {
		counter = refusedOther
	}
	counter.Inc(1)
	if counter == refusedCrashed {
		h.log.Warn("Served "+method, context...)
		return
	}
	h.log.Debug("Served "+method, context...)
}

var (
	noPrefix     = hexutil.ErrMissingPrefix.Error()
	noArgument   = regexp.MustCompile(`^missing value for required argument (\d+)$`)
	badArgument  = regexp.MustCompile(`^invalid argument (\d+): (.*)$`)
	blockNumber  = reflect.TypeFor[BlockNumber]()
	numberOrHash = reflect.TypeFor[BlockNumberOrHash]()
)

// goTypes are the ways in which decoders name a Go type, with what a client knows instead.
var goTypes = []struct {
	pattern *regexp.Regexp
	plain   string
}{
	{regexp.MustCompile(` into Go struct field \w+(?:\.\w+)*\.(\w+) of type [\w.*\[\]{}]+`), ` as "$1"`},
	{regexp.MustCompile(` into Go value of type (?:common\.)?(Address|Hash)\b`), " as $1"},
	{regexp.MustCompile(` into Go value of type [\w.*\[\]{}]+(?: ?\{\})?`), ""},
	{regexp.MustCompile(` for common\.(Address|Hash)\b`), " for $1"},
	{regexp.MustCompile(`^json: `), ""},
}

// expecter is an argument that says what it is, for an answer to a call without it.
type expecter interface{ Expected() string }

// explainMissing completes the error of a call without an argument by what that is, where its type says so.
func explainMissing(text string, types []reflect.Type) string {
	var index int
	parts := noArgument.FindStringSubmatch(text)
	if parts == nil {
		return text
	}
	if _, err := fmt.Sscan(parts[1], &index); err != nil || index >= len(types) {
		return text
	}
	if e, ok := reflect.Zero(types[index]).Interface().(expecter); ok {
		text += ": expected " + e.Expected()
	}
	return text
}

// explainArgument returns the text of an error about an argument in the client's terms: without Go types, and for a
// block parameter with the accepted values. types are those of the method's arguments. The code of the error stays
// (spec rpc 2.4).
func explainArgument(err error, types []reflect.Type) string {
	parts := badArgument.FindStringSubmatch(err.Error())
	if parts == nil {
		return explainMissing(err.Error(), types)
	}
	text := parts[2]
	for _, t := range goTypes {
		text = t.pattern.ReplaceAllString(text, t.plain)
	}
	var index int
	if _, err := fmt.Sscan(parts[1], &index); err == nil && index < len(types) {
		wanted := types[index]
		if wanted.Kind() == reflect.Pointer {
			wanted = wanted.Elem()
		}
		if wanted == blockNumber || wanted == numberOrHash {
			text += ": a block is latest, earliest, pending, safe, finalized or a number like 0x1b4"
			if wanted == numberOrHash {
				text += ", or a block hash"
			}
		}
	}
	if text == noPrefix { // of a field: a filter's block, a transaction's value
		text += ": numbers are like 0x1b4, and a block may be latest, earliest, pending, safe or finalized"
	}
	return fmt.Sprintf("invalid argument %s: %s", parts[1], text)
}
