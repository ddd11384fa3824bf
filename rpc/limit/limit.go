// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"context"
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
	// mostOwedSeconds is how many seconds of units a client can owe.
	mostOwedSeconds = 60
	// patience is how long a client without units waits, for units or for its refusal. A refusal that comes at once would
	// let the client ask again at once.
	patience = time.Second
	// errorCode is that of a reached bound (spec rpc 2.5).
	errorCode = -32005
)

// Metrics of what is refused, by bound.
var (
	refusedRate          = metrics.NewRegisteredCounter("gwon/rpc/client/refused/rate", nil)
	refusedInFlight      = metrics.NewRegisteredCounter("gwon/rpc/client/refused/inflight", nil)
	refusedConnections   = metrics.NewRegisteredCounter("gwon/rpc/client/refused/connections", nil)
	refusedSubscriptions = metrics.NewRegisteredCounter("gwon/rpc/client/refused/subscriptions", nil)
	delayed              = metrics.NewRegisteredCounter("gwon/rpc/client/delayed", nil)
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
	pause  func(context.Context, time.Duration)

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
	return &Limiter{limits: limits, now: time.Now, pause: pause, clients: make(map[netip.Prefix]*client)}
}

// pause returns after a while, or when the context ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
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

// Request serves a request for its client. A refusal has status 429 and a JSON-RPC error. Neither the body of a refused
// request nor that of a delayed one is read.
func (l *Limiter) Request(w http.ResponseWriter, r *http.Request, next http.Handler) {
	addr := clientOf(r, l.limits.Proxies)
	key, limited := gethrpc.CustomerOf(addr)
	if !limited && (!addr.IsValid() || addr == addressOf(r.RemoteAddr)) {
		next.ServeHTTP(w, r)
		return
	}
	var bytes meter
	if limited {
		leave, refused := l.enter(r.Context(), key, isUpgrade(r))
		if refused != nil {
			writeRefusal(w, refused)
			return
		}
		defer leave()
		bytes = meter{limiter: l, key: key}
	}
	named := netip.AddrPortFrom(addr, portOf(r.RemoteAddr))
	r = r.WithContext(r.Context()) // a copy
	r.RemoteAddr = named.String()
	r.Body = &meteredBody{r.Body, bytes}
	next.ServeHTTP(&meteredWriter{w, bytes, net.TCPAddrFromAddrPort(named)}, r)
}

// Call charges a client for a call.
func (l *Limiter) Call(ctx context.Context, remote, method string, params json.RawMessage, subscriptions int) error {
	key, limited := gethrpc.CustomerOf(addressOf(remote))
	if !limited {
		return nil
	}
	if most := l.limits.Subscriptions; most > 0 && subscriptions >= most {
		refusedSubscriptions.Inc(1)
		l.owe(key, 1)
		return &refusal{Reason: "subscriptions", text: fmt.Sprintf("this connection has %d subscriptions, as many as are "+
			"allowed: end one with eth_unsubscribe", most)}
	}
	if refused := l.charge(ctx, key, price(method, params)); refused != nil {
		return refused
	}
	return nil
}

// Used charges a client for the time that a call has run.
func (l *Limiter) Used(remote, method string, elapsed time.Duration) {
	if units := priceOfTime(method, elapsed); units > 0 {
		if key, limited := gethrpc.CustomerOf(addressOf(remote)); limited {
			l.owe(key, units)
		}
	}
}

// enter charges a client for a request and counts it until leave is called.
func (l *Limiter) enter(ctx context.Context, key netip.Prefix, upgrade bool) (leave func(), refused *refusal) {
	leave, refused = l.occupy(key, upgrade)
	if refused != nil {
		l.pause(ctx, patience)
		return nil, refused
	}
	if refused := l.charge(ctx, key, 1); refused != nil {
		leave()
		return nil, refused
	}
	return leave, nil
}

// occupy counts a request of a client until leave is called.
func (l *Limiter) occupy(key netip.Prefix, upgrade bool) (leave func(), refused *refusal) {
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
	*used++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		*used--
	}, nil
}

// charge takes units from a client. It waits for them, and refuses what would wait for longer than the patience, after
// that time. A refusal costs a unit as well.
func (l *Limiter) charge(ctx context.Context, key netip.Prefix, units int) *refusal {
	if l.limits.Rate <= 0 {
		return nil
	}
	l.mu.Lock()
	c := l.client(key)
	wait := l.wait(c, 1)
	if wait > patience {
		units = 1
	}
	l.take(c, units)
	l.mu.Unlock()
	if wait == 0 {
		return nil
	}
	delayed.Inc(1)
	l.pause(ctx, min(wait, patience))
	if wait <= patience {
		return nil
	}
	refusedRate.Inc(1)
	left := math.Ceil((wait-patience).Seconds()*10) / 10
	return &refusal{Reason: "rate", RetryAfter: left, text: fmt.Sprintf(
		"this client has used more than its %d units a second: try again in %.1f seconds", l.limits.Rate, left)}
}

// owe takes units from a client for what it has been given already.
func (l *Limiter) owe(key netip.Prefix, units int) {
	if l.limits.Rate <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(l.client(key), units)
}

// slow waits while a client has no units, for as long as the patience at most.
func (l *Limiter) slow(ctx context.Context, key netip.Prefix) {
	if l.limits.Rate <= 0 {
		return
	}
	l.mu.Lock()
	wait := min(l.wait(l.client(key), 0), patience)
	l.mu.Unlock()
	if wait > 0 {
		delayed.Inc(1)
		l.pause(ctx, wait)
	}
}

// wait returns how long it takes until a client has that many units.
func (l *Limiter) wait(c *client, units float64) time.Duration {
	missing := units - c.budget.TokensAt(l.now())
	return max(0, time.Duration(missing/float64(l.limits.Rate)*float64(time.Second)))
}

// take takes units from the budget of a client, which may owe some after it.
func (l *Limiter) take(c *client, units int) {
	now := l.now()
	room := c.budget.TokensAt(now) + float64(mostOwedSeconds*l.limits.Rate)
	for units = min(units, max(0, int(room))); units > 0; units -= c.budget.Burst() {
		c.budget.ReserveN(now, min(units, c.budget.Burst()))
	}
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
