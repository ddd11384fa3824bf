// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Observer receives the events of a running network. Its methods are called one after the other.
type Observer interface {
	// Ready is called once every node has sealed or imported a block beyond the one it started with. An error ends Run.
	Ready([]*Process) error

	// Stopped is called when a process has ended. The parameter asked reports whether that was requested, running is the
	// number of remaining ones.
	Stopped(p *Process, asked bool, running int)

	// Started is called when a node that had stopped has a process again. The parameter running is the number of all.
	Started(p *Process, running int)
}

// NodeState is one node of a running network.
type NodeState struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	RPC     string `json:"rpc"`
	Running bool   `json:"running"`
	PID     int    `json:"pid,omitempty"`
	Fault   string `json:"fault,omitempty"`   // why it ended, when that was not asked for
	Foreign bool   `json:"foreign,omitempty"` // a process that this network did not start answers at RPC
}

// fleet holds the processes of a running network. One goroutine owns it.
type fleet struct {
	network    *Network
	supervisor *Supervisor
	observer   Observer
	running    map[*Node]*Process
	stopping   map[*Process]chan struct{} // closed once the end is known here
	faults     map[*Node]error
	dead       chan *Process
	requests   chan func()
}

// Run runs the network until ctx ends, which is no error. Until every node has had a block, the end of a process is
// an error. Later the others continue without it, until Start or Restart of the Control, which the function control
// receives.
func (n *Network) Run(ctx context.Context, s *Supervisor, observer Observer, control func(*Control)) (err error) {
	var group errgroup.Group
	for _, node := range n.Nodes {
		group.Go(func() error { return s.Init(ctx, node) })
	}
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	f := &fleet{
		network: n, supervisor: s, observer: observer,
		running: make(map[*Node]*Process), stopping: make(map[*Process]chan struct{}), faults: make(map[*Node]error),
		dead: make(chan *Process), requests: make(chan func()),
	}
	until, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		err = errors.Join(err, f.stopAll())
	}()
	var first []*Process
	for _, node := range n.Nodes {
		p, err := f.start(until, node)
		if err != nil {
			return err
		}
		first = append(first, p)
	}
	started := make(chan error, 1)
	waiting, cancelWait := context.WithTimeout(until, 90*time.Second+2*n.Period)
	defer cancelWait()
	go func() { started <- n.awaitBlocks(waiting) }()
	ready := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case p := <-f.dead:
			if !ready {
				return p.err
			}
			f.buried(p)
		case request := <-f.requests:
			request()
		case err := <-started:
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			control(&Control{f, until}) // before users read that it is there
			if err := observer.Ready(first); err != nil {
				return err
			}
			ready, started = true, nil
		}
	}
}

func (f *fleet) start(ctx context.Context, node *Node) (*Process, error) {
	p, err := f.supervisor.Start(node)
	if err != nil {
		return nil, err
	}
	f.running[node] = p
	delete(f.faults, node)
	go func() {
		<-p.done
		select {
		case f.dead <- p:
		case <-ctx.Done():
		}
	}()
	return p, nil
}

func (f *fleet) buried(p *Process) {
	known, asked := f.stopping[p]
	delete(f.stopping, p)
	delete(f.running, p.Node)
	if asked {
		close(known)
	} else {
		f.faults[p.Node] = p.err
	}
	f.observer.Stopped(p, asked, len(f.running))
}

// stopAll ends all processes at the same time.
func (f *fleet) stopAll() error {
	for _, p := range f.running {
		p.askToStop()
	}
	var errs []error
	for _, p := range f.running {
		errs = append(errs, p.Stop())
	}
	return errors.Join(errs...)
}

func (f *fleet) states() []NodeState {
	var states []NodeState
	for _, node := range f.network.Nodes {
		state := NodeState{Name: node.Name, Address: node.Address.Hex(), RPC: node.HTTP()}
		if p := f.running[node]; p != nil {
			state.Running, state.PID = true, p.Pid()
		}
		if fault := f.faults[node]; fault != nil {
			state.Fault = fault.Error()
		}
		states = append(states, state)
	}
	return states
}

