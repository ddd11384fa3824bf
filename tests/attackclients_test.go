// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bufio"
	"bytes"
	"context"
	encoding "encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm/program"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/gorilla/websocket"
)

const (
	honestAddress     = "198.51.100.7"
	abuserConnections = 32
	longCalls         = 2                      // of honest clients, one after the other; one in a short row
	longWait          = 2 * time.Minute        // of it for an answer, on a machine with other load
	largeBody         = 5 << 20                // the longest that a node takes
	again             = 250 * time.Millisecond // after which an attacker that was refused comes back
	maxKept           = 65_536                 // submissions of clients that a node keeps and its pool has dropped: 16 MiB
)

// networks4 returns n IPv4 addresses, and networks6 n addresses of one IPv6 site (/48) in networks of their own.
func networks4(n int) func(int) string {
	return func(i int) string { return fmt.Sprintf("203.0.%d.%d", 113+i%n/250, 1+i%n%250) }
}

func networks6(n int) func(int) string {
	return func(i int) string { return fmt.Sprintf("2001:db8:1:%x::1", i%n) }
}

const (
	endlessCode = `{"data":"0x5b600056"}` // JUMPDEST PUSH1 0 JUMP
	endlessCall = endlessCode + `,"latest"`
)

// abuses are bodies that one client sends as fast as it gets answers.
var abuses = map[string]string{
	"flood":   rpcCall("eth_blockNumber", ""),
	"batches": batchOf(1000, rpcCall("eth_blockNumber", "")),
	"loops":   rpcCall("eth_call", endlessCall),
	"logs":    rpcCall("eth_getLogs", `{"fromBlock":"0x0","toBlock":"0x270f"}`),
	"garbage": "[" + strings.Repeat("[", 1<<16),
}

// simulation is a simulation of many blocks whose calls use up the gas of the node, half a megabyte long.
func simulation() string {
	const to = `"0x00000000000000000000000000000000000000ff"`
	calls := strings.Repeat(`{"to":`+to+`},`, 29) + `{"to":` + to + `}`
	return `{"blockStateCalls":[{"stateOverrides":{` + to + `:{"code":"0x5b600056"}},"calls":[` + calls + `]}` +
		strings.Repeat(`,{"calls":[`+calls+`]}`, 249) + `]},"latest"`
}

// target returns the HTTP port of a node.
func (r *round) target(i int) string { return fmt.Sprintf("127.0.0.1:%d", r.node(i).HTTPPort) }

// connect opens a connection that ends with the attack. From is the local address, "" for any.
func (r *round) connect(to, from string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: probeWait}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	conn, err := dialer.DialContext(r.ctx, "tcp", to)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(r.ctx, func() { _ = conn.Close() })
	return conn, nil
}

// requestHead is the head of a request of a client behind the proxy. Each of the further lines ends with a line feed.
func requestHead(method, path, address string, length int, lines ...string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-Forwarded-For: %s\r\n"+
		"Content-Length: %d\r\n%s\r\n", method, path, address, length, strings.Join(lines, ""))
}

var (
	spaces  = bytes.Repeat([]byte{' '}, largeBody)
	letters = bytes.Repeat([]byte{'x'}, 1<<20)
)

// hold has n attackers open a connection each, say something that does not end, and wait until the node ends it. The
// addresses of their own are sixteen.
func (r *round) hold(n int, node func(i int) int, says func(i int) (string, []byte), lasts time.Duration) {
	r.each(n, func(i int) error {
		conn, err := r.connect(r.target(node(i)), fmt.Sprintf("127.0.1.%d", 1+i%16))
		if err != nil {
			return err
		}
		head, rest := says(i)
		if _, err = io.WriteString(conn, head); err == nil {
			_, _ = conn.Write(rest) // the node may end it at any byte
		}
		r.said.Add(1)
		r.remain(conn, lasts)
		return nil
	})
}

