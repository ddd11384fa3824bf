// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// devnetOutput is what gwon-dev devnet --json prints.
type devnetOutput struct {
	ChainID    uint64         `json:"chainId"`
	RPC        string         `json:"rpc"`
	Page       string         `json:"page"`
	FeePayer   common.Address `json:"feePayer"`
	Validators []struct {
		Name string `json:"name"`
		PID  int    `json:"pid"`
		RPC  string `json:"rpc"`
	} `json:"validators"`
	Accounts []struct {
		Address    common.Address `json:"address"`
		PrivateKey hexutil.Bytes  `json:"privateKey"`
	} `json:"accounts"`
}

// devnetRun is a running gwon-dev devnet.
type devnetRun struct {
	cmd    *exec.Cmd
	info   devnetOutput
	stderr *strings.Builder
	ended  func() error
}

// runDevnet starts gwon-dev devnet and waits until it says that the network seals blocks.
func runDevnet(t testing.TB, dir string) *devnetRun {
	t.Helper()
	d := &devnetRun{stderr: new(strings.Builder)}
	d.cmd = exec.Command(programPath("gwon-dev"), "devnet", "--json", "--http.port", "0", "--datadir", dir,
		"--validators", "4")
	// Variables for a node of the user's must not reach the validators.
	d.cmd.Env = append(environment(filepath.Dir(dir)), "GWON_TESTNET=true", "GWON_PORT=1", "NO_COLOR=1")
	d.cmd.Stderr = d.stderr
	stdout := must.Get(d.cmd.StdoutPipe())(t)
	must.Do(t, d.cmd.Start())
	d.ended = sync.OnceValue(func() error {
		_, err := io.Copy(io.Discard, stdout)
		return errors.Join(d.cmd.Wait(), err)
	})
	t.Cleanup(func() {
		if d.cmd.ProcessState == nil {
			_ = d.cmd.Process.Signal(syscall.SIGINT) // gone already when it fails
		}
		_ = d.ended() // the test has looked at it where it matters
		if t.Failed() {
			t.Logf("gwon-dev devnet wrote:\n%s", d.stderr)
		}
	})
	lines := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil {
			line = err.Error()
		}
		lines <- line
	}()
	select {
	case line := <-lines:
		must.Do(t, json.Unmarshal([]byte(line), &d.info), "gwon-dev devnet printed", line)
	case <-time.After(2 * patience):
		t.Fatal("gwon-dev devnet did not start")
	}
	return d
}

// await polls until cond answers true.
func await(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(pollInterval) {
		must.That(t, !time.Now().After(deadline), "%s did not happen within %v", what, patience)
	}
}

// gone tells whether a process, of ours or not, has ended.
func gone(pid int) bool {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return true
	}
	// An orphan that nobody has collected yet is a zombie: its state follows the name in parentheses.
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "Z")
}

func (d *devnetRun) head(t testing.TB) uint64 {
	t.Helper()
	var number hexutil.Uint64
	must.Do(t, json.Unmarshal(post(t, d.info.RPC, "eth_blockNumber", `[]`).Result, &number))
	return uint64(number)
}

// interrupt presses Ctrl-C and waits for a clean end.
func (d *devnetRun) interrupt(t testing.TB) {
	t.Helper()
	must.Do(t, d.cmd.Process.Signal(syscall.SIGINT))
	expect.Error(t, d.ended(), nil, "after Ctrl-C")
}

func (d *devnetRun) awaitChildren(t testing.TB) {
	t.Helper()
	for _, v := range d.info.Validators {
		await(t, "the end of "+v.Name, func() bool { return gone(v.PID) })
	}
}

// Ctrl-C ends the network cleanly and a second run continues the same chain.
func TestDevnetContinues(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(workDir(t), "net")
	first := runDevnet(t, dir)
	must.That(t, first.info.ChainID == params.DevnetChainID && len(first.info.Validators) == 4 &&
		len(first.info.Accounts) == 10, "got %+v", first.info)
	await(t, "block 3", func() bool { return first.head(t) >= 3 })
	block := post(t, first.info.RPC, "eth_getBlockByNumber", `["0x3",false]`)
	var unlocked []common.Address
	err := json.Unmarshal(post(t, first.info.RPC, "eth_accounts", `[]`).Result, &unlocked)
	expect.That(t, err == nil && len(unlocked) == 1 && unlocked[0] == first.info.FeePayer,
		"accounts of the first node: %v, error %v, want the fee payer %v", unlocked, err, first.info.FeePayer)
	_, stderr, err := gwonDev(t, dir, "devnet", "--datadir", dir)
	expect.That(t, err != nil && strings.Contains(stderr, "another gwon-dev devnet runs"),
		"a second supervisor: error %v, %q", err, stderr)
	first.interrupt(t)
	first.awaitChildren(t)

	second := runDevnet(t, dir)
	head := second.head(t)
	expect.That(t, head > 3, "the second run is at block %d, the first got to 3 at least", head)
	again := post(t, second.info.RPC, "eth_getBlockByNumber", `["0x3",false]`)
	expect.Equal(t, string(again.Result), string(block.Result), "block 3 was %s, is %s", block.Result, again.Result)
}

