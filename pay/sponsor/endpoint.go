// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/rs/cors"

	"gwon/internal/dial"
	"gwon/internal/door"
	"gwon/internal/follow"
	"gwon/pay/txsign"
)

const (
	maxBatch       = 50        // calls in a request, and arguments of a call
	maxInFlight    = 2048      // requests at the same time
	maxWritten     = 256 << 10 // KiB of answers that are made, or that clients have not read yet
	smallAnswers   = 32        // KiB of them that a request has from its begin
	requestTimeout = 60 * time.Second
)

// message is a JSON-RPC call.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// answer is a JSON-RPC answer.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *answerError    `json:"error,omitempty"`
}

type answerError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Server returns an HTTP server for applications. The caller listens and shuts down.
func (s *Sponsor) Server() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", serveLive)
	mux.HandleFunc("GET /readyz", s.serveReady)
	mux.HandleFunc("GET /usage", s.serveUsage)
	mux.HandleFunc("GET /{key}/usage", s.serveUsage)
	s.handleX402(mux)
	mux.HandleFunc("POST /{$}", s.serveRPC)
	mux.HandleFunc("POST /{key}", s.serveRPC)
	origins := s.config.Load().CORS
	var handler http.Handler = s.received(s.bounded(onlyJSON(mux)))
	if len(origins) > 0 {
		handler = cors.New(cors.Options{
			AllowedOrigins: origins, AllowedMethods: []string{http.MethodPost, http.MethodGet},
			AllowedHeaders: []string{"*"}, MaxAge: 600,
		}).Handler(handler)
	}
	return newServer(s.named(handler))
}

// onlyJSON refuses bodies that a web page can send to any host without being asked.
func onlyJSON(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if r.Method == http.MethodPost && (err != nil || kind != "application/json") {
			http.Error(w, "the content type is not application/json: set the header Content-Type",
				http.StatusUnsupportedMediaType)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// named refuses requests by another name than the sponsor's own, where a policy without a key listens on this machine
// alone: a web page whose name is turned to 127.0.0.1 would use it otherwise.
func (s *Sponsor) named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := s.config.Load(); c.isLocal() && c.findKey("") != nil && !c.isNamed(r.Host) {
			http.Error(w, "the host name is unknown: use localhost, or list the name in hosts", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether the sponsor listens on the loopback interface alone.
func (c *Config) isLocal() bool {
	host, _, err := net.SplitHostPort(c.Listen)
	ip, ipErr := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || ipErr == nil && ip.IsLoopback())
}

// isNamed reports whether the Host of a request is an address, localhost, or one of hosts.
func (c *Config) isNamed(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost") ||
		slices.ContainsFunc(c.Hosts, func(name string) bool { return strings.EqualFold(host, name) })
}

// MetricsServer returns an HTTP server for the operator: metrics and health.
func (s *Sponsor) MetricsServer() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", serveLive)
	mux.HandleFunc("GET /readyz", s.serveReady)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		var text bytes.Buffer
		if err := s.WriteMetrics(&text); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		reply(w, text.Bytes())
	})
	return newServer(mux)
}

func newServer(handler http.Handler) *http.Server {
	server := door.NewServer(handler)
	server.WriteTimeout = requestTimeout + dial.Timeout + 10*time.Second // the last question may outlast its request
	return server
}

// reply writes a body. A client that has gone away is no error here.
func reply(w http.ResponseWriter, body []byte) {
	if _, err := w.Write(body); err != nil {
		log.Debug("Answer not delivered", "err", err)
	}
}

// received reads bodies before requests count as served: clients that send slowly keep no others out.
func (s *Sponsor) received(next http.Handler) http.Handler {
	bodies := door.NewBodies(door.SmallBody)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		r = r.WithContext(ctx)
		owner := door.OwnerOfClient(clientAddress(r, s.config.Load()))
		_, release, err := door.ReadBody(w, r, bodies, owner, door.SmallBody, cancel)
		if err != nil {
			w.Header().Set("Connection", "close")
			http.Error(w, err.Error()+": try again later", http.StatusServiceUnavailable)
			return
		}
		defer release()
		next.ServeHTTP(w, r)
	})
}

// bounded refuses requests beyond those that are served at the same time. Some wait for a block, so that one client
// could have all of them. A place is free again before the answer is written: clients that read slowly keep none.
// Room for small answers is there before a request has an effect, so that each submission is answered.
func (s *Sponsor) bounded(next http.Handler) http.Handler {
	served := door.NewAccount(door.Bound{Own: maxInFlight / shareOf, Sum: maxInFlight})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := door.OwnerOfClient(clientAddress(r, s.config.Load()))
		answer := &heldAnswer{header: w.Header(), status: http.StatusOK, room: s.answers.Share(client, nil)}
		if !answer.take(smallAnswers) {
			http.Error(w, "too many answers are not read yet: read them first", http.StatusServiceUnavailable)
			return
		}
		defer answer.room.Release()
		place := served.Share(client, nil)
		if place.Add(1) != nil {
			http.Error(w, "too many requests at the same time: try again later", http.StatusServiceUnavailable)
			return
		}
		func() {
			defer place.Release()
			ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
			defer cancel()
			next.ServeHTTP(answer, r.WithContext(ctx))
		}()
		if more := 1 + answer.body.Len()>>10 - answer.taken; more > 0 && !answer.take(more) {
			http.Error(w, "too many answers are not read yet: read them first", http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(answer.status)
		reply(w, answer.body.Bytes())
	})
}

