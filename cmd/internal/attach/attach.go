// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/node"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/dial"
)

// RPCFlag names the node of a command that asks one over JSON-RPC.
var RPCFlag = &cli.StringFlag{
	Name: "rpc", Usage: "HTTP, WebSocket or IPC endpoint of any node of the network", Value: "http://127.0.0.1:8545",
}

// Endpoint returns where a command with RPCFlag and a data directory finds its node: at --rpc, or else at the IPC
// endpoint of a data directory or network that is given.
func Endpoint(ctx *cli.Context) (string, error) {
	named := slices.ContainsFunc([]cli.Flag{settings.DataDirFlag, settings.MainnetFlag, settings.TestnetFlag},
		func(f cli.Flag) bool { return ctx.IsSet(f.Names()[0]) })
	if ctx.IsSet(RPCFlag.Name) || !named {
		return program.ExpandHome(ctx.String(RPCFlag.Name)), nil
	}
	cfg, err := NodeConfig(ctx)
	if err != nil {
		return "", err
	}
	return cfg.IPCEndpoint(), nil
}

// NodeConfig returns the configuration of the node that a command asks: its data directory, and endpoints by default.
func NodeConfig(ctx *cli.Context) (*node.Config, error) {
	if err := settings.CheckNetworkFlags(ctx); err != nil {
		return nil, err
	}
	cfg := settings.Default()
	switch {
	case ctx.IsSet(settings.DataDirFlag.Name):
		cfg.Node.DataDir = program.ExpandHome(ctx.Path(settings.DataDirFlag.Name))
	case ctx.Bool(settings.TestnetFlag.Name):
		cfg.Node.DataDir = filepath.Join(cfg.Node.DataDir, "testnet")
	}
	if dir := cfg.Node.DataDir; dir != "" { // "" is a node in memory
		var err error
		if cfg.Node.DataDir, err = filepath.Abs(dir); err != nil {
			return nil, fmt.Errorf("data directory: %w", err)
		}
	}
	return &cfg.Node, nil
}

// Dial connects to a node, with the headers of --header and the token of an operator endpoint on this machine.
func Dial(ctx *cli.Context, cfg *node.Config, endpoint string) (*gethrpc.Client, error) {
	headers := ctx.StringSlice(utils.HttpHeaderFlag.Name)
	if !slices.ContainsFunc(headers, func(h string) bool {
		return strings.HasPrefix(strings.ToLower(h),
			"authorization:")
	}) {
		header, err := operatorHeader(cfg, endpoint)
		if err != nil {
			return nil, err
		}
		if header != "" {
			headers = append(headers, header)
		}
	}
	if strings.HasPrefix(endpoint, "rpc:") || strings.HasPrefix(endpoint, "ipc:") { // as geth takes it
		endpoint = endpoint[4:]
	}
	given := make(http.Header)
	for _, h := range headers {
		name, value, found := strings.Cut(h, ":")
		if !found {
			return nil, fmt.Errorf("--%s %q: write it as NAME: VALUE", utils.HttpHeaderFlag.Name, name)
		}
		given.Add(name, value)
	}
	client, err := dial.Open(context.Background(), endpoint, dial.Options{Headers: given})
	if err != nil {
		return nil, err
	}
	return client.Client, nil
}

// inUse reports whether a process has the data directory of a node. It makes no file.
func inUse(cfg *node.Config) bool {
	path := cfg.ResolvePath("LOCK") // of package node
	if _, err := os.Stat(path); cfg.DataDir == "" || err != nil {
		return false
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock() // shared, so that two questions do not see each other
	return errors.Join(err, lock.Close()) == nil && !free
}

// ExplainDial says what to do about an endpoint of the node cfg that does not answer. command is what takes an address.
func ExplainDial(command string, cfg *node.Config, endpoint string, err error) error {
	hint := ""
	switch {
	case endpoint == cfg.IPCEndpoint() && inUse(cfg):
		hint = fmt.Sprintf("; a node runs with %s, but offers no IPC there: give the path of its --ipcpath, or another "+
			"endpoint, as in: %s http://HOST:PORT", cfg.DataDir, command)
	case errors.Is(err, fs.ErrNotExist):
		hint = "; no node runs with this data directory: start one, or give its address, as in: " + command +
			" http://HOST:PORT"
	case errors.Is(err, syscall.ECONNREFUSED):
		hint = "; no node listens there"
	case !strings.Contains(endpoint, "://") && strings.Contains(endpoint, ":"):
		hint = "; write http://" + endpoint
	}
	if shown := dial.Shown(endpoint); !strings.Contains(err.Error(), shown) {
		err = fmt.Errorf("connect to %s: %w", shown, err)
	}
	return fmt.Errorf("%w%s", err, hint)
}
