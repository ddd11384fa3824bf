// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package testnode

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/node"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/feed"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/remotechain"
	"gwon/cmd/internal/remotegenesis"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/contracts/dev"
	"gwon/contracts/store"
	"gwon/core"
	"gwon/dev/devchain"
	"gwon/dev/devnet"
	"gwon/dev/web"
	"gwon/eth"
	"gwon/internal/process"
	"gwon/internal/release"
	"gwon/internal/shellword"
	"gwon/internal/wellknown"
	"gwon/params"
)

// Chain is the developer chain of gwon-dev node. It implements nodestart.OwnChain.
type Chain struct {
	ctx      *cli.Context
	accounts []devnet.Account
	chain    *devchain.Chain
	state    *devState // nil for a chain in memory
	genesis  *gethcore.Genesis
	page     *web.Options
	remote   *remotegenesis.Chain // nil for a chain of its own
	fork     *devchain.Fork       // of that
}

// Configure implements nodestart.OwnChain.
func (c *Chain) Configure(cfg *settings.Config) error {
	if err := isolate(c.ctx, &cfg.Node); err != nil {
		return err
	}
	if err := openEndpoints(c.ctx, cfg); err != nil {
		return err
	}
	damage.SetPath("")
	if cfg.Node.DataDir != "" {
		damage.SetPath(cfg.Node.ResolvePath("chaindata"))
	}
	return nil
}

// Prepare implements nodestart.OwnChain. It makes the accounts and the genesis block that flags and a directory of an
// earlier run describe, and the chain. The process is that of a developer chain from then on.
func (c *Chain) Prepare(stack *node.Node, cfg *settings.Config, service *eth.Config) error {
	ctx := c.ctx
	list, err := wellknown.Accounts(ctx.String(mnemonicFlag.Name), wellknown.Funded)
	if err != nil {
		return fmt.Errorf("--%s: %w", mnemonicFlag.Name, err)
	}
	for _, a := range list {
		c.accounts = append(c.accounts, devnet.AccountOf(a.Key))
	}
	if cfg.Node.DataDir != "" {
		if c.state, err = openDevState(ctx, cfg.Node.DataDir, c.accounts[0].Address); err != nil {
			return err
		}
	}
	if ctx.IsSet(remotechain.Fork.URL) {
		if c.fork, err = c.openFork(cfg); err != nil {
			return err
		}
	} else if c.state != nil && c.state.genesis != nil {
		cfg.Eth.Genesis = c.state.genesis
	} else if cfg.Eth.Genesis, err = devGenesis(ctx, &cfg.Node, c.accounts); err != nil {
		return err
	}
	c.genesis = cfg.Eth.Genesis
	if c.state != nil && c.state.genesis == nil {
		if err := c.state.write(c.genesis, false); err != nil {
			return err
		}
	}
	c.chain, err = devchain.New(devchain.Options{
		Key: cfg.Node.NodeKey(), Period: ctx.Duration(periodFlag.Name), Accounts: list,
		Version: program.Name + "/v" + release.Version(), Fork: c.fork,
	})
	if err != nil {
		return err
	}
	eth.WrapEngine(func(inner *wbft.Engine) eth.EngineWrapper { return c.chain.Engine(inner) })
	stack.AccountManager().AddBackend(devchain.Backend(list))
	service.Sealer = c.chain
	return nil
}

// Open implements nodestart.OwnChain.
func (c *Chain) Open(stack *node.Node, open func() (*eth.Service, error)) (*eth.Service, error) {
	service, err := c.openDatabase(open)
	if err == nil {
		err = c.chain.Attach(stack, service)
	}
	if err != nil {
		return nil, c.Explain(err)
	}
	if c.state == nil || c.state.content.Begun {
		return service, nil
	}
	return service, c.state.write(c.genesis, true)
}

