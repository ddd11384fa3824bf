// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/docs/reference"
)

type described struct{}

// An endpoint describes what it serves, and nothing else.
func TestDescriber(t *testing.T) {
	answer, err := Describer(reference.OpenRPC)(context.Background(), []gethrpc.Method{
		{Name: "eth_chainId", Receiver: described{}}, {Name: "eth_notDescribed", Receiver: described{}},
		{Name: gethrpc.DiscoverMethod, Receiver: described{}},
	}, map[string][]string{"eth": {"newHeads"}})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	_, names, err := indexDocument(encoded)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"eth_chainId", gethrpc.DiscoverMethod, "eth_subscribe", "eth_unsubscribe"}
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if _, err := Describer([]byte("{"))(context.Background(), nil, nil); err == nil {
		t.Error("a damaged document is no error")
	}
}
