// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && linux

package tests

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/dev/devnet"
	"gwon/internal/must"
)

// host is a machine of an operator: a node with a key of its own, the watcher of a stand-by beside it, and perhaps a
// signer that has the key.
type host struct {
	index, operator int
	registration    []string       // flags that name its key
	signer          *signerProcess // nil for a key on the node
	link            *wire          // to a signer on another machine, nil for one on this
	watcher         *exec.Cmd      // nil while the host is down
	log             *os.File       // of the watcher
}

// operators is a network whose operators have two hosts each: host i and host i + count are of operator i.
type operators struct {
	*governed
	count   int
	hosts   []*host
	wires   [][]*wire          // between the nodes
	keys    []string           // files with the keys of the operators' accounts
	clocked *devnet.Supervisor // runs the nodes whose clock is wrong
	absence string             // blocks
}

// clockVariable is the environment variable that sets the clock of a faulty node (package nodestart).
const clockVariable = "FAULTY_CLOCK"

// startOperators starts a network of operators whose hosts have their keys on the node. The first count hosts are the
// validators.
func startOperators(t *testing.T, count, epochLength, absence int) *operators {
	t.Helper()
	t.Setenv(faultyMode, "honest")
	t.Setenv(clockVariable, "")
	o := &operators{
		governed: prepareGoverned(t, 2*count, withoutLastOf(count, epochLength)), count: count,
		clocked: devnet.NewSupervisor(faultyBinary(t), nil, false, false), absence: fmt.Sprint(absence),
	}
	t.Cleanup(o.clocked.Close)
	o.wires = o.wire(t, distance{})
	t.Cleanup(func() { // before the wires are taken down
		for _, h := range o.hosts {
			o.kill(t, h) // also one that hangs
		}
	})
	dir := t.TempDir()
	for i := range count {
		key := filepath.Join(dir, fmt.Sprint("operator", i))
		text := hex.EncodeToString(crypto.FromECDSA(o.network.Accounts[i].Key()))
		must.Do(t, os.WriteFile(key, []byte(text), 0o600))
		o.keys = append(o.keys, key)
	}
	for i := range 2 * count {
		h := &host{index: i, operator: i % count}
		out, stderr, err := gwon(t, t.TempDir(), "validator", "show", "--json", "--datadir", o.node(i).Dir)
		var shown struct{ Address, BLSPublicKey, ProofOfPossession string }
		if err == nil {
			err = json.Unmarshal([]byte(out), &shown)
		}
		must.That(t, err == nil, "validator show: %v: %s", err, stderr)
		h.registration = []string{"--validator", shown.Address, "--bls-key", shown.BLSPublicKey, "--pop",
			shown.ProofOfPossession}
		h.log = must.Get(os.Create(filepath.Join(o.node(i).Dir, "standby.log")))(t)
		t.Cleanup(func() { _ = h.log.Close() }) // written by the watcher
		o.hosts = append(o.hosts, h)
		o.start(t, h, 0)
	}
	return o
}

// useSigner moves the key of a host to a signer, on the host or on a machine of its own.
func (o *operators) useSigner(t *testing.T, h *host, remote bool) {
	t.Helper()
	o.kill(t, h)
	if remote {
		port := freePort(t)
		h.signer = o.moveToSigner(t, h.index, "--tls")
		h.signer.tls = fmt.Sprintf("127.0.0.1:%d", port)
		h.link = newWire(t, port)
		h.signer.start(t)
	} else {
		h.signer = o.moveToSigner(t, h.index)
	}
	o.start(t, h, 0)
}

// start starts what runs on a host, whose clock is off.
func (o *operators) start(t *testing.T, h *host, off time.Duration) {
	t.Helper()
	node := o.node(h.index)
	var flags []string
	switch {
	case h.link != nil:
		flags = []string{"--validator.signer", fmt.Sprintf("127.0.0.1:%d", h.link.port()),
			"--validator.signer.credentials", filepath.Join(h.signer.dir, "node.pem")}
	case h.signer != nil:
		h.signer.start(t)
		flags = []string{"--validator.signer", h.signer.socket}
	}
	supervisor := o.supervisor
	if off != 0 {
		supervisor = o.clocked
		if err := os.Setenv(clockVariable, off.String()); err != nil { // startOperators restores it
			t.Fatal(err)
		}
	}
	p := must.Get(supervisor.Start(node, flags...))(t)
	o.processes[node] = p
	h.watcher = exec.Command(binary, append([]string{"validator", "standby", "--rpc", node.HTTP(), "--key",
		o.keys[h.operator], "--absence", o.absence}, h.registration...)...)
	h.watcher.Stdout, h.watcher.Stderr, h.watcher.Env = h.log, h.log, environment(node.Dir)
	must.Do(t, h.watcher.Start())
}

