// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/rlpx"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/golang/snappy"

	"gwon/consensus/wbft/messages"
	"gwon/dev/devnet"
)

const (
	// strangersCost bounds in MiB what large messages of any number of strangers cost a node over what it has when idle.
	strangersCost = 400

	// strangersTime is how long each kind of them sends at least; all go on until they have sent as much as belongs to the
	// kind, for the patience of the tests at most.
	strangersTime = 8 * time.Second

	ethOffset = 16 // code of the first message of eth on a connection (spec network 1)
)

// framer is a connection of a stranger that sends frames as it wants to. Unlike an outsider it compresses a message
// once for all connections, so that many of them cost the test nothing.
type framer struct {
	fd   net.Conn
	conn *rlpx.Conn
}

// hello is the first message of a connection.
type hello struct {
	Version    uint64
	Name       string
	Caps       []p2p.Cap
	ListenPort uint64
	ID         []byte
}

// dialFramer connects to a node as somebody new, and returns when the node takes messages of eth.
func dialFramer(ctx context.Context, n *devnet.Node) (*framer, error) {
	node, err := enode.ParseV4(n.Enode())
	if err != nil {
		return nil, err
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		return nil, err
	}
	endpoint, _ := node.TCPEndpoint()
	fd, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint.String())
	if err != nil {
		return nil, err
	}
	w := &framer{fd, rlpx.NewConn(fd, node.Pubkey())}
	context.AfterFunc(ctx, func() { _ = fd.Close() })
	err = errors.Join(fd.SetDeadline(time.Now().Add(patience)), w.greet(key), fd.SetDeadline(time.Time{}))
	if err != nil {
		return nil, errors.Join(err, fd.Close())
	}
	w.conn.SetSnappy(false) // what it sends is compressed
	return w, nil
}

// greet does the handshakes of RLPx, of devp2p, and of eth/68 with the very Status of the node.
func (w *framer) greet(key *ecdsa.PrivateKey) error {
	if _, err := w.conn.Handshake(key); err != nil {
		return err
	}
	greeting, err := rlp.EncodeToBytes(&hello{
		Version: 5, Name: "stranger", ID: crypto.FromECDSAPub(&key.PublicKey)[1:],
		Caps: []p2p.Cap{{Name: "eth", Version: protocol.ETH68}, {Name: "istanbul", Version: 100}},
	})
	if err != nil {
		return err
	}
	if _, err := w.conn.Write(0, greeting); err != nil {
		return err
	}
	if code, _, _, err := w.conn.Read(); err != nil || code != 0 {
		return fmt.Errorf("handshake with message %d: %w", code, errors.Join(err, p2p.DiscRequested))
	}
	w.conn.SetSnappy(true)
	for {
		code, status, _, err := w.conn.Read()
		if err != nil || code == 1 {
			return errors.Join(err, p2p.DiscRequested)
		}
		if code == ethOffset+protocol.StatusMsg {
			_, err := w.conn.Write(code, status)
			return err
		}
	}
}

// besiegeByFrames sends a compressed message again and again until ctx ends, as somebody new after each refusal. It
// adds to the numbers of messages that were sent whole, and of connections.
func besiegeByFrames(ctx context.Context, n *devnet.Node, code uint64, message []byte, sent, lives *atomic.Int64) {
	for ctx.Err() == nil {
		w, err := dialFramer(ctx, n)
		if err != nil {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
			}
			continue
		}
		lives.Add(1)
		var reader sync.WaitGroup
		reader.Go(func() { _, _ = io.Copy(io.Discard, w.fd) })
		for err == nil {
			if _, err = w.conn.Write(code, message); err == nil {
				sent.Add(1)
			}
		}
		_ = w.fd.Close()
		reader.Wait()
	}
}

// pushedBlock returns the message with a block far ahead of the node, whose transactions are an RLP list.
func pushedBlock(t *testing.T, txs rlp.RawValue) []byte {
	t.Helper()
	header := &types.Header{
		UncleHash: types.EmptyUncleHash, Difficulty: common.Big1, Number: big.NewInt(1 << 20), GasLimit: 1 << 40,
		Time: uint64(time.Now().Unix()), BaseFee: common.Big1, Extra: new(types.WBFTExtra).Encode(),
	}
	message, err := rlp.EncodeToBytes([]any{[]any{header, txs, []any{}}, header.Number.Uint64() + 1})
	if err != nil {
		t.Fatal(err)
	}
	return snappy.Encode(nil, message)
}

// Strangers that send messages of 10 MiB without a pause, with a new identity after each refusal, cost a node a fixed
// memory, however many they are. Its blocks go on. spec: network 2.4
func TestLargeMessagesOfStrangersAreBoundedInTotal(t *testing.T) {
	const room = messages.MaxSize - 64<<10
	noise := make([]byte, room)
	rand.Read(noise)
	text, err := rlp.EncodeToBytes([][]byte{noise})
	if err != nil {
		t.Fatal(err)
	}
	tiny := pushedBlock(t, rlpList(t, emptyTransaction, room/len(emptyTransaction)))
	for _, row := range []struct {
		name      string
		strangers int
		messages  int64 // of all of them together
		code      uint64
		message   []byte
	}{
		{"24 with blocks", 24, 192, ethOffset + protocol.NewBlockMsg, tiny},
		{"50 with blocks", 50, 400, ethOffset + protocol.NewBlockMsg, tiny},
		{"50 with blocks of noise", 50, 16, ethOffset + protocol.NewBlockMsg, pushedBlock(t, text)},
		{"50 with consensus messages", 50, 400, ethOffset + 17 + messages.CodePrePrepare, snappy.Encode(nil,
			bytes.Repeat([]byte{1}, room))},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := prepareCluster(t, 1)
			c.start(t, 0, "--maxpeers", "100")
			c.awaitHead(t, 3, 0)
			pid := c.processes[c.node(0)].Pid()
			idle, err := residentMemory(pid)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var sent, lives atomic.Int64
			enough := func() bool { return sent.Load() >= row.messages && lives.Load() >= int64(row.strangers) }
			var all sync.WaitGroup
			for range row.strangers {
				all.Go(func() { besiegeByFrames(ctx, c.node(0), row.code, row.message, &sent, &lives) })
			}
			var pids sync.Map
			pids.Store(0, pid)
			before, err := c.head(0)
			if err != nil {
				t.Fatal(err)
			}
			peak := make([]int, 1)
			for begun := time.Now(); ctx.Err() == nil && (time.Since(begun) < strangersTime || !enough()); {
				while, end := context.WithTimeout(ctx, time.Second)
				sampleMemory(while, &pids, peak)
				end()
			}
			cancel()
			all.Wait()
			c.awaitHead(t, before+2, 0)
			t.Logf("%d MiB idle, %d MiB at most; %d messages of %d connections", idle, peak[0], sent.Load(), lives.Load())
			if peak[0]-idle > strangersCost {
				t.Errorf("%d MiB over idle, at most %d are allowed", peak[0]-idle, strangersCost)
			}
			if !enough() {
				t.Errorf("%d messages of %d connections, which is no attack", sent.Load(), lives.Load())
			}
		})
	}
}
