// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/cmd/internal/nodestart"
	"gwon/internal/dial"
)

// greet opens a console session: which node, which network, what can be asked of it.
func greet(w io.Writer, client *gethrpc.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var (
		version string
		head    hexutil.Uint64
		chainID hexutil.Big
		modules map[string]string
		genesis dial.Head
	)
	calls := []gethrpc.BatchElem{
		{Method: "web3_clientVersion", Result: &version},
		{Method: "eth_blockNumber", Result: &head},
		{Method: "eth_chainId", Result: &chainID},
		{Method: "rpc_modules", Result: &modules},
		{Method: "eth_getBlockByNumber", Args: []any{"0x0", false}, Result: &genesis},
	}
	fmt.Fprint(w, "gwon console\n\n")
	if err := client.BatchCallContext(ctx, calls); err != nil {
		fmt.Fprintf(w, "The node does not answer: %v\n", err)
		return
	}
	fmt.Fprintf(w, "Node:       %s\nNetwork:    %s, chain ID %v\nBlock:      %d\nNamespaces: %s\n\n", version,
		nodestart.NetworkName(genesis.Hash),
		chainID.ToInt(), uint64(head), strings.Join(slices.Sorted(maps.Keys(modules)), " "))
	fmt.Fprint(w, "Try eth.blockNumber or istanbul.getValidators(). Leave with Ctrl-D or exit.\n")
}
