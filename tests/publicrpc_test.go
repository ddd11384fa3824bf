// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/finality"
)

// A node proves its blocks to a program that knows the genesis block only, and gwon proof verify agrees.
// spec: wbft 3.1, 7.5
func TestFinalityProofOfNode(t *testing.T) {
	c := oneNode(t)
	c.awaitHead(t, 12, 0) // beyond the first epoch
	var genesis *types.Header
	c.must(t, 0, &genesis, "eth_getBlockByNumber", "0x0", false)
	var answer json.RawMessage
	c.must(t, 0, &answer, "istanbul_getFinalityProof", "0xc")
	proof, err := finality.Decode(strings.NewReader(string(answer)))
	if err != nil {
		t.Fatal(err)
	}
	header, err := finality.Verify(proof, finality.Genesis(genesis))
	if err != nil {
		t.Fatal(err)
	}
	if want := c.block(t, 0, "0xc").Hash; header.Hash() != want {
		t.Errorf("block %v is proven, want %v", header.Hash(), want)
	}
	file := filepath.Join(t.TempDir(), "proof.json")
	if err := os.WriteFile(file, answer, 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, err := gwon(t, t.TempDir(), "proof", "verify", "--trusted", genesis.Hash().Hex(), file)
	if err != nil || !strings.Contains(out, "Block 12 is final") {
		t.Errorf("%s, %v", out, err)
	}
	_, says, err := gwon(t, t.TempDir(), "proof", "verify", "--testnet", file)
	if err == nil || !strings.Contains(says, "another chain") {
		t.Errorf("the proof of another chain: %v, %s", err, says)
	}
}

// abuses are bodies that one client sends as fast as it can.
var abuses = map[string]string{
	"idle":  "",
	"flood": `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`,
	"batches": "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"},`, 999) +
		`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}]`,
	"loops":   `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"data":"0x5b600056"},"latest"]}`,
	"logs":    `{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x0","toBlock":"0x270f"}]}`,
	"garbage": "[" + strings.Repeat("[", 1<<16),
}

// BenchmarkAbuse reports the 99th percentile in milliseconds of what one client of a public node waits while another
// client abuses the node. Compare each kind with idle: the goal is twice as long at most.
func BenchmarkAbuse(b *testing.B) {
	c := prepareCluster(b, 1)
	startDev(b, c, "--rpc.profile", "public", "--rpc.trustedproxies", "127.0.0.0/8")
	c.awaitHead(b, 0, 0)
	url := fmt.Sprintf("http://127.0.0.1:%d", c.node(0).HTTPPort)
	kinds := []string{"idle", "flood", "batches", "loops", "logs", "garbage"}
	for _, kind := range kinds {
		b.Run(kind, func(b *testing.B) {
			ctx, cancel := context.WithCancel(context.Background())
			var abusers sync.WaitGroup
			for n := 0; n < 32 && abuses[kind] != ""; n++ {
				abusers.Go(func() {
					for ctx.Err() == nil {
						_ = request(ctx, url, "203.0.113.66", abuses[kind]) // refusals are the point
					}
				})
			}
			measured := map[string]string{
				"blockNumber": `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`,
				"getBalance": `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance",` +
					`"params":["0x0000000000000000000000000000000000001000","latest"]}`,
				"call": `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"data":"0x00"},"latest"]}`,
			}
			waits := make(map[string][]time.Duration)
			for range b.N {
				for name, body := range measured {
					begun := time.Now()
					if err := request(ctx, url, "198.51.100.7", body); err != nil {
						b.Error(err)
					}
					waits[name] = append(waits[name], time.Since(begun))
				}
			}
			cancel()
			abusers.Wait()
			for name, list := range waits {
				slices.Sort(list)
				b.ReportMetric(float64(list[len(list)*99/100].Microseconds())/1000, name+"-p99-ms")
			}
		})
	}
}

// request posts a body as a proxy does for a client, and reads the answer.
func request(ctx context.Context, url, client, body string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", client)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", answer.Status)
	}
	return nil
}
