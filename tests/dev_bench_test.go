// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bufio"
	"context"
	"math/big"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/dev/devnet"
	"gwon/internal/wellknown"
)

// BenchmarkDev measures a developer chain, and anvil in the same run. npm ci in tests/clients installs anvil; without
// it the ratios are left out. The first part is the time from a submission to its receipt, sealed at once.
func BenchmarkDev(b *testing.B) {
	b.Run("automine", func(b *testing.B) {
		c, err := newCluster(workDir(b), 1)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			if err := c.close(); err != nil {
				b.Error(err)
			}
		})
		startDev(b, c)
		c.awaitHead(b, 0, 0)
		other := startAnvil(b)
		for b.Loop() {
			own := automineMedian(b, c.node(0).HTTP())
			b.ReportMetric(own.Seconds()*1000, "ms/receipt")
			if other == "" {
				continue
			}
			theirs := automineMedian(b, other)
			b.ReportMetric(theirs.Seconds()*1000, "ms/receipt-anvil")
			b.ReportMetric(float64(own)/float64(theirs), "x-anvil")
		}
	})
	// Storage of a forked network on the same machine, that nothing has read before, and once more. Anvil forks a chain
	// of anvil.
	b.Run("fork", func(b *testing.B) {
		g := startGoverned(b, 1, func(_ *devnet.Network, genesis map[string]any) {
			storage := make(map[string]any)
			for i := range forkedSlots {
				storage[forkedSlot(i).Hex()] = forkedSlot(i + 1).Hex()
			}
			inside(genesis, "alloc")[forkedAccount.Hex()[2:]] = map[string]any{"balance": "0x1", "storage": storage}
		})
		other := startAnvil(b)
		if other != "" {
			fillAnvil(b, other)
		}
		for b.Loop() {
			cold, warm := readForked(b, startFork(b, g, filepath.Join(workDir(b), "forks")).node(0).HTTP())
			b.ReportMetric(cold.Seconds()*1000, "ms/cold-read")
			b.ReportMetric(warm.Seconds()*1000, "ms/warm-read")
			if other == "" {
				continue
			}
			theirCold, theirWarm := readForked(b, startAnvil(b, "--fork-url", other, "--no-storage-caching"))
			b.ReportMetric(theirCold.Seconds()*1000, "ms/cold-read-anvil")
			b.ReportMetric(theirWarm.Seconds()*1000, "ms/warm-read-anvil")
			b.ReportMetric(float64(cold)/float64(theirCold), "x-cold-anvil")
			b.ReportMetric(float64(warm)/float64(theirWarm), "x-warm-anvil")
		}
	})
}

// forkedSlots is how much storage of forkedAccount a fork reads.
const forkedSlots = 200

var forkedAccount = common.HexToAddress("0x00000000000000000000000000000000ffeec000")

func forkedSlot(i int) common.Hash { return common.BigToHash(big.NewInt(int64(i))) }

// fillAnvil gives a chain of anvil what the genesis of the other network has.
func fillAnvil(b *testing.B, url string) {
	b.Helper()
	client := dialed(b, url)
	for i := range forkedSlots {
		if err := client.Call(nil, "anvil_setStorageAt", forkedAccount, forkedSlot(i), forkedSlot(i+1)); err != nil {
			b.Fatal(err)
		}
	}
	if err := client.Call(nil, "evm_mine"); err != nil {
		b.Fatal(err)
	}
}

// readForked returns the median time of a read of each slot of forkedAccount from a fork, and of the same once more.
func readForked(b *testing.B, url string) (cold, warm time.Duration) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	client := dialed(b, url)
	read := func() time.Duration {
		var times []time.Duration
		for i := range forkedSlots {
			var value common.Hash
			start := time.Now()
			err := client.CallContext(ctx, &value, "eth_getStorageAt", forkedAccount, forkedSlot(i), "latest")
			times = append(times, time.Since(start))
			if err != nil || value != forkedSlot(i+1) {
				b.Fatalf("slot %d is %v, error %v", i, value, err)
			}
		}
		slices.Sort(times)
		return times[len(times)/2]
	}
	return read(), read()
}

// startAnvil returns the endpoint of a running anvil, or "" where none is installed.
func startAnvil(b *testing.B, options ...string) string {
	b.Helper()
	path, err := filepath.Abs("clients/node_modules/.bin/anvil")
	if err != nil {
		b.Fatal(err)
	}
	if path, err = exec.LookPath(path); err != nil {
		b.Log("no anvil: npm ci in tests/clients installs it")
		return ""
	}
	cmd := exec.Command(path, append([]string{"--port", "0"}, options...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill() // gone already when it fails
		_ = cmd.Wait()         // it was killed
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, address, found := strings.Cut(lines.Text(), "Listening on "); found {
			go func() {
				for lines.Scan() { // anvil stops while nothing reads its log
				}
			}()
			return "http://" + strings.TrimSpace(address)
		}
	}
	b.Fatalf("anvil did not start: %v", lines.Err())
	return ""
}

// dialed returns a client of an endpoint.
func dialed(b *testing.B, url string) *gethrpc.Client {
	b.Helper()
	client, err := gethrpc.DialContext(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	return client
}

// automineMedian returns the median time from a submission to its receipt, of a hundred payments after ten others.
func automineMedian(b *testing.B, url string) time.Duration {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	client := dialed(b, url)
	list, err := wellknown.Accounts(wellknown.Mnemonic, 2)
	if err != nil {
		b.Fatal(err)
	}
	payment := map[string]any{"from": list[0].Address, "to": list[1].Address, "value": "0x1"}
	const unmeasured, measured = 10, 100
	var times []time.Duration
	for i := range unmeasured + measured {
		var hash common.Hash
		start := time.Now()
		if err := client.CallContext(ctx, &hash, "eth_sendTransaction", payment); err != nil {
			b.Fatal(err)
		}
		for receipt := (*types.Receipt)(nil); receipt == nil; {
			if err := client.CallContext(ctx, &receipt, "eth_getTransactionReceipt", hash); err != nil {
				b.Fatal(err)
			}
		}
		if i >= unmeasured {
			times = append(times, time.Since(start))
		}
	}
	slices.Sort(times)
	return times[len(times)/2]
}
