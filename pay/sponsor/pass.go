// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
	"gwon/internal/door"
	"gwon/internal/txobject"
)

const (
	// The answer to any question may have megabytes, and some hundred milliseconds of the node's CPU. The sponsor's own
	// questions share that CPU.
	maxLight   = 8  // questions of callers at the node at the same time
	maxWaiting = 64 // questions that wait for a block
	shareOf    = 16 // one address has one of this many places, and at least one
	// Of those that execute code few run, and not for long: a node has as few as two workers for them.
	maxHeavy     = 2 // calls and estimates of callers
	maxOwn       = 4 // estimates of what is filled in, and as many dry runs of what all other rules allow
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

// passedOn are the methods that go on to the node: what wallets need. Those that the sponsor serves are not here.
var passedOn = map[string]weight{
	"eth_blockNumber": light, "eth_chainId": light, "eth_feeHistory": light, "eth_gasPrice": light,
	"eth_maxPriorityFeePerGas": light, "eth_syncing": light, "net_version": light, "net_listening": light,
	"web3_clientVersion": light, "web3_sha3": light,
	"eth_getBalance": light, "eth_getCode": light, "eth_getStorageAt": light, "eth_getTransactionCount": light,
	"eth_getHeaderByHash": light, "eth_getHeaderByNumber": light, "eth_getBlockTransactionCountByHash": light,
	"eth_getBlockTransactionCountByNumber": light,
	"eth_call":                             heavy, "eth_createAccessList": heavy, "eth_estimateGas": heavy,
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

// passing asks the node what callers want to know.
type passing struct {
	node  *dial.Client
	lanes map[weight]*lane
}

func newPassing(ctx context.Context, endpoint string, transport http.RoundTripper) (*passing, error) {
	node, err := dial.Open(ctx, endpoint, dial.Options{Transport: transport, Most: maxAnswer})
	if err != nil {
		return nil, fmt.Errorf("connect to the node: %w", err)
	}
	return &passing{node, map[weight]*lane{
		light: newLane(maxLight, dial.Timeout), waiting: newLane(maxWaiting, requestTimeout),
		heavy: newLane(maxHeavy, heavyTimeout), filling: newLane(maxOwn, heavyTimeout),
		trying: newLane(maxOwn, heavyTimeout),
	}}, nil
}

// call asks the node for a client.
func (p *passing) call(ctx context.Context, w weight, client string, result any, method string, args ...any) error {
	return p.ask(ctx, w, client, method, func(ctx context.Context) error {
		return p.node.CallContext(ctx, result, method, args...)
	})
}

// batch asks the node for a client, all at once with one light place. The error of one call is that of all.
func (p *passing) batch(ctx context.Context, client string, calls ...rpc.BatchElem) error {
	return p.ask(ctx, light, client, "the state", func(ctx context.Context) error {
		return errorOf(calls, p.node.BatchCallContext(ctx, calls))
	})
}

// ask has a client ask a question. It waits while its share of the places is taken, or all of them are. A node that
// trusts the sponsor as a proxy counts the question as the client's. Dry runs decide for the sponsor, and are its own.
//
// A node ends the execution of code when its client is gone, and nothing else: there the place stays taken until the
// answer has come. Otherwise callers that do not wait would have the node work on any number of answers.
func (p *passing) ask(
	ctx context.Context, w weight, client, name string, question func(context.Context) error,
) error {
	lane := p.lanes[w]
	waiting, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	end, err := lane.places.Take(waiting, door.OwnerOfClient(client)...)
	if err != nil {
		return refuseBusy()
	}
	defer end()
	asking := ctx
	if w == light {
		asking = context.WithoutCancel(ctx)
	}
	asking, cancel = context.WithTimeout(asking, lane.timeout)
	defer cancel()
	if w != filling && w != trying {
		asking = rpc.NewContextWithHeaders(asking, http.Header{door.ForwardedHeader: {client}})
	}
	err = question(asking)
	var status rpc.HTTPError
	switch {
	case errors.As(err, &status) && status.StatusCode == http.StatusTooManyRequests:
		return refuseBusy() // by the node's own limits of a client
	case err != nil && asking.Err() != nil && ctx.Err() == nil:
		return &callError{rpc.CodeLimit, fmt.Sprintf("%s takes more than %v: ask for less", name, lane.timeout), nil}
	}
	return err
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
