// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/gorilla/websocket"

	"gwon/internal/door"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// heldClock stands still until it is moved, or until a limiter pauses. It is safe for concurrent use.
type heldClock struct{ passed atomic.Int64 }

func (c *heldClock) now() time.Time { return time.Unix(1_700_000_000, c.passed.Load()) }

func (c *heldClock) move(d time.Duration) { c.passed.Add(int64(d)) }

// stopped is a limiter with such a clock.
func stopped(limits Limits) (*Door, *heldClock) {
	c := new(heldClock)
	return newDoor(limits, c.now, func(_ context.Context, d time.Duration) { c.move(d) }), c
}

func reasonOf(err error) string {
	var refused *gethrpc.Refusal
	if !errors.As(err, &refused) {
		return fmt.Sprint(err)
	}
	return refused.Reason
}

// Networks of proxies are read from a list. What is no network is refused.
func TestParseProxies(t *testing.T) {
	proxies := must.Get(ParseProxies("10.0.0.0/8, 2001:db8:1::/48,192.0.2.7"))(t)
	for address, want := range map[string]bool{
		"10.1.2.3": true, "192.0.2.7": true, "192.0.2.8": false, "2001:db8:1::5": true, "2001:db8:2::5": false,
	} {
		expect.Equal(t, contains(proxies, netip.MustParseAddr(address)), want, "%s is a proxy", address)
	}
	for _, list := range []string{"example.org", "10.0.0.0/33", "10.0.0.1:80"} {
		expect.Refused(t, expect.Err(ParseProxies(list)), "%s is taken for a network", list)
	}
}

// The time that a call has run is charged, of short calls a millisecond at most. Submissions, which wait for the pool,
// cost by length.
// spec: rpc 9.6
func TestPrices(t *testing.T) {
	for _, test := range []struct {
		method  string
		params  int // bytes
		elapsed time.Duration
		before  int
		after   int
	}{
		{"eth_blockNumber", 2, unitTime / 10, 1, 0},
		{"nonsense", 0, 0, 1, 0},
		{"eth_getBalance", 50, 10 * time.Second, 1, 10},
		{"eth_call", 100_000, 240 * time.Millisecond, 1, 2400},
		{"eth_getLogs", 100, 5 * time.Second, 1, 50_000},
		{"eth_getTransactionReceipt", 70, time.Second, 1, 10_000},
		{"eth_sendRawTransaction", 300, time.Minute, 1, 0},
		{"eth_sendRawTransactions", 400_000, time.Minute, 1001, 0},
	} {
		t.Run(test.method, func(t *testing.T) {
			before := price(test.method, make(json.RawMessage, test.params))
			if after := priceOfTime(test.method, test.elapsed); before != test.before || after != test.after {
				t.Errorf("%d and %d, want %d and %d", before, after, test.before, test.after)
			}
		})
	}
}

// A client that has used its units waits for new ones, and is refused when that takes too long. Others do not wait.
func TestRate(t *testing.T) {
	l, clock := stopped(Limits{Rate: 10})
	call := func(remote string) (time.Duration, error) {
		begun := clock.now()
		err := l.Call(t.Context(), door.OwnerOf(remote), "eth_call", nil)
		return clock.now().Sub(begun), err
	}
	for n := range 10 * burstSeconds {
		must.Equal(t, must.Get(call("203.0.113.9:1"))(t), 0, "call %d: after", n)
	}
	expect.Equal(t, must.Get(call("203.0.113.9:2"))(t), 100*time.Millisecond, "the next call: after")
	l.Used(door.OwnerOf("203.0.113.9:2"), "eth_call", 20*unitTime)
	waited, err := call("203.0.113.9:2")
	var coded gethrpc.DataError
	must.That(t, errors.As(err, &coded) && waited == patience,
		"a call after a long one: after %v, %v, want a refusal", waited, err)
	data, fault := json.Marshal(coded.ErrorData())
	expect.That(t, fault == nil && string(data) == `{"reason":"rate","retryAfter":1.1}`, "data %s, %v", data, fault)
	for _, remote := range []string{"198.51.100.1:1", "127.0.0.1:1", "10.0.0.1:1"} {
		expect.Equal(t, must.Get(call(remote))(t), 0, "%s: after", remote)
	}
	clock.move(1200 * time.Millisecond) // the refusal has cost a unit too
	expect.Equal(t, must.Get(call("203.0.113.9:3"))(t), 0, "after the time that was told: after")
}

