// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// signerProcess is a running gwon-signer.
type signerProcess struct {
	dir, socket string
	tls         string // host and port for a node on another machine, too; "" for none
	cmd         *exec.Cmd
	log         *os.File
}

// moveToSigner moves the key of a stopped node to a signer.
func (c *cluster) moveToSigner(t *testing.T, i int, flags ...string) *signerProcess {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "signer")
	s := &signerProcess{dir: dir, socket: filepath.Join(t.TempDir(), "s")}
	s.must(t, c.node(i).Address.Hex(), append([]string{"init", "--dir", dir, "--datadir", c.node(i).Dir}, flags...)...)
	return s
}

// must runs a command of gwon-signer whose output has to have a text.
func (s *signerProcess) must(t *testing.T, want string, args ...string) {
	t.Helper()
	out, err := exec.Command(programPath("gwon-signer"), args...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Fatalf("gwon-signer %s: %v, want %q: %s", strings.Join(args, " "), err, want, out)
	}
}

func (s *signerProcess) start(t *testing.T) {
	t.Helper()
	var err error
	s.log, err = os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must.Do(t, err)
	args := []string{"run", "--dir", s.dir, "--socket", s.socket}
	if s.tls != "" {
		args = append(args, "--tls", s.tls)
	}
	s.cmd = exec.Command(programPath("gwon-signer"), args...)
	s.cmd.Stderr = s.log
	must.Do(t, s.cmd.Start())
	t.Cleanup(func() { s.kill() })
}

func (s *signerProcess) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		_ = s.cmd.Wait()         // the same
		_ = s.log.Close()        // written by the process
		s.cmd = nil
	}
}

// awaitProposer waits for a block of a validator after a number, and returns its number.
func (c *cluster) awaitProposer(t *testing.T, at, validator int, after uint64) uint64 {
	t.Helper()
	next := after + 1
	c.await(t, fmt.Sprintf("a block of node %d after %d", validator, after), func() (bool, string) {
		for {
			var header *struct{ Miner common.Address }
			if err := c.call(at, &header, "eth_getBlockByNumber", fmt.Sprintf("%#x", next), false); err != nil || header == nil {
				return false, fmt.Sprintf("no block %d", next)
			}
			if header.Miner == c.node(validator).Address {
				return true, ""
			}
			next++
		}
	})
	return next
}

// A validator whose key is in gwon-signer seals. Without the signer it follows, and seals again by itself when the
// signer is back; a kill of either process leads to no second vote, and a second node with the signer is refused.
// spec: wbft 9.1
func TestSigner(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	const held = 3
	c.awaitHead(t, 3, 0, 1, 2, held)
	c.stop(t, held)
	s := c.moveToSigner(t, held)
	for _, file := range []string{"nodekey", "votes.log"} {
		expect.Error(t, expect.Err(os.Stat(filepath.Join(c.node(held).Dir, "gwon", file))), os.ErrNotExist,
			"%s is still in the data directory", file)
	}
	s.start(t)
	c.start(t, held, "--validator.signer", s.socket)
	number := must.Get(c.head(0))(t)
	c.awaitProposer(t, 0, held, number)
	s.must(t, "process", "status", "--dir", s.dir, "--socket", s.socket)

	// The signer is killed: the node follows. Then it signs again by itself.
	s.kill()
	c.await(t, "a node that says that its signer is away", func() (bool, string) {
		var status struct{ Waiting string }
		err := c.call(held, &status, "istanbul_consensusStatus")
		return err == nil && strings.Contains(status.Waiting, "signer cannot be reached"), fmt.Sprint(status, err)
	})
	number = must.Get(c.head(0))(t)
	c.awaitHead(t, number+5, 0, held)
	s.start(t)
	number = c.awaitProposer(t, held, held, number+5)

	// The node is killed: a new process goes on with the living signer.
	c.kill(t, held)
	c.start(t, held, "--validator.signer", s.socket)
	number = c.awaitProposer(t, held, held, number)

	// A second node with the signer.
	other := filepath.Join(t.TempDir(), "other")
	out, err := runGwon(t, "init", "--datadir", other, filepath.Join(c.network.Dir, "genesis.json"))
	must.That(t, err == nil, "init: %s", out)
	args := []string{
		"--datadir", other, "--mine", "--port", "0", "--nodiscover", "--bootnodes", "", "--validator.signer", s.socket,
	}
	if out, err := runGwon(t, args...); err == nil || !strings.Contains(out, "another node has the right to sign") {
		t.Errorf("a second node: %v: %s", err, out)
	}
	number = c.awaitProposer(t, held, held, number)

	// The right is taken away: only then the other node gets it.
	s.must(t, "has lost it", "release", "--dir", s.dir, "--socket", s.socket)
	c.await(t, "a node that has lost the right", func() (bool, string) {
		var status struct{ Waiting string }
		err := c.call(held, &status, "istanbul_consensusStatus")
		return err == nil && strings.Contains(status.Waiting, "gwon-signer release"), fmt.Sprint(status, err)
	})
	c.stop(t, held)
	c.start(t, held, "--validator.signer", s.socket)
	c.awaitProposer(t, held, held, number)

	for _, i := range []int{0, 1, 2} {
		text := must.Get(os.ReadFile(c.node(i).LogFile()))(t)
		expect.That(t, !strings.Contains(string(text), "misbehavior"), "node %d reports misbehavior", i)
	}
}
