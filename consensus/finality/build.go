// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package finality

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
)

var errMissing = errors.New("the header is not stored here")

// Chain is a chain from which a proof is made.
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
	builder := builder{chain: chain, charge: make(map[uint64]*validators.Set)}
	for low := trusted + 1; low < block; {
		epoch, err := builder.change(low, block)
		if err != nil {
			return nil, err
		}
		if epoch == block {
			break
		}
		if len(p.Epochs) == MaxEpochs {
			return nil, fmt.Errorf("%w: the validators change more than %d times between blocks %d and %d: "+
				"trust a later block", ErrSize, MaxEpochs, trusted, block)
		}
		sealed, err := builder.sealed(epoch)
		if err != nil {
			return nil, err
		}
		p.Epochs, low = append(p.Epochs, sealed), epoch+1
	}
	var err error
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
	charge map[uint64]*validators.Set // what an epoch block appoints
}

// inCharge returns the validators in charge of a block, genesis excluded (spec wbft 3.1).
func (b *builder) inCharge(number uint64) (*validators.Set, error) {
	epoch := b.chain.LastEpochBlock(number - 1)
	if set, ok := b.charge[epoch]; ok {
		return set, nil
	}
	header, err := headerOf(b.chain, epoch)
	if err != nil {
		return nil, err
	}
	set, err := appointed(header)
	if err != nil {
		return nil, err
	}
	b.charge[epoch] = set
	return set, nil
}

// change returns the last block up to end that validators with the members of those of low are known to be in charge
// of. It is end, or an epoch block that appoints other members. Bisection finds one of them; members that came back in
// between are passed over, which is as good: they have sealed the block that is found.
func (b *builder) change(low, end uint64) (uint64, error) {
	set, err := b.inCharge(low)
	if err != nil {
		return 0, err
	}
	last, err := b.inCharge(end)
	if err != nil {
		return 0, err
	}
	if last.SameMembers(set) {
		return end, nil
	}
	for other := end; other-low > 1; {
		middle := low + (other-low)/2
		charged, err := b.inCharge(middle)
		if err != nil {
			return 0, err
		}
		if charged.SameMembers(set) {
			low = middle
		} else {
			other = middle
		}
	}
	return low, nil
}

// sealed returns a header with the validators in charge of it; genesis has none.
func (b *builder) sealed(number uint64) (Sealed, error) {
	header, err := headerOf(b.chain, number)
	if err != nil || number == 0 {
		return Sealed{Header: header, Validators: []common.Address{}}, err
	}
	set, err := b.inCharge(number)
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
