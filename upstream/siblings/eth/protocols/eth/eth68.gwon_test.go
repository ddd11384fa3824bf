// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/forkid"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded is one message of testdata/eth68.
type recorded struct {
	Variant string
	Payload hexutil.Bytes
	Decoded json.RawMessage
}

func recordings(t testing.TB, message string) []recorded {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata", "eth68", "eth-"+message+".json")))(t)
	var list []recorded
	must.Do(t, json.Unmarshal(data, &list))
	require.Truef(t, len(list) != 0, "no recorded messages %q", message)
	return list
}

func (r recorded) decoded(t testing.TB, into any) {
	t.Helper()
	must.Do(t, json.Unmarshal(r.Decoded, into))
}

// Every recorded message of go-stablenet is decoded, items included, and encoded again (spec network 2.2).
func TestRecordedMessages(t *testing.T) {
	type maker = func() (packet any, items func() error)
	for message, decode := range map[string]maker{
		"status":                     func() (any, func() error) { return new(StatusPacket68), nil },
		"newBlock":                   func() (any, func() error) { return new(NewBlockPacket), nil },
		"newBlockHashes":             func() (any, func() error) { return new(NewBlockHashesPacket), nil },
		"newPooledTransactionHashes": func() (any, func() error) { return new(NewPooledTransactionHashesPacket71), nil },
		"getBlockHeaders":            func() (any, func() error) { return new(GetBlockHeadersPacket), nil },
		"getBlockBodies":             func() (any, func() error) { return new(GetBlockBodiesPacket), nil },
		"getPooledTransactions":      func() (any, func() error) { return new(GetPooledTransactionsPacket), nil },
		"blockHeaders": func() (any, func() error) {
			p := new(BlockHeadersPacket)
			return p, func() error { _, err := p.List.Items(); return err }
		},
		"transactions": func() (any, func() error) {
			p := new(TransactionsPacket)
			return p, func() error { _, err := p.Items(); return err }
		},
		"pooledTransactions": func() (any, func() error) {
			p := new(PooledTransactionsPacket)
			return p, func() error { _, err := p.List.Items(); return err }
		},
		"blockBodies": func() (any, func() error) {
			p := new(BlockBodiesPacket)
			return p, func() error {
				bodies, err := p.List.Items()
				for i := range bodies {
					_, txErr := bodies[i].Transactions.Items()
					err = errors.Join(err, txErr)
				}
				return err
			}
		},
	} {
		for _, r := range recordings(t, message) {
			t.Run(r.Variant, func(t *testing.T) {
				packet, items := decode()
				must.Do(t, rlp.DecodeBytes(r.Payload, packet))
				if items != nil {
					must.Do(t, items())
				}
				if again, err := rlp.EncodeToBytes(packet); err != nil || !bytes.Equal(again, r.Payload) {
					t.Errorf("encoded again: %x (error %v), want %x", again, err, r.Payload)
				}
			})
		}
	}
}

func TestRecordedStatus(t *testing.T) {
	for _, r := range recordings(t, "status") {
		var want struct {
			ForkHash, HeadHash, GenesisHash               hexutil.Bytes
			ForkNext, NetworkID, TotalDifficulty, Version uint64
		}
		r.decoded(t, &want)
		var have StatusPacket68
		must.Do(t, rlp.DecodeBytes(r.Payload, &have))
		if !bytes.Equal(have.ForkID.Hash[:], want.ForkHash) || have.ForkID.Next != want.ForkNext ||
			!bytes.Equal(have.Head[:], want.HeadHash) || !bytes.Equal(have.Genesis[:], want.GenesisHash) ||
			have.NetworkID != want.NetworkID || have.TD.Uint64() != want.TotalDifficulty ||
			uint64(have.ProtocolVersion) != want.Version {
			t.Errorf("%s: have %+v, want %+v", r.Variant, have, want)
		}
	}
}

