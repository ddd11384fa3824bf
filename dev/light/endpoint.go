// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"gwon/consensus/finality/remotestate"
	"gwon/internal/door"
	"gwon/internal/follow"
)

// Bounds of the endpoint. That of its reader is Memory.
const (
	// Memory bounds the proven answers that are held, in encoded bytes. Decoded they take up to five times as much.
	Memory = 6 << 20
	// MaxConnections bounds the requests at the same time, each of door.RequestTime.
	MaxConnections = 64
	// MaxLogBlocks bounds the blocks of one eth_getLogs.
	MaxLogBlocks = 1024
	// MaxFeeBlocks bounds the blocks of one eth_feeHistory.
	MaxFeeBlocks = 128

	maxReads    = 4096    // accounts and slots that one request reads
	maxReadCode = 8 << 20 // bytes of code that one request reads
	maxLinked   = 256     // blocks back from the newest one that are proven by hashes and not by seals

	pollTime   = time.Second
	reportTime = time.Minute
	lateAge    = time.Minute
)

// Options describe an endpoint.
type Options struct {
	Reader  *remotestate.Reader // with the bounds of this package
	Config  *gethparams.ChainConfig
	Genesis *types.Header
	Version string   // for web3_clientVersion
	Hosts   []string // that requests may name, beside addresses
	Origins []string // of web pages that may ask

	// Traces has debug_traceCall offered, which takes memory for all calls of a contract: not for strangers.
	Traces bool
}

// Endpoint answers from the newest block that is proven. It is safe for concurrent use.
type Endpoint struct {
	options Options
	reader  *remotestate.Reader
	server  *gethrpc.Server
	tries   *triedb.Database
	busy    chan struct{} // holds an element for each request that reads blocks, receipts or the state of a call
	runs    chan struct{} // holds one element while a request executes code: its memory is that of one call
	sent    submitted
	door    gethrpc.Door
	tip     *remotestate.Tip
	filters filterTable
	pushes  chan struct{} // holds one element for each subscription
	stop    context.CancelFunc
	stopped context.Context
}

// New returns an endpoint that has not asked anything. It decides for all servers of this process which methods are
// offered.
func New(options Options) (*Endpoint, error) {
	e := &Endpoint{
		options: options, reader: options.Reader, server: gethrpc.NewServer(), busy: make(chan struct{}, 4),
		runs: make(chan struct{}, 1), tip: remotestate.NewTip(options.Reader), pushes: make(chan struct{}, maxSubscriptions),
	}
	e.stopped, e.stop = context.WithCancel(context.Background())
	e.tries = triedb.NewDatabase(rawdb.NewDatabase(provenNodes{memorydb.New(), e.reader}), triedb.HashDefaults)
	e.server.SetBatchLimits(100, gethrpc.MaxAnswer)
	e.server.SetHTTPBodyLimit(door.SmallBody)
	e.server.SetWebsocketReadLimit(door.SmallBody)
	services := map[string]any{"eth": &methods{e}, "net": &network{e}, "web3": &program{options.Version}}
	if options.Traces {
		services["debug"] = &traces{e}
	}
	for namespace, service := range services {
		if err := e.server.RegisterName(namespace, service); err != nil {
			return nil, fmt.Errorf("register %s: %w", namespace, err)
		}
	}
	e.door = newGate(e.server)
	gethrpc.SetDoor(e.door)
	gethrpc.SetCallTime(door.RequestTime - 5*time.Second)
	return e, nil
}

// Connections returns the account of an endpoint's connections.
func Connections() *door.Account {
	return door.NewAccount(door.Bound{Own: MaxConnections / 4, Sum: MaxConnections})
}

// Handler returns the handler of requests over HTTP and WebSocket.
func (e *Endpoint) Handler() http.Handler {
	plain := node.NewHTTPHandlerStack(e.server, e.options.Origins, e.options.Hosts, nil, false)
	upgraded := e.server.WebsocketHandler(e.options.Origins)
	return gethrpc.Gated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if websocket.IsWebSocketUpgrade(r) {
			upgraded.ServeHTTP(w, r)
			return
		}
		plain.ServeHTTP(w, r)
	}))
}

// Client returns a client within this process, which has the methods of the endpoint.
func (e *Endpoint) Client() *gethrpc.Client { return gethrpc.DialInProc(e.server) }

// Advance looks for a newer block once.
func (e *Endpoint) Advance(ctx context.Context) error { return e.tip.Advance(ctx) }

// Server returns an HTTP server for the handler, with bounds on times and sizes.
func (e *Endpoint) Server() *http.Server {
	server := door.NewServer(e.Handler())
	server.WriteTimeout = door.RequestTime
	return server
}

// Stop ends requests that are under way, and subscriptions.
func (e *Endpoint) Stop() {
	e.stop()
	e.server.Stop()
}

// Follow follows the chain until the context ends. Other errors say that nothing may be answered any more: a quorum has
// sealed two blocks of one number, what is trusted is too old, or no node is left.
func (e *Endpoint) Follow(ctx context.Context) error {
	proven := rate.Sometimes{Interval: reportTime}
	f := follow.Follower[common.Hash]{Every: pollTime, Pause: pollTime, Most: pollTime, Final: remotestate.Fatal,
		Report: e.report,
	}
	return f.Run(ctx, func(ctx context.Context) (bool, error) {
		err := e.Advance(ctx)
		if err == nil {
			proven.Do(func() { e.report(nil, 0) })
		}
		return false, err
	})
}

// report logs how far the chain was followed.
func (e *Endpoint) report(err error, _ time.Duration) {
	head, missing := e.tip.Head()
	switch {
	case missing != nil:
		log.Warn("No block proven", "err", err)
	case err != nil:
		log.Warn("Newer block not proven", "number", head.Number, "age", ageOf(head).Round(time.Second), "err", err)
	default:
		log.Info("Newest block proven", "number", head.Number, "hash", head.Hash(), "age", ageOf(head).Round(time.Second))
	}
}

func ageOf(header *types.Header) time.Duration {
	return time.Since(time.Unix(int64(min(header.Time, 1<<40)), 0))
}

// enter waits until a request may have a place, of which there are few. The function that it returns gives it back.
func enter(ctx context.Context, places chan struct{}) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, door.RequestTime)
	defer cancel()
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%d requests of this kind are under way: ask again later: %w", cap(places), ctx.Err())
	}
}
