// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package minblock

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/metrics"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/door"
	"gwon/internal/door/calls"
)

// Headers of HTTP. Both are decimal block numbers.
const (
	MinBlock = "Gwon-Min-Block" // of a request: the least block that the node has to have
	Block    = "Gwon-Block"     // of an answer to such a request: the newest block that it can show
)

const (
	patience   = time.Second           // for the least block; one period of the public networks
	look       = 10 * time.Millisecond // between two looks at the head, while requests wait
	maxWaiting = 1024                  // requests that wait, of all owners
	ownWaiting = 64                    // of one owner
)

// Metrics of requests that name a block which the node does not have yet.
var (
	waitedCounter  = metrics.NewRegisteredCounter("gwon/rpc/minblock/waited", nil)
	refusedCounter = metrics.NewRegisteredCounter("gwon/rpc/minblock/refused", nil)
)

// Chain tells how far a node is. Its methods must be safe for concurrent use.
type Chain interface {
	Newest() uint64 // number of the newest block that an answer can show
	Final() uint64  // number of the block that the tags "latest", "safe" and "finalized" have all reached
}

// Door holds requests until the node has the block that they name. Another door judges each request first.
type Door struct {
	gethrpc.Door
	chain   Chain
	waiting *door.Account // requests that wait
	heads   *heads
}

// New returns a door for a node whose chain is given, behind another one.
func New(chain Chain, before gethrpc.Door) *Door {
	return &Door{Door: before, chain: chain, waiting: door.NewAccount(door.Bound{Own: ownWaiting, Sum: maxWaiting}),
		heads: newHeads(chain)}
}

// Request serves a request as soon as the node has its least block. It answers status 400 if the header is no number,
// and status 503 with a JSON-RPC error if the block does not come within a second.
func (g *Door) Request(w http.ResponseWriter, r *http.Request, next http.Handler) {
	g.Door.Request(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.hold(w, r, next) }))
}

func (g *Door) hold(w http.ResponseWriter, r *http.Request, next http.Handler) {
	values := r.Header.Values(MinBlock)
	if len(values) == 0 {
		next.ServeHTTP(w, r)
		return
	}
	least, err := strconv.ParseUint(values[0], 10, 64)
	if err != nil || len(values) > 1 {
		http.Error(w, fmt.Sprintf("header %s is %.40q: give one decimal block number", MinBlock,
			strings.Join(values, ", ")), http.StatusBadRequest)
		return
	}
	if !g.await(r, least) {
		refusedCounter.Inc(1)
		g.refuse(w, least)
		return
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") { // whose answer has no headers of ours
		w = &writer{ResponseWriter: w, chain: g.chain}
	}
	next.ServeHTTP(w, r)
}

// await reports whether the node has the block, or gets it while the request can wait.
func (g *Door) await(r *http.Request, least uint64) bool {
	if g.chain.Final() >= least {
		return true
	}
	displaced := make(chan struct{})
	place := g.waiting.Share(gethrpc.OwnerFrom(r.Context()), func() { close(displaced) })
	if place.Add(1) != nil {
		return false
	}
	defer place.Release()
	waitedCounter.Inc(1)
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	defer g.heads.join()()
	for {
		next := g.heads.next()
		if g.chain.Final() >= least {
			return true
		}
		select {
		case <-next:
		case <-deadline.C:
			return g.chain.Final() >= least
		case <-r.Context().Done(): // the client has gone
			return false
		case <-displaced:
			return false
		}
	}
}

// refuse answers that the node is behind.
func (g *Door) refuse(w http.ResponseWriter, least uint64) {
	calls.WriteError(w, http.StatusServiceUnavailable, &gethrpc.Refusal{Code: gethrpc.CodeTime,
		Reason: "behind", RetryAfter: 1,
		Text: fmt.Sprintf("the node has block %d and the request wants %d: ask another node, or again in a second",
			g.chain.Final(), least)})
}

// writer names the newest block in the answer. It looks when the answer begins, which is after the calls have run.
type writer struct {
	http.ResponseWriter
	chain Chain
	begun bool
}

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher, which go-ethereum asks for.
func (w *writer) Flush() {
	w.begin()
	http.NewResponseController(w.ResponseWriter).Flush() //nolint:errcheck // a writer without it has no buffer
}

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p) //nolint:wrapcheck // an io.Writer's error
}

func (w *writer) begin() {
	if !w.begun {
		w.begun = true
		w.Header().Set(Block, strconv.FormatUint(w.chain.Newest(), 10))
	}
}