// devGenesis returns the genesis block: this node's key is the only validator, and the well-known accounts have
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
	period := uint64(ctx.Duration(periodFlag.Name) / time.Second)
	chain, err := params.DevConfig(ctx.Uint64(chainIDFlag.Name), validator, period,
		ctx.String(datadir.ContractsVersionFlag.Name))
	if err != nil {
		return nil, fmt.Errorf("configure the developer chain: %w", err)
	}
	code, err := store.Search(remotegenesis.CodeDirs()...)
	if err != nil {
		return nil, err
	}
	alloc, err := devAlloc(ctx, accounts)
	if err != nil {
		return nil, err
	}
	given := core.DevnetGenesis(chain, uint64(time.Now().Unix()), alloc)
	if err := core.CheckAllocation(given); err != nil {
		return nil, fmt.Errorf("--%s: %w", allocFlag.Name, err)
	}
	genesis, info, err := core.BuildGenesis(given, code)
	if err != nil {
		return nil, fmt.Errorf("make the developer chain: %w", err)
	}
	if len(info.Missing) > 0 {
		return nil, fmt.Errorf("the code of %s is not here: gwon contracts import supplies it, and --%s %s needs none",
			datadir.CodeNames(info.Missing), datadir.ContractsVersionFlag.Name, params.G1)
	}
	return genesis, nil
}

// devAlloc returns the accounts of the genesis block: those of the mnemonic, the contracts that tools expect, and those
// of --alloc, which replace the others.
func devAlloc(ctx *cli.Context, accounts []devnet.Account) (types.GenesisAlloc, error) {
	alloc := devnet.Funds(accounts)
	maps.Copy(alloc, dev.Predeploys())
	given, err := blockchain.ReadAlloc(allocFlag.Name, ctx.Path(allocFlag.Name))
	if err != nil {
		return nil, err
	}
	maps.Copy(alloc, given)
	return alloc, nil
}

// Watch prints the chain and what happens on it, until a context ends. The key t prints the former again. end gives the
// terminal back.
func (c *Chain) Watch(stack *node.Node, until context.Context) (end func(), err error) {
	if c.ctx.Bool(feed.QuietFlag.Name) {
		return func() {}, nil
	}
	if err := c.print(stack); err != nil {
		return nil, err
	}
	end = feed.ReadKeys(map[byte]func() error{'t': func() error { return c.print(stack) }})
	f := &feed.Feed{
		Dial: func(context.Context) (*gethrpc.Client, error) { return stack.Attach(), nil },
		Book: c.page.Book, Traces: c.ctx.Bool(feed.PrintTracesFlag.Name), Out: os.Stderr,
	}
	go f.Run(until)
	return end, nil
}

// print prints where to reach the chain and what it has.
func (c *Chain) print(stack *node.Node) error {
	ctx, accounts, gwon := c.ctx, c.accounts, process.CommandBeside(program.Name)
	accounts[0].Member = c.fork == nil
	ending := "Ctrl-C ends the chain: it is in memory only."
	if c.state != nil {
		ending = fmt.Sprintf("Ctrl-C stops the chain; the same --%s continues it.", stateFlag.Name)
	}
	forked := ""
	if c.fork != nil {
		forked = fmt.Sprintf("System contracts and their members are those of the network. Look at them: %s gov status "+
			"--rpc %s", gwon, stack.HTTPEndpoint())
		ending = fmt.Sprintf("The chain continues block %d of %s, %v.\nCtrl-C ends it: its own blocks are in memory only.",
			c.fork.Number(), c.remote.URL, c.fork.Hash())
	}
	info := &devnet.Info{
		ChainID: c.genesis.Config.ChainID.Uint64(),
		Dir:     stack.DataDir(),
		Governance: devnet.GovernanceInfo{
			Contracts: ctx.String(datadir.ContractsVersionFlag.Name), Members: []common.Address{accounts[0].Address}, Quorum: 1,
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
		console += " " + shellword.Quote(info.RPC)
	case settings.DefaultIPC():
	default:
		console += " " + shellword.Quote(info.IPC)
	}
	return info.WriteText(ctx.App.Writer, devnet.Hints{
		Command: gwon,
		Console: gwon + console,
		Ending:  ending,
		Forked:  forked,
		Signs:   true,
		Tests:   slices.Contains(stack.Config().HTTPModules, devchain.Namespaces()[0]),
		ChainID: "--" + chainIDFlag.Name + " 1337",
	})
}
