// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
	"gwon/core/rules"
)

// KeepsFrom returns the first header that keeps the seals it came with, in a run up to the block last: the newest 128.
// Those before take the seals that their children hold, which costs no verification (docs/adr/0012).
func KeepsFrom(last uint64) uint64 { return last - min(last, 127) }

// Receive proves consecutive headers with the seals that their children hold over them, and returns the headers to be
// stored. Those of blocks before keepFrom take these seals (AdoptSeals). Each of the others keeps the seals over itself
// that it came with if they are good, and takes those of its child if not; damaged is how many did. The last one keeps
// its own, which prove the run. With vouched the result counts as proven (Prove). Without, the caller has to verify
// each header whole.
func (e *Engine) Receive(
	chain consensus.ChainHeaderReader,
	headers []*types.Header,
	keepFrom uint64,
	vouched bool,
) (kept []*types.Header, damaged int, err error) {
	adopted, err := AdoptSeals(headers)
	if err != nil {
		return nil, 0, err
	}
	prove := e.Sealed
	if vouched {
		prove = e.Prove
	}
	if err := prove(chain, adopted); err != nil {
		return nil, 0, err
	}
	kept = slices.Clone(adopted)
	var own []int // headers that keep other seals than their children hold
	for i, h := range headers {
		if h.Number.Uint64() < keepFrom {
			continue
		}
		h = rules.TrimHeaderSeals(h)
		if bytes.Equal(h.Extra, adopted[i].Extra) {
			kept[i] = h
		} else {
			own = append(own, i)
		}
	}
	// As many runs as cores, since a seal costs the less the more are verified together.
	run := max(verifyRun, (len(own)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for part := range slices.Chunk(own, run) {
		workers.Go(func() { e.keepOwn(chain, headers, adopted, kept, part, vouched) })
	}
	workers.Wait()
	for _, i := range own {
		if kept[i] == adopted[i] {
			damaged++
		}
	}
	return kept, damaged, nil
}

// keepOwn puts those headers of a run that came with good seals over themselves into kept. The headers are proven;
// adopted are those of AdoptSeals. A seal that the child holds as well is verified with the child, or vouched for.
func (e *Engine) keepOwn(
	chain consensus.ChainHeaderReader,
	headers, adopted, kept []*types.Header,
	run []int,
	vouched bool,
) {
	type candidate struct {
		at     int
		header *types.Header
		open   []validators.SealCheck
	}
	var all []candidate
	var checks []validators.SealCheck
	known := new(knownSets)
	for _, i := range run {
		h := rules.TrimHeaderSeals(headers[i])
		set, err := e.validatorsAfter(ancestry{chain, headers[:i], known}, h.ParentHash, h.Number.Uint64())
		if err != nil {
			continue
		}
		open, err := unlikeChild(h, adopted[i], set, vouched)
		if err != nil {
			continue
		}
		all = append(all, candidate{i, h, open})
		checks = append(checks, open...)
	}
	e.verifyHalves(checks)
	for _, c := range all {
		if slices.ContainsFunc(c.open, func(check validators.SealCheck) bool {
			return e.verifySeal(check, errOwnSeal, errOwnSeal) != nil
		}) {
			continue
		}
		if vouched && e.vouch(c.header) != nil {
			continue
		}
		kept[c.at] = c.header
	}
}

// errOwnSeal means that a seal over a header that its child does not hold is bad.
var errOwnSeal = errors.New("bad seal over the header itself")

// unlikeChild returns the checks of those seals over a header that its child does not hold; adopted has the ones that
// the child holds. With vouched these are good, and make the check of another seal over the same digest cheaper.
func unlikeChild(h, adopted *types.Header, set *validators.Set, vouched bool) (open []validators.SealCheck, err error) {
	own, err := h.WBFTExtra()
	if err != nil {
		return nil, err
	}
	held, err := adopted.WBFTExtra()
	if err != nil {
		return nil, err
	}
	checks := ownSeals(h, own, set)
	if own.Round != held.Round {
		return checks, nil // the digests differ
	}
	for i, known := range []*types.WBFTSeal{held.PreparedSeal, held.CommittedSeal} {
		if sameSeal(checks[i].Seal, known) {
			continue
		}
		if vouched {
			checks[i].Known = known
		}
		open = append(open, checks[i])
	}
	return open, nil
}

// verifyHalves verifies seals in one go, and each half of them when that fails, so that a bad seal costs few others
// their batch.
func (e *Engine) verifyHalves(checks []validators.SealCheck) {
	if len(checks) < 2 || e.verifyTogether(checks) {
		return
	}
	e.verifyHalves(checks[:len(checks)/2])
	e.verifyHalves(checks[len(checks)/2:])
}
