// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
)

// A range that ends before it begins is refused with both bounds, as numbers or as the blocks of tags. Other ranges
// are accepted. spec: rpc 2.6
func TestReversedLogRanges(t *testing.T) {
	n, client := startNode(t, Options{})
	n.extend(t, []*types.Transaction{}, nil, nil)
	const numbers = "-32602 invalid block range params: fromBlock 3 is above toBlock 1"
	for _, c := range []struct{ query, want string }{
		{`{"fromBlock":"0x3","toBlock":"0x1"}`, numbers},
		{`{"fromBlock":"latest","toBlock":"0x1"}`,
			"-32602 invalid block range params: fromBlock is block 3 and above toBlock, which is block 1"},
		{`{"fromBlock":"0x2","toBlock":"earliest"}`,
			"-32602 invalid block range params: fromBlock is block 2 and above toBlock, which is block 0"},
		{`{"fromBlock":"0xffffffffff","toBlock":"0x1"}`,
			"-32602 invalid block range params: fromBlock 1099511627775 is above toBlock 1"},
		{`{"fromBlock":"0x1","toBlock":"0x3"}`, "[]"},
		{`{"fromBlock":"0x3","toBlock":"0x3"}`, "[]"},
		{`{"fromBlock":"latest","toBlock":"0x3"}`, "[]"},
		{`{"fromBlock":"0x1","toBlock":"latest"}`, "[]"},
		{`{"fromBlock":"0x1"}`, "[]"},
		{`{}`, "[]"},
	} {
		if got := ask(t, client, "eth_getLogs", "["+c.query+"]"); got != c.want {
			t.Errorf("eth_getLogs %s: %s, want %s", c.query, got, c.want)
		}
	}
	reversed := `{"fromBlock":"0x3","toBlock":"0x1"}`
	if got := ask(t, client, "eth_newFilter", "["+reversed+"]"); got != numbers {
		t.Errorf("eth_newFilter: %s, want %s", got, numbers)
	}
	if got := ask(t, client, "eth_subscribe", `["logs",`+reversed+"]"); got != numbers {
		t.Errorf("eth_subscribe: %s, want %s", got, numbers)
	}
	id := ask(t, client, "eth_newFilter", `[{"fromBlock":"0x1","toBlock":"0x3"}]`)
	if !strings.HasPrefix(id, `"0x`) {
		t.Fatalf("eth_newFilter: %s", id)
	}
	if got := ask(t, client, "eth_getFilterLogs", "["+id+"]"); got != "[]" {
		t.Errorf("eth_getFilterLogs: %s", got)
	}
	if got := ask(t, client, "eth_uninstallFilter", "["+id+"]"); got != "true" {
		t.Errorf("eth_uninstallFilter: %s", got)
	}
}
