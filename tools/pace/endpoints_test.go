// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"slices"
	"testing"
)

// TestEndpoints: the endpoints stand in the line of JSON that gwon-dev devnet --json prints, among other lines.
func TestEndpoints(t *testing.T) {
	said := []byte("Starting 2 validators\n" + `{"chainId":8283,"rpc":"http://127.0.0.1:1","validators":[` +
		`{"rpc":"http://127.0.0.1:1","ws":"ws://127.0.0.1:2"},{"rpc":"http://127.0.0.1:3","ws":"ws://127.0.0.1:4"}]}` + "\n")
	for scheme, want := range map[string][]string{
		"http": {"http://127.0.0.1:1", "http://127.0.0.1:3"}, "ws": {"ws://127.0.0.1:2", "ws://127.0.0.1:4"},
	} {
		if have := endpointsIn(said, scheme); !slices.Equal(have, want) {
			t.Errorf("%s: %v, want %v", scheme, have, want)
		}
	}
	if have := endpointsIn([]byte("Starting 2 validators\n{\"cha"), "http"); have != nil {
		t.Errorf("%v of a network that starts", have)
	}
}
