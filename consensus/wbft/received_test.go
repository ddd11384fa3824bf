// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A header keeps good seals that differ from those of its child, and no others. What the end of a run does not vouch
// for is not received.
// spec: wbft 1.4, 7.1 (16, 17)
func TestReceive(t *testing.T) {
	const count, at = 2*wbfttest.EpochLength + 2, wbfttest.EpochLength // at is that of an epoch block
	net := wbfttest.New(t, 4)
	origin, judge := net.Chain(t)
	blocks := net.Extend(t, origin, count)
	came := func(n int, change func(block *types.Block) *types.Block) []*types.Header {
		headers := headersOf(blocks)
		headers[n-1] = change(blocks[n-1]).Header()
		return headers
	}
	otherwise := func(round uint32) func(*types.Block) *types.Block {
		return func(block *types.Block) *types.Block {
			set := must.Get(judge.ValidatorsFor(origin, block.Header()))(t)
			other := *net
			other.Away = set.At(0).Address
			return other.SealBy(t, set, block, round)
		}
	}
	foreign := func(block *types.Block) *types.Block {
		return block.WithSeal(reseal(t, block.Header(), blocks[0].Header()))
	}
	short := func(block *types.Block) *types.Block {
		header := block.Header()
		x := must.Get(header.WBFTExtra())(t)
		x.PreparedSeal.Signature = x.PreparedSeal.Signature[:95]
		header.Extra = x.Encode()
		return block.WithSeal(header)
	}
	asCame := func(h *types.Header) *types.Header { return h }
	asHeld := func(*types.Header) *types.Header { return blocks[at-1].Header() }
	// twisted carries other PREPARE seals than the child holds, with the signature of another block or of the same
	// sealers.
	twisted := func(change func(x *types.WBFTExtra)) func(*types.Block) *types.Block {
		return func(block *types.Block) *types.Block {
			header := otherwise(0)(block).Header()
			x := must.Get(header.WBFTExtra())(t)
			change(x)
			header.Extra = x.Encode()
			return block.WithSeal(header)
		}
	}
	held := must.Get(blocks[at-1].Header().WBFTExtra())(t)
	prepareOnly := twisted(func(x *types.WBFTExtra) { x.CommittedSeal = held.CommittedSeal })
	commitOnly := twisted(func(x *types.WBFTExtra) { x.PreparedSeal = held.PreparedSeal })
	badPrepare := twisted(func(x *types.WBFTExtra) { x.PreparedSeal.Signature = held.PreparedSeal.Signature })
	otherRound := twisted(func(x *types.WBFTExtra) {
		x.Round, x.PreparedSeal, x.CommittedSeal = held.Round+1, held.PreparedSeal, held.CommittedSeal
	})
	badCommit := twisted(func(x *types.WBFTExtra) {
		x.PreparedSeal = held.PreparedSeal
		x.CommittedSeal.Sealers = held.CommittedSeal.Sealers
	})
	for _, test := range []struct {
		name    string
		headers []*types.Header
		want    func(came *types.Header) *types.Header // header at is stored so; nil for nothing received
		damaged int
	}{
		{"of another quorum", came(at, otherwise(0)), func(h *types.Header) *types.Header { return h }, 0},
		{"of another quorum and round", came(at, otherwise(3)), func(h *types.Header) *types.Header { return h }, 0},
		{"PREPARE seals of another quorum", came(at, prepareOnly), asCame, 0},
		{"COMMIT seals of another quorum", came(at, commitOnly), asCame, 0},
		{"PREPARE seals with a signature of others", came(at, badPrepare), asHeld, 1},
		{"the child's, said to be of another round", came(at, otherRound), asHeld, 1},
		{"COMMIT seals that name others", came(at, badCommit), asHeld, 1},
		{"of another block", came(at, foreign), func(*types.Header) *types.Header { return blocks[at-1].Header() }, 1},
		{"too short", came(at, short), func(*types.Header) *types.Header { return blocks[at-1].Header() }, 1},
		{"padded", came(at, func(b *types.Block) *types.Block { return padded(t, b, false) }),
			func(*types.Header) *types.Header { return blocks[at-1].Header() }, 0},
		{"of another block, at the end", came(count, foreign), nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, vouched := range []bool{true, false} {
				chain, engine := net.Chain(t)
				kept, damaged, err := engine.Receive(chain, test.headers, 0, vouched)
				if test.want == nil {
					expect.Refused(t, err, "a run that nothing vouches for is received")
					continue
				}
				must.That(t, err == nil && damaged == test.damaged, "%d damaged, want %d, %v", damaged, test.damaged, err)
				want := test.want(test.headers[at-1])
				expect.That(t, bytes.Equal(kept[at-1].Extra, want.Extra), "stored as %x, want %x", kept[at-1].Extra, want.Extra)
				for i, err := range errorsOf(engine, chain, kept) {
					expect.Error(t, err, nil, "header %d", i+1)
				}
			}
		})
	}
}

