// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"pgregory.net/rapid"

	"gwon/internal/dial"
	"gwon/internal/door"
	"gwon/internal/door/calls"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestPassedOn: what wallets need goes on to the node, and nothing else unless the operator says so.
func TestPassedOn(t *testing.T) {
	b := startBench(t, openPolicy)
	for method, passed := range map[string]bool{
		"eth_blockNumber": true, "eth_feeHistory": true, "eth_call": true, "eth_getLogs": false, "debug_traceCall": false,
		"eth_simulateV1": false, "eth_newFilter": false, "txpool_content": false, "eth_getBlockReceipts": false,
		"admin_peers": false, "eth_sendTransaction": false, "": false, "x": false,
	} {
		expect.Equal(t, b.config.passes(method), passed, "%q", method)
	}
	more := *b.config
	more.Methods = []string{"eth_getLogs"}
	expect.That(t, more.passes("eth_getLogs"), "a method of the operator is not passed on")
	for _, method := range signing {
		_, listed := passedOn[method]
		expect.That(t, !listed, "%s uses a key of the node", method)
	}
}

// TestCallsWithoutCoins: calls of a sender without coins work with the fees that wallets put in, with bounded gas. What
// the sponsor would leave out or cannot bound is refused by name.
func TestCallsWithoutCoins(t *testing.T) {
	b := startBench(t, openPolicy)
	call := map[string]any{
		"from": common.Address{1}, "to": common.Address{2}, "input": "0x01", "maxFeePerGas": "0x1", "gasPrice": "0x1",
		"maxPriorityFeePerGas": "0x1", "type": "0x2", "gas": "0xffffffffff", "chainId": "0x205b", "nonce": "0x0",
		"accessList": []any{}, "value": "0x0",
	}
	for _, method := range []string{"eth_estimateGas", "eth_call", "eth_createAccessList"} {
		t.Run(method, func(t *testing.T) {
			b.chain.set(func() { b.chain.called = nil })
			a := b.call("/", method, call, "latest")
			must.That(t, a.Error == nil, "%+v", a.Error)
			var asked map[string]any
			b.chain.set(func() { asked = b.chain.called })
			keys := slices.Sorted(maps.Keys(asked))
			want := []string{"accessList", "chainId", "from", "gas", "input", "nonce", "to", "value"}
			expect.That(t, slices.Equal(keys, want) && asked["gas"] == hexutil.EncodeUint64(maxCallGas),
				"the node was asked %v", asked)
			for field, value := range map[string]any{
				"authorizationList": []any{}, "blobVersionedHashes": []any{}, "maxFeePerBlobGas": "0x1", "blobs": []any{},
				"memo": "lunch",
			} {
				other := maps.Clone(call)
				other[field] = value
				if a := b.call("/", method, other); a.Error == nil || a.Error.Data.Rule != "type" || a.Error.Data.Have != field {
					t.Errorf("%s: %s, %+v", field, a.Result, a.Error)
				}
			}
			a = b.call("/", method, call, "latest", map[string]any{})
			expect.That(t, a.Error != nil && a.Error.Data.Rule == "overrides", "overrides: %s, %+v", a.Result, a.Error)
		})
	}
	for _, method := range []string{"eth_fillTransaction", "pm_isSponsorable"} {
		for field, value := range map[string]any{"authorizationList": []any{}, "type": "0x4", "gasPrice": "0x0"} {
			t.Run(method+"/"+field, func(t *testing.T) {
				a := b.call("/", method, map[string]any{"from": common.Address{1}, "to": common.Address{2}, field: value})
				if method == "eth_fillTransaction" {
					expect.That(t, a.Error != nil && a.Error.Code == rpc.CodeParams, "%s, %+v", a.Result, a.Error)
					return
				}
				var answer struct {
					Sponsorable bool
					Reason      string
					Data        Refusal
				}
				err := json.Unmarshal(a.Result, &answer)
				expect.That(t, err == nil && !answer.Sponsorable && answer.Data.Rule == "type" && answer.Reason != "",
					"%s, %v", a.Result, err)
			})
		}
	}
}

