// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package nextepoch

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/validators"
	"gwon/params"
)

// Diligence has a resolution of 10^-6 (spec wbft 3.5).
const (
	DiligenceUnit    uint64 = 1_000_000
	MaxDiligence            = 2 * DiligenceUnit
	DefaultDiligence        = params.InitialDiligence
)

// ErrDiligence marks an epoch whose figures give a candidate more diligence than there can be. Such an epoch block
// can be neither built nor accepted (spec wbft 3.5, 9.2 no. 1).
var ErrDiligence = errors.New("invalid diligence")

// Block is what the computation needs of one block.
type Block struct {
	Number   uint64
	Coinbase common.Address

	// PrevPrepared and PrevCommitted are the sealer indices of the two previous-block seals, from DecodeSealers.
	// Those of block 1 are ignored.
	PrevPrepared, PrevCommitted []int
}

// Candidate is an entry of the GovValidator list. An empty BLSPublicKey keeps the candidate out of the validators.
type Candidate struct {
	Address      common.Address
	BLSPublicKey []byte
}

// Input is everything that decides the epoch info of epoch block E (spec wbft 3.5). P is the epoch block before
// it.
type Input struct {
	Policy   uint64         // proposer policy in force at E
	MixHash  common.Hash    // of E
	Coinbase common.Address // of P
	Blocks   []Block        // P+1 .. E, ascending and without gaps

	Current *types.EpochInfo // stored in P
	Prior   *types.EpochInfo // that governed P; of genesis its own
	Before  *types.EpochInfo // that governed P-1; of genesis its own; not looked at when P is 0

	Candidates []Candidate // GovValidator list in list order, in the state of E
}

// Compute returns the epoch info that block E must carry (spec wbft 3.5). An error means that no such block can
// exist, or that the input is inconsistent; a diligence out of range is ErrDiligence.
func Compute(in Input) (*types.EpochInfo, error) {
	epoch, err := newEpoch(in)
	if err != nil {
		return nil, err
	}
	if err := epoch.countSeals(); err != nil {
		return nil, err
	}
	if err := epoch.countTurns(); err != nil {
		return nil, err
	}
	info := &types.EpochInfo{Candidates: make([]types.EpochCandidate, len(in.Candidates))}
	diligence := make([]uint64, len(in.Candidates))
	for i, c := range in.Candidates {
		if diligence[i], err = epoch.diligence(c.Address); err != nil {
			return nil, fmt.Errorf("candidate %v: %w", c.Address, err)
		}
		info.Candidates[i] = types.EpochCandidate{Address: c.Address, Diligence: diligence[i]}
	}
	order := SortCandidates(diligence)
	for _, to := range Shuffle(len(order), in.MixHash) {
		c := order[to]
		key := in.Candidates[c].BLSPublicKey
		if len(key) == 0 {
			continue
		}
		info.Validators = append(info.Validators, uint32(c))
		info.BLSPublicKeys = append(info.BLSPublicKeys, key)
	}
	if len(info.Validators) == 0 {
		return nil, errors.New("no candidate of the next epoch has a BLS key")
	}
	return info, nil
}

// epoch is the work sheet of one computation; the maps are w, proposed and submitted of spec wbft 3.5.
type epoch struct {
	in             Input
	current, prior *validators.Set
	before         *validators.Set // nil in the first epoch, which has no earlier validators
	known          map[common.Address]uint64

	turns     map[common.Address]int64
	proposed  map[common.Address]uint64
	submitted map[common.Address]uint64
}

func newEpoch(in Input) (*epoch, error) {
	if len(in.Blocks) == 0 {
		return nil, errors.New("epoch has no blocks")
	}
	first := in.Blocks[0].Number
	if first == 0 {
		return nil, errors.New("epoch starts with genesis")
	}
	for i, b := range in.Blocks {
		if b.Number != first+uint64(i) {
			return nil, fmt.Errorf("epoch lacks block %d", first+uint64(i))
		}
	}
	if n := len(in.Candidates); n == 0 || n > validators.MaxSize {
		return nil, fmt.Errorf("next epoch has %d candidates, want 1 to %d", n, validators.MaxSize)
	}
	seen := make(map[common.Address]struct{}, len(in.Candidates))
	for _, c := range in.Candidates {
		if _, twice := seen[c.Address]; twice {
			return nil, fmt.Errorf("next epoch lists candidate %v twice", c.Address)
		}
		seen[c.Address] = struct{}{}
		if n := len(c.BLSPublicKey); n != 0 && n != bls.PublicKeyLength {
			return nil, fmt.Errorf("candidate %v has a BLS key of %d bytes", c.Address, n)
		}
	}
	e := &epoch{
		in:        in,
		known:     make(map[common.Address]uint64),
		turns:     make(map[common.Address]int64),
		proposed:  make(map[common.Address]uint64),
		submitted: make(map[common.Address]uint64),
	}
	var err error
	if e.current, err = validators.WithoutKeys(in.Current); err != nil {
		return nil, fmt.Errorf("current epoch: %w", err)
	}
	if e.prior, err = validators.WithoutKeys(in.Prior); err != nil {
		return nil, fmt.Errorf("prior epoch: %w", err)
	}
	if first > 1 {
		if e.before, err = validators.WithoutKeys(in.Before); err != nil {
			return nil, fmt.Errorf("epoch before the prior one: %w", err)
		}
	}
	for _, c := range in.Current.Candidates {
		e.known[c.Address] = c.Diligence
	}
	return e, nil
}

