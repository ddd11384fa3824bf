// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/log"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chainOfOneBlock returns a chain that has executed one block, its database and the block. fill adds what the block
// has.
func chainOfOneBlock(t *testing.T, gspec *Genesis, fill func(*BlockGen)) (*BlockChain, ethdb.Database, *types.Block) {
	t.Helper()
	_, blocks, _ := GenerateChainWithGenesis(gspec, newStageEngine(), 1, func(_ int, b *BlockGen) { fill(b) })
	db := rawdb.NewMemoryDatabase()
	chain := must.Get(NewBlockChain(db, gspec, newStageEngine(), DefaultConfig()))(t)
	t.Cleanup(chain.Stop)
	must.Get(chain.InsertChain(blocks))(t)
	return chain, db, blocks[0]
}

// A transaction and its receipt are the same as upstream's, in any order of requests. A transaction that is in no block
// is not found. spec: rpc 2.6
func TestStoredBlockAsUpstream(t *testing.T) {
	gspec := proposalGenesis()
	payer := common.Address{7}
	emitter := common.Address{0xe}
	gspec.Alloc[payer] = types.Account{Balance: new(big.Int).Lsh(common.Big1, 100)}
	code := common.FromHex("600160026003600460056006a360006000a0")
	gspec.Alloc[emitter] = types.Account{Code: code, Balance: new(big.Int)}
	signer := types.LatestSigner(gspec.Config)
	chain, db, block := chainOfOneBlock(t, gspec, func(b *BlockGen) {
		b.SetExtra(tipExtra(common.Big1))
		b.AddTx(delegatedTx(t, payer, 21000))
		for nonce := uint64(1); nonce < 6; nonce++ {
			call := &types.LegacyTx{Nonce: nonce, To: &emitter, Gas: 60_000, GasPrice: b.BaseFee()}
			b.AddTx(types.MustSignNewTx(proposalKey, signer, call))
		}
	})
	txs := block.Transactions()
	rawdb.WriteTxLookupEntriesByBlock(db, block)
	for _, i := range []int{4, 0, 5, 4, 1, 2, 3} {
		tx, blockHash, number, index := chain.readTransaction(txs[i].Hash())
		if tx == nil || tx.Hash() != txs[i].Hash() || blockHash != block.Hash() || number != 1 || index != uint64(i) {
			t.Errorf("transaction %d: %v in block %d %x at %d", i, tx, number, blockHash, index)
		}
		got, context, err := chain.readReceipt(block.Header(), uint64(i))
		want, wantContext, wantErr := rawdb.ReadCanonicalRawReceipt(db, block.Hash(), 1, uint64(i))
		assert.Truef(t, err == nil && wantErr == nil && context == wantContext && reflect.DeepEqual(got, want),
			"receipt %d: %+v %+v, %v, want %+v %+v, %v", i, got, context, err, want, wantContext, wantErr)
	}
	_, _, err := chain.readReceipt(block.Header(), uint64(len(txs)))
	assert.Error(t, err, "there is a receipt after the last")
	tx, _, _, _ := chain.readTransaction(common.Hash{1})
	assert.True(t, tx == nil, "a transaction that is in no block was found")
	// A sender is known from the block that was inserted, from a transaction that was read before, or recovered.
	for _, name := range []string{"inserted", "recovered", "read before"} {
		if name == "recovered" {
			chain.blockCache.Purge()
			chain.stored.bodies.entries.Purge()
			chain.stored.bodies.bytes = 0
		}
		stored := must.Get(chain.storedBody(block.Hash(), 1))(t)
		for i, tx := range txs {
			known := stored.senders != nil && stored.senders[i] != (common.Address{})
			assert.Truef(t, known == (name != "recovered"), "%s: the sender of transaction %d is known: %v", name, i, known)
			read, err := stored.transaction(i, signer)
			require.Truef(t, err == nil && read.Signers().HasSender(), "%s: transaction %d has no sender: %v", name, i, err)
			got, err := types.Sender(signer, read)
			want, _ := types.Sender(signer, tx)
			assert.Truef(t, err == nil && got == want, "%s: sender %v of transaction %d, %v, want %v", name, got, i, err, want)
		}
	}
	// Damaged transactions are an error or others, and no panic.
	body := []byte(rawdb.ReadBodyRLP(db, block.Hash(), 1))
	_, err = newStoredBody(append(body[:len(body):len(body)], 0))
	assert.Error(t, err, "transactions with a byte behind them are accepted, whose hashes would be wrong")
	for i := range body {
		changed := append([]byte(nil), body...)
		for _, flip := range []byte{0x01, 0x40, 0x80} {
			changed[i] = body[i] ^ flip
			if b, err := newStoredBody(changed); err == nil {
				if at, found := b.find(txs[3].Hash()); found {
					_, _ = b.transaction(at, signer)
				}
			}
		}
	}
	stored := must.Get(chain.StoredReceipts(block.Header()))(t)
	// What is damaged is an error and no panic, wherever it is cut or changed.
	for i := range stored.raw {
		_, err := newStoredReceipts(stored.raw[:i])
		assert.Errorf(t, err, "%d of %d bytes are accepted", i, len(stored.raw))
		changed := append([]byte(nil), stored.raw...)
		for _, flip := range []byte{0x01, 0x40, 0x80} {
			changed[i] = stored.raw[i] ^ flip
			if r, err := newStoredReceipts(changed); err == nil {
				_, _ = r.Logs(NewLogFilter(nil, nil))
			}
		}
	}
}

