// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/must"
)

// A browser gets the page of a devnet beside its validators, and so does who asks for the method of its faucet. The
// validators, which are gwon, have neither.
func TestPage(t *testing.T) {
	t.Parallel()
	d := runDevnet(t, filepath.Join(workDir(t), "net"))
	browse := func(url string) string {
		t.Helper()
		request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))(t)
		request.Header.Set("Accept", "text/html")
		answer := must.Get(http.DefaultClient.Do(request))(t)
		body, err := io.ReadAll(answer.Body)
		if err = closed(answer.Body, err); err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if page := browse(d.info.Page); !strings.Contains(page, "/ui/app.js") {
		t.Errorf("no page: %q", page)
	}
	const account = `["0x00000000000000000000000000000000000000aa"]`
	if answer := post(t, d.info.Page, "gwon_fund", account); answer.Error != nil {
		t.Errorf("no coins: %+v", answer.Error)
	}
	for _, v := range d.info.Validators {
		if page := browse(v.RPC); page != "" {
			t.Errorf("%s has a page: %q", v.Name, page)
		}
		if answer := post(t, v.RPC, "gwon_fund", account); answer.Error == nil || answer.Error.Code != -32601 {
			t.Errorf("%s gives coins: %+v", v.Name, answer)
		}
	}
}

func closed(body io.Closer, err error) error {
	if closing := body.Close(); err == nil {
		err = closing
	}
	return err
}
