// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package finality

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
)

// Reasons why a proof is refused.
var (
	// ErrMalformed: the proof cannot be read, or lacks a part.
	ErrMalformed = errors.New("malformed proof")
	// ErrSize: the proof exceeds a bound.
	ErrSize = errors.New("proof too large")
	// ErrTrust: the proof does not start from the trusted block.
	ErrTrust = errors.New("proof of another chain or from another trusted block")
	// ErrChain: the proposer of a header has signed for another chain ID.
	ErrChain = errors.New("sealed for another chain")
	// ErrLink: the headers up to the trusted block do not follow one another.
	ErrLink = errors.New("headers are not linked")
	// ErrOlder: the block lies before the trusted block, about which seals prove nothing.
	ErrOlder = errors.New("block is older than the trusted block")
	// ErrOrder: the numbers of the headers do not ascend.
	ErrOrder = errors.New("headers are not in ascending order")
	// ErrNoEpoch: a header that has to appoint validators appoints none.
	ErrNoEpoch = errors.New("not an epoch block")
	// ErrValidators: the named validators are not those in charge.
	ErrValidators = errors.New("other validators than those in charge")
	// ErrSeal: a header lacks the PREPARE or COMMIT seals of a quorum. The error wraps one of package validators too.
	ErrSeal = errors.New("not sealed by a quorum")
	// ErrPath: the block does not have the transaction or the receipt at that index.
	ErrPath = errors.New("not in the block")
	// ErrNoReceipt: the proof shows no transaction.
	ErrNoReceipt = errors.New("proof without a receipt")
)

// Trusted names the block that the reader of a proof trusts, and its chain. Seals bind to keys and not to a chain: keys
// that serve two chains would prove blocks of the one to readers of the other.
type Trusted struct {
	ChainID *big.Int
	Number  uint64
	Hash    common.Hash
}

// Verify checks a proof and returns the header of the block that it proves to be final. The header is proven with all
// its ancestors, but for the seals over it: those are one quorum's of several that may exist. The trusted block itself
// needs no seals. The error wraps one of the errors of this package. Nothing in proof is changed.
func Verify(proof *Proof, trusted Trusted) (*types.Header, error) {
	if err := proof.check(); err != nil {
		return nil, err
	}
	if trusted.ChainID == nil {
		return nil, fmt.Errorf("%w: block %d is trusted without a chain ID: name it", ErrTrust, trusted.Number)
	}
	set, err := proof.start(trusted)
	if err != nil {
		return nil, err
	}
	block := proof.Block.Header
	switch number := block.Number.Uint64(); {
	case number < trusted.Number:
		return nil, fmt.Errorf("%w: block %d, trusted block %d", ErrOlder, number, trusted.Number)
	case number == trusted.Number && block.Hash() != trusted.Hash:
		return nil, fmt.Errorf("%w: block %d is %v, trusted is %v", ErrTrust, number, block.Hash(), trusted.Hash)
	case number == trusted.Number && len(proof.Epochs) > 0:
		return nil, fmt.Errorf("%w: epoch headers follow the trusted block, which is in question", ErrOrder)
	case number == trusted.Number:
		return block, nil
	}
	last := trusted.Number
	for _, epoch := range proof.Epochs {
		if err := epoch.follows(trusted.ChainID, last, set); err != nil {
			return nil, err
		}
		// Only now: the keys of an unproven header are not worth decoding.
		if set, err = appointed(epoch.Header); err != nil {
			return nil, err
		}
		last = epoch.Header.Number.Uint64()
	}
	if err := proof.Block.follows(trusted.ChainID, last, set); err != nil {
		return nil, err
	}
	return block, nil
}

// Smallest returns the number of validators in the smallest set that a verified proof rests on: a quorum of their keys
// can forge it. It is 0 for a proof of the trusted block itself.
func (p *Proof) Smallest() int {
	smallest := len(p.Block.Validators)
	for _, epoch := range p.Epochs {
		smallest = min(smallest, len(epoch.Validators))
	}
	return smallest
}