// A client pays for what it has used, however much one call costs.
func TestDebtIsPaid(t *testing.T) {
	l, clock := stopped(Limits{Rate: 10})
	for range 3 {
		l.Used(door.OwnerOf("203.0.113.9:1"), "eth_getLogs", time.Minute)
	}
	owed := time.Duration(3*int(time.Minute/unitTime)/10-burstSeconds) * time.Second
	clock.move(owed - 10*patience)
	expect.Equal(t, reasonOf(l.Call(t.Context(), door.OwnerOf("203.0.113.9:1"), "eth_call", nil)), "rate", "reasonOf")
	clock.move(11 * patience)
	expect.Error(t, l.Call(t.Context(), door.OwnerOf("203.0.113.9:1"), "eth_call", nil), nil, "after %v", owed)
}

// The networks that one customer may have are bounded too, by four and by sixteen times as much. IPv4 addresses in IPv6
// form are IPv4 addresses.
func TestWiderNetworks(t *testing.T) {
	for _, test := range []struct {
		name   string
		remote func(n int) string
		served int // requests at a time
	}{
		{"addresses of 64 bits", func(n int) string { return fmt.Sprintf("2001:db8::%x", n) }, 2},
		{"networks of 56 bits", func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n) }, 8},
		{"networks of 48 bits", func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n<<8) }, 32},
		{"other networks", func(n int) string { return fmt.Sprintf("2001:db8:%x::1", n) }, 100},
		{"IPv4 addresses", func(n int) string { return fmt.Sprintf("203.0.113.%d", n) }, 100},
		{"IPv4 address in IPv6 form", func(int) string { return "::ffff:203.0.113.9" }, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, _ := stopped(Limits{Rate: 100, InFlight: 2})
			served := 0
			for n := range 100 {
				if _, refused := l.enter(t.Context(), door.OwnerOf(test.remote(n)), false); refused == nil {
					served++
				}
			}
			expect.Equal(t, served, test.served, "requests at a time")
		})
	}
}

// Notifications have the rate of the bytes that units pay for, whatever the client owes for calls.
func TestNotifications(t *testing.T) {
	l, clock := stopped(Limits{Rate: 10})
	const remote = "203.0.113.9:1"
	l.Used(door.OwnerOf(remote), "eth_call", time.Hour)
	for second := range burstSeconds {
		must.That(t, l.Notified(door.OwnerOf(remote), 10*unitBytes), "not notified after the bytes of %d seconds", second)
	}
	expect.That(t, !l.Notified(door.OwnerOf(remote), 1), "notified beyond the bound")
	clock.move(time.Second)
	expect.That(t, l.Notified(door.OwnerOf(remote), 10*unitBytes) && !l.Notified(door.OwnerOf(remote), 1),
		"a second later there is not the allowance of one second")
	expect.That(t, l.Notified(door.OwnerOf("127.0.0.1:1"), 1<<30), "a proxy is bounded")
}

// Without a rate nothing is charged.
func TestNoRate(t *testing.T) {
	l, clock := stopped(Limits{})
	begun := clock.now()
	l.Used(door.OwnerOf("203.0.113.9:1"), "eth_getLogs", time.Hour)
	if err := l.Call(t.Context(), door.OwnerOf("203.0.113.9:1"), "eth_call", nil); err != nil || clock.now() != begun {
		t.Errorf("%v after %v", err, clock.now().Sub(begun))
	}
}

// serve asks a limiter as the proxy 127.0.0.1 does for a client. The answer has a number of bytes.
func serve(l *Door, client, body string, answer int) (status int, read bool) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set(door.ForwardedHeader, client)
	w := httptest.NewRecorder()
	l.Request(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // of memory
		_, _ = w.Write(make([]byte, answer))
		read = true
	}))
	return w.Code, read
}

