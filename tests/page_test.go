// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/dev/devnet"
)

// A browser gets the page of a node that gwon devnet made, and JSON-RPC at the same address stays as it is. Without
// the mark of gwon devnet, and with one of another network, there is no page.
func TestPage(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 1)
	c.start(t, 0)
	c.awaitHead(t, 1, 0)
	browse := func() string {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.node(0).HTTP(), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", "text/html")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err = closed(answer.Body, err); err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if page := browse(); !strings.Contains(page, "/ui/app.js") {
		t.Errorf("no page: %q", page)
	}
	if _, err := c.node(0).BlockNumber(t.Context()); err != nil {
		t.Errorf("JSON-RPC beside the page: %v", err)
	}
	mark := filepath.Join(c.node(0).Dir, "gwon", devnet.MarkFile)
	for _, test := range []struct {
		name   string
		change func() error
	}{
		{"no mark", func() error { return os.Remove(mark) }},
		{"mark of another network", func() error {
			foreign := `{"node":"node1","names":["node1"],"accounts":1,"signatures":["0x` + strings.Repeat("01", 65) + `"]}`
			return os.WriteFile(mark, []byte(foreign), 0o600)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.stop(t, 0)
			if err := test.change(); err != nil {
				t.Fatal(err)
			}
			c.start(t, 0)
			c.awaitHead(t, 1, 0)
			if page := browse(); page != "" {
				t.Errorf("a page: %q", page)
			}
		})
	}
}

func closed(body io.Closer, err error) error {
	if closing := body.Close(); err == nil {
		err = closing
	}
	return err
}
