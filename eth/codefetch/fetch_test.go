// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/forkid"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/contracts/store"
	"gwon/core"
	"gwon/eth/codefetch/fetchtest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// testnet returns chain 8283 at its genesis.
func testnet(t testing.TB) Chain {
	t.Helper()
	n, ok := params.NetworkByID(params.TestnetChainID)
	must.That(t, ok, "no testnet")
	return must.Get(PublicChain(n))(t)
}

// madeUp returns code of contracts that do not exist.
func madeUp(count int) (missing []core.MissingCode, codes [][]byte) {
	for i := range count {
		code := bytes.Repeat([]byte{0x60, byte(i)}, 1000*(i+1))
		codes = append(codes, code)
		missing = append(missing, core.MissingCode{Contract: fmt.Sprint("contract", i), Version: "v1",
			Hash: crypto.Keccak256Hash(code)})
	}
	return missing, codes
}

func openStore(t testing.TB) *store.Store {
	t.Helper()
	return must.Get(store.Open(filepath.Join(t.TempDir(), "contracts")))(t)
}

// stored counts how many of the codes are in the store.
func stored(t testing.TB, store *store.Store, codes [][]byte) (count int) {
	t.Helper()
	for _, code := range codes {
		got, err := store.Get(crypto.Keccak256Hash(code))
		if err != nil {
			expect.Error(t, err, fs.ErrNotExist, "the entry")
			continue
		}
		expect.That(t, bytes.Equal(got, code), "stored %d bytes of code, want %d", len(got), len(code))
		count++
	}
	return count
}

// remote is the other end of a connection, for a test to play the peer.
type remote struct {
	eth, snap *p2p.MsgPipeRW
	peer      *p2p.Peer
	result    chan error // of the protocol that ended the connection
}

// connect joins a peer to the fetcher. The connection ends with either of its protocols, as it does in a server.
func connect(t *testing.T, f *fetcher, id byte) *remote {
	ours, theirs := p2p.MsgPipe()
	oursSnap, theirsSnap := p2p.MsgPipe()
	caps := []p2p.Cap{{Name: "eth", Version: 68}, snapCap}
	r := &remote{theirs, theirsSnap, p2p.NewPeer(enode.ID{id}, "peer", caps), make(chan error, 2)}
	end := func(err error) {
		r.result <- err
		_, _ = ours.Close(), oursSnap.Close()
	}
	go func() { end(f.runEth(r.peer, ours)) }()
	go func() { end(f.runSnap(r.peer, oursSnap)) }()
	t.Cleanup(func() { _, _ = ours.Close(), oursSnap.Close() })
	return r
}

// shake makes the handshake of a peer with this Status. A connection that ends meanwhile is no failure.
func (r *remote) shake(t *testing.T, status *protocol.StatusPacket68) {
	t.Helper()
	sent := make(chan error, 1)
	go func() { sent <- p2p.Send(r.eth, protocol.StatusMsg, status) }()
	err := p2p.ExpectMsg(r.eth, protocol.StatusMsg, nil)
	for _, err := range []error{err, <-sent} {
		if err != nil && !errors.Is(err, p2p.ErrPipeClosed) {
			t.Fatal(err)
		}
	}
}

// request reads the next GetByteCodes.
func (r *remote) request(t *testing.T) *snap.GetByteCodesPacket {
	t.Helper()
	msg := must.Get(r.snap.ReadMsg())(t)
	defer func() { _ = msg.Discard() }()
	req := new(snap.GetByteCodesPacket)
	must.That(t, msg.Code == snap.GetByteCodesMsg, "message %#x, want a request for code", msg.Code)
	must.Do(t, msg.Decode(req))
	return req
}

func (r *remote) answer(t *testing.T, id uint64, codes ...[]byte) {
	t.Helper()
	must.Do(t, p2p.Send(r.snap, snap.ByteCodesMsg, &snap.ByteCodesPacket{ID: id, Codes: codes}))
}

