// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/time/rate"

	"gwon/internal/door"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
	"gwon/pay/txsign"
)

const openPolicy = `[[key]]
label = "open"
any_target = true
value_allowed = true
sign = true
max_total = "100 WKRC"
max_per_tx = "10000 WKRC"
`

// rpcAnswer is a decoded answer.
type rpcAnswer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int     `json:"code"`
		Message string  `json:"message"`
		Data    Refusal `json:"data"`
	} `json:"error"`
}

func (b *bench) post(path, body string, headers ...string) (int, []byte) {
	b.t.Helper()
	ctx := b.t.Context()
	request := must.Get(http.NewRequestWithContext(ctx, http.MethodPost, b.url+path, strings.NewReader(body)))(b.t)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response := must.Get(http.DefaultClient.Do(request))(b.t)
	defer func() { _ = response.Body.Close() }() // what counts is what was read
	answer := must.Get(io.ReadAll(response.Body))(b.t)
	return response.StatusCode, answer
}

func (b *bench) call(path, method string, params ...any) *rpcAnswer {
	b.t.Helper()
	body := must.Get(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": method, "params": params}))(b.t)
	_, text := b.post(path, string(body))
	a := new(rpcAnswer)
	if err := json.Unmarshal(text, a); err != nil {
		b.t.Fatalf("%v: %s", err, text)
	}
	return a
}

func (b *bench) must(result any, method string, params ...any) {
	b.t.Helper()
	a := b.call("/", method, params...)
	if a.Error != nil {
		b.t.Fatalf("%s: %+v", method, a.Error)
	}
	if err := json.Unmarshal(a.Result, result); err != nil {
		b.t.Fatalf("%s: %v: %s", method, err, a.Result)
	}
}

func newSender(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	return key
}

func senderTx(
	t testing.TB,
	key *ecdsa.PrivateKey,
	change func(*types.DynamicFeeTx),
) (*types.Transaction, hexutil.Bytes) {
	t.Helper()
	inner := &types.DynamicFeeTx{
		ChainID: big.NewInt(testChain), To: &common.Address{0xaa}, Value: new(big.Int), Gas: 21000,
		GasTipCap: big.NewInt(testTip), GasFeeCap: big.NewInt(2*testBaseFee + testTip),
	}
	if change != nil {
		change(inner)
	}
	tx := must.Get(types.SignNewTx(key, types.LatestSignerForChainID(inner.ChainID), inner))(t)
	raw := must.Get(tx.MarshalBinary())(t)
	return tx, raw
}

// mustSpend waits until the books have settled, and compares them to the wei.
func (b *bench) mustSpend(label string, spent *big.Int, count uint64) {
	b.t.Helper()
	k := b.config.Keys[0]
	var u *Usage
	b.await("settlement", func() bool {
		var err error
		if u, err = b.sponsor.books.Usage(k, time.Now()); err != nil {
			b.t.Fatal(err)
		}
		return u.Reserved == "0"
	})
	if u.Spent != spent.String() || u.Count != count {
		b.t.Errorf("%s: spent %s, count %d; want %v, %d", label, u.Spent, u.Count, spent, count)
	}
}

// TestSponsoredTransaction goes from the submission to the receipt by the sender's hash, on a node that does not know
// that hash. The same bytes have the same answer before and after the block.
// spec: transactions 1.2
func TestSponsoredTransaction(t *testing.T) {
	b := startBench(t, openPolicy)
	tx, raw := senderTx(t, newSender(t), nil)
	for range 2 {
		var hash common.Hash
		b.must(&hash, "eth_sendRawTransaction", raw)
		must.That(t, hash == tx.Hash(), "answer %v, want the sender's hash %v", hash, tx.Hash())
	}
	pool := b.chain.pooled()
	must.That(t, len(pool) == 1 && pool[0].Type() == types.FeeDelegateTxType && *pool[0].FeePayer() == b.payer &&
		types.VerifyFeePayer(testSigner, pool[0]) == nil, "submitted %v", pool)
	var pending struct{ FeePayer common.Address }
	b.must(&pending, "eth_getTransactionByHash", tx.Hash())
	expect.That(t, pending.FeePayer == b.payer, "pending transaction %+v", pending)
	if a := b.call("/", "eth_getTransactionReceipt", tx.Hash()); a.Error != nil ||
		string(a.Result) != "null" && a.Result != nil {
		t.Errorf("receipt before the block: %s", a.Result)
	}
	b.chain.minePool()
	b.mustSpend("mined", testFee, 1)
	var receipt struct {
		TransactionHash, FeeDelegatedTransactionHash common.Hash
		Type                                         hexutil.Uint64
	}
	b.must(&receipt, "eth_getTransactionReceipt", tx.Hash())
	expect.That(t, receipt.TransactionHash == tx.Hash() && receipt.FeeDelegatedTransactionHash == pool[0].Hash() &&
		receipt.Type == 2, "receipt %+v", receipt)
	receipt.TransactionHash = common.Hash{}
	b.must(&receipt, "eth_getTransactionReceiptBySenderHash", tx.Hash())
	expect.That(t, receipt.TransactionHash == pool[0].Hash(), "receipt %+v by the other method", receipt)
	var known types.Transaction // as a stock client of go-ethereum reads it
	if b.must(&known, "eth_getTransactionByHash", tx.Hash()); known.Hash() != tx.Hash() || known.Type() != 2 {
		t.Errorf("transaction of type %d, hash %v", known.Type(), known.Hash())
	}
	var hash common.Hash
	b.must(&hash, "eth_sendRawTransaction", raw)
	expect.That(t, hash == tx.Hash(), "answer %v after the block", hash)
	b.mustSpend("again", testFee, 1)
}

// TestSync waits for the block, and says what it waits for when there is none in time.
func TestSync(t *testing.T) {
	b := startBench(t, openPolicy)
	key := newSender(t)
	tx, raw := senderTx(t, key, nil)
	_, text := b.post(
		"/",
		fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransactionSync","params":["%v",1]}`, raw),
	)
	want := fmt.Sprintf(`"code":%d`, codeTimeout)
	must.That(t, bytes.Contains(text, []byte(want)) && bytes.Contains(text, []byte(tx.Hash().Hex())),
		"answer %s, want %s and the sender's hash", text, want)
	done := make(chan *rpcAnswer)
	for _, timeout := range []any{"0x4e20", nil} {
		go func() { done <- b.call("/", "eth_sendRawTransactionSync", raw, timeout) }()
	}
	b.chain.minePool()
	for range 2 {
		a := <-done
		var receipt struct{ SenderTransactionHash common.Hash }
		expect.That(t, a.Error == nil && json.Unmarshal(a.Result, &receipt) == nil &&
			receipt.SenderTransactionHash == tx.Hash(), "answer %s, error %+v", a.Result, a.Error)
	}
}

// TestStateRules: what the chain says of a transaction refuses it before anything is reserved or submitted.
func TestStateRules(t *testing.T) {
	const policy = openPolicy + "require_success = true\n"
	gwei := func(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e9)) }
	for _, tt := range []struct {
		rule  string
		tx    func(*types.DynamicFeeTx)
		chain func(*fakeChain, common.Address)
	}{
		{rule: "nonce", tx: func(tx *types.DynamicFeeTx) { tx.Nonce = 1 }},
		{rule: "nonce", chain: func(c *fakeChain, sender common.Address) { c.nonces[sender] = 1 }},
		{rule: "sender_balance", tx: func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1) }},
		{rule: "blacklist", chain: func(c *fakeChain, sender common.Address) { c.listed = sender }},
		{rule: "blacklist", chain: func(c *fakeChain, _ common.Address) { c.listed = common.Address{0xaa} }},
		{rule: "require_success", chain: func(c *fakeChain, _ common.Address) { c.fails = true }},
		{rule: "fee_cap", tx: func(tx *types.DynamicFeeTx) { tx.GasFeeCap = gwei(47_599) }},
		{rule: "tip", tx: func(tx *types.DynamicFeeTx) { tx.GasTipCap = gwei(27_599) }},
		{rule: "tip", tx: func(tx *types.DynamicFeeTx) { tx.GasTipCap = new(big.Int).Add(tx.GasFeeCap, common.Big1) }},
		{rule: "gas", tx: func(tx *types.DynamicFeeTx) { tx.Gas = 20_999 }},
		{rule: "gas", tx: func(tx *types.DynamicFeeTx) { tx.Gas = testGasLimit + 1 }},
		{rule: "chain", tx: func(tx *types.DynamicFeeTx) { tx.ChainID = big.NewInt(8282) }},
		{rule: "payer_balance", tx: func(tx *types.DynamicFeeTx) { tx.Gas = 1_000_000 },
			chain: func(c *fakeChain, _ common.Address) { clear(c.balances) }},
		{rule: "max_total", tx: func(tx *types.DynamicFeeTx) { tx.Gas = 1_500_000 }},
		{rule: "gas", tx: func(tx *types.DynamicFeeTx) { tx.Gas = 25_201 }},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			b := startBench(t, policy)
			key := newSender(t)
			_, raw := senderTx(t, key, tt.tx)
			if tt.chain != nil {
				b.chain.set(func() { tt.chain(b.chain, crypto.PubkeyToAddress(key.PublicKey)) })
				b.nextBlock()
			}
			a := b.call("/", "eth_sendRawTransaction", raw)
			must.That(t, a.Error != nil && a.Error.Data.Rule == tt.rule && a.Error.Data.Text != "",
				"answer %s, error %+v, want rule %s", a.Result, a.Error, tt.rule)
			expect.Equal(t, b.chain.submitted, 0, "a refused transaction was submitted")
			b.mustSpend("refused", new(big.Int), 0)
			audit, err := os.ReadFile(filepath.Join(b.dir, "books", "audit.jsonl"))
			if err != nil || tt.rule != "chain" && !strings.Contains(string(audit), `"rule":"`+tt.rule+`"`) {
				t.Errorf("audit log %q, error %v", audit, err)
			}
		})
	}
}

