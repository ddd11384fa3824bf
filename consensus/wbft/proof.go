// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
)

// EpochSet returns the validator set that an epoch block puts in charge of the blocks after it (spec wbft 3.1).
func (e *Engine) EpochSet(epoch *types.Header) (*validators.Set, error) { return e.setOf(epoch) }

// VerifySeals checks that a header carries the prepare and commit seals of a quorum of set (spec wbft 7.1, rows 16 and 17).
// With them the quorum vouches for everything in the header but those seals, its ancestors included. That set is the right
// one is for the caller to know, and so nothing of it is remembered.
func (e *Engine) VerifySeals(set *validators.Set, header *types.Header) error {
	decoded, err := header.WBFTExtra()
	if err != nil {
		return fmt.Errorf("%w: %w", errExtraFormat, err)
	}
	if err := set.VerifySeal(decoded.PreparedSeal, extra.SealDigest(header, decoded.Round, extra.Prepare)); err != nil {
		return fmt.Errorf("%w: %w", errPreparedSeals, err)
	}
	if err := set.VerifySeal(decoded.CommittedSeal, extra.SealDigest(header, decoded.Round, extra.Commit)); err != nil {
		return fmt.Errorf("%w: %w", errCommittedSeals, err)
	}
	return nil
}

// Sealed checks that consecutive headers, the first of which continues a stored one, are ancestors of a header that a quorum
// has sealed: the last one. Each epoch block among them is checked as well, since it names the next set. Nothing else about
// the headers is checked.
func (e *Engine) Sealed(chain consensus.ChainHeaderReader, headers []*types.Header) error {
	if n := linked(headers); n < len(headers) {
		return fmt.Errorf("header %d: %w", headers[n].Number, consensus.ErrUnknownAncestor)
	}
	for i, h := range headers {
		number := h.Number.Uint64()
		if i < len(headers)-1 && e.config.LastEpochBlock(number) != number {
			continue
		}
		set, err := e.validatorsAfter(ancestry{chain, headers[:i]}, h.ParentHash, number)
		if err != nil {
			return fmt.Errorf("header %d: %w", number, err)
		}
		decoded, err := h.WBFTExtra()
		if err != nil {
			return fmt.Errorf("header %d: %w: %w", number, errExtraFormat, err)
		}
		if err := e.verifyOwnSeals(h, decoded, set); err != nil {
			return fmt.Errorf("header %d: %w", number, err)
		}
	}
	return nil
}

// Prove is Sealed for blocks that are not executed, below the pivot of a snap sync: headers that pass are taken for verified
// by VerifyHeader and VerifyHeaders, since the quorum behind the last one has verified the others. AdoptSeals must have been
// applied, or the seals over the others stay unchecked.
func (e *Engine) Prove(chain consensus.ChainHeaderReader, headers []*types.Header) error {
	if err := e.Sealed(chain, headers); err != nil {
		return err
	}
	for _, h := range headers {
		key, err := headerKey(h)
		if err != nil {
			return err
		}
		e.verified.Add(key, struct{}{})
	}
	return nil
}

// AdoptSeals returns consecutive headers in which each but the last carries, as the seals over itself, those that its child
// holds for it. The child's hash covers them, while nothing covers the ones that came along: a peer could have damaged them.
// It also halves the work of verifying, since both copies are then the same. Hashes stay.
func AdoptSeals(headers []*types.Header) ([]*types.Header, error) {
	out := make([]*types.Header, len(headers))
	copy(out, headers)
	for i := range len(headers) - 1 {
		child, err := headers[i+1].WBFTExtra()
		if err != nil {
			return nil, fmt.Errorf("header %d: %w: %w", headers[i+1].Number, errExtraFormat, err)
		}
		if out[i], err = headers[i].WithWBFTSeals(child.PrevRound, child.PrevPreparedSeal, child.PrevCommittedSeal); err != nil {
			return nil, fmt.Errorf("header %d: %w", headers[i].Number, err)
		}
	}
	return out, nil
}

// linked returns how many of the headers, from the first one on, follow one another by hash and number. The set that judges
// a header is found by number among those before it, so that a gap would let a header choose its judges.
func linked(headers []*types.Header) int {
	for i := 1; i < len(headers); i++ {
		parent, h := headers[i-1], headers[i]
		if parent.Number == nil || h.Number == nil || h.Number.Uint64() != parent.Number.Uint64()+1 || h.ParentHash != parent.Hash() {
			return i
		}
	}
	return len(headers)
}

