// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package lightnode

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/remotechain"
	"gwon/cmd/internal/remotegenesis"
	"gwon/cmd/internal/settings"
	"gwon/consensus/finality/remotestate"
	"gwon/dev/light"
	"gwon/internal/door"
	"gwon/internal/release"
)

// Command answers JSON-RPC with proven answers of nodes.
var Command = &cli.Command{
	Name:  "light",
	Usage: "Answer JSON-RPC with answers of other nodes that are proven",
	Description: "Opens a JSON-RPC endpoint on this machine for wallets and shops. What they ask is read from the nodes " +
		"of --rpc, proven by seals of validators and Merkle paths, and answered as a node does. No node has to be trusted. " +
		"Methods whose answers cannot be proven are refused by name. docs/develop/light.md says what is proven.",
	Flags: slices.Concat(remotechain.Light.Flags(), []cli.Flag{
		utils.HTTPListenAddrFlag, utils.HTTPPortFlag, utils.HTTPCORSDomainFlag, utils.HTTPVirtualHostsFlag,
	}, bridge.DebugFlags),
	Action: run,
}

func run(ctx *cli.Context) (err error) {
	address := net.JoinHostPort(ctx.String(utils.HTTPListenAddrFlag.Name), strconv.Itoa(ctx.Int(utils.HTTPPortFlag.Name)))
	if host := ctx.String(utils.HTTPListenAddrFlag.Name); !settings.IsLoopback(host) {
		return fmt.Errorf("--%s %q: gwon-dev light listens on an address of this machine only, such as 127.0.0.1",
			utils.HTTPListenAddrFlag.Name, host)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(64 << 20) // above which the collector works harder
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("%w: give another --%s", err, utils.HTTPPortFlag.Name)
	}
	defer func() {
		if closed := listener.Close(); err == nil && !errors.Is(closed, net.ErrClosed) {
			err = closed
		}
	}()
	chain, err := remotegenesis.Open(ctx, remotechain.Light, remotestate.Options{
		Memory: light.Memory,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, chain.Reader.Close()) }()
	endpoint, err := light.New(light.Options{
		Reader: chain.Reader, Config: chain.Config, Genesis: chain.Header, Version: "gwon-dev/light/" + release.Version(),
		Hosts: list(ctx.String(utils.HTTPVirtualHostsFlag.Name)), Origins: list(ctx.String(utils.HTTPCORSDomainFlag.Name)),
	})
	if err != nil {
		return err
	}
	until, stop := program.UntilSignal(ctx)
	defer stop()
	log.Info("Endpoint opened", "url", "http://"+listener.Addr().String(), "chain", chain.Config.ChainID,
		"nodes", len(ctx.StringSlice(remotechain.Light.URL)))
	return serve(until, chain.Explain, endpoint, door.Listener(listener, light.Connections()))
}

// serve answers until the context ends, or until the chain must not be followed any more.
func serve(ctx context.Context, explain func(error) error, endpoint *light.Endpoint, listener net.Listener) error {
	server := endpoint.Server()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return explain(endpoint.Follow(ctx)) })
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("listen: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		endpoint.Stop()
		return server.Close() // requests are questions only
	})
	return group.Wait()
}

// list splits a list at its commas.
func list(text string) []string {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}