// TestRecordedNewBlock checks the contents and that the bodies are those of the headers (spec network 2.6).
func TestRecordedNewBlock(t *testing.T) {
	for _, r := range recordings(t, "newBlock") {
		var want struct{ TotalDifficulty, Transactions json.Number }
		r.decoded(t, &want)
		var have NewBlockPacket
		require.NoError(t, rlp.DecodeBytes(r.Payload, &have), r.Variant)
		assert.Truef(t, have.TD.String() == want.TotalDifficulty.String(),
			"%s: total difficulty %v, want %v", r.Variant, have.TD, want.TotalDifficulty)
		block := new(types.Block)
		require.NoError(t, rlp.DecodeBytes(have.Block, block), r.Variant)
		n := big.NewInt(int64(len(block.Transactions()))).String()
		assert.Truef(t, n == want.Transactions.String(), "%s: %s transactions, want %s", r.Variant, n, want.Transactions)
	}
}

// spec: network 2.1
func TestTotalDifficultyIsBounded(t *testing.T) {
	largest := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 100), big.NewInt(1))
	for name, tt := range map[string]struct {
		td   *big.Int
		good bool
	}{
		"usual":    {big.NewInt(2), true},
		"largest":  {largest, true},
		"none":     {nil, false},
		"101 bits": {new(big.Int).Lsh(big.NewInt(1), 100), false},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkTotalDifficulty(tt.td)
			assert.Truef(t, (err == nil) == tt.good, "error %v", err)
		})
	}
}

// An Anzeon chain offers version 68 alone, any other chain upstream's versions (spec network 5 no. 1).
func TestOfferedVersions(t *testing.T) {
	have := offeredVersions(&params.ChainConfig{Anzeon: new(params.AnzeonConfig)})
	assert.Truef(t, slices.Equal(have, []uint{ETH68}), "Anzeon chain offers %v", have)
	have = offeredVersions(params.TestChainConfig)
	assert.Truef(t, slices.Equal(have, []uint{ETH72, ETH71, ETH70, ETH69}), "plain chain offers %v", have)
	n := protocolLengths[ETH68]
	assert.Truef(t, n == 17, "eth/68 has %d message codes, want 17", n)
}

// TestHandshake68Rejections: each cause of spec network 2.1.
func TestHandshake68Rejections(t *testing.T) {
	backend := newTestBackend(3)
	defer backend.close()
	var (
		chain = backend.chain
		head  = chain.CurrentBlock()
		good  = StatusPacket68{ETH68, 1, big.NewInt(3), head.Hash(), chain.Genesis().Hash(),
			forkid.NewID(chain.Config(), chain.Genesis(), head.Number.Uint64(), head.Time)}
	)
	foreign := []error{errNetworkIDMismatch, errGenesisMismatch, errForkIDRejected}
	with := func(change func(*StatusPacket68)) *StatusPacket68 {
		s := good
		change(&s)
		return &s
	}
	for _, tt := range []struct {
		name string
		code uint64
		data any
		want error
	}{
		{"no status", TransactionsMsg, []any{}, errNoStatusMsg},
		{"other version", StatusMsg, with(func(s *StatusPacket68) { s.ProtocolVersion = 69 }), errProtocolVersionMismatch},
		{"other network", StatusMsg, with(func(s *StatusPacket68) { s.NetworkID = 2 }), errNetworkIDMismatch},
		{"other genesis", StatusMsg, with(func(s *StatusPacket68) { s.Genesis[0]++ }), errGenesisMismatch},
		{"other forks", StatusMsg, with(func(s *StatusPacket68) { s.ForkID.Hash[0]++ }), errForkIDRejected},
		{"total difficulty of 101 bits", StatusMsg,
			with(func(s *StatusPacket68) { s.TD = new(big.Int).Lsh(big.NewInt(1), 100) }), errTotalDifficulty},
		{"good", StatusMsg, &good, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			app, net := p2p.MsgPipe()
			defer func() { _ = app.Close() }()
			peer := NewPeer(ETH68, p2p.NewPeer(enode.ID{1}, "peer", nil), net, nil, nil, nil)
			defer peer.Close()
			go func() { _ = p2p.Send(app, tt.code, tt.data) }()
			go func() { // our own Status must be read, or the handshake ends by its time limit
				if msg, err := app.ReadMsg(); err == nil {
					_ = msg.Discard()
				}
			}()
			if err := peer.Handshake(1, chain, BlockRangeUpdatePacket{}); !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			} else if IsForeign(err) != slices.Contains(foreign, tt.want) {
				t.Errorf("%v: foreign %v", err, IsForeign(err))
			}
			status := peer.Status68()
			assert.Truef(t, (status == nil) == (tt.want != nil), "kept status %+v", status)
			assert.True(t, peer.BlockRange() == nil, "a 68 peer has a block range: it would go stale")
		})
	}
}

