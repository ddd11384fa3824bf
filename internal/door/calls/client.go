// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/metrics"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/door"
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
	refusedReading       = metrics.NewRegisteredCounter("gwon/rpc/client/refused/reading", nil)

	readingGauge       = metrics.NewRegisteredGauge("rpc/reading/held", nil)
	unreadGauge        = metrics.NewRegisteredGauge("rpc/unread/held", nil)
	subscriptionsGauge = metrics.NewRegisteredGauge("rpc/notifications/subscriptions", nil)
)

// Limits are what one client may have: an IPv4 address or 64 bits of an IPv6 address. 56 bits of one may have four
// times as much, and 48 bits sixteen times. Zero means no bound.
type Limits struct {
	Rate          int // units a second; ten seconds of them can be saved up
	InFlight      int // HTTP requests
	Connections   int // WebSocket connections
	Subscriptions int // of one WebSocket connection
	Unread        int // bytes that all clients have not read; 0 for the default
	Body          int // bytes of a request; 0 for the default

	Proxies []netip.Prefix // whose X-Forwarded-For names the client
}

// Door takes in what clients send to the JSON-RPC of a program. It implements the Door of go-ethereum's package rpc.
type Door struct {
	limits Limits
	pause  func(context.Context, time.Duration)
	*Turns // of long calls

	units, notifications *door.Rates[string] // those of notifications are bytes
	inFlight, webSockets *door.Account       // of one client
	ipc                  *door.Account
	resources            [gethrpc.Resources]*door.Account
}

// New returns a door for a process.
func New(limits Limits) *Door { return newDoor(limits, time.Now, pause) }

func newDoor(limits Limits, now func() time.Time, pause func(context.Context, time.Duration)) *Door {
	rates := func(perUnit int) *door.Rates[string] {
		perSecond := limits.Rate * perUnit
		return door.NewRates[string](float64(perSecond), burstSeconds*perSecond, now)
	}
	limits.Body = cmp.Or(limits.Body, defaultBody)
	unread := cmp.Or(limits.Unread, MaxUnread)
	d := &Door{
		limits: limits, pause: pause, Turns: NewTurns(runtime.GOMAXPROCS(0)),
		units: rates(1), notifications: rates(unitBytes),
		inFlight:   ofOne(limits.InFlight, refusedInFlight),
		webSockets: ofOne(limits.Connections, refusedConnections),
		ipc:        door.NewAccount(door.Bound{Own: ipcConnections, Sum: ipcConnections}),
	}
	d.resources = [...]*door.Account{
		gethrpc.Reading:       door.NewBodies(limits.Body),
		gethrpc.Unread:        door.NewAccount(door.Bound{Own: unread, Sum: unread, Moves: true}),
		gethrpc.Subscriptions: door.NewAccount(door.Bound{Own: ownSubscribed, Sum: maxSubscribed}),
		gethrpc.Criteria:      door.NewAccount(door.Bound{Own: ownCriteria, Sum: maxCriteria}),
	}
	d.resources[gethrpc.Reading].Held, d.resources[gethrpc.Reading].Full = readingGauge, refusedReading
	d.resources[gethrpc.Unread].Held = unreadGauge
	d.resources[gethrpc.Subscriptions].Held = subscriptionsGauge
	return d
}

// ofOne returns an account that bounds what one client has; 0 means no bound.
func ofOne(most int, over *metrics.Counter) *door.Account {
	if most <= 0 {
		most = math.MaxInt
	}
	a := door.NewAccount(door.Bound{Own: most, Sum: math.MaxInt})
	a.Over = over
	return a
}

// Share implements rpc.Door.
func (d *Door) Share(of gethrpc.Resource, owner gethrpc.Owner, evict func()) gethrpc.Share {
	return d.resources[of].Share(owner, evict)
}

// OwnerOf implements rpc.Door.
func (d *Door) OwnerOf(remote string) gethrpc.Owner { return door.OwnerOf(remote) }

// Listen implements rpc.Door.
func (d *Door) Listen(server *http.Server, listener net.Listener) net.Listener {
	if server == nil {
		return door.Listener(listener, d.ipc)
	}
	door.SetBounds(server)
	return door.ForClients(listener)
}

