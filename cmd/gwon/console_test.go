// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// A script on the command line prints its value and succeeds, or prints its error and fails: a shell has nothing else
// to go by.
func TestAttachExec(t *testing.T) {
	server := gethrpc.NewServer()
	defer server.Stop()
	web := httptest.NewServer(server)
	defer web.Close()
	for _, tt := range []struct {
		script, want string
		fails        bool
	}{
		{"1 + 1", "2", false},
		{"var x = 'it\\'s'; x + '\\n'", "it's", false},
		{"false", "false", false},
		{"undefined", "undefined", false},
		{"throw new Error('no such thing')", "no such thing", true},
		{"nothing.at.all", "ReferenceError", true},
		{"'false'.a.b", "TypeError", true},
		{"1 +", "SyntaxError", true},
	} {
		out, err := run(t, "attach", "--exec", tt.script, web.URL)
		if !strings.Contains(out, tt.want) || errors.Is(err, errScript) != tt.fails || !tt.fails && err != nil {
			t.Errorf("%s: %q, %v", tt.script, out, err)
		}
	}
}
