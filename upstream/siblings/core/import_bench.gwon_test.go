// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"cmp"
	"math/big"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rlp"
)

// importBench is a chain of plain transfers, encoded, so that each import starts without cached senders and hashes.
type importBench struct {
	gspec  *Genesis
	blocks []byte
	times  []time.Duration
	pool   map[common.Hash]*types.Transaction // whose signers are known; nil for none
}

const (
	benchBlocks    = 20
	benchTransfers = 250 // in each block
)

func newImportBench(b *testing.B, anzeon bool) *importBench {
	b.Helper()
	gspec := proposalGenesis()
	if !anzeon {
		gspec.Config.Anzeon, gspec.Config.ApplepieBlock, gspec.Config.BohoBlock = nil, nil, nil
	}
	signer := types.LatestSigner(gspec.Config)
	nonce := uint64(0)
	_, blocks, _ := GenerateChainWithGenesis(gspec, newStageEngine(), benchBlocks, func(_ int, g *BlockGen) {
		if anzeon {
			g.SetExtra(tipExtra(common.Big1))
		}
		for range benchTransfers {
			to := crypto.CreateAddress(common.Address{0xee}, nonce%1000)
			g.AddTx(types.MustSignNewTx(proposalKey, signer, &types.LegacyTx{
				Nonce: nonce, To: &to, Value: common.Big1, Gas: 21000,
				GasPrice: new(big.Int).Mul(g.BaseFee(), common.Big2),
			}))
			nonce++
		}
	})
	data := must.Get(rlp.EncodeToBytes(blocks))(b)
	return &importBench{gspec: gspec, blocks: data}
}

// run imports the chain into a new database and notes the time that takes.
func (m *importBench) run(b *testing.B) {
	b.Helper()
	var blocks types.Blocks
	must.Do(b, rlp.DecodeBytes(m.blocks, &blocks))
	chain := must.Get(NewBlockChain(rawdb.NewMemoryDatabase(), m.gspec, newStageEngine(), DefaultConfig()))(b)
	defer chain.Stop()
	runtime.GC() // the garbage of the preparation is not the import's
	start := time.Now()
	if m.pool != nil {
		for _, block := range blocks {
			types.AdoptSigners(block.Transactions(), func(hash common.Hash) *types.Transaction { return m.pool[hash] })
		}
	}
	must.Get(chain.InsertChain(blocks))(b)
	m.times = append(m.times, time.Since(start))
}

// BenchmarkAnzeonImport imports plain transfers on an Anzeon chain and, alternately, on a chain of upstream's London
// rules. The metric x-upstream is the median of the ratios of neighboring runs, which share the load of the machine.
// The times are medians.
func BenchmarkAnzeonImport(b *testing.B) {
	ours, upstream := newImportBench(b, true), newImportBench(b, false)
	ratio := byTurns(b, ours, upstream)
	b.ReportMetric(perTransfer(ours), "ns/transfer")
	b.ReportMetric(perTransfer(upstream), "ns/upstream-transfer")
	b.ReportMetric(ratio, "x-upstream")
}

// BenchmarkPooledImport imports plain transfers that the pool has and, alternately, the same ones unknown to it. The
// metric x-unknown is the ratio.
func BenchmarkPooledImport(b *testing.B) {
	unknown := newImportBench(b, true)
	var blocks types.Blocks
	must.Do(b, rlp.DecodeBytes(unknown.blocks, &blocks))
	pooled := &importBench{gspec: unknown.gspec, blocks: unknown.blocks, pool: make(map[common.Hash]*types.Transaction)}
	signer := types.LatestSigner(pooled.gspec.Config)
	for _, block := range blocks {
		for _, tx := range block.Transactions() {
			must.Get(types.Sender(signer, tx))(b)
			pooled.pool[tx.Hash()] = tx
		}
	}
	ratio := byTurns(b, pooled, unknown)
	b.ReportMetric(perTransfer(pooled), "ns/transfer")
	b.ReportMetric(perTransfer(unknown), "ns/unknown-transfer")
	b.ReportMetric(ratio, "x-unknown")
}

