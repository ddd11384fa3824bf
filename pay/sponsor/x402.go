// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"
	"github.com/naoina/toml/ast"

	"gwon/internal/txobject"
	"gwon/params"
	"gwon/pay/sponsor/x402"
	"gwon/pay/txsign"
)

// X402Config is the section [x402]: the sponsor settles payments of the x402 protocol.
type X402Config struct {
	Enabled   bool       `toml:"enabled"`
	PayTo     []*Address `toml:"pay_to"`     // who may be paid
	AnyPayTo  bool       `toml:"any_pay_to"` // everybody may
	MaxAmount *Amount    `toml:"max_amount"`
	MinAmount *Amount    `toml:"min_amount"`
}

func (x *X402Config) on() bool { return x != nil && x.Enabled }

func (c *Config) checkX402(at *position) error {
	here := at
	if table, ok := at.table.Fields["x402"].(*ast.Table); ok {
		here = &position{at.file, table}
	}
	listed := false
	for i, k := range c.Keys {
		if listed = listed || len(k.PayTo) > 0; len(k.PayTo) > 0 && c.X402 == nil {
			return at.below("key", i).errorf("pay_to", "stands without [x402]: add that section, or remove it")
		}
	}
	switch x := c.X402; {
	case x == nil:
	case x.AnyPayTo && len(x.PayTo) > 0:
		return here.errorf("any_pay_to", "any_pay_to and pay_to exclude each other: remove one")
	case x.Enabled && !x.AnyPayTo && len(x.PayTo) == 0 && !listed:
		return here.errorf("enabled", "no account may be paid: write pay_to here or in [[key]], or any_pay_to = true")
	case x.MinAmount != nil && x.MaxAmount != nil && x.MinAmount.int().Cmp(x.MaxAmount.int()) > 0:
		return here.errorf("min_amount", "is above max_amount: correct one of them")
	}
	return nil
}

// terms returns the payments that a key may have settled.
func (x *X402Config) terms(k *Key) *x402.Terms {
	t := new(x402.Terms)
	switch {
	case len(k.PayTo) > 0:
		t.PayTo = addressSet(k.PayTo)
	case !x.AnyPayTo:
		t.PayTo = addressSet(x.PayTo)
	}
	if x.MinAmount != nil {
		t.Min = x.MinAmount.int()
	}
	if x.MaxAmount != nil {
		t.Max = x.MaxAmount.int()
	}
	return t
}