// heldAnswer holds an answer until the request has ended.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer

	room  *door.Share // for answers
	taken int         // KiB of it
}

// take takes KiB of the room for answers, and reports whether there were as many.
func (a *heldAnswer) take(kib int) bool {
	if a.room.Add(kib) != nil {
		return false
	}
	a.taken += kib
	return true
}

func (a *heldAnswer) Header() http.Header            { return a.header }
func (a *heldAnswer) WriteHeader(status int)         { a.status = status }
func (a *heldAnswer) Write(part []byte) (int, error) { return a.body.Write(part) }

func serveLive(w http.ResponseWriter, _ *http.Request) { reply(w, []byte("ok\n")) }

// serveReady answers with 503 and the reasons while nothing can be sponsored.
func (s *Sponsor) serveReady(w http.ResponseWriter, _ *http.Request) {
	var reasons []string
	if !s.following.Load() {
		reasons = append(reasons, "the node does not answer or is behind the books, or the books cannot be written")
	}
	if old := follow.Stale(time.Unix(int64(s.fees.Load().time), 0), s.chainID.Uint64()); old != "" {
		reasons = append(reasons, old)
	}
	if err := s.audit.ready(); err != nil {
		reasons = append(reasons, "the audit log cannot be written")
	}
	least := new(big.Int).Mul(s.fees.Load().cap(), new(big.Int).SetUint64(moveGas))
	rich := slices.ContainsFunc(s.payers.watched(), func(p *payer) bool {
		balance := s.payers.balance(p.address)
		return balance != nil && balance.Cmp(least) >= 0
	})
	if !rich {
		reasons = append(reasons, "no fee payer has coins for a transfer, "+txsign.FormatCoins(least))
	}
	if len(reasons) > 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		reply(w, []byte(strings.Join(reasons, "\n")+"\n"))
		return
	}
	reply(w, []byte("ok\n"))
}

// caller is who makes a request.
type caller struct {
	key     *Key
	address string
}

