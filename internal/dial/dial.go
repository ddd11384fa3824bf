// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

// Timeout bounds a connection attempt, and each question to a node.
const Timeout = 30 * time.Second

// MaxAnswer bounds the bytes of an answer, unless the options or the question have another bound. It is above AboutGas
// of a block of 120 million gas, for WebSocket and IPC, which have one bound for all answers.
const MaxAnswer = 256 << 20

// Options are how a node is asked. The zero value has the bounds of this package.
type Options struct {
	Transport http.RoundTripper // of HTTP; nil for the default one
	Headers   http.Header
	Most      int64 // bytes of an answer; 0 for MaxAnswer
}

// Client asks a node. No error of it names more of the endpoint than Shown.
type Client struct {
	*rpc.Client

	// Of HTTP, where lists are read while they come.
	http  *http.Client
	shown string
}

// Open connects to a node at an HTTP, WebSocket or IPC endpoint. Redirects of HTTP are refused: they lead to machines
// that the user has not named.
func Open(ctx context.Context, endpoint string, options Options) (*Client, error) {
	most := cmp.Or(options.Most, MaxAnswer)
	c := &Client{shown: Shown(endpoint)}
	target, err := parse(endpoint)
	if err != nil {
		return nil, err
	}
	if target.Scheme == "http" || target.Scheme == "https" {
		if options.Transport == nil {
			options.Transport = http.DefaultTransport
		}
		c.http = &http.Client{Transport: transport{options.Transport, target, most}}
		endpoint = c.shown
	}
	c.Client, err = rpc.DialOptions(ctx, endpoint, rpc.WithHTTPClient(c.http), rpc.WithHeaders(options.Headers),
		rpc.WithWebsocketMessageSizeLimit(most))
	if err != nil && c.shown != endpoint && !strings.Contains(endpoint, "://") { // the cause repeats all of it
		err = errNoScheme
	}
	if err != nil {
		return nil, absent(c.shown, err)
	}
	return c, nil
}

// absent says that no node answers, or that this user may not ask the one that may be there.
func absent(shown string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("a node may run at %s, and this user may not ask it: run the command as the user of the node, "+
			"with sudo -u USER: %w", shown, err)
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Net == "unix" {
		err = failed.Err // without the path of the socket
	}
	return fmt.Errorf("no node at %s: %w", shown, err)
}

var errNoScheme = errors.New("the URL has no scheme: begin it with http://, https://, ws:// or wss://, and the path " +
	"of a socket with / or ./")

// Check refuses an endpoint at which no node can be, without a connection.
func Check(endpoint string) error {
	_, err := parse(endpoint)
	return err
}

var transports = []string{"http", "https", "ws", "wss"}

func parse(endpoint string) (*url.URL, error) {
	target, err := url.Parse(endpoint)
	switch {
	case isList(endpoint):
		err = errors.New("several nodes need --proven: name one URL")
	case err != nil && strings.Contains(endpoint, "://"):
		err = errors.New("the URL cannot be read: escape other characters than letters and digits in its user, password, " +
			"path and query")
	case err != nil, target.Scheme != "" && !strings.Contains(endpoint, "://"):
		err = errNoScheme
	case target.Scheme != "" && !slices.Contains(transports, target.Scheme):
		err = fmt.Errorf("%q is no known transport: take http, https, ws or wss", target.Scheme)
	case target.Scheme != "" && target.Host == "":
		err = errors.New("the URL names no host")
	}
	if err != nil {
		return nil, fmt.Errorf("no node at %s: %w", Shown(endpoint), err)
	}
	return target, nil
}

// isList reports whether another URL stands behind a comma.
func isList(endpoint string) bool {
	return slices.ContainsFunc(strings.Split(endpoint, ",")[1:], func(part string) bool {
		scheme, _, isURL := strings.Cut(strings.TrimSpace(part), "://")
		return isURL && slices.Contains(transports, scheme)
	})
}

// CheckListen refuses an address at which nothing can listen, without listening.
func CheckListen(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("%q is no address: write host and port, as in \"127.0.0.1:9545\"", address)
	}
	return nil
}

// Node connects to a node within a bound of time.
func Node(ctx context.Context, endpoint string) (*rpc.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	client, err := Open(ctx, endpoint, Options{})
	if err != nil {
		return nil, err
	}
	return client.Client, nil
}

// Ask calls a method and stores the answer in result. The error names the method.
func Ask(ctx context.Context, client *rpc.Client, result any, method string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if err := client.CallContext(ctx, result, method, args...); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// Texts of answers for which nodes have no code of their own.
const (
	Known       = "already known" // transaction
	Used        = "nonce too low"
	Underpriced = "replacement transaction underpriced"
	Unfunded    = "insufficient funds"
	Reverted    = "execution reverted"
	Unavailable = "is not available" // state, or a block that is pending
)

// Says reports whether an error is a node's answer with one of the texts in it.
func Says(err error, texts ...string) bool { return answers(err, strings.Contains, texts) }

// Begins reports whether an error is a node's answer that begins with one of the texts, for decisions about money.
func Begins(err error, texts ...string) bool { return answers(err, strings.HasPrefix, texts) }

func answers(err error, has func(answer, text string) bool, texts []string) bool {
	answer, ok := errors.AsType[rpc.Error](err)
	return ok && slices.ContainsFunc(texts, func(text string) bool { return has(answer.Error(), text) })
}

// LacksMethod reports whether a node does not offer the method. Some say so with a code of their own.
func LacksMethod(err error) bool {
	answer, ok := errors.AsType[rpc.Error](err)
	return ok && answer.ErrorCode() == rpc.CodeNoMethod || Says(err, "does not exist")
}
