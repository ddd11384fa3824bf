// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/must"
)

// distance is what a long cable does to bytes.
type distance struct {
	oneWay time.Duration
	loss   float64 // share of packets that are lost on the way and sent again
}

const (
	segment = 1448 // bytes of a TCP packet on an Ethernet
	// retransmission is after what time, besides a round trip, the sender of a lost packet sends it again: the least
	// timeout of Linux. A stream with much to send notices earlier; consensus messages are short.
	retransmission = 200 * time.Millisecond
	inFlight       = 256 // reads that are on the way at most, in each direction of a connection
)

// transit returns how long n bytes are on the way. TCP loses none: what follows a lost packet waits for it.
func (d distance) transit(n int, random func() float64) time.Duration {
	t := d.oneWay
	for ; n > 0; n -= segment {
		if random() < d.loss {
			return t + 2*d.oneWay + retransmission // those behind it are repeated in the same go
		}
	}
	return t
}

func (d distance) String() string {
	return fmt.Sprintf("%dms-%g%%", d.oneWay.Milliseconds(), 100*d.loss)
}

// carry is pump over a distance: bytes arrive in order, each read after its transit and never before the one in front
// of it.
func (w *wire) carry(to, from net.Conn) {
	defer w.pumps.Done()
	type arrival struct {
		bytes []byte
		due   time.Time
	}
	var (
		way  = make(chan arrival, inFlight)
		gone = make(chan struct{})
	)
	go func() {
		defer close(gone)
		defer func() { _ = from.Close() }()
		for a := range way {
			time.Sleep(time.Until(a.due))
			w.mu.Lock()
			open := w.open
			w.mu.Unlock()
			<-open
			if _, err := to.Write(a.bytes); err != nil {
				return
			}
		}
	}()
	defer func() {
		close(way)
		<-gone // what was sent before the end still arrives
		_ = to.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.conns, from)
	}()
	last := time.Now()
	for {
		buffer := make([]byte, 16<<10)
		n, err := from.Read(buffer)
		if n > 0 {
			if due := time.Now().Add(w.distance.transit(n, rand.Float64)); due.After(last) {
				last = due
			}
			select {
			case way <- arrival{buffer[:n], last}:
			case <-gone:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// BenchmarkFar measures the pace of seven idle validators that are far from each other, for a minute each; the period
// is a second.
func BenchmarkFar(b *testing.B) {
	const validators = 7
	for _, d := range []distance{
		{}, {10 * time.Millisecond, 0}, {50 * time.Millisecond, 0}, {150 * time.Millisecond, 0},
		{10 * time.Millisecond, 0.01}, {50 * time.Millisecond, 0.01}, {150 * time.Millisecond, 0.01},
	} {
		b.Run(d.String(), func(b *testing.B) {
			c, _ := startFar(b, validators, d)
			c.awaitHead(b, 10, c.running()...) // all have found each other
			for b.Loop() {
				first := must.Get(c.head(0))(b)
				time.Sleep(time.Minute)
				last := must.Get(c.head(0))(b)
				later, longest := 0, uint64(0)
				blocks := c.chain(b, 0, last)
				for n := first + 1; n <= last; n++ {
					if c.roundOf(b, 0, n) > 0 {
						later++
					}
					longest = max(longest, uint64(blocks[n].Time-blocks[n-1].Time))
				}
				b.ReportMetric(float64(last-first), "blocks/min")
				b.ReportMetric(float64(later), "later-rounds")
				b.ReportMetric(float64(longest), "s/longest")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// roundOf asks in which round a block was sealed.
func (c *cluster) roundOf(t testing.TB, i int, number uint64) uint64 {
	t.Helper()
	var extra struct{ Round hexutil.Uint64 }
	c.must(t, i, &extra, "istanbul_getWbftExtraInfo", hexutil.Uint64(number))
	return uint64(extra.Round)
}
