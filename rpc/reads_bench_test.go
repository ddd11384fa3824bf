// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/door/calls"
)

// BenchmarkReads measures small reads over HTTP through the door, and through the same server without it, in turns:
// 1,000 a second of 16 connections, each from the moment for which it was scheduled, alone and beside 500 transfers a
// second in batches of 50, whose signatures are recovered. Ratios of one run are what counts.
func BenchmarkReads(b *testing.B) {
	const pairs, perSecond, connections, lasts = 3, 1000, 16, 4 * time.Second
	n, _ := startNode(b, Options{})
	handler, err := n.stack.RPCHandler()
	if err != nil {
		b.Fatal(err)
	}
	gethrpc.SetCallTime(5 * time.Second)
	defer gethrpc.SetCallTime(0)
	for _, read := range []struct{ method, params string }{
		{"eth_blockNumber", ""},
		{"eth_getBalance", `"0x0000000000000000000000000000000000000001","latest"`},
		{"eth_call", `{"to":"0x0000000000000000000000000000000000000004","data":"0x01"},"latest"`},
		{"eth_getTransactionReceipt", `"0x0000000000000000000000000000000000000000000000000000000000000001"`},
	} {
		for beside, batches := range map[string][]string{"alone": nil, "batches": transferBatches(b, int(lasts/batchPause))} {
			b.Run(read.method+"/"+beside, func(b *testing.B) {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":[%s]}`, read.method, read.params)
				took := make(map[bool][]time.Duration)
				for b.Loop() {
					for turn := range 2 * pairs {
						doored := turn%2 == 0
						took[doored] = append(took[doored], readAt(b, handler, doored, body, batches, perSecond, connections, lasts)...)
					}
				}
				for doored, name := range map[bool]string{true: "door", false: "none"} {
					slices.Sort(took[doored])
					all := took[doored]
					b.ReportMetric(float64(all[len(all)/2].Microseconds()), "us-p50-"+name)
					b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "us-p99-"+name)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// batchPause is the time from one batch of 50 to the next: 500 transactions a second.
const batchPause = 100 * time.Millisecond

// transferBatches returns batches of 50 transfers each, of an account without coins: the pool recovers their signatures
// and then refuses them, so that no turn leaves anything to the next one.
func transferBatches(b *testing.B, count int) (batches []string) {
	b.Helper()
	signer := types.NewLondonSigner(big.NewInt(8283))
	for i := range count {
		calls := make([]string, 50)
		for j := range calls {
			tx := types.MustSignNewTx(testKey(200), signer, &types.LegacyTx{
				Nonce: uint64(i*len(calls) + j), Gas: 21000, GasPrice: big.NewInt(1e15), To: &common.Address{1},
			})
			calls[j] = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":[%q]}`, encode(b, tx))
		}
		batches = append(batches, "["+strings.Join(calls, ",")+"]")
	}
	return batches
}

// readAt sends requests at a rate, and returns how long each took from the moment for which it was scheduled.
func readAt(
	b *testing.B, handler http.Handler, doored bool, body string, batches []string, perSecond, connections int,
	lasts time.Duration,
) (took []time.Duration) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	server := &http.Server{Handler: gethrpc.Gated(handler), ReadHeaderTimeout: time.Minute}
	if doored {
		gethrpc.SetDoor(calls.New(calls.Limits{Rate: 1 << 20, InFlight: 64}))
		defer gethrpc.SetDoor(nil)
		listener = gethrpc.Bounded(server, listener)
	}
	go server.Serve(listener) //nolint:errcheck // ends with the run
	defer server.Close()      //nolint:errcheck // of the run alone
	runtime.GC()
	var (
		mu      sync.Mutex
		clients sync.WaitGroup
		begun   = time.Now()
	)
	clients.Go(func() {
		for i, batch := range batches {
			time.Sleep(time.Until(begun.Add(time.Duration(i) * batchPause))) // the schedule of an open loop
			answer, err := http.Post(address, "application/json", strings.NewReader(batch))
			if err != nil {
				b.Error(err)
				return
			}
			if text, err := io.ReadAll(answer.Body); err != nil || strings.Count(string(text), "insufficient funds") != 50 {
				b.Errorf("a batch is answered %.200s, %v", text, err)
			}
			_ = answer.Body.Close()
		}
	})
	for c := range connections {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
			defer client.CloseIdleConnections()
			var own []time.Duration
			for i := c; ; i += connections {
				due := begun.Add(time.Duration(i) * time.Second / time.Duration(perSecond))
				if due.Sub(begun) > lasts {
					break
				}
				time.Sleep(time.Until(due)) // the schedule of an open loop
				answer, err := client.Post(address, "application/json", strings.NewReader(body))
				if err != nil {
					b.Error(err)
					return
				}
				text, err := io.ReadAll(answer.Body)
				_ = answer.Body.Close()
				if err != nil || strings.Contains(string(text), `"error"`) {
					b.Errorf("answered %s, %v", text, err)
					return
				}
				own = append(own, time.Since(due))
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
		})
	}
	clients.Wait()
	return took
}
