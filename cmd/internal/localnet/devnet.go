// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package localnet

import (
	"context"
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

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/feed"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/remotegenesis"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/validators"
	"gwon/contracts/store"
	"gwon/dev/devnet"
	"gwon/dev/inspect"
	"gwon/internal/dial"
	"gwon/internal/process"
	"gwon/internal/shellword"
	"gwon/operator/status"
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
	devnetKeysFlag       = &cli.BoolFlag{Name: "keys", Usage: "Show the accounts with their private keys, too"}
	devnetChainIDFlag    = &cli.Uint64Flag{Name: "chainid", Usage: "Chain ID", Value: params.DevnetChainID}
	devnetPeriodFlag     = &cli.DurationFlag{Name: "period", Usage: "Time between blocks, in whole seconds",
		Value: time.Second}
	devnetResetFlag   = &cli.BoolFlag{Name: "reset", Usage: "Throw the chain of an earlier run away"}
	devnetVerboseFlag = &cli.BoolFlag{Name: "verbose", Usage: "Show all of the validators' logs, not just trouble"}
	devnetPortFlag    = &cli.IntFlag{
		Name: "http.port",
		Usage: "Port of the first validator, for HTTP and WebSocket; the others follow (0 = free ports). Where the default " +
			"is in use the next free ones are taken",
		Value: 8545,
	}
)

const commandName = "devnet"

// ownName is the program of this command, and gwon that of the validators.
const ownName = "gwon-dev"

// Command runs a local network.
var Command = &cli.Command{
	Name:  commandName,
	Usage: "Run a local network of several validators until Ctrl-C",
	Description: "Writes keys and a genesis file, starts one process for each validator on the loopback " +
		"interface, the program gwon, and prints where to reach them and the keys of funded accounts. Every state is kept. " +
		"A second run continues the same chain. The keys are public: never use them elsewhere.\n\n" +
		"The terminal shows a line for each block and for each transaction, and why a transaction failed. A line " +
		`with the letter t shows the endpoints and accounts again, as "gwon-dev devnet status --keys" does in another ` +
		"terminal. " +
		"A browser shows the network at the address of the page, where the method gwon_fund gives coins, too.\n\n" +
		`A validator that ends does not end the network: Enter starts it again, and from another terminal "gwon-dev ` +
		`devnet stop 2" and "gwon-dev devnet start 2" try what the others do without it.` + "\n\n" +
		`"gwon-dev devnet export FILE" puts a stopped network into one file: blocks, receipts, states, keys and votes. ` +
		`"gwon-dev devnet import FILE" lays it out again, on another machine for instance, and "gwon-dev devnet" continues ` +
		"it there.",
	Subcommands: []*cli.Command{
		devnetStartCommand, devnetStopCommand, devnetStatusCommand, devnetExportCommand, devnetImportCommand,
	},
	Flags: []cli.Flag{
		devnetDirFlag, devnetValidatorsFlag, devnetPeriodFlag, devnetPortFlag, devnetChainIDFlag, devnetAccountsFlag,
		datadir.ContractsVersionFlag, devnetResetFlag, feed.QuietFlag, feed.PrintTracesFlag, devnetVerboseFlag,
		settings.SignFromFlag, program.JSONFlag, feed.ABIFlag, gwonFlag,
	},
	Action: runDevnet,
}

func devnetDir() string {
	base := program.DefaultDataDir()
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
	code, err := store.Search(remotegenesis.CodeDirs()...)
	if err != nil {
		return err
	}
	book, err := feed.LoadBook(ctx)
	if err != nil {
		return err
	}
	options := devnetOptions(ctx, dir)
	options.Code = code
	binary, err := findGwon(ctx.Path(gwonFlag.Name))
	if err != nil {
		return err
	}
	network, err := devnet.Prepare(options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, network.Close()) }()
	color := isatty.IsTerminal(os.Stderr.Fd()) && os.Getenv("NO_COLOR") == ""
	supervisor := devnet.NewSupervisor(binary, os.Stderr, ctx.Bool(devnetVerboseFlag.Name), color)
	defer supervisor.Close()
	quiet := ctx.Bool(feed.QuietFlag.Name)
	var notes io.Writer = os.Stderr
	if quiet {
		supervisor.ShowErrorsOnly()
		notes = io.Discard
	}

	until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if busy := network.Busy; len(busy) > 0 {
		fmt.Fprintf(notes, "Port %d is in use: taking the next free ones, from %d on\n", busy[0], network.Nodes[0].HTTPPort)
	}
	fmt.Fprintf(notes, "Starting %d validators in %s; the first block takes some seconds\n", len(network.Nodes),
		network.Dir)
	watcher := &devnetWatcher{
		network: network, binary: binary, book: nameAccounts(book, network), out: ctx.App.Writer, notes: notes,
		json: ctx.Bool(program.JSONFlag.Name), quiet: quiet,
		until:     until,
		freePorts: ctx.Int(devnetPortFlag.Name) == 0,
		feed:      &feed.Feed{Traces: ctx.Bool(feed.PrintTracesFlag.Name), Out: os.Stderr},
	}
	defer func() { err = errors.Join(err, watcher.close()) }()
	err = network.Run(until, supervisor, watcher, watcher.serve)
	if err == nil {
		fmt.Fprintf(notes, "The network has ended; %s continues it\n", options.Command)
	}
	return err
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
		SignFrom:   ctx.Uint64(settings.SignFromFlag.Name),
		Command:    devnetAgain(ctx, dir),

		Contracts:     ctx.String(datadir.ContractsVersionFlag.Name),
		KeepContracts: !ctx.IsSet(datadir.ContractsVersionFlag.Name),
		KeepChainID:   !ctx.IsSet(devnetChainIDFlag.Name),
	}
}