// kill ends what runs on a host as a loss of power does. A signer on another machine stays.
func (o *operators) kill(t *testing.T, h *host) {
	t.Helper()
	if h.watcher == nil {
		return
	}
	_ = h.watcher.Process.Kill() // it may have ended
	_ = h.watcher.Wait()         // the same
	h.watcher = nil
	if node := o.node(h.index); o.processes[node] != nil {
		o.governed.kill(t, h.index)
	}
	if h.signer != nil && h.link == nil {
		h.signer.kill()
	}
}

// pids returns the processes on a host.
func (o *operators) pids(h *host) (pids []int) {
	if p := o.processes[o.node(h.index)]; p != nil {
		pids = append(pids, p.Pid())
	}
	if h.watcher != nil {
		pids = append(pids, h.watcher.Process.Pid)
	}
	if h.signer != nil && h.link == nil && h.signer.cmd != nil {
		pids = append(pids, h.signer.cmd.Process.Pid)
	}
	return pids
}

// signal sends a signal to processes, some of which may have ended.
func signal(pids []int, sig syscall.Signal) (err error) {
	for _, pid := range pids {
		if e := syscall.Kill(pid, sig); !errors.Is(e, syscall.ESRCH) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// hang stops all processes of a host until the returned function continues them.
func (o *operators) hang(t *testing.T, h *host) (end func()) {
	t.Helper()
	pids := o.pids(h)
	must.Do(t, signal(pids, syscall.SIGSTOP))
	return func() {
		must.Do(t, signal(pids, syscall.SIGCONT))
	}
}

// slow hangs a host again and again, as an overloaded disk does that answers late.
func (o *operators) slow(t *testing.T, h *host) (end func()) {
	t.Helper()
	const stopped, running = 300 * time.Millisecond, 200 * time.Millisecond
	pids := o.pids(h)
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			for _, step := range []struct {
				signal syscall.Signal
				lasts  time.Duration
			}{{syscall.SIGSTOP, stopped}, {syscall.SIGCONT, running}} {
				if err := signal(pids, step.signal); err != nil {
					ended <- err
					return
				}
				select {
				case <-time.After(step.lasts):
				case <-done:
					ended <- signal(pids, syscall.SIGCONT)
					return
				}
			}
		}
	}()
	return func() {
		close(done)
		must.Do(t, <-ended)
	}
}

// part does something to all wires between hosts and the rest.
func (o *operators) part(hosts []int, f func(*wire)) {
	var rest []int
	for i := range o.hosts {
		if !slices.Contains(hosts, i) {
			rest = append(rest, i)
		}
	}
	between(o.wires, hosts, rest, f)
}

// set returns the hosts that seal a block, by operator, as node i says; nil for none.
func (o *operators) set(i int, number any) ([]*host, error) {
	var addresses []common.Address
	if err := o.call(i, &addresses, "istanbul_getValidators", number); err != nil {
		return nil, err
	}
	set := make([]*host, o.count)
	for _, h := range o.hosts {
		if slices.Contains(addresses, o.node(h.index).Address) {
			set[h.operator] = h
		}
	}
	return set, nil
}

// settle waits until all hosts follow, and each operator has one host that is registered, in the set, and seals. It
// returns the head.
func (o *operators) settle(t *testing.T) (head uint64) {
	t.Helper()
	for _, h := range o.hosts {
		o.awaitHead(t, 0, h.index)
		number := must.Get(o.head(h.index))(t)
		head = max(head, number)
	}
	for _, h := range o.hosts {
		o.awaitHead(t, head+2, h.index)
	}
	var set []*host
	for operator := range o.count {
		o.await(t, fmt.Sprintf("a registered validator of operator %d in the set", operator), func() (bool, string) {
			registered, err := o.registration(operator)
			if err == nil {
				set, err = o.set(0, "pending")
			}
			return err == nil && set[operator] != nil && o.node(set[operator].index).Address == registered,
				fmt.Sprintf("%v is registered, error %v", registered, err)
		})
	}
	for _, h := range set {
		o.awaitSeal(t, h.index, head)
	}
	head = must.Get(o.head(0))(t)
	return head
}