// crashedChain has a header ahead of the newest block with state.
type crashedChain struct {
	*core.BlockChain
	header *types.Header
}

func (c crashedChain) CurrentHeader() *types.Header { return c.header }

// TestHandshake68Sends: the Status we send claims the newest block with state and its total difficulty.
func TestHandshake68Sends(t *testing.T) {
	backend := newTestBackend(3)
	defer backend.close()
	chain := crashedChain{backend.chain, &types.Header{Number: big.NewInt(9), Time: 9}}

	app, net := p2p.MsgPipe()
	defer func() { _ = app.Close() }()
	peer := NewPeer(ETH68, p2p.NewPeer(enode.ID{1}, "peer", nil), net, nil, nil, nil)
	defer peer.Close()
	done := make(chan error, 1)
	go func() { done <- peer.Handshake(7, chain, BlockRangeUpdatePacket{}) }()

	head := chain.CurrentBlock()
	want := &StatusPacket68{ETH68, 7, new(big.Int).Add(chain.Genesis().Difficulty(), big.NewInt(3)), head.Hash(),
		chain.Genesis().Hash(), forkid.NewID(chain.Config(), chain.Genesis(), 3, head.Time)}
	assert.NoError(t, p2p.ExpectMsg(app, StatusMsg, want))
	must.Do(t, p2p.Send(app, StatusMsg, want))
	must.Do(t, <-done)
}

// packetBackend passes on what reaches Handle.
type packetBackend struct {
	*testBackend
	packets chan Packet
}

func (b packetBackend) Handle(_ *Peer, packet Packet) error {
	b.packets <- packet
	return nil
}

// pair connects a sender with a peer whose messages are handled by the backend.
func pair(t *testing.T, backend Backend) (sender *Peer, handled <-chan error) {
	local, remote := p2p.MsgPipe()
	sender = NewPeer(ETH68, p2p.NewPeer(enode.ID{1}, "sender", nil), local, nil, nil, nil)
	receiver := NewPeer(ETH68, p2p.NewPeer(enode.ID{2}, "receiver", nil), remote, nil, nil, nil)
	errc := make(chan error, 1)
	go func() {
		errc <- Handle(backend, receiver)
		_ = remote.Close()
	}()
	t.Cleanup(func() { _ = local.Close(); sender.Close(); receiver.Close() })
	return sender, errc
}

func TestBlockPropagation68(t *testing.T) {
	backend := packetBackend{newTestBackend(1), make(chan Packet, 1)}
	defer backend.close()
	sender, handled := pair(t, backend)

	block := backend.chain.GetBlockByNumber(1)
	must.Do(t, sender.SendNewBlock(block, big.NewInt(2)))
	got, ok := (<-backend.packets).(*NewBlockPacket)
	want := must.Get(rlp.EncodeToBytes(block))(t)
	assert.Truef(t, ok && bytes.Equal(got.Block, want) && got.TD.Cmp(big.NewInt(2)) == 0, "NewBlock arrived as %+v", got)

	must.Do(t, sender.SendNewBlockHashes([]common.Hash{{1}, {2}}, []uint64{5, 6}))
	hashes, ok := (<-backend.packets).(*NewBlockHashesPacket)
	assert.Truef(t, ok && slices.Equal(*hashes, (NewBlockHashesPacket{{common.Hash{1}, 5}, {common.Hash{2}, 6}})),
		"NewBlockHashes arrived as %v", hashes)
	assert.Error(t, sender.SendNewBlockHashes([]common.Hash{{1}}, nil), "lists of different lengths were sent")

	must.Do(t, sender.SendNewBlock(block, new(big.Int).Lsh(big.NewInt(1), 100)))
	assert.ErrorIs(t, <-handled, errTotalDifficulty, "absurd total difficulty")
}

