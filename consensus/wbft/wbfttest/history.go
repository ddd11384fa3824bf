// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbfttest

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/supranational/blst/bindings/go"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
)

// sealSuite is the ciphersuite of seals (spec wbft 2.4).
var sealSuite = []byte("BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_")

// groupOrder is the order of the group in which BLS12-381 signs.
var groupOrder, _ = new(big.Int).SetString("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 16)

// trusting is an engine that takes the seals of every header for good.
type trusting struct{ *wbft.Engine }

func (trusting) VerifyHeader(consensus.ChainHeaderReader, *types.Header) error { return nil }

func (trusting) VerifyHeaders(_ consensus.ChainHeaderReader, headers []*types.Header) (chan<- struct{}, <-chan error) {
	results := make(chan error, len(headers))
	for range headers {
		results <- nil
	}
	return make(chan struct{}), results
}

// History makes a chain of count blocks in memory, several times faster than ExtendWith: a quorum's aggregated seals
// are made with the sum of its secret keys, which gives the same bytes, and none of them is verified. fill makes the
// transactions of the child of a header.
func (net *Network) History(
	t testing.TB,
	count int,
	fill func(parent *types.Header) []*types.Transaction,
) *gethcore.BlockChain {
	t.Helper()
	engine, err := wbft.New(net.Genesis.Config, nil)
	check(t, err)
	chain, err := gethcore.NewBlockChain(rawdb.NewMemoryDatabase(), net.Genesis, trusting{engine}, nil)
	check(t, err)
	t.Cleanup(chain.Stop)
	engines := make(map[common.Address]*wbft.Engine)
	of := func(proposer common.Address) *wbft.Engine {
		if engines[proposer] == nil {
			e, err := wbft.New(net.Genesis.Config, nil)
			check(t, err)
			check(t, e.Authorize(net.Keys[proposer]))
			engines[proposer] = e
		}
		return engines[proposer]
	}
	sums := make(map[*validators.Set]*quorum)
	for range count {
		block := net.build(t, chain, engine, 0, of, fill(chain.CurrentBlock()))
		set, err := engine.ValidatorsFor(chain, block.Header())
		check(t, err)
		if sums[set] == nil {
			sums[set] = net.quorum(t, set)
		}
		prepared, committed := make(chan *types.WBFTSeal, 1), make(chan *types.WBFTSeal, 1)
		go func() { prepared <- sums[set].seal(block.Header(), extra.Prepare) }()
		go func() { committed <- sums[set].seal(block.Header(), extra.Commit) }()
		header, err := block.Header().WithWBFTSeals(0, <-prepared, <-committed)
		check(t, err)
		_, err = chain.InsertChain(types.Blocks{block.WithSeal(header)})
		check(t, err)
	}
	return chain
}

// quorum seals as the first validators of a set, as many as a quorum needs.
type quorum struct {
	secret  *blst.SecretKey // the sum of theirs
	sealers []byte
}

func (net *Network) quorum(t testing.TB, set *validators.Set) *quorum {
	t.Helper()
	sum, sealers := new(big.Int), make([]int, set.Quorum())
	for i := range sealers {
		secret, err := bls.DeriveKey(net.Keys[set.At(i).Address])
		check(t, err)
		sum.Add(sum, new(big.Int).SetBytes(secret.Bytes()))
		sealers[i] = i
	}
	secret := new(blst.SecretKey).Deserialize(sum.Mod(sum, groupOrder).FillBytes(make([]byte, 32)))
	if secret == nil {
		t.Fatal("the sum of the secret keys is no key")
	}
	return &quorum{secret, validators.EncodeSealers(sealers)}
}

func (q *quorum) seal(header *types.Header, kind byte) *types.WBFTSeal {
	digest := extra.SealDigest(header, 0, kind)
	return &types.WBFTSeal{
		Sealers:   q.sealers,
		Signature: new(blst.P2Affine).Sign(q.secret, digest[:], sealSuite).Compress(),
	}
}
