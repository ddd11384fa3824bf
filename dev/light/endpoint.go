// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/triedb"

	"gwon/consensus/finality/remotestate"
	"gwon/internal/limit"
)

// Bounds of the endpoint. Those of its reader are Memory, MaxAnswer and Patience.
const (
	// Memory bounds the proven answers that are held, in encoded bytes. Decoded they take up to five times as much.
	Memory = 6 << 20
	// MaxAnswer bounds one answer of a node. A full block has 13 MB in JSON.
	MaxAnswer = 16 << 20
	// Patience is how long a node is waited for.
	Patience = 8 * time.Second
	// RequestTime bounds a request, and MaxConnections those at the same time.
	RequestTime    = 30 * time.Second
	MaxConnections = 64
	// MaxLogBlocks bounds the blocks of one eth_getLogs.
	MaxLogBlocks = 1024
	// MaxFeeBlocks bounds the blocks of one eth_feeHistory.
	MaxFeeBlocks = 128

	maxBody      = 1 << 20
	maxBatch     = 100
	maxResult    = 10 << 20 // bytes of a batch, and of the logs of one query
	maxAtOnce    = 4        // requests that read blocks, receipts or the state of a call
	maxReads     = 4096     // accounts and slots that one request reads
	maxReadCode  = 8 << 20  // bytes of code that one request reads
	maxLinked    = 256      // blocks back from the newest one that are proven by hashes and not by seals
	linkedAtOnce = 64

	pollTime   = time.Second
	reportTime = time.Minute
	keepAge    = time.Hour // between the blocks whose proofs are stored
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
}

// Endpoint answers from the newest block that is proven. It is safe for concurrent use.
type Endpoint struct {
	options Options
	reader  *remotestate.Reader
	server  *gethrpc.Server
	tries   *triedb.Database
	busy    chan struct{} // holds one element for each request that counts for maxAtOnce
	runs    chan struct{} // holds one element while a request executes code: its memory is that of one call
	sent    submitted

	mu      sync.Mutex
	head    *types.Header // nil until one is proven
	failure error         // why the last search for a newer one has failed
	kept    uint64        // time of the block whose proof is stored, in seconds
}

// New returns an endpoint that has not asked anything. It decides for all servers of this process which methods are
// offered.
func New(options Options) (*Endpoint, error) {
	e := &Endpoint{
		options: options, reader: options.Reader, server: gethrpc.NewServer(), busy: make(chan struct{}, maxAtOnce),
		runs: make(chan struct{}, 1),
	}
	e.tries = triedb.NewDatabase(rawdb.NewDatabase(provenNodes{memorydb.New(), e.reader}), triedb.HashDefaults)
	e.server.SetBatchLimits(maxBatch, maxResult)
	e.server.SetHTTPBodyLimit(maxBody)
	for namespace, service := range map[string]any{
		"eth": &methods{e}, "net": &network{e}, "web3": &program{options.Version},
	} {
		if err := e.server.RegisterName(namespace, service); err != nil {
			return nil, fmt.Errorf("register %s: %w", namespace, err)
		}
	}
	gethrpc.SetGate(newGate(e.server))
	gethrpc.SetWorkers(limit.Workers())
	return e, nil
}

// Handler returns the handler of requests over HTTP.
func (e *Endpoint) Handler() http.Handler {
	return node.NewHTTPHandlerStack(e.server, e.options.Origins, e.options.Hosts, nil, false)
}

// Server returns an HTTP server for the handler, with bounds on times and sizes.
func (e *Endpoint) Server() *http.Server {
	return &http.Server{
		Handler: e.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: RequestTime, WriteTimeout: RequestTime,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
}

// Stop ends requests that are under way.
func (e *Endpoint) Stop() { e.server.Stop() }

// Head returns the newest proven block, or why there is none.
func (e *Endpoint) Head() (*types.Header, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.head != nil {
		return e.head, nil
	}
	if e.failure != nil {
		return nil, fmt.Errorf("no block is proven yet: %w", e.failure)
	}
	return nil, errors.New("no block is proven yet: ask again in some seconds")
}

// Advance looks for a newer block once, and proves that it continues the one before.
func (e *Endpoint) Advance(ctx context.Context) error {
	e.mu.Lock()
	before, kept := e.head, e.kept
	e.mu.Unlock()
	header, err := e.reader.Latest(ctx, before)
	if err == nil && before != nil {
		err = e.reader.Continues(ctx, before, header)
	}
	e.mu.Lock()
	e.failure = err
	e.mu.Unlock()
	if err != nil {
		return err
	}
	e.show(header)
	if header.Number.Sign() == 0 || header.Time < kept+uint64(keepAge/time.Second) {
		return nil
	}
	if err := e.reader.Keep(ctx, header); err != nil {
		log.Warn("Proof of the newest block not stored", "number", header.Number, "err", err)
	}
	e.mu.Lock()
	e.kept = header.Time // a failure is tried again as late as a success
	e.mu.Unlock()
	return nil
}

// show makes a proven block the newest one, unless a newer one is.
func (e *Endpoint) show(header *types.Header) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.head == nil || header.Number.Cmp(e.head.Number) > 0 {
		e.head = header
	}
}

// Follow follows the chain until the context ends. Other errors say that nothing may be answered any more: a quorum has
// sealed two blocks of one number, what is trusted is too old, or no node is left.
func (e *Endpoint) Follow(ctx context.Context) error {
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	var reported time.Time
	for {
		err := e.Advance(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, remotestate.ErrConflict), errors.Is(err, remotestate.ErrOld),
			errors.Is(err, remotestate.ErrLeft):
			return err
		}
		if time.Since(reported) >= reportTime {
			reported = time.Now()
			e.report(err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// report logs how far the chain was followed.
func (e *Endpoint) report(err error) {
	head, missing := e.Head()
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
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%d requests of this kind are under way: ask again later: %w", cap(places), ctx.Err())
	}
}
