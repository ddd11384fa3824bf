// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"gwon/cmd/gwon/devnet"
	"gwon/params"
)

var (
	devnetDirFlag = &cli.PathFlag{
		Name:  "datadir",
		Usage: "Directory of the network",
		Value: devnetDir(),
	}
	devnetValidatorsFlag = &cli.IntFlag{Name: "validators", Usage: "Number of validators", Value: 4}
	devnetAccountsFlag   = &cli.IntFlag{Name: "accounts", Usage: "Number of funded accounts", Value: 10}
	devnetChainIDFlag    = &cli.Uint64Flag{Name: "chainid", Usage: "Chain ID", Value: params.TestnetChainID}
	devnetPeriodFlag     = &cli.DurationFlag{Name: "period", Usage: "Time between blocks, in whole seconds", Value: time.Second}
	devnetResetFlag      = &cli.BoolFlag{Name: "reset", Usage: "Throw the chain of an earlier run away"}
	devnetQuietFlag      = &cli.BoolFlag{Name: "quiet", Usage: "Keep the validators' logs in their files only"}
	devnetVerboseFlag    = &cli.BoolFlag{Name: "verbose", Usage: "Show all of the validators' logs, not just blocks and trouble"}
	devnetPortFlag       = &cli.IntFlag{
		Name:  "http.port",
		Usage: "HTTP port of the first validator; WebSocket is the next one, and so on for the other validators (0 = free ports)",
		Value: 8545,
	}
)

var devnetCommand = &cli.Command{
	Name:  "devnet",
	Usage: "Run a local network of several validators until Ctrl-C",
	Description: `Writes keys and a genesis file, starts one process for each validator on the loopback interface, and prints where to
reach them and the keys of funded accounts. A second run continues the same chain. The keys are public: never use them
elsewhere.`,
	Flags: []cli.Flag{
		devnetDirFlag, devnetValidatorsFlag, devnetPeriodFlag, devnetPortFlag, devnetChainIDFlag, devnetAccountsFlag,
		devnetResetFlag, devnetQuietFlag, devnetVerboseFlag, jsonFlag,
	},
	Action: runDevnet,
}

func devnetDir() string {
	base := defaultDataDir()
	if base == "" {
		return ""
	}
	return filepath.Join(base, "devnet")
}

func runDevnet(ctx *cli.Context) (err error) {
	if ctx.NArg() > 0 {
		return errors.New("devnet takes no arguments")
	}
	dir := expandHome(ctx.Path(devnetDirFlag.Name))
	if dir == "" {
		return errors.New("no directory for the network: give --datadir")
	}
	network, err := devnet.Prepare(devnet.Options{
		Dir:        dir,
		Validators: ctx.Int(devnetValidatorsFlag.Name),
		Accounts:   ctx.Int(devnetAccountsFlag.Name),
		ChainID:    ctx.Uint64(devnetChainIDFlag.Name),
		Period:     ctx.Duration(devnetPeriodFlag.Name),
		HTTPPort:   ctx.Int(devnetPortFlag.Name),
		Reset:      ctx.Bool(devnetResetFlag.Name),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, network.Close()) }()
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the own program: %w", err)
	}
	terminal := isatty.IsTerminal(os.Stderr.Fd())
	var logs io.Writer = os.Stderr
	if ctx.Bool(devnetQuietFlag.Name) {
		logs = nil
	}
	supervisor := devnet.NewSupervisor(binary, logs, ctx.Bool(devnetVerboseFlag.Name), terminal && os.Getenv("NO_COLOR") == "")
	defer supervisor.Close()

	until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintf(os.Stderr, "Starting %d validators in %s\n", len(network.Nodes), network.Dir)
	return network.Run(until, supervisor, func(processes []*devnet.Process) error {
		if ctx.Bool(jsonFlag.Name) {
			return json.NewEncoder(ctx.App.Writer).Encode(describe(network, processes))
		}
		return printTable(ctx.App.Writer, describe(network, processes))
	})
}

// devnetInfo is what --json prints, in one line, once the network seals blocks.
type devnetInfo struct {
	ChainID    uint64           `json:"chainId"`
	Dir        string           `json:"datadir"`
	RPC        string           `json:"rpc"`
	WS         string           `json:"ws"`
	FeePayer   common.Address   `json:"feePayer"` // unlocked on the first validator
	Validators []devnetNode     `json:"validators"`
	Accounts   []devnet.Account `json:"accounts"`
}

type devnetNode struct {
	Name    string         `json:"name"`
	Address common.Address `json:"address"`
	PID     int            `json:"pid"`
	RPC     string         `json:"rpc"`
	WS      string         `json:"ws"`
	Enode   string         `json:"enode"`
	Log     string         `json:"log"`
}

func describe(network *devnet.Network, processes []*devnet.Process) *devnetInfo {
	info := &devnetInfo{
		ChainID:  network.ChainID,
		Dir:      network.Dir,
		RPC:      network.Nodes[0].HTTP(),
		WS:       network.Nodes[0].WS(),
		FeePayer: network.Accounts[0].Address,
		Accounts: network.Accounts,
	}
	for _, p := range processes {
		n := p.Node
		info.Validators = append(info.Validators, devnetNode{n.Name, n.Address, p.Pid(), n.HTTP(), n.WS(), n.Enode(), n.LogFile()})
	}
	return info
}

func printTable(w io.Writer, info *devnetInfo) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\nThe network seals blocks.\n\nRPC\t%s\nWebSocket\t%s\nChain ID\t%d\nFiles\t%s\n",
		info.RPC, info.WS, info.ChainID, info.Dir)
	fmt.Fprintf(table, "\nValidator\tAddress\tRPC\tWebSocket\n")
	for _, v := range info.Validators {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", v.Name, v.Address.Hex(), v.RPC, v.WS)
	}
	fmt.Fprintf(table, "\nAccount, 1000000000 coins each\tPrivate key (public knowledge: worthless anywhere else)\n")
	for _, a := range info.Accounts {
		mark := ""
		if a.FeePayer {
			mark = "  fee payer, unlocked on " + info.Validators[0].Name
		}
		fmt.Fprintf(table, "%s\t%s%s\n", a.Address.Hex(), a.PrivateKey, mark)
	}
	fmt.Fprintf(table, "\nConsole: gwon attach %s\nCtrl-C stops the network; the next gwon devnet continues it.\n\n", info.RPC)
	return table.Flush()
}
