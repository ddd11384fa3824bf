// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// wire is a TCP proxy in front of a node's port: a cable between two nodes that a test can cut.
type wire struct {
	t        testing.TB
	address  *net.TCPAddr
	target   string
	distance distance

	mu       sync.Mutex
	listener net.Listener  // nil while it is cut
	open     chan struct{} // closed while bytes pass
	conns    map[net.Conn]struct{}
	pumps    sync.WaitGroup
}

// newWire starts a proxy to a TCP port on loopback. It ends with the test.
func newWire(t testing.TB, port int) *wire { return newLongWire(t, port, distance{}) }

// newLongWire is newWire over a distance.
func newLongWire(t testing.TB, port int, d distance) *wire {
	t.Helper()
	listener := must.Get(devnet.HoldPort())(t)
	w := &wire{
		t: t, address: listener.Addr().(*net.TCPAddr), target: fmt.Sprintf("127.0.0.1:%d", port), distance: d,
		listener: listener, open: make(chan struct{}), conns: make(map[net.Conn]struct{}),
	}
	close(w.open)
	w.pumps.Add(1)
	go w.serve(listener)
	t.Cleanup(func() {
		w.heal() // a pump that waits sees its connection closed
		w.cut()
		w.pumps.Wait()
	})
	return w
}

func (w *wire) port() int { return w.address.Port }

// freeze holds back all bytes, as a network does that loses packets: connections stay, nothing arrives.
func (w *wire) freeze() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = make(chan struct{})
}

// cut ends all connections and refuses new ones, as a host does that is not there.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listener != nil {
		_ = w.listener.Close()
		w.listener = nil
	}
	for conn := range w.conns {
		_ = conn.Close() // its pumps end, whatever it answers
	}
}

// heal lets bytes and connections pass again; what was held back arrives.
func (w *wire) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.open:
	default:
		close(w.open)
	}
	if w.listener != nil {
		return
	}
	listener, err := net.ListenTCP("tcp", w.address)
	if err != nil {
		w.t.Errorf("a wire cannot be mended: %v", err)
		return
	}
	w.listener = listener
	w.pumps.Add(1)
	go w.serve(listener)
}

func (w *wire) serve(listener net.Listener) {
	defer w.pumps.Done()
	for {
		near, err := listener.Accept()
		if err != nil {
			return // cut
		}
		far, err := net.Dial("tcp", w.target)
		if err != nil || !w.admit(listener, near, far) {
			_ = near.Close()
			if far != nil {
				_ = far.Close()
			}
			continue
		}
		for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
			if w.distance == (distance{}) {
				go w.pump(way[0], way[1])
			} else {
				go w.carry(way[0], way[1])
			}
		}
	}
}

// admit registers both ends of a connection unless the wire was cut after it was taken.
func (w *wire) admit(listener net.Listener, near, far net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listener != listener {
		return false
	}
	w.conns[near], w.conns[far] = struct{}{}, struct{}{}
	w.pumps.Add(2)
	return true
}

