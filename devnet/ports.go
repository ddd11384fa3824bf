// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
)

const lastPort = 65535

// Free ports are looked for below those that systems give to outgoing connections (from 32768 on for Linux, 49152 elsewhere): one of these
// could take a port while its node is being prepared or stands still.
const (
	firstFree = 10_000
	endFree   = 32_768
)

// searched is where the search for free ports goes on. A process begins at a place of its own and comes back to a port after all others, so
// that it seldom takes that of another one's node, or of its own, which stands still at the moment.
var searched atomic.Uint32

func init() { searched.Store(uint32(os.Getpid()) * 977) }

// HoldPort listens on a free TCP port of loopback, for a server that is to take it when the listener is closed.
func HoldPort() (net.Listener, error) {
	var last error
	for range endFree - firstFree {
		l, err := listen(int(firstFree + searched.Add(1)%(endFree-firstFree)))
		if err == nil {
			return l, nil
		}
		last = err
	}
	return nil, fmt.Errorf("no free port from %d to %d: %w", firstFree, endFree-1, last)
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
}

// choosePorts gives every node a port for RPC and one for its peers. With first 0 all are free ones; otherwise the
// ports for RPC follow each other from first on, and one that is in use is an error, or passed over with move.
func (n *Network) choosePorts(first int, move bool) error {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			_ = l.Close()
		}
	}()
	// Ports are held until all are chosen, so that no two nodes get the same one.
	hold := func(l net.Listener, err error) (int, error) {
		if err != nil {
			return 0, err
		}
		held = append(held, l)
		return l.Addr().(*net.TCPAddr).Port, nil
	}
	next := first
	candidate := func() (net.Listener, error) {
		if first == 0 {
			return HoldPort()
		}
		return listen(next)
	}
	for _, node := range n.Nodes {
		for node.HTTPPort == 0 {
			port, err := hold(candidate())
			switch {
			case err == nil:
				node.HTTPPort = port
			case first == 0:
				return fmt.Errorf("choose a port for RPC: %w", err)
			case !move:
				return fmt.Errorf("port %d is in use: give another --http.port (the network takes %d from there on), or 0 for free ones",
					next, len(n.Nodes))
			case next == lastPort:
				return fmt.Errorf("no free ports from %d on: give another --http.port, or 0 for free ones", first)
			default:
				n.Busy = append(n.Busy, next)
			}
			next++
		}
	}
	for _, node := range n.Nodes {
		port, err := hold(HoldPort())
		if err != nil {
			return fmt.Errorf("choose a port for peers: %w", err)
		}
		node.P2PPort = port
	}
	return nil
}
