// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

// PrePrepare proposes a block (spec wbft 4.2). The signature covers the block but not the justification, whose parts
// carry signatures of their own.
type PrePrepare struct {
	Sequence     uint64
	Round        uint64
	Block        *types.Block         // the proposal, without seals of its own
	RoundChanges []*SignedRoundChange // justification of a round above 0; nil if absent
	Prepares     []*Prepare           // PREPAREs of the block in an earlier round; nil if absent
	signature

	encoded atomic.Pointer[encodedBlock]
}

// encodedBlock is a block with its RLP. A full block has megabytes, which are encoded once, or never if they were
// received.
type encodedBlock struct {
	block *types.Block
	raw   rlp.RawValue
}

// Layouts of PRE-PREPARE on the wire and of its signing payload.
type (
	prePrepareBody struct {
		Sequence, Round uint64
		Block           rlp.RawValue
	}
	signedPrePrepareWire struct {
		Body      prePrepareBody
		Signature []byte
	}
	justificationWire struct {
		RoundChanges []signedRoundChangeWire
		Prepares     []voteWire
	}
	prePrepareWire struct {
		Signed        signedPrePrepareWire
		Justification justificationWire
	}
	prePreparePayload struct {
		Code uint64
		Body prePrepareBody
	}
)

func (m *PrePrepare) body() prePrepareBody {
	return prePrepareBody{m.Sequence, m.Round, m.EncodedBlock()}
}

// EncodedBlock returns the RLP of the block, as received if it was. It must not be changed.
func (m *PrePrepare) EncodedBlock() []byte {
	if known := m.encoded.Load(); known != nil && known.block == m.Block {
		return known.raw
	}
	raw := encode(m.Block)
	m.encoded.Store(&encodedBlock{m.Block, raw})
	return raw
}

// Code is CodePrePrepare.
func (m *PrePrepare) Code() uint64 { return CodePrePrepare }

// View is the view of the proposal.
func (m *PrePrepare) View() View { return View{m.Sequence, m.Round} }

// SigningPayload is RLP([0x12, [sequence, round, block]]), without the justification (spec wbft 4.3).
func (m *PrePrepare) SigningPayload() []byte {
	return encode(m.payload())
}

func (m *PrePrepare) payload() any { return prePreparePayload{CodePrePrepare, m.body()} }

// Encode is RLP([[[sequence, round, block], signature], [round changes, prepares]]) (spec wbft 4.2).
func (m *PrePrepare) Encode() []byte {
	changes := make([]signedRoundChangeWire, len(m.RoundChanges))
	for i, c := range m.RoundChanges {
		changes[i] = c.wire()
	}
	return encode(prePrepareWire{
		Signed:        signedPrePrepareWire{m.body(), m.sig},
		Justification: justificationWire{changes, votesOf(m.Prepares)},
	})
}

// Signer recovers the author; see Signed.
func (m *PrePrepare) Signer() (common.Address, error) { return m.recover(m.payload) }

// SignWith signs the message; see Signed.
func (m *PrePrepare) SignWith(sign func(payload []byte) ([]byte, error)) error {
	return m.sign(m.SigningPayload(), sign)
}
