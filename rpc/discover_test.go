// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"testing"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/docs/reference"
	"gwon/internal/expect"
	"gwon/internal/must"
)

type described struct{}

// An endpoint describes what it serves, and nothing else.
func TestDescriber(t *testing.T) {
	answer := must.Get(Describer(reference.OpenRPC)(context.Background(), []gethrpc.Method{
		{Name: "eth_chainId", Receiver: described{}}, {Name: "eth_notDescribed", Receiver: described{}},
		{Name: gethrpc.DiscoverMethod, Receiver: described{}},
	}, map[string][]string{"eth": {"newHeads"}}))(t)
	encoded := must.Get(json.Marshal(answer))(t)
	_, names, err := indexDocument(encoded)
	must.Do(t, err)
	want := []string{"eth_chainId", gethrpc.DiscoverMethod, "eth_subscribe", "eth_unsubscribe"}
	expect.Slice(t, names, want, "names")
	expect.Refused(t, expect.Err(Describer([]byte("{"))(context.Background(), nil, nil)), "a damaged document is no error")
}
