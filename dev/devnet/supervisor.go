// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
package devnet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Time a process has for its own end before it is killed, and a network for its first block beyond the period.
const (
	stopTimeout = 20 * time.Second

	statusTimeout = 2 * time.Second // for a node to say how it is
)

// Process is the running process of a node.
type Process struct {
	Node *Node
	cmd  *exec.Cmd
	life io.Closer // standard input: the node ends when it is closed, also by our own death
	ask  sync.Once
	done chan struct{}
	err  error // why it ended; set before done is closed
}

// Pid returns the process id, 0 for a node that does not run.
func (p *Process) Pid() int {
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Done is closed when the process has ended and its log is written.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns the reason why the process ended, in a sentence with the name of its node. Call it after Done is
// closed.
func (p *Process) Err() error { return p.err }

// Kill ends the process like a crash, and waits for its end.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.Node.Name, err)
	}
	<-p.done
	return nil
}

// Stop asks the process to end and waits for it; after stopTimeout it is killed, which is an error.
func (p *Process) Stop() error {
	p.askToStop()
	select {
	case <-p.done:
		return nil
	case <-time.After(stopTimeout):
		return errors.Join(fmt.Errorf("%s did not stop within %v and was killed", p.Node.Name, stopTimeout), p.Kill())
	}
}

func (p *Process) askToStop() {
	p.ask.Do(func() {
		interrupt(p.cmd.Process)
		_ = p.life.Close() // fails only when it is closed already
	})
}

// Supervisor starts the processes of a network.
type Supervisor struct {
	binary  string
	sink    *logSink
	starter chan func() // runs on one operating-system thread
}

// NewSupervisor returns a supervisor that runs binary. It writes all lines of the nodes' logs to w, or those that
// matter to a watcher; w may be nil. The parameter color is for terminals. Close ends it.
func NewSupervisor(binary string, w io.Writer, all, color bool) *Supervisor {
	s := &Supervisor{
		binary:  binary,
		sink:    &logSink{w: w, all: all, color: color, width: len("node00")},
		starter: make(chan func()),
	}
	// The kernel kills a child when the thread that made it ends: that thread has to live as long as the network.
	go func() {
		runtime.LockOSThread()
		relaxTimers()
		for f := range s.starter {
			f()
		}
	}()
	return s
}

// ShowErrorsOnly keeps all but errors of the nodes out of the terminal, before any node is started.
func (s *Supervisor) ShowErrorsOnly() { s.sink.errors = true }

// Close ends the supervisor. Processes that still run are killed by the kernel where it can, and end by themselves
// elsewhere: stop them first.
func (s *Supervisor) Close() { close(s.starter) }

// Init writes the genesis block into the data directory of a node.
func (s *Supervisor) Init(ctx context.Context, n *Node) error {
	p, err := s.StartWith(n, n.InitArgs())
	if err != nil {
		return err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return errors.Join(ctx.Err(), p.Stop())
	}
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("write genesis block: %w", p.err)
	}
	return nil
}

// Start starts the node.
func (s *Supervisor) Start(n *Node, extra ...string) (*Process, error) {
	return s.StartWith(n, append(n.Args(), extra...))
}

// StartWith starts a process of the node with other arguments than its own.
func (s *Supervisor) StartWith(n *Node, args []string) (*Process, error) {
	p := &Process{Node: n, cmd: exec.Command(s.binary, args...), done: make(chan struct{})}
	p.cmd.Env = nodeEnvironment(os.Environ())
	detach(p.cmd)
	output, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", n.Name, err)
	}
	p.cmd.Stdout = nil
	if p.life, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", n.Name, err)
	}
	started := make(chan error)
	s.starter <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", n.Name, err)
	}
	go func() {
		last, logErr := s.sink.copyLog(n, n.index(), output)
		if logErr != nil {
			_, _ = io.Copy(io.Discard, output) // a full disk must not block the node
		}
		p.err = errors.Join(death(n, p.cmd.Wait(), last), logErr)
		close(p.done)
	}()
	return p, nil
}

// nodeEnvironment drops the variables that stand for flags: they are meant for a node of the user, not for ours.
func nodeEnvironment(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "GWON_") })
}

// death says which node ended and why.
func death(n *Node, err error, last string) error {
	reason := "it ended without an error"
	if err != nil {
		reason = err.Error()
	}
	if last != "" {
		return fmt.Errorf("%s (validator %s) stopped: %s; its last words: %s", n.Name, n.Address.Hex(), reason, last)
	}
	return fmt.Errorf("%s (validator %s) stopped: %s", n.Name, n.Address.Hex(), reason)
}

func (n *Node) index() int {
	for i, other := range n.network.Nodes {
		if other == n {
			return i
		}
	}
	return 0
}

// awaitBlocks returns once every node has a block above the one it reported first.
func (n *Network) awaitBlocks(ctx context.Context) error {
	for _, node := range n.Nodes {
		first, seen := uint64(0), false
		for {
			number, err := node.BlockNumber(ctx)
			if err == nil && !seen {
				first, seen = number, true
			}
			if err == nil && number > first {
				break
			}
			select {
			case <-ctx.Done():
				if err != nil {
					return fmt.Errorf("%s does not answer on %s: %w (its log: %s)", node.Name, node.HTTP(), err, node.LogFile())
				}
				return fmt.Errorf("%s stays at block %d (its log: %s)%s", node.Name, number, node.LogFile(), n.whyStill())
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	return nil
}

// whyStill returns the reason why the network does not continue and the remedy, if known. Validators with lost votes
// wait for others to decide a block, and may wait for each other.
func (n *Network) whyStill() string {
	waiting, lost, head := 0, false, uint64(0)
	for _, node := range n.Nodes {
		ctx, cancel := context.WithTimeout(context.Background(), statusTimeout)
		if number, err := node.BlockNumber(ctx); err == nil {
			head = max(head, number)
		}
		if reason, err := node.waits(ctx); err == nil && reason != "" {
			waiting++
			lost = lost || strings.Contains(reason, signFromOption)
		}
		cancel()
	}
	if waiting == 0 {
		return ""
	}
	text := fmt.Sprintf(": %d of %d validators wait because their votes.log is missing or old; put the files back, or "+
		"begin a new chain with --reset",
		waiting, len(n.Nodes))
	if lost {
		text += fmt.Sprintf(". If the files are gone, this goes on with the chain: %s %s %d", n.Command, signFromOption,
			head+1)
	}
	return text
}

// waits asks the node why it signs nothing for now, as when votes of its key are lost; "" if it signs.
func (n *Node) waits(ctx context.Context) (string, error) {
	var status struct{ Waiting string }
	err := n.ask(ctx, &status, "istanbul_consensusStatus")
	return status.Waiting, err
}

// BlockNumber asks the node for its head.
func (n *Node) BlockNumber(ctx context.Context) (uint64, error) {
	var number hexutil.Uint64
	err := n.ask(ctx, &number, "eth_blockNumber")
	return uint64(number), err
}

// ask calls a method of the node without arguments.
func (n *Node) ask(ctx context.Context, result any, method string) error {
	client, err := gethrpc.DialContext(ctx, n.HTTP())
	if err != nil {
		return err
	}
	defer client.Close()
	return client.CallContext(ctx, result, method)
}
