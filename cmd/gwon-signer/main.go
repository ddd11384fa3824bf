// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Command gwon-signer keeps the keys and the vote log of a validator off its node, and signs for the node.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/consensus/wbft/signer"
	"gwon/consensus/wbft/signer/wire"
	"gwon/internal/chains"
	"gwon/internal/completion"
	"gwon/internal/failures"
	"gwon/internal/release"
	"gwon/internal/secretfile"
	"gwon/internal/usage"
)

const name = "gwon-signer"

var (
	dirFlag      = &cli.PathFlag{Name: "dir", Usage: "Directory with the key and the vote log", Required: true}
	passwordFlag = &cli.PathFlag{Name: "password", Usage: "File with the password of an encrypted key"}
	dataDirFlag  = &cli.PathFlag{
		Name: "datadir", Usage: "Data directory of the stopped node; its key and vote log are moved", Required: true,
	}
	mainnetFlag = &cli.BoolFlag{Name: "mainnet", Usage: "WKRC mainnet, for a key without vote log"}
	testnetFlag = &cli.BoolFlag{Name: "testnet", Usage: "WKRC testnet, for a key without vote log"}
	genesisFlag = &cli.StringFlag{Name: "genesis", Usage: "Hash of block 0 of another network, for a key without vote log"}
	chainIDFlag = &cli.Uint64Flag{Name: "chainid", Usage: "Chain ID of another network, for a key without vote log"}
	newFlag     = &cli.BoolFlag{Name: "new", Usage: "The key has no vote log because it has never signed"}
	lowestFlag  = &cli.Uint64Flag{
		Name: "lowestsequence", Usage: "Lowest block that a key whose vote log is lost signs for",
	}
	tlsInitFlag = &cli.BoolFlag{Name: "tls", Usage: "Make certificates for a node on another machine, too"}
	socketFlag  = &cli.PathFlag{Name: "socket", Usage: "Path of the socket (default: signer.sock in the directory)"}
	peerFlag    = &cli.StringFlag{Name: "peer", Usage: "User of the node, besides the own one, by name or number"}
	tlsFlag     = &cli.StringFlag{Name: "tls", Usage: "Host and port for a node on another machine, too"}
	resumeFlag  = &cli.BoolFlag{
		Name: "resume", Usage: "Let the node sign although votes are lost, for a network that stands still",
	}
	jsonFlag = &cli.BoolFlag{Name: "json", Usage: "Print JSON"}
)

func main() {
	if err := newApp().Run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, name+":", failures.Sentence(err))
		os.Exit(1)
	}
}

func newApp() *cli.App {
	cli.SuggestDidYouMeanTemplate = "did you mean %s?"
	app := &cli.App{
		Name: name, Usage: "keys of a validator, off its node", HideHelpCommand: true, Suggest: true,
		OnUsageError: usage.WrongFlag, Action: front,
		Version:              release.Version() + ", built by " + runtime.Version(),
		EnableBashCompletion: true,
		ExitErrHandler:       func(*cli.Context, error) {}, // main prints the error
		Commands: []*cli.Command{
			{
				Name: "init", Usage: "Move key and vote log of a stopped node to a new directory", Action: initDirectory,
				Description: "Example: gwon-signer init --dir SIGNER --datadir d1",
				Flags: []cli.Flag{
					dirFlag, dataDirFlag, passwordFlag, mainnetFlag, testnetFlag, genesisFlag, chainIDFlag, newFlag, lowestFlag,
					tlsInitFlag,
				},
			},
			{
				Name: "run", Usage: "Sign for one node", Action: run,
				Description: "Example: gwon-signer run --dir SIGNER --peer gwon",
				Flags:       []cli.Flag{dirFlag, passwordFlag, socketFlag, peerFlag, tlsFlag, resumeFlag},
			},
			{
				Name: "status", Usage: "Show what the signer has signed, and for which node", Action: status,
				Description: "Example: gwon-signer status --dir SIGNER --json",
				Flags:       []cli.Flag{dirFlag, socketFlag, jsonFlag},
			},
			{
				Name: "release", Usage: "Take the right to sign from the node that has it, so that another one gets it",
				Flags: []cli.Flag{dirFlag, socketFlag}, Action: releaseRight,
				Description: "Example: gwon-signer release --dir SIGNER",
			},
			{Name: "version", Usage: "Print version numbers", Flags: []cli.Flag{jsonFlag}, Action: version},
			completion.Command(name),
		},
	}
	usage.Brief(app.Commands)
	return app
}

// front shows the help page.
func front(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return usage.NoSuchCommand(ctx)
	}
	return cli.ShowAppHelp(ctx)
}

// initDirectory moves key and vote log.
func initDirectory(ctx *cli.Context) error {
	chain, err := chainOf(ctx)
	if err != nil {
		return err
	}
	password, err := passwordOf(ctx)
	if err != nil {
		return err
	}
	dir, data := ctx.Path(dirFlag.Name), ctx.Path(dataDirFlag.Name)
	move := signer.Move{
		Dir: dir, DataDir: data, Password: password, Chain: chain,
		New: ctx.Bool(newFlag.Name), Lowest: ctx.Uint64(lowestFlag.Name),
	}
	validator, err := move.Do()
	if err != nil {
		return err
	}
	w := ctx.App.Writer
	if _, err := fmt.Fprintf(w, "Key and vote log of validator %v are in %s now, and no longer in %s\n", validator, dir,
		data); err != nil {
		return err
	}
	if ctx.Bool(tlsInitFlag.Name) {
		node, err := signer.WriteCredentials(dir)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "Move %s to the machine of the node, for --validator.signer.credentials\n", node)
		return err
	}
	return nil
}

