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
	data, err := rlp.EncodeToBytes(blocks)
	if err != nil {
		b.Fatal(err)
	}
	return &importBench{gspec: gspec, blocks: data}
}

// run imports the chain into a new database and notes the time that takes.
func (m *importBench) run(b *testing.B) {
	b.Helper()
	var blocks types.Blocks
	if err := rlp.DecodeBytes(m.blocks, &blocks); err != nil {
		b.Fatal(err)
	}
	chain, err := NewBlockChain(rawdb.NewMemoryDatabase(), m.gspec, newStageEngine(), DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	defer chain.Stop()
	runtime.GC() // the garbage of the preparation is not the import's
	start := time.Now()
	if m.pool != nil {
		for _, block := range blocks {
			types.AdoptSigners(block.Transactions(), func(hash common.Hash) *types.Transaction { return m.pool[hash] })
		}
	}
	if _, err := chain.InsertChain(blocks); err != nil {
		b.Fatal(err)
	}
	m.times = append(m.times, time.Since(start))
}

// BenchmarkAnzeonImport imports plain transfers on an Anzeon chain and, by turns, on a chain of upstream's London rules. The
// metric x-upstream is the median of the ratios of neighbours, which meet the same load of the machine; the times are medians.
func BenchmarkAnzeonImport(b *testing.B) {
	ours, upstream := newImportBench(b, true), newImportBench(b, false)
	ratio := byTurns(b, ours, upstream)
	b.ReportMetric(perTransfer(ours), "ns/transfer")
	b.ReportMetric(perTransfer(upstream), "ns/upstream-transfer")
	b.ReportMetric(ratio, "x-upstream")
}

// BenchmarkPooledImport imports plain transfers that the pool has and, by turns, the same ones unknown to it. The metric
// x-unknown is the ratio.
func BenchmarkPooledImport(b *testing.B) {
	unknown := newImportBench(b, true)
	var blocks types.Blocks
	if err := rlp.DecodeBytes(unknown.blocks, &blocks); err != nil {
		b.Fatal(err)
	}
	pooled := &importBench{gspec: unknown.gspec, blocks: unknown.blocks, pool: make(map[common.Hash]*types.Transaction)}
	signer := types.LatestSigner(pooled.gspec.Config)
	for _, block := range blocks {
		for _, tx := range block.Transactions() {
			if _, err := types.Sender(signer, tx); err != nil {
				b.Fatal(err)
			}
			pooled.pool[tx.Hash()] = tx
		}
	}
	ratio := byTurns(b, pooled, unknown)
	b.ReportMetric(perTransfer(pooled), "ns/transfer")
	b.ReportMetric(perTransfer(unknown), "ns/unknown-transfer")
	b.ReportMetric(ratio, "x-unknown")
}

// byTurns runs both and returns the median of the ratios of neighbours.
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