// pump carries bytes one way until either end is gone.
func (w *wire) pump(to, from net.Conn) {
	defer w.pumps.Done()
	defer func() {
		_ = to.Close()
		_ = from.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.conns, from)
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		w.mu.Lock()
		open := w.open
		w.mu.Unlock()
		<-open
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// startWired returns a running network of n validators that reach each other through wires only: [i][j] is the one
// over which i dials j.
func startWired(t testing.TB, n int) (*cluster, [][]*wire) { return startFar(t, n, distance{}) }

// startFar is startWired over a distance.
func startFar(t testing.TB, n int, d distance) (*cluster, [][]*wire) {
	t.Helper()
	c := must.Get(newCluster(workDir(t), n))(t)
	wires := c.wire(t, d)
	t.Cleanup(func() { // before the wires are taken down
		expect.Error(t, c.close(), nil, "close")
	})
	for i := range n {
		c.start(t, i)
	}
	return c, wires
}

// wire has the nodes of a cluster, none of which runs yet, reach each other through wires only, as in startWired.
func (c *cluster) wire(t testing.TB, d distance) [][]*wire {
	t.Helper()
	n := len(c.network.Nodes)
	wires := make([][]*wire, n)
	for i := range n {
		wires[i] = make([]*wire, n)
		var enodes []string
		for j := range n {
			if i == j {
				continue
			}
			wires[i][j] = newLongWire(t, c.node(j).P2PPort, d)
			direct, wired := fmt.Sprintf(":%d?", c.node(j).P2PPort), fmt.Sprintf(":%d?", wires[i][j].port())
			enodes = append(enodes, strings.Replace(c.node(j).Enode(), direct, wired, 1))
		}
		writePeers(t, c.node(i), enodes)
	}
	return wires
}

// between calls f for the wires that connect two groups of nodes, in both directions.
func between(wires [][]*wire, a, b []int, f func(*wire)) {
	for _, i := range a {
		for _, j := range b {
			f(wires[i][j])
			f(wires[j][i])
		}
	}
}

// view asks a validator which block it is deciding, and in which round.
func (c *cluster) view(i int) (sequence, round uint64, err error) {
	var status struct {
		Core struct{ Sequence, Round uint64 }
	}
	err = c.call(i, &status, "istanbul_consensusStatus")
	return status.Core.Sequence, status.Core.Round, err
}

// stuck waits until these nodes are in a later round of one sequence, and for another round, and checks that they
// decided nothing in between. It returns their head.
func (c *cluster) stuck(t *testing.T, nodes ...int) uint64 {
	t.Helper()
	var sequence uint64
	c.await(t, fmt.Sprintf("round changes of nodes %v", nodes), func() (bool, string) {
		for k, i := range nodes {
			s, r, err := c.view(i)
			if k == 0 {
				sequence = s
			}
			if err != nil || r == 0 || s != sequence {
				return false, fmt.Sprintf("%s: sequence %d, round %d, error %v", c.node(i).Name, s, r, err)
			}
		}
		return true, ""
	})
	for _, i := range nodes {
		c.await(t, "ROUND-CHANGEs of this side on "+c.node(i).Name, func() (bool, string) {
			var status struct {
				Core struct{ Sequence, Round, RoundChanges uint64 }
			}
			err := c.call(i, &status, "istanbul_consensusStatus")
			if err == nil && status.Core.Sequence != sequence {
				t.Fatalf("%s went from sequence %d to %d without a quorum", c.node(i).Name, sequence, status.Core.Sequence)
			}
			return err == nil && status.Core.RoundChanges == uint64(len(nodes)), fmt.Sprintf("%+v, error %v", status.Core, err)
		})
		if head, err := c.head(i); err != nil || head != sequence-1 {
			t.Fatalf("%s has head %d, error %v, and decides block %d", c.node(i).Name, head, err, sequence)
		}
	}
	return sequence - 1
}

// A network that is cut in halves decides nothing, since a quorum of four is three (spec wbft 3.2). When the halves
// meet again the chain goes on, without a fork, and with three of four it goes on all the time.
func TestPartition(t *testing.T) {
	t.Parallel()
	c, wires := startWired(t, 4)
	c.awaitHead(t, 3, c.running()...)

	for _, split := range []struct {
		name      string
		interrupt func(*wire)
	}{
		{"packets lost", (*wire).freeze},
		{"connections lost", (*wire).cut},
	} {
		t.Run("halves, "+split.name, func(t *testing.T) {
			between(wires, []int{0, 1}, []int{2, 3}, split.interrupt)
			left, right := c.stuck(t, 0, 1), c.stuck(t, 2, 3)
			expect.That(t, left <= right+1 && right <= left+1, "the halves stopped at blocks %d and %d", left, right)
			between(wires, []int{0, 1}, []int{2, 3}, (*wire).heal)
			healed := time.Now()
			c.awaitHead(t, max(left, right)+1, c.running()...)
			t.Logf("first block %v after the network was whole", time.Since(healed).Round(time.Millisecond))
			c.judge(t, max(left, right)+4, c.running()...)
		})
	}

	t.Run("one apart", func(t *testing.T) {
		majority := []int{0, 1, 2}
		between(wires, majority, []int{3}, (*wire).cut)
		apart := must.Get(c.head(3))(t)
		c.awaitHead(t, apart+6, majority...)
		if head, err := c.head(3); err != nil || head > apart+1 {
			t.Errorf("alone the fourth validator went from block %d to %d, error %v", apart, head, err)
		}
		between(wires, majority, []int{3}, (*wire).heal)
		healed := time.Now()
		c.awaitHead(t, apart+7, 3)
		t.Logf("the fourth validator followed %v after it was connected again", time.Since(healed).Round(time.Millisecond))
		head := must.Get(c.head(0))(t)
		c.judge(t, head+2, c.running()...)
		c.awaitSeal(t, 3, head+2)
	})
}

// awaitSeal waits until a block after number carries node i's seal.
func (c *cluster) awaitSeal(t testing.TB, i int, number uint64) {
	t.Helper()
	address := c.node(i).Address
	c.await(t, "a seal of "+c.node(i).Name, func() (bool, string) {
		head, err := c.head(0)
		if err != nil || head <= number {
			return false, fmt.Sprintf("head %d, error %v", head, err)
		}
		var status struct {
			Activity struct {
				Committed map[string]int `json:"committed"`
			} `json:"sealerActivity"`
		}
		err = c.call(0, &status, "istanbul_status", fmt.Sprintf("%#x", number+1), fmt.Sprintf("%#x", head))
		return err == nil && status.Activity.Committed[strings.ToLower(address.Hex())] > 0,
			fmt.Sprintf("%v, error %v", status, err)
	})
}