// ended waits for the end of the connection and returns the reason.
func (r *remote) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.result:
		return err
	case <-time.After(time.Minute):
		t.Fatal("the connection is still there")
		return nil
	}
}

// waiting runs f.wait and returns where its result will be.
func waiting(ctx context.Context, f *fetcher) <-chan error {
	result := make(chan error, 1)
	go func() { result <- f.wait(ctx, DefaultPatience) }()
	return result
}

// The Status is that of a node at genesis (spec network 1, 2.1).
func TestStatus(t *testing.T) {
	for id, want := range map[uint64]protocol.StatusPacket68{
		params.MainnetChainID: {
			NetworkID: 8282, TD: big.NewInt(1),
			Head:   common.HexToHash("0xf192f2ba82c9265777bad7d33b7fd561430ae5e1f60f2e99c893073c81dc5b7b"),
			ForkID: forkid.ID{Hash: [4]byte{0xbf, 0xc8, 0x37, 0x3b}},
		},
		params.TestnetChainID: {
			NetworkID: 8283, TD: big.NewInt(0),
			Head:   common.HexToHash("0x2bdf79b3d3cc49f9e6638ff81f3bb85065c79945a8fe4556cd0ff47bbfc02490"),
			ForkID: forkid.ID{Hash: [4]byte{0xde, 0xa2, 0xc6, 0x82}, Next: 14_408_500},
		},
	} {
		n, _ := params.NetworkByID(id)
		chain := must.Get(PublicChain(n))(t)
		status := chain.Status()
		expect.That(t, status.ProtocolVersion == 68 && status.NetworkID == want.NetworkID && status.TD.Cmp(want.TD) == 0 &&
			status.Head == want.Head && status.Genesis == want.Head && status.ForkID == want.ForkID,
			"%d: %+v, want %+v", id, status, want)
		n.GenesisHash[0] ^= 1
		expect.Refused(t, expect.Err(PublicChain(n)), "%d: another genesis hash is accepted", id)
	}
}

// The announced protocols are eth/68 with 17 codes and snap/1 with 8, and nothing else (spec network 1).
func TestProtocols(t *testing.T) {
	f := newFetcher(testnet(t), nil, nil)
	list := f.protocols()
	expect.That(t, len(list) == 2 && list[0].Name == "eth" && list[0].Version == 68 && list[0].Length == 17 &&
		list[1].Name == "snap" && list[1].Version == 1 && list[1].Length == 8, "protocols %+v", list)
	select {
	case <-f.done:
	default:
		t.Error("something is missing when nothing is")
	}
}

// Peers at any height of the network are asked for all missing code. Their code is stored, and the fetcher ends (spec
// network 1 for the fork ids, 4 for the request).
func TestFetchFromPeer(t *testing.T) {
	for name, fork := range map[string]forkid.ID{
		"at genesis":       {Hash: [4]byte{0xde, 0xa2, 0xc6, 0x82}, Next: 14_408_500},
		"past the upgrade": {Hash: [4]byte{0x7b, 0x44, 0xb4, 0x12}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				missing, codes := madeUp(3)
				store := openStore(t)
				f := newFetcher(testnet(t), missing, store)
				result := waiting(t.Context(), f)
				r := connect(t, f, 1)
				status := f.status
				status.ForkID, status.TD, status.Head = fork, big.NewInt(1_000_000), common.Hash{1}
				r.shake(t, &status)
				req := r.request(t)
				expect.That(t, len(req.Hashes) == 3 && req.Bytes == 2<<20,
					"request for %v in %d bytes, want all three in 2 MiB", req.Hashes, req.Bytes)
				r.answer(t, req.ID, codes[2], codes[0], codes[1]) // the order is the peer's
				expect.Error(t, <-result, nil, "result")
				expect.Equal(t, stored(t, store, codes), 3, "codes stored")
				expect.Equal(t, f.askedPeers(), 1, "peers asked")
			})
		})
	}
}

