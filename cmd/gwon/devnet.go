// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"gwon/consensus/wbft/validators"
	"gwon/devnet"
	"gwon/internal/process"
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
		Name: "http.port",
		Usage: "Port of the first validator, for HTTP and WebSocket; the others follow (0 = free ports). Where the default is in " +
			"use the next free ones are taken",
		Value: 8545,
	}
)

const devnetCommandName = "devnet"

var devnetCommand = &cli.Command{
	Name:  devnetCommandName,
	Usage: "Run a local network of several validators until Ctrl-C",
	Description: `Writes keys and a genesis file, starts one process for each validator on the loopback interface, and prints where to
reach them and the keys of funded accounts. Every state is kept. A second run continues the same chain. The keys are public:
never use them elsewhere.

A validator that ends does not end the network: Enter starts it again, and from another terminal "gwon devnet stop 2" and
"gwon devnet start 2" try what the others do without it.`,
	Subcommands: []*cli.Command{devnetStartCommand, devnetStopCommand, devnetStatusCommand},
	Flags: []cli.Flag{
		devnetDirFlag, devnetValidatorsFlag, devnetPeriodFlag, devnetPortFlag, devnetChainIDFlag, devnetAccountsFlag,
		contractsVersionFlag, devnetResetFlag, devnetQuietFlag, devnetVerboseFlag, signFromFlag, jsonFlag,
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
	dir, err := devnetDirectory(ctx)
	if err != nil {
		return err
	}
	code, err := storedCode()
	if err != nil {
		return err
	}
	options := devnetOptions(ctx, dir)
	options.Code = code
	network, err := devnet.Prepare(options)
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
	if busy := network.Busy; len(busy) > 0 {
		fmt.Fprintf(os.Stderr, "Port %d is in use: taking the next free ones, from %d on\n", busy[0], network.Nodes[0].HTTPPort)
	}
	fmt.Fprintf(os.Stderr, "Starting %d validators in %s\n", len(network.Nodes), network.Dir)
	watcher := &devnetWatcher{network: network, out: ctx.App.Writer, json: ctx.Bool(jsonFlag.Name)}
	defer func() { err = errors.Join(err, watcher.close()) }()
	return network.Run(until, supervisor, watcher, watcher.serve)
}

// devnetOptions returns what flags say of a network, but for the code of its contracts.
func devnetOptions(ctx *cli.Context, dir string) devnet.Options {
	return devnet.Options{
		Dir:        dir,
		Validators: ctx.Int(devnetValidatorsFlag.Name),
		Accounts:   ctx.Int(devnetAccountsFlag.Name),
		ChainID:    ctx.Uint64(devnetChainIDFlag.Name),
		Period:     ctx.Duration(devnetPeriodFlag.Name),
		HTTPPort:   ctx.Int(devnetPortFlag.Name),
		PortsMove:  !ctx.IsSet(devnetPortFlag.Name),
		Reset:      ctx.Bool(devnetResetFlag.Name),
		Archive:    true,
		SignFrom:   ctx.Uint64(signFromFlag.Name),
		Command:    devnetAgain(ctx, dir),

		Contracts:     ctx.String(contractsVersionFlag.Name),
		KeepContracts: !ctx.IsSet(contractsVersionFlag.Name),
	}
}

// devnetAgain returns the command that goes on with the network: what it was made with has to be said again.
func devnetAgain(ctx *cli.Context, dir string) string {
	if path, err := filepath.Abs(dir); err == nil {
		dir = path
	}
	command := process.Command(clientName) + " " + devnetCommandName + datadirOption(dir)
	for _, name := range []string{devnetValidatorsFlag.Name, devnetAccountsFlag.Name, devnetChainIDFlag.Name, devnetPeriodFlag.Name, devnetPortFlag.Name, contractsVersionFlag.Name} {
		if ctx.IsSet(name) {
			command += fmt.Sprintf(" --%s %s", name, process.ShellWord(fmt.Sprint(ctx.Value(name))))
		}
	}
	return command
}

func devnetDirectory(ctx *cli.Context) (string, error) {
	dir := expandHome(ctx.Path(devnetDirFlag.Name))
	if dir == "" {
		return "", errors.New("no directory for the network: give --datadir")
	}
	return dir, nil
}

// devnetWatcher tells the user what happens to the network, and takes orders. It implements devnet.Observer.
type devnetWatcher struct {
	network *devnet.Network
	out     io.Writer
	json    bool
	end     func() error // of the orders from other terminals; nil before there are any
}

// Ready prints where to reach the network.
func (w *devnetWatcher) Ready(processes []*devnet.Process) error {
	info := w.network.Info(processes)
	if w.json {
		return json.NewEncoder(w.out).Encode(info)
	}
	own := process.Command(clientName)
	return info.WriteText(w.out, devnet.Hints{
		Command: own,
		Console: own + " attach " + process.ShellWord(info.RPC),
		Ending:  fmt.Sprintf("Ctrl-C stops the network; %s devnet%s continues it.", own, datadirOption(info.Dir)),
		Quiet:   "--" + devnetQuietFlag.Name,
		ChainID: "--" + devnetChainIDFlag.Name + " 828300",
	})
}

// Stopped tells who is gone and what that means for the others.
func (w *devnetWatcher) Stopped(p *devnet.Process, asked bool, running int) {
	total := len(w.network.Nodes)
	what := p.Node.Name + " was stopped"
	if !asked {
		what = p.Err().Error()
	}
	means := "blocks go on"
	if quorum := validators.QuorumOf(total); running < quorum {
		means = fmt.Sprintf("no blocks until %d run", quorum)
	}
	number := strings.TrimPrefix(p.Node.Name, "node")
	again := "To start it again: "
	if isatty.IsTerminal(os.Stdin.Fd()) {
		again = "Press Enter to start it again, or from another terminal: "
	}
	fmt.Fprintf(os.Stderr, "\n%s\n%d of %d validators run: %s.\n%s%s devnet start%s %s\n\n",
		what, running, total, means, again, process.Command(clientName), datadirOption(w.network.Dir), number)
}

// Started tells that a validator is back.
func (w *devnetWatcher) Started(p *devnet.Process) {
	fmt.Fprintf(os.Stderr, "%s was started again (process %d)\n", p.Node.Name, p.Pid())
}

// serve takes orders from other terminals and from this one until the network ends.
func (w *devnetWatcher) serve(control *devnet.Control) {
	end, err := w.network.Serve(control)
	if err != nil {
		fmt.Fprintf(os.Stderr, "Validators cannot be stopped and started from another terminal: %v\n", err)
	}
	w.end = end
	if isatty.IsTerminal(os.Stdin.Fd()) {
		process.IgnoreTerminalStops()
		go restartOnEnter(control)
	}
}

func (w *devnetWatcher) close() error {
	if w.end == nil {
		return nil
	}
	return w.end()
}

// restartOnEnter starts what has stopped whenever a line comes from the terminal, until there is none.
func restartOnEnter(control *devnet.Control) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		started, err := control.StartAll()
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, "gwon:", err)
		case started == 0:
			fmt.Fprintln(os.Stderr, "All validators run.")
		}
	}
}

