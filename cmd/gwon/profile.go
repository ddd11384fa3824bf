// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"
	"net"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/rpc"
)

// Values of --rpc.profile.
const (
	profilePublic   = "public"
	profileOperator = "operator"
)

// applyProfile sets what a profile fixes (spec rpc 9.7) and returns what the RPC services have to know. Without a profile
// the single flags rule.
func (cfg *config) applyProfile(ctx *cli.Context) (rpc.Options, error) {
	options := rpc.Options{Personal: cfg.Gwon.Personal}
	switch cfg.Gwon.Profile {
	case "":
		return options, nil
	case profilePublic, profileOperator:
	default:
		return options, fmt.Errorf("--%s is %s or %s, not %q", rpcProfileFlag.Name, profilePublic, profileOperator, cfg.Gwon.Profile)
	}
	for _, f := range []cli.Flag{utils.HTTPApiFlag, utils.WSEnabledFlag, unlockFlag, personalFlag, utils.GraphQLEnabledFlag} {
		if name := f.Names()[0]; ctx.IsSet(name) {
			return options, fmt.Errorf("--%s cannot be combined with --%s, which fixes the modules and keeps keys away",
				name, rpcProfileFlag.Name)
		}
	}
	if cfg.Gwon.Profile == profileOperator && cfg.Node.DataDir == "" {
		instead := "give one"
		if ctx.Bool(devFlag.Name) {
			instead = fmt.Sprintf("--%s has none, and opens every namespace on %s without a profile", devFlag.Name, loopback)
		}
		return options, fmt.Errorf("--%s %s needs --%s, a data directory, for the token of its endpoint: %s",
			rpcProfileFlag.Name, profileOperator, dataDirFlag.Name, instead)
	}
	if cfg.Gwon.Personal {
		return options, fmt.Errorf("the personal namespace cannot be combined with --%s", rpcProfileFlag.Name)
	}
	if cfg.Node.HTTPHost == "" {
		cfg.Node.HTTPHost = node.DefaultHTTPHost
		if ctx.IsSet(utils.HTTPListenAddrFlag.Name) {
			cfg.Node.HTTPHost = ctx.String(utils.HTTPListenAddrFlag.Name)
		}
	}
	if !isLoopback(cfg.Node.HTTPHost) && !ctx.IsSet(utils.HTTPVirtualHostsFlag.Name) {
		return options, fmt.Errorf("--%s on %s needs --%s: name the host that clients ask for",
			rpcProfileFlag.Name, cfg.Node.HTTPHost, utils.HTTPVirtualHostsFlag.Name)
	}
	cfg.Node.WSHost = ""
	cfg.Node.HTTPModules = rpc.PublicModules()
	if cfg.Eth.RangeLimit == 0 || cfg.Eth.RangeLimit > publicLogRange {
		cfg.Eth.RangeLimit = publicLogRange
	}
	options.Public = true
	return options, nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
