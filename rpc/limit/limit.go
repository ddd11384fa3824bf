// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/metrics"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/time/rate"
)

const (
	// maxClients bounds the table of clients. Those beyond it share one entry.
	maxClients = 1 << 16
	// sweepPeriod is the shortest time between two searches for clients that are idle.
	sweepPeriod = time.Second
	// burstSeconds is how many seconds of units a client can save up.
	burstSeconds = 10
	// errorCode is that of a reached bound (spec rpc 2.5).
	errorCode = -32005
)

// Metrics of what is refused, by bound.
var (
	refusedRate          = metrics.NewRegisteredCounter("gwon/rpc/client/refused/rate", nil)
	refusedInFlight      = metrics.NewRegisteredCounter("gwon/rpc/client/refused/inflight", nil)
	refusedConnections   = metrics.NewRegisteredCounter("gwon/rpc/client/refused/connections", nil)
	refusedSubscriptions = metrics.NewRegisteredCounter("gwon/rpc/client/refused/subscriptions", nil)
	clientsGauge         = metrics.NewRegisteredGauge("gwon/rpc/client/known", nil)
)

// Limits are what one client may have. Zero means no bound.
type Limits struct {
	Rate          int // units a second; ten seconds of them can be saved up
	InFlight      int // HTTP requests
	Connections   int // WebSocket connections
	Subscriptions int // of one WebSocket connection

	Proxies []netip.Prefix // whose X-Forwarded-For names the client
}

// Limiter applies limits. It implements the Gate of go-ethereum's package rpc.
type Limiter struct {
	limits Limits
	now    func() time.Time

	mu      sync.Mutex
	clients map[netip.Prefix]*client
	swept   time.Time
}

// client is what one client uses. The mutex of the limiter guards it.
type client struct {
	budget      *rate.Limiter
	inFlight    int
	connections int
}

// New returns a limiter.
func New(limits Limits) *Limiter {
	return &Limiter{limits: limits, now: time.Now, clients: make(map[netip.Prefix]*client)}
}

// refusal is the error of a client that has reached a bound.
type refusal struct {
	Reason     string  `json:"reason"`     // rate, inflight, connections or subscriptions
	RetryAfter float64 `json:"retryAfter"` // seconds

	text string
}

func (r *refusal) Error() string { return r.text }

// ErrorCode implements rpc.Error.
func (r *refusal) ErrorCode() int { return errorCode }

// ErrorData implements rpc.DataError.
func (r *refusal) ErrorData() any { return r }

// Request serves a request for its client. A refusal has status 429 and a JSON-RPC error.
func (l *Limiter) Request(w http.ResponseWriter, r *http.Request, next http.Handler) {
	addr := clientOf(r, l.limits.Proxies)
	if addr.IsValid() && addr != addressOf(r.RemoteAddr) {
		named := netip.AddrPortFrom(addr, portOf(r.RemoteAddr))
		r = r.WithContext(r.Context()) // a copy
		r.RemoteAddr = named.String()
		w = &clientWriter{w, net.TCPAddrFromAddrPort(named)}
	}
	key, limited := gethrpc.CustomerOf(addr)
	if !limited {
		next.ServeHTTP(w, r)
		return
	}
	leave, refused := l.enter(key, isUpgrade(r))
	if refused != nil {
		writeRefusal(w, refused)
		return
	}
	defer leave()
	next.ServeHTTP(w, r)
}

// Call charges a client for a call.
func (l *Limiter) Call(remote, method string, params json.RawMessage, subscriptions int) error {
	key, limited := gethrpc.CustomerOf(addressOf(remote))
	if !limited {
		return nil
	}
	if most := l.limits.Subscriptions; most > 0 && subscriptions >= most {
		refusedSubscriptions.Inc(1)
		return &refusal{Reason: "subscriptions", text: fmt.Sprintf("this connection has %d subscriptions, as many as are "+
			"allowed: end one with eth_unsubscribe", most)}
	}
	cost := Cost(method, params)
	l.mu.Lock()
	defer l.mu.Unlock()
	if refused := l.charge(l.client(key), cost); refused != nil {
		refused.text = fmt.Sprintf("%.40s costs %d units and a client has %d a second: try again in %.1f seconds",
			method, cost, l.limits.Rate, refused.RetryAfter)
		return refused
	}
	return nil
}

// enter counts a request of a client until leave is called.
func (l *Limiter) enter(key netip.Prefix, upgrade bool) (leave func(), refused *refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.client(key)
	used, most, reason, counter := &c.inFlight, l.limits.InFlight, "inflight", refusedInFlight
	if upgrade {
		used, most, reason, counter = &c.connections, l.limits.Connections, "connections", refusedConnections
	}
	if most > 0 && *used >= most {
		counter.Inc(1)
		kind := map[bool]string{false: "requests in flight", true: "WebSocket connections"}[upgrade]
		return nil, &refusal{Reason: reason, RetryAfter: 1, text: fmt.Sprintf(
			"a client has %d %s at most: wait for the answers, or close some", most, kind)}
	}
	if refused := l.charge(c, 1); refused != nil {
		refused.text = fmt.Sprintf("a client has %d units a second: try again in %.1f seconds",
			l.limits.Rate, refused.RetryAfter)
		return nil, refused
	}
	*used++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		*used--
	}, nil
}

// charge takes units from the budget of a client. What costs more than a whole budget empties it.
func (l *Limiter) charge(c *client, units int) *refusal {
	if l.limits.Rate <= 0 {
		return nil
	}
	now := l.now()
	reservation := c.budget.ReserveN(now, min(units, c.budget.Burst()))
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(now)
	refusedRate.Inc(1)
	return &refusal{Reason: "rate", RetryAfter: math.Ceil(wait.Seconds()*10) / 10}
}

// client returns the entry of a client. When the table is full of busy ones, the entry is that of all further clients.
func (l *Limiter) client(key netip.Prefix) *client {
	if c := l.clients[key]; c != nil {
		return c
	}
	if now := l.now(); len(l.clients) >= maxClients && now.Sub(l.swept) >= sweepPeriod {
		l.swept = now
		for k, c := range l.clients {
			if c.inFlight == 0 && c.connections == 0 && c.budget.TokensAt(now) >= float64(c.budget.Burst()) {
				delete(l.clients, k)
			}
		}
	}
	if len(l.clients) >= maxClients {
		key = netip.Prefix{}
		if c := l.clients[key]; c != nil {
			return c
		}
	}
	c := &client{budget: rate.NewLimiter(rate.Limit(l.limits.Rate), burstSeconds*l.limits.Rate)}
	l.clients[key] = c
	clientsGauge.Update(int64(len(l.clients)))
	return c
}

func writeRefusal(w http.ResponseWriter, refused *refusal) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{
		"code": errorCode, "message": refused.text, "data": refused,
	}})
	if err != nil { // of strings and numbers: not possible
		http.Error(w, refused.text, http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.RetryAfter))))
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = w.Write(body) // a client that has gone needs no answer
}

func isUpgrade(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }

func portOf(remote string) uint16 {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return 0
	}
	return at.Port()
}

// clientWriter gives a connection that becomes a WebSocket the address of the client.
type clientWriter struct {
	http.ResponseWriter
	remote net.Addr
}

// Unwrap is for http.ResponseController.
func (w *clientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements http.Hijacker.
func (w *clientWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, fmt.Errorf("take over the connection: %w", err)
	}
	return remoteConn{conn, w.remote}, buffered, nil
}