// TestBlacklistedPayer: nothing is signed by a payer whose transactions no block takes.
// spec: transactions 2.2
func TestBlacklistedPayer(t *testing.T) {
	b := startBench(t, openPolicy)
	b.chain.set(func() { b.chain.listed = b.payer })
	b.nextBlock()
	_, raw := senderTx(t, newSender(t), nil)
	a := b.call("/", "eth_sendRawTransaction", raw)
	expect.That(t, a.Error != nil && a.Error.Data.Rule == "payer_balance", "answer %s, error %+v", a.Result, a.Error)
	b.mustSpend("refused", new(big.Int), 0)
	b.chain.set(func() { b.chain.listed = common.Address{} })
	b.nextBlock()
	b.must(new(common.Hash), "eth_sendRawTransaction", raw)
}

// nextBlock has the sponsor read an empty block.
func (b *bench) nextBlock() {
	b.t.Helper()
	next := b.sponsor.head.next()
	b.chain.mine()
	b.await("block", func() bool {
		select {
		case <-next:
			return true
		default:
			return false
		}
	})
}

// TestHookFailsClosed: only {"allow": true} allows.
func TestHookFailsClosed(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  func(http.ResponseWriter)
		allowed bool
	}{
		{"allow", func(w http.ResponseWriter) { fmt.Fprint(w, `{"allow": true}`) }, true},
		{"forbid", func(w http.ResponseWriter) { fmt.Fprint(w, `{"allow": false, "reason": "no"}`) }, false},
		{"empty", func(http.ResponseWriter) {}, false},
		{"error", func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"allow": true}`)
		}, false},
		{"redirect", func(w http.ResponseWriter) {
			w.Header().Set("Location", "/ok")
			w.WriteHeader(http.StatusFound)
		}, false},
		{"much", func(w http.ResponseWriter) {
			fmt.Fprint(w, `{"allow": true, "x": "`+strings.Repeat("x", maxReply)+`"}`)
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { tt.answer(w) }))
			defer hook.Close()
			b := startBench(t, openPolicy+fmt.Sprintf("hook = %q\n", hook.URL))
			_, raw := senderTx(t, newSender(t), nil)
			a := b.call("/", "eth_sendRawTransaction", raw)
			if tt.allowed != (a.Error == nil) || a.Error != nil && a.Error.Data.Rule != "hook" {
				t.Errorf("error %+v", a.Error)
			}
		})
	}
}

// TestSignatureStaysReserved: a signature that was handed out is reserved until the nonce is used, over a restart too,
// and is not submitted by the sponsor.
func TestSignatureStaysReserved(t *testing.T) {
	b := startBench(t, openPolicy)
	key := newSender(t)
	_, raw := senderTx(t, key, nil)
	var signed hexutil.Bytes
	b.must(&signed, "eth_signRawTransaction", raw)
	delegated := new(types.Transaction)
	if err := delegated.UnmarshalBinary(signed); err != nil || types.VerifyFeePayer(testSigner, delegated) != nil {
		t.Fatalf("signed %x, error %v", signed, err)
	}
	b.stop()
	b.start()
	b.nextBlock()
	u, err := b.sponsor.books.Usage(b.config.Keys[0], time.Now())
	must.That(t, err == nil && u.Reserved != "0" && b.chain.submitted == 0,
		"usage %+v, error %v, %d submissions", u, err, b.chain.submitted)
	other, _ := senderTx(t, key, func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1) })
	b.chain.mine(other)
	b.mustSpend("released", new(big.Int), 0)
}

// TestCrashBetweenStepsIsRepaired: a reservation without a submission is submitted at the next start, with the same
// bytes.
func TestCrashBetweenStepsIsRepaired(t *testing.T) {
	b := startBench(t, openPolicy)
	b.chain.set(func() { b.chain.refuse = errors.New("the node stumbles") })
	tx, raw := senderTx(t, newSender(t), nil)
	a := b.call("/", "eth_sendRawTransaction", raw)
	must.That(t, a.Error != nil && a.Error.Data.Rule == "node" && strings.Contains(a.Error.Message, "stays reserved"),
		"error %+v", a.Error)
	b.stop()
	b.chain.set(func() { b.chain.refuse = nil })
	b.start()
	b.await("submission", func() bool { return len(b.chain.pooled()) == 1 })
	sent := b.chain.pooled()[0]
	must.That(t, *sent.SenderTransactionHash() == tx.Hash(), "submitted %v", sent)
	b.chain.minePool()
	b.mustSpend("repaired", testFee, 1)
}

// TestNonceUsedMeanwhile: a block that uses the nonce between its look-up and the reservation leaves nothing reserved.
func TestNonceUsedMeanwhile(t *testing.T) {
	b := startBench(t, openPolicy)
	key := newSender(t)
	_, raw := senderTx(t, key, nil)
	other, _ := senderTx(t, key, func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1) })
	b.chain.set(func() {
		b.chain.onCall = func() {
			next := b.sponsor.head.next()
			b.chain.mine(other)
			<-next
		}
	})
	a := b.call("/", "eth_sendRawTransaction", raw)
	must.That(t, a.Error != nil && a.Error.Data.Rule == "nonce", "answer %s, error %+v", a.Result, a.Error)
	b.mustSpend("nothing", new(big.Int), 0)
}

// TestLargeTransactions: what nodes take with a fee payer is sponsored, and what they refuse is not.
// spec: transactions 4.1
func TestLargeTransactions(t *testing.T) {
	b := startBench(t, openPolicy)
	large := func(over int) hexutil.Bytes {
		sized := func(size int) hexutil.Bytes {
			_, raw := senderTx(t, newSender(t), func(tx *types.DynamicFeeTx) {
				tx.Gas, tx.Data = 1_200_000, make([]byte, size)
			})
			return raw
		}
		raw := sized(maxTxSize - 200)
		overhead := len(raw) - (maxTxSize - 200)
		for len(raw) != maxTxSize+over { // signatures vary in length
			raw = sized(maxTxSize - overhead + over)
		}
		return raw
	}
	b.must(new(common.Hash), "eth_sendRawTransaction", large(0))
	size := b.chain.pooled()[0].Size()
	expect.That(t, size <= params.MaxTransactionBytes, "submitted %d bytes", size)
	a := b.call("/", "eth_sendRawTransaction", large(1))
	expect.That(t, a.Error != nil && a.Error.Data.Rule == "size" && a.Error.Data.Limit != "",
		"answer %s, error %+v", a.Result, a.Error)
}

// TestSameBytesAtOnce: a request whose bytes another one submits meanwhile has the same answer.
func TestSameBytesAtOnce(t *testing.T) {
	b := startBench(t, openPolicy)
	tx, raw := senderTx(t, newSender(t), nil)
	other := make(chan *rpcAnswer, 1)
	b.chain.set(func() {
		b.chain.onCall = func() {
			go func() { other <- b.call("/", "eth_sendRawTransaction", raw) }()
			b.await("second request", func() bool { return b.sponsor.turns.Len() == 2 })
		}
	})
	var hash common.Hash
	b.must(&hash, "eth_sendRawTransaction", raw)
	expect.That(t, hash == tx.Hash(), "answer %v, want %v", hash, tx.Hash())
	if a := <-other; a.Error != nil || !strings.Contains(string(a.Result), tx.Hash().Hex()[2:]) {
		t.Errorf("other request: %s, %+v", a.Result, a.Error)
	}
	b.chain.minePool()
	b.mustSpend("once", testFee, 1)
	expect.Equal(t, b.refusals()["nonce"], 0, "refusals counted")
}

// TestBehindForeignTransaction: nothing is reserved behind a transaction of the sender that the sponsor has not signed,
// though the node's pool has it.
func TestBehindForeignTransaction(t *testing.T) {
	b := startBench(t, openPolicy)
	key := newSender(t)
	foreign, _ := senderTx(t, key, nil)
	b.chain.set(func() { b.chain.pool = append(b.chain.pool, foreign) })
	_, raw := senderTx(t, key, func(tx *types.DynamicFeeTx) { tx.Nonce = 1 })
	a := b.call("/", "eth_sendRawTransaction", raw)
	must.That(t, a.Error != nil && a.Error.Data.Rule == "nonce" &&
		strings.Contains(a.Error.Data.Text, "not of this sponsor"), "error %+v", a.Error)
	b.chain.mine(foreign)
	b.must(new(common.Hash), "eth_sendRawTransaction", raw)
}

// TestGasNearTheEstimate: a gas limit is at most 1.2 times what the transaction takes.
func TestGasNearTheEstimate(t *testing.T) {
	for _, tt := range []struct {
		gas, estimate uint64
		data          []byte
		allowed       bool
	}{
		{21_000, 0, nil, true},
		{25_200, 0, nil, true},
		{25_201, 21_000, nil, false},
		{120_000, 100_000, []byte{1}, true},
		{120_001, 100_000, []byte{1}, false},
	} {
		t.Run(fmt.Sprint(tt.gas), func(t *testing.T) {
			b := startBench(t, openPolicy)
			b.chain.set(func() { b.chain.gas = tt.estimate })
			_, raw := senderTx(t, newSender(t), func(tx *types.DynamicFeeTx) { tx.Gas, tx.Data = tt.gas, tt.data })
			a := b.call("/", "eth_sendRawTransaction", raw)
			if tt.allowed != (a.Error == nil) || !tt.allowed && a.Error.Data.Rule != "gas" {
				t.Errorf("error %+v", a.Error)
			}
		})
	}
}

// TestSignerAway: what could not be signed is signed and submitted once the signer answers, without another request.
// The client is not told about the operator's machines.
func TestSignerAway(t *testing.T) {
	b := startBench(t, openPolicy)
	var away atomic.Bool
	away.Store(true)
	p := b.sponsor.payers.paying()[0]
	sign := p.sign
	p.sign = func(ctx context.Context, preimage []byte) ([]byte, error) {
		if away.Load() {
			return nil, errors.New("http://10.0.0.1 is away")
		}
		return sign(ctx, preimage)
	}
	_, raw := senderTx(t, newSender(t), nil)
	a := b.call("/", "eth_sendRawTransaction", raw)
	must.That(t, a.Error != nil && a.Error.Code == rpc.CodeInternal && !strings.Contains(a.Error.Message, "10.0.0.1"),
		"error %+v", a.Error)
	away.Store(false)
	b.await("submission", func() bool { return len(b.chain.pooled()) == 1 })
	b.chain.minePool()
	b.mustSpend("signed later", testFee, 1)
}

// TestNodeWithoutAnswer: the client is not told where the node is.
func TestNodeWithoutAnswer(t *testing.T) {
	b := startBench(t, openPolicy)
	tx, _ := senderTx(t, newSender(t), nil)
	sender := must.Get(txsign.NewSigned(tx))(t)
	b.sponsor.StopFollowing() // which may submit what is left at the start just now
	b.sponsor.done.Wait()
	err := b.sponsor.refusedByNode(t.Context(), sender, errors.New("node: Post \"http://10.0.0.1\": connection refused"))
	text, _ := json.Marshal(errorAnswer(nil, err))
	expect.That(t, err != nil && !bytes.Contains(text, []byte("10.0.0.1")) && b.sponsor.unsent.Load(), "answer %s", text)
}

// TestAlertsNameMetrics: the sponsor writes each metric that an alert of contrib/prometheus names.
func TestAlertsNameMetrics(t *testing.T) {
	rules := must.Get(os.ReadFile("../../contrib/prometheus/gwon.rules.yml"))(t)
	b := startBench(t, openPolicy)
	b.call("/wrong", "eth_blockNumber") // so that a refusal is counted
	var metrics bytes.Buffer
	must.Do(t, b.sponsor.WriteMetrics(&metrics))
	names := regexp.MustCompile(`gwon_sponsor_\w+`).FindAllString(string(rules), -1)
	must.That(t, len(names) >= 8, "names %q", names)
	for _, name := range names {
		expect.That(t, regexp.MustCompile(`(?m)^`+name+`[ {]`).Match(metrics.Bytes()),
			"%s is not in:\n%s", name, &metrics)
	}
}

// TestRefusalOfTheNodeIsLogged: the operator reads why the node refuses what the policy allows, once a minute.
func TestRefusalOfTheNodeIsLogged(t *testing.T) {
	earlier := log.Root()
	t.Cleanup(func() { log.SetDefault(earlier) })
	var out bytes.Buffer
	s := &Sponsor{books: openTestBooks(t, t.TempDir()), signed: lru.NewCache[common.Hash, *txsign.Signed](1),
		refusals: rate.Sometimes{Interval: refusalLogInterval}}
	defer closeTestBooks(t, s.books)
	tx, _ := senderTx(t, newSender(t), nil)
	sender := must.Get(txsign.NewSigned(tx))(t)
	log.SetDefault(log.NewLogger(log.NewTerminalHandler(&out, false)))
	refuse := func() {
		var answer rpc.Error
		full := &callError{codeRejected, "txpool is full", nil}
		err := s.refusedByNode(t.Context(), sender, full)
		expect.That(t, errors.As(err, &answer), "error %v", err)
	}
	refuse()
	refuse()
	n := strings.Count(out.String(), "txpool is full")
	expect.That(t, n == 1, "logged %d times, want once: %s", n, &out)
}

// TestBlocksWhileAwayAreRead: what was mined while the sponsor was away is settled exactly.
func TestBlocksWhileAwayAreRead(t *testing.T) {
	b := startBench(t, openPolicy)
	for range 3 {
		_, raw := senderTx(t, newSender(t), nil)
		var hash common.Hash
		b.must(&hash, "eth_sendRawTransaction", raw)
	}
	b.stop()
	b.chain.minePool()
	b.chain.mine()
	b.start()
	b.mustSpend("away", new(big.Int).Mul(testFee, big.NewInt(3)), 3)
}

// TestForeignTransactions: a payer's transaction counts as foreign when the books never had it, and not when a kill
// came between its settlement and the end of its block. So does what the payer sends, but to the operator.
func TestForeignTransactions(t *testing.T) {
	b := startBench(t, openPolicy)
	_, raw := senderTx(t, newSender(t), nil)
	var hash common.Hash
	b.must(&hash, "eth_sendRawTransaction", raw)
	ours := b.chain.pooled()[0]
	sender := must.Get(types.Sender(testSigner, ours))(t)
	_, raw = senderTx(t, newSender(t), nil)
	b.must(new(common.Hash), "eth_sendRawTransaction", raw)
	open := b.chain.pooled()[1] // while it is, blocks are read
	payer := b.sponsor.payers.find(b.payer)
	b.stop()
	books := openTestBooks(t, b.config.Data)
	u := used{sender: sender, nonce: ours.Nonce(), hash: ours.Hash(), senderHash: hash, fee: testFee}
	must.Get(books.settle(3, common.Hash{}, dayOf(time.Now()), []used{u}, false))(t)
	operator := common.Address{9}
	must.Do(t, books.addWithdrawal(operator))
	closeTestBooks(t, books)
	stranger, _ := senderTx(t, newSender(t), nil)
	signed := must.Get(txsign.NewSigned(stranger))(t)
	foreign := must.Get(payer.cosign(t.Context(), signed, big.NewInt(testChain)))(t)
	payerKey := must.Get(crypto.LoadECDSA(filepath.Join(b.dir, "payer.key")))(t)
	stolen, _ := senderTx(t, payerKey, nil)
	withdrawal, _ := senderTx(t, payerKey, func(tx *types.DynamicFeeTx) { tx.Nonce, tx.To = 1, &operator })
	b.chain.mine(ours, foreign.Tx, stolen, withdrawal)
	b.start()
	b.await("foreign transaction", func() bool { return b.sponsor.metrics.foreign.Load() > 0 })
	b.chain.mine(open)
	b.mustSpend("settled once", new(big.Int).Mul(testFee, big.NewInt(2)), 2)
	expect.Equal(t, b.sponsor.metrics.foreign.Load(), 2, "foreign transactions, of which the payer pays one and sends one")
}

// TestReadsOnlyWhatConcernsIt: a sponsor without reservations reads headers, until the balance of a payer changes: then
// it reads every block since, as the change may come from any of them.
func TestReadsOnlyWhatConcernsIt(t *testing.T) {
	b := startBench(t, openPolicy)
	read := func() (n int) {
		b.chain.set(func() { n = b.chain.read })
		return n
	}
	follow := func() { // makes a block and waits until it is in the books
		t.Helper()
		b.chain.mine()
		b.await("block", func() bool {
			newest, err := b.sponsor.books.Newest()
			return err == nil && newest == uint64(b.chain.BlockNumber())
		})
	}
	_, raw := senderTx(t, newSender(t), nil)
	b.must(new(common.Hash), "eth_sendRawTransaction", raw)
	b.chain.minePool()
	b.mustSpend("settled", testFee, 1)
	follow() // balances become known here at the latest
	before := read()
	for range 3 {
		follow()
	}
	expect.Equal(t, read()-before, 0, "blocks read with their transactions")

	stranger, _ := senderTx(t, newSender(t), nil)
	signed := must.Get(txsign.NewSigned(stranger))(t)
	foreign := must.Get(b.sponsor.payers.find(b.payer).cosign(t.Context(), signed, big.NewInt(testChain)))(t)
	b.chain.mine(foreign.Tx)
	b.await("foreign transaction", func() bool { return b.sponsor.metrics.foreign.Load() == 1 })
	follow()
	before = read()
	follow()
	expect.Equal(t, read()-before, 0, "blocks read after the balance changed once")
}

// TestRefusalsAreCountedOnce: each refused request counts once, by its rule.
func TestRefusalsAreCountedOnce(t *testing.T) {
	b := startBench(t, strings.Replace(openPolicy, "any_target = true", "any_target = true\nactive = false", 1))
	_, raw := senderTx(t, newSender(t), nil)
	for rule, call := range map[string]func(){
		"active": func() { b.call("/", "eth_sendRawTransaction", raw) },
		"key":    func() { b.call("/wrong", "eth_blockNumber") },
	} {
		call()
		expect.Equal(t, b.refusals()[rule], 1, "%s: counted", rule)
	}
}

func (b *bench) refusals() map[string]uint64 {
	b.sponsor.metrics.mu.Lock()
	defer b.sponsor.metrics.mu.Unlock()
	return maps.Clone(b.sponsor.metrics.refusals)
}

// TestModules: the namespaces are those of the methods that the sponsor passes on.
func TestModules(t *testing.T) {
	b := startBench(t, "methods = [\"debug_traceTransaction\"]\n"+openPolicy)
	var versions map[string]string
	b.must(&versions, "rpc_modules")
	expect.Slice(t, slices.Sorted(maps.Keys(versions)), []string{"debug", "eth", "net", "rpc", "web3"}, "namespaces")
}

// TestEndpoint: forms of requests, keys, limits.
func TestEndpoint(t *testing.T) {
	b := startBench(
		t,
		"cors = [\"https://shop.example\"]\n[[key]]\nlabel = \"shop\"\nhash = \"HASH\"\nany_target = true\n"+
			"max_total = \"100 WKRC\"\n",
	)
	const call = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`
	for _, tt := range []struct {
		name, path, body string
		headers          []string
		status           int
		want             string
	}{
		{"path", "/" + goodKey, call, nil, 200, `"result":"0x`},
		{"header", "/", call, []string{"X-Api-Key", goodKey}, 200, `"result":"0x`},
		{"bearer", "/", call, []string{"Authorization", "Bearer " + goodKey}, 200, `"result":"0x`},
		{"no key", "/", call, nil, 200, `"code":-32001`},
		{"wrong key", "/wrong", call, nil, 200, `"rule":"key"`},
		{"no JSON", "/" + goodKey, `{`, nil, 200, `"code":-32700`},
		{"empty batch", "/" + goodKey, `[]`, nil, 200, `"code":-32600`},
		{"long batch", "/" + goodKey, "[" + strings.Repeat(call+",", maxBatch) + call + "]", nil, 200, `"code":-32600`},
		{"batch read no further than its bound", "/" + goodKey, "[" + strings.Repeat("{},", maxBatch) + "}", nil, 200,
			`"code":-32600`},
		{"unfinished batch", "/" + goodKey, "[" + call, nil, 200, `"code":-32700`},
		{"bytes behind a batch", "/" + goodKey, "[" + call + "]]", nil, 200, `"code":-32700`},
		{"numbers in a batch", "/" + goodKey, "[1]", nil, 200, `"code":-32700`},
		{"many params", "/" + goodKey, `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[` +
			strings.Repeat("0,", maxBatch) + `0]}`, nil, 200, `more than 50 arguments`},
		{"null", "/" + goodKey, `null`, nil, 200, `"code":-32600`},
		{"no method", "/" + goodKey, `{"jsonrpc":"2.0","id":1}`, nil, 200, `"code":-32600`},
		{"object as id", "/" + goodKey, `{"jsonrpc":"2.0","id":{"a":1},"method":"eth_chainId"}`, nil, 200,
			`"id":null,"error":{"code":-32600`},
		{"list as id", "/" + goodKey, `[{"jsonrpc":"2.0","id": [1],"method":"eth_chainId"}]`, nil, 200,
			`[{"jsonrpc":"2.0","id":null,"error":{"code":-32600`},
		{"null in a batch", "/" + goodKey, `[null]`, nil, 200, `"code":-32600`},
		{"batch", "/" + goodKey, "[" + call + "," + call + "]", nil, 200, `},{"jsonrpc"`},
		{"notification", "/" + goodKey, `{"jsonrpc":"2.0","method":"eth_blockNumber"}`, nil, 204, ``},
		{"named params", "/" + goodKey, `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":{}}`,
			nil, 200, `"code":-32602`},
		{"large", "/" + goodKey, strings.Repeat(" ", door.SmallBody+1), nil, 413, `"code":-32600`},
		{"other namespace", "/" + goodKey, strings.Replace(call, "eth_blockNumber", "admin_peers", 1),
			nil, 200, `"rule":"methods"`},
		{"node's keys", "/" + goodKey, strings.Replace(call, "eth_blockNumber", "eth_sendTransaction", 1),
			nil, 200, `"rule":"methods"`},
		{"no transaction", "/" + goodKey, strings.Replace(call, "eth_blockNumber", "eth_sendRawTransaction", 1),
			nil, 200, `"code":-32602`},
		{"sign without leave", "/" + goodKey, `{"jsonrpc":"2.0","id":1,"method":"eth_signRawTransaction","params":["0x02"]}`,
			nil, 200, `"rule":"sign"`},
		{"usage", "/" + goodKey, `{"jsonrpc":"2.0","id":1,"method":"sponsor_usage"}`,
			nil, 200, `"left":"100000000000000000000"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, body := b.post(tt.path, tt.body, tt.headers...)
			expect.That(t, status == tt.status && bytes.Contains(body, []byte(tt.want)),
				"status %d, body %.300s; want %d, %s", status, body, tt.status, tt.want)
		})
	}
}

// TestSlowBodies: clients whose bodies do not end keep no others out, and one that is cut off is not served.
func TestSlowBodies(t *testing.T) {
	b := startBench(t, openPolicy)
	handler := b.sponsor.Server().Handler
	serve := func(address string, body io.Reader) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body)
		request.RemoteAddr, request.Host = address, "localhost"
		request.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request)
		return w
	}
	var bodies []*io.PipeWriter
	var served sync.WaitGroup
	for i := range 200 { // far above the places of one address
		body, sent := io.Pipe()
		bodies = append(bodies, sent)
		served.Go(func() {
			w := serve(fmt.Sprintf("10.0.0.%d:1", i%3), body)
			expect.That(t, w.Code == http.StatusServiceUnavailable, "a body that was cut off: status %d", w.Code)
		})
		if _, err := sent.Write([]byte("{")); err != nil { // returns once the body is read
			t.Fatal(err)
		}
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"eth_accounts"}`
	for _, address := range []string{"10.0.1.1:1", "10.0.0.1:1"} {
		w := serve(address, strings.NewReader(call))
		expect.That(t, w.Code == http.StatusOK, "%s: status %d: %s", address, w.Code, w.Body)
	}
	for _, sent := range bodies {
		expect.Error(t, sent.CloseWithError(io.ErrUnexpectedEOF), nil, "CloseWithError")
	}
	served.Wait()
}

// TestSlowAnswers: clients whose answers take long keep no others out. All of them together are bounded.
func TestSlowAnswers(t *testing.T) {
	b := startBench(t, openPolicy)
	begun, end := make(chan struct{}), make(chan struct{})
	handler := b.sponsor.bounded(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			begun <- struct{}{}
			<-end
		}
	}))
	serve := func(address, path string) int {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, nil)
		request.RemoteAddr = address
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request)
		return w.Code
	}
	var served sync.WaitGroup
	fill := func(address string) {
		for range maxInFlight / shareOf {
			served.Go(func() { serve(address, "/slow") })
			<-begun
		}
	}
	fill("10.0.0.1:1")
	expect.Equal(t, serve("10.0.0.1:2", "/"), http.StatusServiceUnavailable, "the same address: status")
	expect.Equal(t, serve("10.0.0.2:1", "/"), http.StatusOK, "another address: status")
	for i := range shareOf - 1 {
		fill(fmt.Sprintf("10.0.0.%d:1", i+2))
	}
	expect.Equal(t, serve("10.0.1.3:1", "/"), http.StatusServiceUnavailable, "beyond all: status")
	close(end)
	served.Wait()
	expect.Equal(t, serve("10.0.0.1:1", "/"), http.StatusOK, "afterwards: status")
}

