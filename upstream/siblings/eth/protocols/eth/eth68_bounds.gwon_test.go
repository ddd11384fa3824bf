// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"bytes"
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/tracker"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shortestTx has the nine fields of an untyped transaction, a byte each.
var shortestTx = []byte{0xc9, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}

// filled returns a list of as many copies of an encoded value as fit into a number of bytes.
func filled(value []byte, size int) rlp.RawValue {
	w := rlp.NewEncoderBuffer(nil)
	l := w.List()
	w.Write(bytes.Repeat(value, size/len(value)))
	w.ListEnd(l)
	return w.ToBytes()
}

func encodedValue(t testing.TB, value any) rlp.RawValue {
	t.Helper()
	return must.Get(rlp.EncodeToBytes(value))(t)
}

// quiet takes what reaches the backend of a node that takes transactions.
type quiet struct {
	*testBackend
	last Packet
}

func (q *quiet) AcceptTxs() bool { return true }
func (q *quiet) Handle(_ *Peer, packet Packet) error {
	q.last = packet
	return nil
}

// deaf is a connection on which everything that is written is lost.
type deaf struct{}

func (deaf) ReadMsg() (p2p.Msg, error)  { select {} }
func (deaf) WriteMsg(msg p2p.Msg) error { return msg.Discard() }

func newDeafPeer(t testing.TB, backend Backend) *Peer {
	peer := NewPeer(ETH68, p2p.NewPeer(enode.ID{1}, "peer", nil), deaf{}, backend.TxPool(), nil, params.TestChainConfig)
	t.Cleanup(peer.Close)
	return peer
}

func hear(backend Backend, peer *Peer, code uint64, payload []byte) error {
	return eth68[code](backend, p2p.Msg{Code: code, Size: uint32(len(payload)), Payload: bytes.NewReader(payload)}, peer)
}

// A message that is larger than any honest one of its kind is not decoded: each ends the connection, one of whole
// transactions is left to the backend. What an honest node sends passes (spec network 2.3, 2.5).
func TestSizeOfEachKind(t *testing.T) {
	backend := &quiet{testBackend: newTestBackend(1)}
	defer backend.close()
	peer := newDeafPeer(t, backend)
	hash := append([]byte{0xa0}, make([]byte, 32)...)
	hashes := func(n int) rlp.RawValue { return filled(hash, n*len(hash)) }
	announced := func(n int) rlp.RawValue {
		return encodedValue(t, []any{bytes.Repeat([]byte{2}, n), filled([]byte{0x83, 1, 0, 0}, 4*n), hashes(n)})
	}
	asked := func(list rlp.RawValue) rlp.RawValue { return encodedValue(t, []any{uint64(1), list}) }
	block := append([]byte{0xe5, 0xa0}, append(make([]byte, 32), 0x83, 1, 0, 0)...)
	for _, test := range []struct {
		name   string
		code   uint64
		honest []byte
		large  []byte
	}{
		{"NewBlockHashes", NewBlockHashesMsg, filled(block, 256*len(block)), filled(block, maxBlocksAnnounced+100)},
		{"GetBlockHeaders", GetBlockHeadersMsg, asked(encodedValue(t, []any{uint64(1), uint64(192), uint64(0), false})),
			asked(hashes(6000))},
		{"GetBlockBodies", GetBlockBodiesMsg, asked(hashes(1024)), asked(hashes(6000))},
		{"GetReceipts", GetReceiptsMsg, asked(hashes(1024)), asked(hashes(6000))},
		{"GetPooledTransactions", GetPooledTransactionsMsg, asked(hashes(4096)), asked(hashes(6000))},
		{"NewPooledTransactionHashes", NewPooledTransactionHashesMsg, announced(4096), announced(8000)},
		{"PooledTransactions", PooledTransactionsMsg, nil, asked(filled(shortestTx, maxPooledTransactions))},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.honest != nil {
				assert.NoError(t, hear(backend, peer, test.code, test.honest), "honest")
			}
			assert.ErrorIs(t, hear(backend, peer, test.code, test.large), ErrTooLarge, "too large")
		})
	}
	t.Run("Transactions", func(t *testing.T) {
		must.Do(t, hear(backend, peer, TransactionsMsg, filled(shortestTx, 1000)))
		_, ok := backend.last.(*TransactionsPacket)
		assert.Truef(t, ok, "the backend is given %T", backend.last)
		large := filled(make([]byte, 1), maxPushedTransactions)
		must.Do(t, hear(backend, peer, TransactionsMsg, large))
		if p, ok := backend.last.(*UnreadPacket); !ok || int(p.Size) != len(large) {
			t.Errorf("the backend is given %T, want the size of what is not read", backend.last)
		}
	})
}