// byTurns runs both and returns the median of the ratios of neighbors.
func byTurns(b *testing.B, x, y *importBench) float64 {
	for i := 0; b.Loop(); i++ {
		if first, second := x, y; i%2 == 0 {
			first.run(b)
			second.run(b)
		} else {
			second.run(b)
			first.run(b)
		}
	}
	ratios := make([]float64, len(x.times))
	for i := range ratios {
		ratios[i] = float64(x.times[i]) / float64(y.times[i])
	}
	return median(ratios)
}

// perTransfer returns the median time of an import for each of its transfers in nanoseconds.
func perTransfer(m *importBench) float64 {
	return float64(median(m.times).Nanoseconds()) / (benchBlocks * benchTransfers)
}

func median[T cmp.Ordered](list []T) T { return slices.Sorted(slices.Values(list))[len(list)/2] }

// hoarder stores 1 in the 200 slots from the number in its input on.
var hoarder = common.Address{0xca}

// BenchmarkExecuteProposal executes a block that uses nearly all of 105 million gas on a chain in memory, as a
// validator does before it votes. The blocks hold plain transfers to 5000 accounts, whose senders the pool knows or
// not, or calls that write 200 new storage slots each.
func BenchmarkExecuteProposal(b *testing.B) {
	gspec := proposalGenesis()
	code := common.FromHex("5f35" + "8060c80190" + // slot, end = slot + 200
		"5b" + "60018155" + "600101" + "818110600757" + "00") // do { storage[slot] = 1; slot++ } while (slot < end)
	gspec.Alloc[hoarder] = types.Account{Balance: new(big.Int), Code: code}
	signer := types.LatestSigner(gspec.Config)
	transfer := func(nonce uint64, price *big.Int) types.TxData {
		to := crypto.CreateAddress(common.Address{0xee}, nonce)
		return &types.LegacyTx{Nonce: nonce, To: &to, Value: common.Big1, Gas: 21000, GasPrice: price}
	}
	hoard := func(nonce uint64, price *big.Int) types.TxData {
		from := common.BigToHash(new(big.Int).SetUint64(nonce * 200))
		return &types.LegacyTx{Nonce: nonce, To: &hoarder, Gas: 5_000_000, GasPrice: price, Data: from[:]}
	}
	for _, c := range []struct {
		name   string
		tx     func(nonce uint64, price *big.Int) types.TxData
		pooled bool
	}{{"transfers", transfer, false}, {"pooled-transfers", transfer, true}, {"storage", hoard, false}} {
		b.Run(c.name, func(b *testing.B) {
			_, blocks, receipts := GenerateChainWithGenesis(gspec, newStageEngine(), 1, func(_ int, g *BlockGen) {
				g.SetExtra(tipExtra(common.Big1))
				price := new(big.Int).Mul(g.BaseFee(), common.Big2)
				for nonce := uint64(0); ; nonce++ {
					tx := types.MustSignNewTx(proposalKey, signer, c.tx(nonce, price))
					if g.Gas() < tx.Gas() {
						return
					}
					g.AddTx(tx)
				}
			})
			for _, receipt := range receipts[0] {
				if receipt.Status != types.ReceiptStatusSuccessful {
					b.Fatalf("transaction %d fails", receipt.TransactionIndex)
				}
			}
			pool := make(map[common.Hash]*types.Transaction)
			if c.pooled {
				for _, tx := range blocks[0].Transactions() {
					pool[tx.Hash()] = tx
				}
			}
			data := must.Get(rlp.EncodeToBytes(blocks[0]))(b)
			chain := must.Get(NewBlockChain(rawdb.NewMemoryDatabase(), gspec, newStageEngine(), DefaultConfig()))(b)
			defer chain.Stop()
			var times []time.Duration
			for b.Loop() {
				block := new(types.Block)
				must.Do(b, rlp.DecodeBytes(data, block))
				runtime.GC()
				start := time.Now()
				types.AdoptSigners(block.Transactions(), func(hash common.Hash) *types.Transaction { return pool[hash] })
				must.Get(chain.ExecuteProposal(b.Context(), block))(b)
				times = append(times, time.Since(start))
			}
			took := median(times)
			b.ReportMetric(float64(took.Microseconds())/1000, "ms/block")
			b.ReportMetric(float64(blocks[0].GasUsed())/float64(took.Microseconds()), "Mgas/s")
			b.ReportMetric(float64(len(blocks[0].Transactions())), "txs")
			b.ReportMetric(float64(blocks[0].GasUsed())/1e6, "Mgas")
		})
	}
}