// TestForwardedAddress: the proxy's entry is the last one, and what a client writes before it is ignored.
func TestForwardedAddress(t *testing.T) {
	for _, tt := range []struct {
		proxied bool
		entries string
		want    string
	}{
		{false, "1.1.1.1", "9.9.9.9"},
		{true, "6.6.6.6, 1.1.1.1:4567", "1.1.1.1"},
		{true, "6.6.6.6, [2001:db8::1]", "2001:db8::1"},
		{true, "6.6.6.6, unknown", "9.9.9.9"},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		request.RemoteAddr = "9.9.9.9:99"
		request.Header.Set(door.ForwardedHeader, tt.entries)
		have := clientAddress(request, &Config{Proxied: tt.proxied})
		expect.That(t, have == tt.want, "proxied %v, %q: address %s, want %s", tt.proxied, tt.entries, have, tt.want)
	}
}

// TestRates: requests beyond the rate are refused by the rule that names it.
func TestRates(t *testing.T) {
	for _, rule := range []string{"rate_per_key", "rate_per_address"} {
		t.Run(rule, func(t *testing.T) {
			b := startBench(t, rule+" = 0.001\n"+openPolicy)
			batch := "[" + strings.Repeat(
				`{"jsonrpc":"2.0","id":1,"method":"eth_accounts"},`,
				maxBatch-1,
			) + `{"jsonrpc":"2.0","id":1,"method":"eth_accounts"}]`
			_, body := b.post("/", batch)
			must.That(t, !bytes.Contains(body, []byte("error")), "first requests: %.300s", body)
			a := b.call("/", "eth_accounts")
			expect.That(t, a.Error != nil && a.Error.Data.Rule == rule && a.Error.Data.Limit == "0.001 a second",
				"answer %+v", a.Error)
		})
	}
}