// Peers with a part of the code send it, and are asked once more for the other parts. Without room they are then
// disconnected.
func TestFetchFromSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing, codes := madeUp(3)
		store := openStore(t)
		f := newFetcher(testnet(t), missing, store)
		result := waiting(t.Context(), f)

		silent := connect(t, f, 1)
		silent.shake(t, &f.status)
		silent.request(t)

		empty := connect(t, f, 2)
		empty.shake(t, &f.status)
		empty.answer(t, empty.request(t).ID)
		expect.Error(t, empty.ended(t), p2p.DiscUselessPeer, "peer without code")
		expect.Equal(t, stored(t, store, codes), 0, "codes stored")

		half := connect(t, f, 3)
		half.shake(t, &f.status)
		half.answer(t, half.request(t).ID, codes[0])
		again := half.request(t)
		expect.That(t, len(again.Hashes) == 2, "asked for %v again, want the two that are missing", again.Hashes)
		expect.Equal(t, stored(t, store, codes), 1, "codes stored")
		half.answer(t, again.ID)
		expect.Error(t, half.ended(t), p2p.DiscUselessPeer, "peer with half")

		gone := connect(t, f, 4)
		gone.shake(t, &f.status)
		gone.request(t)
		_ = gone.snap.Close()
		_ = gone.ended(t)

		// The silent peer has waited all the time without consequence for others.
		expect.Error(t, silent.ended(t), p2p.DiscReadTimeout, "silent peer")
		rest := connect(t, f, 5)
		rest.shake(t, &f.status)
		rest.answer(t, rest.request(t).ID, codes[1], codes[2])
		expect.Error(t, <-result, nil, "result")
		expect.Equal(t, stored(t, store, codes), 3, "codes stored")
		expect.Equal(t, f.askedPeers(), 5, "peers asked")
	})
}

// The genesis block does not wait for code that only an upgrade needs, but takes what the same answer has of it.
func TestGenesisIsEnough(t *testing.T) {
	for name, given := range map[string]int{"without the upgrade": 2, "with it": 3} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				missing, codes := madeUp(3)
				missing[2].Block = 100
				store := openStore(t)
				f := newFetcher(testnet(t), missing, store)
				result := waiting(t.Context(), f)
				r := connect(t, f, 1)
				r.shake(t, &f.status)
				req := r.request(t)
				expect.That(t, len(req.Hashes) == 3, "asked for %d codes, want all 3", len(req.Hashes))
				r.answer(t, req.ID, codes[:given]...)
				expect.Error(t, <-result, nil, "result")
				expect.Equal(t, stored(t, store, codes), given, "codes stored")
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // the upgrade alone is no beginning
		missing, codes := madeUp(2)
		missing[0].Block = 100
		f := newFetcher(testnet(t), missing, openStore(t))
		result := waiting(t.Context(), f)
		r := connect(t, f, 1)
		r.shake(t, &f.status)
		r.answer(t, r.request(t).ID, codes[0])
		expect.Error(t, <-result, ErrNotServed, "without the code of genesis")
	})
}

// A peer without the code is asked again on the same connection, unless its place is needed. A second response to one
// request is a breach.
func TestAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing, codes := madeUp(1)
		f := newFetcher(testnet(t), missing, openStore(t))
		f.room = 1
		result := waiting(t.Context(), f)
		r := connect(t, f, 1)
		r.shake(t, &f.status)
		r.answer(t, r.request(t).ID)
		synctest.Wait() // alone, it may stay
		start := time.Now()
		second := connect(t, f, 2)
		second.shake(t, &f.status)
		second.answer(t, second.request(t).ID)
		expect.Error(t, second.ended(t), p2p.DiscUselessPeer, "peer without code, without room")
		again := r.request(t)
		expect.Equal(t, time.Since(start), askAgain, "asked again after")
		r.answer(t, again.ID, codes[0])
		expect.Error(t, <-result, nil, "result")
	})
	synctest.Test(t, func(t *testing.T) {
		missing, codes := madeUp(1)
		store := openStore(t)
		f := newFetcher(testnet(t), missing, store)
		f.room = 1
		r := connect(t, f, 1)
		r.shake(t, &f.status)
		id := r.request(t).ID
		r.answer(t, id)
		r.answer(t, id, codes[0])
		err := r.ended(t)
		expect.That(t, errors.Is(err, errBreach) && stored(t, store, codes) == 0, "second answer to one request: %v", err)
	})
}

