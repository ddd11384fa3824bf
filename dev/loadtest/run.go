// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"gwon/internal/dial"
	"gwon/internal/follow"
	"gwon/params"
)

// fate is what is known of one transaction.
type fate struct {
	hash     common.Hash // zero unless a node accepted it
	accepted time.Time   // when the answer came
	sent     time.Time
}

// run is the state of one run.
type run struct {
	Options
	transport http.Transport // of the clients that speak HTTP
	clients   []*ethclient.Client
	signer    types.Signer
	kinds     []Kind // of the transactions in turn
	fees      fees
	payers    []*account
	senders   []*account
	total     int // transactions to submit at most
	signed    []*types.Transaction

	fates []fate // by transaction; each is written by one worker, and read when all are done

	mu          sync.Mutex
	offered     int
	accepted    int
	spoiltSent  int
	spoiltTaken int
	gaps        int       // filled
	probes      []float64 // seconds that nodes took to tell their head
	unanswered  int       // probes
	refused     errorCounts
	batches     map[*ethclient.Client]*batch // requests that are being filled
	included    map[common.Hash]time.Time    // when the block was seen; of all transactions in watched blocks
	blocks      []blockSeen
}

// blockSeen is a block of the run.
type blockSeen struct {
	number  uint64
	seen    time.Time
	txs     int
	gasUsed uint64
	round   uint32
}

