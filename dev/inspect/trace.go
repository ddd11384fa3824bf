// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
	"gwon/internal/txobject"
	"gwon/params"
)

// maxFrames is the number of calls of a transaction that are kept.
const maxFrames = 2000

// Frame is one call of a transaction, with the calls that it made.
type Frame struct {
	Kind    string          `json:"kind"` // CALL, DELEGATECALL, CREATE and so on
	From    common.Address  `json:"from"`
	To      *common.Address `json:"to,omitempty"`
	Value   *Amount         `json:"value,omitempty"`
	Gas     hexutil.Uint64  `json:"gas"`
	GasUsed hexutil.Uint64  `json:"gasUsed"`
	Input   hexutil.Bytes   `json:"input"`
	Output  hexutil.Bytes   `json:"output,omitempty"`
	Call    *Call           `json:"call,omitempty"`
	Failure *Failure        `json:"failure,omitempty"`
	Calls   []*Frame        `json:"calls,omitempty"`
	Omitted int             `json:"omitted,omitempty"` // calls below that are not shown

	known *Interface
	err   string
}

// rpcFrame is a call as the call tracer answers it.
type rpcFrame struct {
	Type    string          `json:"type"`
	From    common.Address  `json:"from"`
	To      *common.Address `json:"to"`
	Value   *hexutil.Big    `json:"value"`
	Gas     hexutil.Uint64  `json:"gas"`
	GasUsed hexutil.Uint64  `json:"gasUsed"`
	Input   hexutil.Bytes   `json:"input"`
	Output  hexutil.Bytes   `json:"output"`
	Error   string          `json:"error"`
	Calls   []rpcFrame      `json:"calls"`
	Logs    []rpcLog        `json:"logs"`
}

type rpcLog struct {
	Address common.Address `json:"address"`
	Topics  []common.Hash  `json:"topics"`
	Data    hexutil.Bytes  `json:"data"`
	Index   hexutil.Uint   `json:"index"`
}

// tracing are the options of the call tracer.
var tracing = map[string]any{"tracer": "callTracer", "timeout": "10s", "tracerConfig": map[string]any{"withLog": true}}

// trace asks for the calls of a transaction in a block.
func (i *Inspector) trace(ctx context.Context, hash common.Hash) (*rpcFrame, error) {
	var frame *rpcFrame
	err := i.source.CallContext(ctx, &frame, "debug_traceTransaction", hash, tracing)
	return frame, traceError(frame, err)
}

func traceError(frame *rpcFrame, err error) error {
	const unknown = "the tree of calls is not known: "
	switch {
	case dial.LacksMethod(err):
		return errors.New(unknown + "the node offers no namespace debug; ask a node that does (--http.api)")
	case err != nil:
		return fmt.Errorf(unknown+"%w", err)
	case frame == nil:
		return errors.New(unknown + "the node answers nothing")
	}
	return nil
}