// Unrequested code disconnects the peer and is not stored (spec network 2.4).
func TestWrongAnswers(t *testing.T) {
	missing, codes := madeUp(2)
	other := []byte("other code")
	for name, answer := range map[string]func(t *testing.T, r *remote, id uint64){
		"other code":       func(t *testing.T, r *remote, id uint64) { r.answer(t, id, other) },
		"other code first": func(t *testing.T, r *remote, id uint64) { r.answer(t, id, other, codes[0]) },
		"cut code":         func(t *testing.T, r *remote, id uint64) { r.answer(t, id, codes[0][1:]) },
		"empty code":       func(t *testing.T, r *remote, id uint64) { r.answer(t, id, []byte{}) },
		"too many":         func(t *testing.T, r *remote, id uint64) { r.answer(t, id, codes[0], codes[1], other) },
		"unknown request":  func(t *testing.T, r *remote, id uint64) { r.answer(t, id+1, codes[0]) },
		"no list": func(t *testing.T, r *remote, id uint64) {
			must.Do(t, p2p.Send(r.snap, snap.ByteCodesMsg, "code"))
		},
		"list as code": func(t *testing.T, r *remote, id uint64) {
			must.Do(t, p2p.SendItems(r.snap, snap.ByteCodesMsg, id, [][]string{{"code"}}))
		},
		"unknown message": func(t *testing.T, r *remote, _ uint64) {
			must.Do(t, p2p.SendItems(r.snap, 0x08, uint64(1)))
		},
		"answer that was not asked for": func(t *testing.T, r *remote, _ uint64) {
			must.Do(t, p2p.Send(r.eth, protocol.BlockHeadersMsg, &oneList{ID: 1}))
		},
		"second Status": func(t *testing.T, r *remote, _ uint64) {
			must.Do(t, p2p.SendItems(r.eth, protocol.StatusMsg))
		},
		"oversized on snap": func(t *testing.T, r *remote, _ uint64) { oversized(t, r.snap, snap.ByteCodesMsg) },
		"oversized on eth":  func(t *testing.T, r *remote, _ uint64) { oversized(t, r.eth, protocol.TransactionsMsg) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := openStore(t)
				f := newFetcher(testnet(t), missing, store)
				r := connect(t, f, 1)
				r.shake(t, &f.status)
				answer(t, r, r.request(t).ID)
				err := r.ended(t)
				expect.That(t, errors.Is(err, errBreach), "ended with %v, want a breach", err)
				expect.Equal(t, stored(t, store, append(codes, other)), 0, "codes stored")
				synctest.Wait()
				expect.Equal(t, len(f.connections), 0, "the connection is not forgotten")
			})
		})
	}
	// The same code twice is more than was asked for, but the first of the two is right.
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		f := newFetcher(testnet(t), missing, store)
		r := connect(t, f, 1)
		r.shake(t, &f.status)
		r.answer(t, r.request(t).ID, codes[0], codes[0])
		expect.Error(t, r.ended(t), errBreach, "same code twice")
		expect.Equal(t, stored(t, store, codes), 1, "same code twice codes stored")
	})
}

// oversized sends a message of more than 10 MiB (spec network 2.3).
func oversized(t *testing.T, rw p2p.MsgWriter, code uint64) {
	t.Helper()
	const size = 10<<20 + 1
	must.Do(t, rw.WriteMsg(p2p.Msg{Code: code, Size: size, Payload: bytes.NewReader(make([]byte, size))}))
}