// devnetAgain returns the command that goes on with the network: what it was made with has to be said again.
func devnetAgain(ctx *cli.Context, dir string) string {
	if path, err := filepath.Abs(dir); err == nil {
		dir = path
	}
	command := process.Command(ownName) + " " + commandName + datadirOption(dir)
	for _, name := range []string{devnetValidatorsFlag.Name, devnetAccountsFlag.Name, devnetChainIDFlag.Name,
		devnetPeriodFlag.Name, devnetPortFlag.Name,
		datadir.ContractsVersionFlag.Name, feed.ABIFlag.Name} {
		if ctx.IsSet(name) {
			command += fmt.Sprintf(" --%s %s", name, shellword.Quote(fmt.Sprint(ctx.Value(name))))
		}
	}
	return command
}

func devnetDirectory(ctx *cli.Context) (string, error) {
	dir := program.ExpandHome(ctx.Path(devnetDirFlag.Name))
	if dir == "" {
		return "", errors.New("no directory for the network: give --datadir")
	}
	return dir, nil
}

// devnetWatcher tells the user what happens to the network, and takes orders. It implements devnet.Observer.
type devnetWatcher struct {
	network   *devnet.Network
	binary    string // the program gwon
	book      *inspect.Book
	out       io.Writer
	notes     io.Writer // for a person who watches
	json      bool
	quiet     bool
	feed      *feed.Feed
	until     context.Context
	freePorts bool         // --http.port 0
	end       func() error // of the orders from other terminals; nil before there are any
	restore   func()       // gives the terminal back; nil before keys are read
	sponsor   func() error // ends the sponsor; nil without one
	page      func() error // ends the page; nil without one
}

// nameAccounts gives the validators and the funded accounts of a network their names.
func nameAccounts(book *inspect.Book, network *devnet.Network) *inspect.Book {
	for _, n := range network.Nodes {
		book.Name(n.Address, n.Name)
	}
	for i, a := range network.Accounts {
		book.Name(a.Address, fmt.Sprintf("%s%d", keys.DevnetPrefix, i+1))
	}
	return book
}

// Ready prints where to reach the network.
func (w *devnetWatcher) Ready(processes []*devnet.Process) error {
	w.startSponsor()
	w.startPage()
	info := w.network.Info(processes)
	switch {
	case w.json:
		return json.NewEncoder(w.out).Encode(info)
	case w.quiet:
		return nil
	}
	return writeInfo(w.out, info, w.binary, true)
}

