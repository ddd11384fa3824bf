// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"encoding/hex"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// The machine of a validator dies. Its operator's stand-by, a node with a key of its own, is registered in its place
// when blocks show the absence, seals from the next epoch on, and hands the place back on request. The former validator
// follows when it is back. spec: system-contracts 3.2
func TestStandby(t *testing.T) {
	t.Parallel()
	const epochLength, absence = 5, 10
	g := startGoverned(t, 5, withoutLast(epochLength))
	operator := g.network.Accounts[3]
	key := filepath.Join(t.TempDir(), "operator")
	must.Do(t, os.WriteFile(key, []byte(hex.EncodeToString(crypto.FromECDSA(operator.Key()))), 0o600))
	flags := func(node int, more ...string) []string {
		return append([]string{"--rpc", g.node(node).HTTP(), "--datadir", g.node(node).Dir, "--key", key}, more...)
	}
	var former common.Address
	for _, node := range g.network.Nodes[:4] {
		if g.operatorOf(t, node.Address) == operator.Address {
			former = node.Address
		}
	}
	dead := slices.IndexFunc(g.network.Nodes, func(n *devnet.Node) bool { return n.Address == former })
	must.That(t, dead >= 0 && dead <= 3, "the operator %v has no validator", operator.Address)
	g.awaitHead(t, absence+1, 0, 4)

	out, stderr, err := gwon(t, t.TempDir(), append([]string{"validator", "standby", "check"},
		flags(4, "--absence", "10")...)...)
	must.That(t, err == nil && strings.Contains(out, "This stand-by is ready") && strings.Contains(out, former.Hex()),
		"check: %v\n%s%s", err, out, stderr)
	if _, stderr, err := gwon(t, t.TempDir(), append([]string{"validator", "standby", "check"},
		flags(0, "--absence", "10")...)...); err == nil || !strings.Contains(stderr, "AlreadyValidatorExists") &&
		!strings.Contains(stderr, "another operator") && !strings.Contains(stderr, "would not work") {
		t.Errorf("check of another operator's validator: %v\n%s", err, stderr)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	probes := "127.0.0.1:" + strconv.Itoa(freePort(t))
	watcher := exec.CommandContext(ctx, binary, append([]string{"validator", "standby"},
		flags(4, "--absence", "10", "--listen", probes)...)...)
	log := must.Get(os.Create(filepath.Join(workDir(t), "standby.log")))(t)
	watcher.Stdout, watcher.Stderr, watcher.Env = log, log, environment(t.TempDir())
	must.Do(t, watcher.Start())
	defer func() {
		_ = watcher.Process.Signal(syscall.SIGTERM)
		_ = watcher.Wait()
	}()
	g.await(t, "a stand-by that is ready", func() (bool, string) {
		response, err := http.Get("http://" + probes + "/readyz")
		if err != nil {
			return false, err.Error()
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK, response.Status
	})

	g.kill(t, dead)
	standby := g.node(4).Address
	joined := g.awaitValidator(t, standby)
	if set := g.validatorsAt(t, joined); slices.Contains(set, former) || len(set) != 4 {
		t.Errorf("block %d is sealed by %v, the former validator %v among them, or others than four", joined, set, former)
	}
	g.awaitHead(t, joined+10, 0, 4)
	own := 0
	for _, b := range g.chain(t, 0, joined+10)[joined:] {
		if b.Miner == standby {
			own++
		}
	}
	expect.That(t, own != 0, "the stand-by proposed none of the blocks %d to %d", joined, joined+10)

	g.start(t, dead)
	g.awaitHead(t, joined+10, dead)
	out, stderr, err = gwon(t, t.TempDir(), append([]string{"validator", "standby", "--switch"}, flags(dead)...)...)
	must.That(t, err == nil && strings.Contains(out, "is registered in place of"),
		"switch back: %v\n%s%s", err, out, stderr)
	back := g.awaitValidator(t, former)
	g.awaitHead(t, back+absence+epochLength, 0, 4, dead)
	if set := g.validatorsAt(t, back+absence+epochLength); !slices.Contains(set, former) || slices.Contains(set, standby) {
		t.Errorf("the stand-by took the place of a validator that seals: %v", set)
	}
	g.sameChain(t, back+absence)
}

// operatorOf returns the operator of a validator.
func (g *governed) operatorOf(t *testing.T, validator common.Address) common.Address {
	t.Helper()
	out := get[hexutil.Bytes](t, g, 0, "eth_call", map[string]any{"to": params.GovValidatorAddress,
		"input": hexutil.Bytes(govValidator.PackValidatorToOperator(validator))}, "latest")
	return must.Get(govValidator.UnpackValidatorToOperator(out))(t)
}

// registration returns the validator that an operator has registered, by the number of the operator's account.
func (g *governed) registration(operator int) (address common.Address, err error) {
	var out hexutil.Bytes
	err = g.call(0, &out, "eth_call", map[string]any{"to": params.GovValidatorAddress,
		"input": hexutil.Bytes(govValidator.PackOperatorToValidator(g.network.Accounts[operator].Address))}, "latest")
	if err != nil {
		return address, err
	}
	return govValidator.UnpackOperatorToValidator(out)
}

// awaitValidator waits until a validator is in the set, and returns the first block of that set that was seen.
func (g *governed) awaitValidator(t *testing.T, address common.Address) (number uint64) {
	t.Helper()
	g.await(t, "a change of the set", func() (bool, string) {
		head, err := g.head(0)
		if err != nil {
			return false, err.Error()
		}
		var set []common.Address
		if err := g.call(0, &set, "istanbul_getValidators", hexutil.Uint64(head)); err != nil {
			return false, err.Error()
		}
		number = head
		return slices.Contains(set, address), "set of block " + hexutil.EncodeUint64(head)
	})
	return number
}
