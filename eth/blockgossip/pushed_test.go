// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"math/big"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/wbfttest"
	"gwon/core/rules"
	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
	"gwon/internal/bucket"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// worstBody fills a message with the shortest transactions that decode: ten bytes each.
const worstBody = 10<<20 - 16<<10

// stuffed returns the RLP of a block with a header and as many of the shortest transactions as a number of bytes has
// room for.
func stuffed(t testing.TB, header *types.Header, size int) []byte {
	t.Helper()
	tx := []byte{0xc9, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}
	txs := slices.Repeat(tx, size/len(tx))
	return must.Get(rlp.EncodeToBytes([]any{header, rawList(txs), []any{}}))(t)
}

// rawList returns a list with an encoded content.
func rawList(content []byte) rlp.RawValue {
	w := rlp.NewEncoderBuffer(nil)
	l := w.List()
	_, _ = w.Write(content)
	w.ListEnd(l)
	return w.ToBytes()
}

// pushRaw has a peer push an encoded block with the total difficulty of a number.
func (im *testImporter) pushRaw(t testing.TB, ses *session.Session, number uint64, raw []byte) {
	t.Helper()
	must.Do(t, im.HandleNewBlock(ses, &protocol.NewBlockPacket{Block: raw,
		TD: session.TotalDifficulty(im.chain, number)}))
}

// Peers that push the worst blocks that decode make the node allocate little beside the messages: a million
// transactions of ten bytes are counted, not decoded, whatever else speaks for the block (spec network 2.6).
func TestWorstPushIsNotDecoded(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	good := net.Extend(t, source, 12)
	chain, engine := net.Chain(t)
	net.Extend(t, chain, 10)
	ahead := func(limit uint64) *types.Header { // beyond the epoch: its seals cannot be verified
		header := sessiontest.Junk(10+maxAhead, 1).Header()
		header.GasLimit, header.GasUsed = limit, limit
		return header
	}
	for _, test := range []struct {
		name   string
		header *types.Header
		ends   bool // the connections
	}{
		{"far behind", sessiontest.Junk(1, 1).Header(), false},
		{"far ahead", sessiontest.Junk(1000, 1).Header(), false},
		{"known", chain.GetHeaderByNumber(10), false},
		{"just passed", good[8].Header(), false},
		{"sealed child", good[10].Header(), true},
		{"sealed", good[11].Header(), true},
		{"child without seals", net.Build(t, chain, 1).Header(), true},
		{"not to be judged yet", ahead(chain.CurrentBlock().GasLimit), true},
		{"not to be judged yet, gas limit of 64 bits", ahead(1 << 62), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			const peers = 16
			im, o := stoppedImporter(chain, engine)
			raw := stuffed(t, test.header, worstBody)
			list := make([]*session.Session, peers)
			for i := range list {
				list[i] = im.join(t)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var pushing sync.WaitGroup
			for _, ses := range list {
				pushing.Go(func() { im.pushRaw(t, ses, test.header.Number.Uint64(), raw) })
			}
			pushing.Wait()
			runtime.ReadMemStats(&after)
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 10
			expect.That(t, allocated <= peers*512, "%d KiB allocated for %d pushes, want at most 512 each", allocated, peers)
			want := 0
			if test.ends {
				want = peers
			}
			expect.That(t, len(o.Dropped) == want && im.queued() == 0,
				"%d connections ended, want %d; %d blocks wait, want none", len(o.Dropped), want, im.queued())
		})
	}
}