// TestRatesOfASite: the networks of a site share a rate of four addresses.
func TestRatesOfASite(t *testing.T) {
	l, c := newLimiters(), &Config{KeyRate: 1e9, ClientRate: 0.001}
	allowed := 0
	for i := range 256 {
		for range maxBatch {
			if l.refuse(c, "label", fmt.Sprintf("2001:db8:0:%x::1", i), 1) == nil {
				allowed++
			}
		}
	}
	want := 4 * maxBatch
	expect.That(t, allowed == want, "%d requests of a site are allowed, want a burst of %d", allowed, want)
	refusal := l.refuse(c, "label", "2001:db8:1::1", 1)
	expect.That(t, refusal == nil, "another site: %+v", refusal)
}

// TestReload: new policies apply at once, and what needs a new start changes nothing.
func TestReload(t *testing.T) {
	b := startBench(t, openPolicy)
	stricter := b.write(strings.Replace(b.text, "any_target = true", "any_target = true\nactive = false", 1))
	must.Do(t, b.sponsor.Reload(stricter))
	_, raw := senderTx(t, newSender(t), nil)
	a := b.call("/", "eth_sendRawTransaction", raw)
	expect.That(t, a.Error != nil && a.Error.Data.Rule == "active", "error %+v", a.Error)
	other := *b.config
	other.Node = "http://127.0.0.1:1"
	err := b.sponsor.Reload(&other)
	expect.That(t, err != nil && b.sponsor.config.Load() == stricter, "error %v", err)
	other = *b.config
	other.CORS = []string{"https://other.example"}
	err = b.sponsor.Reload(&other)
	expect.That(t, err != nil && b.sponsor.config.Load() == stricter, "cors: error %v", err)
}