// answers connects a peer that gives the same answer to each request. ask sends one and returns what comes of it.
func answers(t testing.TB, backend Backend, code uint64, list rlp.RawValue) (peer *Peer, handled <-chan error) {
	near, far := p2p.MsgPipe()
	peer = NewPeer(ETH68, p2p.NewPeer(enode.ID{1}, "peer", nil), near, nil, nil, params.TestChainConfig)
	errc := make(chan error, 1)
	go func() {
		errc <- Handle(backend, peer)
		_ = near.Close()
	}()
	go func() {
		for {
			msg, err := far.ReadMsg()
			if err != nil {
				return
			}
			var query struct {
				RequestId uint64
				Rest      rlp.RawValue
			}
			if msg.Decode(&query) != nil || p2p.Send(far, code, []any{query.RequestId, list}) != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = near.Close()
		peer.Close()
	})
	return peer, errc
}

// A block with large extra data can be decided without this node, so its header is taken when it was asked for.
func TestLargeHeaderInAnswer(t *testing.T) {
	backend := &quiet{testBackend: newTestBackend(1)}
	defer backend.close()
	for name, test := range map[string]struct {
		extra int
		good  bool
	}{"as proposed here": {100 << 10, true}, "decided without this node": {5 << 20, true}} {
		t.Run(name, func(t *testing.T) {
			header := &types.Header{Number: big.NewInt(1), Difficulty: big.NewInt(1), Extra: make([]byte, test.extra)}
			peer, handled := answers(t, backend, BlockHeadersMsg, encodedValue(t, []any{header}))
			sink := make(chan *Response)
			req := must.Get(peer.RequestHeadersByNumber(1, 1, 0, false, sink))(t)
			defer func() { _ = req.Close() }()
			select {
			case res := <-sink:
				res.Done <- nil
				if hashes := res.Meta.([]common.Hash); !test.good || len(hashes) != 1 || hashes[0] != header.Hash() {
					t.Errorf("hashes %v for a header with %d bytes of extra data", hashes, test.extra)
				}
			case err := <-handled:
				assert.Truef(t, !test.good && errors.Is(err, ErrTooLarge), "error %v", err)
			}
		})
	}
}

// An answer with more items than any request asks for is refused before they are counted.
func TestAnswerWithTooManyItems(t *testing.T) {
	backend := &quiet{testBackend: newTestBackend(0)}
	defer backend.close()
	peer := newDeafPeer(t, backend)
	codes := map[string]uint64{"BlockHeaders": BlockHeadersMsg, "BlockBodies": BlockBodiesMsg, "Receipts": ReceiptsMsg}
	for name, code := range codes {
		t.Run(name, func(t *testing.T) {
			answer := func(n int) []byte { return encodedValue(t, []any{uint64(1), filled([]byte{0xc0}, n)}) }
			assert.ErrorIsf(t, hear(backend, peer, code, answer(maxAsked)), tracker.ErrNoMatchingRequest, "%d items", maxAsked)
			assert.ErrorIsf(t, hear(backend, peer, code, answer(maxAsked+1)), ErrTooLarge, "%d items", maxAsked+1)
		})
	}
}

// transferIn returns a transfer for the block that is being made.
func transferIn(t testing.TB, gen *core.BlockGen) *types.Transaction {
	t.Helper()
	tx := types.NewTransaction(gen.TxNonce(testAddr), common.Address{1}, new(big.Int), params.TxGas, gen.BaseFee(), nil)
	return must.Get(types.SignTx(tx, types.HomesteadSigner{}, testKey))(t)
}

