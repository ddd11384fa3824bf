// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// Notifications wait in queues of this package because the handler and the notifier are unexported types of it, and
// upstream cannot import gwon.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
)

// Bounds of the notifications that wait for their connections, and of subscriptions.
const (
	maxQueued         = 65_536   // notifications of one connection
	maxQueuedBytes    = 32 << 20 // of one connection
	notificationBytes = 128      // that a notification takes beside its parameters
	maxSubscriptions  = 8192     // of all connections from the network
	subscriptionShare = 512      // of one client

	// waitingNamespace has notifications that are results of a computation, which waits for its reader: nobody else waits
	// for it.
	waitingNamespace = "debug"
)

// Counters of connections that were ended for their notifications, by reason.
var (
	endedQueue  = metrics.NewRegisteredCounter("rpc/notifications/ended/queue", nil) // the queue is full
	endedUnits  = metrics.NewRegisteredCounter("rpc/notifications/ended/units", nil) // more than the client may have
	endedWrite  = metrics.NewRegisteredCounter("rpc/notifications/ended/write", nil) // not written in time
	subsGauge   = metrics.NewRegisteredGauge("rpc/notifications/subscriptions", nil) // of connections from the network
	subsRefused = metrics.NewRegisteredCounter("rpc/notifications/refused", nil)     // subscriptions above the bound
	errEnded    = errors.New("the connection is ended: it does not read its notifications in time")
	errTooMany  = &limitError{fmt.Sprintf("the node has %d subscriptions, as many as it keeps: try again later",
		maxSubscriptions)}
)

// limitError answers a subscription above a bound.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// ErrorCode is that of a reached bound (spec rpc 2.5).
func (e *limitError) ErrorCode() int { return -32005 }

// outbox is a connection whose notifications wait in a bounded queue, so that whoever sends one never waits for the
// client. Answers are counted and passed on. A connection whose client does not read in time is ended.
type outbox struct {
	jsonWriter
	unread *unread

	mu      sync.Mutex // held for moments only; nothing is sent or closed under it
	queue   []*jsonrpcMessage
	bytes   int
	owed    int  // subscriptions whose answer is not on its way: the queue waits until the client knows its subscription
	pumping bool // a goroutine writes
	ended   bool
	remote  string // for the gate; empty for a connection that has none
}

func newOutbox(conn jsonWriter) *outbox {
	queueUp(conn)
	boundBatches(conn)
	dropLargeBuffers(conn)
	return &outbox{jsonWriter: conn, unread: allUnread}
}

// writeJSON implements jsonWriter.
func (o *outbox) writeJSON(ctx context.Context, msg *jsonrpcMessage, isError bool) error {
	if namespace, ok := strings.CutSuffix(msg.Method, notificationMethodSuffix); ok && namespace != waitingNamespace {
		return o.push(msg)
	}
	return o.writeAnswer(ctx, msg, isError)
}

func sizeOfNotification(msg *jsonrpcMessage) int {
	return notificationBytes + len(msg.Method) + len(msg.Params)
}

// push adds a notification to the queue. It never waits.
func (o *outbox) push(msg *jsonrpcMessage) error {
	size := sizeOfNotification(msg)
	o.unread.hold(o, size)
	o.mu.Lock()
	ended, remote := o.ended, o.remote
	over := !ended && (o.bytes+size > maxQueuedBytes || len(o.queue) >= maxQueued)
	if !ended && !over {
		o.queue = append(o.queue, msg)
		o.bytes += size
		o.startPump()
	}
	o.mu.Unlock()
	if ended || over {
		o.unread.give(o, size)
	}
	switch {
	case ended:
		return errEnded
	case over:
		o.end("queue", endedQueue)
		return errEnded
	}
	if g := gate.Load(); g != nil && remote != "" && !(*g).Notified(remote, size) {
		o.end("units", endedUnits)
		return errEnded
	}
	return nil
}

// end closes the connection and forgets what waits for it.
func (o *outbox) end(reason string, counter *metrics.Counter) {
	o.mu.Lock()
	ended, waiting, bytes := o.ended, len(o.queue), o.bytes
	o.ended, o.queue, o.bytes = true, nil, 0
	o.mu.Unlock()
	o.unread.give(o, bytes)
	if ended {
		return
	}
	select {
	case <-o.closed(): // by the client, or with the node
	default:
		counter.Inc(1)
		log.Debug("Connection ended because it is not read", "conn", o.remoteAddr(), "reason", reason, "waiting", waiting)
	}
	o.abort()
}

// startPump has the queue written. The mutex is held.
func (o *outbox) startPump() {
	if o.pumping || o.owed > 0 || len(o.queue) == 0 {
		return
	}
	o.pumping = true
	go o.pump()
}

