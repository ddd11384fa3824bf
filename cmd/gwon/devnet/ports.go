// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package devnet

import (
	"fmt"
	"net"
)

// choosePorts gives each node its three ports: HTTP and WebSocket in a row from first on, or free ones when first is 0,
// and a free one for peers.
func (n *Network) choosePorts(first int) error {
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
	for i, node := range n.Nodes {
		for j, port := range []*int{&node.HTTPPort, &node.WSPort} {
			want := 0
			if first != 0 {
				want = first + 2*i + j
			}
			got, err := take(want)
			if err != nil {
				return fmt.Errorf("port %d is in use: give another --http.port (the network takes %d from there on), or 0 for free ones",
					want, 2*len(n.Nodes))
			}
			*port = got
		}
		got, err := take(0)
		if err != nil {
			return fmt.Errorf("no free port for peers: %w", err)
		}
		node.P2PPort = got
	}
	return nil
}