// Bodies are handed on as they came, and their roots are those of the headers (spec network 2.2).
func TestBodiesStayEncoded(t *testing.T) {
	backend := newTestBackendWithGenerator(2, false, false, func(i int, gen *core.BlockGen) {
		gen.AddTx(transferIn(t, gen))
	})
	defer backend.close()
	var hashes []common.Hash
	var raw []rlp.RawValue
	for n := uint64(1); n <= 2; n++ {
		block := backend.chain.GetBlockByNumber(n)
		hashes = append(hashes, block.Hash())
		raw = append(raw, encodedValue(t, block.Body()))
	}
	peer, _ := answers(t, backend, BlockBodiesMsg, encodedValue(t, raw))
	sink := make(chan *Response)
	req := must.Get(peer.RequestBodies(hashes, sink))(t)
	defer func() { _ = req.Close() }()
	res := <-sink
	res.Done <- nil
	bodies := *res.Res.(*BlockBodies68)
	require.Equal(t, 2, len(bodies), "bodies")
	for i := range bodies {
		var body BlockBody
		err := rlp.DecodeBytes(bodies[i], &body)
		require.Truef(t, err == nil && bytes.Equal(bodies[i], raw[i]), "body %d: error %v", i, err)
		header := backend.chain.GetHeaderByNumber(uint64(i + 1))
		if txs, uncles := body.Roots(); txs != header.TxHash || uncles != header.UncleHash {
			t.Errorf("body %d has roots %v and %v, want those of the header", i, txs, uncles)
		}
	}
}