// Peers of other networks, and those that break the handshake, are refused before anything is asked (spec network 2.1).
func TestHandshakeRefusals(t *testing.T) {
	missing, _ := madeUp(1)
	for name, test := range map[string]struct {
		change func(*protocol.StatusPacket68)
		want   error
	}{
		"other network id": {func(s *protocol.StatusPacket68) { s.NetworkID = 1 }, errNetwork},
		"other genesis":    {func(s *protocol.StatusPacket68) { s.Genesis[0] ^= 1 }, errNetwork},
		"other forks":      {func(s *protocol.StatusPacket68) { s.ForkID.Hash[0] ^= 1 }, errNetwork},
		"other version":    {func(s *protocol.StatusPacket68) { s.ProtocolVersion = 69 }, errBreach},
		"huge difficulty":  {func(s *protocol.StatusPacket68) { s.TD = new(big.Int).Lsh(big.NewInt(1), 100) }, errBreach},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFetcher(testnet(t), missing, openStore(t))
				r := connect(t, f, 1)
				status := f.status
				test.change(&status)
				r.shake(t, &status)
				expect.Error(t, r.ended(t), test.want, "ended with")
				expect.Equal(t, f.askedPeers(), 0, "the peer was asked")
			})
		})
	}
	first := func(name string, send func(*testing.T, *remote), want error) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFetcher(testnet(t), missing, openStore(t))
				r := connect(t, f, 1)
				must.Do(t, p2p.ExpectMsg(r.eth, protocol.StatusMsg, &f.status))
				send(t, r)
				expect.Error(t, r.ended(t), want, "ended with")
			})
		})
	}
	first("no Status", func(*testing.T, *remote) {}, p2p.DiscReadTimeout)
	first("something else first", func(t *testing.T, r *remote) {
		must.Do(t, p2p.SendItems(r.eth, protocol.GetBlockHeadersMsg, uint64(1)))
	}, errBreach)
	first("Status without content", func(t *testing.T, r *remote) {
		must.Do(t, p2p.SendItems(r.eth, protocol.StatusMsg))
	}, errBreach)
	first("oversized Status", func(t *testing.T, r *remote) { oversized(t, r.eth, protocol.StatusMsg) }, errBreach)
	first("code before the handshake", func(t *testing.T, r *remote) { r.answer(t, 1, []byte{1}) }, errBreach)
}

// A peer without snap cannot have what is missing, and one without eth does not say what network it is of (spec
// network 4).
func TestPeerWithoutProtocol(t *testing.T) {
	f := newFetcher(testnet(t), nil, nil)
	ours, _ := p2p.MsgPipe()
	p := p2p.NewPeer(enode.ID{1}, "peer", []p2p.Cap{{Name: "eth", Version: 68}})
	expect.Error(t, f.runEth(p, ours), p2p.DiscUselessPeer, "without snap")
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := p2p.MsgPipe()
		defer func() { _ = theirs.Close() }()
		p := p2p.NewPeer(enode.ID{1}, "peer", []p2p.Cap{snapCap})
		expect.Error(t, f.runSnap(p, ours), p2p.DiscUselessPeer, "without eth")
		expect.Equal(t, f.askedPeers(), 0, "the peer was asked")
	})
}