// A block is compared with the gas limit that the chain can have reached by its number, and one that fits is kept: full
// blocks far ahead of an honest peer are.
func TestGasLimitAhead(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	im, o := stoppedImporter(chain, engine)
	limit := chain.CurrentBlock().GasLimit
	fits := int(limit / 21_000)
	push := func(count int, claimed uint64) {
		txs := make(types.Transactions, count)
		for i := range txs {
			txs[i] = types.NewTx(&types.LegacyTx{Nonce: uint64(i), Gas: 21_000, GasPrice: new(big.Int), Value: new(big.Int)})
		}
		header := sessiontest.Junk(maxAhead, int64(count)).Header()
		header.GasLimit, header.TxHash = claimed, types.DeriveSha(txs, trie.NewStackTrie(nil))
		im.push(t, im.join(t), types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs}))
	}
	push(fits, limit)
	must.That(t, len(o.Dropped) == 0 && im.queued() == 1,
		"%d peers dropped, %d blocks kept, want none and 1", len(o.Dropped), im.queued())
	push(2*fits, 4*limit)
	if reason := sessiontest.Next(t, o.Dropped); !strings.Contains(reason.Error(), "gas") || im.queued() != 1 {
		t.Errorf("dropped for %v, %d blocks kept, want one", reason, im.queued())
	}
}

// The bytes of waiting blocks are those of decoded ones, and what has no room is not decoded.
func TestDecodedBytesCount(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	im, _ := stoppedImporter(chain, engine)
	txs := make(types.Transactions, 1000)
	for i := range txs {
		txs[i] = types.NewTx(&types.LegacyTx{Nonce: uint64(i), GasPrice: new(big.Int), Value: new(big.Int)})
	}
	block := func(salt int64) *types.Block {
		header := sessiontest.Junk(maxAhead, salt).Header()
		header.GasLimit, header.TxHash = chain.CurrentBlock().GasLimit, types.DeriveSha(txs, trie.NewStackTrie(nil))
		return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
	}
	ses := im.join(t)
	for i := range int64(maxPeerBlocks - 4) {
		im.push(t, ses, block(i))
	}
	each := held(block(0))
	kept := maxPeerBytes / each
	expect.That(t, im.queued() == kept, "%d blocks of %d bytes are kept, want %d", im.queued(), each, kept)
	var before, after runtime.MemStats
	raw := encoded(t, block(maxPeerBlocks))
	runtime.ReadMemStats(&before)
	im.pushRaw(t, ses, maxAhead, raw)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	expect.That(t, allocated <= 64<<10, "%d bytes allocated for a block without room", allocated)
}

// A peer that pushes blocks without end loses its connection: at a pace that no honest one has, and when they are long
// decided. One that pushes each block of a chain that is far ahead keeps it (spec network 2.6).
func TestPushesAreCounted(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	net.Extend(t, chain, maxBehind+2)
	for _, test := range []struct {
		name    string
		number  uint64
		seconds int // between two of them
		keeps   int
	}{
		{"far ahead at once", 1000, 0, pushedAtOnce},
		{"known at once", maxBehind, 0, pushedAtOnce},
		{"behind, one a second", 1, 1, pushedAtOnce},
		{"far ahead, one a second", 1000, 1, 300},
	} {
		t.Run(test.name, func(t *testing.T) {
			im, o := stoppedImporter(chain, engine)
			ses := im.join(t)
			raw := encoded(t, sessiontest.Junk(test.number, 1))
			if header := chain.GetHeaderByNumber(test.number); test.number > 1 && header != nil {
				raw = stuffed(t, header, 0)
			}
			for i := range test.keeps {
				im.pushRaw(t, ses, test.number, raw)
				if len(o.Dropped) != 0 {
					t.Fatalf("dropped at block %d: %v", i, <-o.Dropped)
				}
				if test.seconds > 0 {
					ses.Pushed = bucket.Bucket{} // a second is enough for it
				}
			}
			if test.keeps == 300 {
				return
			}
			im.pushRaw(t, ses, test.number, raw)
			expect.Equal(t, len(o.Dropped), 1, "connections ended")
		})
	}
}