// TestUnknownCode68: BlockRangeUpdate does not exist in eth/68 (spec network 2.2).
func TestUnknownCode68(t *testing.T) {
	backend := newTestBackend(0)
	defer backend.close()
	sender, handled := pair(t, backend)
	must.Do(t, p2p.Send(sender.rw, BlockRangeUpdateMsg, &BlockRangeUpdatePacket{0, 1, common.Hash{1}}))
	assert.ErrorIs(t, <-handled, errInvalidMsgCode)
}

// Receipts in wire form are decoded into the database form; blooms and root are computed again (spec network 2.2,
// transactions 1.4).
func TestReceiptVectors(t *testing.T) {
	data := must.Get(os.ReadFile(filepath.Join("testdata", "eth68", "receipts.json")))(t)
	var vectors []struct {
		Name               string
		Consensus, Storage hexutil.Bytes
		Root               common.Hash
	}
	must.Do(t, json.Unmarshal(data, &vectors))
	seen := make(map[byte]bool)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			wire := wireReceipts(t, v.Consensus)
			list := decodeWire(t, wire)
			seen[txTypeOf(v.Consensus)] = true
			assert.Equal(t, v.Root, types.DeriveSha(list.Derivable(), trie.NewStackTrie(nil)), "receipts root")
			again, err := list.encode68()
			assert.Truef(t, err == nil && bytes.Equal(again, wire), "encoded again: %x (error %v), want %x", again, err, wire)
			have := must.Get(list.EncodeForStorage())(t)
			// The reference stores the effective gas price as a fourth item; it must not come from the wire.
			items := must.Get(rlp.SplitListValues(v.Storage))(t)
			inner := must.Get(rlp.MergeListValues(items[:3]))(t)
			want, err := rlp.MergeListValues([][]byte{inner})
			assert.Truef(t, err == nil && bytes.Equal(have, want), "storage form %x, want %x", have, want)
		})
	}
	for _, typ := range []byte{0, 1, 2, 4, 0x16} {
		assert.Truef(t, seen[typ], "no vector of type %#x", typ)
	}
}

func txTypeOf(consensus []byte) byte {
	if consensus[0] > 0x7f {
		return 0
	}
	return consensus[0]
}

// wireReceipts returns a block's receipts in eth/68 from consensus forms.
func wireReceipts(t testing.TB, consensus ...[]byte) []byte {
	t.Helper()
	w := rlp.NewEncoderBuffer(nil)
	l := w.List()
	for _, c := range consensus {
		if txTypeOf(c) == 0 {
			w.Write(c)
		} else {
			w.WriteBytes(c)
		}
	}
	w.ListEnd(l)
	return w.ToBytes()
}

func decodeWire(t testing.TB, wire []byte) *ReceiptList {
	t.Helper()
	return must.Get(decodeReceiptList68(wire))(t)
}