// TestArgumentsOfOtherTypes: a refused argument is named in the words of JSON, without a type of Go.
func TestArgumentsOfOtherTypes(t *testing.T) {
	b := startBench(t, openPolicy)
	for _, value := range []any{7, true, "0x0", map[string]any{}} {
		a := b.call("/", "eth_signRawTransaction", value)
		expect.That(t, a.Error != nil && a.Error.Code == rpc.CodeParams &&
			strings.Contains(a.Error.Message, "argument 0 is a ") && !strings.Contains(a.Error.Message, "Go "),
			"%v: %s, %+v", value, a.Result, a.Error)
	}
}

// TestNoFieldIsDropped: whatever a caller gives of a transaction, what is estimated is what is filled in.
func TestNoFieldIsDropped(t *testing.T) {
	b := startBench(t, openPolicy)
	rapid.Check(t, func(r *rapid.T) {
		given := map[string]any{"from": common.Address{1}}
		for field, value := range map[string]any{
			"to": common.Address{2}, "value": "0x5", "data": "0x0102", "maxFeePerGas": "0x4f94ae6af800",
			"maxPriorityFeePerGas": "0x1", "nonce": "0x7",
			"accessList": []any{map[string]any{"address": common.Address{3}, "storageKeys": []common.Hash{{4}}}},
		} {
			if rapid.Bool().Draw(r, field) {
				given[field] = value
			}
		}
		var filled struct {
			Raw hexutil.Bytes
			Tx  map[string]json.RawMessage
		}
		b.must(&filled, "eth_fillTransaction", given)
		tx := new(types.Transaction)
		unsigned := append(hexutil.Bytes{}, filled.Raw...)
		must.Do(r, tx.UnmarshalBinary(unsigned))
		var asked map[string]any
		b.chain.set(func() { asked = b.chain.called })
		list := tx.AccessList()
		if list == nil {
			list = types.AccessList{} // which is null in JSON otherwise
		}
		want := map[string]any{
			"from": common.Address{1}, "value": (*hexutil.Big)(tx.Value()), "input": hexutil.Bytes(tx.Data()),
			"accessList": list, "gas": hexutil.Uint64(maxCallGas),
		}
		if tx.To() != nil {
			want["to"] = tx.To()
		}
		text, _ := json.Marshal(want)
		var decoded map[string]any
		must.Do(r, json.Unmarshal(text, &decoded))
		expect.That(r, fmt.Sprint(asked) == fmt.Sprint(decoded), "estimated %v, filled %v", asked, decoded)
		for field, value := range given {
			if field == "from" || field == "data" {
				continue
			}
			text, _ := json.Marshal(value)
			expect.That(r, strings.EqualFold(string(filled.Tx[field]), string(text)),
				"%s was %s, is %s", field, text, filled.Tx[field])
		}
	})
}

// TestFloodedNode: calls of one client that take the node long keep neither submissions nor calls of others out, and a
// call that takes too long ends.
func TestFloodedNode(t *testing.T) {
	b := startBench(t, openPolicy)
	begun, end := make(chan struct{}, 100), make(chan struct{})
	b.chain.set(func() {
		b.chain.estimate = func(ctx context.Context) {
			begun <- struct{}{}
			select {
			case <-end:
			case <-ctx.Done():
			}
		}
	})
	ask := func(address, method string, params ...any) string {
		return b.askFrom(t.Context(), address, method, params...)
	}
	call := map[string]any{"to": common.Address{2}}
	answers := make(chan string, 6)
	for range cap(answers) {
		go func() { answers <- ask("10.0.0.1", "eth_estimateGas", call) }()
	}
	<-begun
	_, raw := senderTx(t, newSender(t), nil)
	answer := ask("10.0.0.2", "eth_sendRawTransaction", raw)
	expect.That(t, !strings.Contains(answer, "error"), "submission: %s", answer)
	answer = ask("10.0.0.2", "eth_call", call, "latest")
	expect.That(t, !strings.Contains(answer, "error"), "call of another client: %s", answer)
	expect.Equal(t, len(begun), 0, "further calls of one client run")
	expect.Contains(t, <-answers, "takes more than", "long call")
	close(end)
	for range cap(answers) - 1 {
		<-answers
	}
	b.chain.set(func() { b.chain.estimate = nil })
}

