// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"errors"
	"net"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A port that was handed out stays with its process while no server listens on it: another process, which searches
// from the same block on, gets other ports.
func TestPortsOfStoppedNodes(t *testing.T) {
	var pools []*portPool
	for range 2 {
		p := &portPool{first: ports.first, end: ports.end, start: 5}
		release(t, p)
		pools = append(pools, p)
	}
	owner := make(map[int]int)
	for range 2 * blockSize {
		for i, p := range pools {
			l := must.Get(p.hold())(t)
			port := l.Addr().(*net.TCPAddr).Port
			must.Do(t, l.Close())
			must.That(t, port >= ports.first && port < ports.end, "port %d is outside of the range", port)
			if before, taken := owner[port]; taken {
				t.Fatalf("process %d gets port %d of process %d", i, port, before)
			}
			owner[port] = i
		}
	}
}

// A process that has used all ports of its blocks, with no other block free, starts over.
func TestPortsStartOver(t *testing.T) {
	for first := ports.first; first+2*blockSize <= ports.end; first += 2 * blockSize {
		p := &portPool{first: first, end: first + 2*blockSize}
		release(t, p)
		if err := errors.Join(p.claim(), p.claim()); err != nil {
			continue // another process has one of both blocks
		}
		seen := make(map[int]bool)
		for range 2 * blockSize {
			l := must.Get(p.hold())(t)
			port := l.Addr().(*net.TCPAddr).Port
			must.Do(t, l.Close())
			if seen[port] {
				return
			}
			seen[port] = true
		}
		t.Fatalf("%d different ports of a range of %d", len(seen), 2*(blockSize-1))
	}
	t.Fatal("no two blocks are free")
}

// release ends the claims of a pool with the test.
func release(t *testing.T, p *portPool) {
	t.Cleanup(func() {
		for _, l := range p.claims {
			expect.Error(t, l.Close(), nil, "l.Close")
		}
	})
}
