// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
