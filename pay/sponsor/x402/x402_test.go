// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package x402

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
)

const (
	testNetwork = "eip155:8283"
	testTime    = 1_800_000_000 // of the newest block and of the clock
)

var (
	coin     = common.HexToAddress("0x1000")
	shop     = common.HexToAddress("0x00000000000000000000000000000000000000aa")
	stranger = common.HexToAddress("0x00000000000000000000000000000000000000bb")
)

// order is a payment before it is signed. Tests change what they are about.
type order struct {
	from, to                       common.Address
	value, validAfter, validBefore string
	nonce                          common.Hash
	chainID                        int64
	name, version                  string
	contract                       common.Address
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	return key
}

func newOrder(key *ecdsa.PrivateKey) *order {
	return &order{
		from: crypto.PubkeyToAddress(key.PublicKey), to: shop, value: "1500", validAfter: "0",
		validBefore: fmt.Sprint(testTime + 60), nonce: common.Hash{31: 1},
		chainID: 8283, name: "WKRC", version: "1", contract: coin,
	}
}

// typedData is the order as a wallet signs it, by go-ethereum's implementation of EIP-712.
func (o *order) typedData() apitypes.TypedData {
	field := func(name, kind string) apitypes.Type { return apitypes.Type{Name: name, Type: kind} }
	return apitypes.TypedData{
		PrimaryType: "TransferWithAuthorization",
		Types: apitypes.Types{
			"EIP712Domain": {
				field("name", "string"), field("version", "string"), field("chainId", "uint256"),
				field("verifyingContract", "address"),
			},
			"TransferWithAuthorization": {
				field("from", "address"), field("to", "address"), field("value", "uint256"),
				field("validAfter", "uint256"), field("validBefore", "uint256"), field("nonce", "bytes32"),
			},
		},
		Domain: apitypes.TypedDataDomain{
			Name: o.name, Version: o.version, ChainId: (*math.HexOrDecimal256)(big.NewInt(o.chainID)),
			VerifyingContract: o.contract.Hex(),
		},
		Message: apitypes.TypedDataMessage{
			"from": o.from.Hex(), "to": o.to.Hex(), "value": o.value, "validAfter": o.validAfter,
			"validBefore": o.validBefore, "nonce": o.nonce.Hex(),
		},
	}
}

func (o *order) sign(t testing.TB, key *ecdsa.PrivateKey) []byte {
	t.Helper()
	hash, _, err := apitypes.TypedDataAndHash(o.typedData())
	must.Do(t, err)
	signature := must.Get(crypto.Sign(hash, key))(t)
	signature[64] += 27
	return signature
}

// object is a JSON object whose fields tests change by path.
type object = map[string]any

func set(o object, path string, value any) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		o = o[name].(object)
	}
	if last := names[len(names)-1]; value == nil {
		delete(o, last)
	} else {
		o[last] = value
	}
}

func requirements() object {
	return object{
		"scheme": "exact", "network": testNetwork, "asset": coin.Hex(), "amount": "1500", "payTo": shop.Hex(),
		"maxTimeoutSeconds": 60, "extra": object{"name": "WKRC", "version": "1", "assetTransferMethod": "eip3009"},
	}
}

func (o *order) request(t testing.TB, key *ecdsa.PrivateKey) object {
	t.Helper()
	return object{
		"x402Version": 2,
		"paymentPayload": object{
			"x402Version": 2, "resource": object{"url": "https://shop.example/weather"}, "accepted": requirements(),
			"payload": object{
				"signature": hexutil.Encode(o.sign(t, key)),
				"authorization": object{
					"from": o.from.Hex(), "to": o.to.Hex(), "value": o.value, "validAfter": o.validAfter,
					"validBefore": o.validBefore, "nonce": o.nonce.Hex(),
				},
			},
		},
		"paymentRequirements": requirements(),
	}
}

func encode(t testing.TB, o object) []byte {
	t.Helper()
	body := must.Get(json.Marshal(o))(t)
	return body
}

func mustParse(t testing.TB, o object) *Payment {
	t.Helper()
	p, refusal := Parse(encode(t, o), testNetwork, coin)
	must.That(t, refusal == nil, "%v", refusal)
	return p
}

// fakeNetwork is a chain that takes a transaction when it is sent, and a sponsor.
type fakeNetwork struct {
	mu       sync.Mutex
	domain   Domain
	time     uint64 // of the newest block
	state    State
	gas      uint64
	failure  string
	asked    []string // what the chain was asked, and for what
	judged   error
	signed   int
	sent     map[string]int // by raw transaction
	calls    map[string][]byte
	outcome  func(raw []byte) (*Receipt, error) // nil for a transfer
	payments map[common.Hash]bool               // nonces
	decided  map[string]bool                    // raw transactions that have ended without an answer to the shop
}

