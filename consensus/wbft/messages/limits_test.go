// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/core/rules"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// blockOfSize returns a block whose RLP has size bytes, without regard to what is in it.
func blockOfSize(t *testing.T, size int) *types.Block {
	t.Helper()
	data := size - 2000
	for range 8 {
		tx := types.NewTx(&types.LegacyTx{Data: make([]byte, data)})
		block := types.NewBlockWithHeader(
			&types.Header{Difficulty: common.Big1, Number: common.Big1, Extra: new(types.WBFTExtra).Encode()},
		).
			WithBody(types.Body{Transactions: types.Transactions{tx}})
		n := len(encode(block))
		if n == size {
			return block
		}
		data += size - n
	}
	t.Fatalf("no block of %d bytes", size)
	return nil
}

// The largest proposal fits into every later message, and fills the largest one to the last byte.
// spec: wbft 4.1
func TestMaxProposal(t *testing.T) {
	signed := func([]byte) ([]byte, error) { return make([]byte, SignatureLength), nil }
	for _, n := range []int{1, 4, 22, 100, 4096} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			block := blockOfSize(t, MaxProposal(n))
			claim := &PreparedClaim{Round: math.MaxUint32, Digest: block.Hash()}
			proposal := &PrePrepare{Sequence: math.MaxUint64, Round: math.MaxUint32, Block: block}
			change := &RoundChange{PreparedBlock: block}
			change.Sequence, change.Round, change.Prepared = math.MaxUint64, math.MaxUint32, claim
			for range n {
				prepare := &Prepare{
					Sequence: math.MaxUint64, Round: math.MaxUint32, Digest: block.Hash(), Seal: make([]byte, SealLength),
				}
				statement := &SignedRoundChange{Sequence: math.MaxUint64, Round: math.MaxUint32, Prepared: claim}
				must.That(t, prepare.SignWith(signed) == nil && statement.SignWith(signed) == nil, "not signed")
				proposal.RoundChanges = append(proposal.RoundChanges, statement)
				proposal.Prepares = append(proposal.Prepares, prepare)
				change.Prepares = append(change.Prepares, prepare)
			}
			must.That(t, proposal.SignWith(signed) == nil && change.SignWith(signed) == nil, "not signed")
			expect.Equal(t, len(proposal.Encode()), MaxSize, "bytes of a PRE-PREPARE")
			got := len(change.Encode())
			expect.That(t, got <= MaxSize, "ROUND-CHANGE has %d bytes, at most %d are allowed", got, MaxSize)
			x := must.Get(block.Header().WBFTExtra())(t)
			header := block.Header()
			header.Extra = make([]byte, rules.SealedExtraSize(x, n))
			pushed := encode(struct {
				Block *types.Block
				TD    *big.Int
			}{block.WithSeal(header), new(big.Int).SetUint64(math.MaxUint64)})
			got = len(pushed)
			expect.That(t, got <= MaxSize, "NewBlock has %d bytes, at most %d are allowed", got, MaxSize)
		})
	}
}

// The size of a justified proposal is that of its encoding at the sizes at which lists have longer headers, too.
func TestJustifiedSize(t *testing.T) {
	for _, block := range []int{100_000, 1 << 20} {
		for _, n := range []int{1, 300} {
			prepares, changes := make([]rlp.RawValue, n), make([]rlp.RawValue, n)
			for i := range n {
				prepares[i], changes[i] = make([]byte, largestVote), make([]byte, largestChange)
			}
			got := encode([]any{
				[]any{
					[]any{uint64(math.MaxUint64), uint32(math.MaxUint32), rlp.RawValue(make([]byte, block))},
					make([]byte, SignatureLength),
				},
				[]any{changes, prepares},
			})
			want := justifiedSize(block, n)
			expect.That(t, len(got) == want, "block of %d bytes, %d validators: %d bytes, want %d", block, n, len(got), want)
		}
	}
}
