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
)

// BenchmarkSponsorLatency submits 500 transactions a second for ten seconds, directly and through a sponsor. It
// reports the quantiles of both and of what the sponsor adds.
func BenchmarkSponsorLatency(b *testing.B) {
	const (
		perSecond = 500
		seconds   = 10
	)
	c := prepareCluster(b, 1)
	c.start(b, 0)
	c.awaitHead(b, 1, 0)
	payer := c.network.Accounts[3]
	sponsor := startSponsor(b, writeSponsorConfig(b, c, b.TempDir(), payer.Key(), allPolicy))
	for range b.N {
		direct := submissions(b, c, perSecond*seconds, true)
		sponsored := submissions(b, c, perSecond*seconds, false)
		straight := paced(b, c.node(0).HTTPPort, direct, perSecond)
		through := paced(b, portOf(b, sponsor.url), sponsored, perSecond)
		for _, q := range []struct {
			name string
			part float64
		}{{"p50", 0.5}, {"p99", 0.99}} {
			i := int(q.part * float64(len(straight)-1))
			b.ReportMetric(ms(straight[i]), "direct-"+q.name+"-ms")
			b.ReportMetric(ms(through[i]), "sponsored-"+q.name+"-ms")
			b.ReportMetric(ms(through[i]-straight[i]), "added-"+q.name+"-ms")
		}
	}
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

// paced sends calls at a rate over connections that stay, and returns the sorted times to their answers. A time begins
// when the call was due, so that a stall counts for all calls that it delays.
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
	slices.Sort(times)
	return times
}
