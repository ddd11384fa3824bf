// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/p2p/tracker"
	"github.com/ethereum/go-ethereum/rlp"
)

// strictKinds are the answers of eth/68 with the kind of their request, and an item of each that is well formed.
var strictKinds = []struct {
	name             string
	request, respond uint64
	item             []byte
}{
	{"BlockHeaders", GetBlockHeadersMsg, BlockHeadersMsg, nil},
	{"BlockBodies", GetBlockBodiesMsg, BlockBodiesMsg, []byte{0xc2, 0xc0, 0xc0}},
	{"PooledTransactions", GetPooledTransactionsMsg, PooledTransactionsMsg, shortestTx},
	{"Receipts", GetReceiptsMsg, ReceiptsMsg, []byte{0xc0}},
}

// An answer that was not asked for in this way ends the connection; one that was passes the request tracker.
// spec: network 2.4
func TestAnswersThatEndTheConnection(t *testing.T) {
	backend := &quiet{testBackend: newTestBackend(1)}
	defer backend.close()
	const asked, id = 2, 7
	for _, kind := range strictKinds {
		item := kind.item
		if item == nil {
			item = encodedValue(t, backend.chain.Genesis().Header())
		}
		for _, test := range []struct {
			name  string
			id    uint64
			items int
			other bool // the request was for something else
			want  error
		}{
			{"more items than asked for", id, asked + 1, false, tracker.ErrTooManyItems},
			{"not asked for", id + 1, 1, false, tracker.ErrNoMatchingRequest},
			{"of another kind", id, 1, true, tracker.ErrCodeMismatch},
		} {
			t.Run(kind.name+"/"+test.name, func(t *testing.T) {
				peer := newDeafPeer(t, backend)
				request := tracker.Request{ID: id, Size: asked, ReqCode: kind.request, RespCode: kind.respond}
				if test.other {
					request.RespCode++
				}
				if err := peer.tracker.Track(request); err != nil {
					t.Fatal(err)
				}
				answer := encodedValue(t, []any{test.id, filled(item, test.items*len(item))})
				if err := hear(backend, peer, kind.respond, answer); !errors.Is(err, test.want) {
					t.Errorf("error %v, want %v", err, test.want)
				}
			})
		}
	}
}

// More transactions than a message may have end the connection, as many as it may have do not.
// spec: network 2.4
func TestTooManyTransactionsInAMessage(t *testing.T) {
	backend := &quiet{testBackend: newTestBackend(1)}
	defer backend.close()
	peer := newDeafPeer(t, backend)
	for _, test := range []struct {
		name  string
		count int
		ends  bool
	}{{"as many as allowed", 5000, false}, {"one more", 5001, true}} {
		t.Run(test.name, func(t *testing.T) {
			err := hear(backend, peer, TransactionsMsg, filled(shortestTx, test.count*len(shortestTx)))
			if (err != nil) != test.ends {
				t.Errorf("error %v", err)
			}
		})
	}
}

// What this node serves never has more items than were asked for, whatever the request repeats or makes up.
// spec: network 2.3, 2.4
func TestNeverServesMoreThanAsked(t *testing.T) {
	const blocks = 40
	backend := newTestBackend(blocks)
	defer backend.close()
	peer := newDeafPeer(t, backend)
	r := rand.New(rand.NewPCG(1, 2))
	hash := func() common.Hash {
		if r.IntN(4) == 0 {
			return common.Hash{byte(r.IntN(256))}
		}
		return backend.chain.GetHeaderByNumber(uint64(r.IntN(blocks + 1))).Hash()
	}
	for range 500 {
		asked := make([]common.Hash, r.IntN(60))
		for i := range asked {
			asked[i] = hash()
		}
		query := &GetBlockHeadersRequest{Amount: uint64(r.IntN(60)), Skip: uint64(r.IntN(4)), Reverse: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			query.Origin.Hash = hash()
		} else {
			query.Origin.Number = uint64(r.IntN(blocks + 5))
		}
		if n := len(ServiceGetBlockHeadersQuery(backend.chain, query, peer)); uint64(n) > query.Amount {
			t.Fatalf("%d headers for %+v", n, query)
		}
		if n := len(ServiceGetBlockBodiesQuery(backend.chain, asked)); n > len(asked) {
			t.Fatalf("%d bodies, %d asked for", n, len(asked))
		}
		_, txs := answerGetPooledTransactions(backend, asked, ETH68)
		if len(txs) > len(asked) {
			t.Fatalf("%d transactions, %d asked for", len(txs), len(asked))
		}
		for _, raw := range txs {
			if _, _, rest, err := rlp.Split(raw); err != nil || len(rest) > 0 {
				t.Fatalf("transaction %x is not one item", raw)
			}
		}
	}
}