// remain reads until the node or the attack ends a connection, or for a time. Then it waits, so that attackers that are
// refused do not take the machine.
func (r *round) remain(conn net.Conn, lasts time.Duration) {
	if lasts > 0 {
		_ = conn.SetReadDeadline(time.Now().Add(lasts))
	}
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
	r.pause(again)
}

func (r *round) publicNode(int) int { return r.public }

// unfinishedBodies has addresses send n requests at once, each with some bytes of a body that does not end. A time ends
// them before the node does: what it has taken costs once it takes it again.
func unfinishedBodies(n int, address func(int) string, bytes int, lasts time.Duration) func(*round) {
	return func(r *round) {
		r.hold(n, r.publicNode, func(i int) (string, []byte) {
			return requestHead("POST", "/", address(i), largeBody), spaces[:bytes]
		}, lasts)
	}
}

// unfinishedBodiesAtValidators does it at two of four validators, which have no profile.
func unfinishedBodiesAtValidators(r *round) {
	r.hold(512, func(i int) int { return i % 2 }, func(int) (string, []byte) {
		return requestHead("POST", "/", "", largeBody), spaces[:largeBody-1]
	}, 0)
}

// unfinishedHeaders sends header fields of a size, and no end of them.
func unfinishedHeaders(size int) func(*round) {
	head := strings.TrimSuffix(requestHead("POST", "/", honestAddress, 2), "\r\n") + "X-Field: "
	return func(r *round) {
		r.hold(512, r.publicNode, func(int) (string, []byte) { return head, letters[:size] }, 0)
	}
}

// idleConnections opens as many connections as a node takes, and says nothing.
func idleConnections(r *round) {
	r.hold(4096, r.publicNode, func(int) (string, []byte) { return "", nil }, 0)
}

// socket opens a WebSocket connection of an address.
func (r *round) socket(to, address string) (*websocket.Conn, error) {
	dialer := websocket.Dialer{HandshakeTimeout: probeWait, NetDial: func(string, string) (net.Conn, error) {
		return r.connect(to, "")
	}}
	conn, answer, err := dialer.DialContext(r.ctx, "ws://"+to, http.Header{"X-Forwarded-For": {address}})
	if answer != nil && answer.Body != nil {
		_ = answer.Body.Close() // it is short
	}
	return conn, err
}

// unfinishedMessages begins a long frame on WebSocket connections of several networks, and does not send its end.
func unfinishedMessages(networks, each int) func(*round) {
	address := networks4(networks)
	return func(r *round) {
		frame := append([]byte{0x81, 0x80 | 127}, encoding.BigEndian.AppendUint64(nil, largeBody)...)
		frame = append(append(frame, 0, 0, 0, 0), spaces[:largeBody-1024]...) // the mask is zero
		r.each(networks*each, func(i int) error {
			conn, err := r.socket(r.target(r.public), address(i))
			if err != nil {
				return err
			}
			_, _ = conn.NetConn().Write(frame) // the node may end it at any byte
			r.said.Add(1)
			r.remain(conn.NetConn(), 0)
			return nil
		})
	}
}

// preface begins HTTP/2 without TLS.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// frame2 returns a frame of HTTP/2.
func frame2(kind, flags byte, stream uint32, payload ...byte) []byte {
	n := len(payload)
	head := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags}
	return append(encoding.BigEndian.AppendUint32(head, stream), payload...)
}

// kinds returns the ports of a public node, a validator and a developer chain.
func (r *round) kinds() []string {
	return []string{r.target(r.public), r.target(0), fmt.Sprintf("127.0.0.1:%d", r.dev.node(0).HTTPPort)}
}