// identify returns the policy of a request's API key. The key is the path, or stands in a header.
func (s *Sponsor) identify(r *http.Request, c *Config) (*caller, *Refusal) {
	key := r.PathValue("key")
	if key == "" {
		key = r.Header.Get("X-Api-Key")
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && key == "" {
		key = bearer
	}
	address := clientAddress(r, c)
	policy := c.findKey(key)
	if policy == nil {
		refusal := refuse("key", nil, nil, "the API key is unknown: give it in the path, or in X-Api-Key")
		refusal.code = codeUnauthorized
		return &caller{address: address}, refusal
	}
	return &caller{policy, address}, nil
}

// clientAddress returns the address of a client. Behind a proxy it is the proxy's own entry, which is the last one of
// the last header: those before it can be forged.
func clientAddress(r *http.Request, c *Config) string {
	client := door.ClientOf(r, func(_ netip.Addr, hops int) bool { return c.Proxied && hops == 0 })
	if !client.IsValid() {
		return r.RemoteAddr
	}
	return client.String()
}

func (s *Sponsor) serveUsage(w http.ResponseWriter, r *http.Request) {
	c := s.config.Load()
	who, refusal := s.identify(r, c)
	if limited := s.limits.refuse(c, labelOf(who), who.address, 1); limited != nil {
		http.Error(w, limited.Text, http.StatusTooManyRequests)
		return
	}
	if refusal != nil {
		http.Error(w, refusal.Text, http.StatusUnauthorized)
		return
	}
	usage, err := s.books.Usage(who.key, time.Now())
	var body []byte
	if err == nil {
		body, err = json.Marshal(usage)
	}
	if err != nil {
		log.Error("Usage not read", "err", err)
		http.Error(w, "the books cannot be read", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	reply(w, append(body, '\n'))
}

func labelOf(who *caller) string {
	if who.key == nil {
		return "" // all unknown keys share one rate
	}
	return who.key.Label
}

func (s *Sponsor) serveRPC(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, door.SmallBody))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		text := fmt.Sprintf("request has more than %d bytes, or ended early", door.SmallBody)
		s.replyJSON(w, errorAnswer(nil, &callError{code: -32600, text: text}))
		return
	}
	calls, batch, err := parseCalls(body)
	if err != nil {
		s.replyJSON(w, errorAnswer(nil, err))
		return
	}
	c := s.config.Load()
	who, refusal := s.identify(r, c)
	if limited := s.limits.refuse(c, labelOf(who), who.address, len(calls)); limited != nil {
		refusal = limited
	}
	held, ok := w.(*heldAnswer)
	if !ok { // a route outside of bounded
		http.Error(w, "this route serves no calls", http.StatusInternalServerError)
		return
	}
	answers := make([]*answer, 0, len(calls))
	size := 0
	for _, call := range calls {
		if !call.hasValidID() {
			answers = append(answers, errorAnswer(nil, errInvalidID))
			continue
		}
		a := errorAnswer(call.ID, errLongAnswers)
		if size <= maxAnswer {
			a = s.serveCall(r.Context(), c, who, refusal, call)
			size += len(a.Result)
			switch kib := len(a.Result) >> 10; {
			case kib == 0: // an error, or a small answer as that of a submission, which was made: never refused
			case size > maxAnswer:
				a = errorAnswer(call.ID, errLongAnswers)
			case !held.take(kib):
				a = errorAnswer(call.ID, errUnreadAnswers)
			}
		}
		if len(call.ID) > 0 {
			answers = append(answers, a)
		}
	}
	switch {
	case batch && len(answers) > 0:
		s.replyJSON(w, answers)
	case !batch && len(answers) > 0:
		s.replyJSON(w, answers[0])
	default: // notifications alone
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Sponsor) replyJSON(w http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		log.Error("Answer not encoded", "err", err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	reply(w, body)
}

func parseCalls(body []byte) (calls []*message, batch bool, err error) {
	text := bytes.TrimLeft(body, " \t\r\n")
	if !bytes.HasPrefix(text, []byte("[")) {
		call := new(message)
		if err := json.Unmarshal(text, call); err != nil {
			return nil, false, &callError{code: -32700, text: "request is no JSON-RPC call: " + err.Error()}
		}
		if call.Method == "" {
			return nil, false, &callError{code: -32600, text: "request is no JSON-RPC call: method is missing"}
		}
		return []*message{call}, false, nil
	}
	calls, err = decodeList[*message](text, maxBatch)
	if err != nil && !errors.Is(err, errLongList) {
		return nil, true, &callError{code: -32700, text: "request is no batch of JSON-RPC calls: " + err.Error()}
	}
	if err != nil || len(calls) == 0 || slices.Contains(calls, nil) {
		return nil, true, &callError{code: -32600, text: fmt.Sprintf("a batch has 1 to %d calls", maxBatch)}
	}
	return calls, true, nil
}

// errInvalidID answers a call that no client can tell from others by its answer. Nodes refuse it too.
var errInvalidID = &callError{code: -32600, text: "the id of a call is a string, a number or null"}

// hasValidID reports whether the id of a call is none, or as JSON-RPC 2.0 has it.
func (m *message) hasValidID() bool { return len(m.ID) == 0 || m.ID[0] != '{' && m.ID[0] != '[' }

// errLongList means that a list has more items than it may have.
var errLongList = errors.New("the list has too many items")

// decodeList decodes a JSON array of at most most items. What stands behind them is not decoded: two bytes of JSON
// become a call of 80 bytes in memory.
func decodeList[T any](text []byte, most int) (list []T, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil {
		return nil, err
	} else if start != json.Delim('[') {
		return nil, errors.New("it is no array")
	}
	for decoder.More() {
		if len(list) == most {
			return nil, errLongList
		}
		var item T
		if err := decoder.Decode(&item); err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the array")
	}
	return list, nil
}

// errLongAnswers ends the answers of a request. Calls after it are not made.
var errLongAnswers = &callError{rpc.CodeLimit,
	fmt.Sprintf("the answers have more than %d bytes: ask for less in a request", maxAnswer), nil}

// errUnreadAnswers refuses a client whose other answers, not written yet, take its share of the memory.
var errUnreadAnswers = &callError{rpc.CodeLimit, "too many answers are under way: read them first", nil}

func (s *Sponsor) serveCall(ctx context.Context, c *Config, who *caller, refusal *Refusal, call *message) *answer {
	var result any
	var err error
	if refusal != nil {
		err = refusal
	} else {
		result, err = s.dispatch(ctx, c, who, call)
	}
	if errors.As(err, &refusal) {
		s.metrics.refused(refusal.Rule)
	}
	text, passed := result.(json.RawMessage)
	if err == nil && (!passed || len(text) == 0) {
		text, err = json.Marshal(result) // here, so that answers of every kind are counted
	}
	if err != nil {
		return errorAnswer(call.ID, err)
	}
	return &answer{Version: "2.0", ID: call.ID, Result: text}
}

// errorAnswer answers with an error. Errors of the node and of this package keep code and data. Others may tell of the
// operator's machines, and go to the log alone.
func errorAnswer(id json.RawMessage, err error) *answer {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	e := &answerError{Code: rpc.CodeInternal, Message: "the sponsor or its node cannot answer now: try again later"}
	if coded, ok := errors.AsType[rpc.Error](err); ok {
		e.Code, e.Message = coded.ErrorCode(), coded.Error()
	} else {
		log.Warn("Request failed", "err", err)
	}
	if detailed, ok := errors.AsType[rpc.DataError](err); ok {
		e.Data = detailed.ErrorData()
	}
	return &answer{Version: "2.0", ID: id, Error: e}
}
