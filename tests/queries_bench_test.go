// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/dev/devnet"
	"gwon/internal/must"
)

// line is a connection that asks a node over HTTP. The client of package net/http would take as much of the machine
// as the node.
type line struct {
	conn net.Conn
	in   *bufio.Reader
	to   string
}

// errBusy is the refusal of a node that has too many calls like this one.
var errBusy = errors.New("busy")

func dialLine(port int) (*line, error) {
	to := fmt.Sprintf("127.0.0.1:%d", port)
	conn, err := net.Dial("tcp", to)
	if err != nil {
		return nil, err
	}
	return &line{conn, bufio.NewReaderSize(conn, 1<<16), to}, nil
}

// ask returns the length of the answer to a call, which has to be a result. Of long answers only the beginning is
// looked at.
func (l *line) ask(body string) (int64, error) {
	if _, err := fmt.Fprintf(l.conn, "POST / HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: "+
		"%d\r\n\r\n%s",
		l.to, len(body), body); err != nil {
		return 0, err
	}
	answer, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	head := make([]byte, 64)
	n, err := io.ReadFull(answer.Body, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	rest, err := io.Copy(io.Discard, answer.Body)
	if err != nil {
		return 0, err
	}
	switch text := string(head[:n]); {
	case strings.Contains(text, `"error":{"code":-32002`):
		return 0, errBusy
	case !strings.Contains(text, `"result":`):
		return 0, fmt.Errorf("no result but %s", text)
	}
	return int64(n) + rest, nil
}

// query is a kind of call whose rate is measured.
type query struct {
	name        string
	connections int
	call        func(i int) string // the i-th call
}

// rate returns how many calls a second a node answers.
func (q query) rate(b *testing.B, port int, during time.Duration) float64 {
	b.Helper()
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		answers int
		end     = time.Now().Add(during)
		start   = time.Now()
	)
	for c := range q.connections {
		wg.Go(func() {
			l, err := dialLine(port)
			if err != nil {
				b.Error(err)
				return
			}
			defer func() { _ = l.conn.Close() }()
			n := 0
			for i := c; time.Now().Before(end); i += q.connections {
				if _, err := l.ask(q.call(i)); errors.Is(err, errBusy) {
					continue
				} else if err != nil {
					b.Errorf("%s: %v", q.name, err)
					return
				}
				n++
			}
			mu.Lock()
			answers += n
			mu.Unlock()
		})
	}
	wg.Wait()
	return float64(answers) / time.Since(start).Seconds()
}

