// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality"
	"gwon/internal/dial"
)

const (
	// MaxAnswer bounds the bytes of an answer that is not about a proven block. A transaction that fills a block of 8 MiB
	// has twice as many bytes in JSON.
	MaxAnswer = 20 << 20
	// MaxEndpoints bounds the endpoints of a reader.
	MaxEndpoints = 16

	batchSize = 50 // questions of one request

	// An endpoint that has failed rests: it is asked where no other one answers. The time doubles with each failure up to
	// maxRest. One that has answered more than maxUseless bytes which proved nothing has longRest.
	maxRest    = 5 * time.Minute
	longRest   = time.Hour
	maxUseless = finality.MaxBytes
)

var (
	// ErrUnreachable means that no endpoint has answered.
	ErrUnreachable = errors.New("no endpoint answers")
	// ErrLeft means that every endpoint has given an answer that is not proven, so that none is asked again.
	ErrLeft = errors.New("no endpoint is left")
	// ErrPruned means that a node no longer has the state of a block.
	ErrPruned = errors.New("the node no longer has the state of the block")
)

// LieError is an answer that does not prove what it says. Field is the part of the answer that is wrong.
type LieError struct {
	URL    string
	Method string
	Field  string
	Why    string
}

// Error implements error.
func (e *LieError) Error() string {
	return fmt.Sprintf("%s: the answer of %s is not proven: %s: %s", e.URL, e.Method, e.Field, e.Why)
}

// lie returns the error for a field of an answer. Endpoint and method are completed by ask.
func lie(field, format string, args ...any) error {
	return &LieError{Field: field, Why: fmt.Sprintf(format, args...)}
}

// endpoint is a node that is asked.
type endpoint struct {
	url      string // as texts show it
	client   *dial.Client
	patience time.Duration // for one question
	bad      error         // why it is not asked again; nil if it may be

	read    atomic.Int64  // bytes of answers since the last outcome
	useless int64         // bytes of answers that proved nothing, without as many that proved something
	until   time.Time     // to which it rests
	rest    time.Duration // of its last failure, 0 after a success
}

// endpoints asks the nodes of a list, one after the other until one gives a proven answer. The one that is asked first
// is the primary, the others are witnesses. One that fails or is slow is the primary no longer.
type endpoints struct {
	mu      sync.Mutex
	list    []*endpoint
	primary int           // index in list
	slow    time.Duration // after which another endpoint is asked
}

// dialAll connects to the URLs of the options. Nothing is sent.
func dialAll(ctx context.Context, options Options) (*endpoints, error) {
	// Three endpoints are asked within the 30 s of a request.
	urls, patience := options.URLs, cmp.Or(options.Patience, 10*time.Second)
	if len(urls) == 0 || len(urls) > MaxEndpoints {
		return nil, fmt.Errorf("%d endpoints are given: give 1 to %d URLs", len(urls), MaxEndpoints)
	}
	e := &endpoints{slow: 2 * time.Second}
	for _, given := range urls {
		shown := dial.Shown(given)
		if !strings.HasPrefix(given, "http://") && !strings.HasPrefix(given, "https://") {
			e.close()
			return nil, fmt.Errorf("endpoint %.200q is no URL of http or https", shown)
		}
		p := &endpoint{url: shown, patience: patience}
		var err error
		p.client, err = dial.Open(ctx, given, dial.Options{Transport: counted{&p.read}, Most: MaxAnswer})
		if err != nil {
			e.close()
			return nil, err
		}
		e.list = append(e.list, p)
	}
	return e, nil
}

func (e *endpoints) close() {
	for _, p := range e.list {
		p.client.Close()
	}
}

// counted is a transport that counts the bytes of answers.
type counted struct{ read *atomic.Int64 }

// RoundTrip implements http.RoundTripper.
func (c counted) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		response.Body = &countedBody{response.Body, c.read}
	}
	return response, err
}

type countedBody struct {
	io.ReadCloser
	read *atomic.Int64
}

// Read implements io.Reader.
func (b *countedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.read.Add(int64(n))
	return n, err
}

// asker has one endpoint do something, or one after the other until one has done it.
type asker interface {
	ask(method string, do func(*endpoint) error) error
}

func (p *endpoint) ask(_ string, do func(*endpoint) error) error { return do(p) }

// ask has one endpoint after the other do something, until one has done it. An endpoint that lies is not asked again.
func (e *endpoints) ask(method string, do func(*endpoint) error) error {
	var failed []error
	for _, p := range e.inOrder() {
		if err := e.badOf(p); err != nil {
			failed = append(failed, err)
			continue
		}
		begun := time.Now()
		err := do(p)
		if err == nil {
			e.proved(p)
			if time.Since(begun) > e.slow {
				e.demote(p)
			}
			return nil
		}
		switch {
		case final(err):
			return err
		case errors.Is(err, errNothing):
			failed = append(failed, err)
		default:
			failed = append(failed, e.leave(p, method, err))
		}
	}
	all := errors.Join(failed...)
	if errors.As(all, new(*LieError)) || errors.Is(all, ErrPruned) || errors.Is(all, ErrNoBlock) || refused(all) {
		return all
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, all)
}

