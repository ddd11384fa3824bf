// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/node"

	"gwon/cmd/internal/settings"
	"gwon/internal/door"
	"gwon/internal/expect"
)

func halfway() (current, last uint64) { return 20, 40 }

// While stored blocks are executed again, calls get an error that names the progress.
func TestCallsDuringReplay(t *testing.T) {
	const refused = `{"error":{"code":-32000,"message":"the node executes stored blocks again after a crash, 20 of 40: ` +
		`ask again later"},"id":7,"jsonrpc":"2.0"}`
	for _, row := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"call", `{"jsonrpc":"2.0","id":7,"method":"eth_call","params":[{}]}`, 200, refused},
		{"batch", `[{"id":"a","method":"eth_syncing"},{"jsonrpc":"2.0","id":7,"method":"x"}]`, 200,
			`[{"id":"a","jsonrpc":"2.0","result":{"currentBlock":"0x14","highestBlock":"0x28"}},` + refused + `]`},
		{"syncing", `{"id":1,"method":"eth_syncing"}`, 200,
			`{"id":1,"jsonrpc":"2.0","result":{"currentBlock":"0x14","highestBlock":"0x28"}}`},
		{"no id", `{"method":"eth_blockNumber"}`, 200, `"id":null`},
		{"largest batch", `[` + strings.Repeat(`{"id":1},`, replayingBatch-1) + `{"id":1}]`, 200, `"code":-32000`},
		{"batch beyond the bound", `[` + strings.Repeat(`{"id":1},`, replayingBatch) + `{"id":1}]`, 400, "at most 100"},
		{"body beyond the bound", `"` + strings.Repeat("x", door.SmallBody) + `"`, 503, "ask again later"},
		{"no call", `7`, 400, "want a call"},
		{"no JSON", `GET`, 503, "ask again later"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			replayingCalls(halfway).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(row.body)))
			expect.That(t, w.Code == row.status && strings.Contains(w.Body.String(), row.want),
				"status %d, want %d: %.200s, want %s", w.Code, row.status, w.Body, row.want)
		})
	}
	expect.Says(t, expect.Err((replayingProgram{halfway}).ClientVersion()), "20 of 40", "gwon status is told")
}

// Each endpoint for clients with an address of its own is open meanwhile.
func TestAddressesDuringReplay(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  node.Config
		want []string
	}{
		{"none", node.Config{HTTPPort: 1, WSPort: 2}, nil},
		{"HTTP", node.Config{HTTPHost: "127.0.0.1", HTTPPort: 1, WSPort: 2}, []string{"127.0.0.1:1"}},
		{"both", node.Config{HTTPHost: "::1", HTTPPort: 1, WSHost: "127.0.0.1", WSPort: 2},
			[]string{"[::1]:1", "127.0.0.1:2"}},
		{"shared port", node.Config{HTTPHost: "a", HTTPPort: 1, WSHost: "a", WSPort: 1}, []string{"a:1"}},
		{"any port", node.Config{HTTPHost: "a", WSHost: "a"}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &nodeStart{cfg: &settings.Config{Node: row.cfg}}
			expect.Slice(t, s.clientAddresses(), row.want, "addresses")
		})
	}
}

// FuzzCallsDuringReplay: any body is answered, and an answer of status 200 is JSON.
func FuzzCallsDuringReplay(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":7,"method":"eth_syncing"}`)
	f.Add(`[{"id":{}},null,7]`)
	f.Add(`null {`)
	handler := replayingCalls(halfway)
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body)))
		switch w.Code {
		case http.StatusOK:
			expect.That(t, json.Valid(w.Body.Bytes()), "%q", w.Body)
		case http.StatusBadRequest, http.StatusServiceUnavailable:
		default:
			t.Errorf("status %d", w.Code)
		}
	})
}
