// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/follow"
	"gwon/internal/must"
)

// fakeNode is a chain of one process that mines what it holds whenever it is asked for its newest block. It is as
// strict with nonces as a pool that takes no gaps.
type fakeNode struct {
	mu       sync.Mutex
	chain    common.Address         // of all blocks
	blocks   [][]*types.Transaction // by number; block 0 is empty
	held     []*types.Transaction
	nonces   map[common.Address]uint64
	accepted int
	kinds    map[byte]int

	refuse  func(n int) error // for the n-th submission
	forget  func(n int) bool  // accept the n-th submission and let it go
	code    hexutil.Bytes     // of the native coin adapter
	seen    int
	poor    bool
	lenient bool                                             // takes any signature
	gaps    map[common.Address]map[uint64]*types.Transaction // wait for the ones before; nil where gaps are refused
	known   map[common.Address]bool                          // accounts that were asked for: the only ones with coins
}

var fakeSigner = types.NewAnzeonSigner(big.NewInt(8283))

func (f *fakeNode) ChainId() *hexutil.Big              { return (*hexutil.Big)(big.NewInt(8283)) }
func (f *fakeNode) MaxPriorityFeePerGas() *hexutil.Big { return (*hexutil.Big)(big.NewInt(27_600e9)) }

func (f *fakeNode) GetCode(common.Address, string) hexutil.Bytes { return f.code }

func (f *fakeNode) BlockNumber() hexutil.Uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return hexutil.Uint64(len(f.blocks) - 1)
}

func (f *fakeNode) GetTransactionCount(a common.Address, _ string) hexutil.Uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return hexutil.Uint64(f.nonces[a])
}

func (f *fakeNode) GetBalance(a common.Address, _ string) *hexutil.Big {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[a] = true
	if f.poor {
		return new(hexutil.Big)
	}
	return (*hexutil.Big)(new(big.Int).Lsh(common.Big1, 120))
}

func (f *fakeNode) SendRawTransaction(raw hexutil.Bytes) (common.Hash, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen++
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return common.Hash{}, err
	}
	from, err := types.Sender(fakeSigner, tx)
	if err != nil {
		return common.Hash{}, err
	}
	if err := types.VerifyFeePayer(fakeSigner, tx); err != nil {
		return common.Hash{}, err
	}
	if f.refuse != nil {
		if err := f.refuse(f.seen); err != nil {
			return common.Hash{}, err
		}
	}
	if f.lenient && !f.known[from] {
		return tx.Hash(), nil
	}
	if !f.known[from] {
		return common.Hash{}, errors.New("insufficient funds")
	}
	if f.gaps != nil && tx.Nonce() > f.nonces[from] {
		if f.gaps[from] == nil {
			f.gaps[from] = make(map[uint64]*types.Transaction)
		}
		f.gaps[from][tx.Nonce()] = tx
		return tx.Hash(), nil
	}
	if tx.Nonce() < f.nonces[from] {
		return common.Hash{}, errors.New("nonce too low")
	}
	if tx.Nonce() != f.nonces[from] {
		return common.Hash{}, errors.New("nonce out of order")
	}
	for next := tx; next != nil; next = f.gaps[from][f.nonces[from]] {
		f.nonces[from]++
		f.accepted++
		f.kinds[next.Type()]++
		if f.forget == nil || !f.forget(f.seen) {
			f.held = append(f.held, next)
		}
	}
	return tx.Hash(), nil
}