// nodes returns what gwon-dev devnet status tells.
func (d *devnetRun) nodes(t testing.TB, dir string) []devnet.NodeState {
	t.Helper()
	var status struct {
		Nodes   []devnet.NodeState
		Network devnet.Info
	}
	d.order(t, dir, &status, "status")
	expect.That(t, status.Network.RPC != "" && len(status.Network.Accounts) == 0,
		"the network is %+v, want its endpoints and no keys", status.Network)
	return status.Nodes
}

// order runs a subcommand of gwon-dev devnet and decodes what it prints.
func (d *devnetRun) order(t testing.TB, dir string, answer any, words ...string) {
	t.Helper()
	args := append([]string{"devnet", words[0], "--json", "--datadir", dir}, words[1:]...)
	stdout, stderr, err := gwonDev(t, filepath.Dir(dir), args...)
	must.That(t, err == nil, "%v: %v: %s", words, err, stderr)
	must.Do(t, json.Unmarshal([]byte(stdout), answer), words, "printed", stdout)
}

// A validator that is killed is told of and does not end the network; from another terminal it is started again, and
// others are stopped until there is no quorum.
func TestDevnetOutlivesValidators(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(workDir(t), "net")
	d := runDevnet(t, dir)
	must.Do(t, syscall.Kill(d.info.Validators[2].PID, syscall.SIGKILL))
	await(t, "the report of the death", func() bool { return !d.nodes(t, dir)[2].Running })
	if fault := d.nodes(t, dir)[2].Fault; !strings.Contains(fault, "node3") || !strings.Contains(fault, "signal: killed") {
		t.Errorf("fault %q, want the name and the signal", fault)
	}
	head := d.head(t)
	await(t, "a block by three of four", func() bool { return d.head(t) > head+1 })

	var states []devnet.NodeState
	d.order(t, dir, &states, "stop", "2")
	expect.That(t, !states[1].Running && states[1].Fault == "", "after stop: %+v", states[1])
	states = nil // what an answer leaves out must not stay
	d.order(t, dir, &states, "start", "node3")
	expect.That(t, states[2].Running && states[2].Fault == "" && states[2].PID != d.info.Validators[2].PID,
		"after start: %+v", states[2])
	head = d.head(t)
	await(t, "a block with the restarted one", func() bool { return d.head(t) > head+1 })
	for words, want := range map[string]string{
		"stop 2": "node2 does not run", "start 3": "node3 runs already", "stop 9": "there is no validator",
		"start": "by its number",
	} {
		args := strings.Fields(words)
		_, stderr, err := gwonDev(t, filepath.Dir(dir), append([]string{"devnet", args[0], "--datadir", dir}, args[1:]...)...)
		expect.That(t, err != nil && strings.Contains(stderr, want), "%s: error %v, %q, want %q", words, err, stderr, want)
	}
	d.interrupt(t)
	d.awaitChildren(t)
	if text := d.stderr.String(); !strings.Contains(text, "3 of 4 validators run: blocks go on") ||
		!regexp.MustCompile(`node3 was started again \(process \d+\): 3 of 4 validators run`).MatchString(text) ||
		strings.Contains(text, "interrupt more") || strings.Contains(text, "Still shutting down") {
		t.Errorf("the devnet wrote:\n%s", text)
	}
	_, stderr, err := gwonDev(t, filepath.Dir(dir), "devnet", "status", "--datadir", dir)
	expect.That(t, err != nil && strings.Contains(stderr, "no gwon-dev devnet runs"),
		"status after the end: error %v, %q", err, stderr)
}

// No validator outlives its supervisor, even when that is killed.
func TestDevnetParentDies(t *testing.T) {
	t.Parallel()
	d := runDevnet(t, filepath.Join(workDir(t), "net"))
	must.Do(t, d.cmd.Process.Kill())
	d.awaitChildren(t)
}
