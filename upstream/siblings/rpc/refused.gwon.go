// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/metrics"
)

// Counters of refused calls by reason.
var (
	refusedInvalid = refusedAs("invalid") // no JSON-RPC request
	refusedCrashed = refusedAs("crashed") // method has crashed
	refusedOther   = refusedAs("other")   // the method's own errors
	refusedByCode  = map[int]*metrics.Counter{
		CodeNoMethod: refusedAs("unknown"), // method is missing or not offered
		CodeParams:   refusedAs("params"),  // arguments cannot be read or used
		-32600:       refusedInvalid,
		-32700:       refusedInvalid,
		CodeInternal: refusedCrashed,
		CodeTime:     refusedAs("time"),     // execution or wait took too long
		CodeSize:     refusedAs("size"),     // answer is too large
		CodeLimit:    refusedAs("limit"),    // bound is reached: pool, filters
		3:            refusedAs("reverted"), // contract has reverted
	}
)

func refusedAs(reason string) *metrics.Counter {
	return metrics.NewRegisteredCounter("rpc/refused/"+reason, nil)
}

// Codes of errors (spec rpc 2.5).
const (
	CodeDefault  = errcodeDefault
	CodeInternal = errcodePanic
	CodeTime     = errcodeTimeout
	CodeSize     = errcodeResponseTooLarge
	CodeLimit    = -32005 // a bound is reached (EIP-1474)
	CodeNoMethod = -32601
	CodeParams   = -32602
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

// logRefused counts a failed call by the code of its error. The log line has level debug because clients can cause
// any number of them and would fill the disk. A crash is a fault of this program and is logged as a warning.
func (h *handler) logRefused(method string, code int, context []any) {
	counter, say := cmp.Or(refusedByCode[code], refusedOther), h.log.Debug
	if counter.Inc(1); counter == refusedCrashed {
		say = h.log.Warn
	}
	say("Served "+method, context...)
}

var (
	noPrefix     = hexutil.ErrMissingPrefix.Error()
	badArgument  = regexp.MustCompile(`^(missing value for required|invalid) argument (\d+)(?:: (.*))?$`)
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

// explainArgument returns the text of an error about an argument in the client's terms: without Go types, for a block
// parameter with the accepted values, and for one that is missing with what it is, where its type says so. types are
// those of the method's arguments. The code of the error stays (spec rpc 2.4).
func explainArgument(err error, types []reflect.Type) string {
	parts := badArgument.FindStringSubmatch(err.Error())
	if parts == nil {
		return err.Error()
	}
	text, wanted := parts[3], reflect.TypeFor[any]()
	if index, err := strconv.Atoi(parts[2]); err == nil && index < len(types) {
		wanted = types[index]
	}
	if parts[1] != "invalid" {
		if e, ok := reflect.Zero(wanted).Interface().(expecter); ok {
			return err.Error() + ": expected " + e.Expected()
		}
		return err.Error()
	}
	for _, t := range goTypes {
		text = t.pattern.ReplaceAllString(text, t.plain)
	}
	if wanted.Kind() == reflect.Pointer {
		wanted = wanted.Elem()
	}
	switch {
	case wanted == blockNumber || wanted == numberOrHash:
		text += ": a block is latest, earliest, pending, safe, finalized or a number like 0x1b4"
		if wanted == numberOrHash {
			text += ", or a block hash"
		}
	case text == noPrefix: // of a field: a filter's block, a transaction's value
		text += ": numbers are like 0x1b4, and a block may be latest, earliest, pending, safe or finalized"
	}
	return fmt.Sprintf("invalid argument %s: %s", parts[2], text)
}