func newNetwork(t testing.TB) *fakeNetwork {
	t.Helper()
	data := newOrder(newKey(t)).typedData()
	separator := must.Get(data.HashStruct("EIP712Domain", data.Domain.Map()))(t)
	return &fakeNetwork{
		domain: Domain{Name: "WKRC", Version: "1", Separator: common.BytesToHash(separator)}, time: testTime,
		state: State{Balance: big.NewInt(1500)}, gas: 100_000,
		sent: make(map[string]int), calls: make(map[string][]byte), payments: make(map[common.Hash]bool),
	}
}

func (n *fakeNetwork) Domain(context.Context) (*Domain, uint64, error) { return &n.domain, n.time, nil }

func (n *fakeNetwork) Try(context.Context, *Authorization) (uint64, string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, "try")
	return n.gas, n.failure, nil
}

func (n *fakeNetwork) State(_ context.Context, a *Authorization) (*State, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, "state")
	s := n.state
	s.Used = s.Used || n.payments[a.Nonce]
	return &s, nil
}

func (n *fakeNetwork) Judge(*Authorization, []byte, uint64) error { return n.judged }

func (n *fakeNetwork) Sign(data []byte, _ uint64) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.signed++
	raw := fmt.Sprintf("transaction %d", n.signed)
	n.calls[raw] = data
	return []byte(raw), nil
}

func (n *fakeNetwork) Send(_ context.Context, _ common.Address, raw []byte) (*Receipt, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.outcome != nil {
		return n.outcome(raw)
	}
	n.sent[string(raw)]++
	data := n.calls[string(raw)]
	n.payments[common.Hash(data[4+5*32:4+6*32])] = true
	return &Receipt{Hash: crypto.Keccak256Hash(raw), Transfers: []Transfer{{
		From: common.BytesToAddress(data[4 : 4+32]), To: common.BytesToAddress(data[4+32 : 4+64]),
		Value: new(uint256.Int).SetBytes(data[4+64 : 4+96]),
	}}}, nil
}

func (n *fakeNetwork) Decided(raw []byte) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sent[string(raw)] > 0 || n.decided[string(raw)], nil
}

func (n *fakeNetwork) submissions() (total int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, count := range n.sent {
		total += count
	}
	return total
}

func newFacilitator(t testing.TB, path string) *Facilitator {
	t.Helper()
	f := must.Get(Open(path))(t)
	f.now = func() time.Time { return time.Unix(testTime, 0) }
	return f
}

func reasonOf(err error) string {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal.Reason
	}
	return fmt.Sprint(err)
}

// TestGoodPayment: what a wallet signs by EIP-712 is accepted, and the call has the words of the coin's contract.
// spec: system-contracts 2.2
func TestGoodPayment(t *testing.T) {
	key := newKey(t)
	for _, v := range []byte{0, 27} {
		request := newOrder(key).request(t, key)
		signature := newOrder(key).sign(t, key)
		signature[64] = signature[64] - 27 + v
		set(request, "paymentPayload.payload.signature", hexutil.Encode(signature))
		p := mustParse(t, request)
		_, err := Verify(t.Context(), newNetwork(t), p, new(Terms), time.Unix(testTime, 0))
		expect.That(t, err == nil, "v from %d: %v", v, err)
		data := p.CallData()
		selector := crypto.Keccak256([]byte(
			"transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"))[:4]
		expect.That(t, len(data) == 4+9*32 && string(data[:4]) == string(selector) && data[4+7*32-1] >= 27, "call %x", data)
	}
}