// writeInfo prints where to reach a network and what it has, with the private keys of its accounts or without.
func writeInfo(out io.Writer, info *devnet.Info, binary string, keys bool) error {
	gwon := process.CommandAt(program.Name, binary)
	showKeys := ""
	if !keys {
		showKeys = fmt.Sprintf("%s %s status --%s%s", process.Command(ownName), commandName, devnetKeysFlag.Name,
			datadirOption(info.Dir))
	}
	return info.WriteText(out, devnet.Hints{
		Keys:    showKeys,
		Command: gwon,
		Console: gwon + " attach " + shellword.Quote(info.RPC),
		Ending:  fmt.Sprintf("Ctrl-C stops the network; %s continues it.", info.Command),
		Quiet:   "--" + feed.QuietFlag.Name,
		ChainID: "--" + devnetChainIDFlag.Name + " " + fmt.Sprint(params.DevnetChainID),
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
		what, running, total, means, again, process.Command(ownName), datadirOption(w.network.Dir), number)
}

// Started tells that a validator is back.
func (w *devnetWatcher) Started(p *devnet.Process, running int) {
	fmt.Fprintf(w.notes, "%s was started again (process %d): %d of %d validators run\n", p.Node.Name, p.Pid(), running,
		len(w.network.Nodes))
}

// serve takes orders from other terminals and from this one until the network ends.
func (w *devnetWatcher) serve(control *devnet.Control) {
	end, err := w.network.Serve(control)
	if err != nil {
		fmt.Fprintf(os.Stderr, "Validators cannot be stopped and started from another terminal: %v\n", err)
	}
	w.end = end
	w.restore = feed.ReadKeys(map[byte]func() error{
		'\n': func() error { return restartStopped(control) },
		't': func() error {
			info, err := control.Info()
			if err != nil {
				return err
			}
			return writeInfo(os.Stderr, info, w.binary, true)
		},
	})
	if !w.quiet {
		w.feed.Book = w.book
		w.feed.Dial = func(ctx context.Context) (*gethrpc.Client, error) { return dialRunning(ctx, control) }
		go w.feed.Run(w.until)
	}
}

// errNoValidator is that of a network none of whose validators runs.
var errNoValidator = errors.New("no validator runs")

// dialRunning connects to a validator that runs, over WebSocket.
func dialRunning(ctx context.Context, control *devnet.Control) (*gethrpc.Client, error) {
	info, err := control.Info()
	if err != nil {
		return nil, err
	}
	for _, v := range info.Validators {
		if v.PID == 0 {
			continue
		}
		if client, err := gethrpc.DialContext(ctx, v.WS); err == nil {
			return client, nil
		}
	}
	return nil, errNoValidator
}

func (w *devnetWatcher) close() error {
	if w.restore != nil {
		w.restore()
	}
	var errs []error
	for _, end := range []func() error{w.end, w.page, w.sponsor} {
		if end != nil {
			errs = append(errs, end())
		}
	}
	return errors.Join(errs...)
}

// restartStopped starts every validator that has stopped.
func restartStopped(control *devnet.Control) error {
	started, err := control.StartAll()
	if err == nil && started == 0 {
		fmt.Fprintln(os.Stderr, "All validators run.")
	}
	return err
}

var (
	devnetStartCommand = devnetNodeCommand("start", "Start a validator of a running devnet again")
	devnetStopCommand  = devnetNodeCommand("stop", "Stop one validator of a running devnet")

	devnetStatusCommand = &cli.Command{
		Name:   "status",
		Usage:  "Show validators, state and endpoints of a running devnet",
		Flags:  []cli.Flag{devnetDirFlag, devnetKeysFlag, program.JSONFlag},
		Action: showDevnet,
	}
)

// showDevnet prints which validators of a running network run, how the chain is, and what the network has.
func showDevnet(ctx *cli.Context) error {
	dir, err := devnetDirectory(ctx)
	if err != nil {
		return err
	}
	states, err := devnet.Ask(ctx.Context, dir, "", "")
	if err != nil {
		return err
	}
	info, err := devnet.AskInfo(ctx.Context, dir)
	if err != nil {
		return err
	}
	keys := ctx.Bool(devnetKeysFlag.Name)
	if ctx.Bool(program.JSONFlag.Name) {
		if !keys {
			info.Accounts = nil
		}
		return program.PrintIndented(ctx.App.Writer, map[string]any{"nodes": states, "network": info})
	}
	if err := errors.Join(devnet.WriteStates(ctx.App.Writer, states), describeFirst(ctx, states)); err != nil {
		return err
	}
	gwon, err := findGwon("")
	if err != nil { // the network has another: its path is not known here
		gwon = program.Name
	}
	return writeInfo(ctx.App.Writer, info, gwon, keys)
}

// describeFirst prints the status of the network as a validator that runs sees it, like gwon status.
func describeFirst(ctx *cli.Context, states []devnet.NodeState) error {
	for _, s := range states {
		if !s.Running {
			continue
		}
		client, err := dial.Node(ctx.Context, s.RPC)
		if err != nil {
			return err
		}
		defer client.Close()
		report, err := status.Collect(ctx.Context, status.Node{Client: client, Endpoint: s.RPC})
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		fmt.Fprintln(ctx.App.Writer)
		return report.WriteText(ctx.App.Writer)
	}
	return nil
}

func devnetNodeCommand(name, usage string) *cli.Command {
	return &cli.Command{
		Name:      name,
		Usage:     usage,
		ArgsUsage: "NUMBER",
		Flags:     []cli.Flag{devnetDirFlag, program.JSONFlag},
		Action: func(ctx *cli.Context) error {
			if ctx.NArg() != 1 {
				return fmt.Errorf("name one validator by its number, as in: gwon-dev devnet %s 2", name)
			}
			return askDevnet(ctx, name, ctx.Args().First())
		},
	}
}

// datadirOption returns the option that names the directory of a devnet, with a space before it; nothing for the
// default one.
func datadirOption(dir string) string {
	if dir == devnetDir() {
		return ""
	}
	return " --" + devnetDirFlag.Name + " " + shellword.Quote(dir)
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
	if ctx.Bool(program.JSONFlag.Name) {
		return json.NewEncoder(ctx.App.Writer).Encode(states)
	}
	return devnet.WriteStates(ctx.App.Writer, states)
}
