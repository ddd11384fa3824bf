// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"net"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/dev/inspect"
	"gwon/internal/door"
	"gwon/operator/governance"
)

//go:embed assets
var assets embed.FS

// Account is a well-known account of the network, which the page may sign with.
type Account struct {
	Name   string
	Key    *ecdsa.PrivateKey
	Member bool // of the governances
}

// Options describe a network to its page.
type Options struct {
	Client    *rpc.Client // of the node, with every namespace
	Book      *inspect.Book
	RPC       string // URL of JSON-RPC for wallets; "" for that of the page itself
	Network   string // "developer chain" or "devnet"
	Node      string // name of the node, "" for the only one
	Version   string // of the program
	Accounts  []Account
	Contracts string // version of the system contracts
	Period    time.Duration

	Methods http.Handler // of JSON-RPC at the root, beside the page; nil for none

	// Fund gives an account coins and returns the transaction.
	Fund func(ctx context.Context, account common.Address) (common.Hash, error)
}

// Server is the page of a development network. It implements http.Handler for GET requests below / and for requests
// below /api/.
type Server struct {
	o       Options
	inspect *inspect.Inspector
	token   string
	index   []byte
	tags    map[string]string // of the bundle's files
	api     *http.ServeMux

	blocks  blockCache
	history history
	sending sync.Mutex // one transaction of an account after the other, for its nonces

	streams chan struct{} // a place for each live connection
	ending  sync.Map      // *http.Server whose end is awaited -> chan struct{}
}

// tokenMark is replaced in the page by the token that requests with an effect need. networkMark and rpcMark stand in
// the text for readers without JavaScript.
const (
	tokenMark   = "{{token}}"
	networkMark = "{{network}}"
	rpcMark     = "{{rpc}}"
)

// New returns the page of a network.
func New(o Options) (*Server, error) {
	index, err := assets.ReadFile("assets/index.html")
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	s := &Server{
		o: o, inspect: inspect.New(o.Client, o.Book), token: rand.Text(), streams: make(chan struct{}, 32),
		api: http.NewServeMux(),
	}
	if s.tags, err = entityTags(); err != nil {
		return nil, err
	}
	s.inspect.Explain = governance.Explain
	text := strings.NewReplacer(tokenMark, s.token, networkMark, html.EscapeString(strings.TrimSpace("gwon "+o.Network)),
		rpcMark, html.EscapeString(cmp.Or(o.RPC, "this address"))).Replace(string(index))
	s.index = []byte(text)
	s.routes()
	return s, nil
}

func (s *Server) routes() {
	s.get("status", s.status)
	s.get("blocks", s.listBlocks)
	s.get("block/{number}", s.block)
	s.get("transaction/{hash}", s.transaction)
	s.get("account/{address}", s.account)
	s.get("validators", s.validators)
	s.get("contracts", s.contracts)
	s.get("contract/{address}", s.contract)
	s.get("proposals", s.proposals)
	s.get("pool", s.pool)
	s.get("search/{text}", s.search)
	s.api.HandleFunc("GET /api/live", s.live)
	s.post("read", s.read)
	s.post("write", s.write)
	s.post("fund", s.fund)
}

// problem is an error that the page shows as it is, with the HTTP status that fits.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

func badRequest(format string, args ...any) error {
	return &problem{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &problem{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

func (s *Server) get(route string, answer func(*http.Request) (any, error)) {
	s.api.HandleFunc("GET /api/"+route, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), door.RequestTime)
		defer cancel()
		result, err := answer(r.WithContext(ctx))
		reply(w, result, err)
	})
}

func (s *Server) post(route string, answer func(context.Context, []byte) (any, error)) {
	s.api.HandleFunc("POST /api/"+route, func(w http.ResponseWriter, r *http.Request) {
		if err := s.checkWrite(r); err != nil {
			reply(w, nil, err)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, door.SmallBody))
		if err != nil {
			reply(w, nil, badRequest("the request cannot be read, or is longer than %d bytes: %v", door.SmallBody, err))
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), door.RequestTime)
		defer cancel()
		result, err := answer(ctx, body)
		reply(w, result, err)
	})
}