// TestCheapRulesFirst: what no signature of the customer stands behind asks the chain nothing, and what the customer's
// coins do not cover has it execute nothing.
func TestCheapRulesFirst(t *testing.T) {
	key := newKey(t)
	for _, tt := range []struct {
		name    string
		request func(object)
		network func(*fakeNetwork)
		asked   []string
	}{
		{name: "wrong signature", asked: nil, request: func(o object) {
			set(o, "paymentPayload.payload.signature", hexutil.Encode(newOrder(key).sign(t, newKey(t))))
		}},
		{name: "wrong amount", asked: nil, request: func(o object) { set(o, "paymentRequirements.amount", "1501") }},
		{name: "wrong coin", asked: nil, request: func(o object) { set(o, "paymentRequirements.extra.name", "KRW") }},
		{name: "no coins", asked: []string{"state"}, network: func(n *fakeNetwork) { n.state.Balance = new(big.Int) }},
		{name: "used", asked: []string{"state"}, network: func(n *fakeNetwork) { n.state.Used = true }},
		{name: "good", asked: []string{"state", "try"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			request, network := newOrder(key).request(t, key), newNetwork(t)
			if tt.request != nil {
				tt.request(request)
			}
			if tt.network != nil {
				tt.network(network)
			}
			p, refusal := Parse(encode(t, request), testNetwork, coin)
			if refusal == nil {
				_, err := Verify(t.Context(), network, p, new(Terms), time.Unix(testTime, 0))
				expect.Equal(t, err == nil, tt.name == "good", "error %v", err)
			}
			expect.That(t, slices.Equal(network.asked, tt.asked), "the chain was asked %q, want %q", network.asked, tt.asked)
		})
	}
}

