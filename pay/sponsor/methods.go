// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
	"gwon/internal/tomltext"
	"gwon/internal/txobject"
)

const (
	syncTimeout    = 20 * time.Second // of eth_sendRawTransactionSync
	maxSyncTimeout = requestTimeout - nodeTimeout
)

// signing are methods by which a node uses its own keys. They are never passed on.
var signing = []string{
	"eth_sendTransaction", "eth_sign", "eth_signTransaction", "eth_signTypedData", "eth_signTypedData_v4",
	"eth_signRawFeeDelegateTransaction", "eth_resend", "eth_sendRawTransactions",
}

const syncMethod = "eth_sendRawTransactionSync"

// handler serves one method.
type handler func(s *Sponsor, ctx context.Context, who *caller, params []json.RawMessage) (any, error)

var handlers = map[string]handler{
	"eth_sendRawTransaction":    (*Sponsor).sendRawTransaction,
	syncMethod:                  (*Sponsor).sendRawTransactionSync,
	"eth_signRawTransaction":    (*Sponsor).signRawTransaction,
	"eth_fillTransaction":       (*Sponsor).fillTransaction,
	"eth_getTransactionReceipt": byHash("eth_getTransactionReceipt"),
	"eth_getTransactionByHash":  byHash("eth_getTransactionByHash"),

	"eth_getBlockByHash":                      readable("eth_getBlockByHash"),
	"eth_getBlockByNumber":                    readable("eth_getBlockByNumber"),
	"eth_getTransactionByBlockHashAndIndex":   readable("eth_getTransactionByBlockHashAndIndex"),
	"eth_getTransactionByBlockNumberAndIndex": readable("eth_getTransactionByBlockNumberAndIndex"),

	"eth_getTransactionReceiptBySenderHash": bySenderHash(
		"eth_getTransactionReceiptBySenderHash", "eth_getTransactionReceipt"),
	"eth_getTransactionBySenderHash": bySenderHash("eth_getTransactionBySenderHash", "eth_getTransactionByHash"),
	"pm_isSponsorable":               (*Sponsor).isSponsorable,
	"eth_accounts": func(*Sponsor, context.Context, *caller, []json.RawMessage) (any, error) {
		return []string{}, nil // those of the node are not the caller's
	},
	"rpc_modules": (*Sponsor).modules,
	"sponsor_usage": func(s *Sponsor, _ context.Context, who *caller, _ []json.RawMessage) (any, error) {
		return s.books.Usage(who.key, time.Now())
	},
}

// dispatch serves a call itself, or passes it on to the node.
func (s *Sponsor) dispatch(ctx context.Context, c *Config, who *caller, call *message) (any, error) {
	var params []json.RawMessage
	if len(call.Params) > 0 && string(call.Params) != "null" {
		var err error
		params, err = decodeList[json.RawMessage](call.Params, maxBatch)
		if errors.Is(err, errLongList) {
			return nil, invalidParams("params has more than %d arguments", maxBatch)
		}
		if err != nil {
			return nil, invalidParams("params is no array: give a list of arguments")
		}
	}
	if h, ok := handlers[call.Method]; ok {
		return h(s, ctx, who, params)
	}
	if !c.passes(call.Method) {
		name := tomltext.Shortened(call.Method)
		return nil, &callError{rpc.CodeNoMethod, fmt.Sprintf("the method %s is not served by this sponsor", name),
			refuse("methods", nil, name, "the sponsor does not pass this method on: ask a node")}
	}
	return s.pass(ctx, who, call.Method, params)
}

// passes reports whether a method goes on to the node.
func (c *Config) passes(method string) bool {
	_, listed := passedOn[method]
	return listed || slices.Contains(c.Methods, method)
}

// modules returns the namespaces of what the sponsor serves or passes on, as rpc_modules names them.
func (s *Sponsor) modules(context.Context, *caller, []json.RawMessage) (any, error) {
	versions := map[string]string{"rpc": "1.0"}
	for _, method := range slices.AppendSeq(slices.Clone(s.config.Load().Methods), maps.Keys(passedOn)) {
		versions[method[:strings.Index(method, "_")]] = "1.0"
	}
	return versions, nil
}

