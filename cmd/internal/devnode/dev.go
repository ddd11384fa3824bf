// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package devnode

import (
	"context"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/node"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/devnets"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/contracts/dev"
	"gwon/core"
	"gwon/dev/devchain"
	"gwon/dev/devnet"
	"gwon/dev/inspect"
	"gwon/eth"
	"gwon/internal/process"
	"gwon/params"
)

// Node is what --dev adds to a node.
type Node struct {
	accounts []devnet.Account
	Chain    *devchain.Chain
	state    *devState // nil for a chain in memory
	genesis  *gethcore.Genesis
}

// New makes the accounts and the genesis block that flags and a directory of an earlier run describe, and the chain.
// The process is that of a developer chain from then on.
func New(ctx *cli.Context, cfg *settings.Config) (*Node, error) {
	list, err := devchain.Accounts(ctx.String(settings.DevMnemonicFlag.Name), settings.DevAccounts)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", settings.DevMnemonicFlag.Name, err)
	}
	dev := new(Node)
	for _, a := range list {
		dev.accounts = append(dev.accounts, devnet.AccountOf(a.Key))
	}
	if cfg.Node.DataDir != "" {
		if dev.state, err = openDevState(ctx, cfg.Node.DataDir, dev.accounts[0].Address); err != nil {
			return nil, err
		}
	}
	if dev.state != nil && dev.state.genesis != nil {
		cfg.Eth.Genesis = dev.state.genesis
	} else if cfg.Eth.Genesis, err = devGenesis(ctx, &cfg.Node, dev.accounts); err != nil {
		return nil, err
	}
	dev.genesis = cfg.Eth.Genesis
	if dev.state != nil && dev.state.genesis == nil {
		if err := dev.state.write(dev.genesis, false); err != nil {
			return nil, err
		}
	}
	dev.Chain, err = devchain.New(devchain.Options{
		Key: cfg.Node.NodeKey(), Period: ctx.Duration(settings.DevPeriodFlag.Name), Accounts: list,
		Version: program.Name + "/v" + program.Version(),
	})
	if err != nil {
		return nil, err
	}
	eth.WrapEngine(func(inner *wbft.Engine) eth.EngineWrapper { return dev.Chain.Engine(inner) })
	return dev, nil
}

// devGenesis returns the genesis of --dev: this node's key is the only validator, and the well-known accounts have
// coins. The first of them is the member of the governances.
func devGenesis(ctx *cli.Context, cfg *node.Config, accounts []devnet.Account) (*gethcore.Genesis, error) {
	secret, err := bls.DeriveKey(cfg.P2P.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("derive BLS key: %w", err)
	}
	validator := params.DevnetValidator{
		Address: crypto.PubkeyToAddress(cfg.P2P.PrivateKey.PublicKey), BLSPublicKey: secret.PublicKey().Bytes(),
		Operator: accounts[0].Address,
	}
	period := uint64(ctx.Duration(settings.DevPeriodFlag.Name) / time.Second)
	chain, err := params.DevConfig(ctx.Uint64(settings.DevChainIDFlag.Name), validator, period,
		ctx.String(settings.ContractsVersionFlag.Name))
	if err != nil {
		return nil, fmt.Errorf("configure the developer chain: %w", err)
	}
	code, err := datadir.StoredCode()
	if err != nil {
		return nil, err
	}
	alloc, err := devAlloc(ctx, accounts)
	if err != nil {
		return nil, err
	}
	given := core.DevnetGenesis(chain, uint64(time.Now().Unix()), alloc)
	if err := core.CheckAllocation(given); err != nil {
		return nil, fmt.Errorf("--%s: %w", settings.DevAllocFlag.Name, err)
	}
	genesis, info, err := core.BuildGenesis(given, code)
	if err != nil {
		return nil, fmt.Errorf("make the developer chain: %w", err)
	}
	if len(info.Missing) > 0 {
		return nil, fmt.Errorf("the code of %s is not here: gwon contracts import supplies it, and --%s %s needs none",
			datadir.CodeNames(info.Missing), settings.ContractsVersionFlag.Name, params.G1)
	}
	return genesis, nil
}

// devAlloc returns the accounts of the genesis block: those of the mnemonic, the contracts that tools expect, and those
// of --alloc, which replace the others.
func devAlloc(ctx *cli.Context, accounts []devnet.Account) (types.GenesisAlloc, error) {
	alloc := devnet.Funds(accounts)
	maps.Copy(alloc, dev.Predeploys())
	given, err := devnets.ReadAlloc(ctx.Path(settings.DevAllocFlag.Name))
	if err != nil {
		return nil, err
	}
	maps.Copy(alloc, given)
	return alloc, nil
}

// Watch prints a developer chain and what happens on it, until ctx ends. The key t prints the former again. end gives
// the terminal back.
func Watch(
	ctx *cli.Context, stack *node.Node, dev *Node, book *inspect.Book, until context.Context,
) (end func(), err error) {
	if ctx.Bool(settings.QuietFlag.Name) {
		return func() {}, nil
	}
	if err := printDev(ctx, stack, dev); err != nil {
		return nil, err
	}
	end = devnets.ReadKeys(map[byte]func() error{'t': func() error { return printDev(ctx, stack, dev) }})
	f := &devnets.Feed{
		Dial: func(context.Context) (*gethrpc.Client, error) { return stack.Attach(), nil },
		Book: book, Traces: ctx.Bool(settings.PrintTracesFlag.Name), Out: os.Stderr,
	}
	go f.Run(until)
	return end, nil
}

// printDev prints where to reach a developer chain and what it has.
func printDev(ctx *cli.Context, stack *node.Node, dev *Node) error {
	accounts := dev.accounts
	accounts[0].Member = true
	ending := "Ctrl-C ends the chain: it is in memory only."
	if dev.state != nil {
		ending = fmt.Sprintf("Ctrl-C stops the chain; the same --%s continues it.", settings.DevStateFlag.Name)
	}
	info := &devnet.Info{
		ChainID: ctx.Uint64(settings.DevChainIDFlag.Name),
		Dir:     stack.DataDir(),
		Governance: devnet.GovernanceInfo{
			Contracts: ctx.String(settings.ContractsVersionFlag.Name), Members: []common.Address{accounts[0].Address}, Quorum: 1,
			Minter: params.GovMinterAddress,
		},
		RPC:      stack.HTTPEndpoint(),
		Page:     stack.HTTPEndpoint() + "/",
		IPC:      stack.IPCEndpoint(),
		FeePayer: accounts[0].Address,
		Accounts: accounts,
	}
	if stack.Config().WSHost != "" {
		info.WS = stack.WSEndpoint()
	}
	console := " attach"
	switch info.IPC {
	case "":
		console += " " + process.ShellWord(info.RPC)
	case settings.DefaultIPC():
	default:
		console += " " + process.ShellWord(info.IPC)
	}
	own := process.Command(program.Name)
	return info.WriteText(ctx.App.Writer, devnet.Hints{
		Command: own,
		Console: own + console,
		Ending:  ending,
		Signs:   true,
		ChainID: "--" + settings.DevChainIDFlag.Name + " 828300",
	})
}