// note makes a sentence of an error.
func note(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// takeTrace decodes the tree of calls, and the failure if there is one.
func (t *Transaction) takeTrace(raw *rpcFrame, look *look) {
	left := maxFrames
	t.Trace = look.frame(raw, &left)
	t.output = raw.Output
	if t.Status == Failed || t.Trace.err != "" {
		t.Failure = t.Trace.Failure
	}
}

// frame decodes a call and those below it, as long as there are left.
func (l *look) frame(raw *rpcFrame, left *int) *Frame {
	*left--
	f := &Frame{
		Kind: raw.Type, From: raw.From, To: raw.To, Gas: raw.Gas, GasUsed: raw.GasUsed, Input: raw.Input, Output: raw.Output,
		err: raw.Error,
	}
	if raw.Value != nil && raw.Value.ToInt().Sign() > 0 {
		f.Value = new(NewAmount(raw.Value.ToInt()))
	}
	creation := strings.HasPrefix(raw.Type, "CREATE")
	if raw.To != nil && !creation {
		f.known, _ = l.at(*raw.To)
		output := raw.Output
		if raw.Error != "" {
			output = nil
		}
		f.Call = l.i.book.call(f.known, raw.Input, output)
	}
	below := raw.Calls
	if isManager(raw.To) {
		below = nil
	}
	for n := range below {
		if *left <= 0 {
			f.Omitted = len(raw.Calls) - n
			break
		}
		f.Calls = append(f.Calls, l.frame(&raw.Calls[n], left))
	}
	if raw.Error != "" {
		f.Failure = f.failure(l.i)
	}
	return f
}

// walk visits a call and all below it.
func (f *Frame) walk(visit func(*Frame)) {
	visit(f)
	for _, c := range f.Calls {
		c.walk(visit)
	}
}

// collect adds the logs of a call and of those below it that were not undone.
func (r *rpcFrame) collect(list []rpcLog) []rpcLog {
	if r.Error != "" {
		return list
	}
	list = append(list, r.Logs...)
	for n := range r.Calls {
		list = r.Calls[n].collect(list)
	}
	return list
}

// isCoinTransfer reports whether a log is of a transfer of coins.
func isCoinTransfer(l *types.Log) bool {
	return l.Address == params.NativeCoinAdapterAddress && len(l.Topics) == 3 && l.Topics[0] == TransferTopic
}

// transfers adds the logs of the coins that a call and those below it moved, for nodes whose traces leave them out
// (spec rpc 4.4). A delegated call moves nothing by itself.
func (r *rpcFrame) transfers(list []*types.Log) []*types.Log {
	if r.Error != "" {
		return list
	}
	moves := r.Type == "CALL" || strings.HasPrefix(r.Type, "CREATE") || r.Type == "SELFDESTRUCT"
	if moves && r.To != nil && r.Value != nil && r.Value.ToInt().Sign() > 0 {
		list = append(list, &types.Log{
			Address: params.NativeCoinAdapterAddress, Data: common.BigToHash(r.Value.ToInt()).Bytes(),
			Topics: []common.Hash{TransferTopic, common.BytesToHash(r.From[:]), common.BytesToHash(r.To[:])},
		})
	}
	for n := range r.Calls {
		list = r.Calls[n].transfers(list)
	}
	return list
}

// Failure is why a call failed.
type Failure struct {
	Text      string          `json:"text"`                // for a person: "needs more than 5 WKRC"
	Kind      string          `json:"kind"`                // error, panic, custom, halt or silent
	Name      string          `json:"name,omitempty"`      // of a custom error
	Arguments []Argument      `json:"arguments,omitempty"` // of a custom error
	Data      hexutil.Bytes   `json:"data,omitempty"`      // of the revert
	Contract  *common.Address `json:"contract,omitempty"`  // in which the failure began
	In        string          `json:"in,omitempty"`        // its name, and the function
}

// Kinds of failures.
const (
	kindError  = "error"  // a text of the contract's author
	kindPanic  = "panic"  // a check of the compiler
	kindCustom = "custom" // an error of the contract's interface
	kindHalt   = "halt"   // of the machine: no gas, an invalid instruction
	kindSilent = "silent" // a revert without data
)

const reverted = dial.Reverted

// failure explains a failed call. A failure that came from below and was passed on is explained where it began.
func (f *Frame) failure(i *Inspector) *Failure {
	for n := len(f.Calls) - 1; n >= 0 && f.err == reverted && len(f.Output) > 0; n-- {
		if c := f.Calls[n]; c.err != "" && c.Failure != nil && bytes.Equal(c.Output, f.Output) {
			return c.Failure
		}
	}
	var failure *Failure
	if f.err == reverted || len(f.Output) > 0 {
		failure = i.revert(f.known, f.Output)
	} else {
		failure = &Failure{Kind: kindHalt, Text: f.err}
	}
	failure.Contract = f.To
	if f.known != nil {
		failure.In = f.known.Name
		if f.Call != nil {
			failure.In += "." + f.Call.Function
		}
	}
	return failure
}

// panicSelector begins what the compiler's checks revert with.
var panicSelector = []byte{0x4e, 0x48, 0x7b, 0x71}

// Revert explains the data of a revert of a contract, whose interface may be nil.
func (i *Inspector) Revert(known *Interface, data []byte) *Failure { return i.revert(known, data) }

// revert explains the data of a revert. known is the contract's interface, or nil.
func (i *Inspector) revert(known *Interface, data []byte) *Failure {
	failure := &Failure{Data: data}
	if len(data) == 0 {
		failure.Kind, failure.Text = kindSilent, "the contract reverted without a reason"
		return failure
	}
	if text, err := abi.UnpackRevert(data); err == nil {
		failure.Kind, failure.Text = kindError, shorten(printable(text))
		if bytes.HasPrefix(data, panicSelector) {
			failure.Kind = kindPanic
		}
		if failure.Text == "" {
			failure.Text = "the contract reverted with an empty reason"
		}
		return failure
	}
	name, args := i.book.failure(known, data)
	if name == "" {
		failure.Kind, failure.Text = kindCustom, fmt.Sprintf("the contract reverted with an error of an unknown interface: "+
			"%s, %d bytes (--abi names the folder of its artifacts)", hexutil.Encode(data[:min(4, len(data))]), len(data))
		return failure
	}
	failure.Kind, failure.Name, failure.Arguments = kindCustom, name, args
	failure.Text = name + "(" + argumentText(args) + ")"
	if i.Explain != nil && len(args) == 0 {
		if sentence := i.Explain(name); sentence != "" {
			failure.Text = fmt.Sprintf("%s (%s)", sentence, name)
		}
	}
	return failure
}

// printable drops what could move the cursor of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}

// Simulate runs a transaction on the newest state, as if it were sent now, and sends nothing.
func (i *Inspector) Simulate(ctx context.Context, object *txobject.Object) (*Transaction, error) {
	t, request := simulated(object), object.Call()
	var frame *rpcFrame
	err := i.source.CallContext(ctx, &frame, "debug_traceCall", request, "latest", tracing)
	look := i.newLook(ctx)
	if t.To != nil {
		t.known, t.isCode = look.at(*t.To)
	}
	var logs []*types.Log
	switch problem := traceError(frame, err); {
	case problem == nil:
		t.GasUsed = uint64(frame.GasUsed)
		t.takeTrace(frame, look)
		if frame.Error != "" {
			t.Status = Failed
		}
		for _, l := range frame.collect(nil) {
			logs = append(logs, &types.Log{Address: l.Address, Topics: l.Topics, Data: l.Data, Index: uint(l.Index)})
		}
		if !slices.ContainsFunc(logs, isCoinTransfer) {
			logs = append(frame.transfers(nil), logs...)
		}
		slices.SortStableFunc(logs, func(x, y *types.Log) int { return cmp.Compare(x.Index, y.Index) })
	case dial.LacksMethod(err):
		t.Notes = append(t.Notes, note(problem))
		if err := i.callAlone(ctx, t, request); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("the node does not run the transaction: %w", err)
	}
	var price hexutil.Big
	if err := i.source.CallContext(ctx, &price, "eth_gasPrice"); err == nil {
		t.setFee(price.ToInt(), t.GasUsed)
	}
	t.decode(i, look, logs, Options{})
	return t, nil
}

// callAlone runs a request on a node that traces nothing.
func (i *Inspector) callAlone(ctx context.Context, t *Transaction, request *txobject.CallObject) error {
	var output hexutil.Bytes
	err := i.source.CallContext(ctx, &output, "eth_call", request, "latest")
	if withData, ok := errors.AsType[rpc.DataError](err); ok && dial.Says(err, dial.Reverted) {
		text, _ := withData.ErrorData().(string)
		data, decodeErr := hexutil.Decode(text)
		if decodeErr != nil {
			data = nil
		}
		t.Status, t.Failure = Failed, i.revert(t.known, data)
		return nil
	}
	if err != nil {
		return fmt.Errorf("the node does not run the transaction: %w", err)
	}
	t.output = output
	var gas hexutil.Uint64
	if err := i.source.CallContext(ctx, &gas, "eth_estimateGas", request); err == nil {
		t.GasUsed = uint64(gas)
	}
	return nil
}

// simulated returns what an object says of a transaction that is not sent.
func simulated(o *txobject.Object) *Transaction {
	t := &Transaction{Status: Simulated, To: o.To, Input: o.Data, value: o.Value, fee: new(big.Int)}
	if o.From != nil {
		t.From = *o.From
	}
	if o.Gas != nil {
		t.GasLimit = *o.Gas
	}
	if o.Nonce != nil {
		t.Nonce = hexutil.Uint64(*o.Nonce)
	}
	if t.value == nil {
		t.value = new(big.Int)
	}
	t.Value = NewAmount(t.value)
	if t.Payer = t.From; o.FeePayer != nil {
		t.Payer = *o.FeePayer
	}
	return t
}
