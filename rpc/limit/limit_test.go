// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/gorilla/websocket"
)

// stopped is a limiter whose clock stands still until it is moved.
func stopped(limits Limits) (*Limiter, *time.Time) {
	l, now := New(limits), time.Unix(1_700_000_000, 0)
	l.now = func() time.Time { return now }
	return l, &now
}

func reasonOf(err error) string {
	var refused *refusal
	if !errors.As(err, &refused) {
		return fmt.Sprint(err)
	}
	return refused.Reason
}

// The header of a proxy names the client; that of anybody else does not.
func TestClientOf(t *testing.T) {
	proxies, err := ParseProxies("10.0.0.0/8, 2001:db8:1::/48,192.0.2.7")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, remote, header, want string }{
		{"no proxy", "203.0.113.9:4711", "", "203.0.113.9"},
		{"a header of a stranger", "203.0.113.9:4711", "198.51.100.1", "203.0.113.9"},
		{"a proxy", "10.1.2.3:80", "203.0.113.9", "203.0.113.9"},
		{"a single proxy", "192.0.2.7:80", "203.0.113.9", "203.0.113.9"},
		{"a neighbor of it", "192.0.2.8:80", "203.0.113.9", "192.0.2.8"},
		{"a mapped proxy", "[::ffff:10.1.2.3]:80", "::ffff:203.0.113.9", "203.0.113.9"},
		{"with port", "10.1.2.3:80", "203.0.113.9:4711", "203.0.113.9"},
		{"forged by the client", "10.1.2.3:80", "198.51.100.1, 203.0.113.9", "203.0.113.9"},
		{"two proxies", "10.1.2.3:80", "198.51.100.1, 203.0.113.9, 2001:db8:1::5", "203.0.113.9"},
		{"proxies only", "10.1.2.3:80", "10.0.0.9, 10.0.0.8", "10.0.0.9"},
		{"no header", "10.1.2.3:80", "", "10.1.2.3"},
		{"rubbish", "10.1.2.3:80", "203.0.113.9, rubbish", "10.1.2.3"},
		{"too many hops", "10.1.2.3:80", "203.0.113.9" + strings.Repeat(",10.0.0.8", maxHops), "10.0.0.8"},
		{"no address", "@", "203.0.113.9", "invalid IP"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			r.RemoteAddr = test.remote
			if test.header != "" {
				r.Header.Set(forwardedHeader, test.header)
			}
			if got := clientOf(r, proxies).String(); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	for _, list := range []string{"example.org", "10.0.0.0/33", "10.0.0.1:80"} {
		if _, err := ParseProxies(list); err == nil {
			t.Errorf("%s is taken for a network", list)
		}
	}
}

// One customer is one client, and those that cannot be told apart are not limited.
func TestKeyOf(t *testing.T) {
	for _, test := range []struct {
		one, other string
		same       bool
	}{
		{"203.0.113.9", "203.0.113.9", true},
		{"203.0.113.9", "203.0.113.10", false},
		{"2001:db8::1", "2001:db8::ffff:1", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
	} {
		one, _ := gethrpc.CustomerOf(netip.MustParseAddr(test.one))
		other, _ := gethrpc.CustomerOf(netip.MustParseAddr(test.other))
		if (one == other) != test.same {
			t.Errorf("%s and %s: %v and %v", test.one, test.other, one, other)
		}
	}
	for _, addr := range []string{"127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd00::1", "fe80::1"} {
		if _, limited := gethrpc.CustomerOf(netip.MustParseAddr(addr)); limited {
			t.Errorf("%s is limited", addr)
		}
	}
}

// A call costs by its method and range.
// spec: rpc 9.6
func TestCost(t *testing.T) {
	for _, test := range []struct {
		method, params string
		want           int
	}{
		{"eth_blockNumber", `[]`, 1},
		{"nonsense", `null`, 1},
		{"eth_call", `[{}]`, callCost},
		{"debug_traceBlockByNumber", `["latest"]`, traceCost},
		{"trace_block", `["latest"]`, traceCost},
		{"trace_filter", `[{"fromBlock":"0x0","toBlock":"0x3e8"}]`, traceCost + 100},
		{"ots_searchTransactionsBefore", `[]`, traceCost},
		{"ots_hasCode", `[]`, callCost},
		{"ots_getApiLevel", `[]`, 1},
		{"eth_getLogs", `[{}]`, callCost},
		{"eth_getLogs", `[{"fromBlock":"0x1","toBlock":"0x1"}]`, callCost},
		{"eth_getLogs", `[{"fromBlock":"0x0","toBlock":"0x2710"}]`, callCost + 100},
		{"eth_getLogs", `[{"fromBlock":"0x0","toBlock":"latest"}]`, callCost + 10},
		{"eth_getLogs", `[{"fromBlock":"earliest"}]`, callCost + 10},
		{"eth_getLogs", `[{"fromBlock":"0x9","toBlock":"0x1"}]`, callCost},
		{"eth_getLogs", `[{"blockHash":"0x00"}]`, callCost},
		{"eth_getLogs", `{"not":"a list"}`, callCost},
		{"eth_getLogs", `[{"fromBlock":"0x0","toBlock":"0xffffffffffffffff"}]`, callCost + 1<<31 - 1},
	} {
		t.Run(test.method+test.params, func(t *testing.T) {
			if got := Cost(test.method, json.RawMessage(test.params)); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

// A client that has used its units is refused until time gives it new ones. Others are not.
func TestRate(t *testing.T) {
	l, now := stopped(Limits{Rate: 10})
	call := func(remote, method string) error { return l.Call(remote, method, nil, -1) }
	for n := range 10 * burstSeconds {
		if err := call("203.0.113.9:1", "eth_blockNumber"); err != nil {
			t.Fatalf("call %d: %v", n, err)
		}
	}
	err := call("203.0.113.9:2", "eth_call")
	var coded gethrpc.DataError
	if !errors.As(err, &coded) || reasonOf(err) != "rate" {
		t.Fatalf("%v, want a refusal", err)
	}
	data, fault := json.Marshal(coded.ErrorData())
	if fault != nil || string(data) != `{"reason":"rate","retryAfter":0.5}` {
		t.Errorf("data %s, %v", data, fault)
	}
	if err := call("198.51.100.1:1", "eth_call"); err != nil {
		t.Errorf("another client: %v", err)
	}
	if err := call("127.0.0.1:1", "eth_call"); err != nil {
		t.Errorf("this machine: %v", err)
	}
	*now = now.Add(time.Second / 2)
	if err := call("203.0.113.9:3", "eth_call"); err != nil {
		t.Errorf("after the time that was told: %v", err)
	}
	if err := call("203.0.113.9:3", "eth_blockNumber"); reasonOf(err) != "rate" {
		t.Errorf("refused calls have left units: %v", err)
	}
	*now = now.Add(time.Hour)
	if err := call("203.0.113.9:3", "debug_traceBlockByNumber"); err != nil {
		t.Errorf("a call that costs a whole budget: %v", err)
	}
}

// post sends a request of a client through a proxy on this machine.
func post(t *testing.T, url, client string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(forwardedHeader, client)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	})
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
		if remote := <-begun; !strings.HasPrefix(remote, "203.0.113.9:") {
			t.Errorf("the handler sees %s, want the client", remote)
		}
	}
	answer := post(t, server.URL, "203.0.113.9")
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"error":{"code":-32005,"data":{"reason":"inflight","retryAfter":1},"message":"a client has 2 ` +
		`requests in flight at most: wait for the answers, or close some"},"id":null,"jsonrpc":"2.0"}`
	if answer.StatusCode != http.StatusTooManyRequests || answer.Header.Get("Retry-After") != "1" || string(body) != want {
		t.Errorf("%d %s\nwant %s", answer.StatusCode, body, want)
	}
	go func() { answers <- post(t, server.URL, "198.51.100.1").StatusCode }()
	<-begun // another client
	close(end)
	for range 3 {
		if status := <-answers; status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	go func() { <-begun }()
	if status := post(t, server.URL, "203.0.113.9").StatusCode; status != http.StatusOK {
		t.Errorf("status %d after the others have ended", status)
	}
}

// WebSocket connections and subscriptions of a client are bounded, and its calls are charged to it behind a proxy.
func TestWebSocket(t *testing.T) {
	l, _ := stopped(Limits{
		Rate: 1, Connections: 1, Subscriptions: 2, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	gethrpc.SetGate(l)
	defer gethrpc.SetGate(nil)
	server := gethrpc.NewServer()
	defer server.Stop()
	hosted := httptest.NewServer(gethrpc.Gated(server.WebsocketHandler([]string{"*"})))
	defer hosted.Close()
	url := "ws" + strings.TrimPrefix(hosted.URL, "http")
	header := http.Header{forwardedHeader: {"203.0.113.9"}}
	conn, _, err := websocket.DefaultDialer.Dial(url, header)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, answer, err := websocket.DefaultDialer.Dial(url, header)
	if err == nil || answer.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a second connection: %v", err)
	}
	var last string
	for range burstSeconds {
		if err := conn.WriteJSON(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "rpc_modules"}); err != nil {
			t.Fatal(err)
		}
		_, answer, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		last = string(answer)
	}
	// The upgrade has cost one unit.
	if !strings.Contains(last, `"code":-32005`) || !strings.Contains(last, `"reason":"rate"`) {
		t.Errorf("the last call is answered with %s", last)
	}
	for count, want := range []string{"<nil>", "<nil>", "subscriptions"} {
		if err := l.Call("198.51.100.1:1", "eth_subscribe", nil, count); reasonOf(err) != want {
			t.Errorf("with %d subscriptions: %v, want %s", count, err, want)
		}
	}
}

// However many clients come, the table is bounded; idle ones make room, and the rest share an entry.
func TestTableIsBounded(t *testing.T) {
	l, now := stopped(Limits{Rate: 100})
	remote := func(n int) string {
		return net.JoinHostPort(netip.AddrFrom4([4]byte{203, byte(n >> 16), byte(n >> 8), byte(n)}).String(), "1")
	}
	for n := range maxClients + 100 {
		if err := l.Call(remote(n), "eth_blockNumber", nil, -1); err != nil {
			t.Fatalf("client %d: %v", n, err)
		}
	}
	if len(l.clients) != maxClients+1 { // with the shared one
		t.Errorf("%d clients are kept", len(l.clients))
	}
	shared := l.clients[netip.Prefix{}]
	if tokens := shared.budget.TokensAt(*now); tokens != 100*burstSeconds-100 {
		t.Errorf("the shared entry has %v units", tokens)
	}
	*now = now.Add(time.Minute)
	if err := l.Call(remote(maxClients+200), "eth_blockNumber", nil, -1); err != nil || len(l.clients) != 1 {
		t.Errorf("%v, %d clients after all were idle", err, len(l.clients))
	}
}

// Whatever a proxy sends, the address of a client is valid or the proxy's own.
func FuzzClientOf(f *testing.F) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Add("203.0.113.9, 10.0.0.1")
	f.Add("[2001:db8::1%eth0]:80,,")
	f.Fuzz(func(t *testing.T, header string) {
		r := &http.Request{RemoteAddr: "10.0.0.1:80", Header: http.Header{forwardedHeader: {header}}}
		at := clientOf(r, proxies)
		if !at.IsValid() || at.Zone() != "" || at.Is4In6() {
			t.Fatalf("%q gives %v", header, at)
		}
	})
}

// Each method with a cost of its own is one of a namespace that a profile opens to the public.
func TestCostsNamePublicMethods(t *testing.T) {
	for method := range costs {
		namespace, _, _ := strings.Cut(method, "_")
		if !slices.Contains([]string{"eth", "txpool", "istanbul", "ots"}, namespace) {
			t.Errorf("%s is of a namespace that no profile opens", method)
		}
	}
}
