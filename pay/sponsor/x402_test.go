// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
	"gwon/pay/sponsor/x402"
)

const (
	coinGas = 100_000

	x402Policy = `[x402]
enabled = true
any_pay_to = true
max_amount = "2000 wei"

[[key]]
label = "shop"
max_total = "100 WKRC"

[[key.contract]]
address = "0x0000000000000000000000000000000000001000"
selectors = ["transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"]
`
)

var (
	shopAccount   = common.HexToAddress("0x00000000000000000000000000000000000000aa")
	coinSeparator = common.Hash{1, 2, 3}
)

// fakeCoin is the coin's contract of a fakeChain, which holds the lock.
type fakeCoin struct {
	chain    *fakeChain
	failed   bool // transfers of blocks revert
	imitated bool // another contract logs them
}

// call answers what a facilitator asks.
func (c *fakeCoin) call(call map[string]any) (hexutil.Bytes, error) {
	text, _ := call["data"].(string)
	data, err := hexutil.Decode(text)
	if err != nil {
		return nil, err
	}
	text32 := func(text string) hexutil.Bytes {
		answer := common.LeftPadBytes([]byte{32}, 32)
		answer = append(answer, common.LeftPadBytes([]byte{byte(len(text))}, 32)...)
		return append(answer, common.RightPadBytes([]byte(text), 32)...)
	}
	for function, answer := range map[string]func() hexutil.Bytes{
		"name()":             func() hexutil.Bytes { return text32("WKRC") },
		"version()":          func() hexutil.Bytes { return text32("1") },
		"DOMAIN_SEPARATOR()": func() hexutil.Bytes { return coinSeparator[:] },
		"authorizationState(address,bytes32)": func() hexutil.Bytes {
			for _, block := range c.chain.blocks {
				for _, tx := range block {
					if bytes.Equal(tx.Data()[4+5*32:4+6*32], data[4+32:]) && !c.failed {
						return common.LeftPadBytes([]byte{1}, 32)
					}
				}
			}
			return make([]byte, 32)
		},
	} {
		if bytes.HasPrefix(data, crypto.Keccak256([]byte(function))[:4]) {
			return answer(), nil
		}
	}
	return nil, errors.New("execution reverted")
}

// addLogs completes the receipt of a transfer.
func (c *fakeCoin) addLogs(tx *types.Transaction, receipt map[string]any) {
	if c.failed {
		receipt["status"] = hexutil.Uint64(0)
		return
	}
	data, logger := tx.Data(), params.NativeCoinAdapterAddress
	if c.imitated {
		logger = shopAccount
	}
	receipt["logs"] = []*types.Log{{
		Address: logger, Data: data[4+2*32 : 4+3*32],
		Topics: []common.Hash{transferTopic, common.Hash(data[4 : 4+32]), common.Hash(data[4+32 : 4+2*32])},
	}}
}

// paidRequest is a payment of 1,500 wei as the packages of x402 send it.
func paidRequest(t *testing.T, key *ecdsa.PrivateKey, nonce common.Hash) string {
	t.Helper()
	a := &x402.Authorization{
		From: crypto.PubkeyToAddress(key.PublicKey), To: shopAccount, Value: uint256.NewInt(1500),
		ValidAfter: new(uint256.Int), ValidBefore: uint256.NewInt(uint64(time.Now().Unix()) + 600), Nonce: nonce,
	}
	hash := a.StructHash()
	signature := must.Get(crypto.Sign(crypto.Keccak256([]byte{0x19, 1}, coinSeparator[:], hash[:]), key))(t)
	requirements := map[string]any{
		"scheme": "exact", "network": fmt.Sprintf("eip155:%d", testChain), "asset": params.NativeCoinAdapterAddress,
		"amount": "1500", "payTo": shopAccount, "maxTimeoutSeconds": 600,
		"extra": map[string]string{"name": "WKRC", "version": "1"},
	}
	body := must.Get(json.Marshal(map[string]any{
		"x402Version": 2, "paymentRequirements": requirements, "paymentPayload": map[string]any{
			"x402Version": 2, "accepted": requirements, "payload": map[string]any{
				"signature": hexutil.Encode(signature), "authorization": map[string]string{
					"from": a.From.Hex(), "to": a.To.Hex(), "value": a.Value.Dec(), "validAfter": a.ValidAfter.Dec(),
					"validBefore": a.ValidBefore.Dec(), "nonce": nonce.Hex(),
				},
			},
		},
	}))(t)
	return string(body)
}