// TestSharesOfPlaces: one client has its share of the places of a lane, and waits for the others.
func TestSharesOfPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLane(maxWaiting, requestTimeout)
		var mu sync.Mutex
		running := make(map[string]int)
		ends := make(chan struct{})
		for _, client := range []string{"a", "b"} {
			for range maxWaiting {
				go func() {
					end, err := l.places.Take(t.Context(), client)
					if err != nil {
						return
					}
					mu.Lock()
					running[client]++
					mu.Unlock()
					<-ends
					end()
				}()
				synctest.Wait()
			}
		}
		mu.Lock()
		share := maxWaiting / shareOf
		expect.That(t, running["a"] == share && running["b"] == share, "%v run, want %d of each", running, share)
		mu.Unlock()
		close(ends)
		synctest.Wait()
	})
}

// TestAbandonedQuestions: a node works on what callers do not wait for any more, so that their places stay taken until
// it has answered.
func TestAbandonedQuestions(t *testing.T) {
	begun, end := make(chan string, 100), make(chan struct{})
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call message
		expect.Error(t, json.NewDecoder(r.Body).Decode(&call), nil, "Decode")
		begun <- call.Method
		if call.Method == "eth_getCode" {
			<-end
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":"0x7"}`, call.ID) //nolint:errcheck // of the test alone
	}))
	defer node.Close()
	p := must.Get(newPassing(t.Context(), node.URL, nil))(t)
	defer p.node.Close()
	ask := func(ctx context.Context, address, method string) (number hexutil.Uint64, err error) {
		return number, p.call(ctx, light, address, &number, method)
	}
	var callers sync.WaitGroup
	ctx, leave := context.WithCancel(t.Context())
	abandon := func(address string) {
		callers.Go(func() {
			expect.Error(t, expect.Err(ask(ctx, address, "eth_getCode")), nil, "ask")
		})
		<-begun
	}
	for i := range maxLight {
		abandon(fmt.Sprintf("10.0.0.%d", i))
	}
	leave()
	last := make(chan error, 1)
	go func() {
		_, err := ask(t.Context(), "10.0.1.2", "eth_blockNumber")
		last <- err
	}()
	places := p.lanes[light].places
	for places.Len() <= maxLight {
		runtime.Gosched()
	}
	if n := places.Len(); n != maxLight+1 || len(begun) > 0 {
		t.Errorf("%d questions have or want a place, want %d; %d more have begun", n, maxLight+1, len(begun))
	}
	close(end)
	expect.Error(t, <-last, nil, "last")
	callers.Wait()
}

// TestNodeLimitsEachClient: a node that trusts the sponsor as a proxy refuses a client beyond its limits, and no other.
// Dry runs are the sponsor's own questions.
func TestNodeLimitsEachClient(t *testing.T) {
	limits := calls.New(calls.Limits{Rate: 1, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call message
		must.Do(t, json.NewDecoder(r.Body).Decode(&call))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":"0x7"}`, call.ID) //nolint:errcheck // of the test alone
	})
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limits.Request(w, r, answer)
	}))
	defer node.Close()
	p := must.Get(newPassing(t.Context(), node.URL, nil))(t)
	defer p.node.Close()
	const owing = "203.0.113.9"
	limits.Used(door.OwnerOf(owing), "eth_call", time.Minute)
	var asking sync.WaitGroup
	for w, refused := range map[weight]bool{light: true, heavy: true, waiting: true, filling: false, trying: false} {
		ask := func(client string) error {
			return p.call(t.Context(), w, client, new(hexutil.Uint64), "eth_blockNumber")
		}
		asking.Go(func() {
			var refusal *Refusal
			if err := ask(owing); errors.As(err, &refusal) != refused || !refused && err != nil {
				t.Errorf("weight %d of a client that owes: %v", w, err)
			} else if refused && (refusal.Rule != "busy" || refusal.ErrorCode() != rpc.CodeLimit) {
				t.Errorf("weight %d: %+v", w, refusal)
			}
			expect.Error(t, ask("2001:db8::1"), nil, "weight %d of another client", w)
		})
	}
	asking.Wait()
}

