// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

func headersOf(blocks types.Blocks) []*types.Header {
	headers := make([]*types.Header, len(blocks))
	for i, b := range blocks {
		headers[i] = b.Header()
	}
	return headers
}

// errorsOf collects the verdicts over a batch.
func errorsOf(engine *wbft.Engine, chain consensus.ChainHeaderReader, headers []*types.Header) []error {
	abort, results := engine.VerifyHeaders(chain, headers)
	defer close(abort)
	out := make([]error, len(headers))
	for i := range out {
		out[i] = <-results
	}
	return out
}

// reseal returns a header with the seals of another one.
func reseal(t *testing.T, header, from *types.Header) *types.Header {
	t.Helper()
	x := must.Get(from.WBFTExtra())(t)
	return must.Get(header.WithWBFTSeals(x.Round, x.PreparedSeal, x.CommittedSeal))(t)
}

// Adopted seals leave every hash as it was, verify, and replace damaged ones; the last header keeps its own.
func TestAdoptSeals(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	headers := headersOf(net.Extend(t, origin, 6))
	damaged := append([]*types.Header{}, headers...)
	damaged[2] = reseal(t, headers[2], headers[0])
	adopted := must.Get(wbft.AdoptSeals(damaged))(t)
	chain, engine := net.Chain(t)
	for i, err := range errorsOf(engine, chain, adopted) {
		expect.That(t, err == nil && adopted[i].Hash() == headers[i].Hash(), "header %d: %v", i+1, err)
	}
	expect.That(t, adopted[5] == damaged[5] && damaged[2].Hash() == headers[2].Hash(),
		"the last header or the input was changed")
	headers[3] = &types.Header{Number: big.NewInt(4), Difficulty: common.Big1, Extra: []byte{1}}
	expect.Refused(t, expect.Err(wbft.AdoptSeals(headers)), "a child without seals is accepted")
}

// A batch with a gap in it is judged only up to the gap. Otherwise a peer could put an epoch block of its own making,
// with its own key for every validator, in front of real headers and so be their judge; the verdict would be
// remembered, and a header without a quorum behind it would pass later (spec wbft 3.1, 7.1).
func TestForeignEpochBlockInBatch(t *testing.T) {
	const epoch = wbfttest.EpochLength
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	real := headersOf(net.Extend(t, origin, epoch+2))
	secret := foreignKey(t)
	fake, forged := withKeys(t, real[epoch-1], secret), sealedBy(t, real[epoch+1], secret)

	chain, engine := net.Chain(t)
	batch := append(append([]*types.Header{}, real[:epoch-1]...), fake, real[epoch], forged)
	got := errorsOf(engine, chain, batch)
	for i := epoch - 1; i < len(batch); i++ {
		expect.Refused(t, got[i], "header %d of the batch passes", i+1)
	}
	expect.Error(t, engine.Sealed(chain, batch), consensus.ErrUnknownAncestor, "gap")
	// The forged header, now behind its real ancestors, is still refused.
	batch = append(append([]*types.Header{}, real[:epoch+1]...), forged)
	got = errorsOf(engine, chain, batch)
	expect.Refused(t, got[epoch+1], "a header that no quorum has sealed passes")
	expect.That(t, engine.Sealed(chain, batch) != nil && engine.Prove(chain, batch) != nil,
		"a batch that ends with forged seals is proven")
}

// foreignKey makes a BLS key that belongs to no validator.
func foreignKey(t *testing.T) *bls.SecretKey {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	return must.Get(bls.DeriveKey(key))(t)
}

// withKeys returns an epoch block that gives every validator the same BLS key.
func withKeys(t *testing.T, header *types.Header, secret *bls.SecretKey) *types.Header {
	t.Helper()
	return withKeyBytes(t, header, secret.PublicKey().Bytes())
}

func withKeyBytes(t *testing.T, header *types.Header, key []byte) *types.Header {
	t.Helper()
	x := must.Get(header.WBFTExtra())(t)
	for i := range x.EpochInfo.BLSPublicKeys {
		x.EpochInfo.BLSPublicKeys[i] = key
	}
	out := types.CopyHeader(header)
	out.Extra = x.Encode()
	return out
}

// sealedBy returns a header with seals of the first three of four validators, all of which have the same BLS key.
func sealedBy(t *testing.T, header *types.Header, secret *bls.SecretKey) *types.Header {
	t.Helper()
	var seals []*types.WBFTSeal
	for _, kind := range []byte{extra.Prepare, extra.Commit} {
		digest := extra.SealDigest(header, 0, kind)
		one := must.Get(bls.ParseSignature(secret.Sign(digest[:])))(t)
		sum := bls.Sum([]*bls.Signature{one, one, one})
		seals = append(seals, &types.WBFTSeal{Sealers: validators.EncodeSealers([]int{0, 1, 2}), Signature: sum})
	}
	return must.Get(header.WithWBFTSeals(0, seals[0], seals[1]))(t)
}

