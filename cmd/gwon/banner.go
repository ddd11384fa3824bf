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

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/eth"
	"gwon/params"
)

// networkName names a network by its genesis block: a chain ID may belong to several.
func networkName(genesis common.Hash) string {
	for _, n := range params.Networks() {
		if n.GenesisHash == genesis {
			return "WKRC " + n.Name
		}
	}
	return "private"
}

// announce tells what has been started: the network, who seals it, and where this node can be reached for what.
func announce(stack *node.Node, service *eth.Service) {
	chain := service.Chain()
	genesis, head := chain.Genesis().Hash(), chain.CurrentBlock().Number.Uint64()
	log.Info("This is gwon", "version", fullVersion(), "network", networkName(genesis), "chainid", chain.Config().ChainID,
		"genesis", genesis, "head", head)
	if set, err := service.ValidatorsAt(head + 1); err == nil {
		log.Info("Validators", "number", set.Len(), "quorum", set.Quorum(), "own address", service.NodeAddress(),
			"among them", set.Contains(service.NodeAddress()))
	}
	cfg := stack.Config()
	endpoint := func(kind, url string, modules []string) {
		log.Info("Endpoint", "kind", kind, "url", url, "namespaces", strings.Join(modules, ","))
	}
	if path := stack.IPCEndpoint(); path != "" {
		endpoint("IPC", path, []string{"all"})
	}
	if cfg.HTTPHost != "" {
		endpoint("HTTP", stack.HTTPEndpoint(), cfg.HTTPModules)
	}
	if cfg.WSHost != "" {
		endpoint("WebSocket", stack.WSEndpoint(), cfg.WSModules)
	}
}

// greet opens a console session: which node, which network, what can be asked of it.
func greet(w io.Writer, client *gethrpc.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var (
		version string
		head    hexutil.Uint64
		chainID hexutil.Big
		modules map[string]string
		genesis struct {
			Hash common.Hash `json:"hash"`
		}
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
	fmt.Fprintf(w, "Node:       %s\nNetwork:    %s, chain ID %v\nBlock:      %d\nNamespaces: %s\n\n", version, networkName(genesis.Hash),
		chainID.ToInt(), uint64(head), strings.Join(slices.Sorted(maps.Keys(modules)), " "))
	fmt.Fprint(w, "Try eth.blockNumber or istanbul.getValidators(). Leave with Ctrl-D or exit.\n")
}