func (f *fakeNode) GetBlockByNumber(tag string, _ bool) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	number := len(f.blocks) - 1
	if tag != "latest" {
		n, err := hexutil.DecodeUint64(tag)
		if err != nil || int(n) > len(f.blocks) {
			return nil
		}
		if number = int(n); number == len(f.blocks) {
			if len(f.held) == 0 && len(f.blocks[number-1]) == 0 {
				return nil // one empty block is enough, however often it is asked for
			}
			f.blocks, f.held = append(f.blocks, f.held), nil
		}
	}
	headerOf := func(number int) *types.Header {
		return &types.Header{
			Number: big.NewInt(int64(number)), Difficulty: common.Big1, BaseFee: big.NewInt(20_000e9),
			Extra:   (&types.WBFTExtra{Round: 1}).Encode(),
			GasUsed: 21000 * uint64(len(f.blocks[max(number, 0)])), Coinbase: f.chain,
		}
	}
	header := headerOf(number)
	header.ParentHash = headerOf(number - 1).Hash()
	hashes := []common.Hash{}
	for _, tx := range f.blocks[number] {
		hashes = append(hashes, tx.Hash())
	}
	return map[string]any{
		"number": (*hexutil.Big)(header.Number), "hash": headerOf(number).Hash(), "parentHash": header.ParentHash,
		"sha3Uncles": types.EmptyUncleHash,
		"miner":      header.Coinbase, "stateRoot": header.Root, "transactionsRoot": header.TxHash,
		"receiptsRoot": header.ReceiptHash,
		"logsBloom":    header.Bloom, "difficulty": (*hexutil.Big)(header.Difficulty), "gasLimit": hexutil.Uint64(1),
		"extraData": hexutil.Bytes(header.Extra),
		"gasUsed":   hexutil.Uint64(header.GasUsed), "timestamp": hexutil.Uint64(1),
		"baseFeePerGas": (*hexutil.Big)(header.BaseFee), "transactions": hashes,
	}
}

func (f *fakeNode) GetBlockReceipts(tag string) []map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, _ := hexutil.DecodeUint64(tag)
	var list []map[string]any
	for i, tx := range f.blocks[n] {
		status := "0x1"
		if i == 0 {
			status = "0x0" // the first transaction of every block fails
		}
		list = append(list, map[string]any{"transactionHash": tx.Hash(), "status": status})
	}
	return list
}

func (f *fakeNode) GetTransactionByHash(hash common.Hash) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n, block := range f.blocks {
		for _, tx := range block {
			if tx.Hash() == hash {
				from, _ := types.Sender(fakeSigner, tx)
				return map[string]any{"blockHash": common.BigToHash(big.NewInt(int64(n))), "from": from}
			}
		}
	}
	for _, tx := range f.held {
		if tx.Hash() == hash {
			return map[string]any{"blockHash": nil}
		}
	}
	return nil
}

func serve(t *testing.T, f *fakeNode) string {
	t.Helper()
	f.blocks, f.nonces, f.kinds = make([][]*types.Transaction, 1), make(map[common.Address]uint64), make(map[byte]int)
	f.known = make(map[common.Address]bool)
	server := gethrpc.NewServer()
	must.Do(t, server.RegisterName("eth", f))
	web := httptest.NewServer(server)
	t.Cleanup(func() { web.Close(); server.Stop() })
	return web.URL
}

// A chain that is begun again ends the load, and is not taken for one that loses transactions.
func TestOtherChainEnds(t *testing.T) {
	for name, kept := range map[string]int{"shorter": 1, "as long": 1000} {
		t.Run(name, func(t *testing.T) {
			f := new(fakeNode)
			f.refuse = func(n int) error {
				if n == 10 {
					f.chain, f.blocks = common.Address{1}, f.blocks[:min(kept, len(f.blocks))]
				}
				return nil
			}
			o := options(t, serve(t, f))
			expect.Error(t, expect.Err(Run(t.Context(), o)), follow.ErrOtherChain, "Run")
		})
	}
}

