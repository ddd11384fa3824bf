// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web

import (
	"compress/gzip"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/dev/inspect"
	"gwon/internal/door"
	"gwon/internal/expect"
	"gwon/internal/must"
)

func newServer(t *testing.T) *Server {
	t.Helper()
	client := rpc.DialInProc(rpc.NewServer()) // a node that offers nothing
	t.Cleanup(client.Close)
	s := must.Get(New(Options{Client: client, Book: inspect.NewBook()}))(t)
	return s
}

func ask(s *Server, method, path, host string, header map[string]string, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = host
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

var browser = map[string]string{"Accept": "text/html,application/xhtml+xml"}

func TestPages(t *testing.T) {
	s := newServer(t)
	for path, want := range map[string]int{
		"/": 200, "/validators": 200, "/pool": 200, "/block/12": 200, "/tx/0x" + strings.Repeat("1a", 32): 200,
		"/account/0x" + strings.Repeat("1a", 20): 200, "/ui/app.js": 200, "/ui/app.css": 200, "/ui/icon.svg": 200,
		"/nowhere": 404, "/block/x": 404, "/tx/0x12": 404, "/ui/index.html": 404, "/ui/../server.go": 404,
		"/api/nothing": 404,
	} {
		t.Run(path, func(t *testing.T) {
			w := ask(s, http.MethodGet, path, "127.0.0.1:8545", browser, "")
			expect.Equal(t, w.Code, want, "status")
			if !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'self'") {
				t.Errorf("policy %q", w.Header().Get("Content-Security-Policy"))
			}
			expect.That(t, want != 404 || strings.Contains(w.Body.String(), `id="app"`),
				"not in the page's frame, which says that there is no such page")
		})
	}
}

// A page may have methods of JSON-RPC at its root, for names of this machine alone. Without them a POST is refused.
func TestMethodsBesidePage(t *testing.T) {
	s := newServer(t)
	expect.Equal(t, ask(s, http.MethodPost, "/", "127.0.0.1", nil, "{}").Code, http.StatusMethodNotAllowed,
		"without methods")
	s.o.Methods = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for _, row := range []struct {
		name, method, path, host string
		want                     int
	}{
		{"root", http.MethodPost, "/", "127.0.0.1:10545", http.StatusTeapot},
		{"name of another machine", http.MethodPost, "/", "wkrc.example", http.StatusForbidden},
		{"other path", http.MethodPost, "/blocks", "127.0.0.1:10545", http.StatusMethodNotAllowed},
		{"page", http.MethodGet, "/", "127.0.0.1:10545", http.StatusOK},
	} {
		t.Run(row.name, func(t *testing.T) {
			expect.Equal(t, ask(s, row.method, row.path, row.host, browser, "{}").Code, row.want, "status")
		})
	}
}

// A program or a browser without JavaScript gets the page too, and reads there where JSON-RPC is. A health check of a
// load balancer is answered with success.
func TestRequestsOfPrograms(t *testing.T) {
	s := newServer(t)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for path, want := range map[string]int{"/": 200, "/validators": 200, "/nowhere": 404} {
			t.Run(method+path, func(t *testing.T) {
				w := ask(s, method, path, "127.0.0.1", map[string]string{"Accept": "*/*"}, "")
				if w.Code != want || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
					t.Errorf("status %d, %s", w.Code, w.Header().Get("Content-Type"))
				}
				text, noscript, _ := strings.Cut(w.Body.String(), "<noscript>")
				expect.That(t, strings.Contains(noscript, "JSON-RPC") && !strings.Contains(text+noscript, "{{"),
					"without JavaScript:\n%s", w.Body)
			})
		}
	}
}

func TestHosts(t *testing.T) {
	s := newServer(t)
	for host, allowed := range map[string]bool{
		"localhost": true, "LOCALHOST:8545": true, "127.0.0.1:8545": true, "[::1]:8545": true, "[::1]": true,
		"evil.test": false, "localhost.evil.test": false, "127.0.0.1.evil.test:8545": false, "10.0.0.1": false, "": false,
	} {
		for _, path := range []string{"/", "/api/status", "/ui/app.js"} {
			w := ask(s, http.MethodGet, path, host, browser, "")
			expect.That(t, (w.Code == http.StatusForbidden) != allowed, "%s of %q: status %d", path, host, w.Code)
		}
	}
}

func TestRequestsWithAnEffect(t *testing.T) {
	s := newServer(t)
	good := map[string]string{
		"X-Gwon-Token": s.token,
		"Content-Type": "application/json",
		"Origin":       "http://127.0.0.1:8545",
	}
	for _, test := range []struct {
		name, header, value string
		want                int
	}{
		{"of the page", "", "", http.StatusBadRequest}, // the body is no JSON
		{"without token", "X-Gwon-Token", "", http.StatusForbidden},
		{"with another token", "X-Gwon-Token", "x" + s.token[1:], http.StatusForbidden},
		{"of another page", "Origin", "http://127.0.0.1:3000", http.StatusForbidden},
		{"of a form", "Content-Type", "text/plain", http.StatusUnsupportedMediaType},
	} {
		t.Run(test.name, func(t *testing.T) {
			header := make(map[string]string)
			for k, v := range good {
				header[k] = v
			}
			if test.header != "" {
				header[test.header] = test.value
			}
			for _, path := range []string{"/api/write", "/api/read", "/api/fund"} {
				w := ask(s, http.MethodPost, path, "127.0.0.1:8545", header, "{")
				expect.That(t, w.Code == test.want, "%s: status %d, want %d: %s", path, w.Code, test.want, w.Body)
			}
		})
	}
	w := ask(s, http.MethodPost, "/api/fund", "127.0.0.1:8545", good, strings.Repeat(" ",
		door.SmallBody+1))
	expect.That(t, w.Code == http.StatusBadRequest, "a body without bound: status %d", w.Code)
}

