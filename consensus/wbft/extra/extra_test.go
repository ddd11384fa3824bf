// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package extra

import (
	"bytes"
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/nextepoch"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// chain is testdata/chain.json: headers of a chain of 14 blocks sealed by go-stablenet client, with epochs of 4
// blocks, rounds above zero in blocks 5, 7 and 11 and late seals merged in headers 3, 7 and 10.
type chain struct {
	ChainID int64         `json:"chainId"`
	Genesis hexutil.Bytes `json:"genesisHeaderRlp"`
	Blocks  []struct {
		Number        uint64
		Proposer      common.Address
		Round         uint32
		Quorum        int
		LastProposer  common.Address
		Validators    []common.Address
		HashWithRound common.Hash
		PrepareDigest common.Hash `json:"prepareSealDigest"`
		CommitDigest  common.Hash `json:"commitSealDigest"`
		RandaoData    common.Hash
		RandaoDigest  common.Hash   `json:"randaoSignedDigest"`
		Header        hexutil.Bytes `json:"headerRlp"`
		Seals         []struct {
			Index   int           `json:"validatorIndex"`
			Prepare hexutil.Bytes `json:"prepareSeal"`
			Commit  hexutil.Bytes `json:"commitSeal"`
		} `json:"individualSeals"`
	}
}

// Digests of one header in rounds whose encodings differ in length (spec wbft 1.4).
func TestDigestVectors(t *testing.T) {
	var recorded struct {
		Header  hexutil.Bytes `json:"headerRlp"`
		Hash    common.Hash   `json:"blockHash"`
		Digests []struct {
			Round     uint32
			WithRound common.Hash `json:"hashWithRound"`
			Prepare   common.Hash `json:"prepareDigest"`
			Commit    common.Hash `json:"commitDigest"`
		}
	}
	vectors.Load(t, "seals.json", &recorded)
	h := vectors.Header(t, recorded.Header)
	must.That(t, h.Hash() == recorded.Hash && len(recorded.Digests) != 0,
		"block hash %v, want %v; %d digests", h.Hash(), recorded.Hash, len(recorded.Digests))
	for _, v := range recorded.Digests {
		expect.Equal(t, h.RoundHash(v.Round), v.WithRound, "round %d: round hash", v.Round)
		expect.Equal(t, SealDigest(h, v.Round, Prepare), v.Prepare, "round %d: prepare digest", v.Round)
		expect.Equal(t, SealDigest(h, v.Round, Commit), v.Commit, "round %d: commit digest", v.Round)
	}
}

// Aggregates of commit seals by chosen validators of block 5: bitmap and point (spec wbft 2.5).
func TestAggregateVectors(t *testing.T) {
	var c chain
	vectors.Load(t, "chain.json", &c)
	var recorded struct {
		Header     hexutil.Bytes `json:"headerRlp"`
		Aggregates []struct {
			Indices   []int
			Sealers   hexutil.Bytes
			Signature hexutil.Bytes `json:"aggregateSignature"`
		} `json:"aggregateCommitRound1"`
	}
	vectors.Load(t, "seals.json", &recorded)
	digest := SealDigest(vectors.Header(t, recorded.Header), 1, Commit)
	var list []validators.Validator
	var seals [][]byte
	for _, a := range c.Blocks[4].Validators {
		key := must.Get(bls.DeriveKey(vectors.NodeKeyOf(t, a)))(t)
		list = append(list, validators.Validator{Address: a, Key: key.PublicKey()})
		seals = append(seals, key.Sign(digest[:]))
	}
	set := validators.NewSet(list)
	must.That(t, len(recorded.Aggregates) != 0, "no vectors")
	for _, v := range recorded.Aggregates {
		chosen := make(map[int]scheme.Signature)
		for _, i := range v.Indices {
			chosen[i] = parsed(t, seals[i])
		}
		got, err := set.Aggregate(chosen)
		expect.That(t, err == nil && bytes.Equal(got.Sealers, v.Sealers) && bytes.Equal(got.Signature, v.Signature),
			"%v: %x, %v, want %x, %x", v.Indices, got, err, v.Sealers, v.Signature)
		err = set.VerifySeal(got, digest)
		expect.That(t, (err == nil) == (len(v.Indices) >= set.Quorum()), "%v: %v", v.Indices, err)
	}
}

// The whole chain by the rules: proposer, randao, mix, epochs, every single seal and every aggregate.
func TestChainVectors(t *testing.T) {
	var c chain
	vectors.Load(t, "chain.json", &c)
	must.Equal(t, len(c.Blocks), 14, "blocks")
	chainID := big.NewInt(c.ChainID)
	headers := []*types.Header{vectors.Header(t, c.Genesis)}
	extras := []*types.WBFTExtra{mustDecode(t, headers[0])}
	epochs := []*types.EpochInfo{extras[0].EpochInfo} // by number: the info of the newest epoch block at or before it
	for _, b := range c.Blocks {
		h, parent := vectors.Header(t, b.Header), headers[len(headers)-1]
		x := mustDecode(t, h)
		set := must.Get(validators.FromEpochInfo(epochs[b.Number-1]))(t)
		must.That(t, fmt.Sprint(set.Addresses()) == fmt.Sprint(b.Validators) && set.Quorum() == b.Quorum,
			"block %d: validators %v", b.Number, set.Addresses())
		expect.Equal(t, set.Proposer(validators.RoundRobin, b.LastProposer, uint64(b.Round)), b.Proposer,
			"block %d: proposer", b.Number)

		// Spec wbft 2.3.
		expect.Equal(t, RandaoData(chainID, b.Number), b.RandaoData, "block %d: randao data", b.Number)
		if got := randaoDigest(chainID, b.Number); !bytes.Equal(got, b.RandaoDigest[:]) {
			t.Errorf("block %d: randao digest %x, want %v", b.Number, got, b.RandaoDigest)
		}
		if got, err := RecoverRandao(x.RandaoReveal, chainID, b.Number); err != nil || got != h.Coinbase {
			t.Errorf("block %d: reveal is of %v, %v, want %v", b.Number, got, err, h.Coinbase)
		}
		got, err := RandaoReveal(vectors.NodeKeyOf(t, h.Coinbase), chainID, b.Number)
		expect.That(t, err == nil && bytes.Equal(got, x.RandaoReveal),
			"block %d: reveal %x, %v, want %x", b.Number, got, err, x.RandaoReveal)
		expect.Equal(t, MixHash(parent.MixDigest, x.RandaoReveal), h.MixDigest, "block %d: mix", b.Number)

		// Spec wbft 1.4, 2.4, 2.5.
		prepare, commit := SealDigest(h, x.Round, Prepare), SealDigest(h, x.Round, Commit)
		expect.That(t, h.RoundHash(x.Round) == b.HashWithRound && prepare == b.PrepareDigest && commit == b.CommitDigest,
			"block %d: digests %x, %x, want %v, %v", b.Number, prepare, commit, b.PrepareDigest, b.CommitDigest)
		expect.Error(t, set.VerifySeal(x.PreparedSeal, prepare), nil, "block %d: prepared seal", b.Number)
		expect.Error(t, set.VerifySeal(x.CommittedSeal, commit), nil, "block %d: committed seal", b.Number)
		expect.Refused(t, set.VerifySeal(x.CommittedSeal, prepare),
			"block %d: committed seal passes for a prepared one", b.Number)
		prepares, commits := make(map[int][]byte), make(map[int][]byte)
		for _, s := range b.Seals {
			key := must.Get(bls.DeriveKey(vectors.NodeKeyOf(t, set.At(s.Index).Address)))(t)
			expect.That(t, bytes.Equal(key.Sign(prepare[:]), s.Prepare) && bytes.Equal(key.Sign(commit[:]), s.Commit),
				"block %d: seals of validator %d differ", b.Number, s.Index)
			prepares[s.Index], commits[s.Index] = s.Prepare, s.Commit
		}
		for _, s := range []struct {
			seal    *types.WBFTSeal
			singles map[int][]byte
		}{{x.PreparedSeal, prepares}, {x.CommittedSeal, commits}} {
			indices := must.Get(validators.DecodeSealers(s.seal.Sealers, set.Len()))(t)
			chosen := make(map[int]scheme.Signature)
			for _, i := range indices {
				chosen[i] = parsed(t, s.singles[i])
			}
			got, err := set.Aggregate(chosen)
			expect.That(t, err == nil && bytes.Equal(got.Signature, s.seal.Signature) &&
				bytes.Equal(got.Sealers, s.seal.Sealers), "block %d: aggregate %x, %v, want %x", b.Number, got, err, s.seal)
		}

		// Previous-block seals are judged with the parent's set and header (spec wbft 3.1, 7.1 no. 20 and 21).
		if b.Number > 1 {
			before := must.Get(validators.FromEpochInfo(epochs[b.Number-2]))(t)
			err := before.VerifySeal(x.PrevPreparedSeal, SealDigest(parent, x.PrevRound, Prepare))
			expect.That(t, err == nil, "block %d: previous prepared seal: %v", b.Number, err)
			err = before.VerifySeal(x.PrevCommittedSeal, SealDigest(parent, x.PrevRound, Commit))
			expect.That(t, err == nil, "block %d: previous committed seal: %v", b.Number, err)
		}
		headers, extras = append(headers, h), append(extras, x)
		epochs = append(epochs, epochs[b.Number-1])
		if x.EpochInfo != nil {
			checkEpoch(t, headers, extras, epochs, 4)
			epochs[b.Number] = x.EpochInfo
		}
	}
}

// checkEpoch computes the epoch info of the last of the headers, with epochs of the given length. The candidates are
// those of the expected result, since this chain has no state here: their order and keys are input, the rest must
// come out.
func checkEpoch(
	t *testing.T,
	headers []*types.Header,
	extras []*types.WBFTExtra,
	epochs []*types.EpochInfo,
	length int,
) {
	t.Helper()
	last := len(headers) - 1
	start := last - length
	in := nextepoch.Input{
		MixHash:  headers[last].MixDigest,
		Coinbase: headers[start].Coinbase,
		Current:  extras[start].EpochInfo,
		Prior:    epochs[max(start-1, 0)],
		Before:   epochs[max(start-2, 0)],
	}
	for n := start + 1; n <= last; n++ {
		b := nextepoch.Block{Number: uint64(n), Coinbase: headers[n].Coinbase}
		if n > 1 {
			var err error
			b.PrevPrepared, err = validators.DecodeSealers(extras[n].PrevPreparedSeal.Sealers, validators.MaxSize)
			must.Do(t, err)
			b.PrevCommitted, err = validators.DecodeSealers(extras[n].PrevCommittedSeal.Sealers, validators.MaxSize)
			must.Do(t, err)
		}
		in.Blocks = append(in.Blocks, b)
	}
	want := extras[last].EpochInfo
	keys := make(map[uint32][]byte)
	for i, c := range want.Validators {
		keys[c] = want.BLSPublicKeys[i]
	}
	for i, c := range want.Candidates {
		in.Candidates = append(in.Candidates, nextepoch.Candidate{Address: c.Address, BLSPublicKey: keys[uint32(i)]})
	}
	got, err := nextepoch.Compute(in)
	must.Do(t, err, "block", last)
	expect.Deep(t, got, want, "block %d: epoch info", last)
}

func mustDecode(t *testing.T, h *types.Header) *types.WBFTExtra {
	t.Helper()
	return must.Get(h.WBFTExtra())(t)
}

func TestRecoverRandaoRefuses(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	owner := crypto.PubkeyToAddress(key.PublicKey)
	reveal := must.Get(RandaoReveal(key, big.NewInt(8283), 300))(t)
	got, err := RecoverRandao(reveal, big.NewInt(8283), 300)
	must.That(t, err == nil && got == owner, "%v, %v, want %v", got, err, owner)
	// Another number or chain recovers to somebody else.
	got, err = RecoverRandao(reveal, big.NewInt(8283), 301)
	expect.That(t, err != nil || got != owner, "reveal passes for another number")
	got, err = RecoverRandao(reveal, big.NewInt(8282), 300)
	expect.That(t, err != nil || got != owner, "reveal passes for another chain")
	// The same signature with a high S is accepted (spec wbft 2.3).
	high := bytes.Clone(reveal)
	s := new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(reveal[32:64]))
	s.FillBytes(high[32:64])
	high[64] ^= 1
	got, err = RecoverRandao(high, big.NewInt(8283), 300)
	expect.That(t, err == nil && got == owner, "high S: %v, %v", got, err)
	for name, bad := range map[string][]byte{
		"empty": nil, "short": reveal[:64], "long": append(bytes.Clone(reveal), 0),
		"V of 27": append(bytes.Clone(reveal[:64]), 27), "zero": make([]byte, 65),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := RecoverRandao(bad, big.NewInt(8283), 300)
			expect.Refused(t, err, "%s: recovers to %v", name, got)
		})
	}
}

// parsed decodes a seal.
func parsed(t *testing.T, seal []byte) scheme.Signature {
	t.Helper()
	return must.Get(scheme.ParseSignature(seal))(t)
}