// TestRefusals has a row for each rule: the reason of the protocol, and the figure that its text has to name.
func TestRefusals(t *testing.T) {
	const (
		payload  = "paymentPayload."
		auth     = payload + "payload.authorization."
		required = "paymentRequirements."
	)
	key := newKey(t)
	limits := &Terms{PayTo: map[common.Address]bool{shop: true}, Min: big.NewInt(1000), Max: big.NewInt(2000)}
	for _, tt := range []struct {
		name, reason, text string
		order              func(*order)
		request            func(object)
		network            func(*fakeNetwork)
		terms              *Terms
	}{
		{name: "version 1", reason: ReasonVersion, text: "is 1", request: func(o object) { set(o, "x402Version", 1) }},
		{name: "version of the payload", reason: ReasonVersion, text: "is 3",
			request: func(o object) { set(o, payload+"x402Version", 3) }},
		{name: "no version", reason: ReasonVersion, text: "missing", request: func(o object) { set(o, "x402Version", nil) }},
		{name: "no payload", reason: ReasonPayload, text: "paymentPayload",
			request: func(o object) { set(o, "paymentPayload", nil) }},
		{name: "no requirements", reason: ReasonPayload, text: "paymentRequirements",
			request: func(o object) { set(o, "paymentRequirements", nil) }},
		{name: "not accepted", reason: ReasonPayload, text: "accepted",
			request: func(o object) { set(o, payload+"accepted", nil) }},
		{name: "Permit2", reason: ReasonTransfer, text: "EIP-3009",
			request: func(o object) { set(o, payload+"payload.authorization", nil) }},
		{name: "method", reason: ReasonTransfer, text: "permit2",
			request: func(o object) { set(o, required+"extra.assetTransferMethod", "permit2") }},
		{name: "scheme", reason: ReasonScheme, text: "upto", request: func(o object) { set(o, required+"scheme", "upto") }},
		{name: "accepted scheme", reason: ReasonScheme, text: "upto",
			request: func(o object) { set(o, payload+"accepted.scheme", "upto") }},
		{name: "network", reason: ReasonNetwork, text: "eip155:1",
			request: func(o object) { set(o, required+"network", "eip155:1") }},
		{name: "accepted network", reason: ReasonMismatch, text: "eip155:1",
			request: func(o object) { set(o, payload+"accepted.network", "eip155:1") }},
		{name: "asset", reason: ReasonAsset, text: "bb",
			request: func(o object) { set(o, required+"asset", stranger.Hex()) }},
		{name: "asset by name", reason: ReasonRequirements, text: "WKRC",
			request: func(o object) { set(o, required+"asset", "WKRC") }},
		{name: "amount of 0", reason: ReasonRequirements, text: `"0"`,
			request: func(o object) { set(o, required+"amount", "0") }},
		{name: "amount with a point", reason: ReasonRequirements, text: "1.5",
			request: func(o object) { set(o, required+"amount", "1.5") }},
		{name: "payTo", reason: ReasonRequirements, text: "0xaa",
			request: func(o object) { set(o, required+"payTo", "0xaa") }},
		{name: "coin as payee", reason: ReasonRequirements, text: "contract of the coin",
			request: func(o object) { set(o, required+"payTo", coin.Hex()) }},
		{name: "amount as a number", reason: ReasonPayload, text: "paymentRequirements.amount is a number",
			request: func(o object) { set(o, required+"amount", 1500) }},
		{name: "to itself", reason: ReasonRecipient, text: "pays itself", terms: new(Terms),
			order: func(o *order) { o.to = o.from }, request: func(o object) {
				set(o, required+"payTo", crypto.PubkeyToAddress(key.PublicKey).Hex())
			}},
		{name: "no name of the coin", reason: ReasonDomain, text: "extra.name",
			request: func(o object) { set(o, required+"extra.name", nil) }},
		{name: "name of the coin", reason: ReasonName, text: "USDC",
			request: func(o object) { set(o, required+"extra.name", "USDC") }},
		{name: "version of the coin", reason: ReasonTokenVersion, text: `"2"`,
			request: func(o object) { set(o, required+"extra.version", "2") }},
		{name: "payer's address", reason: ReasonPayload, text: "from",
			request: func(o object) { set(o, auth+"from", "0x12") }},
		{name: "negative value", reason: ReasonPayload, text: "-1", request: func(o object) { set(o, auth+"value", "-1") }},
		{name: "257 bits", reason: ReasonPayload, text: "256 bits",
			request: func(o object) { set(o, auth+"value", new(big.Int).Lsh(big.NewInt(1), 256).String()) }},
		{name: "short nonce", reason: ReasonPayload, text: "0x01", request: func(o object) { set(o, auth+"nonce", "0x01") }},
		{name: "another payee", reason: ReasonRecipient, text: stranger.Hex(), order: func(o *order) { o.to = stranger }},
		{name: "underpaid", reason: ReasonAmount, text: "1499", order: func(o *order) { o.value = "1499" }},
		{name: "overpaid", reason: ReasonAmount, text: "1501", order: func(o *order) { o.value = "1501" }},
		{name: "expired", reason: ReasonValidBefore, text: fmt.Sprint(testTime + margin - 1),
			order: func(o *order) { o.validBefore = fmt.Sprint(testTime + margin - 1) }},
		{name: "expired by the time of the block", reason: ReasonValidBefore, text: fmt.Sprint(testTime + margin),
			order:   func(o *order) { o.validBefore = fmt.Sprint(testTime + margin) },
			network: func(n *fakeNetwork) { n.time++ }},
		{name: "expired by the clock", reason: ReasonValidBefore, text: fmt.Sprint(testTime + margin),
			order:   func(o *order) { o.validBefore = fmt.Sprint(testTime + margin - 1) },
			network: func(n *fakeNetwork) { n.time-- }},
		{name: "not yet valid", reason: ReasonValidAfter, text: fmt.Sprint(testTime),
			order: func(o *order) { o.validAfter = fmt.Sprint(testTime) }},
		{name: "another chain", reason: ReasonSignature, text: "not that of", order: func(o *order) { o.chainID = 8282 }},
		{name: "another domain", reason: ReasonSignature, text: "not that of", order: func(o *order) { o.name = "WKRC2" }},
		{name: "another contract", reason: ReasonSignature, text: "not that of",
			order: func(o *order) { o.contract = stranger }},
		{name: "another nonce than signed", reason: ReasonSignature, text: "not that of",
			request: func(o object) { set(o, auth+"nonce", common.Hash{1}.Hex()) }},
		{name: "no signature", reason: ReasonParse, text: "no signature",
			request: func(o object) { set(o, payload+"payload.signature", nil) }},
		{name: "long signature", reason: ReasonParse, text: "65 bytes",
			request: func(o object) { set(o, payload+"payload.signature", "0x"+strings.Repeat("ab", 66)) }},
		{name: "v", reason: ReasonSignature, text: "29",
			request: func(o object) { set(o, payload+"payload.signature", "0x"+strings.Repeat("11", 64)+"1d") }},
		{name: "r of 0", reason: ReasonSignature, text: "out of range",
			request: func(o object) { set(o, payload+"payload.signature", "0x"+strings.Repeat("00", 64)+"1b") }},
		{name: "account with code", reason: ReasonSignature, text: "has code",
			network: func(n *fakeNetwork) { n.state.HasCode = true }},
		{name: "used nonce", reason: ReasonUsed, text: common.Hash{31: 1}.Hex(),
			network: func(n *fakeNetwork) { n.state.Used = true }},
		{name: "balance", reason: ReasonBalance, text: "1499 wei",
			network: func(n *fakeNetwork) { n.state.Balance = big.NewInt(1499) }},
		{name: "blacklist", reason: ReasonSimulation, text: "blacklist",
			network: func(n *fakeNetwork) { n.state.Blacklisted = &shop }},
		{name: "simulation", reason: ReasonSimulation, text: "not today",
			network: func(n *fakeNetwork) { n.failure = "not today" }},
		{name: "payee of the key", reason: ReasonRefused + "pay_to", text: "pay_to",
			terms: &Terms{PayTo: map[common.Address]bool{stranger: true}}},
		{name: "no payee", reason: ReasonRefused + "pay_to", text: "pay_to", terms: &Terms{PayTo: map[common.Address]bool{}}},
		{name: "too much", reason: ReasonRefused + "max_amount", text: "at most 1499", terms: &Terms{Max: big.NewInt(1499)}},
		{name: "too little", reason: ReasonRefused + "min_amount", text: "at least 1501",
			terms: &Terms{Min: big.NewInt(1501)}},
		{name: "sponsor", reason: ReasonRefused + "max_total", text: "max_total",
			network: func(n *fakeNetwork) { n.judged = &Refusal{ReasonRefused + "max_total", "max_total"} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			order, network, terms := newOrder(key), newNetwork(t), limits
			if tt.order != nil {
				tt.order(order)
			}
			request := order.request(t, key)
			if tt.request != nil {
				tt.request(request)
			}
			if tt.network != nil {
				tt.network(network)
			}
			if tt.terms != nil {
				terms = tt.terms
			}
			f := newFacilitator(t, filepath.Join(t.TempDir(), "x402.db"))
			p, refusal := Parse(encode(t, request), testNetwork, coin)
			if refusal == nil {
				_, err := Verify(t.Context(), network, p, terms, time.Unix(testTime, 0))
				must.That(t, errors.As(err, &refusal), "verified with %v", err)
				_, err = f.Settle(t.Context(), network, p, terms)
				expect.That(t, reasonOf(err) == refusal.Reason, "settled with %v, verified with %v", err, refusal)
			}
			expect.That(t, refusal.Reason == tt.reason && strings.Contains(refusal.Text, tt.text),
				"%v; want %s with %q", refusal, tt.reason, tt.text)
			expect.That(t, network.signed == 0, "a refused payment was signed")
			must.Do(t, f.Close())
		})
	}
}