// http2Streams opens streams and resets them, and changes the size of the header table with each (CVE-2026-97032), at
// a public node, a validator and a developer chain.
func http2Streams(r *round) {
	const headers, reset, settings = 1, 3, 4
	block := append([]byte{0x83, 0x84, 0x86, 0x41, 9}, "localhost"...) // POST / http localhost
	r.each(12, func(i int) error {
		conn, err := r.connect(r.kinds()[i%3], "")
		if err != nil {
			return err
		}
		r.work.Go(func() {
			_, err := conn.Write(append([]byte(preface), frame2(settings, 0, 0)...))
			for stream := uint32(1); err == nil && stream < maxActs; stream += 2 {
				size := []byte{0, 1, 0, 0, byte(stream >> 2), byte(stream)} // SETTINGS_HEADER_TABLE_SIZE
				_, err = conn.Write(append(append(frame2(settings, 0, 0, size...), frame2(headers, 4, stream, block...)...),
					frame2(reset, 0, stream, 0, 0, 0, 8)...))
			}
		})
		r.said.Add(1)
		r.remain(conn, 0)
		return nil
	})
}

// refusesHTTP2 checks that each kind of node answers the preface as HTTP/1.1 does, or ends the connection.
func refusesHTTP2(r *round) {
	for _, at := range r.kinds() {
		conn, err := r.connect(at, "")
		if err != nil {
			r.t.Error(err)
			continue
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		_, err = conn.Write(append([]byte(preface), frame2(4, 0, 0)...))
		answer := make([]byte, 12)
		if err == nil {
			_, err = io.ReadFull(conn, answer)
		}
		_ = conn.Close()
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() || err == nil && !bytes.HasPrefix(answer, []byte("HTTP/1.1 4")) {
			r.t.Errorf("%s answers the preface of HTTP/2 with %q, %v", at, answer, err)
		}
	}
}

// unreadAnswers is stall: subscribers that are owed long answers, and clients that read half of one.
func unreadAnswers(r *round) {
	r.work.Go(func() { stall(r.ctx, r.target(r.public), 2000, &r.said) })
}

// slowReaders read a long answer a byte at a time, from sixteen addresses.
func slowReaders(r *round) {
	address := networks4(16)
	body := batchOf(10, rpcCall("rpc.discover", ""))
	r.each(64, func(i int) error {
		conn, err := r.connect(r.target(r.public), "")
		if err != nil {
			return err
		}
		_ = conn.(*net.TCPConn).SetReadBuffer(4096) // of the kernel's, as far as it goes
		if _, err = io.WriteString(conn, requestHead("POST", "/", address(i), len(body))+body); err != nil {
			return errors.Join(err, conn.Close())
		}
		r.said.Add(1)
		one := make([]byte, 1)
		for n := 0; n < maxActs; n++ {
			if _, err := conn.Read(one); err != nil {
				break
			}
			r.pause(20 * time.Millisecond)
		}
		r.remain(conn, 0)
		return nil
	})
}

// repeat has n connections send requests as fast as they are answered. What the node ends is opened again.
func (r *round) repeat(n, to int, request func(i int) string) {
	r.each(n, func(i int) error {
		conn, err := r.connect(r.target(to), "")
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }() // it may have ended
		in := bufio.NewReader(conn)
		for r.said.Load() < maxActs {
			if _, err := io.WriteString(conn, request(i)); err != nil {
				return err
			}
			answer, err := http.ReadResponse(in, nil)
			if err != nil {
				return err
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				return err
			}
			r.said.Add(1)
		}
		return nil
	})
}

// asking has addresses send a body again and again over n connections.
func asking(addresses, n int, body string) func(*round) {
	address := networks4(addresses)
	return func(r *round) {
		r.repeat(n, r.public, func(i int) string { return requestHead("POST", "/", address(i), len(body)) + body })
	}
}

// endlessCalls has addresses ask for one endless call each over WebSocket, where no request ends it.
func endlessCalls(addresses int) func(*round) {
	address := networks4(addresses)
	return func(r *round) {
		r.each(addresses, func(i int) error {
			conn, err := r.socket(r.target(r.public), address(i))
			if err != nil {
				return err
			}
			defer func() { _ = conn.Close() }() // it may have ended
			for err == nil && r.said.Load() < maxActs {
				r.said.Add(1)
				if err = conn.WriteMessage(websocket.TextMessage, []byte(abuses["loops"])); err == nil {
					_, _, err = conn.ReadMessage()
				}
			}
			return err
		})
	}
}