// chainOf returns the chain that the flags name, zero for none.
func chainOf(ctx *cli.Context) (signer.Chain, error) {
	var chain signer.Chain
	named := 0
	for _, network := range []chains.Chain{chains.Mainnet(), chains.Testnet()} {
		if ctx.Bool(network.Name) {
			chain, named = signer.Chain{Genesis: network.Genesis, ID: network.ID}, named+1
		}
	}
	if ctx.IsSet(genesisFlag.Name) || ctx.IsSet(chainIDFlag.Name) {
		named++
		chain.ID = ctx.Uint64(chainIDFlag.Name)
		if err := chain.Genesis.UnmarshalText([]byte(ctx.String(genesisFlag.Name))); err != nil || chain.ID == 0 ||
			chain.Genesis == (common.Hash{}) {
			return chain, errors.New("--genesis wants the hash of block 0, and --chainid the chain ID besides")
		}
	}
	if named > 1 {
		return chain, errors.New("--mainnet, --testnet and --genesis exclude each other")
	}
	return chain, nil
}

// passwordOf returns the first line of the password file, "" without one.
func passwordOf(ctx *cli.Context) (string, error) {
	path := ctx.Path(passwordFlag.Name)
	if path == "" {
		return "", nil
	}
	text, err := secretfile.Read(path)
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", fmt.Errorf("the first line of %s is empty: write the password of the key there", path)
	}
	return line, nil
}

// run signs until a signal comes.
func run(ctx *cli.Context) (err error) {
	log.SetDefault(log.NewLogger(log.LogfmtHandlerWithLevel(os.Stderr, slog.LevelInfo)))
	password, err := passwordOf(ctx)
	if err != nil {
		return err
	}
	others, err := usersOf(ctx.String(peerFlag.Name))
	if err != nil {
		return err
	}
	dir := ctx.Path(dirFlag.Name)
	cfg, lock, err := signer.Open(dir, password)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if torn := cfg.Votes.Torn(); torn > 0 {
		log.Warn("Unfinished vote log record removed", "bytes", torn)
	}
	cfg.Resume = ctx.Bool(resumeFlag.Name)
	server, err := signer.NewServer(*cfg)
	if err != nil {
		return errors.Join(err, cfg.Votes.Close())
	}
	defer func() { err = errors.Join(err, server.Close()) }()

	until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	socket := socketOf(ctx)
	listener, err := signer.ListenSocket(socket, others...)
	if err != nil {
		return err
	}
	log.Info("Signer started", "validator", cfg.Owner.Validator, "chain", cfg.Owner.ChainID, "socket", socket)
	if address := ctx.String(tlsFlag.Name); address != "" {
		credentials, err := wire.ReadCredentials(dir)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		remote, err := signer.ListenTLS(address, credentials)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		done := make(chan error, 1)
		both, end := context.WithCancel(until)
		go func() { done <- server.Serve(both, remote) }()
		defer func() {
			end()
			err = errors.Join(err, <-done)
		}()
		log.Info("Signer listens for another machine", "address", address)
	}
	return server.Serve(until, listener)
}

func socketOf(ctx *cli.Context) string {
	if path := ctx.Path(socketFlag.Name); path != "" {
		return path
	}
	path, err := filepath.Abs(filepath.Join(ctx.Path(dirFlag.Name), signer.SocketName))
	if err != nil {
		return signer.SocketName // there is no working directory; the listener refuses it
	}
	return path
}

// usersOf returns the user ID of the node's user.
func usersOf(peer string) ([]uint32, error) {
	if peer == "" {
		return nil, nil
	}
	if found, err := user.Lookup(peer); err == nil {
		peer = found.Uid
	}
	id, err := strconv.ParseUint(peer, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("--peer %s is no user of this machine: give a name or number", peer)
	}
	return []uint32{uint32(id)}, nil
}

func status(ctx *cli.Context) error {
	s, err := signer.Ask(socketOf(ctx))
	if err != nil {
		return err
	}
	w := ctx.App.Writer
	if ctx.Bool(jsonFlag.Name) {
		return printJSON(w, s)
	}
	node := s.Node
	if node == "" {
		node = "none is connected"
	}
	_, err = fmt.Fprintf(w, "Validator        %s\nBLS key          %s\nProof            %s\nChain            %d\n"+
		"Node             %s\nSigned           %d messages since the start, up to block %d\nRefused          %d\n"+
		"Lowest block     %d\n",
		s.Address, s.BLS, s.Possession, s.ChainID, node, s.Signed, s.Highest, s.Refused, s.Floor)
	if err == nil && s.Refusal != "" {
		_, err = fmt.Fprintf(w, "Last refusal     %s\n", s.Refusal)
	}
	if s.Broken != "" {
		return errors.Join(err, errors.New(s.Broken))
	}
	return err
}

func printJSON(w io.Writer, value any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(value)
}

func version(ctx *cli.Context) error {
	if ctx.Bool(jsonFlag.Name) {
		return printJSON(ctx.App.Writer, map[string]string{
			"name": name, "version": release.Version(), "goVersion": runtime.Version(),
		})
	}
	_, err := fmt.Fprintf(ctx.App.Writer, "%s\nVersion: %s\nGo Version: %s\n", name, release.Version(), runtime.Version())
	return err
}

func releaseRight(ctx *cli.Context) error {
	if err := signer.Release(socketOf(ctx)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(ctx.App.Writer, "The node that had the right to sign has lost it until it is started again")
	return err
}
