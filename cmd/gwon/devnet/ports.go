// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package devnet

import (
	"fmt"
	"net"
)

const lastPort = 65535

// choosePorts gives every node a port for RPC and one for its peers. With first 0 the system picks all of them; otherwise the
// ports for RPC follow each other from first on, and one that is in use is an error, or passed over with move.
func (n *Network) choosePorts(first int, move bool) error {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	// Ports are held until all are chosen, so that no two nodes get the same one.
	take := func(port int) (int, error) {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return 0, err
		}
		held = append(held, l)
		return l.Addr().(*net.TCPAddr).Port, nil
	}
	next := first
	for _, node := range n.Nodes {
		for node.HTTPPort == 0 {
			port, err := take(next)
			switch {
			case err == nil:
				node.HTTPPort = port
			case first == 0:
				return fmt.Errorf("no free port for RPC: %w", err)
			case !move:
				return fmt.Errorf("port %d is in use: give another --http.port (the network takes %d from there on), or 0 for free ones",
					next, len(n.Nodes))
			case next == lastPort:
				return fmt.Errorf("no free ports from %d on: give another --http.port, or 0 for free ones", first)
			default:
				n.Busy = append(n.Busy, next)
			}
			if first != 0 {
				next++
			}
		}
	}
	for _, node := range n.Nodes {
		port, err := take(0)
		if err != nil {
			return fmt.Errorf("no free port for peers: %w", err)
		}
		node.P2PPort = port
	}
	return nil
}
