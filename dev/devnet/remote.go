// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/gofrs/flock"

	"gwon/internal/dial"
)

// controlNamespace is that of the methods at the control socket.
const controlNamespace = "devnet"

// remote has the methods that another terminal calls. Only the user of the network may open the socket.
type remote struct{ c *Control }

// Nodes returns the states of all nodes.
func (r *remote) Nodes() ([]NodeState, error) { return r.c.States() }

// Network describes the network.
func (r *remote) Network() (*Info, error) { return r.c.Info() }

// Start starts a node and returns the states of all.
func (r *remote) Start(node string) ([]NodeState, error) { return r.act(r.c.Start, node) }

// Stop stops a node and returns the states of all.
func (r *remote) Stop(node string) ([]NodeState, error) { return r.act(r.c.Stop, node) }

func (r *remote) act(act func(string) error, node string) ([]NodeState, error) {
	if err := act(node); err != nil {
		return nil, err
	}
	return r.c.States()
}

// controlSocket returns the path of the control socket of a network.
func controlSocket(dir string) string { return socketPath(filepath.Join(dir, controlFile)) }

// Serve has another terminal control the network, until end is called.
func (n *Network) Serve(c *Control) (end func() error, err error) {
	apis := []gethrpc.API{{Namespace: controlNamespace, Service: &remote{c}}}
	listener, server, err := gethrpc.StartBoundedIPC(controlSocket(n.Dir), apis)
	if err != nil {
		return nil, fmt.Errorf("open the network's control socket: %w", err)
	}
	return func() error {
		defer server.Stop()
		return listener.Close()
	}, nil
}

// Ask has the network that runs in dir act on a node: "start" or "stop", or neither. It returns the states of all.
func Ask(ctx context.Context, dir, action, node string) (states []NodeState, err error) {
	if action == "" {
		err = ask(ctx, dir, &states, "nodes")
	} else {
		err = ask(ctx, dir, &states, action, node)
	}
	return states, err
}

// AskInfo describes the network that runs in dir.
func AskInfo(ctx context.Context, dir string) (*Info, error) {
	info := new(Info)
	return info, ask(ctx, dir, info, "network")
}

// isLocked reports whether a process has the network of dir, which it is starting or ending.
func isLocked(dir string) bool {
	path := filepath.Join(dir, lockFile)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	lock := flock.New(path)
	free, err := lock.TryRLock()
	_ = lock.Close() // it was only asked for
	return err == nil && !free
}

func ask(ctx context.Context, dir string, result any, method string, args ...any) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("directory %s: %w", dir, err)
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout+dial.Timeout) // it may have to kill nodes
	defer cancel()
	client, err := gethrpc.DialIPC(ctx, controlSocket(dir))
	switch {
	case err != nil && isLocked(dir):
		return fmt.Errorf("the gwon-dev devnet of %s is starting or ending: try again in some seconds", dir)
	case err != nil:
		return fmt.Errorf("no gwon-dev devnet runs in %s: start one, or name its directory with --datadir", dir)
	}
	defer client.Close()
	return client.CallContext(ctx, result, controlNamespace+"_"+method, args...)
}