// Requests get empty answers with their id, gossip none at all, and the peer stays (spec network 2.2, 4).
func TestServesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing, codes := madeUp(1)
		f := newFetcher(testnet(t), missing, openStore(t))
		r := connect(t, f, 1)
		r.shake(t, &f.status)
		req := r.request(t)
		hash := common.Hash{1}
		gossip := []uint64{protocol.NewBlockHashesMsg, protocol.TransactionsMsg, protocol.NewBlockMsg,
			protocol.NewPooledTransactionHashesMsg}
		for _, code := range gossip {
			must.Do(t, p2p.SendItems(r.eth, code, "anything"))
		}
		for _, test := range []struct {
			name    string
			rw      *p2p.MsgPipeRW
			code    uint64
			request any
			answer  any
		}{
			{"headers", r.eth, protocol.GetBlockHeadersMsg, &protocol.GetBlockHeadersPacket{
				RequestId: 7,
				GetBlockHeadersRequest: &protocol.GetBlockHeadersRequest{Origin: protocol.HashOrNumber{Hash: f.status.Genesis},
					Amount: 1},
			}, &protocol.BlockHeadersPacket{RequestId: 7}},
			{"bodies", r.eth, protocol.GetBlockBodiesMsg, []any{uint64(8), []common.Hash{hash}}, []any{uint64(8), []any{}}},
			{"transactions", r.eth, protocol.GetPooledTransactionsMsg, []any{uint64(9), []common.Hash{hash}},
				[]any{uint64(9), []any{}}},
			{"receipts", r.eth, protocol.GetReceiptsMsg, []any{uint64(0), []common.Hash{hash}}, []any{uint64(0), []any{}}},
			{"accounts", r.snap, snap.GetAccountRangeMsg, &snap.GetAccountRangePacket{ID: 10, Root: hash},
				&snap.AccountRangePacket{ID: 10}},
			{"slots", r.snap, snap.GetStorageRangesMsg, &snap.GetStorageRangesPacket{ID: 11, Root: hash},
				&snap.StorageRangesPacket{ID: 11}},
			{"codes", r.snap, snap.GetByteCodesMsg, &snap.GetByteCodesPacket{ID: 12, Hashes: []common.Hash{hash}},
				&snap.ByteCodesPacket{ID: 12}},
			{"trie nodes", r.snap, snap.GetTrieNodesMsg, &snap.GetTrieNodesPacket{ID: 13, Root: hash},
				&snap.TrieNodesPacket{ID: 13}},
		} {
			must.Do(t, p2p.Send(test.rw, test.code, test.request))
			expect.Error(t, p2p.ExpectMsg(test.rw, test.code+1, test.answer), nil, "%s", test.name)
		}
		r.answer(t, req.ID, codes[0])
		<-f.done
	})
	for name, send := range map[string]func(*remote) error{
		"eth":  func(r *remote) error { return p2p.SendItems(r.eth, protocol.GetBlockHeadersMsg) },
		"snap": func(r *remote) error { return p2p.SendItems(r.snap, snap.GetTrieNodesMsg, []uint{1}) },
	} {
		synctest.Test(t, func(t *testing.T) {
			missing, _ := madeUp(1)
			f := newFetcher(testnet(t), missing, openStore(t))
			r := connect(t, f, 1)
			r.shake(t, &f.status)
			r.request(t)
			must.Do(t, send(r))
			expect.Error(t, r.ended(t), errBreach, "request without id on %s: ended with", name)
		})
	}
}

// The limit is a time without progress, and the error names the missing code. A canceled context ends Fetch
// immediately.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing, codes := madeUp(2)
		store := openStore(t)
		f := newFetcher(testnet(t), missing, store)
		start := time.Now()
		result := waiting(t.Context(), f)
		time.Sleep(DefaultPatience - time.Second)
		r := connect(t, f, 1)
		r.shake(t, &f.status)
		r.answer(t, r.request(t).ID, codes[1])
		err := <-result
		expect.That(t, errors.Is(err, ErrNotServed) && strings.Contains(err.Error(), "contract0 v1") &&
			!strings.Contains(err.Error(), "contract1"), "ended with %v", err)
		expect.Equal(t, time.Since(start), 2*DefaultPatience-time.Second, "patience since the last code")
	})
	synctest.Test(t, func(t *testing.T) {
		missing, _ := madeUp(1)
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		result := waiting(ctx, newFetcher(testnet(t), missing, openStore(t)))
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) || time.Since(start) != 0 {
			t.Errorf("ended with %v after %v", err, time.Since(start))
		}
	})
}

// A store that cannot be written ends Fetch with its error.
func TestBrokenStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing, codes := madeUp(1)
		f := newFetcher(testnet(t), missing, nil)
		result := waiting(t.Context(), f)
		r := connect(t, f, 1)
		r.shake(t, &f.status)
		r.answer(t, r.request(t).ID, codes[0])
		err := <-result
		expect.That(t, err != nil && !errors.Is(err, ErrNotServed), "ended with %v", err)
	})
}

