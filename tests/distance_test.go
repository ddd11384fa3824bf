// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
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

// A packet that is lost costs a round trip and the retransmission timeout, whatever else is in the same read.
func TestTransit(t *testing.T) {
	d := distance{oneWay: 50 * time.Millisecond, loss: 0.01}
	for _, test := range []struct {
		bytes, lost int // which packet is lost, from 1; 0 for none
		want        time.Duration
	}{
		{100, 0, 50 * time.Millisecond},
		{100, 1, 350 * time.Millisecond},
		{3 * segment, 3, 350 * time.Millisecond},
		{3 * segment, 4, 50 * time.Millisecond},
	} {
		packet := 0
		got := d.transit(test.bytes, func() float64 {
			if packet++; packet == test.lost {
				return 0.009
			}
			return 0.011
		})
		if got != test.want {
			t.Errorf("%d bytes with packet %d lost take %v, want %v", test.bytes, test.lost, got, test.want)
		}
	}
}

// A long wire passes all bytes, in order, none of them early, and ends with the connection.
func TestLongWire(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	const oneWay = 30 * time.Millisecond
	w := newLongWire(t, listener.Addr().(*net.TCPAddr).Port, distance{oneWay: oneWay, loss: 0.2})
	conn, err := net.Dial("tcp", w.address.String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	far, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = far.Close() }()
	sent := make([]byte, 100_000)
	for i := range sent {
		sent[i] = byte(i / 251)
	}
	start := time.Now()
	if _, err := conn.Write(sent); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 1)
	if _, err := io.ReadFull(far, got); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < oneWay {
		t.Errorf("the first byte took %v", took)
	}
	rest, err := io.ReadAll(far)
	if err != nil {
		t.Fatal(err)
	}
	if got = append(got, rest...); string(got) != string(sent) {
		t.Errorf("%d bytes arrived, not the %d that were sent", len(got), len(sent))
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
				first, err := c.head(0)
				if err != nil {
					b.Fatal(err)
				}
				time.Sleep(time.Minute)
				last, err := c.head(0)
				if err != nil {
					b.Fatal(err)
				}
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
