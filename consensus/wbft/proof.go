// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/core/rules"
)

// EpochSet returns the validator set that an epoch block puts in charge of the blocks after it (spec wbft 3.1).
func (e *Engine) EpochSet(epoch *types.Header) (*validators.Set, error) { return e.setOf(epoch) }

// InOrderOf returns set with its validators in the order of an epoch header that lists exactly them, and set itself for
// any other header. The header needs no proof: its keys are compared, not decoded, and nothing of it is remembered.
func (e *Engine) InOrderOf(set *validators.Set, epoch *types.Header) *validators.Set {
	if info, err := epochInfo(epoch); err == nil {
		if ordered, ok := set.InOrderOf(info); ok {
			return ordered
		}
	}
	return set
}

// VerifySeals checks that a header carries the prepare and commit seals of a quorum of set (spec wbft 7.1, rows 16 and
// 17). With them the quorum vouches for everything in the header but those seals, its ancestors included. That set is
// the right one is for the caller to know, and so nothing of it is remembered.
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

// Sealed checks that consecutive headers, the first of which continues a stored one, are ancestors of a header that a
// quorum has sealed: the last one. Each epoch block among them that names other validators than its own is checked as
// well, before its keys are decoded: the quorum of a set that is known to be right vouches for the next one. The same
// validators in another order need no such check: the quorum that has sealed a later block is one of theirs, and its
// hash covers the order. Nothing else about the headers is checked.
func (e *Engine) Sealed(chain consensus.ChainHeaderReader, headers []*types.Header) error {
	if n := linked(headers); n < len(headers) {
		return fmt.Errorf("header %d: %w", headers[n].Number, consensus.ErrUnknownAncestor)
	}
	if len(headers) == 0 {
		return nil
	}
	set, err := e.validatorsAfter(ancestry{chain: chain}, headers[0].ParentHash, headers[0].Number.Uint64())
	if err != nil {
		return fmt.Errorf("header %d: %w", headers[0].Number, err)
	}
	for i, h := range headers {
		last := i == len(headers)-1
		if !last {
			if number := h.Number.Uint64(); e.config.LastEpochBlock(number) != number {
				continue
			}
			info, err := epochInfo(h)
			if err != nil {
				return fmt.Errorf("header %d: %w", h.Number, err)
			}
			if ordered, same := set.InOrderOf(info); same {
				set = ordered // it is shuffled for each epoch (spec wbft 3.5)
				continue
			}
		}
		decoded, err := h.WBFTExtra()
		if err != nil {
			return fmt.Errorf("header %d: %w: %w", h.Number, errExtraFormat, err)
		}
		if !e.verifyTogether(ownSeals(h, decoded, set)) {
			if err := e.verifyOwnSeals(h, decoded, set); err != nil {
				return fmt.Errorf("header %d: %w", h.Number, err)
			}
		}
		if last {
			return nil
		}
		if set, err = e.setOf(h); err != nil { // decodes keys, which costs: seals come first
			return fmt.Errorf("header %d: %w", h.Number, err)
		}
	}
	return nil
}

// Prove is Sealed for headers that are not verified one by one. VerifyHeader and VerifyHeaders then check all of them
// but the signatures in seals, since the quorum behind the last one has verified the others. The seals over each but
// the last must be those that its child holds (AdoptSeals), or no quorum would vouch for them. Others stay to be
// verified.
func (e *Engine) Prove(chain consensus.ChainHeaderReader, headers []*types.Header) error {
	if err := e.Sealed(chain, headers); err != nil {
		return err
	}
	var child *types.WBFTExtra
	for i := len(headers) - 1; i >= 0; i-- {
		decoded, err := headers[i].WBFTExtra()
		if err != nil {
			return fmt.Errorf("header %d: %w: %w", headers[i].Number, errExtraFormat, err)
		}
		if child == nil || adopted(decoded, child) {
			if err := e.vouch(headers[i]); err != nil {
				return err
			}
		}
		child = decoded
	}
	return nil
}

// ProveStored is Prove for headers of this node's own database, with the seals over each of them as they were stored.
// Nothing is stored without proof, and hashes covered by the last header's seals show that they are the same headers.
func (e *Engine) ProveStored(chain consensus.ChainHeaderReader, headers []*types.Header) error {
	if err := e.Sealed(chain, headers); err != nil {
		return err
	}
	for _, h := range headers {
		if err := e.vouch(h); err != nil {
			return err
		}
	}
	return nil
}

// vouch spares the check of the signatures in the seals of a header.
func (e *Engine) vouch(h *types.Header) error {
	key, err := headerKey(h)
	if err != nil {
		return err
	}
	e.vouched.Add(key, struct{}{})
	return nil
}

// adopted tells that a header carries the seals over itself that its child holds.
func adopted(own, child *types.WBFTExtra) bool {
	return own.Round == child.PrevRound && sameSeal(own.PreparedSeal, child.PrevPreparedSeal) &&
		sameSeal(own.CommittedSeal, child.PrevCommittedSeal)
}

