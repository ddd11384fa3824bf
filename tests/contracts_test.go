// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"context"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/contracts/store"
	"gwon/core"
	"gwon/dev/devnet"
	"gwon/eth/codefetch"
	"gwon/eth/codefetch/fetchtest"
	"gwon/internal/must"
	"gwon/params"
)

// A node gives contract code by its hash to somebody who is still without a chain: code of its genesis, and code that
// came with a later block (spec network 4).
func TestServesContractCode(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(workDir(t), "net")
	prepared, err := devnet.Prepare(devnet.Options{Dir: dir, Validators: 1, Accounts: networkAccounts, ChainID: chainID,
		Period: time.Second})
	must.Do(t, err)
	must.Do(t, prepared.Close())
	// 24 KiB of code stand in for the system contracts', which have as much and cannot be had here.
	atGenesis := bytes.Repeat([]byte{0x60, 0x01, 0x50}, 8<<10)
	file := filepath.Join(dir, "genesis.json")
	text := must.Get(os.ReadFile(file))(t)
	entry := `"alloc": {"00000000000000000000000000000000000c0de0": {"balance": "0x0", "code": "` +
		hexutil.Encode(atGenesis) + `"},`
	changed := strings.Replace(string(text), `"alloc": {`, entry, 1)
	if changed == string(text) {
		t.Fatal("the genesis file has no allocation")
	}
	must.Do(t, os.WriteFile(file, []byte(changed), 0o600))
	given := must.Get(core.ReadGenesis(strings.NewReader(changed)))(t)
	genesis, _, err := core.BuildGenesis(given, nil)
	must.Do(t, err)

	c := must.Get(newCluster(dir, 1))(t)
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	c.start(t, 0)
	c.awaitHead(t, 1, 0)
	later := common.FromHex("0x60ff60ff")
	var hash common.Hash
	c.must(t, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(deployment(t, c, later)))
	if r := c.receipt(t, 0, hash); r.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("the contract was not made: %+v", r)
	}

	store := must.Get(store.Open(filepath.Join(t.TempDir(), "contracts")))(t)
	node := must.Get(enode.Parse(enode.ValidSchemes, c.node(0).Enode()))(t)
	cfg := codefetch.Config{
		P2P:   fetchtest.Settings(t),
		Chain: codefetch.Chain{NetworkID: chainID, Config: genesis.Config, Genesis: genesis.ToBlock().Header()},
		Store: store,
		Missing: []core.MissingCode{
			{Contract: "genesis", Version: "v1", Hash: crypto.Keccak256Hash(atGenesis)},
			{Contract: "later", Version: "v1", Hash: crypto.Keccak256Hash(later)},
		},
		Patience: patience,
	}
	cfg.P2P.StaticNodes = []*enode.Node{node}
	if asked, err := codefetch.Fetch(t.Context(), cfg); err != nil || asked != 1 {
		t.Fatalf("%d peers asked, %v", asked, err)
	}
	for _, code := range [][]byte{atGenesis, later} {
		if got, err := store.Get(crypto.Keccak256Hash(code)); err != nil || !bytes.Equal(got, code) {
			t.Errorf("%d bytes, %v, want %d", len(got), err, len(code))
		}
	}
	// The node has lost nothing by it, and goes on.
	head := must.Get(c.head(0))(t)
	c.awaitHead(t, head+1, 0)
}

// deployment returns a transaction that makes a contract with this code of 4 bytes.
func deployment(t *testing.T, c *cluster, code []byte) []byte {
	t.Helper()
	// PUSH4 code, PUSH1 0, MSTORE, PUSH1 4, PUSH1 28, RETURN
	init := append(append([]byte{0x63}, code...), 0x60, 0x00, 0x52, 0x60, 0x04, 0x60, 0x1c, 0xf3)
	tip, feeCap := c.fees(t, 0)
	id := big.NewInt(chainID)
	tx := must.Get(types.SignNewTx(c.network.Accounts[1].Key(), types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, GasTipCap: tip, GasFeeCap: feeCap, Gas: 200_000, Data: init,
	}))(t)
	return must.Get(tx.MarshalBinary())(t)
}

// gwon --testnet asks its peers for the six codes of chain 8283 (spec chain 9.1, 11), as a node of that network at its
// genesis: the peer here hangs up on others. Ctrl-C ends it without an error.
func TestPublicNetworkAsksForCode(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	n, ok := params.NetworkByID(params.TestnetChainID)
	if !ok {
		t.Fatal("no testnet")
	}
	chain := must.Get(codefetch.PublicChain(n))(t)
	status := chain.Status()
	status.TD, status.Head = big.NewInt(1_000_000), common.Hash{1}
	var once sync.Once
	asked := make(chan []common.Hash, 1)
	peer := fetchtest.Start(t, status, func(hashes []common.Hash) [][]byte {
		once.Do(func() { asked <- hashes })
		return nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "--testnet", "--datadir", filepath.Join(home, "data"), "--port", "0", "--nat",
		"none",
		"--nodiscover", "--bootnodes", peer.URLv4(), "--ipcdisable")
	cmd.Env = environment(home)
	var log strings.Builder
	cmd.Stderr = &log
	must.Do(t, cmd.Start())
	select {
	case hashes := <-asked:
		got := make(map[common.Hash]bool)
		for _, hash := range hashes {
			got[hash] = true
		}
		for _, c := range core.KnownCode() {
			if !got[c.Hash] {
				t.Errorf("not asked for %s %s", c.Contract, c.Version)
			}
		}
		if len(hashes) != 6 {
			t.Errorf("asked for %d codes, want 6", len(hashes))
		}
	case <-ctx.Done():
		t.Error("the peer was not asked")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
	for _, want := range []string{"Contract code requested", "govMinter v2", "Interrupted while asking"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in the log", want)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "data", "gwon", "chaindata")); err == nil {
		t.Error("there is a chain")
	}
	if t.Failed() {
		t.Logf("log:\n%s", log.String())
	}
}
