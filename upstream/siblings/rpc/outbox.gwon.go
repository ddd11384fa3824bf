// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// Notifications wait in queues of this package because the handler and the notifier are unexported types of it, and
// upstream cannot import gwon.

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
)

// Bounds of the notifications that wait for their connections.
const (
	maxQueued         = 65_536   // notifications of one connection
	maxQueuedBytes    = 32 << 20 // of one connection
	notificationBytes = 128      // that a notification takes beside its parameters

	// waitingNamespace has notifications that are results of a computation, which waits for its reader: nobody else waits
	// for it.
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
	owed    int  // subscriptions whose answer is not on its way: the queue waits until the client knows its subscription
	pumping bool // a goroutine writes
	ended   bool
	owner   Owner
	network bool     // the door is asked about notifications
	unread  Share    // nil before something is counted
	reading []func() // end the count of messages whose calls have not begun

	subs        []*Notifier // of a connection from the network; under the lock of subscribing
	subsShare   Share
	subscribing sync.Mutex // one subscription is made at a time
}

func newOutbox(conn jsonWriter) *outbox {
	o := &outbox{jsonWriter: conn}
	queueUp(conn)
	o.countMessages()
	boundBatches(conn)
	dropLargeBuffers(conn)
	return o
}

// ownerOf returns the owner of the connection: that of its request over HTTP, or that of its address.
func (o *outbox) ownerOf(ctx context.Context) Owner {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.knownOwner(ctx)
}

// knownOwner is ownerOf with the mutex held.
func (o *outbox) knownOwner(ctx context.Context) Owner {
	if o.owner != nil {
		return o.owner
	}
	switch codec := o.jsonWriter.(type) {
	case *jsonCodec:
		if request, ok := codec.conn.(*httpServerConn); ok {
			ctx = request.r.Context()
		}
	case *websocketCodec:
		ctx = context.WithValue(ctx, peerInfoContextKey{}, codec.info)
	}
	o.owner = OwnerFrom(ctx)
	return o.owner
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
	if err := o.hold(size); err != nil {
		return err
	}
	o.mu.Lock()
	ended, owner, network := o.ended, o.owner, o.network
	over := !ended && (o.bytes+size > maxQueuedBytes || len(o.queue) >= maxQueued)
	if !ended && !over {
		o.queue = append(o.queue, msg)
		o.bytes += size
		o.startPump()
	}
	o.mu.Unlock()
	if ended || over {
		o.give(size)
	}
	switch {
	case ended:
		return errEnded
	case over:
		o.end("queue", endedQueue)
		return errEnded
	}
	if d := theDoor(); d != nil && network && !d.Notified(owner, size) {
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
	o.give(bytes)
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
	size := sizeOfNotification(msg)
	o.mu.Lock()
	ended := o.ended
	if !ended {
		o.queue[0] = nil
		if o.queue = o.queue[1:]; len(o.queue) == 0 {
			o.queue = nil
		}
		o.bytes -= size
	}
	o.mu.Unlock()
	if !ended {
		o.give(size)
	}
}

// expect holds the queue back until the answer to a subscription is on its way.
func (o *outbox) expect(network bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owed++
	o.network = network
}

// answered ends the effect of expect.
func (o *outbox) answered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owed--
	o.startPump()
}

// subscribe counts a new subscription of a connection from the network, unless there are too many.
func (o *outbox) subscribe(ctx context.Context, h *handler, d Door, n *Notifier) error {
	o.subscribing.Lock()
	defer o.subscribing.Unlock()
	owner := o.ownerOf(ctx)
	if o.subsShare == nil {
		o.subsShare = d.Share(Subscriptions, owner, func() { o.end("subscriptions", endedSubs) })
		context.AfterFunc(h.rootCtx, o.subsShare.Release)
	}
	before := len(o.subs)
	o.subs = slices.DeleteFunc(o.subs, func(n *Notifier) bool { return !h.has(n) })
	err := o.subsShare.Add(len(o.subs) - before)
	if err == nil {
		err = d.Subscribe(owner, len(o.subs))
	}
	if err == nil {
		err = o.subsShare.Add(1)
	}
	if err != nil {
		subsRefused.Inc(1)
		return &Refusal{Code: CodeLimit, Text: err.Error()}
	}
	o.subs = append(o.subs, n)
	return nil
}

// EndConnection ends the connection of a context in which a subscription is made, because others need its place more.
func EndConnection(ctx context.Context) {
	if n, ok := NotifierFromContext(ctx); ok {
		if o, ok := n.h.conn.(*outbox); ok {
			o.end("subscriptions", endedSubs)
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

// newNotifier returns the notifier of a new subscription. Its notifications wait in the outbox until activate is
// called.
func (h *handler) newNotifier(ctx context.Context, namespace string) (*Notifier, error) {
	n := &Notifier{h: h, namespace: namespace, activated: namespace != waitingNamespace}
	d, _ := h.doorFor(ctx)
	o, ok := h.conn.(*outbox)
	if !ok {
		return n, nil
	}
	if d != nil {
		if err := o.subscribe(ctx, h, d, n); err != nil {
			return nil, err
		}
	}
	o.expect(d != nil)
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