// askFrom makes a call of an address, without the network.
func (b *bench) askFrom(ctx context.Context, address, method string, params ...any) string {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		b.t.Error(err)
	}
	return b.postFrom(ctx, address, body)
}

func (b *bench) postFrom(ctx context.Context, address string, body []byte) string {
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(body))
	request.RemoteAddr, request.Host = address+":1", "localhost"
	request.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	b.sponsor.Server().Handler.ServeHTTP(w, request)
	return w.Body.String()
}

// flood has addresses call a contract that keeps the node until the flood ends. It returns when enough of them wait.
func (b *bench) flood(addresses int, format string, waiting int) (end func()) {
	stranger := common.Address{0xbb}
	b.chain.set(func() {
		b.chain.execute = func(ctx context.Context, call map[string]any) {
			if call["to"] == strings.ToLower(stranger.Hex()) {
				<-ctx.Done()
			}
		}
	})
	ctx, cancel := context.WithCancel(b.t.Context())
	var strangers sync.WaitGroup
	for i := range addresses {
		strangers.Go(func() {
			b.askFrom(ctx, fmt.Sprintf(format, i), "eth_call", map[string]any{"to": stranger}, "latest")
		})
	}
	b.await("calls of strangers", func() bool { return b.sponsor.passed.lanes[heavy].places.Len() >= waiting })
	return func() { cancel(); strangers.Wait() }
}

// TestDryRunsBesideCalls: calls of 48 addresses that each keep the node for as long as they may neither keep what is
// filled in nor dry runs waiting.
func TestDryRunsBesideCalls(t *testing.T) {
	b := startBench(t, openPolicy+"require_success = true\n")
	end := b.flood(48, "10.0.1.%d", 48)
	sender := newSender(t)
	fill := map[string]any{"from": crypto.PubkeyToAddress(sender.PublicKey), "to": common.Address{2}}
	expect.Contains(t, b.askFrom(t.Context(), "10.0.2.1", "eth_fillTransaction", fill), `"sponsored":true`, "filled")
	_, raw := senderTx(t, sender, nil)
	answer := b.askFrom(t.Context(), "10.0.2.1", "eth_sendRawTransaction", raw)
	expect.That(t, !strings.Contains(answer, "error"), "submission: %s", answer)
	n := b.sponsor.passed.lanes[heavy].places.Len()
	expect.That(t, n >= maxHeavy, "%d calls of strangers are left: the submission waited for the flood", n)
	end()
}

// TestOneSiteOfManyNetworks: calls of 200 networks of one site, each as long as it may be, leave a place for a call
// of another client.
func TestOneSiteOfManyNetworks(t *testing.T) {
	b := startBench(t, openPolicy)
	end := b.flood(200, "[2001:db8:0:%x::1]", 101)
	answer := b.askFrom(t.Context(), "[2001:db8:1::1]", "eth_call", map[string]any{"to": common.Address{2}}, "latest")
	expect.That(t, !strings.Contains(answer, "error"), "call of another client: %s", answer)
	end()
}

// TestOneDryRun: a dry run that takes longer than a block is not repeated for the next block.
func TestOneDryRun(t *testing.T) {
	b := startBench(t, openPolicy+"require_success = true\n")
	tries := 0
	b.chain.set(func() {
		b.chain.estimate = func(context.Context) {
			tries++
			next := b.sponsor.head.next()
			b.chain.mine()
			<-next
		}
	})
	_, raw := senderTx(t, newSender(t), nil)
	a := b.call("/", "eth_sendRawTransaction", raw)
	expect.That(t, a.Error == nil, "submission: %+v", a.Error)
	expect.Equal(t, tries, 1, "dry runs of one transaction")
}

