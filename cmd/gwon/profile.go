// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/log"
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
	options.StatusRangeLimit = publicStatusRange
	return options, nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// operatorEndpoint serves every namespace of the node on loopback. It implements node.Lifecycle.
type operatorEndpoint struct {
	stack  *node.Node
	port   int // 0 picks a free one
	server *http.Server
}

// Start opens the endpoint.
func (e *operatorEndpoint) Start() error {
	handler, err := e.stack.RPCHandler()
	if err != nil {
		return fmt.Errorf("open operator endpoint: %w", err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(e.port))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("open operator endpoint on %s: %w", address, err)
	}
	timeouts := e.stack.Config().HTTPTimeouts
	e.server = &http.Server{
		Handler:           node.NewHTTPHandlerStack(rpc.OperatorHandler(handler), nil, []string{"localhost"}, nil, false),
		ReadTimeout:       timeouts.ReadTimeout,
		ReadHeaderTimeout: timeouts.ReadHeaderTimeout,
		WriteTimeout:      timeouts.WriteTimeout,
		IdleTimeout:       timeouts.IdleTimeout,
	}
	go func() {
		if err := e.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("Operator endpoint failed", "err", err)
		}
	}()
	log.Info("Operator endpoint opened", "url", "http://"+listener.Addr().String())
	return nil
}

// Stop closes the endpoint. Calls that run get a moment to end.
func (e *operatorEndpoint) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := e.server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("close operator endpoint: %w", err), e.server.Close())
	}
	return nil
}