// pump writes what is queued, until there is nothing more.
func (o *outbox) pump() {
	for msg := o.next(); msg != nil; msg = o.next() {
		if err := o.jsonWriter.writeJSON(context.Background(), msg, false); err != nil {
			o.end("write", endedWrite)
			return
		}
		o.wrote(msg)
	}
}

// next returns the notification to write, which stays in the queue meanwhile; nil to stop.
func (o *outbox) next() *jsonrpcMessage {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 || o.owed > 0 || o.ended {
		o.pumping = false
		return nil
	}
	return o.queue[0]
}

// wrote takes the first notification from the queue.
func (o *outbox) wrote(msg *jsonrpcMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	o.queue[0] = nil
	if o.queue = o.queue[1:]; len(o.queue) == 0 {
		o.queue = nil
	}
	size := sizeOfNotification(msg)
	o.bytes -= size
	o.unread.give(o, size)
}

// expect holds the queue back until the answer to a subscription is on its way.
func (o *outbox) expect(remote string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owed++
	o.remote = remote
}

// answered ends the effect of expect.
func (o *outbox) answered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owed--
	o.startPump()
}

// subscribers are the connections from the network with subscriptions.
type subscribers struct {
	mu  sync.Mutex
	of  map[*handler]*subscriber
	by  map[string]int // subscriptions by CallersOf, without zeros
	all int
}

// subscriber is a connection with subscriptions.
type subscriber struct {
	callers []string
	list    []*Notifier
}

var networkSubscribers = newSubscribers()

func newSubscribers() *subscribers {
	return &subscribers{of: make(map[*handler]*subscriber), by: make(map[string]int)}
}

// add counts a new subscription of a connection, unless there are too many.
func (s *subscribers) add(ctx context.Context, h *handler, n *Notifier) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	remote := PeerInfoFromContext(ctx).RemoteAddr
	own := s.of[h]
	if own == nil {
		own = &subscriber{callers: CallersOf(remote)}
		s.of[h] = own
		context.AfterFunc(h.rootCtx, func() { s.drop(h) })
	}
	s.renew(h, own)
	if g := gate.Load(); g != nil {
		if err := (*g).Subscribe(remote, len(own.list)); err != nil {
			return err
		}
	}
	err := s.room(own)
	if err != nil {
		for other, subscriber := range s.of {
			s.renew(other, subscriber)
		}
		err = s.room(own)
	}
	if err != nil {
		subsRefused.Inc(1)
		return err
	}
	s.set(own, append(own.list, n))
	return nil
}

// room returns why a connection can have no further subscription, nil if it can.
func (s *subscribers) room(own *subscriber) error {
	for i, caller := range own.callers {
		if most := BoundOf(i, subscriptionShare, maxSubscriptions); s.by[caller] >= most {
			return &limitError{fmt.Sprintf("%s has %d subscriptions, as many as it may have: end some", caller, most)}
		}
	}
	if s.all >= maxSubscriptions {
		return errTooMany
	}
	return nil
}

// renew forgets the subscriptions of a connection that have ended.
func (s *subscribers) renew(h *handler, own *subscriber) {
	s.set(own, slices.DeleteFunc(own.list, func(n *Notifier) bool { return !h.has(n) }))
}

// drop forgets a connection.
func (s *subscribers) drop(h *handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(s.of[h], nil)
	delete(s.of, h)
}

func (s *subscribers) set(own *subscriber, list []*Notifier) {
	added := len(list) - len(own.list)
	for _, caller := range own.callers {
		if s.by[caller] += added; s.by[caller] == 0 {
			delete(s.by, caller)
		}
	}
	s.all += added
	own.list = list
	subsGauge.Update(int64(s.all))
}

// has reports whether a subscription is there or is being made.
func (h *handler) has(n *Notifier) bool {
	n.mu.Lock()
	returned, sub := n.callReturned, n.sub
	n.mu.Unlock()
	if !returned || sub == nil {
		return !returned
	}
	h.subLock.Lock()
	defer h.subLock.Unlock()
	return h.serverSubs[sub.ID] == sub
}

// newNotifier returns the notifier of a new subscription. Its notifications wait in the outbox until activate is
// called.
func (h *handler) newNotifier(ctx context.Context, namespace string) (*Notifier, error) {
	n := &Notifier{h: h, namespace: namespace, activated: namespace != waitingNamespace}
	info, remote := PeerInfoFromContext(ctx), ""
	if info.fromNetwork() {
		if err := networkSubscribers.add(ctx, h, n); err != nil {
			return nil, err
		}
		remote = info.RemoteAddr
	}
	if o, ok := h.conn.(*outbox); ok {
		o.expect(remote)
	}
	return n, nil
}

// activate has the notifications of a subscription sent, whose answer has been.
func (h *handler) activate(n *Notifier) {
	if err := n.activate(); err != nil {
		h.log.Debug("Notifications not sent", "err", err)
	}
	if o, ok := h.conn.(*outbox); ok {
		o.answered()
	}
}
