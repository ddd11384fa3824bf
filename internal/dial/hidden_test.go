// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dial

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"gwon/internal/expect"
)

// secrets are the parts of an endpoint that no text may have.
var secrets = []string{"carol", "hunter22", "PATHKEY", "QUERYKEY"}

// withSecrets returns the URL of a server with a user, a password, and keys in path and query.
func withSecrets(at string) string {
	return strings.Replace(at, "://", "://carol:hunter22@", 1) + "/v2/PATHKEY?apikey=QUERYKEY"
}

func checkHidden(t *testing.T, text string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s is shown: %s", secret, text)
		}
	}
}

// Scheme and host of an endpoint are what texts name, and the path of a socket.
func TestShown(t *testing.T) {
	for given, want := range map[string]string{
		"http://carol:hunter22@127.0.0.1:1/v2/PATHKEY?apikey=QUERYKEY#x": "http://127.0.0.1:1",
		"wss://node.example/ws/PATHKEY":                                  "wss://node.example",
		"https://carol:%zz@node.example/PATHKEY":                         "https://...",
		"/data/gwon.ipc":                                                 "/data/gwon.ipc",
		"./gwon@home/gwon.ipc":                                           "./gwon@home/gwon.ipc",
		"~/gwon@home/gwon.ipc":                                           "~/gwon@home/gwon.ipc",
		`\\.\pipe\a@b/gwon`:                                              `\\.\pipe\a@b/gwon`,
		"127.0.0.1:8545":                                                 "127.0.0.1:8545",
		"":                                                               "",

		"carol:hunter22@node.example:8545/v2/PATHKEY": "node.example:8545",
		"carol:hunter@22@node.example":                "node.example",
		"carol:hunter/22@node.example/PATHKEY":        "...",
		"node.example/PATH@KEY":                       "...",
		"node.example?apikey=QUERYKEY":                "node.example",
		"node.example#PATHKEY":                        "node.example",
		"http:carol:hunter22@node.example/PATHKEY":    "node.example",
		"data/gwon.ipc":                               "data/gwon.ipc",
	} {
		expect.Equal(t, Shown(given), want, "%s is shown as", given)
	}
}

// A node is asked with all of its URL. Whatever it does, no error names more than scheme and host.
func TestErrorsHideTheEndpoint(t *testing.T) {
	var answer atomic.Value // of http.HandlerFunc: the server may read the one of a row before
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "carol" || password != "hunter22" || r.URL.Path != "/v2/PATHKEY" || r.URL.RawQuery != "apikey=QUERYKEY" {
			t.Errorf("asked as %s:%s at %v", user, password, r.URL)
		}
		answer.Load().(http.HandlerFunc)(w, r)
	}))
	t.Cleanup(server.Close)
	dead := httptest.NewServer(nil)
	dead.Close()
	for _, test := range []struct {
		name, at, want string
		answer         http.HandlerFunc
	}{
		{"an answer", server.URL, "", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":[]}`)
		}},
		{"the path is unknown", server.URL, "404", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "Cannot POST "+r.URL.String(), http.StatusNotFound)
		}},
		{"another path of the host", server.URL, "redirects to " + server.URL + ",",
			http.RedirectHandler("/v3/PATHKEY?apikey=QUERYKEY", http.StatusPermanentRedirect).ServeHTTP},
		{"another host", server.URL, "redirects to https://node.example,", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://carol:hunter22@node.example/PATHKEY", http.StatusTemporaryRedirect)
		}},
		{"the connection breaks", server.URL, "EOF", func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}},
		{"no node", dead.URL, "refused", nil},
		{"a WebSocket", strings.Replace(dead.URL, "http", "ws", 1), "refused", nil},
		{"a name without address", "http://node.invalid", "", nil},
		{"a port that is none", "http://127.0.0.1:x", "cannot be read", nil},
		{"no scheme", "carol:hunter22@node.example", "begin it with http://", nil},
		{"no scheme, a user alone", "carol@node.example", "begin it with http://", nil},
		{"no scheme, a host alone", "node.example", "begin it with http://", nil},
		{"no scheme of a node", "gopher://node.example", "no known transport", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer.Store(test.answer)
			client, err := Open(t.Context(), withSecrets(test.at), Options{})
			texts := []string{fmt.Sprint(err)}
			if err == nil {
				defer client.Close()
				for _, ask := range []func() error{
					func() error {
						return client.CallContext(t.Context(), new(json.RawMessage), "eth_getBlockReceipts", "0x1")
					},
					func() error { _, err := client.Receipts(t.Context(), 1, 0, nil); return err },
				} {
					texts = append(texts, fmt.Sprint(ask()))
				}
			}
			all := strings.Join(texts, "\n")
			checkHidden(t, all)
			if test.name == "an answer" && all != "<nil>\n<nil>\n<nil>" || !strings.Contains(all, test.want) {
				t.Errorf("%s, want %q", all, test.want)
			}
		})
	}
}

// The cause of an error is what is left of one with a URL.
func TestBare(t *testing.T) {
	err := fmt.Errorf("get: %w", &url.Error{Op: "Get", URL: withSecrets("http://127.0.0.1"), Err: io.EOF})
	if got := Bare(err); got != io.EOF { //nolint:errorlint // no wrapper may be left
		t.Errorf("%v", got)
	}
	if got := Bare(io.EOF); got != io.EOF { //nolint:errorlint // the same
		t.Errorf("%v", got)
	}
}