// Read implements rpc.Door.
func (d *Door) Read(owner gethrpc.Owner, message io.Reader, abort func()) (
	content []byte, release func(), err error) {
	//nolint:wrapcheck // the caller looks at the error of its connection
	return door.ReadMessage(message, d.resources[gethrpc.Reading], owner, abort)
}

// pause returns after a while, or when the context ends.
func pause(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

// refuse returns the error of a client that has reached a bound (spec rpc 2.5). It may ask again after some seconds.
func refuse(reason string, retryAfter float64, format string, args ...any) *gethrpc.Refusal {
	return &gethrpc.Refusal{Code: gethrpc.CodeLimit, Reason: reason, RetryAfter: retryAfter,
		Text: fmt.Sprintf(format, args...)}
}

// Request serves a request for its owner, which its context carries from here on. A refusal has status 429 and a
// JSON-RPC error. Neither the body of a refused request nor that of a delayed one is read.
func (d *Door) Request(w http.ResponseWriter, r *http.Request, next http.Handler) {
	client, upgrade := r.RemoteAddr, isUpgrade(r)
	if contains(d.limits.Proxies, door.AddressOf(client)) {
		addr := door.ClientOf(r, func(proxy netip.Addr, _ int) bool { return contains(d.limits.Proxies, proxy) })
		at, _ := netip.ParseAddrPort(client) // without a port it has port 0
		client = netip.AddrPortFrom(addr, at.Port()).String()
	}
	bytes := meter{owner: door.OwnerOf(client)}
	if door.IsLimited(bytes.owner) {
		leave, refused := d.enter(r.Context(), bytes.owner, upgrade)
		if refused != nil {
			WriteError(w, http.StatusTooManyRequests, refused)
			return
		}
		defer leave()
		bytes.door = d
	}
	ctx, cancel := beforeTimeout(gethrpc.WithOwner(r.Context(), bytes.owner), w, upgrade)
	defer cancel()
	r = r.WithContext(ctx)
	r.RemoteAddr = client
	if !upgrade {
		read, release, err := door.ReadBody(w, r, d.resources[gethrpc.Reading], bytes.owner, d.limits.Body, cancel)
		bytes.add(read)
		if err != nil {
			w.Header().Set("Connection", "close") // what is left of the body is not read
			WriteError(w, http.StatusTooManyRequests, refuse("reading", 1, "%v", err))
			return
		}
		defer release()
	}
	if bytes.door != nil || upgrade {
		w = &meteredWriter{w, bytes, client}
	}
	next.ServeHTTP(w, r)
}

// errAnswerTime answers a request that is not done when the server would end its connection.
var errAnswerTime = &gethrpc.Refusal{Code: gethrpc.CodeTime, Text: "request timed out"}

// beforeTimeout returns a context that ends with the server's time for a request. The connection ends later: an answer
// that took too long has a time of its own, since writing what a batch has collected takes seconds on a busy machine.
func beforeTimeout(ctx context.Context, w http.ResponseWriter, upgrade bool) (context.Context, context.CancelFunc) {
	server, ok := ctx.Value(http.ServerContextKey).(*http.Server)
	if !ok || upgrade || server.WriteTimeout <= 0 {
		return context.WithCancel(ctx)
	}
	end := time.Now().Add(server.WriteTimeout)
	_ = http.NewResponseController(w).SetWriteDeadline(end.Add(answerTime)) // fails on a connection that has ended
	return context.WithDeadlineCause(ctx, end, errAnswerTime)
}

// isSubmission reports whether a method gives transactions to the pool. These wait for the pool's admission control, so
// the time that they take says nothing about the work.
func isSubmission(method string) bool { return strings.HasPrefix(method, "eth_sendRawTransaction") }

// price returns the units that a call costs before it runs.
func price(method string, params json.RawMessage) int {
	if isSubmission(method) {
		return 1 + len(params)/submissionChars
	}
	return 1
}

// priceOfTime returns the units that a call costs for the time that it has run. What a call that cannot keep a
// processor busy takes longer than mostShort is the machine's work for others.
func priceOfTime(method string, elapsed time.Duration) int {
	switch {
	case isSubmission(method):
		return 0
	case !gethrpc.TakesLong(method):
		elapsed = min(elapsed, mostShort)
	}
	return int(elapsed / unitTime)
}

// pays reports whether an owner is a client that pays for what it has.
func (d *Door) pays(owner gethrpc.Owner) bool { return d.limits.Rate > 0 && door.IsLimited(owner) }

// Call charges a client for a call.
func (d *Door) Call(ctx context.Context, owner gethrpc.Owner, method string, params json.RawMessage) error {
	if refused := d.charge(ctx, owner, price(method, params)); refused != nil {
		return refused
	}
	return nil
}

// Subscribe refuses a subscription of a connection that has as many as it may have.
func (d *Door) Subscribe(owner gethrpc.Owner, subscriptions int) error {
	most := d.limits.Subscriptions
	if most <= 0 || subscriptions < most || !door.IsLimited(owner) {
		return nil
	}
	refusedSubscriptions.Inc(1)
	return refuse("subscriptions", 0, "this connection has %d subscriptions, as many as are allowed: end one with "+
		"eth_unsubscribe", most)
}

// Notified reports whether a client may have a notification of a number of bytes. Its notifications have a rate of
// their own, that of the bytes which its units pay for: a long call does not end its subscriptions.
func (d *Door) Notified(owner gethrpc.Owner, bytes int) bool {
	if !d.pays(owner) || d.notifications.Allow(owner, bytes) {
		return true
	}
	refusedNotifications.Inc(1)
	return false
}

// Used charges a client for the time that a call has run, or has kept a processor busy.
func (d *Door) Used(owner gethrpc.Owner, method string, elapsed time.Duration) {
	d.owe(owner, priceOfTime(method, elapsed))
}

// enter charges a client for a request and counts it until leave is called.
func (d *Door) enter(ctx context.Context, owner gethrpc.Owner, upgrade bool) (leave func(), refused *gethrpc.Refusal) {
	account, most, reason, kind := d.inFlight, d.limits.InFlight, "inflight", "requests in flight"
	if upgrade {
		account, most, reason, kind = d.webSockets, d.limits.Connections, "connections", "WebSocket connections"
	}
	share := account.Share(owner, nil)
	if share.Add(1) != nil {
		d.pause(ctx, patience)
		return nil, refuse(reason, 1, "a client has %d %s at most: wait for the answers, or close some",
			most, kind)
	}
	if refused := d.charge(ctx, owner, 1); refused != nil {
		share.Release()
		return nil, refused
	}
	return share.Release, nil
}

// charge takes units from a client, after a wait for them. What would wait beyond the patience is refused, for a unit.
func (d *Door) charge(ctx context.Context, owner gethrpc.Owner, units int) *gethrpc.Refusal {
	if !d.pays(owner) {
		return nil
	}
	wait := d.units.Spend(owner, units, patience)
	if wait == 0 {
		return nil
	}
	clientsGauge.Update(int64(d.units.Len()))
	delayed.Inc(1)
	d.pause(ctx, min(wait, patience))
	if wait <= patience {
		return nil
	}
	refusedRate.Inc(1)
	left := math.Ceil((wait-patience).Seconds()*10) / 10
	return refuse("rate", left, "this client has used more than its %d units a second: try again in %.1f seconds",
		d.limits.Rate, left)
}

// owe takes units from a client for what it has been given already.
func (d *Door) owe(owner gethrpc.Owner, units int) {
	if units > 0 && d.pays(owner) {
		d.units.Spend(owner, units, math.MaxInt64)
	}
}

// slow waits while a client has no units, for as long as the patience at most.
func (d *Door) slow(owner gethrpc.Owner) {
	if d.pays(owner) {
		if wait := min(d.units.Spend(owner, 0, math.MaxInt64), patience); wait > 0 {
			delayed.Inc(1)
			d.pause(context.Background(), wait)
		}
	}
}

// WriteError answers a request with the JSON-RPC error of no call.
func WriteError(w http.ResponseWriter, status int, refused *gethrpc.Refusal) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{
		"code": refused.Code, "message": refused.Text, "data": refused,
	}})
	if err != nil { // of strings and numbers: not possible
		http.Error(w, refused.Text, status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.RetryAfter))))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone needs no answer
}

func isUpgrade(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }

// ParseProxies reads networks in CIDR notation and single addresses, separated by commas.
func ParseProxies(list string) ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if addr, failed := netip.ParseAddr(text); failed == nil {
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%.60q is no network: give addresses or CIDR networks like 10.0.0.0/8", text)
		}
		proxies = append(proxies, prefix.Masked())
	}
	return proxies, nil
}

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}