// TestFillAndAsk: wallets learn before they sign whether the sponsor pays.
func TestFillAndAsk(t *testing.T) {
	b := startBench(t, openPolicy)
	sender := common.Address{1}
	var filled struct {
		Raw          hexutil.Bytes
		Capabilities struct{ Sponsored bool }
		Sponsor      struct{ Address common.Address }
	}
	b.must(&filled, "eth_fillTransaction", map[string]any{"from": sender, "to": common.Address{2}})
	expect.That(t, filled.Capabilities.Sponsored && filled.Sponsor.Address == b.payer && len(filled.Raw) != 0,
		"filled %+v", filled)
	foreign := map[string]any{"from": sender, "to": common.Address{2}, "chainId": "0x1"}
	a := b.call("/", "eth_fillTransaction", foreign)
	expect.That(t, a.Error != nil && a.Error.Code == rpc.CodeParams, "chain 1: result %s, error %+v", a.Result, a.Error)
	var answer struct {
		Sponsorable bool
		Reason      string
		Data        Refusal
	}
	b.must(&answer, "pm_isSponsorable", map[string]any{"from": sender, "to": common.Address{2}})
	expect.That(t, answer.Sponsorable, "answer %+v", answer)
	b.must(&answer, "pm_isSponsorable", map[string]any{"from": sender, "to": common.Address{2}, "gas": "0x2000000"})
	expect.That(t, !answer.Sponsorable && answer.Data.Rule == "gas" && answer.Reason != "", "answer %+v", answer)
	b.must(&answer, "pm_isSponsorable", map[string]any{"from": sender, "to": common.Address{2}, "gas": "0x1c00000"})
	expect.That(t, !answer.Sponsorable && answer.Data.Rule == "max_total", "answer %+v", answer)
	b.chain.set(func() { clear(b.chain.balances) })
	b.nextBlock()
	b.must(&answer, "pm_isSponsorable", map[string]any{"from": sender, "to": common.Address{2}})
	expect.That(t, !answer.Sponsorable && answer.Data.Rule == "payer_balance", "payer without coins: answer %+v", answer)
}

