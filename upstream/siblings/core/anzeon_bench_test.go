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
	if _, err := chain.InsertChain(blocks); err != nil {
		b.Fatal(err)
	}
	m.times = append(m.times, time.Since(start))
}

// BenchmarkAnzeonImport imports plain transfers on an Anzeon chain and, by turns, on a chain of upstream's London rules. The
// metric x-upstream is the median of the ratios of neighbours, which meet the same load of the machine; the times are medians.
func BenchmarkAnzeonImport(b *testing.B) {
	ours, upstream := newImportBench(b, true), newImportBench(b, false)
	for i := 0; b.Loop(); i++ {
		if first, second := ours, upstream; i%2 == 0 {
			first.run(b)
			second.run(b)
		} else {
			second.run(b)
			first.run(b)
		}
	}
	perTransfer := func(m *importBench) float64 {
		return float64(median(m.times).Nanoseconds()) / (benchBlocks * benchTransfers)
	}
	ratios := make([]float64, len(ours.times))
	for i := range ratios {
		ratios[i] = float64(ours.times[i]) / float64(upstream.times[i])
	}
	b.ReportMetric(perTransfer(ours), "ns/transfer")
	b.ReportMetric(perTransfer(upstream), "ns/upstream-transfer")
	b.ReportMetric(median(ratios), "x-upstream")
}

func median[T cmp.Ordered](list []T) T { return slices.Sorted(slices.Values(list))[len(list)/2] }