// Prove accepts what a quorum's seals at the end vouch for, and spares the rest (spec wbft 7.1).
func TestProve(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	headers := headersOf(net.Extend(t, origin, 2*wbfttest.EpochLength+2))
	chain, engine := net.Chain(t)
	adopted := must.Get(wbft.AdoptSeals(headers))(t)
	bad := slices.Clone(adopted)
	bad[len(bad)-1] = reseal(t, headers[len(bad)-1], headers[1])
	expect.Refused(t, engine.Prove(chain, bad), "a forged end passes")
	must.Do(t, engine.Prove(chain, adopted))
	expect.Refused(t, engine.Prove(chain, adopted[3:]), "headers that continue nothing stored pass")
	for i, err := range errorsOf(engine, chain, adopted) {
		expect.Error(t, err, nil, "header %d", i+1)
	}
}

// An epoch block that names another set is believed only with the seals of a quorum of the set before, wherever in a
// run it stands and whatever its own set has sealed after it (spec wbft 3.1, 7.1).
func TestProveChangeOfSet(t *testing.T) {
	const epoch = wbfttest.EpochLength
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, epoch+1)
	real := headersOf(blocks)
	secret := foreignKey(t)
	change := withKeys(t, real[epoch-1], secret)
	chain, engine := net.Chain(t)
	for _, test := range []struct {
		name string
		by   *types.Header
		good bool
	}{
		{"of a quorum", net.Seal(t, origin, types.NewBlockWithHeader(change), 0).Header(), true},
		{"of the new set itself", sealedBy(t, change, secret), false},
		{"of another block", reseal(t, change, real[0]), false},
	} {
		end := types.CopyHeader(real[epoch])
		end.ParentHash = test.by.Hash()
		x := must.Get(end.WBFTExtra())(t)
		held := must.Get(test.by.WBFTExtra())(t)
		x.PrevRound, x.PrevPreparedSeal, x.PrevCommittedSeal = held.Round, held.PreparedSeal, held.CommittedSeal
		end.Extra = x.Encode()
		run, err := wbft.AdoptSeals(append(append([]*types.Header{}, real[:epoch-1]...), test.by, sealedBy(t, end, secret)))
		must.Do(t, err)
		err = engine.Prove(chain, run)
		expect.That(t, (err == nil) == test.good, "seals %s: %v", test.name, err)
	}
}

// The seals over an epoch block that names another set are checked before its keys are decoded, which costs more. A
// peer that makes such blocks up must not have them decoded (spec wbft 3.1, 7.1).
func TestSealsBeforeKeys(t *testing.T) {
	const epoch = wbfttest.EpochLength
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	real := headersOf(net.Extend(t, origin, epoch+1))
	change := withKeyBytes(t, real[epoch-1], make([]byte, len(foreignKey(t).PublicKey().Bytes()))) // not one point
	end := types.CopyHeader(real[epoch])
	chain, engine := net.Chain(t)
	for _, test := range []struct {
		name string
		by   *types.Header
		want string
	}{
		{"made up", change, "prepared seals"},
		{"of a quorum", net.Seal(t, origin, types.NewBlockWithHeader(change), 0).Header(), "epoch info"},
	} {
		t.Run(test.name, func(t *testing.T) {
			end.ParentHash = test.by.Hash()
			run := append(append([]*types.Header{}, real[:epoch-1]...), test.by, end)
			err := engine.Sealed(chain, run)
			expect.That(t, err != nil && strings.Contains(err.Error(), test.want), "%v, want an error about %s", err, test.want)
		})
	}
}

// The order of the validators is shuffled for each epoch. The quorum at the end of a run vouches for that, so that the
// seals over an epoch block in between are not looked at (spec wbft 3.5, 7.1).
func TestProveChangeOfOrder(t *testing.T) {
	const epoch = wbfttest.EpochLength
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, 4*epoch)
	headers := headersOf(blocks)
	chain, engine := net.Chain(t)
	shuffled := 0
	for last, n := chain.Genesis().Header(), epoch; n < 4*epoch; n += epoch {
		before := must.Get(engine.EpochSet(last))(t)
		last = headers[n-1]
		after := must.Get(engine.EpochSet(last))(t)
		if !before.Equal(after) {
			shuffled++
		}
		damaged := append([]*types.Header{}, headers...)
		damaged[n-1] = reseal(t, last, headers[0])
		err := engine.Sealed(chain, damaged)
		expect.That(t, err == nil, "seals over epoch block %d, which names the same validators, are looked at: %v", n, err)
	}
	must.That(t, shuffled != 0, "no epoch has another order")
	headers[len(headers)-1] = reseal(t, headers[len(headers)-1], headers[0])
	expect.Refused(t, engine.Sealed(chain, headers), "a run passes whose end no quorum has sealed")
}

// Headers whose own seals are not those that their children hold are not vouched for.
func TestProveWantsAdoptedSeals(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	headers := headersOf(net.Extend(t, origin, 3))
	chain, engine := net.Chain(t)
	headers[0] = reseal(t, headers[0], headers[1])
	must.Do(t, engine.Prove(chain, headers))
	expect.Refused(t, errorsOf(engine, chain, headers)[0], "a header with foreign seals counts as verified")
}