// TestAcceptedIsNoPrice: what is settled is what the shop requires and the customer has signed. What the customer says
// to have accepted moves no coin: neither a lower amount nor another payee in it makes another payment a good one.
func TestAcceptedIsNoPrice(t *testing.T) {
	const accepted = "paymentPayload.accepted."
	for name, row := range map[string]struct {
		field, value string
		order        func(*order) // signs what is said to be accepted
		reason       string       // of what is signed so
	}{
		"amount": {"amount", "1", func(o *order) { o.value = "1" }, ReasonAmount},
		"payee":  {"payTo", stranger.Hex(), func(o *order) { o.to = stranger }, ReasonRecipient},
		"asset":  {"asset", stranger.Hex(), func(o *order) { o.contract = stranger }, ReasonSignature},
	} {
		t.Run(name, func(t *testing.T) {
			key, network := newKey(t), newNetwork(t)
			f := newFacilitator(t, filepath.Join(t.TempDir(), "x402.db"))
			cheap := newOrder(key)
			row.order(cheap)
			request := cheap.request(t, key)
			set(request, accepted+row.field, row.value)
			_, err := f.Settle(t.Context(), network, mustParse(t, request), new(Terms))
			expect.That(t, reasonOf(err) == row.reason, "signed as accepted: %v, want %s", err, row.reason)
			request = newOrder(key).request(t, key)
			set(request, accepted+row.field, row.value)
			_, err = f.Settle(t.Context(), network, mustParse(t, request), new(Terms))
			expect.That(t, err == nil, "signed as required: %v", err)
			expect.Equal(t, network.submissions(), 1, "submissions")
			must.Do(t, f.Close())
		})
	}
}

// TestTimesAtTheirBounds: the coin takes an authorization after validAfter and before validBefore.
// spec: system-contracts 2.2
func TestTimesAtTheirBounds(t *testing.T) {
	key := newKey(t)
	order := newOrder(key)
	order.validAfter, order.validBefore = fmt.Sprint(testTime-1), fmt.Sprint(testTime+margin)
	expect.Error(t, expect.Err(Verify(t.Context(), newNetwork(t), mustParse(t, order.request(t, key)), new(Terms),
		time.Unix(testTime, 0))), nil, "Verify")
	order.validBefore = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)).String()
	expect.Error(t, expect.Err(Verify(t.Context(), newNetwork(t), mustParse(t, order.request(t, key)), new(Terms),
		time.Unix(testTime, 0))), nil, "Verify")
}

