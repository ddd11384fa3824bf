// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package finality

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
)

var errMissing = errors.New("the header is not stored here")

// Chain is a chain from which a proof is made. One with a method ReadAhead(numbers []uint64) is told which headers it
// will be asked for, so that it reads many at once.
type Chain interface {
	// Header returns the canonical header of a number, nil when there is none.
	Header(number uint64) *types.Header
	// LastEpochBlock returns the newest epoch block at or before number (spec wbft 3.4).
	LastEpochBlock(number uint64) uint64
}

// Build makes a proof of block for those who trust the block of the number trusted, which must not be above it. It
// reads some headers for each change of the validators, not all in between. The error wraps ErrSize when the proof
// would exceed the bounds: a trusted block nearer to the block helps.
func Build(chain Chain, trusted, block uint64) (*Proof, error) {
	if trusted > block {
		return nil, fmt.Errorf("%w: block %d, trusted block %d", ErrOlder, block, trusted)
	}
	p := &Proof{Version: Version, Epochs: []Sealed{}}
	first := chain.LastEpochBlock(trusted)
	if trusted-first >= MaxOrigin {
		return nil, fmt.Errorf("%w: block %d is too far behind its epoch block: trust epoch block %d instead",
			ErrSize, trusted, first)
	}
	for number := first; number <= trusted; number++ {
		header, err := headerOf(chain, number)
		if err != nil {
			return nil, err
		}
		p.Origin = append(p.Origin, header)
	}
	builder := newBuilder(chain)
	changes, err := builder.changes(trusted+1, block)
	if err != nil {
		return nil, err
	}
	for _, epoch := range changes {
		sealed, err := builder.sealed(epoch)
		if err != nil {
			return nil, err
		}
		p.Epochs = append(p.Epochs, sealed)
	}
	p.Block, err = builder.sealed(block)
	return p, err
}

func headerOf(chain Chain, number uint64) (*types.Header, error) {
	if h := chain.Header(number); h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("block %d: %w", number, errMissing)
}

// builder looks for the epoch blocks at which the validators change.
type builder struct {
	chain  Chain
	sets   []*validators.Set // each with other members
	byName map[string][]int  // places in sets, by the addresses in ascending order
	charge map[uint64]int    // place of what an epoch block appoints
}

func newBuilder(chain Chain) *builder {
	return &builder{chain: chain, byName: make(map[string][]int), charge: make(map[uint64]int)}
}

// inCharge returns the place of the validators in charge of a block, genesis excluded (spec wbft 3.1). Sets with the
// same members have one place.
func (b *builder) inCharge(number uint64) (int, error) {
	epoch := b.chain.LastEpochBlock(number - 1)
	if at, ok := b.charge[epoch]; ok {
		return at, nil
	}
	header, err := headerOf(b.chain, epoch)
	if err != nil {
		return 0, err
	}
	set, err := appointed(header)
	if err != nil {
		return 0, err
	}
	b.charge[epoch] = b.placeOf(set)
	return b.charge[epoch], nil
}

func (b *builder) placeOf(set *validators.Set) int {
	addresses := set.Addresses()
	slices.SortFunc(addresses, common.Address.Cmp)
	var name strings.Builder
	for _, a := range addresses {
		name.Write(a[:])
	}
	places := b.byName[name.String()]
	for _, at := range places {
		if b.sets[at].SameMembers(set) {
			return at
		}
	}
	b.sets = append(b.sets, set)
	b.byName[name.String()] = append(places, len(b.sets)-1)
	return len(b.sets) - 1
}

// changes returns epoch blocks between two blocks, ascending, of which each appoints other members than those that have
// sealed it. Those in charge of low or appointed by the one before have sealed each of them, and end. Bisection finds
// them, all at once level by level. Members that came back in between are passed over, which is as good.
func (b *builder) changes(low, end uint64) ([]uint64, error) {
	if low >= end {
		return nil, nil
	}
	for points := []uint64{low, end}; ; {
		b.readAhead(points)
		found, between, err := b.way(points)
		if err != nil {
			return nil, err
		}
		// MaxEpochs changes in a chain of any length take 64 bisections each.
		if len(found) > MaxEpochs || len(points) > 64*(MaxEpochs+1) {
			return nil, fmt.Errorf("%w: the validators change more than %d times between blocks %d and %d: "+
				"trust a later block", ErrSize, MaxEpochs, low-1, end)
		}
		if len(between) == 0 {
			return found, nil
		}
		points = append(points, between...)
		slices.Sort(points)
	}
}

// way follows ascending points from the first to the last one: from each to the last one with the same members, and
// over the gap behind it, in which the members change. It returns the points before the gaps, and one in the middle of
// each gap that is not yet the smallest.
func (b *builder) way(points []uint64) (found, between []uint64, err error) {
	places, last := make([]int, len(points)), make(map[int]int)
	for i, number := range points {
		if places[i], err = b.inCharge(number); err != nil {
			return nil, nil, err
		}
		last[places[i]] = i
	}
	for i := last[places[0]]; i < len(points)-1; i = last[places[i+1]] {
		found = append(found, points[i])
		if gap := points[i+1] - points[i]; gap > 1 {
			between = append(between, points[i]+gap/2)
		}
	}
	return found, between, nil
}

// readAhead has a chain that is far away read the epoch blocks before ascending points at once.
func (b *builder) readAhead(points []uint64) {
	far, ok := b.chain.(interface{ ReadAhead(numbers []uint64) })
	if !ok {
		return
	}
	var missing []uint64
	for _, number := range points {
		epoch := b.chain.LastEpochBlock(number - 1)
		if _, known := b.charge[epoch]; !known {
			missing = append(missing, epoch)
		}
	}
	far.ReadAhead(slices.Compact(missing))
}

// sealed returns a header with the validators in charge of it; genesis has none.
func (b *builder) sealed(number uint64) (Sealed, error) {
	header, err := headerOf(b.chain, number)
	if err != nil || number == 0 {
		return Sealed{Header: header, Validators: []common.Address{}}, err
	}
	epoch, err := headerOf(b.chain, b.chain.LastEpochBlock(number-1))
	if err != nil {
		return Sealed{}, err
	}
	set, err := appointed(epoch)
	if err != nil {
		return Sealed{}, err
	}
	return Sealed{Header: header, Validators: set.Addresses()}, nil
}

// appointed returns the validators that an epoch block appoints.
func appointed(epoch *types.Header) (*validators.Set, error) {
	extra, err := epoch.WBFTExtra()
	if err != nil {
		return nil, fmt.Errorf("%w: block %d: %w", ErrNoEpoch, epoch.Number, err)
	}
	set, err := validators.FromEpochInfo(extra.EpochInfo)
	if err != nil {
		return nil, fmt.Errorf("%w: block %d: %w", ErrNoEpoch, epoch.Number, err)
	}
	return set, nil
}