// checkWrite refuses requests with an effect that do not come from this page.
func (s *Server) checkWrite(r *http.Request) error {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Gwon-Token")), []byte(s.token)) != 1 {
		return &problem{http.StatusForbidden, "the token of the page is missing or old: load the page again"}
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
		return &problem{http.StatusForbidden, "requests of other pages are refused"}
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return &problem{http.StatusUnsupportedMediaType, "the request has to be application/json"}
	}
	return nil
}

func decodeBody(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return badRequest("the request is not the JSON that is expected: %v", err)
	}
	return nil
}

// reply writes an answer or an error as JSON.
func reply(w http.ResponseWriter, result any, err error) {
	status := http.StatusOK
	if err != nil {
		status = http.StatusBadGateway
		var known *problem
		switch {
		case errors.As(err, &known):
			status = known.status
		case errors.Is(err, inspect.ErrUnknown):
			status = http.StatusNotFound
		case errors.Is(err, context.DeadlineExceeded):
			status = http.StatusGatewayTimeout
		}
		result = map[string]string{"error": err.Error()}
	}
	text, err := encode(result)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be encoded"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the browser is gone when it fails
}

// plainAddress is an address in JSON without its checksum.
var plainAddress = regexp.MustCompile(`"0x[0-9a-f]{40}"`)

// encode returns an answer as JSON in which every address has its checksum (EIP-55), so that the page can compare them.
func encode(answer any) ([]byte, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return plainAddress.ReplaceAllFunc(text, func(quoted []byte) []byte {
		return strconv.AppendQuote(nil, common.HexToAddress(string(quoted[1:len(quoted)-1])).Hex())
	}), nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set(
		"Content-Security-Policy",
		"default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	if !localHost(r.Host) {
		http.Error(w, "this page is for this machine: open it as http://127.0.0.1 or http://localhost", http.StatusForbidden)
		return
	}
	if s.o.Methods != nil && r.Method == http.MethodPost && r.URL.Path == "/" {
		s.o.Methods.ServeHTTP(w, r)
		return
	}
	_, route := s.api.Handler(r)
	switch {
	case route != "":
		s.api.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, "/api/") && !wantsPage(r):
		reply(w, nil, notFound("%s %s is not a request of the page, which is at /", r.Method, r.URL.Path))
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case s.hasAsset(r.URL.Path):
		s.asset(w, r)
	default:
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Cache-Control", "no-store")
		if !pagePattern.MatchString(r.URL.Path) {
			w.WriteHeader(http.StatusNotFound) // the page says so in its frame
		}
		_, _ = w.Write(s.index) // the browser is gone when it fails
	}
}

// pagePattern are the addresses of the page's views.
var pagePattern = regexp.MustCompile(`^/$|^/(validators|contracts|pool|blocks|accounts)/?$|^/block/[0-9]{1,18}$|` +
	`^/tx/0x[0-9a-fA-F]{64}$|^/(account|contract)/0x[0-9a-fA-F]{40}$`)

// wantsPage reports whether a browser asks for a page.
func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// localHost reports whether a request names this machine. A name that somebody else's server gives to 127.0.0.1 does
// not (DNS rebinding).
func localHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// contentTypes are those of the bundle. The system's own table is not asked: it differs between machines.
var contentTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// hasAsset reports whether a path is that of a file of the bundle.
func (s *Server) hasAsset(at string) bool {
	name, below := strings.CutPrefix(at, "/ui/")
	return below && s.tags[name] != "" && contentTypes[path.Ext(name)] != ""
}

// asset sends a file of the bundle, in the browser's copy if that is the same.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	file, err := assets.Open("assets/" + name)
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	defer file.Close() //nolint:errcheck // it lies in memory
	content, ok := file.(io.ReadSeeker)
	if !ok {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", s.tags[name])
	http.ServeContent(w, r, name, time.Time{}, content)
}

// entityTags returns a tag of each file of the bundle, which changes with its content.
func entityTags() (map[string]string, error) {
	files, err := assets.ReadDir("assets")
	if err != nil {
		return nil, fmt.Errorf("list the page's files: %w", err)
	}
	tags := make(map[string]string, len(files))
	for _, f := range files {
		content, err := assets.ReadFile("assets/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("read the page's files: %w", err)
		}
		sum := sha256.Sum256(content)
		tags[f.Name()] = `"` + hex.EncodeToString(sum[:8]) + `"`
	}
	return tags, nil
}