// TestHighS: the other form of a good signature is refused, since the coin's contract refuses it.
// spec: system-contracts 2.2
func TestHighS(t *testing.T) {
	key := newKey(t)
	order := newOrder(key)
	signature := order.sign(t, key)
	s := new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(signature[32:64]))
	s.FillBytes(signature[32:64])
	signature[64] = 27 + 28 - signature[64]
	request := order.request(t, key)
	set(request, "paymentPayload.payload.signature", hexutil.Encode(signature))
	_, err := Verify(t.Context(), newNetwork(t), mustParse(t, request), new(Terms), time.Unix(testTime, 0))
	expect.Equal(t, reasonOf(err), ReasonSignature, "%v", err)
}

// TestBodies: what is no request is refused with a sentence.
func TestBodies(t *testing.T) {
	good := encode(t, newOrder(newKey(t)).request(t, newKey(t)))
	for name, body := range map[string]string{
		"empty": "", "no JSON": "payment", "array": "[]", "null": "null", "number": "7",
		"two objects": string(good) + "{}", "too large": string(good) + strings.Repeat(" ", MaxBody),
		"deep": strings.Repeat("[", MaxBody/2), "wrong type": `{"x402Version":"2"}`,
	} {
		t.Run(name, func(t *testing.T) {
			p, refusal := Parse([]byte(body), testNetwork, coin)
			expect.That(t, p == nil && refusal != nil && refusal.Reason == ReasonPayload && len(refusal.Text) <= 300,
				"%v, %v", p, refusal)
		})
	}
}

// TestOnce: the same payment has the same answer, side by side, later, and after a restart, with one transaction.
func TestOnce(t *testing.T) {
	key := newKey(t)
	path := filepath.Join(t.TempDir(), "x402.db")
	network, p := newNetwork(t), mustParse(t, newOrder(key).request(t, key))
	f := newFacilitator(t, path)
	hashes := make(chan common.Hash, 20)
	var wait sync.WaitGroup
	for range cap(hashes) {
		wait.Go(func() {
			hash, err := f.Settle(t.Context(), network, p, new(Terms))
			expect.Error(t, err, nil, "Settle")
			hashes <- hash
		})
	}
	wait.Wait()
	close(hashes)
	first := <-hashes
	for hash := range hashes {
		must.That(t, hash == first && hash != (common.Hash{}), "answers %v and %v", first, hash)
	}
	expect.Equal(t, f.turns.Len(), 0, "turns are left")
	must.Do(t, f.Close())
	f = newFacilitator(t, path)
	defer func() { expect.Error(t, f.Close(), nil, "Close") }()
	if hash, err := f.Settle(t.Context(), network, p, new(Terms)); hash != first || err != nil {
		t.Errorf("after a restart %v, %v", hash, err)
	}
	if network.signed != 1 || network.submissions() != 1 {
		t.Errorf("%d transactions, %d submissions", network.signed, network.submissions())
	}
	if _, err := Verify(t.Context(), network, p, new(Terms), time.Unix(testTime, 0)); reasonOf(err) != ReasonUsed {
		t.Errorf("verified again: %v", err)
	}
	other := newOrder(key)
	other.validBefore = fmt.Sprint(testTime + 61)
	_, err := f.Settle(t.Context(), network, mustParse(t, other.request(t, key)), new(Terms))
	expect.That(t, reasonOf(err) == ReasonUsed, "another payment with the nonce: %v", err)
}

// TestInterruptedSettlement: a crash, a node that does not answer, and a block that is late lead to one transaction.
// What the sponsor has refused leaves nothing behind.
func TestInterruptedSettlement(t *testing.T) {
	pending := func(raw []byte) (*Receipt, error) {
		return &Receipt{Hash: crypto.Keccak256Hash(raw), Pending: true}, nil
	}
	for _, tt := range []struct {
		name    string
		outcome func([]byte) (*Receipt, error)
		reason  string
		signed  int // in the end
	}{
		{"node", func([]byte) (*Receipt, error) { return nil, errors.New("no route") }, "no route", 1},
		{"late block", pending, ReasonPending, 1},
		{"sponsor", func([]byte) (*Receipt, error) { return nil, &Refusal{ReasonRefused + "max_total", "max_total"} },
			ReasonRefused + "max_total", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key := newKey(t)
			path := filepath.Join(t.TempDir(), "x402.db")
			network, p := newNetwork(t), mustParse(t, newOrder(key).request(t, key))
			network.outcome = tt.outcome
			f := newFacilitator(t, path)
			hash, err := f.Settle(t.Context(), network, p, new(Terms))
			must.That(t, reasonOf(err) == tt.reason && (hash != common.Hash{}) == (tt.reason == ReasonPending),
				"%v, %v", hash, err)
			must.Do(t, f.Close())
			network.outcome = nil
			f = newFacilitator(t, path)
			again, err := f.Settle(t.Context(), network, p, new(Terms))
			if err != nil || tt.reason == ReasonPending && again != hash {
				t.Errorf("%v, %v; before %v", again, err, hash)
			}
			if network.signed != tt.signed || network.submissions() != 1 {
				t.Errorf("%d transactions, %d submissions", network.signed, network.submissions())
			}
			must.Do(t, f.Close())
		})
	}
}