func sameSeal(a, b *types.WBFTSeal) bool {
	if a == nil || b == nil {
		return false
	}
	a, b = rules.TrimSeal(a), rules.TrimSeal(b)
	return bytes.Equal(a.Sealers, b.Sealers) && bytes.Equal(a.Signature, b.Signature)
}

// AdoptSeals returns consecutive headers in which each but the last carries, as the seals over itself, those that its
// child holds for it. The child's hash covers them, while nothing covers the ones that came along: a peer could have
// damaged them. It also halves the work of verifying, since both copies are then the same. Hashes stay. Zeros behind
// bitmaps go (rules.TrimSeals). A header whose child lacks seals, which breaks a rule, keeps its own.
func AdoptSeals(headers []*types.Header) ([]*types.Header, error) {
	out := make([]*types.Header, len(headers))
	copy(out, headers)
	for i := range len(headers) - 1 {
		child, err := headers[i+1].WBFTExtra()
		if err != nil {
			return nil, fmt.Errorf("header %d: %w: %w", headers[i+1].Number, errExtraFormat, err)
		}
		if child.PrevPreparedSeal == nil || child.PrevCommittedSeal == nil {
			out[i] = rules.TrimHeaderSeals(headers[i])
			continue
		}
		if out[i], err = headers[i].WithWBFTSeals(child.PrevRound, rules.TrimSeal(child.PrevPreparedSeal),
			rules.TrimSeal(child.PrevCommittedSeal)); err != nil {
			return nil, fmt.Errorf("header %d: %w", headers[i].Number, err)
		}
	}
	if last := len(out) - 1; last >= 0 {
		out[last] = rules.TrimHeaderSeals(out[last])
	}
	return out, nil
}

// linked returns how many of the headers, from the first one on, follow one another by hash and number. The set that
// judges a header is found by number among those before it, so that a gap would let a header choose its judges.
func linked(headers []*types.Header) int {
	for i := 1; i < len(headers); i++ {
		parent, h := headers[i-1], headers[i]
		if parent.Number == nil || h.Number == nil || h.Number.Uint64() != parent.Number.Uint64()+1 ||
			h.ParentHash != parent.Hash() {
			return i
		}
	}
	return len(headers)
}

// verifyProof checks rows 18 to 21 of spec wbft 7.1: randomness and previous-block seals.
func (e *Engine) verifyProof(header, parent *types.Header, decoded *types.WBFTExtra, parentSet *validators.Set) error {
	if err := e.verifyRandomness(header, parent, decoded); err != nil {
		return err
	}
	if parentSet == nil {
		return nil
	}
	checks := parentSeals(parent, decoded, parentSet)
	e.verifyTogether(checks)
	if err := e.verifySeal(checks[0], errPrevPreparedZero, errPrevPreparedSeals); err != nil {
		return err
	}
	return e.verifySeal(checks[1], errPrevCommittedZero, errPrevCommittedSeals)
}

// verifyVouched is verifyProof without the signatures in the previous-block seals, for which a quorum vouches. That
// each names a quorum costs nothing, and go-stablenet refuses a header without it.
func (e *Engine) verifyVouched(
	header, parent *types.Header,
	decoded *types.WBFTExtra,
	parentSet *validators.Set,
) error {
	if err := e.verifyRandomness(header, parent, decoded); err != nil {
		return err
	}
	if parentSet == nil {
		return nil
	}
	for _, s := range []struct {
		seal          *types.WBFTSeal
		zero, invalid error
	}{
		{decoded.PrevPreparedSeal, errPrevPreparedZero, errPrevPreparedSeals},
		{decoded.PrevCommittedSeal, errPrevCommittedZero, errPrevCommittedSeals},
	} {
		switch err := parentSet.CheckSealers(s.seal); {
		case errors.Is(err, validators.ErrEmptySeal):
			return s.zero
		case err != nil:
			return fmt.Errorf("%w: %w", s.invalid, err)
		}
	}
	return nil
}

// verifyRandomness checks reveal and mix, rows 18 and 19 of spec wbft 7.1. It costs the recovery of one signature.
func (e *Engine) verifyRandomness(header, parent *types.Header, decoded *types.WBFTExtra) error {
	if len(decoded.RandaoReveal) != crypto.SignatureLength {
		return errors.New("failed to verify randao reveal signature: invalid signature length")
	}
	author, err := extra.RecoverRandao(decoded.RandaoReveal, e.config.ChainID, header.Number.Uint64())
	if err != nil {
		return fmt.Errorf("failed to verify randao reveal signature: %w", err)
	}
	if author != header.Coinbase {
		return errors.New("failed to verify randao reveal signature: invalid signature")
	}
	if mix := extra.MixHash(parent.MixDigest, decoded.RandaoReveal); mix != header.MixDigest {
		return fmt.Errorf("invalid randao mix: have %x, want %x", header.MixDigest, mix)
	}
	return nil
}