// readObject reads the transaction object of a request. A field that the use has not is a refusal that names it.
func (s *Sponsor) readObject(params []json.RawMessage, use txobject.Use) (*txobject.Object, error) {
	var object json.RawMessage
	if err := argument(params, 0, "a transaction object", &object); err != nil {
		return nil, err
	}
	o, err := txobject.Read(object, use)
	if err == nil {
		err = o.CheckChain(s.chainID)
	}
	var wrong *txobject.FieldError
	switch {
	case errors.As(err, &wrong) && wrong.Foreign:
		return nil, refuse("type", "0x2", txobject.Shortened(wrong.Field), wrong.Error())
	case err != nil:
		return nil, invalidParams("argument 0: %v", err)
	}
	return o, nil
}

// complete returns the whole transaction, with the fees of the newest block where the caller gives none.
func (s *Sponsor) complete(o *txobject.Object) *txobject.Transaction {
	f := s.fees.Load()
	return o.Complete(s.chainID, f.cap(), f.tip)
}

func refuseType(kind uint64) *Refusal {
	return refuse("type", "0x2", fmt.Sprintf("%#x", kind), "type "+txobject.WrongType(kind))
}

// argument decodes the i-th parameter.
func argument(params []json.RawMessage, i int, name string, value any) error {
	if i >= len(params) {
		return invalidParams("missing value for required argument %d: give %s", i, name)
	}
	err := json.Unmarshal(params[i], value)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its text names a type of Go
		return invalidParams("argument %d is a %s: give %s", i, wrong.Value, name)
	}
	if err != nil {
		return invalidParams("argument %d: %v: give %s", i, err, name)
	}
	return nil
}

// sponsored reads a raw transaction. own is false for a type that its sender pays: the node gets it as it is.
func sponsored(params []json.RawMessage) (raw hexutil.Bytes, own bool, err error) {
	if err := argument(params, 0, "a signed transaction as 0x and hexadecimal digits", &raw); err != nil {
		return nil, false, err
	}
	return raw, len(raw) > 0 && raw[0] == types.DynamicFeeTxType, nil
}

// typeOf returns the type of a raw transaction, 0 for one without a type byte.
func typeOf(raw []byte) uint64 {
	if len(raw) == 0 || raw[0] >= 0x80 {
		return types.LegacyTxType
	}
	return uint64(raw[0])
}

func (s *Sponsor) sendRawTransaction(ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
	raw, own, err := sponsored(params)
	if err != nil {
		return nil, err
	}
	if !own {
		return s.pass(ctx, who, "eth_sendRawTransaction", params)
	}
	start := time.Now()
	hash, err := s.Send(ctx, who.key, raw, who.address)
	if err != nil {
		return nil, err
	}
	s.metrics.submission.observe(time.Since(start))
	return hash, nil
}

func (s *Sponsor) sendRawTransactionSync(ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
	raw, own, err := sponsored(params)
	if err != nil {
		return nil, err
	}
	if !own {
		return s.pass(ctx, who, syncMethod, params)
	}
	timeout := syncTimeout
	if len(params) > 1 && string(params[1]) != "null" {
		var given hexutil.Uint64
		if json.Unmarshal(params[1], &given) != nil && json.Unmarshal(params[1], (*uint64)(&given)) != nil {
			return nil, invalidParams("argument 1: give milliseconds")
		}
		timeout = time.Duration(min(uint64(given), uint64(maxSyncTimeout/time.Millisecond))) * time.Millisecond
	}
	hash, err := s.Send(ctx, who.key, raw, who.address)
	if err != nil {
		return nil, err
	}
	found, err := s.awaitBlock(ctx, hash, timeout)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, &callError{codeTimeout, "the transaction was submitted, and is in no block yet", hash}
	}
	return s.lookUp(ctx, who, "eth_getTransactionReceipt", hash)
}

// awaitBlock waits until a block has decided about a submitted transaction, given by the sender's hash. The record is
// nil when there is none in time.
func (s *Sponsor) awaitBlock(ctx context.Context, hash common.Hash, timeout time.Duration) (*record, error) {
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		next := s.head.next()
		found, _, err := s.books.Find(hash)
		if err != nil {
			return nil, err
		}
		if found != nil && found.State != stateOpen {
			return found, nil
		}
		select {
		case <-next:
		case <-waiting.Done():
			return nil, nil
		}
	}
}

func (s *Sponsor) signRawTransaction(ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
	raw, own, err := sponsored(params)
	if err != nil {
		return nil, err
	}
	if !own {
		return nil, refuseType(typeOf(raw))
	}
	signed, err := s.Sign(ctx, who.key, raw, who.address)
	return hexutil.Bytes(signed), err
}

