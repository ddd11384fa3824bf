// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/shirou/gopsutil/process"
)

// BenchmarkSponsorLatency submits 500 transactions a second at times that no answer changes, directly and through a
// sponsor in turns. It reports the quantiles of both, what the sponsor adds, and the processor time of a submission.
func BenchmarkSponsorLatency(b *testing.B) {
	const (
		perSecond = 500
		seconds   = 4 // of a turn
		turns     = 3
	)
	c := prepareCluster(b, 1)
	c.start(b, 0)
	c.awaitHead(b, 1, 0)
	payer := c.network.Accounts[3]
	sponsor := startSponsor(b, writeSponsorConfig(b, c, b.TempDir(), payer.Key(), allPolicy))
	node := c.processes[c.node(0)].Pid()
	for range b.N {
		var straight, through []time.Duration
		var directly, sponsored, sponsors float64 // seconds of a processor
		for range turns {
			direct := submissions(b, c, perSecond*seconds, true)
			plain := submissions(b, c, perSecond*seconds, false)
			before := cpuSeconds(b, node)
			straight = append(straight, paced(b, c.node(0).HTTPPort, direct, perSecond)...)
			directly += cpuSeconds(b, node) - before
			before, own := cpuSeconds(b, node), cpuSeconds(b, sponsor.cmd.Process.Pid)
			through = append(through, paced(b, portOf(b, sponsor.url), plain, perSecond)...)
			sponsored += cpuSeconds(b, node) - before
			sponsors += cpuSeconds(b, sponsor.cmd.Process.Pid) - own
		}
		sponsor.stop(b)
		slices.Sort(straight)
		slices.Sort(through)
		for _, q := range []struct {
			name string
			part float64
		}{{"p50", 0.5}, {"p99", 0.99}} {
			i := int(q.part * float64(len(straight)-1))
			b.ReportMetric(ms(straight[i]), "direct-"+q.name+"-ms")
			b.ReportMetric(ms(through[i]), "sponsored-"+q.name+"-ms")
			b.ReportMetric(ms(through[i]-straight[i]), "added-"+q.name+"-ms")
		}
		n := float64(len(straight)) / 1000
		b.ReportMetric(directly/n, "node-direct-cpu-ms")
		b.ReportMetric(sponsored/n, "node-sponsored-cpu-ms")
		b.ReportMetric(sponsors/n, "sponsor-cpu-ms")
		b.ReportMetric(0, "ns/op")
	}
}

// cpuSeconds returns the processor time that a process has used.
func cpuSeconds(b *testing.B, pid int) float64 {
	b.Helper()
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		b.Fatal(err)
	}
	times, err := p.Times()
	if err != nil {
		b.Fatal(err)
	}
	return times.User + times.System
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func portOf(b *testing.B, text string) int {
	b.Helper()
	u, err := url.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		b.Fatal(err)
	}
	return port
}

// submissions signs n transfers of nothing, each of a new account: with a fee payer, or for a sponsor.
func submissions(b *testing.B, c *cluster, n int, delegated bool) []string {
	b.Helper()
	tip, feeCap := c.fees(b, 0)
	feeCap.Mul(feeCap, big.NewInt(10))
	id := big.NewInt(chainID)
	payer := c.network.Accounts[2]
	bodies := make([]string, n)
	for i := range bodies {
		key, err := crypto.GenerateKey()
		if err != nil {
			b.Fatal(err)
		}
		tx, err := types.SignNewTx(key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
			ChainID: id, GasTipCap: tip, GasFeeCap: feeCap, Gas: gethparams.TxGas,
			To: &common.Address{0xaa}, Value: new(big.Int),
		})
		if err == nil && delegated {
			if tx, err = types.WrapFeeDelegated(tx, payer.Address); err == nil {
				tx, err = types.SignTx(tx, types.NewFeeDelegateSigner(id), payer.Key())
			}
		}
		if err != nil {
			b.Fatal(err)
		}
		raw, err := tx.MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		bodies[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["%v"]}`,
			hexutil.Bytes(raw))
	}
	return bodies
}

// paced sends calls at a rate over connections that stay, and returns the times to their answers. A time begins when
// the call was due, so that a stall counts for all calls that it delays.
func paced(b *testing.B, port int, bodies []string, perSecond int) []time.Duration {
	b.Helper()
	const connections = 128
	times := make([]time.Duration, len(bodies))
	begin := time.Now().Add(100 * time.Millisecond)
	var group sync.WaitGroup
	for worker := range connections {
		l, err := dialLine(port)
		if err != nil {
			b.Fatal(err)
		}
		group.Go(func() {
			defer func() { _ = l.conn.Close() }() // all answers have been read
			for i := worker; i < len(bodies); i += connections {
				due := begin.Add(time.Duration(i) * time.Second / time.Duration(perSecond))
				time.Sleep(time.Until(due)) // the rate of the benchmark
				if _, err := l.ask(bodies[i]); err != nil {
					b.Error(err)
					return
				}
				times[i] = time.Since(due)
			}
		})
	}
	group.Wait()
	return times
}