// startPayments starts a sponsor in front of a chain with a coin, and a customer who has 1,500 wei.
func startPayments(t *testing.T, policy string) (*bench, *ecdsa.PrivateKey) {
	b := startBench(t, policy)
	customer := newSender(t)
	b.chain.set(func() {
		b.chain.coin = &fakeCoin{chain: b.chain}
		b.chain.balances[crypto.PubkeyToAddress(customer.PublicKey)] = big.NewInt(1500)
	})
	return b, customer
}

func (b *bench) verify(body string) (answer x402.VerifyResponse) {
	b.t.Helper()
	status, text := b.post("/verify", body)
	if err := json.Unmarshal(text, &answer); err != nil || status != http.StatusOK {
		b.t.Fatalf("status %d, %s: %v", status, text, err)
	}
	return answer
}

// settle asks to settle, and makes a block once the transaction is in the pool.
func (b *bench) settle(body string) (answer x402.SettleResponse) {
	b.t.Helper()
	answers := make(chan []byte, 1)
	go func() {
		_, text := b.post("/settle", body)
		answers <- text
	}()
	for deadline := time.Now().Add(20 * time.Second); ; {
		select {
		case text := <-answers:
			if err := json.Unmarshal(text, &answer); err != nil {
				b.t.Fatalf("%s: %v", text, err)
			}
			return answer
		case <-time.After(10 * time.Millisecond):
			if time.Now().After(deadline) {
				b.t.Fatal("no answer in time")
			}
			if len(b.chain.pooled()) > 0 {
				b.chain.minePool()
			}
		}
	}
}

// TestX402Payment goes from /supported to the transfer. The payer of the sponsor pays the fee, the books count it to
// the wei, and the same request has the same answer, after a restart too.
func TestX402Payment(t *testing.T) {
	b, customer := startPayments(t, x402Policy)
	response := must.Get(http.Get(b.url + "/supported"))(t)
	text, err := io.ReadAll(response.Body)
	must.Do(t, errors.Join(err, response.Body.Close()))
	var supported x402.SupportedResponse
	err = json.Unmarshal(text, &supported)
	must.That(t, err == nil && len(supported.Kinds) == 1, "%s: %v", text, err)
	kind := supported.Kinds[0]
	expect.That(t, kind.Version == 2 && kind.Scheme == "exact" && kind.Network == "eip155:8283" &&
		kind.Extra["name"] == "WKRC" && supported.Signers["eip155:*"][0] == b.payer.Hex() && supported.Extensions != nil,
		"supported %s", text)
	body := paidRequest(t, customer, common.Hash{1})
	payer := crypto.PubkeyToAddress(customer.PublicKey).Hex()
	a := b.verify(body)
	must.That(t, a.IsValid && a.Payer == payer, "verified %+v", a)
	paid := b.settle(body)
	must.That(t, paid.Success && paid.Payer == payer && paid.Network == "eip155:8283", "settled %+v", paid)
	b.mustSpend("settled", testFee, 1)
	tx, _ := b.chain.find(common.HexToHash(paid.Transaction))
	must.That(t, tx != nil && tx.Type() == types.FeeDelegateTxType && *tx.FeePayer() == b.payer && tx.Nonce() == 0 &&
		tx.Gas() == coinGas*9/8, "transaction %v", tx)
	a = b.verify(body)
	expect.That(t, !a.IsValid && a.Reason == x402.ReasonUsed, "verified a replay %+v", a)
	expect.Equal(t, b.settle(body), paid, "settled again")
	b.stop()
	b.start()
	expect.Equal(t, b.settle(body), paid, "settled after a restart")
	expect.Equal(t, b.chain.submitted, 1, "submissions")
	b.mustSpend("again", testFee, 1)
	audit, err := os.ReadFile(filepath.Join(b.dir, "books", "audit.jsonl"))
	expect.That(t, err == nil && strings.Count(string(audit), `"event":"paid"`) == 1, "audit log %s: %v", audit, err)
}

