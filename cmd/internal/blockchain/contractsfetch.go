// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
	"gwon/contracts/store"
	"gwon/core"
	"gwon/internal/dial"
	"gwon/params"
)

var codeEndpointFlag = &cli.StringFlag{
	Name: "rpc", Usage: "HTTP, WebSocket or IPC endpoint of a node of the network", Required: true,
}

var contractsFetchCommand = &cli.Command{
	Name:  "fetch",
	Usage: "Store the code that a node answers to eth_getCode",
	Description: "The node's chain ID chooses the network. Code is checked by its hash, so that the node needs no " +
		"trust. Code that an upgrade has replaced is asked for at the blocks before the upgrade, which a node without " +
		"old states cannot answer: such code comes from peers, or from a node with --gcmode archive.",
	Flags:  append([]cli.Flag{codeEndpointFlag}, contractsFlags...),
	Action: fetchContracts,
}

func fetchContracts(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return errors.New("contracts fetch takes no arguments")
	}
	_, codes, err := loadCodeStore(ctx)
	if err != nil {
		return err
	}
	endpoint := ctx.String(codeEndpointFlag.Name)
	node, err := dial.Node(ctx.Context, endpoint)
	if err != nil {
		return err
	}
	defer node.Close()
	var id hexutil.Uint64
	if err := dial.Ask(ctx.Context, node, &id, "eth_chainId"); err != nil {
		return err
	}
	network, known := params.NetworkByID(uint64(id))
	if !known {
		return fmt.Errorf("the node at %s has chain ID %d, which is no public network: "+
			"its genesis file holds the code, or names gwon's own contracts", endpoint, id)
	}
	if ctx.Bool(settings.TestnetFlag.Name) && network.ID != params.TestnetChainID ||
		ctx.Bool(settings.MainnetFlag.Name) && network.ID != params.MainnetChainID {
		return fmt.Errorf("the node at %s is on --%s: name a node of the other network", dial.Shown(endpoint), network.Name)
	}
	all, err := core.FindMissingCode(network.Config(), nil)
	if err != nil {
		return err
	}
	if err := fetchCode(ctx.Context, ctx.App.Writer, codes, node, all); err != nil {
		return err
	}
	return printMissing(ctx.App.Writer, network, codes.Source())
}

// fetchCode stores the code of all that is not stored yet and prints a line for each.
func fetchCode(
	ctx context.Context, w io.Writer, codes *store.Store, node *rpc.Client, all []core.MissingCode,
) error {
	for _, m := range all {
		if _, err := codes.Get(m.Hash); err == nil {
			continue
		}
		line := fmt.Sprintf("Stored %s %s from %v", m.Contract, m.Version, m.Address)
		code, err := askForCode(ctx, node, m, all)
		if err != nil {
			line = fmt.Sprintf("No code of %s %s: %v", m.Contract, m.Version, err)
		} else if _, err := codes.Put(code); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// askForCode asks for the code at the head, in the block that installs it, and before a later upgrade of the contract.
func askForCode(ctx context.Context, node *rpc.Client, m core.MissingCode, all []core.MissingCode) ([]byte, error) {
	at := []string{"latest", hexutil.EncodeUint64(m.Block)}
	for _, later := range all {
		if later.Address == m.Address && later.Block > m.Block {
			at = append(at, hexutil.EncodeUint64(later.Block-1))
		}
	}
	var failed error
	for _, block := range at {
		var code hexutil.Bytes
		if err := dial.Ask(ctx, node, &code, "eth_getCode", m.Address, block); err != nil {
			failed = fmt.Errorf("block %s: %w", block, err)
			continue
		}
		if crypto.Keccak256Hash(code) == m.Hash {
			return code, nil
		}
	}
	if failed == nil {
		failed = errors.New("the node answers other code: it is not on this network, or answers wrongly")
	}
	return nil, failed
}