var (
	devnetStartCommand = devnetNodeCommand("start", "Start a validator of a running devnet again")
	devnetStopCommand  = devnetNodeCommand("stop", "Stop one validator of a running devnet")

	devnetStatusCommand = &cli.Command{
		Name:  "status",
		Usage: "Show which validators of a running devnet run",
		Flags: []cli.Flag{devnetDirFlag, jsonFlag},
		Action: func(ctx *cli.Context) error {
			return askDevnet(ctx, "", "")
		},
	}
)

func devnetNodeCommand(name, usage string) *cli.Command {
	return &cli.Command{
		Name:      name,
		Usage:     usage,
		ArgsUsage: "NUMBER",
		Flags:     []cli.Flag{devnetDirFlag, jsonFlag},
		Action: func(ctx *cli.Context) error {
			if ctx.NArg() != 1 {
				return fmt.Errorf("name one validator by its number, as in: gwon devnet %s 2", name)
			}
			return askDevnet(ctx, name, ctx.Args().First())
		},
	}
}

// datadirOption returns the option that names the directory of a devnet, with a space before it; nothing for the default one.
func datadirOption(dir string) string {
	if dir == devnetDir() {
		return ""
	}
	return " --" + devnetDirFlag.Name + " " + process.ShellWord(dir)
}

func askDevnet(ctx *cli.Context, action, node string) error {
	dir, err := devnetDirectory(ctx)
	if err != nil {
		return err
	}
	states, err := devnet.Ask(ctx.Context, dir, action, node)
	if err != nil {
		return err
	}
	if ctx.Bool(jsonFlag.Name) {
		return json.NewEncoder(ctx.App.Writer).Encode(states)
	}
	return devnet.WriteStates(ctx.App.Writer, states)
}
