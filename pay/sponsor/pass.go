// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
	"gwon/internal/door"
	"gwon/internal/txobject"
)

const (
	// The answer to any question may have megabytes, and some hundred milliseconds of the node's CPU. The sponsor's own
	// questions share that CPU.
	maxLight    = 8                // questions of callers at the node at the same time
	maxWaiting  = 64               // questions that wait for a block
	shareOf     = 16               // one address has one of this many places, and at least one
	passWait    = 10 * time.Second // for a place
	passTimeout = 5 * time.Second  // for the node's answer
	passHeld    = 30 * time.Second // for an answer that its caller does not wait for any more
	// Of those that execute code few run, and not for long: a node has as few as two workers for them.
	maxHeavy     = 2 // calls and estimates of callers
	maxFilling   = 4 // estimates of what is filled in
	maxTrying    = 4 // dry runs of what all other rules allow
	heavyTimeout = 2 * time.Second
	maxCallGas   = 1 << 24 // of a call that is executed for a caller
	maxAnswer    = 8 << 20 // bytes of an answer of the node, and of all answers of a request
)

// weight is what a question costs the node. Each weight has places of its own.
type weight int

const (
	light weight = iota
	heavy
	waiting // for a block
	filling
	trying
)

// executes reports whether questions of a weight run code.
func (w weight) executes() bool { return w == heavy || w == filling || w == trying }

// passedOn are the methods that go on to the node: what wallets need. Those that the sponsor serves are not here.
var passedOn = map[string]weight{
	"eth_blockNumber": light, "eth_chainId": light, "eth_feeHistory": light, "eth_gasPrice": light,
	"eth_maxPriorityFeePerGas": light, "eth_syncing": light, "net_version": light, "net_listening": light,
	"web3_clientVersion": light, "web3_sha3": light,
	"eth_getBalance": light, "eth_getCode": light, "eth_getStorageAt": light, "eth_getTransactionCount": light,
	"eth_getBlockByHash": light, "eth_getBlockByNumber": light, "eth_getHeaderByHash": light,
	"eth_getHeaderByNumber": light, "eth_getBlockTransactionCountByHash": light,
	"eth_getBlockTransactionCountByNumber": light, "eth_getTransactionByBlockHashAndIndex": light,
	"eth_getTransactionByBlockNumberAndIndex": light, discoverMethod: light, modulesMethod: light,
	"eth_call": heavy, "eth_createAccessList": heavy, "eth_estimateGas": heavy,
}

// lane has the places of questions of one weight. Addresses take turns.
type lane struct {
	places  *door.Queue[string]
	timeout time.Duration // for the node's answer
}

func newLane(places int, timeout time.Duration) *lane {
	return &lane{door.NewQueue[string](door.Places{
		All: places, PerOwner: max(1, places/shareOf), Waiting: maxInFlight,
	}), timeout}
}

// passing asks the node what callers want to know, over connections of its own: the sponsor's own questions never wait
// behind them. A node that counts connections one by one hands out its workers by what each has used, so that each
// question that executes code has a new one: no caller pays for another's.
type passing struct {
	light, executing           *rpc.Client
	lightClient, executeClient *http.Client
	lanes                      map[weight]*lane
}

func newPassing(ctx context.Context, endpoint string) (*passing, error) {
	p := &passing{lightClient: newHTTPClient(0), executeClient: newHTTPClient(0), lanes: map[weight]*lane{
		light: newLane(maxLight, passTimeout), waiting: newLane(maxWaiting, requestTimeout),
		heavy: newLane(maxHeavy, heavyTimeout), filling: newLane(maxFilling, heavyTimeout),
		trying: newLane(maxTrying, heavyTimeout),
	}}
	p.executeClient.Transport = oneQuestion{p.executeClient.Transport}
	for _, c := range []struct {
		http *http.Client
		rpc  **rpc.Client
	}{{p.lightClient, &p.light}, {p.executeClient, &p.executing}} {
		client, err := dial.Open(ctx, endpoint, dial.Options{Transport: c.http.Transport, Most: maxAnswer})
		if err != nil {
			return nil, fmt.Errorf("connect to the node: %w", err)
		}
		*c.rpc = client.Client
	}
	return p, nil
}

