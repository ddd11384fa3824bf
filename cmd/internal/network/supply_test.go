// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package network

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/contracts/store"
	"gwon/core"
	"gwon/eth/codefetch"
	"gwon/eth/codefetch/fetchtest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

func testnetChain(t *testing.T) (*params.Network, codefetch.Chain) {
	t.Helper()
	n, ok := params.NetworkByID(params.TestnetChainID)
	must.That(t, ok, "no testnet")
	chain := must.Get(codefetch.PublicChain(n))(t)
	return &n, chain
}

// Code that a peer has goes into the store of the data directory; an end from outside is an interruption.
func TestSupplyCode(t *testing.T) {
	_, chain := testnetChain(t)
	codes := [][]byte{{0x60, 0xff, 1}, {0x60, 0xff, 2}}
	store := must.Get(store.Open(filepath.Join(t.TempDir(), "contracts")))(t)
	cfg := codefetch.Config{P2P: fetchtest.Settings(t), Chain: chain, Store: store}
	for _, code := range codes {
		cfg.Missing = append(cfg.Missing, core.MissingCode{Hash: crypto.Keccak256Hash(code)})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cfg.P2P.StaticNodes = []*enode.Node{fetchtest.Start(t, chain.Status(), fetchtest.Serving(codes...))}
	must.Do(t, supplyCode(ctx, cfg))
	for i, missing := range cfg.Missing {
		code, err := store.Get(missing.Hash)
		expect.That(t, err == nil && bytes.Equal(code, codes[i]), "code %d: %x, %v", i, code, err)
	}

	ctx, cancel = context.WithCancel(t.Context())
	cfg.Missing[0].Hash[0] ^= 1
	cfg.P2P.StaticNodes = []*enode.Node{fetchtest.Start(t, chain.Status(), func([]common.Hash) [][]byte {
		cancel()
		return nil
	})}
	expect.Error(t, supplyCode(ctx, cfg), program.ErrInterrupted, "interrupted")
}

// A new chain of a public network asks its peers for all its code and does not start without that of genesis; a chain
// that is there starts at once, and says what the running node still has to ask for.
func TestPrepare(t *testing.T) {
	preset, chain := testnetChain(t)
	genesis := datadir.StoredChain{Genesis: preset.GenesisHash, Config: preset.Config()}
	for _, test := range []struct {
		name  string
		chain Chosen
		asks  bool
		fails bool
		lacks int // codes, afterwards
	}{
		{"new", Chosen{preset: preset}, true, true, 0},
		{"before the upgrade", Chosen{preset: preset, stored: genesis}, false, false, 1},
		{"after the upgrade", Chosen{preset: preset,
			stored: datadir.StoredChain{Genesis: genesis.Genesis, Config: genesis.Config, Head: 14_408_500}}, false, false, 0},
		{"private", Chosen{stored: genesis}, false, false, 1},
		{"private without configuration", Chosen{stored: datadir.StoredChain{Genesis: common.Hash{1}}}, false, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := captureLog(t)
			var asked atomic.Int32 // for how many hashes at first
			peer := fetchtest.Start(t, chain.Status(), func(hashes []common.Hash) [][]byte {
				asked.CompareAndSwap(0, int32(len(hashes)))
				return nil
			})
			cfg := settings.Default()
			cfg.Node.DataDir, cfg.Node.IPCPath = t.TempDir(), ""
			cfg.Node.P2P = fetchtest.Settings(t)
			cfg.Node.P2P.BootstrapNodes = []*enode.Node{peer}
			stack := must.Get(node.New(&cfg.Node))(t)
			defer stack.Close() //nolint:errcheck // the test ends
			store := must.Get(cfg.CodeStore())(t)
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			test.chain.patience = time.Second
			lacks, err := test.chain.Prepare(ctx, &cfg, stack, store)
			for ctx.Err() == nil && test.asks && asked.Load() == 0 {
				test.chain.patience *= 2 // on a slow machine the peer is not reached in time
				lacks, err = test.chain.Prepare(ctx, &cfg, stack, store)
			}
			expect.Equal(t, asked.Load() > 0, test.asks, "peers were asked")
			if !test.fails && err != nil {
				t.Error(err)
			}
			expect.That(t, !test.fails || errors.Is(err, codefetch.ErrNotServed), "error %v", err)
			expect.Equal(t, len(lacks), test.lacks, "codes are missing")
			warned := strings.Contains(lines.String(), "will stop at an upgrade whose code is missing; peers are asked for it")
			expect.Equal(t, warned, test.lacks > 0, "warning logged")
			expect.That(t, cfg.Eth.Genesis == nil, "there is a genesis without code")
			if !test.fails {
				return
			}
			for _, want := range []string{"--testnet", "check the connection", "gwon contracts import --datadir",
				"peers asked: "} {
				expect.Contains(t, err.Error(), want, "no %q in", want)
			}
			expect.Equal(t, asked.Load(), 6, "hashes asked for at once")
		})
	}
}

// logLines keeps what is logged.
type logLines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// captureLog keeps the log until the test ends.
func captureLog(t *testing.T) *logLines {
	lines := new(logLines)
	expect.Log(t, log.NewTerminalHandler(lines, false))
	return lines
}
