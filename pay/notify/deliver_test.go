// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The error of a receiver that is away does not tell its URL, which /status would show.
func TestErrorTellsNoURL(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	w := &Webhook{URL: server.URL + "/hidden", secret: []byte(testSecret)}
	err := deliver(t.Context(), newDeliverer(), w, testChain, nil)
	if err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("error %v, want one without the path", err)
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// A receiver costs a delivery a bounded answer and a bounded time, and sends it to no other address.
func TestHostileReceivers(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the delivery went to another address")
	}))
	defer elsewhere.Close()
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		taken  bool
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, false},
		"endless answer": {func(w http.ResponseWriter, _ *http.Request) {
			n, err := io.Copy(w, io.LimitReader(zeros{}, 1<<30))
			if err == nil {
				t.Errorf("%d bytes of the answer were read", n)
			}
		}, true},
		"slow answer": {func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, false},
		"large header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Field", strings.Repeat("x", 20<<20))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(row.answer)
			defer server.Close()
			client := newDeliverer()
			if client.Timeout != deliveryTimeout {
				t.Fatalf("a delivery may take %v, want %v", client.Timeout, deliveryTimeout)
			}
			client.Timeout = time.Second // of a slow answer
			err := deliver(t.Context(), client, &Webhook{URL: server.URL, secret: []byte(testSecret)}, testChain, nil)
			if (err == nil) != row.taken {
				t.Errorf("error %v, want a delivery: %v", err, row.taken)
			}
		})
	}
}
