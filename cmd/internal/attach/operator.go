// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package attach

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"

	"gwon/internal/atomicfile"
	"gwon/internal/door"
	"gwon/rpc"
)

// Operator serves every namespace of the node on loopback, to those who know its token. Loopback alone would let in
// every user of the machine, and whatever they run. It implements node.Lifecycle.
type Operator struct {
	Stack  *node.Node
	Port   int // 0 picks a free one
	server *http.Server
	token  string // path of its file
}

// operatorTokenFile returns the path of the token of the operator endpoint on a port, which only the user that runs the
// node can read. Each start of a node makes a new token and its end removes it, so that what somebody else learns while
// no node has the port opens nothing.
func operatorTokenFile(cfg *node.Config, port string) string {
	return cfg.ResolvePath("operator-" + port + ".token")
}

// Start opens the endpoint.
func (e *Operator) Start() error {
	handler, err := e.Stack.RPCHandler()
	if err != nil {
		return fmt.Errorf("open operator endpoint: %w", err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(e.Port))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("open operator endpoint on %s: %w", address, err)
	}
	token := rand.Text()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err == nil {
		e.token = operatorTokenFile(e.Stack.Config(), port)
		err = atomicfile.Write(e.token, []byte(token), 0o600)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the token of the operator endpoint: %w", err), listener.Close())
	}
	timeouts := e.Stack.Config().HTTPTimeouts
	e.server = door.NewServer(requireToken(token,
		node.NewHTTPHandlerStack(rpc.OperatorHandler(handler), nil, []string{"localhost"}, nil, false)))
	e.server.WriteTimeout = timeouts.WriteTimeout
	go func() {
		if err := e.server.Serve(door.ForOperator(listener)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("Operator endpoint failed", "err", err)
		}
	}()
	log.Info("Operator endpoint opened", "url", "http://"+listener.Addr().String(), "token", e.token)
	return nil
}

// Stop closes the endpoint. Calls that run get a moment to end.
func (e *Operator) Stop() error {
	err := os.Remove(e.token)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if closing := e.server.Shutdown(ctx); closing != nil {
		err = errors.Join(err, closing, e.server.Close())
	}
	if err != nil {
		return fmt.Errorf("close operator endpoint: %w", err)
	}
	return nil
}

// requireToken answers requests that do not carry the token (RFC 6750) with status 401.
func requireToken(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the operator endpoint wants the header \"Authorization: Bearer TOKEN\"; the node's log names the "+
				"file of the token when it starts", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// operatorHeader returns the header, as a flag has it, that lets a console into an operator endpoint on this machine
// whose token lies in the data directory of the configuration. It is empty for other endpoints.
func operatorHeader(cfg *node.Config, endpoint string) (string, error) {
	at, err := url.Parse(endpoint)
	if err != nil || at.Scheme != "http" || at.Hostname() != "127.0.0.1" || at.Port() == "" {
		return "", nil
	}
	path := operatorTokenFile(cfg, at.Port())
	token, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read the token of the operator endpoint: %w", err)
	}
	return "Authorization: Bearer " + string(token), nil
}