// TestDryRunComesLast: what a budget or the payers' coins forbid takes no time of the node.
func TestDryRunComesLast(t *testing.T) {
	for rule, policy := range map[string]string{
		"max_total":     strings.Replace(openPolicy, `max_total = "100 WKRC"`, `max_total = "0.0001 WKRC"`, 1),
		"payer_balance": openPolicy,
	} {
		t.Run(rule, func(t *testing.T) {
			b := newBench(t, policy+"require_success = true\n")
			if rule == "payer_balance" {
				b.chain.balances[b.payer] = big.NewInt(1)
			}
			b.chain.estimate = func(context.Context) { t.Error("a dry run of what is refused") }
			b.start()
			_, raw := senderTx(t, newSender(t), nil)
			a := b.call("/", "eth_sendRawTransaction", raw)
			expect.That(t, a.Error != nil && a.Error.Data.Rule == rule, "answer %s, error %+v", a.Result, a.Error)
		})
	}
}

// TestLongAnswers: an answer of the node beyond the bound ends with an error instead of the memory.
func TestLongAnswers(t *testing.T) {
	for size, want := range map[int]error{maxAnswer - 100: nil, maxAnswer: dial.ErrLarge} {
		node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": 1, "result": "%s"}`, strings.Repeat("x", size))
		}))
		defer node.Close()
		p := must.Get(newPassing(t.Context(), node.URL, nil))(t)
		defer p.node.Close()
		var text string
		err := p.call(t.Context(), light, "192.0.2.1", &text, "web3_clientVersion")
		expect.That(t, errors.Is(err, want), "an answer of %d bytes: %v", size, err)
	}
}

// TestLongAnswersOfARequest: the answers of a request are bounded in sum, also of methods that the sponsor serves
// itself. What comes after the bound is not asked for.
func TestLongAnswersOfARequest(t *testing.T) {
	b := startBench(t, openPolicy)
	hash := b.settledTransaction()
	const size = 3 << 20
	asked := 0
	b.chain.set(func() { b.chain.onReceipt = func() string { asked++; return strings.Repeat("x", size) } })
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_getTransactionReceipt","params":["%v"]},`, hash)
	_, body := b.post("/", "["+strings.TrimSuffix(strings.Repeat(call, maxBatch), ",")+"]")
	var answers []answer
	err := json.Unmarshal(body, &answers)
	must.That(t, err == nil && len(answers) == maxBatch, "%d answers, error %v", len(answers), err)
	const most = maxAnswer / size
	for i, a := range answers {
		if (i < most) != (a.Error == nil) || a.Error != nil && a.Error.Code != rpc.CodeLimit {
			t.Errorf("answer %d: %d bytes, error %+v", i, len(a.Result), a.Error)
		}
	}
	expect.That(t, asked == most+1, "the node was asked %d times, want %d", asked, most+1)
}

// TestAnswersUnderWay: the answers that are made for a client at the same time are bounded in sum. Small ones go on.
func TestAnswersUnderWay(t *testing.T) {
	b := startBench(t, openPolicy)
	hash := b.settledTransaction()
	b.chain.set(func() { b.chain.onReceipt = func() string { return strings.Repeat("x", 1<<20) } })
	const share = maxWritten / shareOf
	others := b.sponsor.answers.Share(door.OwnerOfClient("10.0.0.1"), nil)
	must.Do(t, others.Add(share-100))
	ask := func(address, method string, params ...any) string {
		return b.askFrom(t.Context(), address, method, params...)
	}
	answer := ask("10.0.0.1", "eth_getTransactionReceipt", hash)
	expect.That(t, strings.Contains(answer, errUnreadAnswers.text), "client with its share: %.200s", answer)
	answer = ask("10.0.0.1", "eth_chainId")
	expect.That(t, strings.Contains(answer, "result"), "small answer: %.200s", answer)
	answer = ask("10.0.0.2", "eth_getTransactionReceipt", hash)
	expect.That(t, strings.Contains(answer, "result"), "another client: %.200s", answer)
	others.Release()
	answer = ask("10.0.0.1", "eth_getTransactionReceipt", hash)
	expect.That(t, strings.Contains(answer, "result"), "afterwards: %.200s", answer)
	taken, clients := b.sponsor.answers.Taken()
	expect.That(t, taken == 0 && clients == 0, "%d KiB of %d clients are left", taken, clients)
}

