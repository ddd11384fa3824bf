// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// Notifications wait here because handler and notifier are unexported, and upstream cannot import gwon.

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
)

// Bounds of the notifications that wait for their connections.
const (
	maxQueued      = 65_536   // notifications of one connection
	maxQueuedBytes = 32 << 20 // of one connection

	// waitingNamespace has notifications of a computation, which waits for its reader and holds up nothing else.
	waitingNamespace = "debug"
)

// Counters of connections that were ended for their notifications, by reason.
var (
	endedQueue  = metrics.NewRegisteredCounter("rpc/notifications/ended/queue", nil) // the queue is full
	endedUnits  = metrics.NewRegisteredCounter("rpc/notifications/ended/units", nil) // more than the client may have
	endedWrite  = metrics.NewRegisteredCounter("rpc/notifications/ended/write", nil) // not written in time
	endedSubs   = metrics.NewRegisteredCounter("rpc/notifications/ended/subs", nil)  // others need the subscriptions more
	subsRefused = metrics.NewRegisteredCounter("rpc/notifications/refused", nil)     // subscriptions above the bound
	errEnded    = errors.New("the connection is ended: it does not read what is sent to it in time")
)

// outbox is a connection whose notifications wait in a bounded queue, so that whoever sends one never waits for the
// client. Answers are counted and passed on. A connection whose client does not read in time is ended.
type outbox struct {
	jsonWriter

	mu      sync.Mutex // held for moments only; nothing is sent or closed under it
	queue   []*jsonrpcMessage
	bytes   int
	queued  Share // of Unread, for the queue
	owed    int   // subscriptions whose answer is not on its way: the queue waits until the client knows its subscription
	pumping bool  // a goroutine writes
	ended   bool
	reading []func() // end the counts of messages that are not handled yet
	handled func()   // ends that of the one that is handled, unless its calls do

	owner   Owner // of the connection, or of its request over HTTP
	network bool  // the door is asked about subscriptions and notifications

	subs        []*Notifier // of a connection from the network; under the lock of subscribing
	subscribed  Share
	subscribing sync.Mutex // one subscription is made at a time
}

func newOutbox(conn jsonWriter) *outbox {
	o := &outbox{jsonWriter: conn, queued: noShare{}, subscribed: noShare{}, handled: func() {}}
	d := theDoor()
	if codec, ok := conn.(*jsonCodec); ok {
		if request, http := codec.conn.(*httpServerConn); http {
			// The goroutine of a connection runs its call, and would otherwise go on with the next request while other
			// connections wait. docs/adr/0130 has figures.
			runtime.Gosched()
			o.owner = OwnerFrom(request.r.Context())
			boundBatches(codec)
			return o
		}
	}
	var peer PeerInfo
	if codec, ok := conn.(ServerCodec); ok {
		peer = codec.peerInfo()
	}
	o.network = d != nil && peer.fromNetwork()
	if d != nil {
		o.owner = d.OwnerOf(peer.RemoteAddr)
		o.queued = o.unread()
		o.subscribed = d.Share(Subscriptions, o.owner, func() { _ = o.end("subscriptions", endedSubs) })
	}
	if codec, ok := conn.(*websocketCodec); ok {
		o.countMessages(d, codec)
		boundBatches(codec.jsonCodec)
		dropLargeBuffers(codec)
	}
	return o
}

// writeJSON implements jsonWriter.
func (o *outbox) writeJSON(ctx context.Context, msg *jsonrpcMessage, isError bool) error {
	if namespace, ok := strings.CutSuffix(msg.Method, notificationMethodSuffix); ok && namespace != waitingNamespace {
		return o.push(msg)
	}
	return o.writeAnswer(ctx, msg, isError)
}

