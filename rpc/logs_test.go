// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
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
		expect.Equal(t, ask(t, client, "eth_getLogs", "["+c.query+"]"), c.want, "eth_getLogs %s", c.query)
	}
	reversed := `{"fromBlock":"0x3","toBlock":"0x1"}`
	expect.Equal(t, ask(t, client, "eth_newFilter", "["+reversed+"]"), numbers, "eth_newFilter")
	expect.Equal(t, ask(t, client, "eth_subscribe", `["logs",`+reversed+"]"), numbers, "eth_subscribe")
	id := ask(t, client, "eth_newFilter", `[{"fromBlock":"0x1","toBlock":"0x3"}]`)
	must.That(t, strings.HasPrefix(id, `"0x`), "eth_newFilter: %s", id)
	expect.Equal(t, ask(t, client, "eth_getFilterLogs", "["+id+"]"), "[]", "eth_getFilterLogs")
	expect.Equal(t, ask(t, client, "eth_uninstallFilter", "["+id+"]"), "true", "eth_uninstallFilter")
}