// Of many headers with other seals exactly those with bad ones take the seals of their children, wherever these stand.
// spec: wbft 1.4, 7.1 (16, 17)
func TestReceiveFindsBadSeals(t *testing.T) {
	const count = 2*wbfttest.EpochLength + 2
	net := wbfttest.New(t, 4)
	origin, judge := net.Chain(t)
	blocks := net.Extend(t, origin, count)
	other := *net
	good := headersOf(blocks)
	for i, block := range blocks[:count-1] {
		set := must.Get(judge.ValidatorsFor(origin, block.Header()))(t)
		other.Away = set.At(i % set.Len()).Address
		good[i] = other.SealBy(t, set, block, 0).Header()
	}
	for _, test := range []struct {
		name string
		bad  []int
	}{
		{"none", nil}, {"the first", []int{0}}, {"the last", []int{count - 2}}, {"neighbors", []int{4, 5}},
		{"every third", []int{0, 3, 6}}, {"all but one", []int{0, 1, 2, 4, 5, 6, 7, 8}},
	} {
		t.Run(test.name, func(t *testing.T) {
			headers, bad := slices.Clone(good), 0
			for _, i := range test.bad {
				headers[i], bad = reseal(t, good[i], good[(i+1)%(count-1)]), bad+1
			}
			for _, vouched := range []bool{true, false} {
				chain, engine := net.Chain(t)
				kept, damaged, err := engine.Receive(chain, headers, 0, vouched)
				must.That(t, err == nil && damaged == bad, "%d damaged, want %d, %v", damaged, bad, err)
				for i := range kept {
					want := headers[i]
					if slices.Contains(test.bad, i) {
						want = blocks[i].Header()
					}
					expect.Slice(t, kept[i].Extra, want.Extra, "vouched %t: header %d is stored otherwise", vouched, i+1)
				}
			}
		})
	}
}

// Old headers take the seals that their children hold, which costs nothing to verify, and nothing that a peer has made
// up is stored. The last one of a run and recent ones keep theirs. spec: wbft 1.4, 7.1
func TestOldHeadersTakeSealsOfChildren(t *testing.T) {
	const count, keepFrom = 2*wbfttest.EpochLength + 2, wbfttest.EpochLength + 1
	net := wbfttest.New(t, 4)
	made := net.History(t, count, nil)
	headers := headersOf(made.Blocks())
	adopted := must.Get(wbft.AdoptSeals(headers))(t)
	headers[1] = reseal(t, headers[1], headers[2]) // old, and bad
	chain, engine := net.Chain(t)
	kept, damaged, err := engine.Receive(chain, headers, keepFrom, true)
	must.That(t, err == nil && damaged == 0, "%v %v", damaged, err)
	for i, h := range kept {
		want := headers[i]
		if i+1 < keepFrom {
			want = adopted[i]
		}
		expect.That(t, bytes.Equal(h.Extra, want.Extra), "header %d is not stored as wanted", i+1)
	}
	for i, err := range errorsOf(engine, chain, kept) {
		expect.Error(t, err, nil, "header %d", i+1)
	}
	for last, want := range map[uint64]uint64{1: 0, 127: 0, 128: 1, 1000: 873} {
		expect.Equal(t, wbft.KeepsFrom(last), want, "up to %d, headers keep their seals from", last)
	}
}

// A rule of randomness or previous-block seals that a sealed header breaks is found wherever the header stands in a
// run, but for a signature in previous-block seals. spec: wbft 7.1 (18 to 21)
func TestProvenHeadersAreChecked(t *testing.T) {
	net := wbfttest.NewWithEpochs(t, 4, 140)
	for _, breach := range net.Breaches(t) {
		t.Run(breach.Name, func(t *testing.T) {
			headers := headersOf(breach.Blocks)
			for first := range wbfttest.BreachNumber { // headers that are stored before
				for _, keepFrom := range []uint64{0, 100} {
					chain, engine := net.Chain(t)
					must.Get(chain.InsertHeaderChain(headers[:first]))(t)
					kept, _, err := engine.Receive(chain, headers[first:], keepFrom, true)
					must.Do(t, err)
					for i, err := range errorsOf(engine, chain, kept) {
						number := first + i + 1
						want := number < wbfttest.BreachNumber || breach.Vouched
						expect.That(t, (err == nil) == want, "%d stored, kept from %d: header %d: %v", first, keepFrom, number, err)
					}
				}
			}
		})
	}
}

// A header that keeps good seals of its own and is not vouched for has its previous-block seals verified.
// spec: wbft 7.1 (20, 21)
func TestKeptHeadersAreNotVouchedFor(t *testing.T) {
	net := wbfttest.NewWithEpochs(t, 4, 140)
	for _, breach := range net.Breaches(t) {
		if !breach.Vouched {
			continue
		}
		t.Run(breach.Name, func(t *testing.T) {
			chain, engine := net.Chain(t)
			set := must.Get(engine.EpochSet(chain.Genesis().Header()))(t)
			others := *net
			others.Away = set.At(0).Address
			const at = wbfttest.BreachNumber - 1
			headers := headersOf(breach.Blocks)
			headers[at] = others.SealBy(t, set, breach.Blocks[at], 0).Header()
			for _, vouched := range []bool{true, false} {
				kept, damaged, err := engine.Receive(chain, headers, 0, vouched)
				if err != nil || damaged != 0 || !bytes.Equal(kept[at].Extra, headers[at].Extra) {
					t.Fatal("the seals that the header came with are not kept", damaged, err)
				}
				err = errorsOf(engine, chain, kept)[at]
				expect.That(t, (err == nil) == vouched, "vouched for %t: %v", vouched, err)
				chain, engine = net.Chain(t)
			}
		})
	}
}