// FuzzCalls: any body is refused, or has calls within the bounds.
func FuzzCalls(f *testing.F) {
	f.Add([]byte(`{"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}`))
	f.Add([]byte(`[{"method": "eth_call", "params": [{}, "latest"]}, null]`))
	f.Add([]byte(` [{"method": "x", "params": {"a": 1}}] {`))
	f.Fuzz(func(t *testing.T, body []byte) {
		calls, batch, err := parseCalls(body)
		if err != nil {
			answer := errorAnswer(nil, err)
			expect.That(t, answer.Error != nil && answer.Error.Message != "", "answer %+v", answer)
			return
		}
		if len(calls) == 0 || len(calls) > maxBatch || !batch && len(calls) > 1 {
			t.Errorf("%d calls", len(calls))
		}
		for _, call := range calls {
			params, err := decodeList[json.RawMessage](call.Params, maxBatch)
			expect.That(t, err != nil || len(params) <= maxBatch, "%d arguments", len(params))
		}
	})
}

// TestOutageHasItsCode: a client can tell an outage, after which it tries again, from a refusal by the policy.
// docs/develop/sponsor.md
func TestOutageHasItsCode(t *testing.T) {
	b := startBench(t, openPolicy)
	_, raw := senderTx(t, newSender(t), nil)
	b.chain.lost.Store(true)
	b.await("outage", func() bool { return !b.sponsor.following.Load() })
	for method, argument := range map[string]any{"eth_sendRawTransaction": raw, "eth_getBalance": b.payer} {
		a := b.call("/", method, argument)
		expect.That(t, a.Error != nil && a.Error.Code == rpc.CodeInternal &&
			strings.Contains(a.Error.Message, "try again later"), "%s: %+v", method, a.Error)
	}
}

// TestBudgetsHaveSamples: each budget of a key has samples of what is spent, reserved and allowed with the same labels.
func TestBudgetsHaveSamples(t *testing.T) {
	for budget, labels := range map[string]string{
		"max_total": `{label="shop"}`, "max_per_day": `{label="shop",period="day"}`,
	} {
		t.Run(budget, func(t *testing.T) {
			b := startBench(t, strings.Replace(x402Policy, "max_total", budget, 1))
			var text strings.Builder
			must.Do(t, b.sponsor.WriteMetrics(&text))
			for _, line := range []string{"spent_coins" + labels + " 0", "reserved_coins" + labels + " 0",
				"budget_coins" + labels + " 100"} {
				expect.Contains(t, text.String(), "gwon_sponsor_"+line+"\n", "no %s", line)
			}
		})
	}
}