// find returns the node with a number from 1 on or a name.
func (f *fleet) find(which string) (*Node, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(which, "node"))
	if err != nil || number < 1 || number > len(f.network.Nodes) {
		return nil, fmt.Errorf("there is no validator %q: give a number from 1 to %d", which, len(f.network.Nodes))
	}
	return f.network.Nodes[number-1], nil
}

// errNotRunning answers what reaches a network too late.
var errNotRunning = errors.New("the network is shutting down")

// Control starts and stops single nodes of a running network. It is safe for concurrent use.
type Control struct {
	fleet *fleet
	until context.Context
}

// do runs f in the goroutine that owns the fleet.
func (c *Control) do(f func()) error {
	done := make(chan struct{})
	select {
	case c.fleet.requests <- func() { f(); close(done) }:
		<-done
		return nil
	case <-c.until.Done():
		return errNotRunning
	}
}

// States describes every node. Nodes without a process of the network are asked whether another one serves them.
func (c *Control) States() (states []NodeState, err error) {
	if err := c.do(func() { states = c.fleet.states() }); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.until, statusTimeout)
	defer cancel()
	var asked sync.WaitGroup
	for i, node := range c.fleet.network.Nodes {
		if states[i].Running {
			continue
		}
		asked.Go(func() {
			_, err := node.BlockNumber(ctx)
			states[i].Foreign = err == nil
		})
	}
	asked.Wait()
	return states, nil
}

// Info describes the network. A node that does not run has no process.
func (c *Control) Info() (info *Info, err error) {
	err = c.do(func() {
		var processes []*Process
		for _, node := range c.fleet.network.Nodes {
			p := c.fleet.running[node]
			if p == nil {
				p = &Process{Node: node}
			}
			processes = append(processes, p)
		}
		info = c.fleet.network.Info(processes)
	})
	return info, err
}

// Start starts a node that has stopped. which is its number from 1 on, or its name.
func (c *Control) Start(which string) error {
	var err error
	return errors.Join(c.do(func() {
		var node *Node
		if node, err = c.fleet.find(which); err != nil {
			return
		}
		switch p := c.fleet.running[node]; {
		case p != nil && c.fleet.stopping[p] != nil:
			err = fmt.Errorf("%s is still stopping: try again", node.Name)
		case p != nil:
			err = fmt.Errorf("%s runs already", node.Name)
		default:
			err = c.restart(node)
		}
	}), err)
}

func (c *Control) restart(node *Node) error {
	p, err := c.fleet.start(c.until, node)
	if err == nil {
		c.fleet.observer.Started(p, len(c.fleet.running))
	}
	return err
}

// StartAll starts every node that has stopped, and returns how many there were.
func (c *Control) StartAll() (started int, err error) {
	return started, errors.Join(c.do(func() {
		for _, node := range c.fleet.network.Nodes {
			if c.fleet.running[node] != nil {
				continue
			}
			if err = c.restart(node); err != nil {
				return
			}
			started++
		}
	}), err)
}

// Stop ends a node and returns when it is gone. which is its number from 1 on, or its name.
func (c *Control) Stop(which string) error {
	var (
		p     *Process
		known chan struct{}
		err   error
	)
	if closed := c.do(func() {
		var node *Node
		if node, err = c.fleet.find(which); err != nil {
			return
		}
		if p = c.fleet.running[node]; p == nil {
			err = fmt.Errorf("%s does not run", node.Name)
			return
		}
		if known = c.fleet.stopping[p]; known == nil {
			known = make(chan struct{})
			c.fleet.stopping[p] = known
		}
	}); closed != nil || err != nil {
		return errors.Join(closed, err)
	}
	if err := p.Stop(); err != nil {
		return err
	}
	select {
	case <-known:
		return nil
	case <-c.until.Done():
		return errNotRunning
	}
}