// TestSubmissionsAreAnswered: a client without room for answers hears of each transaction that was submitted for it,
// also in a request with an answer that is refused. Without any room nothing is submitted.
func TestSubmissionsAreAnswered(t *testing.T) {
	b := startBench(t, "rate_per_address = 1000.0\n"+openPolicy)
	hash := b.settledTransaction()
	b.chain.set(func() { b.chain.onReceipt = func() string { return strings.Repeat("x", 1<<20) } })
	const (
		share  = maxWritten / shareOf
		client = "10.0.0.1"
	)
	calls := []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"eth_getTransactionReceipt","params":["%v"]}`, hash)}
	for i := range maxBatch - 1 {
		_, raw := senderTx(t, newSender(t), nil)
		calls = append(calls, fmt.Sprintf(
			`{"jsonrpc":"2.0","id":%d,"method":"eth_sendRawTransaction","params":["%v"]}`, i+1, raw))
	}
	others := b.sponsor.answers.Share(door.OwnerOfClient(client), nil)
	must.Do(t, others.Add(share-smallAnswers))
	var answers []answer
	text := b.postFrom(t.Context(), client, []byte("["+strings.Join(calls, ",")+"]"))
	err := json.Unmarshal([]byte(text), &answers)
	must.That(t, err == nil && len(answers) == maxBatch, "%d answers, error %v: %.200s", len(answers), err, text)
	for i, a := range answers {
		expect.Equal(t, i == 0, a.Error != nil, "answer %d: %.100s, error %+v", i, a.Result, a.Error)
	}
	must.Do(t, others.Add(1)) // the request has left nothing
	tx, raw := senderTx(t, newSender(t), nil)
	expect.Contains(t, b.askFrom(t.Context(), client, "eth_sendRawTransaction", raw), "not read yet", "without room")
	found, _, err := b.sponsor.books.Find(tx.Hash())
	expect.That(t, err == nil && found == nil, "a submission without an answer is in the books: %+v, error %v", found, err)
	others.Release()
	taken, clients := b.sponsor.answers.Taken()
	expect.That(t, taken == 0 && clients == 0, "%d KiB of %d clients are left", taken, clients)
}

// settledTransaction has a transaction sponsored and mined, and returns the sender's hash.
func (b *bench) settledTransaction() (hash common.Hash) {
	_, raw := senderTx(b.t, newSender(b.t), nil)
	b.must(&hash, "eth_sendRawTransaction", raw)
	b.chain.minePool()
	b.await("the block", func() bool {
		found, _, err := b.sponsor.books.Find(hash)
		return err == nil && found.State == stateSettled
	})
	return hash
}

// slowWriter is a client that does not read.
type slowWriter struct {
	*httptest.ResponseRecorder
	begun, read chan struct{}
}

func (w *slowWriter) Write(p []byte) (int, error) {
	w.begun <- struct{}{}
	<-w.read
	return w.ResponseRecorder.Write(p)
}

// TestSlowReaders: clients that do not read their answers hold no place of those that are served, and a bounded amount
// of memory.
func TestSlowReaders(t *testing.T) {
	b := startBench(t, openPolicy)
	answer := make([]byte, 1<<20)
	handler := b.sponsor.bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reply(w, answer) }))
	serve := func(w http.ResponseWriter, address string) {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		request.RemoteAddr = address
		handler.ServeHTTP(w, request)
	}
	read, begun, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	const unread = maxWritten / shareOf / (1 + 1<<10)
	for range unread {
		go func() {
			serve(&slowWriter{httptest.NewRecorder(), begun, read}, "10.0.0.1:1")
			ended <- struct{}{}
		}()
		<-begun
	}
	for address, want := range map[string]int{"10.0.0.1:2": http.StatusServiceUnavailable, "10.0.0.2:1": http.StatusOK} {
		w := httptest.NewRecorder()
		serve(w, address)
		expect.That(t, w.Code == want, "%s: status %d, want %d", address, w.Code, want)
	}
	close(read)
	for range unread {
		<-ended
	}
	w := httptest.NewRecorder()
	if serve(w, "10.0.0.1:3"); w.Code != http.StatusOK || w.Body.Len() != len(answer) {
		t.Errorf("afterwards: status %d, %d bytes", w.Code, w.Body.Len())
	}
}

// TestForeignPages: a web page of another name or with another content type reaches no policy without a key on this
// machine.
func TestForeignPages(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"eth_accounts"}`
	b := startBench(t, "cors = [\"http://localhost:*\"]\nhosts = [\"sponsor.example\"]\n"+openPolicy)
	keyed := startBench(t, strings.Replace(openPolicy, "label", "hash = \"HASH\"\nlabel", 1))
	for _, tt := range []struct {
		name, host, kind string
		bench            *bench
		status           int
	}{
		{"address", "127.0.0.1:9545", "application/json", b, 200},
		{"IPv6", "[::1]:9545", "application/json", b, 200},
		{"localhost", "localhost", "application/json; charset=utf-8", b, 200},
		{"own name", "sponsor.example", "application/json", b, 200},
		{"foreign name", "evil.example:9545", "application/json", b, 403},
		{"foreign name with a key", "evil.example:9545", "application/json", keyed, 200},
		{"text", "localhost", "text/plain", b, 415},
		{"no type", "localhost", "", b, 415},
		{"form", "localhost", "application/x-www-form-urlencoded", keyed, 415},
	} {
		t.Run(tt.name, func(t *testing.T) {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(call))
			request.Host = tt.host
			request.Header.Set("Content-Type", tt.kind)
			w := httptest.NewRecorder()
			tt.bench.sponsor.Server().Handler.ServeHTTP(w, request)
			expect.That(t, w.Code == tt.status, "status %d, want %d: %s", w.Code, tt.status, w.Body)
		})
	}
	for origin, allowed := range map[string]bool{"http://localhost:3000": true, "https://evil.example": false} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(call))
		request.Host = "localhost"
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Origin", origin)
		w := httptest.NewRecorder()
		b.sponsor.Server().Handler.ServeHTTP(w, request)
		expect.Equal(t, w.Header().Get("Access-Control-Allow-Origin") != "", allowed, "%s: allowed", origin)
	}
}

// No error of a question to the node shows more of it than scheme and host.
func TestNodeIsHidden(t *testing.T) {
	dead := httptest.NewServer(nil)
	dead.Close()
	at := strings.Replace(dead.URL, "://", "://carol:hunter22@", 1) + "/v2/PATHKEY?apikey=QUERYKEY"
	p := must.Get(newPassing(t.Context(), at, nil))(t)
	defer p.node.Close()
	for _, w := range []weight{light, heavy} {
		err := p.call(t.Context(), w, "10.0.0.1", new(hexutil.Uint64), "eth_blockNumber")
		if err == nil || !strings.Contains(err.Error(), dead.URL) {
			t.Errorf("error %v, want the host", err)
			continue
		}
		for _, secret := range []string{"carol", "hunter22", "PATHKEY", "QUERYKEY"} {
			expect.That(t, !strings.Contains(err.Error(), secret), "%s is shown: %v", secret, err)
		}
	}
}