// CanAsk detects settings without any way to reach a peer.
func TestCanAsk(t *testing.T) {
	node := []*enode.Node{enode.NewV4(&fetchtest.Settings(t).PrivateKey.PublicKey, net.IPv4(127, 0, 0, 1), 1, 0)}
	for _, test := range []struct {
		cfg  p2p.Config
		want bool
	}{
		{p2p.Config{MaxPeers: 1}, false},
		{p2p.Config{MaxPeers: 1, TrustedNodes: node}, false},
		{p2p.Config{MaxPeers: 0, StaticNodes: node}, false},
		{p2p.Config{MaxPeers: 1, StaticNodes: node}, true},
		{p2p.Config{MaxPeers: 1, BootstrapNodes: node, NoDiscovery: true}, true},
		{p2p.Config{MaxPeers: 1, BootstrapNodesV5: node}, true},
	} {
		expect.Equal(t, CanAsk(&test.cfg), test.want, "%+v", test.cfg)
	}
}

// Any message leads to at most one response, which holds only the ID, and never to a panic.
func FuzzMessages(f *testing.F) {
	f.Add(uint64(protocol.GetBlockHeadersMsg), []byte{0xc2, 0x01, 0xc0})
	f.Add(uint64(protocol.NewBlockMsg), []byte{0xc0})
	f.Add(uint64(snap.GetTrieNodesMsg), []byte{0xc1, 0x80})
	f.Fuzz(func(t *testing.T, code uint64, payload []byte) {
		for name, serve := range map[string]func(*tape) error{
			"eth":  func(rw *tape) error { return serveEth(rw) },
			"snap": func(rw *tape) error { _, err := serveSnap(rw, &rw.msg); return err },
		} {
			t.Run(name, func(t *testing.T) {
				rw := &tape{msg: p2p.Msg{Code: code, Size: uint32(len(payload)), Payload: bytes.NewReader(payload)}}
				err := serve(rw)
				expect.That(t, len(rw.sent) <= 1 && (err == nil || len(rw.sent) == 0),
					"%s: %d answers, error %v", name, len(rw.sent), err)
				for _, answer := range rw.sent {
					expect.That(t, answer.Code == code+1 && answer.Size <= 12, "%s: answer %v to %#x", name, answer, code)
				}
			})
		}
	})
}

// tape has one message to read and keeps what is sent.
type tape struct {
	msg  p2p.Msg
	sent []p2p.Msg
}

func (rw *tape) ReadMsg() (p2p.Msg, error) { return rw.msg, nil }

func (rw *tape) WriteMsg(msg p2p.Msg) error {
	rw.sent = append(rw.sent, msg)
	return nil
}

// Any bytes in a response lead to no panic, and only requested code is stored.
func FuzzAnswer(f *testing.F) {
	missing, codes := madeUp(2)
	for _, seed := range []*snap.ByteCodesPacket{{ID: 1}, {ID: 1, Codes: codes}, {ID: 1, Codes: [][]byte{{1}, {}}}} {
		encoded := must.Get(rlp.EncodeToBytes(seed))(f)
		f.Add(encoded)
	}
	f.Add([]byte{0xc2, 0x01, 0xc1})
	chain := testnet(f)
	peer := p2p.NewPeer(enode.ID{1}, "peer", nil)
	f.Fuzz(func(t *testing.T, payload []byte) {
		msg := p2p.Msg{Code: snap.ByteCodesMsg, Size: uint32(len(payload)), Payload: bytes.NewReader(payload)}
		answer, err := serveSnap(nil, &msg)
		if err != nil {
			return
		}
		store := openStore(t)
		fetch := newFetcher(chain, missing, store)
		useful, err := fetch.accept(peer, answer.ID, fetch.wanted(), answer)
		if n := stored(t, store, codes); useful != (n > 0) || n > answer.Codes.Len() {
			t.Errorf("useful %v, error %v, but %d codes stored", useful, err, n)
		}
	})
}