// push adds a notification to the queue. It never waits.
func (o *outbox) push(msg *jsonrpcMessage) error {
	size := sizeOf(msg)
	if o.queued.Add(size) != nil {
		return o.end("total", endedUnread)
	}
	o.mu.Lock()
	ended, over := o.ended, o.bytes+size > maxQueuedBytes || len(o.queue) >= maxQueued
	if !ended && !over {
		o.queue = append(o.queue, msg)
		o.bytes += size
		o.startPump()
	}
	o.mu.Unlock()
	switch {
	case ended:
		return errEnded
	case over:
		return o.end("queue", endedQueue)
	}
	if d := theDoor(); d != nil && o.network && !d.Notified(o.owner, size) {
		return o.end("units", endedUnits)
	}
	return nil
}

// end closes the connection and forgets what waits for it. It returns the error of what can be sent no more.
func (o *outbox) end(reason string, counter *metrics.Counter) error {
	o.mu.Lock()
	ended, waiting := o.ended, len(o.queue)
	o.ended, o.queue = true, nil
	o.mu.Unlock()
	o.queued.Release()
	if ended {
		return errEnded
	}
	select {
	case <-o.closed(): // by the client, or with the node
	default:
		counter.Inc(1)
		log.Debug("Connection ended because it is not read", "conn", o.remoteAddr(), "reason", reason, "waiting", waiting)
	}
	if conn, ok := o.jsonWriter.(interface{ abort() }); ok {
		conn.abort()
	}
	return errEnded
}

// startPump has the queue written. The mutex is held.
func (o *outbox) startPump() {
	if o.pumping || o.owed > 0 || len(o.queue) == 0 {
		return
	}
	o.pumping = true
	go o.pump()
}

// pump writes what is queued, until there is nothing more. A notification stays in the queue while it is written.
func (o *outbox) pump() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 && o.owed == 0 {
		msg := o.queue[0]
		o.mu.Unlock()
		err := o.jsonWriter.writeJSON(context.Background(), msg, false)
		if err != nil {
			_ = o.end("write", endedWrite)
		}
		o.mu.Lock()
		if o.ended {
			break
		}
		o.queue[0] = nil
		o.queue, o.bytes = o.queue[1:], o.bytes-sizeOf(msg)
		_ = o.queued.Add(-sizeOf(msg)) // fails for a connection that is being ended, which counts no more
	}
	if o.pumping = false; len(o.queue) == 0 {
		o.queue = nil
	}
}

// subscribe counts a new subscription of a connection from the network, unless there are too many.
func (o *outbox) subscribe(h *handler, n *Notifier) error {
	d := theDoor()
	if d == nil || !o.network {
		return nil
	}
	o.subscribing.Lock()
	defer o.subscribing.Unlock()
	if o.subs == nil {
		context.AfterFunc(h.rootCtx, o.subscribed.Release)
	}
	before := len(o.subs)
	o.subs = slices.DeleteFunc(o.subs, func(n *Notifier) bool { return !h.has(n) })
	err := o.subscribed.Add(len(o.subs) - before)
	if err == nil {
		err = d.Subscribe(o.owner, len(o.subs))
	}
	if err == nil {
		err = o.subscribed.Add(1)
	}
	if err != nil {
		subsRefused.Inc(1)
		if refusal := new(Refusal); errors.As(err, &refusal) {
			return refusal
		}
		return &Refusal{Code: CodeLimit, Text: err.Error()}
	}
	o.subs = append(o.subs, n)
	return nil
}

// EndConnection ends the connection of a context in which a subscription is made, because others need its place more.
func EndConnection(ctx context.Context) {
	if n, ok := NotifierFromContext(ctx); ok {
		if o, ok := n.h.conn.(*outbox); ok {
			_ = o.end("subscriptions", endedSubs)
		}
	}
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

// newNotifier returns the notifier of a new subscription, whose notifications wait until activate is called.
func (h *handler) newNotifier(namespace string) (*Notifier, error) {
	n := &Notifier{h: h, namespace: namespace, activated: namespace != waitingNamespace}
	o := h.conn.(*outbox)
	if err := o.subscribe(h, n); err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owed++
	return n, nil
}

// activate has the notifications of a subscription sent, whose answer has been.
func (h *handler) activate(n *Notifier) {
	if err := n.activate(); err != nil {
		h.log.Debug("Notifications not sent", "err", err)
	}
	o := h.conn.(*outbox)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owed--
	o.startPump()
}