// preverify verifies the seals of neighbouring headers together and remembers them when all are good, so that the check of
// each header need not verify them again. It reports nothing: a bad one is found there. Those of the headers before stand in
// batch.
func (e *Engine) preverify(chain consensus.ChainHeaderReader, batch, headers []*types.Header) {
	var checks []validators.SealCheck
	all := append(batch[:len(batch):len(batch)], headers...)
	for i, h := range headers {
		a := ancestry{chain, all[:len(batch)+i]}
		number := h.Number
		if key, err := headerKey(h); err != nil || e.verified.Contains(key) {
			continue
		}
		decoded, err := h.WBFTExtra()
		if err != nil || number == nil || !number.IsUint64() || number.Sign() == 0 {
			return
		}
		set, err := e.validatorsAfter(a, h.ParentHash, number.Uint64())
		if err != nil {
			return
		}
		checks = append(checks, ownSeals(h, decoded, set)...)
	}
	e.verifyTogether(checks)
}

// ownSeals returns the checks of the seals over a header.
func ownSeals(h *types.Header, decoded *types.WBFTExtra, set *validators.Set) []validators.SealCheck {
	return []validators.SealCheck{
		{Set: set, Seal: decoded.PreparedSeal, Digest: extra.SealDigest(h, decoded.Round, extra.Prepare)},
		{Set: set, Seal: decoded.CommittedSeal, Digest: extra.SealDigest(h, decoded.Round, extra.Commit)},
	}
}

// parentSeals returns the checks of the seals over its parent that a header carries; none without a set.
func parentSeals(parent *types.Header, decoded *types.WBFTExtra, set *validators.Set) []validators.SealCheck {
	if set == nil {
		return nil
	}
	return []validators.SealCheck{
		{Set: set, Seal: decoded.PrevPreparedSeal, Digest: extra.SealDigest(parent, decoded.PrevRound, extra.Prepare)},
		{Set: set, Seal: decoded.PrevCommittedSeal, Digest: extra.SealDigest(parent, decoded.PrevRound, extra.Commit)},
	}
}

// verifyTogether verifies seals in one go and remembers them when all are good.
func (e *Engine) verifyTogether(checks []validators.SealCheck) {
	var open []validators.SealCheck
	for _, c := range checks {
		key, ok := sealKey(c)
		if !ok {
			return
		}
		if !e.seals.Contains(key) {
			open = append(open, c)
		}
	}
	if len(open) < 2 || !validators.VerifySeals(open) {
		return
	}
	for _, c := range open {
		key, _ := sealKey(c)
		e.seals.Add(key, struct{}{})
	}
}

func (e *Engine) verifyOwnSeals(header *types.Header, decoded *types.WBFTExtra, set *validators.Set) error {
	checks := ownSeals(header, decoded, set)
	if err := e.verifySeal(checks[0], errPreparedZero, errPreparedSeals); err != nil {
		return err
	}
	return e.verifySeal(checks[1], errCommittedZero, errCommittedSeals)
}

// verifySeal checks one aggregated seal. What passed once is remembered by digest and seal. The set belongs to that: the digest
// names the block and so its ancestors, one of which names the set. Every set that comes here was found by the hashes of
// ancestors, stored or linked.
func (e *Engine) verifySeal(c validators.SealCheck, zero, invalid error) error {
	if c.Seal == nil || len(c.Seal.Signature) == 0 {
		return zero
	}
	key, ok := sealKey(c)
	if !ok {
		return fmt.Errorf("%w: %w", invalid, validators.ErrSignature)
	}
	if e.seals.Contains(key) {
		return nil
	}
	if err := c.Set.VerifySeal(c.Seal, c.Digest); err != nil {
		return fmt.Errorf("%w: %w", invalid, err)
	}
	e.seals.Add(key, struct{}{})
	return nil
}

// sealKey is what a good seal is remembered by. There is none when the signature has not the length of one: the same bytes,
// divided otherwise between signature and sealers, are another seal.
func sealKey(c validators.SealCheck) (common.Hash, bool) {
	if c.Seal == nil || len(c.Seal.Signature) != bls.SignatureLength {
		return common.Hash{}, false
	}
	return crypto.Keccak256Hash(c.Digest[:], c.Seal.Signature, c.Seal.Sealers), true
}

// headerKey is what a good header is remembered by: all its bytes, seals included, which its block hash leaves out.
func headerKey(h *types.Header) (common.Hash, error) {
	encoded, err := rlp.EncodeToBytes(h)
	if err != nil {
		return common.Hash{}, fmt.Errorf("header %d: %w", h.Number, err)
	}
	return crypto.Keccak256Hash(encoded), nil
}
