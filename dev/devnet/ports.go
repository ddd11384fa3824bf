// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"fmt"
	"math"
	"net"
	"os"
	"sync"
)

const blockSize = 64 // ports that a process claims at a time

// portPool hands out the ports of blocks that one process has claimed. The claim is a listener on the first port of
// the block until the process ends. Another process thus cannot take the port of a stopped node.
type portPool struct {
	first, end int // range of its ports
	start      int // block that is tried first

	mu     sync.Mutex
	claims []net.Listener
	used   int // ports of the claimed blocks that were handed out or in use
}

// ports are below those of outgoing connections (from 32768 on for Linux, 49152 elsewhere). One of those could take a
// port while its node is stopped.
var ports = portPool{first: 10_000, end: 32_768, start: os.Getpid()}

// HoldPort listens on a free loopback TCP port, for a server that uses it after the listener is closed. The process
// gets no port twice until all blocks are claimed.
func HoldPort() (net.Listener, error) { return ports.hold() }

func (p *portPool) hold() (net.Listener, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const perBlock = blockSize - 1
	var last error
	for range p.end - p.first {
		if p.used == perBlock*len(p.claims) {
			err := p.claim()
			if len(p.claims) == 0 {
				return nil, err
			}
			if err != nil {
				p.used = 0 // every block is claimed: start over
			}
		}
		block := p.claims[p.used/perBlock].Addr().(*net.TCPAddr).Port
		l, err := listen(block + 1 + p.used%perBlock)
		p.used++
		if err == nil {
			return l, nil
		}
		last = err
	}
	return nil, fmt.Errorf("no free port from %d to %d: %w", p.first, p.end-1, last)
}

// claim adds a block to the pool.
func (p *portPool) claim() error {
	blocks := (p.end - p.first) / blockSize
	var last error
	for i := range blocks {
		l, err := listen(p.first + (p.start+i)%blocks*blockSize)
		if err == nil {
			p.claims = append(p.claims, l)
			return nil
		}
		last = err
	}
	return fmt.Errorf("no %d free ports from %d to %d: %w", blockSize, p.first, p.end-1, last)
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
			case next == math.MaxUint16:
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