// BenchmarkWorst measures the worst message of each kind that this package handles by itself: the largest one that is
// read, and requests that cost the most work for an answer. docs/reference/limits.md has the figures.
func BenchmarkWorst(b *testing.B) {
	const blocks, message = 1024, maxMessageSize - 1024
	backend := &quiet{testBackend: newTestBackendWithGenerator(blocks, false, false, func(_ int, gen *core.BlockGen) {
		for range 5 {
			gen.AddTx(transferIn(b, gen))
		}
	})}
	defer backend.close()
	peer := newDeafPeer(b, backend)
	hash := append([]byte{0xa0}, make([]byte, 32)...)
	hash[32] = 1
	unknown := filled(hash, maxQuery-100)
	var known []common.Hash
	for n := range uint64(blocks) {
		known = append(known, backend.chain.GetCanonicalHash(n+1))
	}
	head := known[blocks-1]
	asked := func(list any) rlp.RawValue { return encodedValue(b, []any{uint64(1), list}) }
	block := append([]byte{0xe2, 0xa0}, append(make([]byte, 32), 1)...)
	count := maxAnnounced / 40
	announced := []any{bytes.Repeat([]byte{2}, count), filled([]byte{0x83, 1, 0, 0}, 4*count), filled(hash, 33*count)}
	first := &types.Header{Number: big.NewInt(1), Difficulty: big.NewInt(1)}
	full := []any{first, filled(shortestTx, message-1024), []any{}}

	for _, kind := range []struct {
		name    string
		code    uint64
		payload []byte
		refused bool
	}{
		{"NewBlockHashes", NewBlockHashesMsg, filled(block, maxBlocksAnnounced-8), false},
		{"NewBlockHashes/refused", NewBlockHashesMsg, filled(block, message), true},
		{"Transactions", TransactionsMsg, filled(shortestTx, 10*maxTransactionAnnouncements), false},
		{"Transactions/refused", TransactionsMsg, filled(shortestTx, message), false},
		{"NewPooledTransactionHashes", NewPooledTransactionHashesMsg, encodedValue(b, announced), false},
		{"PooledTransactions/unasked", PooledTransactionsMsg, asked(filled(shortestTx, maxPooledTransactions-100)), true},
		{"PooledTransactions/refused", PooledTransactionsMsg, asked(filled(shortestTx, message)), true},
		{"NewBlock/read", NewBlockMsg, encodedValue(b, []any{full, uint64(2)}), false},
		{"BlockBodies/unasked", BlockBodiesMsg, asked(filled([]byte{0xc2, 0xc0, 0xc0}, message)), true},
		{"BlockHeaders/unasked", BlockHeadersMsg, asked(filled([]byte{0xc0}, message)), true},
		{"Receipts/unasked", ReceiptsMsg, asked(filled([]byte{0xc0}, message)), true},
		{"GetBlockHeaders/numbers", GetBlockHeadersMsg, asked([]any{uint64(1), uint64(1024), uint64(0), false}), false},
		{"GetBlockHeaders/ancestors", GetBlockHeadersMsg, asked([]any{head, uint64(1024), uint64(0), true}), false},
		{"GetBlockHeaders/skipping", GetBlockHeadersMsg, asked([]any{head, uint64(1024), uint64(1), true}), false},
		{"GetBlockBodies", GetBlockBodiesMsg, asked(known), false},
		{"GetReceipts", GetReceiptsMsg, asked(known), false},
		{"GetReceipts/unknown", GetReceiptsMsg, asked(unknown), false},
		{"GetPooledTransactions/unknown", GetPooledTransactionsMsg, asked(unknown), false},
		{"GetBlockBodies/refused", GetBlockBodiesMsg, asked(filled(hash, message)), true},
	} {
		b.Run(kind.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := hear(backend, peer, kind.code, kind.payload); (err != nil) != kind.refused {
					b.Fatal(err)
				}
			}
		})
	}
	difficulty, id := bytes.Repeat([]byte{1}, message), []any{[]byte{1, 2, 3, 4}, uint64(0)}
	status := encodedValue(b, []any{uint64(ETH68), uint64(1), difficulty, head, head, id})
	b.Run("Status", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var s StatusPacket68
			if err := rlp.DecodeBytes(status, &s); err != nil || checkTotalDifficulty(s.TD) == nil {
				b.Fatal("accepted", err)
			}
		}
	})
	largest := &types.Header{Number: big.NewInt(1), Difficulty: big.NewInt(1), Extra: make([]byte, 100<<10)}
	receipt := encodedValue(b, []any{uint64(1), uint64(1), types.Bloom{}, []any{}})
	emptyLog := []byte{0xd7, 0x94, 22: 0xc0, 23: 0x80}
	logs := encodedValue(b, []any{uint64(1), uint64(1), types.Bloom{}, filled(emptyLog, message-1024)})
	bodies := encodedValue(b, []any{[]any{filled(shortestTx, message-64), []any{}}})
	type request func(*Peer, chan *Response) (*Request, error)
	askReceipts := func(p *Peer, sink chan *Response) (*Request, error) {
		return p.RequestReceipts([]common.Hash{{1}}, []uint64{1 << 62}, []uint64{0}, sink)
	}
	for _, kind := range []struct {
		name string
		code uint64
		list rlp.RawValue
		ask  request
	}{
		{"BlockHeaders", BlockHeadersMsg, filled(encodedValue(b, largest), message),
			func(p *Peer, sink chan *Response) (*Request, error) {
				return p.RequestHeadersByNumber(1, 192, 0, false, sink)
			}},
		{"BlockBodies/read", BlockBodiesMsg, bodies,
			func(p *Peer, sink chan *Response) (*Request, error) { return p.RequestBodies([]common.Hash{{1}}, sink) }},
		{"Receipts", ReceiptsMsg, encodedValue(b, []any{filled(receipt, message-64)}), askReceipts},
		{"Receipts/logs", ReceiptsMsg, encodedValue(b, []any{[]any{logs}}), askReceipts},
	} {
		b.Run(kind.name, func(b *testing.B) {
			b.ReportAllocs()
			peer, handled := answers(b, backend, kind.code, kind.list)
			for b.Loop() {
				sink := make(chan *Response)
				req := must.Get(kind.ask(peer, sink))(b)
				select {
				case res := <-sink:
					res.Done <- nil
				case err := <-handled:
					b.Fatal(err)
				}
				_ = req.Close()
			}
		})
	}
}
