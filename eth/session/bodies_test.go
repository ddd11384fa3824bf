// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"bytes"
	"context"
	"math/big"
	"runtime"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/messages"
	"gwon/core/rules"
	"gwon/internal/bucket"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// shortestTx has the nine fields of an untyped transaction, a byte each.
var shortestTx = []byte{0xc9, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}

// listOf returns the RLP of a list with an encoded content.
func listOf(content []byte) rlp.RawValue {
	w := rlp.NewEncoderBuffer(nil)
	l := w.List()
	_, _ = w.Write(content)
	w.ListEnd(l)
	return w.ToBytes()
}

// bodyOf returns a body of n of the shortest transactions.
func bodyOf(n int) rlp.RawValue {
	return listOf(append(listOf(bytes.Repeat(shortestTx, n)), 0xc0))
}

// noBackend is that of a peer that only answers us.
type noBackend struct{ protocol.Backend }

// answering connects a peer that gives the same bodies to each request.
func answering(t testing.TB, bodies ...rlp.RawValue) (*Session, *protocol.Peer) {
	t.Helper()
	near, far := p2p.MsgPipe()
	base, _ := testPeer(t)
	peer := protocol.NewPeer(protocol.ETH68, base, near, nil, nil, gethparams.TestChainConfig)
	ses := NewSessions().Join(base)
	go func() {
		_ = protocol.Handle(noBackend{}, peer)
		_ = near.Close()
	}()
	go func() {
		for {
			msg, err := far.ReadMsg()
			if err != nil {
				return
			}
			var query protocol.GetBlockBodiesPacket
			if msg.Decode(&query) != nil || p2p.Send(far, protocol.BlockBodiesMsg, []any{query.RequestId, bodies}) != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = near.Close()
		peer.Close()
	})
	return ses, peer
}

// headerOf returns a header that says how much gas is used and which transactions are in its body.
func headerOf(number int64, gas uint64, root common.Hash) *types.Header {
	return &types.Header{
		Number: big.NewInt(number), Difficulty: common.Big1, GasLimit: gas, GasUsed: gas, BaseFee: common.Big1,
		UncleHash: types.EmptyUncleHash, TxHash: root, Extra: new(types.WBFTExtra).Encode(),
	}
}

// A requested body is compared with its header before it is decoded, because ten bytes become 400 (spec network 2.2).
// A high gas figure in the header does not change that.
func TestWorstBodyIsNotDecoded(t *testing.T) {
	raw := bodyOf(200_000) // 80 MB
	var body protocol.BlockBody
	must.Do(t, rlp.DecodeBytes(raw, &body))
	root, _ := body.Roots()
	for name, gas := range map[string]uint64{"usual gas": 105_000_000, "gas of 62 bits": 1 << 62} {
		t.Run(name, func(t *testing.T) {
			ses, peer := answering(t, raw)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := BlocksOf(t.Context(), ses, peer, []*types.Header{headerOf(1, gas, root)})
			runtime.ReadMemStats(&after)
			expect.Error(t, err, ErrBadAnswer, "error")
			// the message, on its way through the pipe
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			expect.That(t, allocated <= 16, "%d MiB allocated, want at most 16", allocated)
		})
	}
}

// A body whose transactions need more gas than its header has is a bad answer; one within that gas is valid
// (EIP-3529: up to a fifth is refunded).
func TestBodyWithoutGas(t *testing.T) {
	const count = 100
	raw := bodyOf(count)
	for name, test := range map[string]struct {
		gas  uint64
		good bool
	}{
		"all of it":       {count * gethparams.TxGas, true},
		"a fifth back":    {count * gethparams.TxGas * 4 / 5, true},
		"more given back": {count*gethparams.TxGas*4/5 - 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := outlineBody([]*types.Header{headerOf(1, test.gas, common.Hash{1})}, raw)
			expect.That(t, (err == nil) == test.good, "error %v", err)
		})
	}
}

// The decoded part of a response is limited to 32 MiB of memory. Further bodies count as omitted, which is valid.
func TestBodiesAreDecodedUpToABound(t *testing.T) {
	const each = 30_000 // transactions, 12 MiB
	var headers []*types.Header
	var bodies []rlp.RawValue
	for n := range 4 {
		raw := bodyOf(each + n)
		var body protocol.BlockBody
		must.Do(t, rlp.DecodeBytes(raw, &body))
		txs := must.Get(body.Transactions.Items())(t)
		root := types.DeriveSha(types.Transactions(txs), trie.NewStackTrie(nil))
		have, _ := body.Roots()
		must.Equal(t, have, root, "root")
		headers = append(headers, headerOf(int64(n+1), uint64(each+n)*gethparams.TxGas, root))
		bodies = append(bodies, raw)
	}
	ses, peer := answering(t, bodies...)
	blocks, err := BlocksOf(t.Context(), ses, peer, headers)
	want := maxDecoded / (each * (rules.TransactionMemory + len(shortestTx)))
	expect.That(t, err == nil && len(blocks) == want, "%d blocks, error %v, want %d", len(blocks), err, want)
}

// BenchmarkWorst measures the worst messages that this package reads. docs/reference/limits.md has the figures.
func BenchmarkWorst(b *testing.B) {
	b.Run("BlockBodies/decoded", func(b *testing.B) {
		b.ReportAllocs()
		const n = 105_000_000 / 21_000
		raw := bodyOf(n)
		var body protocol.BlockBody
		must.Do(b, rlp.DecodeBytes(raw, &body))
		root, _ := body.Roots()
		ses, peer := answering(b, raw)
		for b.Loop() {
			must.Get(BlocksOf(context.Background(), ses, peer, []*types.Header{headerOf(1, n*21_000, root)}))(b)
		}
	})
	b.Run("BlockBodies/refused", func(b *testing.B) {
		b.ReportAllocs()
		raw := bodyOf(messages.MaxSize/len(shortestTx) - 1000)
		headers := []*types.Header{headerOf(1, 1<<62, common.Hash{1})}
		for b.Loop() {
			if _, err := outlineBody(headers, raw); err == nil {
				b.Fatal("not refused")
			}
		}
	})
	for name, member := range map[string]bool{"istanbul/validator": true, "istanbul/stranger": false} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			l := newLargeMessages(b, time.Now())
			ses := l.stranger
			if member {
				ses = l.next
			}
			payload := make([]byte, messages.MaxSize)
			for b.Loop() {
				ses.large, ses.unread = bucket.Bucket{}, bucket.Bucket{}
				msg := p2p.Msg{Code: messages.CodePrePrepare, Size: messages.MaxSize, Payload: bytes.NewReader(payload)}
				must.Do(b, l.receive(ses, msg))
			}
		})
	}
}