// TestX402OneBalance: of payments at the same moment over coins for one of them, one is settled, and the sponsor pays
// for no other.
func TestX402OneBalance(t *testing.T) {
	b, customer := startPayments(t, x402Policy)
	const payments = 8
	answers := make(chan x402.SettleResponse, payments)
	for i := range payments {
		body := paidRequest(t, customer, common.Hash{byte(i + 1)})
		go func() {
			var answer x402.SettleResponse
			_, text := b.post("/settle", body)
			expect.That(t, json.Unmarshal(text, &answer) == nil, "%s", text)
			answers <- answer
		}()
	}
	for range payments - 1 {
		a := <-answers
		expect.That(t, !a.Success && a.Reason == x402.ReasonBalance, "settled %+v", a)
	}
	b.await("the submission", func() bool { return len(b.chain.pooled()) == 1 })
	b.chain.minePool()
	a := <-answers
	expect.That(t, a.Success, "settled %+v", a)
	b.mustSpend("one balance", testFee, 1)
}

// TestX402Interrupted: after a refusal of the node and a restart, the same transaction settles the payment.
func TestX402Interrupted(t *testing.T) {
	b, customer := startPayments(t, x402Policy)
	b.chain.set(func() { b.chain.refuse = errors.New("pool is full") })
	body := paidRequest(t, customer, common.Hash{1})
	if a := b.settle(body); a.Success || a.Reason != x402.ReasonSettleError || a.Transaction != "" ||
		strings.Contains(a.Text, "pool") {
		t.Fatalf("settled %+v", a)
	}
	b.stop()
	b.chain.set(func() { b.chain.refuse = nil })
	b.start()
	a := b.settle(body)
	must.That(t, a.Success, "settled %+v", a)
	b.mustSpend("in the end", testFee, 1)
}

// TestX402Failed: a transfer that fails in its block costs the sponsor, and is no payment, at the next request neither.
func TestX402Failed(t *testing.T) {
	b, customer := startPayments(t, x402Policy)
	b.chain.set(func() { b.chain.coin.failed = true })
	body := paidRequest(t, customer, common.Hash{1})
	first := b.settle(body)
	must.That(t, !first.Success && first.Reason == x402.ReasonFailed && first.Transaction != "", "settled %+v", first)
	b.mustSpend("failed", testFee, 1)
	again := b.settle(body)
	expect.That(t, again == first && b.chain.submitted == 1, "settled again %+v, %d submissions", again, b.chain.submitted)
}

// TestX402Imitation: a log of another contract is no transfer of the coin.
func TestX402Imitation(t *testing.T) {
	b, customer := startPayments(t, x402Policy)
	b.chain.set(func() { b.chain.coin.imitated = true })
	a := b.settle(paidRequest(t, customer, common.Hash{1}))
	expect.That(t, !a.Success && a.Reason == x402.ReasonNoTransfer, "settled %+v", a)
}