// What is remembered of a good seal is of no use to a seal that only looks like it (spec wbft 2.5).
func TestSealCacheKey(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	header := headersOf(net.Extend(t, origin, 1))[0]
	chain, engine := net.Chain(t)
	must.Do(t, engine.VerifyHeader(chain, header))
	x := must.Get(header.WBFTExtra())(t)
	signature, sealers := x.PreparedSeal.Signature, x.PreparedSeal.Sealers
	others := bytes.Clone(sealers) // a quorum, too: the same signature does not stand for everybody
	others[0] ^= 0b1001
	for name, seal := range map[string]*types.WBFTSeal{
		"other sealers": {Signature: signature, Sealers: others},
		"a byte of the signature among the sealers": {
			Signature: signature[:95], Sealers: append([]byte{signature[95]}, sealers...),
		},
		"sealers in the signature": {Signature: append(append([]byte{}, signature...), sealers...), Sealers: nil},
	} {
		shifted := must.Get(header.WithWBFTSeals(x.Round, seal, x.CommittedSeal))(t)
		expect.Refused(t, engine.VerifyHeader(chain, shifted), "%s: passes", name)
	}
}

// padded returns a block with zeros behind the bitmaps of the seals over itself, or over its parent.
func padded(t *testing.T, block *types.Block, parent bool) *types.Block {
	t.Helper()
	header := block.Header()
	x := must.Get(header.WBFTExtra())(t)
	seals := []*types.WBFTSeal{x.PreparedSeal, x.CommittedSeal}
	if parent {
		seals = []*types.WBFTSeal{x.PrevPreparedSeal, x.PrevCommittedSeal}
	}
	for _, seal := range seals {
		seal.Sealers = append(seal.Sealers, make([]byte, 1000)...)
	}
	header.Extra = x.Encode()
	return block.WithSeal(header)
}

// Zeros that somebody has put behind the bitmaps of a stored block's seals do not come under the hash of the next one.
// spec: wbft 2.5, 6.2
func TestCarriedSealsAreTrimmed(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, _ := net.Chain(t)
	first := net.Seal(t, chain, net.Build(t, chain, 0), 0)
	_, err := chain.InsertChain(types.Blocks{padded(t, first, false)})
	must.That(t, err == nil, "a padded copy, as go-stablenet takes and serves it: %v", err)
	second := net.Extend(t, chain, 1)[0] // verifies it
	x := must.Get(second.Header().WBFTExtra())(t)
	for _, seal := range []*types.WBFTSeal{x.PrevPreparedSeal, x.PrevCommittedSeal} {
		expect.That(t, len(seal.Sealers) == 1, "bitmap of %d bytes carried on", len(seal.Sealers))
	}
}

// Adopted seals have no zeros behind their bitmaps, though the child holds some under its hash, and are proven all the
// same. spec: wbft 1.4, 2.5
func TestAdoptedSealsAreTrimmed(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, engine := net.Chain(t)
	first := net.Extend(t, origin, 1)[0]
	set := must.Get(engine.ValidatorsAfter(origin, first.Header()))(t)
	second := net.SealBy(t, set, padded(t, net.Build(t, origin, 0), true), 0)
	headers := must.Get(wbft.AdoptSeals([]*types.Header{first.Header(), padded(t, second, false).Header()}))(t)
	chain, engine := net.Chain(t)
	expect.Error(t, engine.Prove(chain, headers), nil, "Prove")
	for i, h := range headers {
		x := must.Get(h.WBFTExtra())(t)
		expect.That(t, len(x.PreparedSeal.Sealers) == 1 && len(x.CommittedSeal.Sealers) == 1,
			"header %d: bitmaps of %d and %d bytes", i, len(x.PreparedSeal.Sealers), len(x.CommittedSeal.Sealers))
	}
	expect.Equal(t, headers[1].Hash(), second.Hash(), "the hash has changed")
}

// The quorum behind the last of stored headers proves all of them with the seals as they were stored. It does not when
// the last seals are bad or a header is another.
func TestProveStored(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	headers := headersOf(net.Extend(t, origin, 6))
	unlike := append([]*types.Header{}, headers...)
	unlike[2] = reseal(t, headers[2], headers[0]) // its child holds others, and they are not verified
	chain, engine := net.Chain(t)
	must.Do(t, engine.ProveStored(chain, unlike))
	for i, err := range errorsOf(engine, chain, unlike) {
		expect.Error(t, err, nil, "header %d", i+1)
	}
	for name, row := range map[string][]*types.Header{
		"bad seals at the end": append(append([]*types.Header{}, headers[:5]...), reseal(t, headers[5], headers[0])),
		"gap":                  append(append([]*types.Header{}, headers[:3]...), headers[4:]...),
	} {
		t.Run(name, func(t *testing.T) {
			chain, engine := net.Chain(t)
			must.That(t, engine.ProveStored(chain, row) != nil, "proven")
			expect.Refused(t, errors.Join(errorsOf(engine, chain, row)...), "nothing of them is verified")
		})
	}
}
