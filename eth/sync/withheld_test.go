// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

const heavyBlock, blocksAfter = 5, 10 // block with receipts, and how many follow

// withReceipts returns a chain with a transaction in one block, and an empty node with a database on disk.
func withReceipts(t *testing.T) (origin *gethcore.BlockChain, blocks types.Blocks, chain *gethcore.BlockChain,
	sy *Syncer, db ethdb.Database) {
	t.Helper()
	return withReceiptsIn(t, heavyBlock)
}

// withReceiptsIn is withReceipts with a transaction in each of some blocks.
func withReceiptsIn(t *testing.T, numbers ...uint64) (origin *gethcore.BlockChain, blocks types.Blocks,
	chain *gethcore.BlockChain,
	sy *Syncer, db ethdb.Database) {
	t.Helper()
	nonce := uint64(0)
	net := wbfttest.New(t, 1)
	key := must.Get(crypto.GenerateKey())(t)
	rich := new(big.Int).Lsh(common.Big1, 100)
	net.Genesis.Alloc[crypto.PubkeyToAddress(key.PublicKey)] = types.Account{Balance: rich}
	origin, _ = net.Chain(t)
	price := big.NewInt(1e15)
	blocks = net.ExtendWith(t, origin, heavyBlock+blocksAfter, func(parent *types.Header) []*types.Transaction {
		if !slices.Contains(numbers, parent.Number.Uint64()+1) {
			return nil
		}
		nonce++
		return []*types.Transaction{types.MustSignNewTx(key, types.NewAnzeonSigner(net.Genesis.Config.ChainID),
			&types.LegacyTx{Nonce: nonce - 1, GasPrice: price, Gas: 21000, To: &common.Address{1}, Value: common.Big1})}
	})
	must.That(t, blocks[heavyBlock-1].GasUsed() != 0, "the transaction is not in its block")
	db = must.Get(rawdb.Open(rawdb.NewMemoryDatabase(), rawdb.OpenOptions{Ancient: t.TempDir()}))(t)
	t.Cleanup(func() { expect.Error(t, db.Close(), nil, "Close") })
	engine := must.Get(wbft.New(net.Genesis.Config, nil))(t)
	chain = must.Get(gethcore.NewBlockChain(db, net.Genesis, engine, gethcore.DefaultConfig()))(t)
	t.Cleanup(chain.Stop)
	sy, _ = newTestSyncer(t, chain, engine)
	sy.cfg.States = &lackingState{db: db}
	sy.heavy, sy.patience = 1, 0
	return origin, blocks, chain, sy, db
}

// A block is stored without receipts if no peer can serve them; later blocks have theirs (spec network 2.3, 4). Its
// receipts read as missing, and the block can be moved to the ancient store.
func TestBlockWhoseReceiptsNobodyServes(t *testing.T) {
	_, blocks, chain, sy, db := withReceipts(t)
	for range 2 {
		(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, chain)
	}
	pivot := blocks[len(blocks)-1].Header()
	must.Do(t, sy.storeUpTo(t.Context(), pivot))
	head := chain.CurrentSnapBlock()
	must.That(t, head.Hash() == pivot.Hash(), "stored up to block %d", head.Number)
	heavy := blocks[heavyBlock-1]
	b := chain.GetBlockByNumber(heavyBlock)
	expect.That(t, b != nil && len(b.Transactions()) == 1, "the block is stored as %v", b)
	stored := rawdb.ReadReceiptsRLP(db, heavy.Hash(), heavyBlock)
	expect.That(t, string(stored) == string(rlp.EmptyList), "its receipts are stored as %x", stored)
	receipts := chain.GetReceiptsByHash(heavy.Hash())
	expect.That(t, receipts == nil, "its receipts read as %v", receipts)
	expect.Refused(t, expect.Err(chain.GetCanonicalReceipt(heavy.Transactions()[0], heavy.Hash(), heavyBlock, 0)),
		"its receipt reads as if it were there")
}

// Receipts that exceed a message together with earlier ones are requested alone. No other block is affected, and all
// receipts are stored (spec network 2.3).
func TestReceiptsTooLargeTogether(t *testing.T) {
	origin, blocks, chain, sy, db := withReceiptsIn(t, heavyBlock-2, heavyBlock)
	for range 2 {
		(&sessiontest.Source{Blocks: blocks, Chain: origin, Overlong: blocks[heavyBlock-1].Hash()}).Connect(t,
			sy.cfg.Sessions, chain)
	}
	pivot := blocks[len(blocks)-1].Header()
	must.Do(t, sy.storeUpTo(t.Context(), pivot))
	for _, number := range []uint64{heavyBlock - 2, heavyBlock} {
		stored := rawdb.ReadReceiptsRLP(db, blocks[number-1].Hash(), number)
		expect.That(t, len(stored) > len(rlp.EmptyList), "receipts of block %d are stored as %x", number, stored)
	}
}

// While a peer with the receipts may connect, the block waits for it. Peers with empty responses are not asked again
// and do not count as pruned.
func TestReceiptsOfALaterPeer(t *testing.T) {
	origin, blocks, chain, sy, _ := withReceipts(t)
	sy.patience = time.Hour
	withholding := &sessiontest.Source{Blocks: blocks}
	withholding.Connect(t, sy.cfg.Sessions, chain)
	d := sy.download(uint64(len(blocks)), true)
	d.start(t.Context(), 1)
	seg, err := d.segment(t.Context())
	must.That(t, err == nil && len(seg.headers) == heavyBlock-1, "before the block there are %v, %v", seg, err)
	awaitChange(t, d, "the block is withheld",
		func() bool { return d.queue.withheld[heavyBlock] != nil && len(d.queue.tasks[0].sources) == 0 })
	d.mu.Lock()
	renounced, err := d.queue.stuck(time.Now())
	expect.That(t, err == nil && renounced == 0, "while a peer may come: %v, block %d is taken without", err, renounced)
	tail := d.source(withholding.Session).pruned
	expect.That(t, tail.first == 0, "taken for a peer without history: %+v", tail)
	d.mu.Unlock()
	(&sessiontest.Source{Blocks: blocks, Chain: origin}).Connect(t, sy.cfg.Sessions, chain)
	d.employ(t.Context())
	seg, err = d.segment(t.Context())
	must.That(t, err == nil && seg.first() == heavyBlock, "then %v, %v", seg, err)
	expect.That(t, string(seg.receipts[0]) != string(rlp.EmptyList), "the receipts are not taken")
}

// A block that cannot have that many receipts is not taken without them, also when all peers withhold them.
func TestReceiptsOfASmallBlockAreNotGivenUp(t *testing.T) {
	_, blocks, chain, sy, _ := withReceipts(t)
	sy.heavy = blocks[heavyBlock-1].GasUsed() + 1
	var sources []*session.Session
	for range 2 {
		sources = append(sources, (&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, chain))
	}
	expect.Error(t, sy.storeUpTo(t.Context(), blocks[len(blocks)-1].Header()), errDropped, "ended with")
	expect.Equal(t, chain.CurrentSnapBlock().Number.Uint64(), heavyBlock-1, "stored up to block")
	for i, ses := range sources {
		expect.That(t, !ses.Gone(), "peer %d was dropped", i)
	}
}