func (s *Sponsor) handleX402(mux *http.ServeMux) {
	for _, route := range []struct {
		method, path string
		serve        func(w http.ResponseWriter, r *http.Request)
	}{{"GET", "/supported", s.serveSupported}, {"POST", "/verify", s.serveVerify}, {"POST", "/settle", s.serveSettle}} {
		for _, prefix := range []string{"", "/{key}"} {
			mux.HandleFunc(route.method+" "+prefix+route.path, func(w http.ResponseWriter, r *http.Request) {
				if s.x402 == nil {
					http.Error(w, "x402 is off: write enabled = true in [x402] of sponsor.toml", http.StatusNotFound)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				route.serve(w, r)
			})
		}
	}
}

func (s *Sponsor) x402Network() string { return "eip155:" + s.chainID.String() }

// admit identifies who asks, and applies the rates. The status is that of a refusal.
func (s *Sponsor) admit(r *http.Request) (*caller, *x402.Refusal, int) {
	c := s.config.Load()
	who, refusal := s.identify(r, c)
	status := http.StatusUnauthorized
	if limited := s.limits.refuse(c, labelOf(who), who.address, 1); limited != nil {
		refusal, status = limited, http.StatusTooManyRequests
	}
	if refusal == nil {
		return who, nil, http.StatusOK
	}
	return who, &x402.Refusal{Reason: x402.ReasonAuthorization, Text: refusal.Text}, status
}

func (s *Sponsor) serveSupported(w http.ResponseWriter, r *http.Request) {
	if _, refusal, status := s.admit(r); refusal != nil {
		s.metrics.refused(refusal.Reason)
		w.WriteHeader(status)
		s.replyJSON(w, map[string]string{"error": refusal.Text})
		return
	}
	coin, err := s.coin.get(r.Context(), s.askAll)
	if err != nil {
		log.Warn("Coin not read", "err", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		s.replyJSON(w, map[string]string{"error": "the node of the sponsor does not answer: try again later"})
		return
	}
	var payers []string
	for _, p := range s.payers.paying() {
		payers = append(payers, p.address.Hex())
	}
	s.replyJSON(w, &x402.SupportedResponse{
		Kinds: []x402.Kind{{
			Version: x402.Version, Scheme: x402.Scheme, Network: s.x402Network(),
			Extra: map[string]any{
				"asset": params.NativeCoinAdapterAddress.Hex(), "assetTransferMethod": "eip3009",
				"name": coin.Name, "version": coin.Version, "decimals": 18,
			},
		}},
		Extensions: []string{}, Signers: map[string][]string{"eip155:*": payers},
	})
}

// readPayment identifies who asks, and reads what. The payment is nil where the request does not tell who pays.
func (s *Sponsor) readPayment(w http.ResponseWriter, r *http.Request) (*caller, *x402.Payment, *x402.Refusal, int) {
	who, refusal, status := s.admit(r)
	if refusal != nil {
		return who, nil, refusal, status
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, x402.MaxBody))
	if err != nil {
		text := fmt.Sprintf("the request has more than %d bytes, or ended early", x402.MaxBody)
		return who, nil, &x402.Refusal{Reason: x402.ReasonPayload, Text: text}, http.StatusRequestEntityTooLarge
	}
	p, refusal := x402.Parse(body, s.x402Network(), params.NativeCoinAdapterAddress)
	if refusal != nil && p == nil {
		return who, nil, refusal, http.StatusBadRequest
	}
	return who, p, refusal, http.StatusOK
}

// refusalOf returns what a shop may know of an error. Other errors may tell of the operator's machines.
func (s *Sponsor) refusalOf(err error, reason string) *x402.Refusal {
	var refusal *x402.Refusal
	if !errors.As(err, &refusal) {
		log.Warn("Payment not judged", "err", err)
		refusal = &x402.Refusal{Reason: reason, Text: "the sponsor or its node cannot answer now: try again later"}
	}
	s.metrics.refused(refusal.Reason)
	return refusal
}

func (s *Sponsor) serveVerify(w http.ResponseWriter, r *http.Request) {
	answer := new(x402.VerifyResponse)
	from, refusal, status := s.judgePayment(w, r, x402.ReasonVerifyError, func(n *x402Network, p *x402.Payment) error {
		_, err := x402.Verify(r.Context(), n, p, s.config.Load().X402.terms(n.who.key), time.Now())
		return err
	})
	answer.IsValid, answer.Payer = refusal == nil, from
	if refusal != nil {
		answer.Reason, answer.Text = refusal.Reason, refusal.Text
	}
	w.WriteHeader(status)
	s.replyJSON(w, answer)
}

// judgePayment reads a payment, and has it judged. It returns who pays, if the request tells, and why not.
func (s *Sponsor) judgePayment(
	w http.ResponseWriter, r *http.Request, reason string, judge func(*x402Network, *x402.Payment) error,
) (from string, _ *x402.Refusal, status int) {
	who, p, refusal, status := s.readPayment(w, r)
	if p != nil {
		from = p.From.Hex()
	}
	if refusal != nil {
		s.metrics.refused(refusal.Reason)
	} else if err := judge(&x402Network{s, who}, p); err != nil {
		refusal = s.refusalOf(err, reason)
	}
	if p != nil && refusal != nil && refusal.Reason != x402.ReasonPending && refusal.Reason != reason {
		err := s.audit.write(auditLine{
			Event: "refused", Label: who.key.Label, Client: who.address, Sender: &p.From, To: &p.To,
			Amount: txsign.FormatCoins(p.Value.ToBig()), Rule: refusal.Reason, Reason: refusal.Text,
		})
		if err != nil {
			refusal = s.refusalOf(err, reason)
		}
	}
	return from, refusal, status
}

func (s *Sponsor) serveSettle(w http.ResponseWriter, r *http.Request) {
	answer := &x402.SettleResponse{Network: s.x402Network()}
	from, refusal, status := s.judgePayment(w, r, x402.ReasonSettleError, func(n *x402Network, p *x402.Payment) error {
		hash, err := s.x402.Settle(r.Context(), n, p, s.config.Load().X402.terms(n.who.key))
		if hash != (common.Hash{}) {
			answer.Transaction = hash.Hex()
		}
		return err
	})
	answer.Success, answer.Payer = refusal == nil, from
	if refusal != nil {
		answer.Reason, answer.Text = refusal.Reason, refusal.Text
	}
	w.WriteHeader(status)
	s.replyJSON(w, answer)
}

// x402Network is the chain for the payments of one API key.
type x402Network struct {
	s   *Sponsor
	who *caller
}

// coinCall asks the coin. Arguments are words of 32 bytes.
func coinCall(function string, result *hexutil.Bytes, words ...[]byte) rpc.BatchElem {
	return contractCall(params.NativeCoinAdapterAddress, function, result, words...)
}

func contractCall(to common.Address, function string, result *hexutil.Bytes, words ...[]byte) rpc.BatchElem {
	data := crypto.Keccak256([]byte(function))[:4]
	for _, word := range words {
		data = append(data, common.LeftPadBytes(word, 32)...)
	}
	call := map[string]any{"to": to, "data": hexutil.Bytes(data)}
	return rpc.BatchElem{Method: "eth_call", Args: []any{call, "latest"}, Result: result}
}

// askAll asks the node all at once, maxLookupCalls in a request. An error of one question is that of all.
func (s *Sponsor) askAll(ctx context.Context, calls ...rpc.BatchElem) error {
	for part := range slices.Chunk(calls, maxLookupCalls) {
		if err := s.batch(ctx, part); err != nil {
			return fmt.Errorf("node: %w", err)
		}
		if err := errorOf(part, nil); err != nil {
			return err
		}
	}
	return nil
}

// errorOf returns the first error of a request and its calls.
func errorOf(calls []rpc.BatchElem, err error) error {
	for _, c := range calls {
		if err == nil && c.Error != nil {
			return fmt.Errorf("node: %s: %w", c.Method, c.Error)
		}
	}
	return err
}

// coin is what signatures for the coin's contract name. It is asked for every ten minutes at most, whatever requests
// come: upgrades of the contract are rare.
type coin struct {
	mu   sync.Mutex
	have *x402.Domain
	at   time.Time
}

func (c *coin) get(ctx context.Context, ask func(context.Context, ...rpc.BatchElem) error) (*x402.Domain, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.have != nil && time.Since(c.at) < 10*time.Minute {
		return c.have, nil
	}
	var name, version, separator hexutil.Bytes
	err := ask(ctx, coinCall("name()", &name), coinCall("version()", &version), coinCall("DOMAIN_SEPARATOR()", &separator))
	if err != nil {
		return nil, err
	}
	read, err := decodeCoin(name, version)
	if err != nil {
		return nil, err
	}
	read.Separator = common.BytesToHash(separator)
	c.have, c.at = read, time.Now()
	return read, nil
}

var textArguments = func() abi.Arguments {
	kind, err := abi.NewType("string", "", nil)
	if err != nil {
		panic(err)
	}
	return abi.Arguments{{Type: kind}}
}()

func decodeCoin(name, version []byte) (*x402.Domain, error) {
	var texts [2]string
	for i, answer := range [][]byte{name, version} {
		values, err := textArguments.Unpack(answer)
		if err != nil {
			return nil, fmt.Errorf("node: name and version of the coin: %w", err)
		}
		texts[i], _ = values[0].(string)
	}
	return &x402.Domain{Name: texts[0], Version: texts[1]}, nil
}

func isTrue(word []byte) bool { return new(big.Int).SetBytes(word).Sign() != 0 }

// Domain implements x402.Network.
func (n *x402Network) Domain(ctx context.Context) (*x402.Domain, uint64, error) {
	domain, err := n.s.coin.get(ctx, n.s.askAll)
	return domain, n.s.fees.Load().time, err
}

// State implements x402.Network.
func (n *x402Network) State(ctx context.Context, a *x402.Authorization) (*x402.State, error) {
	var used, code, fromListed, toListed hexutil.Bytes
	var balance hexutil.Big
	err := n.s.passed.batch(ctx, n.who.address,
		coinCall("authorizationState(address,bytes32)", &used, a.From[:], a.Nonce[:]),
		isBlacklisted(a.From, &fromListed), isBlacklisted(a.To, &toListed),
		rpc.BatchElem{Method: "eth_getBalance", Args: []any{a.From, "latest"}, Result: &balance},
		rpc.BatchElem{Method: "eth_getCode", Args: []any{a.From, "latest"}, Result: &code})
	if err != nil {
		return nil, err
	}
	state := &x402.State{Balance: balance.ToInt(), Used: isTrue(used), HasCode: len(code) > 0}
	for _, listed := range []struct {
		account common.Address
		flag    []byte
	}{{a.From, fromListed}, {a.To, toListed}} {
		if isTrue(listed.flag) {
			state.Blacklisted = &listed.account
		}
	}
	return state, nil
}

// Try implements x402.Network.
func (n *x402Network) Try(ctx context.Context, a *x402.Authorization) (gas uint64, failure string, err error) {
	var used hexutil.Uint64
	transfer := map[string]any{"to": params.NativeCoinAdapterAddress, "data": hexutil.Bytes(a.CallData())}
	err = n.s.passed.call(ctx, trying, n.who.address, &used, "eth_estimateGas", transfer)
	var refusal *Refusal
	var reverted rpc.Error
	switch {
	case errors.As(err, &refusal):
		return 0, "", x402Refusal(refusal)
	case errors.As(err, &reverted):
		return 0, reverted.Error(), nil
	}
	return uint64(used) + uint64(used)/8, "", err // the block may find other accounts than the estimate
}

// x402Refusal tells a shop which rule of the sponsor forbids, with its figures.
func x402Refusal(r *Refusal) *x402.Refusal {
	text := r.Rule + ": " + r.Text
	if r.Have != "" {
		text += "; it has " + r.Have
	}
	if r.Limit != "" {
		text += "; the limit is " + r.Limit
	}
	return &x402.Refusal{Reason: x402.ReasonRefused + r.Rule, Text: text}
}

// feeCap is that of settlements: it holds for minutes of rising base fees where the policy allows it.
func (n *x402Network) feeCap() *big.Int {
	highest := n.s.fees.Load().cap()
	if limit := n.who.key.MaxFeePerGas; limit != nil && highest.Cmp(limit.int()) > 0 {
		return limit.int()
	}
	return highest
}

// Judge implements x402.Network.
func (n *x402Network) Judge(a *x402.Authorization, data []byte, gas uint64) error {
	for _, account := range []common.Address{a.From, a.To} {
		if n.who.key.deny[account] {
			text := "an account of the payment is on the deny list"
			return x402Refusal(refuse("deny", nil, account.Hex(), text))
		}
	}
	refusal, err := n.s.judge(n.who.key, &txobject.Transaction{
		Sender: a.From, DynamicFeeTx: *n.settlement(data, gas),
	})
	if refusal != nil {
		return x402Refusal(refusal)
	}
	return err
}

// Sign implements x402.Network. An account of its own sends each settlement, so that none waits for another. Its key is
// dropped: the record has the only transaction that it will ever sign.
func (n *x402Network) Sign(data []byte, gas uint64) ([]byte, error) {
	key, err := crypto.GenerateKey()
	if err != nil {
		return nil, fmt.Errorf("make the account of a settlement: %w", err)
	}
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(n.s.chainID), n.settlement(data, gas))
	if err != nil {
		return nil, fmt.Errorf("sign a settlement: %w", err)
	}
	return tx.MarshalBinary()
}