// Run puts load on a network and reports the result. Timeouts limit the preparation, Duration and Count the
// submission, and Settle the remaining time. After a canceled ctx the report covers the part that was done.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &run{Options: o, total: o.count(), included: make(map[common.Hash]time.Time),
		batches: make(map[*ethclient.Client]*batch)}
	// With Go's own limit of two idle connections to a host almost every submission would open a connection. Answers are
	// short.
	r.transport = http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: r.Workers * (len(r.Endpoints) + len(r.ReadFrom) + 1), DisableCompression: true}
	defer func() {
		for _, c := range r.clients {
			c.Close()
		}
		r.transport.CloseIdleConnections()
	}()
	if err := r.connect(ctx); err != nil {
		return nil, err
	}
	if !r.onlyReads() {
		if err := r.prepare(ctx); err != nil {
			return nil, err
		}
		if err := r.signAll(ctx); err != nil {
			return nil, err
		}
	}
	var reads *reader
	if r.ReadRate > 0 {
		var err error
		if reads, err = newReader(ctx, &o, &r.transport); err != nil {
			return nil, err
		}
		defer reads.close()
	}
	var genesis, head *dial.Head
	err := r.ask(func(c *ethclient.Client) (err error) {
		if genesis, err = dial.BlockAt(ctx, c.Client(), 0); err == nil {
			head, err = dial.BlockAt(ctx, c.Client(), gethrpc.LatestBlockNumber)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ask for the head: %w", err)
	}
	usage := watchProcesses(slices.Concat(r.Endpoints, r.ReadFrom))
	if usage.local() {
		// The other processors belong to the measured nodes.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)/2)))
	}
	// an interrupt ends the submission, not the account of it
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var watch sync.WaitGroup
	ctx, end := context.WithCancel(ctx)
	defer end()
	var elsewhere error
	watch.Go(func() {
		elsewhere = r.watchBlocks(watching, follow.Place{Number: uint64(head.Number), Hash: head.Hash, Genesis: genesis.Hash})
		if elsewhere != nil {
			end()
			stop()
		}
	})
	watch.Go(func() { r.report(watching) })
	watch.Go(func() { r.probe(watching) })

	begun := time.Now()
	var reading sync.WaitGroup
	if reads != nil {
		reading.Go(func() { reads.run(ctx, begun) })
	}
	r.submitAll(ctx, begun)
	reading.Wait()
	ended := time.Now()
	r.settle(watching, ended)
	drained := r.drain(watching, ended)
	resources := usage.stop()
	stop()
	watch.Wait()
	if elsewhere != nil {
		return nil, fmt.Errorf("the chain was begun again during the load, run it again: %w", elsewhere)
	}
	report, err := r.conclude(context.WithoutCancel(ctx), begun, ended, resources)
	if err == nil {
		report.Drained = drained
		if reads != nil {
			report.Reads = reads.conclude()
		}
	}
	return report, err
}

// shown returns an endpoint as texts name it.
func (r *run) shown(i int) string { return dial.Shown(r.Endpoints[i]) }

// connect dials all endpoints and learns what the transactions need. Endpoints that do not answer are left out.
func (r *run) connect(ctx context.Context) (err error) {
	var id *big.Int
	var endpoints []string
	var absent error
	for _, endpoint := range r.Endpoints {
		client, err := dial.Open(ctx, endpoint, dial.Options{Transport: &r.transport})
		var other *big.Int
		if err == nil {
			if other, err = ethclient.NewClient(client.Client).ChainID(ctx); err != nil {
				client.Close()
				err = fmt.Errorf("ask %s for its chain ID: %w", dial.Shown(endpoint), err)
			}
		}
		if err != nil {
			r.say("left out: %v", err)
			absent = errors.Join(absent, err)
			continue
		}
		r.clients, endpoints = append(r.clients, ethclient.NewClient(client.Client)), append(endpoints, endpoint)
		if id == nil {
			id = other
		}
		if other.Cmp(id) != 0 {
			return fmt.Errorf("%s is on chain %v, %s on chain %v", dial.Shown(endpoints[0]), id, dial.Shown(endpoint), other)
		}
	}
	if len(endpoints) == 0 {
		return absent
	}
	r.Endpoints = endpoints
	r.signer = types.NewAnzeonSigner(id)
	err = r.ask(func(c *ethclient.Client) (err error) {
		r.fees, err = suggested(ctx, c, r.Duration)
		return err
	})
	if err != nil {
		return err
	}
	return r.chooseKinds(ctx)
}

// ask calls f with one client after the other until a node answers.
func (r *run) ask(f func(*ethclient.Client) error) (err error) {
	for i, client := range r.clients {
		if err = f(client); err == nil {
			return nil
		}
		away := isAway(err)
		if err = fmt.Errorf("%s: %w", r.shown(i), err); !away {
			return err
		}
	}
	return err
}

// isAway reports whether an error is that of a connection, and no answer of a node.
func isAway(err error) bool {
	return err != nil && !errors.As(err, new(gethrpc.Error)) && !errors.Is(err, ethereum.NotFound)
}

// send submits a transaction at an endpoint, and at the next ones when it does not answer. A node that knows the
// transaction then has it from the one whose answer was lost.
func (r *run) send(ctx context.Context, at int, tx *types.Transaction, how sending) (err error) {
	for i := range r.clients {
		err = how(ctx, r.clients[(at+i)%len(r.clients)], tx)
		if i > 0 && dial.Says(err, dial.Known, dial.Used) {
			return nil
		}
		if !isAway(err) {
			return err
		}
	}
	return err
}

func (r *run) chooseKinds(ctx context.Context) error {
	if r.Kind != Token && r.Kind != Mix {
		r.kinds = []Kind{r.Kind}
		return nil
	}
	var code []byte
	err := r.ask(func(c *ethclient.Client) (err error) {
		code, err = c.CodeAt(ctx, params.NativeCoinAdapterAddress, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("ask for the code of the native coin adapter: %w", err)
	}
	switch {
	case r.Kind == Mix && len(code) > 0:
		r.kinds = []Kind{Transfer, Delegated, Token}
	case r.Kind == Mix:
		r.kinds = []Kind{Transfer, Delegated}
	case len(code) == 0:
		return fmt.Errorf("the native coin adapter %v has no code on this network: choose another kind",
			params.NativeCoinAdapterAddress)
	default:
		r.kinds = []Kind{Token}
	}
	return nil
}

// signAll signs everything before the first submission, so that signing does not compete with the nodes.
func (r *run) signAll(ctx context.Context) error {
	r.signed, r.fates = make([]*types.Transaction, r.total), make([]fate, r.total)
	group, ctx := errgroup.WithContext(ctx)
	for s := range r.senders {
		group.Go(func() error {
			for i, nonce := s, r.senders[s].nonce; i < r.total; i, nonce = i+len(r.senders), nonce+1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				tx, err := r.sign(i, nonce)
				if err != nil {
					return fmt.Errorf("sign transaction %d: %w", i, err)
				}
				if r.signed[i] = tx; !r.spoilt(i) {
					continue
				}
				if r.signed[i], err = r.spoil(tx); err != nil {
					return fmt.Errorf("spoil transaction %d: %w", i, err)
				}
				nonce-- // the next one is to take its place
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	r.say("%d transactions are signed", r.total)
	return nil
}

// submitAll submits transaction i at its time. All transactions of a sender go through one worker, in the order of
// their nonces.
func (r *run) submitAll(ctx context.Context, begun time.Time) {
	ctx, cancel := context.WithDeadline(ctx, begun.Add(r.Duration))
	defer cancel()
	workers := min(r.Workers*len(r.clients), len(r.senders))
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			at := w % len(r.clients)
			defer func() { // no gap stays
				for s := w; s < len(r.senders); s += workers {
					r.submitHeld(context.WithoutCancel(ctx), at, r.senders[s])
				}
			}()
			for base := 0; base < r.total; base += len(r.senders) {
				for s := w; s < len(r.senders) && base+s < r.total; s += workers {
					if !r.submitAt(ctx, at, base+s, begun) {
						return
					}
				}
			}
		})
	}
	group.Wait()
}

// submitAt submits transaction i when its time has come; it reports false when the time of the whole run is over.
func (r *run) submitAt(ctx context.Context, at, i int, begun time.Time) bool {
	if r.Rate > 0 {
		timer := time.NewTimer(time.Until(begun.Add(time.Duration(float64(i) / r.Rate * float64(time.Second)))))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	if ctx.Err() != nil {
		return false
	}
	// A refused transaction leaves no gap: the sender's next one takes its nonce, as a wallet would do it.
	sender, tx := r.senders[i%len(r.senders)], r.signed[i]
	if r.spoilt(i) {
		r.submitSpoilt(ctx, at, tx)
		return true
	}
	if len(sender.held) > 0 && i-sender.held[0] > 2*len(r.senders) {
		r.submitHeld(ctx, at, sender)
	}
	if r.heldBack(i) && tx.Nonce() == sender.nonce {
		sender.held = append(sender.held, i)
		sender.nonce++
		return true
	}
	if tx.Nonce() != sender.nonce {
		var err error
		if tx, err = r.sign(i, sender.nonce); err != nil {
			r.refused.add(err)
			return true
		}
	}
	err := r.submit(ctx, at, i, tx)
	if err != nil && r.Resubmit && ctx.Err() == nil {
		err = r.submit(ctx, at, i, tx)
	}
	if err != nil {
		r.refused.add(err)
		if dial.Says(err, dial.Used) { // an earlier one went in, whose answer was lost
			sender.nonce++
		}
		return true
	}
	sender.nonce++
	r.mu.Lock()
	r.accepted++
	r.mu.Unlock()
	return true
}

// submitSpoilt submits a transaction that has to be refused.
func (r *run) submitSpoilt(ctx context.Context, at int, tx *types.Transaction) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dial.Timeout)
	defer cancel()
	err := r.clients[at].SendTransaction(ctx, tx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spoiltSent++; err == nil {
		r.spoiltTaken++
	}
}

// submitHeld fills the gaps of a sender.
func (r *run) submitHeld(ctx context.Context, at int, sender *account) {
	for _, i := range sender.held {
		if err := r.submit(ctx, at, i, r.signed[i]); err != nil {
			r.refused.add(err)
			continue
		}
		r.mu.Lock()
		r.accepted++
		r.gaps++
		r.mu.Unlock()
	}
	sender.held = nil
}

func (r *run) submit(ctx context.Context, at, i int, tx *types.Transaction) error {
	// A sent transaction is awaited beyond the end of the run, because the report contains its fate.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dial.Timeout)
	defer cancel()
	r.mu.Lock()
	r.offered++
	r.mu.Unlock()
	sent := time.Now()
	err := r.send(ctx, at, tx, r.inBatch)
	if err == nil {
		r.fates[i] = fate{hash: tx.Hash(), sent: sent, accepted: time.Now()}
	}
	return err
}

// watchBlocks collects the blocks behind a place until ctx ends, or the nodes have another chain, which is an error.
func (r *run) watchBlocks(ctx context.Context, last follow.Place) error {
	asked := 0
	block := func(ctx context.Context, number gethrpc.BlockNumber) (b *dial.Head, err error) {
		err = dial.Ask(ctx, r.clients[asked].Client(), &b, "eth_getBlockByNumber", number, false)
		return b, err
	}
	chain := follow.Follower[common.Hash]{Block: block}
	looks := rate.Sometimes{Interval: time.Second}
	ticker := time.Tick(25 * time.Millisecond)
	for {
		select {
		case <-ticker:
		case <-ctx.Done():
			return nil
		}
		b, err := block(ctx, gethrpc.BlockNumber(last.Number+1)) //nolint:gosec // of a block
		for ; err == nil && b != nil && b.ParentHash == last.Hash; b, err = block(ctx, gethrpc.BlockNumber(last.Number+1)) {
			r.mu.Lock()
			last.Number, last.Hash = uint64(b.Number), b.Hash
			seen := blockSeen{number: last.Number, seen: time.Now(), txs: len(b.Transactions), gasUsed: uint64(b.GasUsed),
				round: b.Round()}
			r.blocks = append(r.blocks, seen)
			for _, hash := range b.Transactions {
				r.included[hash] = seen.seen
			}
			r.mu.Unlock()
		}
		if err == nil {
			looks.Do(func() { _, err = chain.Look(ctx, last) })
		}
		if errors.Is(err, follow.ErrOtherChain) {
			return err
		}
		if err != nil {
			asked = (asked + 1) % len(r.clients)
		}
	}
}

// settle waits until all accepted transactions are in blocks, or no further ones are included.
func (r *run) settle(ctx context.Context, ended time.Time) {
	ticker := time.Tick(100 * time.Millisecond)
	for time.Since(ended) < r.Settle {
		if r.waiting() == 0 {
			return
		}
		select {
		case <-ticker:
		case <-ctx.Done():
			return
		}
	}
}

// probe requests the head from one node after the other, like a user during the load, until ctx ends.
func (r *run) probe(ctx context.Context) {
	ticker := time.Tick(50 * time.Millisecond)
	for i := 0; ; i++ {
		callCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dial.Timeout) // a short run has an answer too
		begun := time.Now()
		_, err := r.clients[i%len(r.clients)].BlockNumber(callCtx)
		cancel()
		r.mu.Lock()
		if err == nil {
			r.probes = append(r.probes, time.Since(begun).Seconds())
		} else {
			r.unanswered++
		}
		r.mu.Unlock()
		select {
		case <-ticker:
		case <-ctx.Done():
			return
		}
	}
}

// drain waits until the pools of all nodes that report them are empty. It returns the time in seconds since the last
// submission; -1 if they were not empty within Settle, or no node reports.
func (r *run) drain(ctx context.Context, ended time.Time) float64 {
	ticker := time.Tick(100 * time.Millisecond)
	for time.Since(ended) < r.Settle {
		told, waiting := 0, uint64(0)
		for _, client := range r.clients {
			callCtx, cancel := context.WithTimeout(ctx, dial.Timeout)
			var status struct{ Pending, Queued hexutil.Uint64 }
			err := client.Client().CallContext(callCtx, &status, "txpool_status")
			cancel()
			if err == nil {
				told++
				waiting += uint64(status.Pending + status.Queued)
			}
		}
		if told == 0 {
			return -1
		}
		if waiting == 0 {
			return time.Since(ended).Seconds()
		}
		select {
		case <-ticker:
		case <-ctx.Done():
			return -1
		}
	}
	return -1
}

// waiting is how many accepted transactions are in no watched block.
func (r *run) waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for i := range r.fates {
		if hash := r.fates[i].hash; hash != (common.Hash{}) {
			if _, ok := r.included[hash]; !ok {
				n++
			}
		}
	}
	return n
}

// report says every second how far the run is.
func (r *run) report(ctx context.Context) {
	ticker := time.Tick(time.Second)
	begun := time.Now()
	for {
		select {
		case <-ticker:
		case <-ctx.Done():
			return
		}
		r.mu.Lock()
		offered, accepted, included := r.offered, r.accepted, 0
		var last blockSeen
		if len(r.blocks) > 0 {
			last = r.blocks[len(r.blocks)-1]
		}
		for _, b := range r.blocks {
			included += b.txs
		}
		r.mu.Unlock()
		r.say("%3.0f s  offered %d  accepted %d  in blocks %d  last block %d with %d in round %d",
			time.Since(begun).Seconds(), offered, accepted, included, last.number, last.txs, last.round)
	}
}

func (r *run) say(format string, args ...any) {
	if r.Progress != nil {
		fmt.Fprintf(r.Progress, format+"\n", args...)
	}
}

// missing asks every node for the accepted transactions that are in no watched block. The result pending counts those
// in a pool, late those in a block, and lost lists all others.
func (r *run) missing(ctx context.Context) (pending, late int, lost []common.Hash, err error) {
	var hashes []common.Hash
	for _, f := range r.fates {
		if _, ok := r.included[f.hash]; f.hash != (common.Hash{}) && !ok {
			hashes = append(hashes, f.hash)
		}
	}
	for part := range slices.Chunk(hashes, 100) {
		state, answers := make([]string, len(part)), 0
		for i, client := range r.clients {
			results := make([]*struct{ BlockHash *common.Hash }, len(part))
			batch := make([]gethrpc.BatchElem, len(part))
			for j, hash := range part {
				batch[j] = gethrpc.BatchElem{Method: "eth_getTransactionByHash", Args: []any{hash}, Result: &results[j]}
			}
			callCtx, cancel := context.WithTimeout(ctx, dial.Timeout)
			err := client.Client().BatchCallContext(callCtx, batch)
			cancel()
			if err != nil {
				if i == len(r.clients)-1 && answers == 0 {
					return 0, 0, nil, fmt.Errorf("ask %s for transactions: %w", r.shown(i), err)
				}
				continue // the others tell what became of them
			}
			answers++
			for j := range batch {
				switch found := results[j]; {
				case batch[j].Error != nil:
					return 0, 0, nil, fmt.Errorf("ask %s for transaction %v: %w", r.shown(i), part[j], batch[j].Error)
				case found != nil && found.BlockHash != nil:
					state[j] = "late"
				case found != nil && state[j] == "":
					state[j] = "pending"
				}
			}
		}
		for j, s := range state {
			switch s {
			case "late":
				late++
			case "pending":
				pending++
			default:
				lost = append(lost, part[j])
			}
		}
	}
	return pending, late, lost, nil
}