// A node that stops to tell of blocks in the middle of a run costs nothing of the report as long as another one tells
// of them.
func TestNodeThatGoesAway(t *testing.T) {
	good := serve(t, new(fakeNode))
	target := must.Get(url.Parse(good))(t)
	proxy := httputil.NewSingleHostReverseProxy(target)
	var sent, asked atomic.Int32
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		expect.Error(t, err, nil, "error")
		if bytes.Contains(body, []byte("eth_sendRawTransaction")) {
			sent.Add(1)
		}
		if bytes.Contains(body, []byte("eth_getBlock")) && sent.Load() > 0 {
			asked.Add(1)
			http.Error(w, "gone", http.StatusServiceUnavailable)
			return
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(bad.Close)
	o := options(t, bad.URL)
	o.Endpoints = append(o.Endpoints, good)
	rep := must.Get(Run(t.Context(), o))(t)
	expect.That(t, rep.Accepted != 0 && rep.Included == rep.Accepted && asked.Load() != 0,
		"%d included of %d, %d questions for blocks", rep.Included, rep.Accepted, asked.Load())
}

// An endpoint that refuses connections, at whatever time, leaves the work to the others. What it took before its answer
// was lost counts once.
func TestEndpointThatRefuses(t *testing.T) {
	for _, row := range []struct {
		name string
		ends string // part of the request with which connections begin to end
		lose bool   // the node gets that request, and its answer is lost
	}{
		{"from the start", "", false},
		{"when it is asked for the fees", "PriorityFee", false},
		{"when it is asked for accounts", "getBalance", false},
		{"at a submission", "sendRaw", false},
		{"behind a submission", "sendRaw", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			good := serve(t, new(fakeNode))
			target := must.Get(url.Parse(good))(t)
			proxy := httputil.NewSingleHostReverseProxy(target)
			var away atomic.Bool
			bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				body, err := io.ReadAll(req.Body)
				expect.Error(t, err, nil, "error")
				req.Body = io.NopCloser(bytes.NewReader(body))
				if bytes.Contains(body, []byte(row.ends)) && !away.Swap(true) && row.lose {
					proxy.ServeHTTP(httptest.NewRecorder(), req)
				}
				if away.Load() {
					panic(http.ErrAbortHandler)
				}
				proxy.ServeHTTP(w, req)
			}))
			t.Cleanup(bad.Close)
			o := options(t, bad.URL)
			o.Endpoints = append(o.Endpoints, good)
			rep := must.Get(Run(t.Context(), o))(t)
			expect.That(t, rep.Accepted == 100 && rep.Included == 100 && rep.Refused == 0 && rep.Lost == 0,
				"accepted %d, included %d, refused %d (%v), lost %d", rep.Accepted, rep.Included, rep.Refused, rep.Errors, rep.Lost)
		})
	}
}

// The submissions of many workers share the connections of these, which end with the run.
func TestConnectionsAreKept(t *testing.T) {
	target := must.Get(url.Parse(serve(t, new(fakeNode))))(t)
	var opened atomic.Int32
	closed := make(chan struct{}, 5000)
	front := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(target))
	front.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			opened.Add(1)
		case http.StateClosed:
			closed <- struct{}{}
		}
	}
	front.Start()
	t.Cleanup(front.Close)
	o := options(t, front.URL)
	o.Senders, o.Workers, o.Count = 50, 25, 1000
	must.Get(Run(t.Context(), o))(t)
	// A worker has one; before, coins are given to the senders over as many, and those that watch, probe and ask for the
	// pools have one each at most.
	n := int(opened.Load())
	expect.That(t, n <= 3*o.Workers, "%d connections for %d submissions of %d workers", n, o.Count, o.Workers)
	for range opened.Load() {
		select {
		case <-closed:
		case <-time.After(10 * time.Second):
			t.Fatal("a connection stays")
		}
	}
}

