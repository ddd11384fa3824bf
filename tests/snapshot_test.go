// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// slowFiles gives out a directory. Each request waits for a permit, and reports itself first.
type slowFiles struct {
	http.Handler
	arrived chan string
	permits chan struct{}
}

// ServeHTTP implements http.Handler.
func (s *slowFiles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case s.arrived <- filepath.Base(r.URL.Path):
	case <-r.Context().Done():
		return
	}
	select {
	case <-s.permits:
		s.Handler.ServeHTTP(w, r)
	case <-r.Context().Done():
	}
}

// A sealing validator writes a snapshot and goes on sealing. A new node fetches it from a static server, killed
// before each file, starts with it, serves blocks, receipts and state, and follows the chain (spec wbft 7.1, chain
// 4).
func TestSnapshot(t *testing.T) {
	t.Parallel()
	const past = 300
	c := startAgedCluster(t, 1, past, 20, 0)
	c.awaitHead(t, past+1, 0)
	node, genesis := c.node(0), filepath.Join(c.network.Dir, "genesis.json")
	dir := filepath.Join(workDir(t), "snapshot")
	before := must.Get(c.head(0))(t)
	created := make(chan ended, 1)
	go func() {
		stdout, stderr, err := gwonFor(t, 3*patience, t.TempDir(), "snapshot", "create", "--datadir", node.Dir, dir)
		created <- ended{stdout, stderr, err}
	}()
	made := c.payUntil(t, created) // the state changes meanwhile
	must.That(t, made.err == nil, "create: %v: %s", made.err, made.stderr)
	digest := regexp.MustCompile(`SHA-256 of the manifest: ([0-9a-f]{64})`).FindStringSubmatch(made.stdout)
	must.That(t, digest != nil, "no hash of the manifest in %q", made.stdout)
	c.awaitHead(t, before+2, 0)
	head := must.Get(c.head(0))(t)
	_, stderr, err := gwon(t, t.TempDir(), "snapshot", "verify", "--datadir", t.TempDir(), "--genesis", genesis,
		dir)
	must.That(t, err == nil, "verify: %v: %s", err, stderr)

	follower := c.addFollowers(t, 1)
	data := c.node(follower).Dir
	args := []string{"snapshot", "fetch", "--datadir", data, "--genesis", genesis, "--checkpoint", c.block(t, 0,
		uint64(50)).Hash.Hex(),
		"--manifest", digest[1]}
	_, stderr, err = gwon(t, t.TempDir(), append(args, dir)...)
	must.That(t, err != nil && strings.Contains(stderr,
		"gwon removedb"), "fetch over a chain: %v: %s", err, stderr)
	_, stderr, err = gwon(t, t.TempDir(), "removedb", "--yes", "--datadir", data)
	must.That(t, err == nil, "removedb: %v: %s", err, stderr)
	files := &slowFiles{http.FileServer(http.Dir(dir)), make(chan string), make(chan struct{}, 1000)}
	server := httptest.NewServer(files)
	t.Cleanup(server.Close)
	c.fetchKilled(t, files, append(args, server.URL))
	c.follow(t, follower, []int{0})
	c.atHead(t, follower, 0)

	account := common.BigToAddress(new(big.Int).SetUint64(1<<32 + 7))
	want := c.balance(t, 0, account, "latest")
	got := c.balance(t, follower, account, "latest")
	expect.That(t, got.Cmp(want) == 0 && got.Sign() != 0, "balance %v, want %v", got, want)
	old := c.block(t, 0, uint64(9)).Transactions[3]
	var receipts [2]*types.Receipt
	receipts[0], receipts[1] = c.receipt(t, 0, old), c.receipt(t, follower, old)
	expect.That(t, receipts[0].BlockHash == receipts[1].BlockHash &&
		receipts[0].CumulativeGasUsed == receipts[1].CumulativeGasUsed, "receipt %v, want %v", receipts[1], receipts[0])
	c.sameChain(t, head)
}

// ended is what a command has come to.
type ended struct {
	stdout, stderr string
	err            error
}

// payUntil makes payments, one in each block, until a command has ended.
func (c *cluster) payUntil(t *testing.T, command <-chan ended) ended {
	t.Helper()
	payer := c.network.Accounts[0]
	for {
		nonce := get[hexutil.Uint64](t, c, 0, "eth_getTransactionCount", payer.Address, "latest")
		tip, feeCap := c.fees(t, 0)
		raw := transfer(t, payer.Key(), uint64(nonce), common.BigToAddress(new(big.Int).SetUint64(1<<32+7)), common.Big1,
			tip, feeCap)
		hash := get[common.Hash](t, c, 0, "eth_sendRawTransaction", hexutil.Bytes(raw))
		c.receipt(t, 0, hash)
		select {
		case result := <-command:
			return result
		default:
		}
	}
}

// fetchKilled runs a fetch and kills it before each file that it asks for, until it has asked for all. Then it lets
// it end.
func (c *cluster) fetchKilled(t *testing.T, files *slowFiles, args []string) {
	t.Helper()
	home, seen := t.TempDir(), make(map[string]bool)
	for run := 0; ; run++ {
		cmd := exec.Command(binary, args...)
		cmd.Env = environment(home)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		must.Do(t, cmd.Start())
		end := make(chan error, 1)
		go func() { end <- cmd.Wait() }()
		for killed := false; !killed; {
			select {
			case name := <-files.arrived:
				if seen[name] {
					files.permits <- struct{}{}
					continue
				}
				seen[name] = true
				must.Do(t, cmd.Process.Kill())
				<-end //nolint:errcheck // a kill ends it with an error
				killed = true
			case err := <-end:
				must.That(t, err == nil && run >= 3, "attempt %d ended with %v: %s", run, err, stderr.String())
				return
			case <-time.After(patience):
				_ = cmd.Process.Kill()
				t.Fatalf("attempt %d does not end: %s", run, stderr.String())
			}
		}
		_, err := os.Stat(filepath.Join(args[3], "gwon", "chaindata"))
		must.That(t, errors.Is(err, os.ErrNotExist), "half a database is in place: %v", err)
	}
}
