// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// PreparedClaim names the block its signer was prepared for, and the round in which it was.
type PreparedClaim struct {
	Round  uint64
	Digest common.Hash // block hash, not zero
}

// SignedRoundChange is the signed part of a ROUND-CHANGE, which is all that a PRE-PREPARE passes on of it (spec wbft
// 4.2).
type SignedRoundChange struct {
	Sequence uint64
	Round    uint64         // the round to change to
	Prepared *PreparedClaim // nil if the signer was not prepared
	signature
}

// RoundChange asks to leave the rounds below its own (spec wbft 4.2). The signature covers neither PreparedBlock nor
// Prepares. A decoded message has a block only with a claim of its hash; nothing else about them is verified.
type RoundChange struct {
	SignedRoundChange
	PreparedBlock *types.Block // block of the claim; nil if absent
	Prepares      []*Prepare   // PREPAREs that prove the claim; nil if absent
}

// Layouts of ROUND-CHANGE on the wire and of its signing payload.
type (
	roundChangeBody struct {
		Sequence, Round uint64
		Prepared        *PreparedClaim `rlp:"nilList"`
	}
	signedRoundChangeWire struct {
		Body      roundChangeBody
		Signature []byte
	}
	roundChangeWire struct {
		Signed   signedRoundChangeWire
		Block    *types.Block `rlp:"nilList"`
		Prepares []voteWire
	}
	roundChangePayload struct {
		Code uint64
		Body roundChangeBody
	}
)

func (w *signedRoundChangeWire) check() error {
	if err := checkRound(w.Body.Round); err != nil {
		return err
	}
	if p := w.Body.Prepared; p != nil {
		if err := checkRound(p.Round); err != nil {
			return err
		}
		if p.Digest == (common.Hash{}) {
			return errZeroClaim
		}
	}
	return checkLength("signature", w.Signature, SignatureLength)
}

// take fills m, whose signature holds a lock that must not be copied.
func (m *SignedRoundChange) take(w *signedRoundChangeWire) {
	m.Sequence, m.Round, m.Prepared, m.sig = w.Body.Sequence, w.Body.Round, w.Body.Prepared, w.Signature
}

func (m *SignedRoundChange) body() roundChangeBody {
	body := roundChangeBody{m.Sequence, m.Round, m.Prepared}
	if m.Prepared != nil && m.Prepared.Digest == (common.Hash{}) {
		body.Prepared = nil
	}
	return body
}

func (m *SignedRoundChange) wire() signedRoundChangeWire {
	return signedRoundChangeWire{m.body(), m.sig}
}

// View is the view to change to.
func (m *SignedRoundChange) View() View { return View{m.Sequence, m.Round} }

// SigningPayload is RLP([0x15, [sequence, round, prepared]]), without block and PREPAREs (spec wbft 4.3).
func (m *SignedRoundChange) SigningPayload() []byte {
	return encode(m.payload())
}

func (m *SignedRoundChange) payload() any { return roundChangePayload{CodeRoundChange, m.body()} }

// Encode is RLP([[sequence, round, prepared], signature]), the form inside a PRE-PREPARE (spec wbft 4.2).
func (m *SignedRoundChange) Encode() []byte { return encode(m.wire()) }

// Signer recovers the author; see Signed.
func (m *SignedRoundChange) Signer() (common.Address, error) { return m.recover(m.payload) }

// SignWith signs the message; see Signed.
func (m *SignedRoundChange) SignWith(sign func(payload []byte) ([]byte, error)) error {
	return m.sign(m.SigningPayload(), sign)
}

// Code is CodeRoundChange.
func (m *RoundChange) Code() uint64 { return CodeRoundChange }

// Encode is RLP([[payload, signature], block, prepares]), absent parts being empty lists (spec wbft 4.2).
func (m *RoundChange) Encode() []byte {
	return encode(roundChangeWire{m.wire(), m.PreparedBlock, votesOf(m.Prepares)})
}

// votesOf returns the wire form of PREPAREs.
func votesOf(prepares []*Prepare) []voteWire {
	list := make([]voteWire, len(prepares))
	for i, p := range prepares {
		list[i] = voteWire{p.body(), p.sig}
	}
	return list
}

// EncodeWith returns the payload of the whole message, with the block and the PREPAREs of its claim. Both are nil for
// a message without a claim.
func (m *SignedRoundChange) EncodeWith(block *types.Block, prepares []*Prepare) []byte {
	return encode(roundChangeWire{m.wire(), block, votesOf(prepares)})
}
