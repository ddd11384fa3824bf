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
)

const (
	syncTimeout    = 20 * time.Second // of eth_sendRawTransactionSync
	maxSyncTimeout = 50 * time.Second
)

// signing are methods by which a node uses its own keys. They are never passed on.
var signing = []string{
	"eth_sendTransaction", "eth_sign", "eth_signTransaction", "eth_signTypedData", "eth_signTypedData_v4",
	"eth_signRawFeeDelegateTransaction", "eth_resend", "eth_sendRawTransactions",
}

const (
	discoverMethod = "rpc.discover" // describes the methods of an endpoint (EIP-1901)
	modulesMethod  = "rpc_modules"  // names the namespaces of an endpoint
)

// handler serves one method.
type handler func(s *Sponsor, ctx context.Context, who *caller, params []json.RawMessage) (any, error)

var handlers = map[string]handler{
	"eth_sendRawTransaction":     (*Sponsor).sendRawTransaction,
	"eth_sendRawTransactionSync": (*Sponsor).sendRawTransactionSync,
	"eth_signRawTransaction":     (*Sponsor).signRawTransaction,
	"eth_fillTransaction":        (*Sponsor).fillTransaction,
	"eth_getTransactionReceipt":  (*Sponsor).getTransactionReceipt,
	"eth_getTransactionByHash":   (*Sponsor).getTransactionByHash,

	"eth_getTransactionReceiptBySenderHash": (*Sponsor).getReceiptBySenderHash,
	"eth_getTransactionBySenderHash":        (*Sponsor).getTransactionBySenderHash,
	"pm_isSponsorable":                      (*Sponsor).isSponsorable,
	"eth_accounts": func(*Sponsor, context.Context, *caller, []json.RawMessage) (any, error) {
		return []string{}, nil // those of the node are not the caller's
	},
	"sponsor_usage": func(s *Sponsor, _ context.Context, who *caller, _ []json.RawMessage) (any, error) {
		return s.books.Usage(who.key, time.Now())
	},
}

// dispatch serves a call itself, or passes it on to the node.
func (s *Sponsor) dispatch(ctx context.Context, c *Config, who *caller, call *message) (any, error) {
	var params []json.RawMessage
	if len(call.Params) > 0 && string(call.Params) != "null" {
		var err error
		params, err = decodeList[json.RawMessage](call.Params, maxParams)
		if errors.Is(err, errLongList) {
			return nil, invalidParams("params has more than %d arguments", maxParams)
		}
		if err != nil {
			return nil, invalidParams("params is no array: give a list of arguments")
		}
	}
	if h, ok := handlers[call.Method]; ok {
		return h(s, ctx, who, params)
	}
	if !c.passes(call.Method) {
		return nil, &callError{codeNoMethod, fmt.Sprintf("the method %s is not served by this sponsor", call.Method),
			&Refusal{
				Rule:  "namespaces",
				Limit: strings.Join(c.Namespaces, ", "),
				Have:  call.Method,
				Text:  "the sponsor does not pass this method on",
			}}
	}
	switch call.Method {
	case discoverMethod:
		return s.discover(ctx, params)
	case modulesMethod:
		return s.modules(ctx, c, params)
	}
	return s.pass(ctx, call.Method, params)
}

// passes reports whether a method goes on to the node.
func (c *Config) passes(method string) bool {
	namespace := method
	if end := strings.IndexAny(method, "_."); end >= 0 {
		namespace = method[:end]
	}
	return slices.Contains(c.Namespaces, namespace) && !slices.Contains(signing, method)
}

// discover returns the node's description of its methods (EIP-1901) without those that the sponsor does not serve.
func (s *Sponsor) discover(ctx context.Context, params []json.RawMessage) (any, error) {
	answer, err := s.pass(ctx, discoverMethod, params)
	if err != nil {
		return nil, err
	}
	text, _ := answer.(json.RawMessage)
	var document map[string]json.RawMessage
	var methods []json.RawMessage
	if err = json.Unmarshal(text, &document); err == nil {
		err = json.Unmarshal(document["methods"], &methods)
	}
	if err != nil {
		return nil, fmt.Errorf("node: %s: %w", discoverMethod, err)
	}
	c := s.config.Load()
	methods = slices.DeleteFunc(methods, func(m json.RawMessage) bool {
		var method struct{ Name string }
		if json.Unmarshal(m, &method) != nil {
			return true
		}
		_, own := handlers[method.Name]
		return !own && !c.passes(method.Name)
	})
	if document["methods"], err = json.Marshal(methods); err != nil {
		return nil, err
	}
	return document, nil
}

