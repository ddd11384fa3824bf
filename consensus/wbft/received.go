// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"bytes"
	"runtime"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
	"gwon/core"
)

// Receive proves consecutive headers with the seals that their children hold over them, and returns the headers to be stored. Each keeps
// the seals over itself that it came with if they are good, and takes those of its child if not (AdoptSeals); damaged is how many did.
// With vouched the result is taken for verified as Prove does it. Without, the caller has to verify each header.
func (e *Engine) Receive(chain consensus.ChainHeaderReader, headers []*types.Header, vouched bool) (kept []*types.Header, damaged int, err error) {
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
	var own []int // headers with other seals than their children hold
	for i, h := range headers {
		h = core.TrimHeaderSeals(h)
		if bytes.Equal(h.Extra, adopted[i].Extra) {
			kept[i] = h
		} else {
			own = append(own, i)
		}
	}
	runs := make(chan []int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (len(own)+verifyRun-1)/verifyRun) {
		workers.Go(func() {
			for run := range runs {
				e.keepOwn(chain, headers, kept, run, vouched)
			}
		})
	}
	for run := range slices.Chunk(own, verifyRun) {
		runs <- run
	}
	close(runs)
	workers.Wait()
	for _, i := range own {
		if kept[i] == adopted[i] {
			damaged++
		}
	}
	return kept, damaged, nil
}

// keepOwn puts those headers of a run that came with good seals over themselves into kept. The headers are proven.
func (e *Engine) keepOwn(chain consensus.ChainHeaderReader, headers, kept []*types.Header, run []int, vouched bool) {
	type candidate struct {
		at      int
		header  *types.Header
		decoded *types.WBFTExtra
		set     *validators.Set
	}
	var all []candidate
	var checks []validators.SealCheck
	for _, i := range run {
		h := core.TrimHeaderSeals(headers[i])
		decoded, err := h.WBFTExtra()
		if err != nil {
			continue
		}
		set, err := e.validatorsAfter(ancestry{chain, headers[:i]}, h.ParentHash, h.Number.Uint64())
		if err != nil {
			continue
		}
		all = append(all, candidate{i, h, decoded, set})
		checks = append(checks, ownSeals(h, decoded, set)...)
	}
	e.verifyTogether(checks)
	for _, c := range all {
		if e.verifyOwnSeals(c.header, c.decoded, c.set) != nil {
			continue
		}
		kept[c.at] = c.header
		if key, err := headerKey(c.header); err == nil && vouched {
			e.verified.Add(key, struct{}{})
		}
	}
}