// TestX402Rules: policy, budget, lists and state refuse at /verify already, and /settle submits nothing.
func TestX402Rules(t *testing.T) {
	for _, tt := range []struct {
		name, old, new, reason, text string
		chain                        func(*fakeChain)
	}{
		{name: "max_amount", old: `"2000 wei"`, new: `"1499 wei"`,
			reason: x402.ReasonRefused + "max_amount", text: "at most 1499 wei"},
		{name: "pay_to", old: `any_pay_to = true`, new: `pay_to = ["0x00000000000000000000000000000000000000bb"]`,
			reason: x402.ReasonRefused + "pay_to", text: "pay_to"},
		{name: "pay_to of the key", old: `max_total`,
			new:    "pay_to = [\"0x00000000000000000000000000000000000000bb\"]\nmax_total",
			reason: x402.ReasonRefused + "pay_to", text: "pay_to"},
		{name: "budget", old: `"100 WKRC"`, new: "\"1 WKRC\"\nmax_per_tx = \"50 WKRC\"",
			reason: x402.ReasonRefused + "max_total", text: "the limit is 1 WKRC"},
		{name: "target", old: `"transferWithAuthorization(`, new: `"receiveWithAuthorization(`,
			reason: x402.ReasonRefused + "target", text: "target"},
		{name: "max_gas", old: `max_total`, new: "max_gas = 112499\nmax_total",
			reason: x402.ReasonRefused + "max_gas", text: "112500"},
		{name: "deny", old: `max_total`, new: "deny = [\"0x00000000000000000000000000000000000000aa\"]\nmax_total",
			reason: x402.ReasonRefused + "deny", text: "deny"},
		{name: "switched off", old: `max_total`, new: "active = false\nmax_total",
			reason: x402.ReasonRefused + "active", text: "active"},
		{name: "blacklist", chain: func(c *fakeChain) { c.listed = shopAccount },
			reason: x402.ReasonSimulation, text: "blacklist"},
		{name: "simulation", chain: func(c *fakeChain) { c.fails = true }, reason: x402.ReasonSimulation, text: "reverted"},
		{name: "balance", chain: func(c *fakeChain) { clear(c.balances) }, reason: x402.ReasonBalance, text: "has 0 wei"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, customer := startPayments(t, strings.Replace(x402Policy, tt.old, tt.new, 1))
			if tt.chain != nil {
				b.chain.set(func() { tt.chain(b.chain) })
			}
			body := paidRequest(t, customer, common.Hash{1})
			if a := b.verify(body); a.IsValid || a.Reason != tt.reason || !strings.Contains(a.Text, tt.text) {
				t.Errorf("verified %+v; want %s with %q", a, tt.reason, tt.text)
			}
			if a := b.settle(body); a.Success || a.Reason != tt.reason || a.Transaction != "" || b.chain.submitted != 0 {
				t.Errorf("settled %+v, %d submissions", a, b.chain.submitted)
			}
			// docs/develop/sponsor.md: audit.jsonl has a line for each decision.
			audit := string(must.Get(os.ReadFile(filepath.Join(b.dir, "books", "audit.jsonl")))(t))
			expect.That(t, strings.Count(audit, `"event":"refused"`) == 2 && strings.Count(audit, tt.text) >= 2,
				"audit log %s; want two refusals with %q", audit, tt.text)
		})
	}
}

// TestX402Fees: a settlement stays below max_fee_per_gas where the base fee allows it.
func TestX402Fees(t *testing.T) {
	limit := big.NewInt(testBaseFee + testTip + 1)
	b, customer := startPayments(t, strings.Replace(x402Policy, `max_total`,
		fmt.Sprintf("max_fee_per_gas = \"%d wei\"\nmax_total", limit), 1))
	paid := b.settle(paidRequest(t, customer, common.Hash{1}))
	tx, _ := b.chain.find(common.HexToHash(paid.Transaction))
	expect.That(t, tx != nil && tx.GasFeeCap().Cmp(limit) == 0, "settled %+v by %v", paid, tx)
}

