// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
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

// Prove is Sealed for headers that are not verified one by one: those that pass are taken for verified by VerifyHeader
// and VerifyHeaders as far as signatures go, since the quorum behind the last one has verified the others. The seals
// over each but the last must be those that its child holds (AdoptSeals), or no quorum would vouch for them.
func (e *Engine) Prove(chain consensus.ChainHeaderReader, headers []*types.Header) error {
	if err := e.Sealed(chain, headers); err != nil {
		return err
	}
	keys := make([]common.Hash, len(headers))
	var parent *types.WBFTExtra
	for i, h := range headers {
		key, err := headerKey(h)
		if err != nil {
			return err
		}
		decoded, err := h.WBFTExtra()
		if err != nil {
			return fmt.Errorf("header %d: %w: %w", h.Number, errExtraFormat, err)
		}
		if i > 0 && !adopted(parent, decoded) {
			return fmt.Errorf("header %d carries other seals than its child holds", headers[i-1].Number)
		}
		keys[i], parent = key, decoded
	}
	for _, key := range keys {
		e.verified.Add(key, struct{}{})
	}
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
// bitmaps go (rules.TrimSeals).
func AdoptSeals(headers []*types.Header) ([]*types.Header, error) {
	out := make([]*types.Header, len(headers))
	copy(out, headers)
	for i := range len(headers) - 1 {
		child, err := headers[i+1].WBFTExtra()
		if err != nil {
			return nil, fmt.Errorf("header %d: %w: %w", headers[i+1].Number, errExtraFormat, err)
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
	number := header.Number.Uint64()
	if len(decoded.RandaoReveal) != crypto.SignatureLength {
		return errors.New("failed to verify randao reveal signature: invalid signature length")
	}
	author, err := extra.RecoverRandao(decoded.RandaoReveal, e.config.ChainID, number)
	if err != nil {
		return fmt.Errorf("failed to verify randao reveal signature: %w", err)
	}
	if author != header.Coinbase {
		return errors.New("failed to verify randao reveal signature: invalid signature")
	}
	if mix := extra.MixHash(parent.MixDigest, decoded.RandaoReveal); mix != header.MixDigest {
		return fmt.Errorf("invalid randao mix: have %x, want %x", header.MixDigest, mix)
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