// BenchmarkQueries measures what a payment service and a wallet ask of a node that has nothing else to do, by one
// connection and by sixteen: the coin's Transfer logs of one account, which is in one log of a thousand, over 20 full
// blocks and over all; full blocks, their receipts and those of the transactions of one; the head, balances and calls
// of the coin; and the first answers after a start. With GWON_BENCH_BASE, the path of another binary, it measures that
// one too, in turns, and reports the ratios. With GWON_BENCH_FULL there are 1,000 full blocks and not 40.
func BenchmarkQueries(b *testing.B) {
	h := history{"full", 40, 5000}
	if os.Getenv("GWON_BENCH_FULL") != "" {
		h = fullHistory
	}
	c, file := h.build(b)
	node := c.addFollowers(b, 1)
	c.give(b, file, node)
	port := c.node(node).HTTPPort
	const (
		transfer = `"0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"`
		measure  = 4 * time.Second
	)
	account := common.BigToHash(new(big.Int).Lsh(common.Big1, 32)) // the first that is paid
	logs := func(from int) string {
		return rpcCall("eth_getLogs", fmt.Sprintf(`{"fromBlock":"%#x","toBlock":"%#x",`+
			`"address":"0x0000000000000000000000000000000000001000","topics":[%s,null,%q]}`,
			from, h.blocks, transfer, account))
	}
	recent := h.blocks - 19
	receipts := func(i int) string { return rpcCall("eth_getBlockReceipts", fmt.Sprintf(`"%#x"`, recent+i%3)) }
	var hashes []string
	receiptIn := func(hashes []string, i int) string {
		return rpcCall("eth_getTransactionReceipt", fmt.Sprintf("%q", hashes[i*7919%len(hashes)]))
	}
	allLogs := query{"logsAll/1", 1, func(int) string { return logs(1) }}
	queries := []query{allLogs, {"blockReceipts/1", 1, receipts}, {"blockReceipts/4", 4, receipts}}
	for _, kind := range []struct {
		name string
		call func(i int) string
	}{
		{"blockNumber", func(int) string { return rpcCall("eth_blockNumber", "") }},
		{"getBalance", func(i int) string {
			payee := common.BigToAddress(big.NewInt(1<<32 + int64(i%1000)))
			return rpcCall("eth_getBalance", fmt.Sprintf(`"%#x","latest"`, payee))
		}},
		{"call", func(int) string {
			return rpcCall("eth_call", fmt.Sprintf(
				`{"to":"0x0000000000000000000000000000000000001000","data":"0x70a08231%x"},"latest"`, account))
		}},
		{"receipt", func(i int) string { return receiptIn(hashes[len(hashes)-h.txs:], i) }},
		{"block", func(i int) string { return rpcCall("eth_getBlockByNumber", fmt.Sprintf(`"%#x",true`, recent+i%3)) }},
		{"logs20", func(int) string { return logs(recent) }},
	} {
		queries = append(queries, query{kind.name + "/1", 1, kind.call}, query{kind.name + "/16", 16, kind.call})
	}
	queries = append(queries, query{"logsAll/16", 16, allLogs.call})
	firstReceipts := query{"firstReceipt/16", 16, func(i int) string { return receiptIn(hashes, i) }}
	start := func(binary string) {
		c.supervisor = devnet.NewSupervisor(binary, nil, false, false)
		c.follow(b, node, nil)
		c.awaitHead(b, uint64(h.blocks), node)
	}
	// The log index is made by the first start, and hashes are needed.
	start(binary)
	for n := recent; n <= h.blocks; n++ {
		var block struct {
			Transactions []string `json:"transactions"`
		}
		c.must(b, node, &block, "eth_getBlockByNumber", hexutil.Uint64(n), false)
		hashes = append(hashes, block.Transactions...)
	}
	allLogs.rate(b, port, 10*time.Second)
	c.stop(b, node)

	binaries := []string{binary}
	if base := os.Getenv("GWON_BENCH_BASE"); base != "" {
		binaries = append([]string{base}, binaries...)
	}
	for b.Loop() {
		figures := make([]map[string]float64, len(binaries))
		for i, binary := range binaries {
			figures[i] = make(map[string]float64)
			// The first answer of a process, and what it answers in its first seconds.
			start(binary)
			l := must.Get(dialLine(port))(b)
			asked := time.Now()
			size := must.Get(l.ask(logs(recent)))(b)
			figures[i]["firstLogs-ms"] = time.Since(asked).Seconds() * 1000
			_ = l.conn.Close()
			b.Logf("%s: an answer of %d bytes", binary, size)
			c.stop(b, node)
			start(binary)
			figures[i][firstReceipts.name] = firstReceipts.rate(b, port, 2*time.Second)
			for _, q := range queries {
				q.rate(b, port, time.Second)
				figures[i][q.name] = q.rate(b, port, measure)
			}
			c.stop(b, node)
		}
		last := figures[len(figures)-1]
		for name, value := range last {
			b.ReportMetric(value, name)
			if len(figures) > 1 {
				b.ReportMetric(value/figures[0][name], name+"-ratio")
				b.Logf("%-16s base %10.1f now %10.1f ratio %.2f", name, figures[0][name], value, value/figures[0][name])
			} else {
				b.Logf("%-16s %10.1f", name, value)
			}
		}
		b.ReportMetric(0, "ns/op")
	}
}
