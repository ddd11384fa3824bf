// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/eth"
	"gwon/internal/release"
	"gwon/params"
)

// NetworkName names a network by its genesis block: a chain ID may belong to several.
func NetworkName(genesis common.Hash) string {
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
	log.Info("This is gwon", "version", release.Version(), "network", NetworkName(genesis), "chainid",
		chain.Config().ChainID,
		"genesis", genesis, "configuration", service.Configuration.Hash().Hex(), "head", head)
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