// settlement is the transaction of a settlement before it is signed.
func (n *x402Network) settlement(data []byte, gas uint64) *types.DynamicFeeTx {
	feeCap := n.feeCap()
	tip := n.s.fees.Load().tip
	if tip.Cmp(feeCap) > 0 {
		tip = feeCap
	}
	to := params.NativeCoinAdapterAddress
	return &types.DynamicFeeTx{
		ChainID: n.s.chainID, To: &to, Gas: gas, GasFeeCap: feeCap, GasTipCap: tip, Value: new(big.Int), Data: data,
	}
}

// x402Receipt is what is read of a receipt.
type x402Receipt struct {
	Status hexutil.Uint64 `json:"status"`
	Logs   []*types.Log   `json:"logs"`
}

var transferTopic = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))

// Decided implements x402.Network.
func (n *x402Network) Decided(raw []byte) (bool, error) {
	found, _, err := n.s.books.Find(crypto.Keccak256Hash(raw))
	return found != nil && found.State != stateOpen, err
}

// Send implements x402.Network.
func (n *x402Network) Send(ctx context.Context, customer common.Address, raw []byte) (*x402.Receipt, error) {
	hash, err := n.s.send(ctx, n.who, raw, customer)
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return nil, x402Refusal(refusal)
	} else if err != nil {
		return nil, err
	}
	found, err := n.s.awaitBlock(ctx, hash, syncTimeout)
	if err != nil {
		return nil, err
	}
	receipt := &x402.Receipt{Hash: hash}
	switch {
	case found == nil:
		receipt.Pending = true
		if signed, ok := n.s.signed.Get(hash); ok {
			receipt.Hash = signed.Hash
		}
		return receipt, nil
	case found.State == stateSettled:
		receipt.Hash = found.Hash
	}
	var have *x402Receipt
	if err := n.s.ask(ctx, &have, "eth_getTransactionReceipt", receipt.Hash); err != nil {
		return nil, err
	}
	if have == nil {
		return nil, fmt.Errorf("node has no receipt of %v, which is in a block", receipt.Hash)
	}
	receipt.Failed = have.Status != 1
	for _, l := range have.Logs {
		if l.Address != params.NativeCoinAdapterAddress || len(l.Topics) != 3 || l.Topics[0] != transferTopic {
			continue
		}
		paid := x402.Transfer{
			From: common.BytesToAddress(l.Topics[1][:]), To: common.BytesToAddress(l.Topics[2][:]),
			Value: new(uint256.Int).SetBytes(l.Data),
		}
		receipt.Transfers = append(receipt.Transfers, paid)
		err := n.s.audit.write(auditLine{
			Event: "paid", Label: n.who.key.Label, Client: n.who.address, Sender: &paid.From, To: &paid.To,
			SenderHash: hash, Hash: &receipt.Hash, Amount: txsign.FormatCoins(paid.Value.ToBig()),
		})
		if err != nil {
			return nil, err
		}
		n.s.metrics.paid.Add(1)
	}
	return receipt, nil
}