// TestX402Doors: API keys, rates and sizes bound requests as elsewhere, and a sponsor without the section has no doors.
func TestX402Doors(t *testing.T) {
	closed := strings.Replace(x402Policy, `label = "shop"`, "label = \"shop\"\nhash = \"HASH\"", 1)
	t.Run("keys", func(t *testing.T) {
		b, customer := startPayments(t, closed)
		body := paidRequest(t, customer, common.Hash{1})
		for _, tt := range []struct {
			path   string
			header string
			status int
		}{
			{"/verify", "", http.StatusUnauthorized}, {"/settle", "wrong", http.StatusUnauthorized},
			{"/wrong/settle", "", http.StatusUnauthorized}, {"/verify", goodKey, http.StatusOK},
			{"/" + goodKey + "/verify", "", http.StatusOK},
		} {
			status, text := b.post(tt.path, body, "X-Api-Key", tt.header)
			if status != tt.status || status != http.StatusOK && !bytes.Contains(text, []byte(x402.ReasonAuthorization)) {
				t.Errorf("%s: status %d, %s", tt.path, status, text)
			}
		}
		expect.Equal(t, b.chain.submitted, 0, "a request without a key was submitted")
		n := b.refusals()
		expect.That(t, len(n) == 1 && n[x402.ReasonAuthorization] == 3, "refusals counted: %v", n)
	})
	t.Run("sizes", func(t *testing.T) {
		b, _ := startPayments(t, x402Policy)
		for body, status := range map[string]int{
			strings.Repeat(" ", x402.MaxBody+1): http.StatusRequestEntityTooLarge, "{": http.StatusBadRequest,
			`{"x402Version":1}`: http.StatusBadRequest,
		} {
			for _, path := range []string{"/verify", "/settle"} {
				have, text := b.post(path, body)
				expect.That(t, have == status && json.Valid(text), "%s of %d bytes: status %d, %s", path, len(body), have, text)
			}
		}
	})
	t.Run("rates", func(t *testing.T) {
		b, customer := startPayments(t, "rate_per_address = 0.001\n"+x402Policy)
		body := paidRequest(t, customer, common.Hash{1})
		status := http.StatusOK
		for range maxBatch + 1 {
			status, _ = b.post("/verify", body)
		}
		expect.Equal(t, status, http.StatusTooManyRequests, "status")
	})
	t.Run("off", func(t *testing.T) {
		b := startBench(t, openPolicy)
		status, text := b.post("/settle", "{}")
		expect.That(t, status == http.StatusNotFound && bytes.Contains(text, []byte("x402 is off")),
			"status %d, %s", status, text)
		c := *b.config
		c.X402 = &X402Config{Enabled: true, AnyPayTo: true}
		err := b.sponsor.Reload(&c)
		expect.That(t, err != nil && strings.Contains(err.Error(), "x402"), "reloaded with %v", err)
	})
}

// TestX402LimitsOfSender: the limits of a sender count what a customer causes, and no account of a settlement.
// docs/develop/x402.md
func TestX402LimitsOfSender(t *testing.T) {
	for rule, limit := range map[string]string{"max_per_sender_day": `"8 WKRC"`, "max_count_per_sender": "1"} {
		t.Run(rule, func(t *testing.T) {
			b, customer := startPayments(t, strings.Replace(x402Policy, "max_total", rule+" = "+limit+"\nmax_total", 1))
			other := newSender(t)
			a := b.settle(paidRequest(t, customer, common.Hash{1}))
			must.That(t, a.Success, "settled %+v", a)
			b.chain.set(func() {
				for _, key := range []*ecdsa.PrivateKey{customer, other} {
					b.chain.balances[crypto.PubkeyToAddress(key.PublicKey)] = big.NewInt(1500)
				}
			})
			second := paidRequest(t, customer, common.Hash{2})
			if a := b.verify(second); a.IsValid || a.Reason != x402.ReasonRefused+rule {
				t.Errorf("verified %+v", a)
			}
			a = b.settle(second)
			expect.That(t, !a.Success && a.Reason == x402.ReasonRefused+rule, "settled %+v", a)
			a = b.settle(paidRequest(t, other, common.Hash{3}))
			expect.That(t, a.Success, "of another customer: %+v", a)
		})
	}
}