// longCall executes for longer than a short call may, and ends.
func longCall() string {
	data := hexutil.Encode(untilGas(20_000_000, func(*program.Program) {}, func(*program.Program) {}))
	return rpcCall("eth_call", `{"data":"`+data+`"},"latest"`)
}

// longCallsAreAnswered checks that clients of new addresses get answers to long calls, one after the other, as they do
// at the control, while there are more owners with one long call each than places for such calls. One that had been
// served as much as the others could be the one that has to leave.
func longCallsAreAnswered(r *round) {
	r.awaitActs(r.row.least)
	var took [2][]time.Duration
	calls := longCalls
	if !r.judgesTime() {
		calls = 1
	}
	for k, node := range []int{r.control, r.public} {
		for i := range calls {
			begun := time.Now()
			r.longCall(node, fmt.Sprintf("198.51.100.%d", 8+i))
			took[k] = append(took[k], time.Since(begun).Round(time.Millisecond))
		}
	}
	r.t.Logf("long calls took %v; control: %v", took[1], took[0])
}

// longCall checks that a client of an address gets an answer to a long call.
func (r *round) longCall(node int, address string) {
	conn, err := r.socket(r.target(node), address)
	if err != nil {
		r.t.Error(err)
		return
	}
	defer func() { _ = conn.Close() }() // its answer is read
	_ = conn.SetReadDeadline(time.Now().Add(longWait))
	err = conn.WriteMessage(websocket.TextMessage, []byte(longCall()))
	var answer []byte
	if err == nil {
		_, answer, err = conn.ReadMessage()
	}
	if ok, says := isResult(answer); err != nil || !ok {
		r.t.Errorf("answers: a long call of a new address at %s: %s, %v", r.node(node).Name, says, err)
	}
}

// receiptsOfHeavyBlock asks for receipts of 20 MB.
func receiptsOfHeavyBlock(r *round) {
	asking(16, 32, rpcCall("eth_getBlockReceipts", fmt.Sprintf(`"%#x"`, r.heavy)))(r)
}

// waitsForABlock asks for a block that does not exist yet, as often at once as an address may wait.
func waitsForABlock(r *round) {
	address, body := networks4(32), rpcCall("eth_blockNumber", "")
	head := fmt.Sprintf("Gwon-Min-Block: %d\r\n", 1<<20)
	r.repeat(32*112, r.public, func(i int) string { return requestHead("POST", "/", address(i), len(body), head) + body })
}

// graphqlAliases asks for one field under 20,000 names, in half a megabyte, and for as many endless calls as a query
// may have.
func graphqlAliases(r *round) {
	var bodies [2]string
	for k, field := range []struct {
		n    int
		text string
	}{{20_000, "block(number:0){hash}"}, {250, `block{call(data:{data:\"0x5b600056\"}){status}}`}} {
		var query strings.Builder
		for i := range field.n {
			fmt.Fprintf(&query, "a%d:%s ", i, field.text)
		}
		bodies[k] = `{"query":"{` + query.String() + `}"}`
	}
	r.repeat(8, 0, func(i int) string { return requestHead("POST", "/graphql", "", len(bodies[i%2])) + bodies[i%2] })
}

// graphqlNesting sends brackets that a parser follows into its stack, and fragments that double at each level.
func graphqlNesting(r *round) {
	var fragments strings.Builder
	for i := range 40 {
		fmt.Fprintf(&fragments, "fragment f%d on Query{...f%d ...f%d} ", i, i+1, i+1)
	}
	bodies := [2]string{`{"query":"{block(number:` + strings.Repeat("[", 2_700_000) + `"}`,
		`{"query":"{...f0} ` + fragments.String() + `fragment f40 on Query{block{number}}"}`}
	r.repeat(8, 0, func(i int) string { return requestHead("POST", "/graphql", "", len(bodies[i%2])) + bodies[i%2] })
}