// A request costs by its bytes and those of its answer. What a client cannot pay for is neither read nor served, and
// the refusal takes a second.
func TestBytes(t *testing.T) {
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, test := range []struct {
		name         string
		body, answer int
		units        int
	}{
		{"short", 100, 100, 1},
		{"a long body", 5 * unitBytes, 100, 6},
		{"a long answer", 100, 7 * unitBytes, 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, clock := stopped(Limits{Rate: 10, Proxies: local})
			status, read := serve(l, "203.0.113.9", strings.Repeat("x", test.body), test.answer)
			must.That(t, status == http.StatusOK && read, "status %d", status)
			owner := door.OwnerOf("203.0.113.9")
			expect.That(t, l.units.Allow(owner, 10*burstSeconds-test.units) && !l.units.Allow(owner, 1),
				"not %d units are used", test.units)
			l.Used(door.OwnerOf("203.0.113.9:1"), "eth_call", time.Minute)
			begun := clock.now()
			if status, read = serve(l, "203.0.113.9", "x", 1); status != http.StatusTooManyRequests || read {
				t.Errorf("status %d, served %v, of a client that owes", status, read)
			}
			expect.Equal(t, clock.now().Sub(begun), patience, "the refusal came after")
			begun = clock.now()
			if status, _ := serve(l, "198.51.100.1", "x", 1); status != http.StatusOK || clock.now() != begun {
				t.Errorf("another client: status %d after %v", status, clock.now().Sub(begun))
			}
			if status, _ := serve(l, "rubbish", "x", 1); status != http.StatusOK || clock.now() != begun {
				t.Errorf("the operator behind a proxy: status %d after %v", status, clock.now().Sub(begun))
			}
		})
	}
}

// post sends a request of a client through a proxy on this machine.
func post(t *testing.T, url, client string) *http.Response {
	t.Helper()
	r := must.Get(http.NewRequest(http.MethodPost, url, strings.NewReader("{}")))(t)
	r.Header.Set(door.ForwardedHeader, client)
	answer := must.Get(http.DefaultClient.Do(r))(t)
	t.Cleanup(func() { expect.Error(t, answer.Body.Close(), nil, "answer.Body.Close") })
	return answer
}

// Requests in flight are bounded, and a refusal is a JSON-RPC error.
// spec: rpc 2.5
func TestInFlight(t *testing.T) {
	l, _ := stopped(Limits{InFlight: 2, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	begun, end := make(chan string), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.Request(w, r, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			begun <- r.RemoteAddr
			<-end
		}))
	}))
	defer server.Close()
	answers := make(chan int)
	for range 2 {
		go func() { answers <- post(t, server.URL, "203.0.113.9").StatusCode }()
		remote := <-begun
		expect.That(t, strings.HasPrefix(remote, "203.0.113.9:"), "the handler sees %s, want the client", remote)
	}
	answer := post(t, server.URL, "203.0.113.9")
	body := must.Get(io.ReadAll(answer.Body))(t)
	want := `{"error":{"code":-32005,"data":{"reason":"inflight","retryAfter":1},"message":"a client has 2 ` +
		`requests in flight at most: wait for the answers, or close some"},"id":null,"jsonrpc":"2.0"}`
	expect.That(t, answer.StatusCode == http.StatusTooManyRequests && answer.Header.Get("Retry-After") == "1" &&
		string(body) == want, "%d %s\nwant %s", answer.StatusCode, body, want)
	go func() { answers <- post(t, server.URL, "198.51.100.1").StatusCode }()
	<-begun // another client
	close(end)
	for range 3 {
		expect.Equal(t, <-answers, http.StatusOK, "status")
	}
	go func() { <-begun }()
	expect.Equal(t, post(t, server.URL, "203.0.113.9").StatusCode, http.StatusOK, "status after the others have ended")
}

// timeless is a limiter that does not charge for the time of calls, which is not that of its clock.
type timeless struct{ *Door }

func (timeless) Used(gethrpc.Owner, string, time.Duration) {}

