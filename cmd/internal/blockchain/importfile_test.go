// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/cmd/internal/apptest"
	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// exported writes blocks as gwon export does.
func exported(t *testing.T, blocks types.Blocks) string {
	t.Helper()
	var file bytes.Buffer
	for _, block := range blocks {
		must.Do(t, rlp.Encode(&file, block))
	}
	return apptest.WriteFile(t, filepath.Join(t.TempDir(), "blocks"), file.Bytes())
}

// A quorum's seals at the end of a run vouch for all of it; where they do not, or all seals are wanted, the block at
// fault is named, and those before it stay (spec wbft 7.1).
func TestImportFile(t *testing.T) {
	const count = 2*wbfttest.EpochLength + 2
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, count)
	forge := func(n int) types.Blocks {
		forged := slices.Clone(blocks)
		forged[n-1] = sessiontest.Forge(t, blocks[n-1], blocks[0])
		return forged
	}
	foreign := slices.Clone(blocks)
	foreign[4] = blocks[4].WithBody(types.Body{Transactions: types.Transactions{types.NewTx(new(types.LegacyTx))}})
	for _, test := range []struct {
		name      string
		blocks    types.Blocks
		verifyAll bool
		head      uint64
		want      string // in the error
	}{
		{"sound", blocks, false, count, ""},
		{"with the genesis block", append(types.Blocks{net.Genesis.ToBlock()}, blocks...), false, count, ""},
		{"every seal", blocks, true, count, ""},
		{"bad seals in the middle, for which the child holds good ones", forge(5), false, count, ""},
		{"bad seals in the middle, every seal", forge(5), true, 4, "invalid block 5"},
		{"bad seals at the end", forge(count), false, count - 1, "invalid block 10"},
		{"a gap", slices.Concat(blocks[:3], blocks[5:]), false, 3, "invalid block 6"},
		{"a body of another block", foreign, false, 0, "block 4 of the file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			chain, engine := net.Chain(t)
			f := &fileImport{chain, engine, test.verifyAll, nil}
			err := f.run(t.Context(), exported(t, test.blocks))
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			head := chain.CurrentBlock()
			expect.That(t, head.Number.Uint64() == test.head && head.Hash() == origin.GetCanonicalHash(test.head),
				"head %d, want %d", head.Number, test.head)
			if err := f.run(t.Context(), exported(t, blocks)); err != nil ||
				chain.CurrentBlock().Hash() != blocks[count-1].Hash() {
				t.Errorf("the sound file after that: head %d, %v", chain.CurrentBlock().Number, err)
			}
			sessiontest.CheckChain(t, chain, engine, origin)
		})
	}
}

// An import stops before a sealed block that breaks a rule of randomness or previous-block seals. A signature in
// previous-block seals is verified only where every seal is. spec: wbft 7.1 (18 to 21)
func TestImportFileRefusesSealedBreach(t *testing.T) {
	net := wbfttest.NewWithEpochs(t, 4, 140)
	for _, breach := range net.Breaches(t) {
		for _, all := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/every=%t", breach.Name, all), func(t *testing.T) {
				chain, engine := net.Chain(t)
				f := &fileImport{chain, engine, all, nil}
				err := f.run(t.Context(), exported(t, breach.Blocks))
				head, want := chain.CurrentBlock().Number.Uint64(), uint64(wbfttest.BreachNumber-1)
				if breach.Vouched && !all {
					want = uint64(len(breach.Blocks))
				}
				expect.That(t, head == want && (err == nil) == (want == uint64(len(breach.Blocks))),
					"head %d, want %d: %v", head, want, err)
				expect.That(t, err == nil || strings.Contains(err.Error(), "invalid block 3"), "error %v", err)
			})
		}
	}
}

// An import that is interrupted says so, and goes on where it was when the file is given again.
func TestImportFileInterrupted(t *testing.T) {
	net := wbfttest.New(t, 1)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, 3)
	chain, engine := net.Chain(t)
	f := &fileImport{chain, engine, false, nil}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	expect.Error(t, f.run(ended, exported(t, blocks)), context.Canceled, "f.run")
	chain.InterruptInsert(true)
	expect.Says(t, f.run(t.Context(), exported(t, blocks)), "interrupted", "the chain is being closed")
	chain.InterruptInsert(false)
	if err := f.run(t.Context(), exported(t, blocks)); err != nil || chain.CurrentBlock().Hash() != blocks[2].Hash() {
		t.Errorf("head %d, %v", chain.CurrentBlock().Number, err)
	}
}

// Blocks of a file are stored with the seals over them that the file has, though their children hold others
// (spec wbft 1.4).
func TestImportFileKeepsSeals(t *testing.T) {
	const count = 2*wbfttest.EpochLength + 2
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	blocks := net.SealByOthers(t, origin, net.Extend(t, origin, count))
	for _, all := range []bool{false, true} {
		t.Run(fmt.Sprintf("every=%t", all), func(t *testing.T) {
			chain, engine := net.Chain(t)
			must.Do(t, (&fileImport{chain, engine, all, nil}).run(t.Context(), exported(t, blocks)))
			for _, block := range blocks {
				got := chain.GetHeaderByNumber(block.NumberU64())
				expect.That(t, bytes.Equal(got.Extra, block.Extra()), "block %d is not stored as it came", block.Number())
			}
		})
	}
}

// FuzzRawReceipts: any bytes are refused, or are receipts that encode to them.
func FuzzRawReceipts(f *testing.F) {
	f.Add([]byte{0xc0})
	f.Add([]byte{0xc3, 0x82, 0x16, 0xc0})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		receipts, err := rawReceipts(encoded)
		if err != nil {
			return
		}
		list := make([][]byte, len(receipts))
		for i, receipt := range receipts {
			list[i] = must.Get(receipt.MarshalBinary())(t)
		}
		again, err := rlp.EncodeToBytes(list)
		expect.That(t, err == nil && bytes.Equal(again, encoded), "%#x is read as %#x, %v", encoded, again, err)
	})
}