// In batches each transaction has its own fate, also in the last batch, which is not full.
func TestBatches(t *testing.T) {
	node := &fakeNode{refuse: func(n int) error {
		if n == 9 {
			return errors.New("txpool is full")
		}
		return nil
	}}
	target := must.Get(url.Parse(serve(t, node)))(t)
	proxy, batches := httputil.NewSingleHostReverseProxy(target), make(chan int, 100)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		expect.Error(t, err, nil, "error")
		switch n := bytes.Count(body, []byte("eth_sendRawTransaction")); {
		case n > 1:
			batches <- n
		case n == 1 && body[0] == '[':
			t.Error("coins are given in a batch, which waits for others")
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(front.Close)
	o := options(t, front.URL)
	o.Senders, o.Workers, o.Count, o.Batch = 4, 4, 30, 4
	report := must.Get(Run(t.Context(), o))(t)
	expect.That(t, report.Accepted == 29 && report.Included == 29 && report.Refused == 1,
		"%d accepted, %d included, %d refused, want 29, 29, 1", report.Accepted, report.Included, report.Refused)
	n := len(batches)
	expect.That(t, n >= 8 && n <= 9, "%d requests with several transactions", n)
}

func options(t *testing.T, endpoint string) Options {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	o := Options{Endpoints: []string{endpoint}, Kind: Transfer, Count: 100, Duration: time.Minute, Senders: 7, Workers: 4,
		Settle: 2 * time.Second}
	o.Keys = append(o.Keys, key)
	return o
}

// Everything that was accepted is accounted for: included, or lost and named. What is refused takes no nonce.
func TestFates(t *testing.T) {
	full := errors.New("txpool is full: 5120 of 5120")
	for _, test := range []struct {
		name  string
		node  *fakeNode
		kind  Kind
		again bool
		want  Report
	}{
		{name: "all well", kind: Transfer, want: Report{Offered: 100, Accepted: 100, Included: 100}},
		{name: "delegated", kind: Delegated, want: Report{Offered: 100, Accepted: 100, Included: 100}},
		{name: "mix", kind: Mix, node: &fakeNode{code: []byte{1}}, want: Report{Offered: 100, Accepted: 100, Included: 100}},
		{
			name: "every tenth refused", kind: Transfer, node: &fakeNode{refuse: func(n int) error {
				if n%10 == 0 {
					return full
				}
				return nil
			}},
			want: Report{Offered: 100, Accepted: 90, Refused: 10, Included: 90,
				Errors: map[string]int{"-32000 txpool is full: … of …": 10}},
		},
		{
			name: "refused and submitted again", kind: Transfer, again: true, node: &fakeNode{refuse: func(n int) error {
				if n == 5 {
					return full
				}
				return nil
			}},
			want: Report{Offered: 101, Accepted: 100, Included: 100},
		},
		{
			name: "accepted and let go", kind: Transfer, node: &fakeNode{forget: func(n int) bool { return n == 50 || n == 60 }},
			want: Report{Offered: 100, Accepted: 100, Included: 98, Lost: 2},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			node := test.node
			if node == nil {
				node = new(fakeNode)
			}
			o := options(t, serve(t, node))
			o.Kind, o.Resubmit = test.kind, test.again
			rep := must.Get(Run(t.Context(), o))(t)
			have := Report{Offered: rep.Offered, Accepted: rep.Accepted, Refused: rep.Refused, Included: rep.Included,
				Lost: rep.Lost}
			want := test.want
			want.Errors = nil
			expect.That(t, have.Offered == want.Offered && have.Accepted == want.Accepted && have.Refused == want.Refused &&
				have.Included == want.Included && have.Lost == want.Lost, "%+v, want %+v", have, want)
			for text, n := range test.want.Errors {
				expect.Equal(t, rep.Errors[text], n, "errors %v of %q", rep.Errors, text)
			}
			if len(rep.LostHashes) != rep.Lost || rep.LaterRounds != rep.Blocks || rep.Failed == 0 || rep.Blocks == 0 {
				t.Errorf("%d lost hashes, %d of %d blocks in later rounds, %d failed", len(rep.LostHashes), rep.LaterRounds,
					rep.Blocks, rep.Failed)
			}
			wantKinds := map[Kind]int{Transfer: 1, Delegated: 1, Mix: 2}[test.kind]
			expect.That(t, len(node.kinds) == wantKinds &&
				(test.kind == Delegated) == (node.kinds[types.FeeDelegateTxType] == 100), "transactions by type: %v", node.kinds)
		})
	}
}

// Transactions with a wrong signature come on top and take no nonce; those held back leave a gap, which is filled
// before the run ends.
func TestSpoiltAndHeldBack(t *testing.T) {
	for _, kind := range []Kind{Transfer, Delegated} {
		node := &fakeNode{gaps: make(map[common.Address]map[uint64]*types.Transaction)}
		o := options(t, serve(t, node))
		o.Kind, o.Spoil, o.Gaps, o.Count = kind, 5, 10, 200
		rep := must.Get(Run(t.Context(), o))(t)
		expect.That(t, rep.Spoilt == 10 && rep.SpoiltAccepted == 0 && rep.Refused == 0 && rep.Accepted == 190 &&
			rep.Included == 190 && rep.Gaps >= 15, "%s: %+v", kind, rep)
		expect.That(t, len(node.gaps) != 0, "%s: nothing waited for a gap to be filled", kind)
		if rep.Drained != -1 || rep.Head.Max <= 0 || rep.Unanswered != 0 {
			t.Errorf("%s: drained %v by a node without a pool to ask, head %+v", kind, rep.Drained, rep.Head)
		}
	}
}