func (p *passing) close() {
	p.light.Close()
	p.executing.Close()
	p.lightClient.CloseIdleConnections()
}

// call asks the node for a client.
func (p *passing) call(ctx context.Context, w weight, client string, result any, method string, args ...any) error {
	read := reflect.ValueOf(result).Elem()
	answer := reflect.New(read.Type())
	err := p.ask(ctx, w, client, method, func(ctx context.Context, node *rpc.Client) error {
		return node.CallContext(ctx, answer.Interface(), method, args...)
	})
	if err == nil {
		read.Set(answer.Elem())
	}
	return err
}

// batch asks the node for a client, all at once with one light place. The error of one call is that of all. The results
// are set where there is none, and may be written later otherwise.
func (p *passing) batch(ctx context.Context, client string, calls ...rpc.BatchElem) error {
	return p.ask(ctx, light, client, "the state", func(ctx context.Context, node *rpc.Client) error {
		return errorOf(calls, node.BatchCallContext(ctx, calls))
	})
}

// ask has a client ask a question. It waits while its share of the places is taken, or all of them are. What the
// question writes is not read after an error: it may go on.
func (p *passing) ask(
	ctx context.Context, w weight, client, name string, question func(context.Context, *rpc.Client) error,
) error {
	lane := p.lanes[w]
	waiting, cancel := context.WithTimeout(ctx, passWait)
	defer cancel()
	end, err := lane.places.Take(waiting, door.OwnerOfClient(client)...)
	if err != nil {
		return refuseBusy()
	}
	asking, cancel := context.WithTimeout(ctx, lane.timeout)
	defer cancel()
	node := p.light
	if w.executes() {
		node = p.executing
	}
	err = withPlace(asking, w, end, func(ctx context.Context) error { return question(ctx, node) })
	if err != nil && asking.Err() != nil && ctx.Err() == nil {
		return &callError{codeLimitExceeded, fmt.Sprintf("%s takes more than %v: ask for less", name, lane.timeout), nil}
	}
	return err
}

// withPlace asks a question, reads the answer, and ends its use of a place. A node ends the execution of code when its
// client is gone, and nothing else: there the place stays taken until the answer has come. Otherwise callers that do
// not wait for their answers would have the node work on any number of them.
func withPlace(ctx context.Context, w weight, end func(), question func(context.Context) error) error {
	if w != light {
		defer end()
		return question(ctx)
	}
	done := make(chan error, 1)
	held, cancel := context.WithTimeout(context.WithoutCancel(ctx), passHeld)
	go func() {
		defer end()
		defer cancel()
		done <- question(held)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func refuseBusy() *Refusal {
	return exceeded("busy", nil, nil, "too many questions to the node at the same time: try again later")
}

// pass has the node answer a method of the list. Its errors come back as they are.
func (s *Sponsor) pass(ctx context.Context, who *caller, method string, params []json.RawMessage) (any, error) {
	var result json.RawMessage
	if err := s.passTo(ctx, who, &result, method, params); err != nil {
		return nil, err
	}
	return result, nil
}

// passTo is pass with the answer read into result. Reading takes time too, so that it is done with a place.
func (s *Sponsor) passTo(ctx context.Context, who *caller, result any, method string, params []json.RawMessage) error {
	args := make([]any, len(params))
	for i, p := range params {
		args[i] = p
	}
	w := passedOn[method] // methods that the operator has added are light
	if method == syncMethod {
		w = waiting
	}
	if w == heavy {
		if len(params) > 2 {
			return refuse("overrides", "2 arguments", len(params), "state and block overrides are not passed on")
		}
		o, err := s.readObject(params, txobject.Call)
		if err != nil {
			return err
		}
		args[0] = o.AtNoPrice(maxCallGas)
	}
	return s.passed.call(ctx, w, who.address, result, method, args...)
}

// oneQuestion ends each connection after its answer.
type oneQuestion struct{ http.RoundTripper }

func (o oneQuestion) RoundTrip(r *http.Request) (*http.Response, error) {
	once := r.Clone(r.Context())
	once.Close = true
	return o.RoundTripper.RoundTrip(once)
}