// modules returns the namespaces of the node that the sponsor passes on.
func (s *Sponsor) modules(ctx context.Context, c *Config, params []json.RawMessage) (any, error) {
	answer, err := s.pass(ctx, modulesMethod, params)
	if err != nil {
		return nil, err
	}
	text, _ := answer.(json.RawMessage)
	var versions map[string]string
	if err := json.Unmarshal(text, &versions); err != nil {
		return nil, fmt.Errorf("node: %s: %w", modulesMethod, err)
	}
	maps.DeleteFunc(versions, func(name, _ string) bool { return !slices.Contains(c.Namespaces, name) })
	return versions, nil
}

// pass has the node answer. Its errors come back as they are.
func (s *Sponsor) pass(ctx context.Context, method string, params []json.RawMessage) (any, error) {
	args := make([]any, len(params))
	for i, p := range params {
		args[i] = p
	}
	var result json.RawMessage
	if err := s.node.CallContext(ctx, &result, method, args...); err != nil {
		return nil, err
	}
	return result, nil
}

// argument decodes the i-th parameter.
func argument(params []json.RawMessage, i int, name string, value any) error {
	if i >= len(params) {
		return invalidParams("missing value for required argument %d: give %s", i, name)
	}
	if err := json.Unmarshal(params[i], value); err != nil {
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

func (s *Sponsor) sendRawTransaction(ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
	raw, own, err := sponsored(params)
	if err != nil {
		return nil, err
	}
	if !own {
		return s.pass(ctx, "eth_sendRawTransaction", params)
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
		return s.pass(ctx, "eth_sendRawTransactionSync", params)
	}
	timeout := syncTimeout
	if len(params) > 1 && string(params[1]) != "null" {
		var given hexutil.Uint64
		if json.Unmarshal(params[1], &given) != nil && json.Unmarshal(params[1], (*uint64)(&given)) != nil {
			return nil, invalidParams("argument 1: give milliseconds")
		}
		timeout = min(
			time.Duration(min(uint64(given), uint64(maxSyncTimeout/time.Millisecond)))*time.Millisecond,
			maxSyncTimeout,
		)
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
	return s.lookUp(ctx, "eth_getTransactionReceipt", hash)
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
		return nil, &Refusal{Rule: "type", Limit: "0x2", Text: "a fee payer can be added to transactions of type 2 alone"}
	}
	signed, err := s.Sign(ctx, who.key, raw, who.address)
	return hexutil.Bytes(signed), err
}

func (s *Sponsor) getTransactionReceipt(ctx context.Context, _ *caller, params []json.RawMessage) (any, error) {
	return s.lookUpArgument(ctx, "eth_getTransactionReceipt", params)
}

func (s *Sponsor) getTransactionByHash(ctx context.Context, _ *caller, params []json.RawMessage) (any, error) {
	return s.lookUpArgument(ctx, "eth_getTransactionByHash", params)
}

func (s *Sponsor) lookUpArgument(ctx context.Context, method string, params []json.RawMessage) (any, error) {
	var hash common.Hash
	if err := argument(params, 0, "a hash", &hash); err != nil {
		return nil, err
	}
	return s.lookUp(ctx, method, hash)
}

func (s *Sponsor) getReceiptBySenderHash(ctx context.Context, _ *caller, params []json.RawMessage) (any, error) {
	return s.bySenderHash(ctx, "eth_getTransactionReceiptBySenderHash", "eth_getTransactionReceipt", params)
}

func (s *Sponsor) getTransactionBySenderHash(ctx context.Context, _ *caller, params []json.RawMessage) (any, error) {
	return s.bySenderHash(ctx, "eth_getTransactionBySenderHash", "eth_getTransactionByHash", params)
}

// bySenderHash answers for nodes without these methods, from the books. Other hashes are for the node.
func (s *Sponsor) bySenderHash(ctx context.Context, method, byHash string, params []json.RawMessage) (any, error) {
	var hash common.Hash
	if err := argument(params, 0, "a hash", &hash); err != nil {
		return nil, err
	}
	found, _, err := s.books.Find(hash)
	if err != nil {
		return nil, err
	}
	if found == nil || found.State == stateReleased {
		return s.pass(ctx, method, params)
	}
	return s.lookUp(ctx, byHash, hash)
}

// lookUp asks the node for what a hash names on the chain. A sender's hash is looked up in the books.
func (s *Sponsor) lookUp(ctx context.Context, method string, hash common.Hash) (any, error) {
	found, open, err := s.books.Find(hash)
	if err != nil {
		return nil, err
	}
	onChain, payer := hash, (*common.Address)(nil)
	switch {
	case found == nil || found.State == stateReleased:
	case found.State == stateSettled:
		onChain = found.Hash
	default:
		payer = &open.Payer
		if signed, ok := s.signed.Get(hash); ok {
			onChain = signed.Hash
		}
	}
	var object map[string]json.RawMessage
	if err := s.node.CallContext(ctx, &object, method, onChain); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, nil
	}
	if onChain == hash {
		return object, nil
	}
	if object["senderTransactionHash"], err = json.Marshal(hash); err != nil {
		return nil, err
	}
	if _, known := object["feePayer"]; !known && payer != nil {
		if object["feePayer"], err = json.Marshal(payer); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// callRequest is what a caller gives of a transaction that is not signed.
type callRequest struct {
	From     *common.Address `json:"from"`
	To       *common.Address `json:"to"`
	Value    *hexutil.Big    `json:"value"`
	Data     *hexutil.Bytes  `json:"data"`
	Input    *hexutil.Bytes  `json:"input"`
	Gas      *hexutil.Uint64 `json:"gas"`
	FeeCap   *hexutil.Big    `json:"maxFeePerGas"`
	Tip      *hexutil.Big    `json:"maxPriorityFeePerGas"`
	GasPrice *hexutil.Big    `json:"gasPrice"`
	Nonce    *hexutil.Uint64 `json:"nonce"`
	ChainID  *hexutil.Big    `json:"chainId"`

	AccessList *types.AccessList `json:"accessList"`
}

// request returns what a policy judges, with what is missing filled in by fees and gas.
func (a *callRequest) request(f *fees) *Request {
	r := &Request{To: a.To, Value: new(big.Int), FeeCap: f.cap()}
	if a.From != nil {
		r.Sender = *a.From
	}
	if a.Value != nil {
		r.Value = a.Value.ToInt()
	}
	if a.Input != nil {
		r.Data = *a.Input
	} else if a.Data != nil {
		r.Data = *a.Data
	}
	if a.Gas != nil {
		r.Gas = uint64(*a.Gas)
	}
	if a.FeeCap != nil {
		r.FeeCap = a.FeeCap.ToInt()
	}
	return r
}

// cap returns a fee cap that holds for minutes of rising base fees: twice the base fee, and the tip.
func (f *fees) cap() *big.Int {
	c := new(big.Int).Lsh(f.baseFee, 1)
	return c.Add(c, f.tip)
}

// judge returns why a transaction would not be sponsored now, nil for one that would.
func (s *Sponsor) judge(k *Key, r *Request) (*Refusal, error) {
	now := time.Now()
	if refusal := k.refuse(r, now); refusal != nil {
		return refusal, nil
	}
	if refusal := s.refuseGas(r.Gas); refusal != nil {
		return refusal, nil
	}
	if refusal := s.refuseFeeCap(k, r); refusal != nil {
		return refusal, nil
	}
	if !s.following.Load() {
		return refuseAway(), nil
	}
	if refusal, err := s.books.Budgets(k, r.Sender, now, r.Cost()); refusal != nil || err != nil {
		return refusal, err
	}
	return s.books.Payable(k, r.Cost(), s.chooser())
}

func (s *Sponsor) estimateGas(ctx context.Context, r *Request) (uint64, error) {
	var gas hexutil.Uint64
	err := s.node.CallContext(ctx, &gas, "eth_estimateGas", callArguments(r))
	return uint64(gas), err
}

// isSponsorable answers in the form of BEP-414, with the rule that forbids and its figures.
func (s *Sponsor) isSponsorable(ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
	var a callRequest
	if err := argument(params, 0, "an object with from, to, value, data and gas", &a); err != nil {
		return nil, err
	}
	r := a.request(s.fees.Load())
	var refusal *Refusal
	if r.Gas == 0 {
		gas, err := s.estimateGas(ctx, r)
		var coded rpc.Error
		if errors.As(err, &coded) {
			refusal = &Refusal{Rule: "gas", Have: coded.Error(), Text: "the call would fail"}
		} else if err != nil {
			return nil, err
		}
		r.Gas = gas
	}
	if refusal == nil {
		var err error
		if refusal, err = s.judge(who.key, r); err != nil {
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

// fillTransaction fills in nonce, gas and fees, and says whether the result would be sponsored.
func (s *Sponsor) fillTransaction(ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
	var a callRequest
	if err := argument(params, 0, "a transaction object", &a); err != nil {
		return nil, err
	}
	if a.From == nil {
		return nil, invalidParams("argument 0: from is missing: give the sender")
	}
	if a.GasPrice != nil {
		return nil, invalidParams("argument 0: gasPrice is not sponsored: give maxFeePerGas and maxPriorityFeePerGas")
	}
	if a.ChainID != nil && a.ChainID.ToInt().Cmp(s.chainID) != 0 {
		return nil, invalidParams("argument 0: chainId is %v: the chain of this sponsor is %v", a.ChainID.ToInt(), s.chainID)
	}
	f := s.fees.Load()
	r := a.request(f)
	tx := &types.DynamicFeeTx{
		ChainID:   s.chainID,
		To:        r.To,
		Value:     r.Value,
		Data:      r.Data,
		GasFeeCap: r.FeeCap,
		GasTipCap: f.tip,
	}
	if a.Tip != nil {
		tx.GasTipCap = a.Tip.ToInt()
	}
	if tx.GasTipCap.Cmp(tx.GasFeeCap) > 0 {
		tx.GasTipCap = tx.GasFeeCap
	}
	if a.AccessList != nil {
		tx.AccessList = *a.AccessList
	}
	if a.Nonce != nil {
		tx.Nonce = uint64(*a.Nonce)
	} else {
		var nonce hexutil.Uint64
		if err := s.node.CallContext(ctx, &nonce, "eth_getTransactionCount", r.Sender, "pending"); err != nil {
			return nil, err
		}
		tx.Nonce = uint64(nonce)
	}
	if r.Gas == 0 {
		gas, err := s.estimateGas(ctx, r)
		if err != nil {
			return nil, err
		}
		r.Gas = gas
	}
	tx.Gas = r.Gas
	refusal, err := s.judge(who.key, r)
	if err != nil {
		return nil, err
	}
	return s.filled(types.NewTx(tx), r.Sender, refusal)
}

// filled is the answer of eth_fillTransaction. The transaction is as go-ethereum shows it.
func (s *Sponsor) filled(tx *types.Transaction, sender common.Address, refusal *Refusal) (any, error) {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return nil, err
	}
	encoded, err := tx.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &object); err != nil {
		return nil, err
	}
	if object["from"], err = json.Marshal(sender); err != nil {
		return nil, err
	}
	capabilities := map[string]any{"sponsored": refusal == nil}
	result := map[string]any{"raw": hexutil.Bytes(raw), "tx": object, "capabilities": capabilities}
	if refusal != nil {
		capabilities["reason"] = refusal
		return result, nil
	}
	c := s.config.Load()
	result["sponsor"] = map[string]any{"address": s.payers.all[0].address, "name": c.Name, "url": c.Website}
	return result, nil
}