// The page asks no other host, and is small.
func TestBundle(t *testing.T) {
	s := newServer(t)
	var size countingWriter
	for _, path := range []string{"/", "/ui/app.js", "/ui/app.css", "/ui/icon.svg"} {
		body := ask(s, http.MethodGet, path, "localhost", browser, "").Body.String()
		expect.That(t, !strings.Contains(body, tokenMark), "%s contains %s", path, tokenMark)
		for _, part := range []string{`src="http`, `href="http`, "url(http", "@import", `fetch("http`} {
			expect.That(t, !strings.Contains(body, part), "%s contains %s", path, part)
		}
		zip := must.Get(gzip.NewWriterLevel(&size, gzip.BestCompression))(t)
		must.Get(io.WriteString(zip, body))(t)
		must.Do(t, zip.Close())
	}
	most := 60 << 10
	expect.That(t, int(size) <= most, "%d bytes compressed, more than %d", size, most)
}

type countingWriter int

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}

func typeOf(t *testing.T, name string) abi.Type {
	t.Helper()
	typ := must.Get(abi.NewType(name, "", nil))(t)
	return typ
}

func TestArguments(t *testing.T) {
	address := common.HexToAddress("0x1000")
	coins := new(big.Int).Mul(big.NewInt(5), big.NewInt(1e18))
	for _, test := range []struct {
		kind, text string
		want       any // nil where the text is refused
	}{
		{"uint256", "12", big.NewInt(12)}, {"uint256", "5 WKRC", coins}, {"uint256", "0x10", big.NewInt(16)},
		{"uint256", "1,000", big.NewInt(1000)}, {"uint256", "2 gwei", big.NewInt(2e9)}, {"uint256", "-1", nil},
		{"uint256", "many", nil}, {"uint8", "255", uint8(255)}, {"uint8", "256", nil}, {"int8", "-128", int8(-128)},
		{"int8", "128", nil}, {"int256", "-5", big.NewInt(-5)}, {"bool", "yes", true}, {"bool", "maybe", nil},
		{"address", address.Hex(), address}, {"address", "0x12", nil}, {"string", " a ", " a "}, {"bytes", "0x01", []byte{1}},
		{"bytes", "01", nil}, {"bytes4", "0x01020304", [4]byte{1, 2, 3, 4}}, {"bytes4", "0x01", nil},
		{"uint32[]", `[1, "2"]`, []uint32{1, 2}}, {"uint32[]", "1", nil}, {"uint32[2]", "[1]", nil},
		{"address[2]", `["` + address.Hex() + `","` + address.Hex() + `"]`, [2]common.Address{address, address}},
	} {
		t.Run(test.kind+" "+test.text, func(t *testing.T) {
			got, err := parseText(typeOf(t, test.kind), test.text)
			if (err != nil) != (test.want == nil) || test.want != nil && !reflect.DeepEqual(got, test.want) {
				t.Errorf("%#v, %v, want %#v", got, err, test.want)
			}
		})
	}
}

// FuzzArguments encodes whatever it takes.
func FuzzArguments(f *testing.F) {
	for i, text := range []string{"1", `["1"]`, `[["1"]]`, "5 WKRC", `{"a":1}`} {
		f.Add(uint8(i), text)
	}
	kinds := []string{"uint256", "uint8[]", "int64[2][]", "bytes32", "address[]", "bool", "bytes", "string"}
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		typ := typeOf(t, kinds[int(kind)%len(kinds)])
		value, err := parseText(typ, text)
		if err != nil {
			return
		}
		expect.Error(t, expect.Err((abi.Arguments{{Type: typ}}).Pack(value)), nil,
			"%s of %q is taken and not encoded", typ, text)
	})
}

// A validator counts as down after several blocks in a row without its seal, and not while it was not in charge.
func TestDown(t *testing.T) {
	for _, test := range []struct {
		name    string
		history []int
		want    bool
	}{
		{"sealed", []int{0, 0, 0, 0, 1}, false}, {"missed five", []int{1, 0, 0, 0, 0, 0}, true}, {"missed four", []int{1, 0,
			0, 0, 0}, false},
		{"not in charge", []int{0, 0, 0, 0, -1}, false}, {"too few blocks", []int{0, 0}, false},
	} {
		t.Run(test.name, func(t *testing.T) { expect.Equal(t, isDown(test.history), test.want, "isDown") })
	}
}

// Addresses carry their checksum, so that those of different answers are equal.
func TestChecksums(t *testing.T) {
	const text = "0x026dC232BFF079A062252Fe251e774ceF35bE606"
	got, err := encode(map[string]any{"a": common.HexToAddress(text), "list": []common.Address{common.HexToAddress(text)}})
	expect.That(t, err == nil && strings.Count(string(got), text) == 2, "%s, %v", got, err)
}
