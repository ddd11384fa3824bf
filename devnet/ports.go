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

// Free ports are below those of outgoing connections (from 32768 on for Linux, 49152 elsewhere). One of those could
// take a port while its node is stopped.
const (
	firstFree = 10_000
	endFree   = 32_768
)

// searched is the position of the search for free ports. Each process starts at its own position and returns to a
// port last, so it seldom takes the port of a stopped node.
var searched atomic.Uint32

func init() { searched.Store(uint32(os.Getpid()) * 977) }

// HoldPort listens on a free loopback TCP port, for a server that uses it after the listener is closed.
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

// choosePorts chooses for every node a port for RPC and one for peers. With first 0 all ports are free ones.
// Otherwise the RPC ports follow each other from first on; a port in use is an error, or skipped with move.
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
				return fmt.Errorf("port %d is in use: give another --http.port (the network takes %d from there on), or 0 for "+
					"free ones",
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