// start returns the validators in charge of the block after the trusted one.
func (p *Proof) start(trusted Trusted) (*validators.Set, error) {
	end := p.Origin[len(p.Origin)-1]
	if hash := end.Hash(); end.Number.Uint64() != trusted.Number || hash != trusted.Hash {
		return nil, fmt.Errorf("%w: it starts from block %d, %v; trusted is block %d, %v",
			ErrTrust, end.Number, hash, trusted.Number, trusted.Hash)
	}
	if trusted.Number > 0 {
		if err := checkReveal(end, trusted.ChainID); err != nil {
			return nil, err
		}
	}
	for i, h := range p.Origin[1:] {
		parent := p.Origin[i]
		if h.Number.Uint64() != parent.Number.Uint64()+1 || h.ParentHash != parent.Hash() {
			return nil, fmt.Errorf("%w: block %d does not continue block %d", ErrLink, h.Number, parent.Number)
		}
		// The newest epoch block appoints. One behind the first would make the first that of an older set.
		decoded, err := h.WBFTExtra()
		if err != nil {
			return nil, fmt.Errorf("%w: block %d: %w", ErrMalformed, h.Number, err)
		}
		if decoded.EpochInfo != nil {
			return nil, fmt.Errorf("%w: block %d, an epoch block, has to be the first of the origin", ErrLink, h.Number)
		}
	}
	return appointed(p.Origin[0])
}

// checkReveal checks that the proposer of a header has made its reveal for a chain (spec wbft 2.3). Seals cover reveal
// and proposer.
func checkReveal(h *types.Header, chainID *big.Int) error {
	decoded, err := h.WBFTExtra()
	if err != nil {
		return fmt.Errorf("%w: block %d: %w", ErrMalformed, h.Number, err)
	}
	if by, err := extra.RecoverRandao(decoded.RandaoReveal, chainID, h.Number.Uint64()); err != nil || by != h.Coinbase {
		return fmt.Errorf("%w: the reveal of block %d is not that of its proposer %v for chain %d", ErrChain, h.Number,
			h.Coinbase, chainID)
	}
	return nil
}

// follows checks that a header comes after the block last, that a quorum of set has made both seals over it (spec wbft
// 7.1, rows 16 and 17), and that one of set has proposed it for the chain (rows 2 and 18).
func (s Sealed) follows(chainID *big.Int, last uint64, set *validators.Set) error {
	if s.Header.Number.Uint64() <= last {
		return fmt.Errorf("%w: block %d follows block %d", ErrOrder, s.Header.Number, last)
	}
	ordered, err := reorder(set, s.Validators)
	if err != nil {
		return fmt.Errorf("block %d: %w", s.Header.Number, err)
	}
	decoded, err := s.Header.WBFTExtra()
	if err != nil {
		return fmt.Errorf("%w: block %d: %w", ErrMalformed, s.Header.Number, err)
	}
	for _, seal := range []struct {
		name string
		kind byte
		made *types.WBFTSeal
	}{{"PREPARE", extra.Prepare, decoded.PreparedSeal}, {"COMMIT", extra.Commit, decoded.CommittedSeal}} {
		if err := ordered.VerifySeal(seal.made, extra.SealDigest(s.Header, decoded.Round, seal.kind)); err != nil {
			return fmt.Errorf("block %d: %w: %s: %w", s.Header.Number, ErrSeal, seal.name, err)
		}
	}
	if !set.Contains(s.Header.Coinbase) {
		return fmt.Errorf("%w: block %d has the proposer %v", ErrValidators, s.Header.Number, s.Header.Coinbase)
	}
	return checkReveal(s.Header, chainID)
}

// reorder returns set in the order of a list of its members. The list is a claim that needs no proof: in whatever
// order, indices name members of set, each once.
func reorder(set *validators.Set, order []common.Address) (*validators.Set, error) {
	list := make([]validators.Validator, len(order))
	for i, address := range order {
		at, ok := set.Index(address)
		if !ok {
			return nil, fmt.Errorf("%w: %v is not of them", ErrValidators, address)
		}
		list[i] = set.At(at)
	}
	ordered := validators.NewSet(list)
	if !ordered.SameMembers(set) {
		return nil, fmt.Errorf("%w: %d are named, once each %d are wanted", ErrValidators, len(order), set.Len())
	}
	return ordered, nil
}