// WebSocket connections and subscriptions of a client are bounded, and its calls are charged to it behind a proxy.
func TestWebSocket(t *testing.T) {
	l, clock := stopped(Limits{
		Rate: 1, Connections: 1, Subscriptions: 2, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	gethrpc.SetDoor(timeless{l})
	defer gethrpc.SetDoor(nil)
	server := gethrpc.NewServer()
	defer server.Stop()
	hosted := httptest.NewServer(gethrpc.Gated(server.WebsocketHandler([]string{"*"})))
	defer hosted.Close()
	url := "ws" + strings.TrimPrefix(hosted.URL, "http")
	header := http.Header{door.ForwardedHeader: {"203.0.113.9"}}
	conn, _, err := websocket.DefaultDialer.Dial(url, header)
	must.Do(t, err)
	defer func() { expect.Error(t, conn.Close(), nil, "conn.Close") }()
	_, answer, err := websocket.DefaultDialer.Dial(url, header)
	expect.That(t, err != nil && answer.StatusCode == http.StatusTooManyRequests, "a second connection: %v", err)
	ask := func() string {
		must.Do(t, conn.WriteJSON(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "rpc_modules"}))
		_, answer, err := conn.ReadMessage()
		must.Do(t, err)
		return string(answer)
	}
	for range 3 * burstSeconds { // slower and slower, but none is refused
		answer := ask()
		must.That(t, strings.Contains(answer, `"result"`), "the answer is %s", answer)
	}
	l.Used(door.OwnerOf("203.0.113.9:1"), "eth_call", time.Minute)
	begun := clock.now()
	if answer := ask(); !strings.Contains(answer, `"code":-32005`) || !strings.Contains(answer, `"reason":"rate"`) {
		t.Errorf("a call of a client that owes is answered with %s", answer)
	}
	waited := clock.now().Sub(begun)
	expect.That(t, waited >= patience, "the refusal came after %v", waited)
	for count, want := range []string{"<nil>", "<nil>", "subscriptions"} {
		expect.Equal(t, reasonOf(l.Subscribe(door.OwnerOf("198.51.100.1:1"), count)), want, "with %d subscriptions", count)
	}
}

// oneConnection is a listener with one connection.
type oneConnection chan net.Conn

func (l oneConnection) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (l oneConnection) Close() error { close(l); return nil }
func (oneConnection) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(203, 0, 113, 9)} }

// A request that takes too long ends with an answer, also where writing that takes some seconds. One that becomes a
// WebSocket does not end.
func TestRequestsEndWithAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(Limits{})
		late := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			time.Sleep(answerTime - 1) // for encoding what a batch has collected
			_, _ = io.WriteString(w, context.Cause(r.Context()).Error())
		})
		server := door.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.Request(w, r, late) }))
		near, far := net.Pipe()
		connections := make(oneConnection)
		go func() { _ = server.Serve(connections) }()
		defer func() { _ = server.Close() }()
		connections <- near
		client := http.Client{Transport: &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) { return far, nil },
		}}
		response := must.Get(client.Post("http://node", "application/json", strings.NewReader("[]")))(t)
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		expect.That(t, err == nil && string(text) == errAnswerTime.Error(), "answer %q, %v", text, err)
		upgraded, cancel := beforeTimeout(context.WithValue(t.Context(), http.ServerContextKey, server), nil, true)
		defer cancel()
		_, ends := upgraded.Deadline()
		expect.That(t, !ends, "a WebSocket ends")
	})
}

// pinger is a service of an IPC endpoint.
type pinger struct{}

// Ping answers.
func (pinger) Ping() string { return "pong" }

// The IPC endpoint has a number of connections at most. spec: rpc 9.6
func TestConnectionsOfIPCAreBounded(t *testing.T) {
	gethrpc.SetDoor(New(Limits{}))
	defer gethrpc.SetDoor(nil)
	path := t.TempDir() + "/test.ipc"
	listener, server, err := gethrpc.StartBoundedIPC(path, []gethrpc.API{{Namespace: "test", Service: pinger{}}})
	must.Do(t, err)
	defer server.Stop()
	defer func() { _ = listener.Close() }()
	ping := func() error {
		client := must.Get(gethrpc.Dial(path))(t)
		t.Cleanup(client.Close)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a refused one may have no answer
		defer cancel()
		return client.CallContext(ctx, new(string), "test_ping")
	}
	for range ipcConnections {
		must.Do(t, ping())
	}
	expect.Refused(t, ping(), "one connection too many is served")
}

// One owner has a sixteenth of a resource at most, so that displacement is for attackers with many addresses.
func TestBoundsOfOneOwner(t *testing.T) {
	const part = 16
	for name, b := range map[string]door.Bound{
		"criteria":      {Own: ownCriteria, Sum: maxCriteria},
		"subscriptions": {Own: ownSubscribed, Sum: maxSubscribed},
	} {
		t.Run(name, func(t *testing.T) {
			expect.That(t, b.Own*part <= b.Sum, "one owner has %d, more than 1/%d of %d", b.Own, part, b.Sum)
		})
	}
}