// A transaction of a block above a head that was set back is not found. Nothing is logged because any client may ask
// for it. spec: rpc 2.6
func TestTransactionBehindTheHead(t *testing.T) {
	db := rawdb.NewMemoryDatabase()
	chain := must.Get(NewBlockChain(db, proposalGenesis(), newStageEngine(), DefaultConfig()))(t)
	defer chain.Stop()
	rawdb.WriteTxLookupEntries(db, 7, []common.Hash{{1}})
	var says bytes.Buffer
	before := log.Root()
	log.SetDefault(log.NewLogger(log.NewTerminalHandler(&says, false)))
	defer log.SetDefault(before)
	tx, _, _, _ := chain.readTransaction(common.Hash{1})
	assert.Truef(t, tx == nil && says.Len() <= 0, "found %v, says %s", tx, &says)
}

// The error for damaged receipts names the block, which a query of a thousand blocks does not tell. spec: rpc 2.6
func TestDamagedReceiptsAreNamed(t *testing.T) {
	db := rawdb.NewMemoryDatabase()
	chain, err := NewBlockChain(db, proposalGenesis(), newStageEngine(), DefaultConfig())
	must.Do(t, err)
	defer chain.Stop()
	header := &types.Header{Number: big.NewInt(7), TxHash: common.Hash{1}}
	receipt := &types.Receipt{Status: 1, Logs: []*types.Log{{Topics: []common.Hash{{1}}}}}
	rawdb.WriteReceipts(db, header.Hash(), 7, types.Receipts{receipt})
	raw := rawdb.ReadReceiptsRLP(db, header.Hash(), 7)
	batch := db.NewBatch()
	rawdb.WriteRawReceipts(batch, header.Hash(), 7, raw[:len(raw)-3])
	must.Do(t, batch.Write())
	_, err = chain.FilterLogs(header, NewLogFilter(nil, nil))
	assert.Truef(t, errors.Is(err, errStoredForm) && strings.Contains(err.Error(), "block 7 "), "error %v", err)
}

type sized int

func (s sized) size() int { return int(s) }

// The cache of stored blocks is bounded in bytes, evicts the least recently used block, loads a block once for
// concurrent callers, and keeps no error.
func TestStoredCache(t *testing.T) {
	var (
		c     storedCache[sized]
		loads atomic.Int64
		get   = func(name byte, size int, err error) {
			got, gotErr := c.get(common.Hash{name}, 100, func() (sized, error) {
				loads.Add(1)
				return sized(size), err
			})
			assert.Truef(t, got == sized(size) && errors.Is(gotErr, err), "%c: %d, %v", name, got, gotErr)
		}
	)
	for _, step := range []struct {
		name         byte
		size         int
		err          error
		loads, bytes int64
	}{
		{'a', 40, nil, 1, 40}, {'b', 40, nil, 2, 80}, {'a', 40, nil, 2, 80}, {'c', 40, nil, 3, 80},
		{'a', 40, nil, 3, 80}, {'b', 40, nil, 4, 80}, {'e', 5, errors.New("not read"), 5, 80},
		{'e', 5, nil, 6, 85}, {'f', 200, nil, 7, 0}, {'a', 40, nil, 8, 40},
	} {
		get(step.name, step.size, step.err)
		assert.Truef(t, loads.Load() == step.loads && int64(c.bytes) == step.bytes,
			"%c: %d loads, %d bytes, want %d, %d", step.name, loads.Load(), c.bytes, step.loads, step.bytes)
	}
	before := loads.Load()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { get('z', 7, nil) })
	}
	wg.Wait()
	n := loads.Load() - before
	assert.Truef(t, n == 1, "50 callers loaded a block %d times", n)
}