// A wrong signature that a node takes is reported.
func TestSpoiltAccepted(t *testing.T) {
	o := options(t, serve(t, &fakeNode{lenient: true}))
	o.Spoil = 10
	rep, err := Run(t.Context(), o)
	expect.That(t, err == nil && rep.SpoiltAccepted != 0, "%+v, %v", rep, err)
}

// A run ends at its time, whatever its count is.
func TestBoundInTime(t *testing.T) {
	node := new(fakeNode)
	o := options(t, serve(t, node))
	o.Count, o.Rate, o.Duration = 0, 50, 500*time.Millisecond
	rep := must.Get(Run(t.Context(), o))(t)
	expect.That(t, rep.Offered <= 25 && rep.Accepted == rep.Included,
		"%d offered at 50 a second in half a second, %d accepted, %d included", rep.Offered, rep.Accepted, rep.Included)
}

func TestRefusedOptions(t *testing.T) {
	good := options(t, "http://127.0.0.1:1")
	for want, change := range map[string]func(*Options){
		"no endpoint":          func(o *Options) { o.Endpoints = nil },
		"no funded account":    func(o *Options) { o.Keys = nil },
		"unknown kind":         func(o *Options) { o.Kind = "blob" },
		"negative":             func(o *Options) { o.Rate = -1 },
		"bounded in time":      func(o *Options) { o.Duration = 0 },
		"give a rate":          func(o *Options) { o.Count = 0 },
		"senders":              func(o *Options) { o.Senders = 0 },
		"in flight":            func(o *Options) { o.Workers = 0 },
		"to spoil":             func(o *Options) { o.Spoil, o.Gaps = 30, 21 },
		"transactions, want":   func(o *Options) { o.Rate, o.Count, o.Duration = 1e6, 0, time.Hour },
		"rate of reads cannot": func(o *Options) { o.ReadRate = -1 },
		"need a rate of reads": func(o *Options) { o.ReadFrom = o.Endpoints },
		"reads, want":          func(o *Options) { o.ReadRate, o.Duration = 1e6, time.Hour },
		"batches of 5":         func(o *Options) { o.Batch = 5 },
		"connection refused":   func(*Options) {},
	} {
		t.Run(want, func(t *testing.T) {
			o := good
			change(&o)
			expect.Says(t, expect.Err(Run(t.Context(), o)), want, "Run")
		})
	}
	node := new(fakeNode)
	o := options(t, serve(t, node))
	o.Kind = Token
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "has no code") || node.seen > 0 {
		t.Errorf("without a token: %v after %d submissions", err, node.seen)
	}
}

// Accounts without coins are said before anything is submitted.
func TestNoCoins(t *testing.T) {
	node := &fakeNode{poor: true}
	_, err := Run(t.Context(), options(t, serve(t, node)))
	expect.That(t, err != nil && strings.Contains(err.Error(), "none of the 1 accounts") && node.seen == 0,
		"%v after %d submissions", err, node.seen)
}

func TestQuantiles(t *testing.T) {
	var values []float64
	for i := range 100 {
		values = append(values, float64(100-i))
	}
	expect.Equal(t, quantiles(values), Quantiles{51, 96, 100, 100}, "quantiles")
	expect.Equal(t, quantiles(nil), Quantiles{}, "of nothing")
}

// The recipients are exactly as many as wanted, and no sender is one.
func TestRecipients(t *testing.T) {
	r, paid := &run{Options: Options{Recipients: 3}}, make(map[common.Address]int)
	for i := range 300 {
		paid[r.recipient(i)]++
	}
	for n := range uint64(3) {
		count := paid[common.BigToAddress(new(big.Int).SetUint64(1<<33+n))]
		expect.That(t, len(paid) == 3 && count >= 50, "account %d is paid %d times, %d are paid", n, count, len(paid))
	}
}
