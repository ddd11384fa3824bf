// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// TestRecordedHeaders holds headers that go-stablenet v1.1.0 sealed against the rules of hash, seals, reveal and mix.
//
// spec: wbft 1.4, wbft 2.4, wbft 2.5, wbft 7.1
func TestRecordedHeaders(t *testing.T) {
	recorded := vectors.LoadRecorded(t)
	genesis := must.Get(recorded.Blocks[0].Header.WBFTExtra())(t)
	set := must.Get(validators.FromEpochInfo(genesis.EpochInfo))(t)
	for number, block := range recorded.Blocks {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			header := block.Header
			if hash := header.Hash(); hash != block.Hash {
				t.Errorf("hash %v, recorded %v", hash, block.Hash)
			}
			if number == 0 {
				return
			}
			decoded := must.Get(header.WBFTExtra())(t)
			if _, member := set.Index(header.Coinbase); !member {
				t.Errorf("coinbase %v is no validator", header.Coinbase)
			}
			author, err := extra.RecoverRandao(decoded.RandaoReveal, big.NewInt(8283), number)
			if err != nil || author != header.Coinbase {
				t.Errorf("reveal of %v (%v), recorded coinbase %v", author, err, header.Coinbase)
			}
			for kind, seal := range map[byte]*types.WBFTSeal{
				extra.Prepare: decoded.PreparedSeal,
				extra.Commit:  decoded.CommittedSeal,
			} {
				if err := set.VerifySeal(seal, extra.SealDigest(header, decoded.Round, kind)); err != nil {
					t.Errorf("seal of kind %d: %v", kind, err)
				}
			}
		})
	}

	parent, child := recorded.Blocks[0].Header, recorded.Blocks[1].Header
	decoded := must.Get(child.WBFTExtra())(t)
	if mix := extra.MixHash(parent.MixDigest, decoded.RandaoReveal); mix != child.MixDigest {
		t.Errorf("mix %v, recorded %v", mix, child.MixDigest)
	}
	if child.ParentHash != recorded.Blocks[0].Hash {
		t.Errorf("parent %v, recorded genesis %v", child.ParentHash, recorded.Blocks[0].Hash)
	}
}