// inOrder returns the endpoints, the one that is asked first at the front and those that rest at the end.
func (e *endpoints) inOrder() []*endpoint {
	e.mu.Lock()
	list := slices.Concat(e.list[e.primary:], e.list[:e.primary])
	e.mu.Unlock()
	slices.SortStableFunc(list, func(a, b *endpoint) int {
		switch ra, rb := e.resting(a), e.resting(b); {
		case ra == rb:
			return 0
		case ra:
			return 1
		}
		return -1
	})
	return list
}

func (e *endpoints) badOf(p *endpoint) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return p.bad
}

// resting reports whether an endpoint has failed a short time ago.
func (e *endpoints) resting(p *endpoint) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return time.Now().Before(p.until)
}

// awake returns the endpoints that do not rest, or those that rest where all do, and the errors of those that lied.
func (e *endpoints) awake() (awake []*endpoint, bad []error) {
	var resting []*endpoint
	for _, p := range e.inOrder() {
		switch err := e.badOf(p); {
		case err != nil:
			bad = append(bad, err)
		case e.resting(p):
			resting = append(resting, p)
		default:
			awake = append(awake, p)
		}
	}
	if len(awake) == 0 {
		awake = resting
	}
	return awake, bad
}

// proved ends the rest of an endpoint whose answer has proven something.
func (e *endpoints) proved(p *endpoint) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p.useless = max(0, p.useless-p.read.Swap(0))
	p.rest, p.until = 0, time.Time{}
}

// failed has an endpoint rest. It is named when that begins to be for long.
func (e *endpoints) failed(p *endpoint, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := p.rest
	p.useless += p.read.Swap(0)
	p.rest = min(max(15*time.Second, 2*p.rest), maxRest)
	if p.useless > maxUseless {
		p.rest, p.useless = longRest, 0
		err = fmt.Errorf("more than %d bytes of answers proved nothing: %w", int64(maxUseless), err)
	}
	p.until = time.Now().Add(p.rest)
	if p.rest >= maxRest && p.rest > before { // once: where all rest, they are asked as if none did
		log.Warn("Endpoint rests", "url", p.url, "atMost", p.rest, "err", err)
	}
}

// leave makes the next witness the primary in the place of p, which is bad if it lied and never asked again. It returns
// the error with the name of the endpoint.
func (e *endpoints) leave(p *endpoint, method string, err error) error {
	e.demote(p)
	var wrong *LieError
	if !errors.As(err, &wrong) {
		if errors.Is(err, errUnshown) || !refused(err) && !errors.Is(err, ErrNoBlock) {
			e.failed(p, err)
		}
		return fmt.Errorf("%s: %s: %w", p.url, method, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	wrong.URL, wrong.Method, p.bad = p.url, method, err
	log.Error("Endpoint left: its answer is not proven", "url", p.url, "method", method, "err", err)
	return err
}

// demote makes the next witness the primary in the place of p.
func (e *endpoints) demote(p *endpoint) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.list[e.primary] == p {
		e.primary = (e.primary + 1) % len(e.list)
	}
}

// final reports whether another endpoint would not help.
func final(err error) bool {
	return slices.ContainsFunc([]error{ErrConflict, ErrOld, ErrFull, finality.ErrOlder, context.Canceled},
		func(reason error) bool { return errors.Is(err, reason) })
}

// refused reports whether an error is the answer of a node.
func refused(err error) bool {
	return errors.As(err, new(rpc.Error))
}

// call asks one question. The answer is raw.
func (p *endpoint) call(ctx context.Context, method string, args ...any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	var raw json.RawMessage
	if err := p.client.CallContext(ctx, &raw, method, args...); err != nil {
		return nil, pruned(err)
	}
	return raw, nil
}

// calls asks questions of one method in batches, which are halved where an answer is too large. Each answer is raw.
func (p *endpoint) calls(ctx context.Context, method string, args [][]any) ([]json.RawMessage, error) {
	answers := make([]json.RawMessage, len(args))
	for from, size := 0, batchSize; from < len(args); {
		to := min(from+size, len(args))
		batch := make([]rpc.BatchElem, to-from)
		for i := range batch {
			batch[i] = rpc.BatchElem{Method: method, Args: args[from+i], Result: &answers[from+i]}
		}
		switch err := p.batch(ctx, batch); {
		case errors.Is(err, dial.ErrLarge) && size > 1:
			size /= 2
		case err != nil:
			return nil, err
		default:
			from = to
		}
	}
	return answers, nil
}

func (p *endpoint) batch(ctx context.Context, batch []rpc.BatchElem) error {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	if err := p.client.BatchCallContext(ctx, batch); err != nil {
		return err
	}
	for _, b := range batch {
		if b.Error != nil {
			return pruned(b.Error)
		}
	}
	return nil
}

// pruned marks the errors with which nodes say that they no longer have a state.
func pruned(err error) error {
	if !dial.LacksMethod(err) && dial.Says(err, "missing trie node", dial.Unavailable, "state not available") {
		return fmt.Errorf("%w (%w)", ErrPruned, err)
	}
	return err
}

// decode reads an answer. What has another form is a lie about the field.
func decode(raw json.RawMessage, into any, field string) error {
	if len(raw) == 0 || string(raw) == "null" {
		return lie(field, "there is none")
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return lie(field, "it cannot be read: %v", err)
	}
	return nil
}
