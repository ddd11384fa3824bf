// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/node"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/internal/door/calls"
	"gwon/rpc"
	"gwon/rpc/explore"
)

// Values of --rpc.profile.
const (
	profilePublic   = "public"
	ProfileOperator = "operator"
	ProfileExplorer = "explorer"
)

// mostOfClient is the largest bound of a client that can be given.
const mostOfClient = 1_000_000

// ApplyProfile sets what a profile fixes (spec rpc 9.7) and returns what the RPC services have to know. Without a
// profile the single flags rule.
func (cfg *Config) ApplyProfile(ctx *cli.Context) (rpc.Options, error) {
	options := rpc.Options{Personal: cfg.Gwon.Personal}
	switch cfg.Gwon.Profile {
	case "":
		return options, refuseClientFlags(ctx)
	case profilePublic, ProfileOperator, ProfileExplorer:
	default:
		return options, fmt.Errorf("--%s is %s, %s or %s, not %q", RPCProfileFlag.Name, profilePublic, ProfileOperator,
			ProfileExplorer, cfg.Gwon.Profile)
	}
	if cfg.Gwon.Profile == ProfileExplorer && !cfg.keepsStates(ctx) {
		return options, fmt.Errorf("--%s %s needs the state of old blocks: add --%s archive, "+
			"from the first start of the data directory on", RPCProfileFlag.Name, ProfileExplorer, utils.GCModeFlag.Name)
	}
	for _, f := range []cli.Flag{utils.HTTPApiFlag, utils.WSApiFlag, UnlockFlag, personalFlag, utils.GraphQLEnabledFlag} {
		if name := f.Names()[0]; ctx.IsSet(name) {
			return options, fmt.Errorf("--%s cannot be combined with --%s, which fixes the modules and keeps keys away",
				name, RPCProfileFlag.Name)
		}
	}
	if cfg.Gwon.Profile == ProfileOperator && cfg.Node.DataDir == "" {
		return options, fmt.Errorf("--%s %s needs --%s, a data directory, for the token of its endpoint: give one",
			RPCProfileFlag.Name, ProfileOperator, DataDirFlag.Name)
	}
	if cfg.Gwon.Personal {
		return options, fmt.Errorf("the personal namespace cannot be combined with --%s", RPCProfileFlag.Name)
	}
	if cfg.Node.HTTPHost == "" {
		cfg.Node.HTTPHost = node.DefaultHTTPHost
		override(ctx, utils.HTTPListenAddrFlag, &cfg.Node.HTTPHost, ctx.String)
	}
	if !IsLoopback(cfg.Node.HTTPHost) && !ctx.IsSet(utils.HTTPVirtualHostsFlag.Name) {
		return options, fmt.Errorf("--%s on %s needs --%s: name the host that clients ask for",
			RPCProfileFlag.Name, cfg.Node.HTTPHost, utils.HTTPVirtualHostsFlag.Name)
	}
	if !ctx.Bool(utils.WSEnabledFlag.Name) { // a file alone opens no second door
		cfg.Node.WSHost = ""
	}
	modules := rpc.PublicModules()
	if cfg.Gwon.Profile == ProfileExplorer {
		modules = append(modules, explore.Modules()...)
	}
	cfg.Node.HTTPModules, cfg.Node.WSModules = modules, slices.Clone(modules)
	if cfg.Eth.RangeLimit == 0 || cfg.Eth.RangeLimit > publicLogRange {
		cfg.Eth.RangeLimit = publicLogRange
	}
	options.Public = true
	return options, nil
}

// clientFlags bound what one client of a profile may have.
var clientFlags = []*cli.IntFlag{clientRateFlag, clientInFlightFlag, clientConnectionsFlag, clientSubscriptionsFlag}

// applyClientFlags applies the flags that bound clients.
func applyClientFlags(ctx *cli.Context, own *Own) {
	fields := []*int{&own.ClientRate, &own.ClientInFlight, &own.ClientConnections, &own.ClientSubscriptions}
	for i, flag := range clientFlags {
		override(ctx, flag, fields[i], ctx.Int)
	}
	override(ctx, trustedProxiesFlag, &own.TrustedProxies, ctx.String)
}

// refuseClientFlags refuses bounds of clients on a node without a profile, which would have no effect.
func refuseClientFlags(ctx *cli.Context) error {
	names := []string{trustedProxiesFlag.Name}
	for _, flag := range clientFlags {
		names = append(names, flag.Name)
	}
	for _, name := range names {
		if ctx.IsSet(name) {
			return fmt.Errorf("--%s goes with --%s: give a profile, or leave it out", name, RPCProfileFlag.Name)
		}
	}
	return nil
}

// Door returns the door for the endpoints. Only a profile bounds what one client may have.
func (cfg *Config) Door() (gethrpc.Door, error) {
	own := &cfg.Gwon
	if own.Profile == "" {
		return calls.New(calls.Limits{Body: cfg.Node.HTTPBodyLimit}), nil
	}
	limits := calls.Limits{
		Rate: own.ClientRate, InFlight: own.ClientInFlight, Connections: own.ClientConnections,
		Subscriptions: own.ClientSubscriptions, Body: cfg.Node.HTTPBodyLimit,
	}
	for i, bound := range []int{limits.Rate, limits.InFlight, limits.Connections, limits.Subscriptions} {
		if bound < 0 || bound > mostOfClient {
			return nil, fmt.Errorf("--%s is %d: give 0, for no bound, to %d", clientFlags[i].Name, bound, mostOfClient)
		}
	}
	var err error
	if limits.Proxies, err = calls.ParseProxies(own.TrustedProxies); err != nil {
		return nil, fmt.Errorf("--%s: %w", trustedProxiesFlag.Name, err)
	}
	var d gethrpc.Door = calls.New(limits)
	if own.Profile == ProfileExplorer {
		d = explore.Door(d)
	}
	return d, nil
}

// keepsStates reports whether the node is to keep the states of all blocks.
func (cfg *Config) keepsStates(ctx *cli.Context) bool {
	if ctx.IsSet(utils.GCModeFlag.Name) {
		return ctx.String(utils.GCModeFlag.Name) == "archive"
	}
	return cfg.Eth.NoPruning
}
