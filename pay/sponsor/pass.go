// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/turns"
	"gwon/internal/txobject"
)

const (
	maxLight    = 64               // questions of callers at the node at the same time
	shareOf     = 16               // one address has one of this many places, and at least one
	passWait    = 10 * time.Second // for a place
	passTimeout = 5 * time.Second  // for the node's answer
	// Of those that execute code few run, and not for long: nodes have as few as one worker for those of one client,
	// and the sponsor's own questions wait behind them for maxHeavy times heavyTimeout at most.
	maxHeavy     = 2
	heavyTimeout = 2 * time.Second
	maxCallGas   = 1 << 24 // of a call that is executed for a caller
	maxAnswer    = 8 << 20 // bytes of an answer of the node, and of all answers of a request
)

// weight is what a question costs the node.
type weight int

const (
	light weight = iota
	heavy
	waiting // for a block
)

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

// lane has the places of questions of one weight: some for all callers, and a share of them for each.
type lane struct {
	all     *turns.Turns[struct{}]
	shares  *turns.Turns[string]
	timeout time.Duration // for the node's answer
}

func newLane(places int, timeout time.Duration) *lane {
	return &lane{turns.New[struct{}](places), turns.New[string](max(1, places/shareOf)), timeout}
}

// passing asks the node what callers want to know, over connections of its own: the sponsor's own questions never wait
// behind them.
type passing struct {
	client *rpc.Client
	http   *http.Client
	lanes  map[weight]*lane
}

func newPassing(ctx context.Context, endpoint string) (*passing, error) {
	p := &passing{http: newHTTPClient(0), lanes: map[weight]*lane{
		light: newLane(maxLight, passTimeout), heavy: newLane(maxHeavy, heavyTimeout),
		waiting: newLane(maxLight, requestTimeout),
	}}
	p.http.Transport = boundedAnswers{p.http.Transport}
	var err error
	if p.client, err = rpc.DialOptions(ctx, endpoint, rpc.WithHTTPClient(p.http)); err != nil {
		return nil, fmt.Errorf("connect to the node at %s: %w", endpoint, err)
	}
	return p, nil
}

func (p *passing) close() {
	p.client.Close()
	p.http.CloseIdleConnections()
}

// call asks the node for a client. The client waits while its share of the places is taken, or all of them are.
func (p *passing) call(ctx context.Context, w weight, client string, result any, method string, args ...any) error {
	lane := p.lanes[w]
	waiting, cancel := context.WithTimeout(ctx, passWait)
	defer cancel()
	end, err := lane.shares.Take(waiting, subscriber(client))
	if err != nil {
		return refuseBusy()
	}
	defer end()
	end, err = lane.all.Take(waiting, struct{}{})
	if err != nil {
		return refuseBusy()
	}
	defer end()
	asking, cancel := context.WithTimeout(ctx, lane.timeout)
	defer cancel()
	err = p.client.CallContext(asking, result, method, args...)
	if err != nil && asking.Err() != nil && ctx.Err() == nil {
		return &callError{codeLimitExceeded, fmt.Sprintf("%s takes more than %v: ask for less", method, lane.timeout), nil}
	}
	return err
}

func refuseBusy() *Refusal {
	return &Refusal{Rule: "busy", Text: "too many questions to the node at the same time: try again later",
		code: codeLimitExceeded}
}

// pass has the node answer a method of the list. Its errors come back as they are.
func (s *Sponsor) pass(ctx context.Context, who *caller, method string, params []json.RawMessage) (any, error) {
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
			return nil, &Refusal{Rule: "overrides", Limit: "2 arguments", Have: fmt.Sprint(len(params)),
				Text: "state and block overrides are not passed on"}
		}
		o, err := s.readObject(params, txobject.Call)
		if err != nil {
			return nil, err
		}
		args[0] = o.AtNoPrice(maxCallGas)
	}
	var result json.RawMessage
	if err := s.passed.call(ctx, w, who.address, &result, method, args...); err != nil {
		return nil, err
	}
	return result, nil
}

// boundedAnswers ends answers of the node that are longer than maxAnswer.
type boundedAnswers struct{ http.RoundTripper }

func (b boundedAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = &boundedBody{response.Body, maxAnswer}
	}
	return response, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

var errLongAnswer = errors.New("the answer of the node is longer than the sponsor passes on")

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errLongAnswer
	}
	return n, err
}
