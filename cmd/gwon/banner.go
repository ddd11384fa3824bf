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
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/cmd/internal/program"
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
	log.Info("This is gwon", "version", program.Version(), "network", networkName(genesis), "chainid",
		chain.Config().ChainID,
		"genesis", genesis, "head", head)
	if set, err := service.ValidatorsAt(head + 1); err == nil {
		log.Info("Validators", "number", set.Len(), "quorum", set.Quorum(), "own address", service.NodeAddress(),
			"among them", set.Contains(service.NodeAddress()))
	}
	announceContracts(chain)
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

// announceContracts tells which system contracts govern the head, and at every start which of them have no code: calls
// of these do nothing, far from the cause.
func announceContracts(chain *gethcore.BlockChain) {
	head := chain.CurrentBlock()
	statedb, err := chain.StateAt(head.Root, head.Number, head.Time)
	if err != nil {
		log.Warn("System contracts could not be looked at", "block", head.Number, "err", err)
		return
	}
	facts, codeless := contractFacts(chain.Config().SystemContractsAt(head.Number.Uint64()), statedb.GetCodeSize)
	log.Info("System contracts", facts...)
	if len(codeless) > 0 {
		log.Warn("System contracts have their storage but no code", "contracts", strings.Join(codeless, ", "),
			"remedy", "gwon contracts import, then gwon init in a new data directory, on every node")
	}
}

// contractFacts names each contract with its version and, where it has none, the missing code.
func contractFacts(
	inForce gethparams.SystemContracts, codeSize func(common.Address) int,
) (facts []any, codeless []string) {
	for _, c := range []struct {
		name     string
		contract *gethparams.SystemContract
	}{
		{"govValidator", inForce.GovValidator}, {"nativeCoinAdapter", inForce.NativeCoinAdapter},
		{"govMasterMinter", inForce.GovMasterMinter}, {"govMinter", inForce.GovMinter}, {"govCouncil", inForce.GovCouncil},
	} {
		if c.contract == nil {
			continue
		}
		fact := c.contract.Version
		if codeSize(c.contract.Address) == 0 {
			fact += ", no code"
			codeless = append(codeless, c.name+" "+c.contract.Version)
		}
		facts = append(facts, c.name, fact)
	}
	return facts, codeless
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
	fmt.Fprintf(w, "Node:       %s\nNetwork:    %s, chain ID %v\nBlock:      %d\nNamespaces: %s\n\n", version,
		networkName(genesis.Hash),
		chainID.ToInt(), uint64(head), strings.Join(slices.Sorted(maps.Keys(modules)), " "))
	fmt.Fprint(w, "Try eth.blockNumber or istanbul.getValidators(). Leave with Ctrl-D or exit.\n")
}