// TestStaleRecord: a transaction that was never submitted and that the sponsor now refuses is made again at once.
func TestStaleRecord(t *testing.T) {
	key := newKey(t)
	f := newFacilitator(t, filepath.Join(t.TempDir(), "x402.db"))
	network, p := newNetwork(t), mustParse(t, newOrder(key).request(t, key))
	stale := &record{Struct: p.StructHash(), Raw: []byte("stale"), Day: testTime / SecondsADay}
	must.Do(t, f.store.put(p.id(), stale))
	network.outcome = func(raw []byte) (*Receipt, error) {
		if string(raw) == "stale" {
			return nil, &Refusal{ReasonRefused + "fee_cap", "fee_cap"}
		}
		return &Receipt{Hash: crypto.Keccak256Hash(raw), Transfers: []Transfer{{p.From, p.To, p.Value}}}, nil
	}
	hash, err := f.Settle(t.Context(), network, p, new(Terms))
	expect.That(t, err == nil && hash != (common.Hash{}), "%v, %v", hash, err)
	must.Do(t, f.Close())
}

// TestFailedTransfer: a block that has the transaction without the transfer is no success, at the next request neither.
func TestFailedTransfer(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		receipt      func(*Payment) Receipt
	}{
		{"reverted", ReasonFailed, func(p *Payment) Receipt {
			return Receipt{Failed: true, Transfers: []Transfer{{p.From, p.To, p.Value}}}
		}},
		{"no log", ReasonNoTransfer, func(*Payment) Receipt { return Receipt{} }},
		{"another payee", ReasonNoTransfer, func(p *Payment) Receipt {
			return Receipt{Transfers: []Transfer{{p.From, stranger, p.Value}}}
		}},
		{"another amount", ReasonNoTransfer, func(p *Payment) Receipt {
			return Receipt{Transfers: []Transfer{{p.From, p.To, uint256.NewInt(1499)}}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key := newKey(t)
			f := newFacilitator(t, filepath.Join(t.TempDir(), "x402.db"))
			network, p := newNetwork(t), mustParse(t, newOrder(key).request(t, key))
			network.outcome = func([]byte) (*Receipt, error) {
				r := tt.receipt(p)
				r.Hash = common.Hash{7}
				return &r, nil
			}
			for range 2 {
				hash, err := f.Settle(t.Context(), network, p, new(Terms))
				expect.That(t, hash == (common.Hash{7}) && reasonOf(err) == tt.reason, "%v, %v; want %s", hash, err, tt.reason)
			}
			expect.Equal(t, network.signed, 1, "transactions")
			must.Do(t, f.Close())
		})
	}
}

// TestUsedMeanwhile: where another transaction has used the authorization, the customer is not asked to pay again.
func TestUsedMeanwhile(t *testing.T) {
	key := newKey(t)
	f := newFacilitator(t, filepath.Join(t.TempDir(), "x402.db"))
	network, p := newNetwork(t), mustParse(t, newOrder(key).request(t, key))
	network.outcome = func([]byte) (*Receipt, error) {
		network.state.Used = true
		return &Receipt{Hash: common.Hash{7}, Failed: true}, nil
	}
	for range 2 {
		_, err := f.Settle(t.Context(), network, p, new(Terms))
		expect.That(t, reasonOf(err) == ReasonFailed && strings.Contains(err.Error(), "look for its transfer"), "%v", err)
	}
	must.Do(t, f.Close())
}

