// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/p2p/tracker"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
				must.Do(t, peer.tracker.Track(request))
				answer := encodedValue(t, []any{test.id, filled(item, test.items*len(item))})
				assert.ErrorIs(t, hear(backend, peer, kind.respond, answer), test.want)
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
			assert.Truef(t, (err != nil) == test.ends, "error %v", err)
		})
	}
}

// What this node serves never has more items than were asked for, whatever the request repeats or makes up, and is
// closed with the item that exceeds 2 MiB.
// spec: network 2.3, 2.4
func TestNeverServesMoreThanAsked(t *testing.T) {
	const blocks, transfers = 40, 40
	signer := types.LatestSigner(params.TestChainConfig)
	transfer := func(nonce uint64, price *big.Int, data []byte) *types.Transaction {
		return types.MustSignNewTx(testKey, signer, &types.LegacyTx{
			Nonce: nonce, To: &common.Address{1}, Gas: 21_000 + 4*uint64(len(data)), GasPrice: price, Data: data,
		})
	}
	backend := newTestBackendWithGenerator(blocks, false, false, func(i int, block *core.BlockGen) {
		if i < 4 {
			for range transfers {
				block.AddTx(transfer(block.TxNonce(testAddr), block.BaseFee(), nil))
			}
		}
	})
	defer backend.close()
	var pooled []common.Hash
	for nonce := range uint64(8) {
		tx := transfer(4*transfers+nonce, big.NewInt(params.GWei), make([]byte, 100<<10))
		must.Do(t, backend.txpool.Add([]*types.Transaction{tx}, true)[0])
		pooled = append(pooled, tx.Hash())
	}
	peer := newDeafPeer(t, backend)
	r := rand.New(rand.NewPCG(1, 2))
	hash := func() common.Hash {
		if r.IntN(4) == 0 {
			return common.Hash{byte(r.IntN(256))}
		}
		return backend.chain.GetHeaderByNumber(uint64(r.IntN(blocks + 1))).Hash()
	}
	closed := make(map[string]bool)
	check := func(kind string, asked int, answer []rlp.RawValue) {
		t.Helper()
		require.Truef(t, len(answer) <= asked, "%s: %d items, %d asked for", kind, len(answer), asked)
		size := 0
		for i, raw := range answer {
			require.Truef(t, size < softResponseLimit, "%s: item %d of %d follows %d bytes", kind, i, len(answer), size)
			_, _, rest, err := rlp.Split(raw)
			require.Truef(t, err == nil && len(rest) == 0, "%s: %x is not one item", kind, raw)
			size += len(raw)
		}
		require.Truef(t, size <= maxMessageSize, "%s: %d bytes", kind, size)
		closed[kind] = closed[kind] || size >= softResponseLimit
	}
	for range 200 {
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
		check("headers", int(query.Amount), ServiceGetBlockHeadersQuery(backend.chain, query, peer))
		check("bodies", len(asked), ServiceGetBlockBodiesQuery(backend.chain, asked))
		for i := range asked {
			if r.IntN(2) == 0 {
				asked[i] = pooled[r.IntN(len(pooled))]
			}
		}
		_, txs := answerGetPooledTransactions(backend, asked, ETH68)
		check("pooled transactions", len(asked), txs)
	}
	for range 20 {
		asked := make([]common.Hash, r.IntN(2*maxReceiptsServe))
		for i := range asked {
			asked[i] = hash()
			if r.IntN(2) == 0 {
				asked[i] = backend.chain.GetHeaderByNumber(uint64(1 + r.IntN(4))).Hash()
			}
		}
		list := must.Get(serviceGetReceiptsQuery68(backend.chain, asked))(t)
		var receipts []rlp.RawValue
		for it := list.ContentIterator(); it.Next(); {
			receipts = append(receipts, it.Value())
		}
		check("receipts", min(len(asked), maxReceiptsServe), receipts)
	}
	assert.Truef(t, closed["receipts"] && closed["pooled transactions"],
		"answers that were closed for their size: %v, want receipts and pooled transactions", closed)
}