func TestReceiptDecoderRefuses(t *testing.T) {
	bloom := make([]byte, types.BloomByteLength)
	enc := func(v any) []byte {
		return must.Get(rlp.EncodeToBytes(v))(t)
	}
	good := enc([]any{uint64(1), uint64(21000), bloom, []any{}})
	_, err := decodeReceipt68(good)
	require.NoError(t, err, "good receipt refused")
	for name, in := range map[string][]byte{
		"nothing":             {},
		"bytes after it":      append(bytes.Clone(good), 0x80),
		"empty string":        {0x80},
		"type 0 as a string":  enc(append([]byte{0}, good...)),
		"type above 0x7f":     enc(append([]byte{0x80}, good...)),
		"type without a list": enc([]byte{0x02}),
		"bytes after a typed": enc(append(append([]byte{2}, good...), 0)),
		"no bloom":            enc([]any{uint64(1), uint64(21000), []any{}}),
		"short bloom":         enc([]any{uint64(1), uint64(21000), bloom[1:], []any{}}),
		"fifth item":          enc([]any{uint64(1), uint64(21000), bloom, []any{}, uint64(7)}),
		"status of two bytes": enc([]any{uint64(0x100), uint64(21000), bloom, []any{}}),
		"logs as a string":    enc([]any{uint64(1), uint64(21000), bloom, "x"}),
		"gas as a list":       enc([]any{uint64(1), []any{}, bloom, []any{}}),
		"truncated":           good[:len(good)-1],
	} {
		got, err := decodeReceipt68(in)
		assert.Errorf(t, err, "%s: accepted as %x", name, got)
	}
}

// receiptChain makes a chain of two blocks, with two transactions in the second.
func receiptChain() *testBackend {
	signer := types.HomesteadSigner{}
	return newTestBackendWithGenerator(2, false, false, func(i int, g *core.BlockGen) {
		for range 2 * i {
			tx := types.MustSignNewTx(testKey, signer, &types.LegacyTx{Nonce: g.TxNonce(testAddr), To: &common.Address{1},
				Value: big.NewInt(1), Gas: params.TxGas, GasPrice: g.BaseFee()})
			g.AddTx(tx)
		}
	})
}

// Receipts are served in the consensus form with bloom, in order and without unknown hashes (spec network 2.2, 2.3).
func TestServeReceipts68(t *testing.T) {
	backend := receiptChain()
	defer backend.close()
	peer, _ := newTestPeer("peer", ETH68, backend)
	defer peer.close()

	b1, b2 := backend.chain.GetBlockByNumber(1).Hash(), backend.chain.GetBlockByNumber(2).Hash()
	query := []common.Hash{b2, {0xff}, b1}
	must.Do(t, p2p.Send(peer.app, GetReceiptsMsg, &GetReceiptsPacket69{123, query}))
	want := []any{uint64(123), []any{backend.chain.GetReceiptsByHash(b2), backend.chain.GetReceiptsByHash(b1)}}
	assert.NoError(t, p2p.ExpectMsg(peer.app, ReceiptsMsg, want))
}

// TestRequestReceipts68 fetches receipts as the downloader does: the answer is matched by receipts roots.
func TestRequestReceipts68(t *testing.T) {
	backend := receiptChain()
	defer backend.close()
	block := backend.chain.GetBlockByNumber(2)
	res := requestReceipts(t, backend, block, func(id uint64) []any {
		return []any{id, []any{backend.chain.GetReceiptsByHash(block.Hash())}}
	})
	roots := res.Meta.([]common.Hash)
	assert.Truef(t, len(roots) == 1 && roots[0] == block.ReceiptHash(), "roots %x, want %x", roots, block.ReceiptHash())
}

// requestReceipts asks a peer for the receipts of a block and returns what it makes of an answer.
func requestReceipts(t *testing.T, backend *testBackend, block *types.Block, answer func(id uint64) []any) *Response {
	t.Helper()
	peer, _ := newTestPeer("peer", ETH68, backend)
	defer peer.close()
	sink := make(chan *Response, 1)
	go func() {
		msg, err := peer.app.ReadMsg()
		if err != nil {
			return
		}
		var query GetReceiptsPacket69
		if msg.Decode(&query) == nil {
			_ = p2p.Send(peer.app, ReceiptsMsg, answer(query.RequestId))
		}
	}()
	hashes, gasUsed, times := []common.Hash{block.Hash()}, []uint64{block.GasUsed()}, []uint64{block.Time()}
	must.Get(peer.RequestReceipts(hashes, gasUsed, times, sink))(t)
	res := <-sink
	res.Done <- nil
	return res
}

