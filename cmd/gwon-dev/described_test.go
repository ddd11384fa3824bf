// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/nodestart"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/bls"
	"gwon/core"
	"gwon/dev/devchain"
	"gwon/eth"
	"gwon/internal/door/calls"
	"gwon/internal/release"
	"gwon/params"
	"gwon/rpc"
	"gwon/tools/reference/describe"
)

// conversations is the directory whose calls are the examples of methods.
const conversations = "../../tests/rpc"

// methods returns a page about RPC methods.
func methods(page func(*describe.Document) ([]byte, error)) apptest.Page {
	return func(w io.Writer, app *cli.App) error {
		log.SetDefault(log.NewLogger(log.DiscardHandler()))
		document, err := describeMethods(cli.NewContext(app, flag.NewFlagSet(name, flag.ContinueOnError), nil))
		if err != nil {
			return fmt.Errorf("describe the RPC methods: %w", err)
		}
		text, err := page(document)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
}

// describeMethods describes the methods of a node and those of gwon-dev node.
func describeMethods(ctx *cli.Context) (*describe.Document, error) {
	methods, kinds, err := registeredMethods(ctx)
	if err != nil {
		return nil, err
	}
	server := gethrpc.NewServer()
	defer server.Stop()
	for _, api := range devchain.Services() {
		if !slices.Contains(devchain.Namespaces(), api.Namespace) {
			continue // replaces methods of a node
		}
		if err := server.RegisterName(api.Namespace, api.Service); err != nil {
			return nil, fmt.Errorf("register the methods of gwon-dev node: %w", err)
		}
	}
	dev, _ := server.Methods()
	for _, m := range dev {
		if !strings.HasPrefix(m.Name, gethrpc.MetadataApi) {
			methods = append(methods, m)
		}
	}
	var rows []describe.Row
	for _, e := range devchain.Entries() {
		rows = append(rows, describe.Row{Method: e.Method, Params: strings.Join(e.Params, ", "), Summary: e.Does})
	}
	return describe.New(describe.Node{
		Release: release.Number, Methods: methods, Kinds: kinds, Dev: rows, Conversations: os.DirFS(conversations),
	})
}

// registeredMethods returns the methods and the kinds of subscriptions of a node with every namespace. The node is in
// memory and has neither peers nor endpoints.
func registeredMethods(ctx *cli.Context) (methods []gethrpc.Method, kinds map[string][]string, err error) {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("described")))
	if err != nil {
		return nil, nil, fmt.Errorf("make validator key: %w", err)
	}
	stack, err := node.New(&node.Config{Name: program.Name,
		P2P: p2p.Config{PrivateKey: key, NoDiscovery: true, NoDial: true}})
	if err != nil {
		return nil, nil, fmt.Errorf("make node: %w", err)
	}
	defer func() { err = errors.Join(err, stack.Close()) }()
	cfg := settings.Default()
	cfg.Eth = ethconfig.Defaults
	settings.KeepStates(&cfg.Eth)
	cfg.Eth.DatabaseCache, cfg.Eth.TrieCleanCache, cfg.Eth.TrieDirtyCache = 16, 16, 16 // MB
	cfg.Eth.NetworkId, cfg.Eth.SyncMode = params.DevChainID, ethconfig.FullSync
	if cfg.Eth.Genesis, err = describedGenesis(stack); err != nil {
		return nil, nil, err
	}
	eth.RegisterEngine(nil)
	svc, err := nodestart.RegisterServices(ctx, stack, &cfg,
		&eth.Config{Eth: &cfg.Eth, RPC: rpc.Options{Personal: true}}, calls.New(calls.Limits{}),
		settings.NewDiskGuard(ctx, &cfg))
	if err != nil {
		return nil, nil, err
	}
	blockchain.RegisterSnapshots(ctx, stack, &cfg, svc)
	if err := stack.Start(); err != nil {
		return nil, nil, fmt.Errorf("start node: %w", err)
	}
	server, err := stack.RPCHandler()
	if err != nil {
		return nil, nil, fmt.Errorf("find methods: %w", err)
	}
	methods, kinds = server.Methods()
	return methods, kinds, nil
}

// describedGenesis returns the genesis block of a chain whose only validator is the node.
func describedGenesis(stack *node.Node) (*gethcore.Genesis, error) {
	key := stack.Config().NodeKey()
	secret, err := bls.DeriveKey(key)
	if err != nil {
		return nil, fmt.Errorf("derive BLS key: %w", err)
	}
	self := crypto.PubkeyToAddress(key.PublicKey)
	chain, err := params.DevConfig(params.DevChainID, params.DevnetValidator{
		Address: self, BLSPublicKey: secret.PublicKey().Bytes(), Operator: self,
	}, 1, params.G1)
	if err != nil {
		return nil, fmt.Errorf("configure chain: %w", err)
	}
	genesis, _, err := core.BuildGenesis(core.DevnetGenesis(chain, 1, nil), nil)
	return genesis, err
}
