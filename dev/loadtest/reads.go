// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
	"gwon/params"
)

const (
	maxTargets   = 1024 // transactions and blocks that reads ask for, and blocks in which they are looked for
	logsOfBlocks = 20   // blocks that a search for logs covers
)

// targets are the accounts, transactions and blocks that reads ask for.
type targets struct {
	accounts []common.Address
	hashes   []common.Hash
	blocks   []uint64
}

// readMethod makes the parameters of a call.
type readMethod struct {
	name   string
	params func(t *targets, pick func(n int) int) []any
}

// balanceOf is the selector of ERC-20's balanceOf(address).
var balanceOf = []byte{0x70, 0xa0, 0x82, 0x31}

// readMethods are the calls of wallets and explorers.
var readMethods = []readMethod{
	{"eth_blockNumber", func(*targets, func(int) int) []any { return nil }},
	{"eth_gasPrice", func(*targets, func(int) int) []any { return nil }},
	{"eth_getBalance", func(t *targets, pick func(int) int) []any { return []any{t.account(pick), "latest"} }},
	{"eth_getTransactionCount", func(t *targets, pick func(int) int) []any { return []any{t.account(pick), "pending"} }},
	{"eth_call", func(t *targets, pick func(int) int) []any { return []any{t.balanceOf(pick), "latest"} }},
	{"eth_estimateGas", func(t *targets, pick func(int) int) []any { return []any{t.balanceOf(pick)} }},
	{"eth_getTransactionReceipt", func(t *targets, pick func(int) int) []any { return []any{t.hash(pick)} }},
	{"eth_getTransactionByHash", func(t *targets, pick func(int) int) []any { return []any{t.hash(pick)} }},
	{"eth_getBlockByNumber", func(t *targets, pick func(int) int) []any {
		return []any{hexutil.Uint64(t.block(pick)), false}
	}},
	{"eth_getLogs", func(t *targets, pick func(int) int) []any {
		last := t.block(pick)
		return []any{map[string]any{
			"fromBlock": hexutil.Uint64(last - min(last, logsOfBlocks-1)), "toBlock": hexutil.Uint64(last),
			"topics": []any{nil, common.BytesToHash(t.account(pick).Bytes())},
		}}
	}},
}

func (t *targets) account(pick func(int) int) common.Address {
	return t.accounts[pick(len(t.accounts))]
}
func (t *targets) hash(pick func(int) int) common.Hash { return t.hashes[pick(len(t.hashes))] }
func (t *targets) block(pick func(int) int) uint64     { return t.blocks[pick(len(t.blocks))] }

func (t *targets) balanceOf(pick func(int) int) map[string]any {
	input := slices.Concat(balanceOf, common.LeftPadBytes(t.account(pick).Bytes(), 32))
	return map[string]any{"to": params.NativeCoinAdapterAddress, "input": hexutil.Bytes(input)}
}

// ReadsOf are the reads of one method over one transport.
type ReadsOf struct {
	Method    string    `json:"method"`
	Transport string    `json:"transport"` // http, ws or ipc
	Count     int       `json:"count"`
	Failed    int       `json:"failed"`
	Time      Quantiles `json:"time"` // from the scheduled moment to the answer
}

// Reads are the reads beside a run.
type Reads struct {
	Rate    float64        `json:"rate"` // asked for, a second
	Count   int            `json:"count"`
	Failed  int            `json:"failed"`
	Errors  map[string]int `json:"errors"`
	Time    Quantiles      `json:"time"` // from the scheduled moment to the answer, of all
	Late    Quantiles      `json:"late"` // from the scheduled moment to the sending: the share of this program
	Methods []ReadsOf      `json:"methods"`
}

// read is what is known of one read.
type read struct {
	sent, done    time.Duration // since the scheduled moment
	asked, failed bool
}

// reader sends reads by a schedule.
type reader struct {
	rate    float64
	clients []*gethrpc.Client
	schemes []string // of clients
	workers int
	targets targets
	reads   []read
	errors  errorCounts
}

// newReader connects to the endpoints that are read from, and chooses what the reads ask for.
func newReader(ctx context.Context, o *Options, transport *http.Transport) (*reader, error) {
	from := o.ReadFrom
	if len(from) == 0 {
		from = o.Endpoints
	}
	r := &reader{rate: o.ReadRate, workers: o.Workers * len(from), reads: make([]read, o.readCount())}
	for _, endpoint := range from {
		client, err := dial.Open(ctx, endpoint, dial.Options{Transport: transport})
		if err != nil {
			r.close()
			return nil, err
		}
		r.clients, r.schemes = append(r.clients, client.Client), append(r.schemes, schemeOf(endpoint))
	}
	if err := r.choose(ctx); err != nil {
		r.close()
		return nil, fmt.Errorf("%s: %w", dial.Shown(from[0]), err)
	}
	return r, nil
}

func schemeOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Scheme == "":
		return "ipc"
	case u.Scheme == "https":
		return "http"
	case u.Scheme == "wss":
		return "ws"
	}
	return u.Scheme
}

func (r *reader) close() {
	for _, c := range r.clients {
		c.Close()
	}
}

// choose takes the targets from the newest blocks with transactions.
func (r *reader) choose(ctx context.Context) error {
	var head hexutil.Uint64
	if err := dial.Ask(ctx, r.clients[0], &head, "eth_blockNumber"); err != nil {
		return err
	}
	for back := uint64(0); back < maxTargets && back <= uint64(head) && len(r.targets.hashes) < maxTargets; back++ {
		b, err := dial.BlockAt(ctx, r.clients[0], gethrpc.BlockNumber(uint64(head)-back)) //nolint:gosec // of a block
		if err != nil {
			return err
		}
		txs := b.Transactions
		if len(txs) > 0 {
			r.targets.blocks = append(r.targets.blocks, uint64(head)-back)
		}
		r.targets.hashes = append(r.targets.hashes, txs[:min(len(txs), maxTargets-len(r.targets.hashes))]...)
	}
	if len(r.targets.hashes) == 0 {
		return fmt.Errorf("the newest %d blocks have no transactions to read: put some on the network first", maxTargets)
	}
	known := make(map[common.Address]bool)
	for i := 0; i < len(r.targets.hashes); i += max(1, len(r.targets.hashes)/64) {
		var tx *struct{ From common.Address }
		if err := r.clients[0].CallContext(ctx, &tx, "eth_getTransactionByHash", r.targets.hashes[i]); err != nil {
			return fmt.Errorf("ask for transaction %v: %w", r.targets.hashes[i], err)
		}
		if tx != nil && !known[tx.From] {
			known[tx.From] = true
			r.targets.accounts = append(r.targets.accounts, tx.From)
		}
	}
	if len(r.targets.accounts) == 0 {
		return errors.New("the node does not know the transactions of its newest blocks: let it index them first")
	}
	return nil
}

// run sends read i at begun + i/rate. The time of a read counts from there, also when all workers are busy then:
// otherwise a node that stops for a second would be asked less, and delay one read of each worker only.
func (r *reader) run(ctx context.Context, begun time.Time) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(r.workers, len(r.reads)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(r.reads); i = int(next.Add(1)) - 1 {
				due := begun.Add(time.Duration(float64(i) / r.rate * float64(time.Second)))
				timer := time.NewTimer(time.Until(due))
				select {
				case <-timer.C:
				case <-ctx.Done():
					timer.Stop()
					return
				}
				r.one(ctx, i, due)
			}
		})
	}
	group.Wait()
}

// one sends read i. Methods alternate, and endpoints with every round of methods.
func (r *reader) one(ctx context.Context, i int, due time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dial.Timeout)
	defer cancel()
	method := readMethods[i%len(readMethods)]
	// The same reads in each run, and neighbors ask for things far apart.
	args := method.params(&r.targets, func(n int) int { return i / len(readMethods) * 7919 % n })
	own := &r.reads[i]
	own.asked, own.sent = true, time.Since(due)
	var answer json.RawMessage
	err := r.clients[r.endpoint(i)].CallContext(ctx, &answer, method.name, args...)
	own.done = time.Since(due)
	if err == nil && string(answer) == "null" {
		err = fmt.Errorf("%s answered null", method.name)
	}
	if err != nil {
		own.failed = true
		r.errors.add(err)
	}
}

// endpoint returns the index of the endpoint of read i.
func (r *reader) endpoint(i int) int { return i / len(readMethods) % len(r.clients) }

// conclude reports the reads that were sent.
func (r *reader) conclude() *Reads {
	rep := &Reads{Rate: r.rate, Errors: r.errors.byText()}
	type row struct{ method, transport string }
	var all, late []float64
	times, rows := make(map[row][]float64), make(map[row]*ReadsOf)
	for i, own := range r.reads {
		if !own.asked {
			continue
		}
		at := row{readMethods[i%len(readMethods)].name, r.schemes[r.endpoint(i)]}
		if rows[at] == nil {
			rows[at] = &ReadsOf{Method: at.method, Transport: at.transport}
		}
		rows[at].Count++
		rep.Count++
		if own.failed {
			rows[at].Failed++
			rep.Failed++
		}
		all, late = append(all, own.done.Seconds()), append(late, own.sent.Seconds())
		times[at] = append(times[at], own.done.Seconds())
	}
	rep.Time, rep.Late = quantiles(all), quantiles(late)
	transports := slices.Compact(slices.Sorted(slices.Values(r.schemes)))
	for _, transport := range transports {
		for _, method := range readMethods {
			if own := rows[row{method.name, transport}]; own != nil {
				own.Time = quantiles(times[row{method.name, transport}])
				rep.Methods = append(rep.Methods, *own)
			}
		}
	}
	return rep
}
