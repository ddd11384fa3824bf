// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/wellknown"
)

// BenchmarkDev measures the time from a submission to its receipt on a developer chain that seals at once, and that of
// anvil in the same run. npm ci in tests/clients installs anvil; without it the ratio is left out.
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
}

// startAnvil returns the endpoint of a running anvil, or "" where none is installed.
func startAnvil(b *testing.B) string {
	b.Helper()
	path, err := filepath.Abs("clients/node_modules/.bin/anvil")
	if err != nil {
		b.Fatal(err)
	}
	if path, err = exec.LookPath(path); err != nil {
		b.Log("no anvil: npm ci in tests/clients installs it")
		return ""
	}
	cmd := exec.Command(path, "--port", "0")
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

// automineMedian returns the median time from a submission to its receipt, of a hundred payments after ten others.
func automineMedian(b *testing.B, url string) time.Duration {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	client, err := gethrpc.DialContext(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
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