// beforeTheGate asks for what is answered before a client is charged: no such path, no such host, no such method, and
// whether a page may ask.
func beforeTheGate(r *round) {
	address := networks4(8)
	body := abuses["flood"]
	r.repeat(64, r.public, func(i int) string {
		switch i / 8 % 4 {
		case 0:
			return requestHead("POST", "/nothing", address(i), len(body)) + body
		case 1:
			return strings.Replace(requestHead("POST", "/", address(i), len(body)), "localhost", "example.org", 1) + body
		case 2:
			return requestHead("PUT", "/", address(i), len(body)) + body
		}
		return requestHead("OPTIONS", "/", address(i), 0, "Origin: https://example.org\r\n",
			"Access-Control-Request-Method: POST\r\n")
	})
}

// filters has sixteen addresses install as many filters as they may.
func filters(r *round) {
	asking(16, 64, rpcCall("eth_newFilter", `{"topics":[["0x`+strings.Repeat("ab", 32)+`"]]}`))(r)
}

// subscriptions has sixteen addresses open as many WebSocket connections and subscriptions as they may.
func subscriptions(r *round) {
	address := networks4(16)
	r.each(256, func(i int) error {
		conn, err := r.socket(r.target(r.public), address(i))
		if err != nil {
			return err
		}
		for n := 0; err == nil && n < 64; n++ {
			err = conn.WriteMessage(websocket.TextMessage, []byte(rpcCall("eth_subscribe", `"newHeads"`)))
		}
		r.said.Add(1)
		r.remain(conn.NetConn(), 0)
		return nil
	})
}

// keptSubmissions submits transactions of fresh senders that wait for their first nonce, and whose fees one account
// pays: a signature each, and no coins.
func keptSubmissions(r *round) {
	tip, feeCap := r.fees(r.t, 0)
	address, payer := networks4(16), r.network.Accounts[payerAccount].Key()
	r.repeat(16, r.public, func(i int) string {
		sender, to := emptyAccount(r.t)
		body := rpcCall("eth_sendRawTransaction", `"`+delegate(r.t, sender, payer, types.DynamicFeeTx{
			ChainID: big.NewInt(chainID), Nonce: 1, GasTipCap: tip, GasFeeCap: feeCap, Gas: gethparams.TxGas, To: &to,
			Value: new(big.Int),
		}).String()+`"`)
		return requestHead("POST", "/", address(i), len(body)) + body
	})
}

// forgetsSubmissions checks that a node does not keep for long what its pool has dropped since its payer has no coins
// any more.
func forgetsSubmissions(r *round) {
	r.t.Helper()
	payer := r.network.Accounts[payerAccount]
	kept, err := metricOf(r.metrics[r.public], "txpool_local")
	if err != nil {
		r.t.Fatal(err)
	}
	tip, feeCap := r.fees(r.t, 0)
	coins := r.balance(r.t, 0, payer.Address, "latest")
	_, to := emptyAccount(r.t)
	coins.Sub(coins, new(big.Int).Mul(feeCap, new(big.Int).SetUint64(gethparams.TxGas)))
	raw := transfer(r.t, payer.Key(), 0, to, coins, tip, feeCap)
	var hash string
	r.must(r.t, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
	number := r.receipt(r.t, 0, [32]byte(hexutil.MustDecode(hash))).BlockNumber.Uint64()
	var pool struct{ Pending, Queued hexutil.Uint64 }
	r.await(r.t, "a pool without the transactions of a payer without coins", func() (bool, string) {
		err := r.ask(r.ctx, r.public, &pool, "txpool_status")
		return err == nil && pool.Queued == 0, fmt.Sprintf("%d, %v", pool.Queued, err)
	})
	r.awaitHead(r.t, number+recoveryBlocks, r.public)
	after, err := metricOf(r.metrics[r.public], "txpool_local")
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Logf("%v submissions kept, %v after the pool has dropped them", kept, after)
	if after > maxKept {
		r.t.Errorf("memory: %v submissions are kept that the pool has dropped, want %d at most", after, maxKept)
	}
}