// Receipts that are larger than a message count as an empty answer of a peer that was asked, because go-stablenet sends
// receipts of any size. Unrequested ones end the connection.
func TestOverlongReceipts68(t *testing.T) {
	backend := receiptChain()
	defer backend.close()
	overlong := func(id uint64) []any { return []any{id, [][]byte{make([]byte, maxMessageSize)}} }
	t.Run("asked for", func(t *testing.T) {
		res := requestReceipts(t, backend, backend.chain.GetBlockByNumber(2), overlong)
		lists := *res.Res.(*ReceiptsRLPResponse)
		assert.Equal(t, 0, len(lists), "lists of receipts")
	})
	t.Run("bodies", func(t *testing.T) {
		peer, _ := newTestPeer("peer", ETH68, backend)
		defer peer.close()
		sink := make(chan *Response, 1)
		go func() {
			msg, err := peer.app.ReadMsg()
			if err != nil {
				return
			}
			var query GetBlockBodiesPacket
			if msg.Decode(&query) == nil {
				_ = p2p.Send(peer.app, BlockBodiesMsg, overlong(query.RequestId))
			}
		}()
		must.Get(peer.RequestBodies([]common.Hash{backend.chain.GetBlockByNumber(2).Hash()}, sink))(t)
		res := <-sink
		res.Done <- nil
		bodies := *res.Res.(*BlockBodies68)
		assert.Equal(t, 0, len(bodies), "bodies")
	})
	t.Run("not asked for", func(t *testing.T) {
		peer, errc := newTestPeer("peer", ETH68, backend)
		defer peer.close()
		must.Do(t, p2p.Send(peer.app, ReceiptsMsg, overlong(7)))
		assert.Error(t, <-errc, "the connection goes on")
	})
}

// Receipts that are not stored are left out, as those of an unknown block: an empty list would be a wrong answer.
func TestServeMissingReceipts68(t *testing.T) {
	backend := receiptChain()
	defer backend.close()
	block := backend.chain.GetBlockByNumber(2)
	rawdb.WriteReceipts(backend.db, block.Hash(), 2, nil)
	list := must.Get(serviceGetReceiptsQuery68(backend.chain, GetReceiptsRequest{block.Hash()}))(t)
	assert.Truef(t, list.Len() == 0, "%d lists of receipts, want none", list.Len())
}

// FuzzReceipt68: what is accepted survives a round trip.
func FuzzReceipt68(f *testing.F) {
	data := must.Get(os.ReadFile(filepath.Join("testdata", "eth68", "receipts.json")))(f)
	var vectors []struct{ Consensus hexutil.Bytes }
	must.Do(f, json.Unmarshal(data, &vectors))
	for _, v := range vectors {
		f.Add(wireReceipts(f, v.Consensus))
	}
	f.Add([]byte{0xc0})
	f.Add(wireReceipts(f, vectors[0].Consensus, vectors[len(vectors)-1].Consensus))
	f.Fuzz(func(t *testing.T, in []byte) {
		list, err := decodeReceiptList68(in)
		if err != nil {
			return
		}
		enc, err := list.encode68()
		require.NoErrorf(t, err, "accepted %x, cannot encode it", in)
		again := decodeWire(t, enc)
		require.Truef(t, bytes.Equal(again.items.Bytes(), list.items.Bytes()),
			"items changed: %x, then %x", list.items.Bytes(), again.items.Bytes())
		_, err = list.EncodeForStorage()
		require.NoErrorf(t, err, "accepted %x, cannot store it", in)
	})
}

// FuzzNewBlock: what is accepted is encoded to the same bytes, and no check panics.
func FuzzNewBlock(f *testing.F) {
	for _, r := range recordings(f, "newBlock") {
		f.Add([]byte(r.Payload))
	}
	f.Add(common.FromHex("c2c080"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var packet NewBlockPacket
		if rlp.DecodeBytes(in, &packet) != nil {
			return
		}
		_ = checkTotalDifficulty(packet.TD)
		out, err := rlp.EncodeToBytes(&packet)
		require.Truef(t, err == nil && bytes.Equal(in, out), "encoded again: %x (error %v), want %x", out, err, in)
	})
}