// TestSignatureIsProven: what is settled is public, so that a repeated request has to have the authorizer's signature
// again, over a restart and while the payment is under way too.
func TestSignatureIsProven(t *testing.T) {
	for _, pending := range []bool{false, true} {
		t.Run(fmt.Sprintf("pending %v", pending), func(t *testing.T) {
			path, key := filepath.Join(t.TempDir(), "x402.db"), newKey(t)
			f := newFacilitator(t, path)
			network, p := newNetwork(t), mustParse(t, newOrder(key).request(t, key))
			if pending {
				network.outcome = func([]byte) (*Receipt, error) { return &Receipt{Hash: common.Hash{7}, Pending: true}, nil }
			}
			hash, first := f.Settle(t.Context(), network, p, new(Terms))
			must.Equal(t, pending, reasonOf(first) == ReasonPending, "%v, %v", hash, first)
			forged := bytes.Repeat([]byte{0x11}, crypto.SignatureLength)
			forged[64] = 27
			for name, signature := range map[string][]byte{
				"of nobody": forged, "of a stranger": newOrder(key).sign(t, newKey(t)),
			} {
				request := newOrder(key).request(t, key)
				set(request, "paymentPayload.payload.signature", hexutil.Encode(signature))
				_, err := f.Settle(t.Context(), network, mustParse(t, request), new(Terms))
				expect.That(t, reasonOf(err) == ReasonSignature, "signature %s: %v", name, err)
			}
			must.Do(t, f.Close())
			f = newFacilitator(t, path)
			if again, err := f.Settle(t.Context(), network, p, new(Terms)); again != hash || reasonOf(err) != reasonOf(first) {
				t.Errorf("the authorizer's own: %v, %v; before %v, %v", again, err, hash, first)
			}
			must.Do(t, f.Close())
		})
	}
}

// TestOneBalanceOnce: the payments of one authorizer that are under way together take no more than its balance. What
// has ended makes room, also where its shop did not wait, and what no block takes any more.
func TestOneBalanceOnce(t *testing.T) {
	path, key := filepath.Join(t.TempDir(), "x402.db"), newKey(t)
	f := newFacilitator(t, path)
	network := newNetwork(t)
	network.state.Balance = big.NewInt(3 * 1500)
	network.outcome = func(raw []byte) (*Receipt, error) {
		return &Receipt{Hash: crypto.Keccak256Hash(raw), Pending: true}, nil
	}
	settle := func(nonce byte, validBefore int) string {
		t.Helper()
		o := newOrder(key)
		o.nonce, o.validBefore = common.Hash{nonce}, fmt.Sprint(validBefore)
		_, err := f.Settle(t.Context(), network, mustParse(t, o.request(t, key)), new(Terms))
		return reasonOf(err)
	}
	for nonce := range byte(50) {
		want := ReasonPending
		if nonce >= 3 {
			want = ReasonBalance
		}
		expect.Equal(t, settle(nonce, testTime+60), want, "payment %d", nonce)
	}
	must.Do(t, f.Close())
	f = newFacilitator(t, path)
	expect.Equal(t, settle(60, testTime+200), ReasonBalance, "after a restart")
	expect.Equal(t, settle(0, testTime+60), ReasonPending, "the first one again")
	network.decided = map[string]bool{"transaction 1": true}
	expect.Equal(t, settle(61, testTime+200), ReasonPending, "one has ended")
	expect.Equal(t, settle(62, testTime+200), ReasonBalance, "full again")
	network.time = testTime + 61
	for nonce := byte(63); nonce < 66; nonce++ {
		want := ReasonPending
		if nonce == 65 { // the one until testTime + 200 is under way, and two of these
			want = ReasonBalance
		}
		expect.Equal(t, settle(nonce, testTime+200), want, "payment %d, when two have expired", nonce)
	}
	must.Do(t, f.Close())
}

// TestOldRecordsGo bounds the file: records of days that are over for long are removed.
func TestOldRecordsGo(t *testing.T) {
	f := newFacilitator(t, filepath.Join(t.TempDir(), "x402.db"))
	const today = testTime / SecondsADay
	ids := []paymentID{{1}, {2}, {3}}
	for i, day := range []uint64{today - RetainedDays - 1, today - RetainedDays, today} {
		must.Do(t, f.store.put(ids[i], &record{Day: day, Done: true}))
	}
	for i, kept := range []bool{false, true, true} {
		r, err := f.store.get(ids[i])
		expect.That(t, err == nil && (r != nil) == kept, "record %d: %v, %v", i, r, err)
	}
	must.Do(t, f.Close())
}

// FuzzParse: any body has a refusal or a payment that the coin's contract could be called with.
func FuzzParse(f *testing.F) {
	key := must.Get(crypto.ToECDSA(common.LeftPadBytes([]byte{1}, 32)))(f)
	f.Add(encode(f, newOrder(key).request(f, key)))
	f.Add([]byte(`{"x402Version":2,"paymentPayload":{"payload":{"authorization":{}}},"paymentRequirements":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, refusal := Parse(body, testNetwork, coin)
		if refusal != nil {
			expect.That(t, refusal.Reason != "" && refusal.Text != "", "refusal %#v", refusal)
			return
		}
		expect.That(t, len(p.CallData()) == 4+9*32 && !p.Amount.IsZero() && p.Name != "", "payment %+v", p)
	})
}
