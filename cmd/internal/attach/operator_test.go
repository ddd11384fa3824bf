// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package attach

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/node"

	"gwon/cmd/internal/program"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Only the exact token opens the endpoint.
func TestRequireToken(t *testing.T) {
	handler := requireToken("SECRET",
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	for header, want := range map[string]int{
		"Bearer SECRET":  http.StatusOK,
		"":               http.StatusUnauthorized,
		"SECRET":         http.StatusUnauthorized,
		"Bearer ":        http.StatusUnauthorized,
		"Bearer SECRE":   http.StatusUnauthorized,
		"Bearer SECRETS": http.StatusUnauthorized,
		"Bearer secret":  http.StatusUnauthorized,
		"Basic SECRET":   http.StatusUnauthorized,
	} {
		request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
		if header != "" {
			request.Header.Set("Authorization", header)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		expect.Equal(t, answer.Code, want, "%q: status", header)
		expect.That(t, want != http.StatusUnauthorized || answer.Header().Get("WWW-Authenticate") == "Bearer",
			"%q: the answer does not say what is wanted (RFC 6750 section 3)", header)
	}
}

// A new token is made at each start, for the user alone, and is gone at the end.
func TestOperatorToken(t *testing.T) {
	cfg := &node.Config{Name: program.Name, DataDir: t.TempDir()}
	stack := must.Get(node.New(cfg))(t)
	defer stack.Close() //nolint:errcheck // the test ends
	seen := make(map[string]bool)
	for range 2 {
		e := &Operator{Stack: stack}
		must.Do(t, e.Start())
		info, err := os.Stat(e.token)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("token file: %v, %v", info, err)
		}
		port, _ := strings.CutPrefix(strings.TrimSuffix(filepath.Base(e.token), ".token"), "operator-")
		header, err := operatorHeader(stack.Config(), "http://127.0.0.1:"+port)
		expect.That(t, err == nil && len(header) >= len("Authorization: Bearer ")+20 && !seen[header],
			"header %q, %v", header, err)
		seen[header] = true
		for _, other := range []string{
			"http://127.0.0.1:1", "http://example.org:" + port, "https://127.0.0.1:" + port, "http://127.0.0.1", "/tmp/gwon.ipc",
			"",
		} {
			expect.Equal(t, must.Get(operatorHeader(stack.Config(), other))(t), "", "%s would get", other)
		}
		expect.Error(t, e.Stop(), nil, "e.Stop")
		expect.Error(t, expect.Err(os.Stat(e.token)), os.ErrNotExist, "the token is left behind")
	}
}