// countSeals is step 1. The seals of a block are about its parent, so those of the first block are in terms of the
// prior set.
func (e *epoch) countSeals() error {
	for at, b := range e.in.Blocks {
		if b.Number == 1 {
			e.turns[b.Coinbase]-- // genesis has no seals: its child's turn does not count
			continue
		}
		set := e.current
		if at == 0 {
			set = e.prior
		}
		for _, indices := range [][]int{b.PrevPrepared, b.PrevCommitted} {
			if len(indices) > set.Len() {
				return fmt.Errorf("block %d: %w: %d sealers of %d validators",
					b.Number, validators.ErrSealer, len(indices), set.Len())
			}
			for _, i := range indices {
				if i < 0 || i >= set.Len() {
					return fmt.Errorf("block %d: %w: index %d of %d validators", b.Number, validators.ErrSealer, i, set.Len())
				}
				e.submitted[set.At(i).Address]++
			}
			e.proposed[b.Coinbase] += uint64(len(indices))
		}
	}
	return nil
}

// countTurns is step 2: a validator that was skipped on the way to a block's coinbase is charged a turn like the
// coinbase itself.
func (e *epoch) countTurns() error {
	last := e.in.Coinbase
	for _, b := range e.in.Blocks {
		for round := uint64(0); ; round++ {
			if round == uint64(e.current.Len()) {
				return fmt.Errorf("block %d: coinbase %v is not a validator of the epoch", b.Number, b.Coinbase)
			}
			proposer := e.current.Proposer(e.in.Policy, last, round)
			e.turns[proposer]++
			if proposer == b.Coinbase {
				break
			}
		}
		last = b.Coinbase
	}
	return nil
}

// diligence is step 3 for one candidate. Arithmetic is that of unsigned 64 bit integers throughout, wrap-around
// included.
func (e *epoch) diligence(c common.Address) (uint64, error) {
	old, known := e.known[c]
	if !known {
		return DefaultDiligence, nil
	}
	length := uint64(len(e.in.Blocks))
	seals := e.submitted[c]
	wasValidator := e.before != nil && e.before.Contains(c)

	var rate, part uint64
	switch {
	case !e.current.Contains(c):
		rate, part = 1, seals*DiligenceUnit/2
	case !wasValidator:
		rate = length - 1
		if seals > 2*rate {
			return 0, fmt.Errorf("%w: %d seals in %d blocks", ErrDiligence, seals, rate)
		}
		if rate == 0 {
			return 0, fmt.Errorf("%w: a new validator cannot be judged by an epoch of one block", ErrDiligence)
		}
		part = seals * DiligenceUnit / (2 * rate)
	default:
		rate, part = length, seals*DiligenceUnit/(2*length)
	}
	if turns := e.turns[c]; turns > 0 {
		expected := 2 * int64(e.current.Len()) * turns
		if c == e.in.Blocks[0].Coinbase && wasValidator {
			// Its first block holds seals of the prior set, which may have had another size.
			expected -= 2 * int64(e.current.Len()-e.prior.Len())
		}
		if expected == 0 {
			return 0, fmt.Errorf("%w: no seals could be expected of %d turns", ErrDiligence, turns)
		}
		part += e.proposed[c] * DiligenceUnit / uint64(expected)
	} else {
		part += DiligenceUnit
	}
	next := (old*(10*length-rate) + part*rate) / 10 / length
	if next > MaxDiligence {
		return 0, fmt.Errorf("%w: %d is more than %d", ErrDiligence, next, MaxDiligence)
	}
	return next, nil
}
