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
	"time"

	"github.com/ethereum/go-ethereum/metrics"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/limit"
)

const (
	// burstSeconds is how many seconds of units a client can save up.
	burstSeconds = 10
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
	refusedNotifications = metrics.NewRegisteredCounter("gwon/rpc/client/refused/notifications", nil)
	refusedSubscriptions = metrics.NewRegisteredCounter("gwon/rpc/client/refused/subscriptions", nil)
	delayed              = metrics.NewRegisteredCounter("gwon/rpc/client/delayed", nil)
	clientsGauge         = metrics.NewRegisteredGauge("gwon/rpc/client/known", nil)
)

// Limits are what one client may have: an IPv4 address or 64 bits of an IPv6 address. 56 bits of one may have four
// times as much, and 48 bits sixteen times. Zero means no bound.
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
	pause  func(context.Context, time.Duration)

	units, notifications  *limit.Rates[netip.Prefix] // those of notifications are bytes
	inFlight, connections *limit.Shares[netip.Prefix]
}

// New returns a limiter.
func New(limits Limits) *Limiter { return newLimiter(limits, time.Now, pause) }

func newLimiter(limits Limits, now func() time.Time, pause func(context.Context, time.Duration)) *Limiter {
	rates := func(perUnit int) *limit.Rates[netip.Prefix] {
		perSecond := limits.Rate * perUnit
		return limit.NewRates[netip.Prefix](float64(perSecond), burstSeconds*perSecond, now)
	}
	return &Limiter{
		limits: limits, pause: pause, units: rates(1), notifications: rates(unitBytes),
		inFlight:    limit.NewShares[netip.Prefix](limits.InFlight, math.MaxInt),
		connections: limit.NewShares[netip.Prefix](limits.Connections, math.MaxInt),
	}
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
	keys := gethrpc.CustomersOf(addr)
	limited := len(keys) > 0
	if !limited && (!addr.IsValid() || addr == limit.AddressOf(r.RemoteAddr)) {
		next.ServeHTTP(w, r)
		return
	}
	var bytes meter
	if limited {
		leave, refused := l.enter(r.Context(), keys, isUpgrade(r))
		if refused != nil {
			writeRefusal(w, refused)
			return
		}
		defer leave()
		bytes = meter{limiter: l, keys: keys}
	}
	named := netip.AddrPortFrom(addr, portOf(r.RemoteAddr))
	r = r.WithContext(r.Context()) // a copy
	r.RemoteAddr = named.String()
	r.Body = &meteredBody{r.Body, bytes}
	next.ServeHTTP(&meteredWriter{w, bytes, net.TCPAddrFromAddrPort(named)}, r)
}

// Call charges a client for a call.
func (l *Limiter) Call(ctx context.Context, remote, method string, params json.RawMessage) error {
	keys := gethrpc.CustomersOf(limit.AddressOf(remote))
	if len(keys) == 0 {
		return nil
	}
	if refused := l.charge(ctx, keys, price(method, params)); refused != nil {
		return refused
	}
	return nil
}

// Subscribe refuses a subscription of a connection that has as many as it may have.
func (l *Limiter) Subscribe(remote string, subscriptions int) error {
	most := l.limits.Subscriptions
	if most <= 0 || subscriptions < most || len(gethrpc.CustomersOf(limit.AddressOf(remote))) == 0 {
		return nil
	}
	refusedSubscriptions.Inc(1)
	return &refusal{Reason: "subscriptions", text: fmt.Sprintf("this connection has %d subscriptions, as many as are "+
		"allowed: end one with eth_unsubscribe", most)}
}

// Notified reports whether a client may have a notification of a number of bytes. Its notifications have a rate of
// their own, that of the bytes which its units pay for: a long call does not end its subscriptions.
func (l *Limiter) Notified(remote string, bytes int) bool {
	keys := gethrpc.CustomersOf(limit.AddressOf(remote))
	if l.limits.Rate <= 0 || len(keys) == 0 {
		return true
	}
	if !l.notifications.Allow(keys, bytes) {
		refusedNotifications.Inc(1)
		return false
	}
	return true
}

// Used charges a client for the time that a call has run.
func (l *Limiter) Used(remote, method string, elapsed time.Duration) {
	if units := priceOfTime(method, elapsed); units > 0 {
		l.owe(gethrpc.CustomersOf(limit.AddressOf(remote)), units)
	}
}

// enter charges a client for a request and counts it until leave is called.
func (l *Limiter) enter(ctx context.Context, keys []netip.Prefix, upgrade bool) (leave func(), refused *refusal) {
	leave, refused = l.occupy(keys, upgrade)
	if refused != nil {
		l.pause(ctx, patience)
		return nil, refused
	}
	if refused := l.charge(ctx, keys, 1); refused != nil {
		leave()
		return nil, refused
	}
	return leave, nil
}

// occupy counts a request of a client until leave is called.
func (l *Limiter) occupy(keys []netip.Prefix, upgrade bool) (leave func(), refused *refusal) {
	shares, most := l.inFlight, l.limits.InFlight
	reason, kind, counter := "inflight", "requests in flight", refusedInFlight
	if upgrade {
		shares, most = l.connections, l.limits.Connections
		reason, kind, counter = "connections", "WebSocket connections", refusedConnections
	}
	if most <= 0 {
		return func() {}, nil
	}
	if !shares.Take(keys, 1) {
		counter.Inc(1)
		return nil, &refusal{Reason: reason, RetryAfter: 1, text: fmt.Sprintf(
			"a client has %d %s at most: wait for the answers, or close some", most, kind)}
	}
	return func() { shares.Give(keys, 1) }, nil
}

// charge takes units from a client. It waits for them, and refuses what would wait for longer than the patience, after
// that time. A refusal costs a unit as well.
func (l *Limiter) charge(ctx context.Context, keys []netip.Prefix, units int) *refusal {
	if l.limits.Rate <= 0 {
		return nil
	}
	wait := l.units.Spend(keys, units, patience)
	clientsGauge.Update(int64(l.units.Len()))
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
func (l *Limiter) owe(keys []netip.Prefix, units int) {
	if l.limits.Rate > 0 && len(keys) > 0 {
		l.units.Owe(keys, units)
	}
}

// slow waits while a client has no units, for as long as the patience at most.
func (l *Limiter) slow(ctx context.Context, keys []netip.Prefix) {
	if l.limits.Rate <= 0 {
		return
	}
	if wait := min(l.units.Wait(keys, 0), patience); wait > 0 {
		delayed.Inc(1)
		l.pause(ctx, wait)
	}
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