// cap returns the fee cap that is offered.
func (f *fees) cap() *big.Int { return dial.FeeCap(f.tip, f.baseFee) }

// judge returns why a transaction would not be sponsored now, nil for one that would.
func (s *Sponsor) judge(k *Key, r *txobject.Transaction) (*Refusal, error) {
	now := time.Now()
	if refusal := k.refuse(r, now); refusal != nil {
		return refusal, nil
	}
	if refusal := s.fees.Load().refuseGas(r.Gas); refusal != nil {
		return refusal, nil
	}
	if refusal := s.fees.Load().refuseFeeCap(k, r); refusal != nil {
		return refusal, nil
	}
	if !s.following.Load() {
		return refuseAway(), nil
	}
	return s.books.Affords(k, r.Sender, now, r.Cost(), s.chooser())
}

func (s *Sponsor) estimateGas(ctx context.Context, who *caller, r *txobject.Transaction) (uint64, error) {
	var gas hexutil.Uint64
	err := s.passed.call(ctx, filling, who.address, &gas, "eth_estimateGas", r.Estimate(maxCallGas))
	return uint64(gas), err
}

// isSponsorable answers in the form of BEP-414, with the rule that forbids and its figures.
func (s *Sponsor) isSponsorable(ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
	o, err := s.readObject(params, txobject.Sponsored)
	var refusal *Refusal
	if err != nil && !errors.As(err, &refusal) {
		return nil, err
	}
	if refusal == nil {
		r := s.complete(o)
		refusal, err = s.wouldRefuse(ctx, who, r)
		if failure, ok := errors.AsType[rpc.Error](err); ok && r.Gas == 0 {
			refusal, err = refuse("gas", nil, failure.Error(), "the call would fail"), nil
		}
		if err != nil {
			return nil, err
		}
	}
	c := s.config.Load()
	result := map[string]any{
		"sponsorable": refusal == nil, "sponsorName": c.Name, "sponsorIcon": c.Icon, "sponsorWebsite": c.Website,
	}
	if refusal != nil {
		result["reason"], result["data"] = refusal.Text, refusal
	}
	return result, nil
}

// wouldRefuse returns why a transaction would not be sponsored now. Gas that is missing is estimated and filled in.
func (s *Sponsor) wouldRefuse(ctx context.Context, who *caller, r *txobject.Transaction) (*Refusal, error) {
	estimated := r.Gas == 0
	if estimated {
		var err error
		if r.Gas, err = s.estimateGas(ctx, who, r); err != nil {
			return nil, err
		}
	}
	refusal, err := s.judge(who.key, r)
	if refusal != nil || err != nil || estimated || isSmall(r) {
		return refusal, err
	}
	return s.refuseTry(ctx, filling, who, r, min(r.Gas, maxCallGas))
}

// fillTransaction fills in nonce, gas and fees, and says whether the result would be sponsored.
func (s *Sponsor) fillTransaction(ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
	o, err := s.readObject(params, txobject.Sponsored)
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		return nil, invalidParams("argument 0: %s", refusal.Text)
	case err != nil:
		return nil, err
	case o.From == nil:
		return nil, invalidParams("argument 0: from is missing: give the sender")
	}
	r := s.complete(o)
	if o.Nonce == nil {
		var nonce hexutil.Uint64
		if err := s.passed.call(ctx, light, who.address, &nonce, "eth_getTransactionCount", r.Sender, "pending"); err != nil {
			return nil, err
		}
		r.Nonce = uint64(nonce)
	}
	if refusal, err = s.wouldRefuse(ctx, who, r); err != nil {
		return nil, err
	}
	return s.filled(r, refusal)
}

// filled is the answer of eth_fillTransaction. The transaction is as go-ethereum shows it.
func (s *Sponsor) filled(r *txobject.Transaction, refusal *Refusal) (any, error) {
	shown, err := r.Show()
	if err != nil {
		return nil, err
	}
	capabilities := map[string]any{"sponsored": refusal == nil}
	result := map[string]any{"raw": shown.Raw, "tx": shown.Tx, "capabilities": capabilities}
	if refusal != nil {
		capabilities["reason"] = refusal
		return result, nil
	}
	c := s.config.Load()
	result["sponsor"] = map[string]any{"address": s.payers.paying()[0].address, "name": c.Name, "url": c.Website}
	return result, nil
}