// A block with more extra data than a node takes by a push is left for an announcement: it may have been decided
// without this node. Many of them end the connection.
func TestPushedLargeExtra(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, engine := net.Chain(t)
	large := sessiontest.Junk(1, 1).Header()
	large.Extra = make([]byte, rules.MaxExtra+1)
	raw := stuffed(t, large, 0)
	im, o := stoppedImporter(chain, engine)
	ses := im.join(t)
	for i := range pushedAtOnce {
		im.pushRaw(t, ses, 1, raw)
		ses.Pushed = bucket.Bucket{}
		if len(o.Dropped) != 0 {
			t.Fatalf("dropped at block %d: %v", i, <-o.Dropped)
		}
	}
	expect.Equal(t, im.queued(), 0, "blocks queued")
	im.pushRaw(t, ses, 1, raw)
	expect.Equal(t, len(o.Dropped), 1, "connections ended")
}

// What is no block ends the connection, with the part that is wrong named.
func TestPushedNoBlock(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, engine := net.Chain(t)
	long := sessiontest.Junk(1, 1).Header()
	long.Number = new(big.Int).Lsh(common.Big1, 64)
	for name, raw := range map[string][]byte{
		"nothing":           nil,
		"empty":             {0xc0},
		"number of 65 bits": stuffed(t, long, 0),
		"transactions cut":  append(stuffed(t, sessiontest.Junk(1, 1).Header(), 0), 0),
	} {
		t.Run(name, func(t *testing.T) {
			im, o := stoppedImporter(chain, engine)
			im.pushRaw(t, im.join(t), 1, raw)
			reason := sessiontest.Next(t, o.Dropped)
			expect.That(t, strings.Contains(reason.Error(), "malformed"), "dropped for %v", reason)
		})
	}
}

// BenchmarkWorst measures the worst blocks that peers can push. docs/reference/limits.md has the figures.
func BenchmarkWorst(b *testing.B) {
	net := wbfttest.New(b, 4)
	chain, engine := net.Chain(b)
	limit := chain.CurrentBlock().GasLimit
	txs := make(types.Transactions, limit/21_000)
	for i := range txs {
		txs[i] = types.NewTx(&types.LegacyTx{Nonce: uint64(i), GasPrice: new(big.Int), Value: new(big.Int)})
	}
	txs[0] = types.NewTx(&types.LegacyTx{Data: make([]byte, worstBody-12*len(txs)), GasPrice: new(big.Int),
		Value: new(big.Int)})
	full := sessiontest.Junk(maxAhead, 1).Header() // beyond the epoch: its seals cannot be verified
	full.GasLimit, full.TxHash = limit, types.DeriveSha(txs, trie.NewStackTrie(nil))
	claims := sessiontest.Junk(maxAhead, 2).Header()
	claims.GasLimit = 1 << 62
	for _, kind := range []struct {
		name   string
		number uint64
		raw    []byte
		keeps  int
	}{
		{"NewBlock/kept", maxAhead, encoded(b, types.NewBlockWithHeader(full).WithBody(types.Body{Transactions: txs})), 1},
		{"NewBlock/refused", maxAhead, stuffed(b, claims, worstBody), 0},
		{"NewBlock/ignored", 1000, stuffed(b, sessiontest.Junk(1000, 1).Header(), worstBody), 0},
		{"NewBlock/forged", 1, stuffed(b, net.Build(b, chain, 0).Header(), worstBody), 0},
	} {
		b.Run(kind.name, func(b *testing.B) {
			b.ReportAllocs()
			im, _ := stoppedImporter(chain, engine)
			im.drop = func(*session.Session, error) {}
			for b.Loop() {
				b.StopTimer()
				ses := sessiontest.Join(b, im.gossip.sessions)
				b.StartTimer()
				im.pushRaw(b, ses, kind.number, kind.raw)
				b.StopTimer()
				must.Equal(b, im.queued(), kind.keeps, "blocks kept")
				im.queue.mu.Lock()
				for key := range im.queue.blocks {
					im.queue.release(key)
				}
				im.queue.mu.Unlock()
				b.StartTimer()
			}
		})
	}
}
