// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import "github.com/ethereum/go-ethereum/common"

// Prepare says that its signer accepted a proposal (spec wbft 4.2).
type Prepare struct {
	Sequence uint64
	Round    uint64
	Digest   common.Hash // block hash of the proposal
	Seal     []byte      // prepare seal, 96 bytes
	signature
}

// Commit says that its signer saw a quorum of PREPAREs for a proposal (spec wbft 4.2).
type Commit struct {
	Sequence uint64
	Round    uint64
	Digest   common.Hash // block hash of the proposal
	Seal     []byte      // commit seal, 96 bytes
	signature
}

// Layouts of PREPARE and COMMIT on the wire and of their signing payloads.
type (
	voteBody struct {
		Sequence, Round uint64
		Digest          common.Hash
		Seal            []byte
	}
	voteWire struct {
		Body      voteBody
		Signature []byte
	}
	votePayload struct {
		Code uint64
		Body voteBody
	}
)

func (w *voteWire) check() error {
	if err := checkRound(w.Body.Round); err != nil {
		return err
	}
	if err := checkLength("seal", w.Body.Seal, SealLength); err != nil {
		return err
	}
	return checkLength("signature", w.Signature, SignatureLength)
}

func (w *voteWire) prepare() *Prepare {
	m := &Prepare{Sequence: w.Body.Sequence, Round: w.Body.Round, Digest: w.Body.Digest, Seal: w.Body.Seal}
	m.sig = w.Signature
	return m
}

func (m *Prepare) body() voteBody { return voteBody{m.Sequence, m.Round, m.Digest, m.Seal} }
func (m *Commit) body() voteBody  { return voteBody{m.Sequence, m.Round, m.Digest, m.Seal} }

// Code is CodePrepare.
func (m *Prepare) Code() uint64 { return CodePrepare }

// View is the view of the proposal.
func (m *Prepare) View() View { return View{m.Sequence, m.Round} }

// SigningPayload is RLP([0x13, [sequence, round, digest, seal]]) (spec wbft 4.3).
func (m *Prepare) SigningPayload() []byte { return encode(m.payload()) }

func (m *Prepare) payload() any { return votePayload{CodePrepare, m.body()} }

// Encode is RLP([[sequence, round, digest, seal], signature]) (spec wbft 4.2).
func (m *Prepare) Encode() []byte { return encode(voteWire{m.body(), m.sig}) }

// Signer recovers who signed; see Signed.
func (m *Prepare) Signer() (common.Address, error) { return m.recover(m.payload) }

// SignWith signs the message; see Signed.
func (m *Prepare) SignWith(sign func(payload []byte) ([]byte, error)) error {
	return m.sign(m.SigningPayload(), sign)
}

// Code is CodeCommit.
func (m *Commit) Code() uint64 { return CodeCommit }

// View is the view of the proposal.
func (m *Commit) View() View { return View{m.Sequence, m.Round} }

// SigningPayload is RLP([0x14, [sequence, round, digest, seal]]) (spec wbft 4.3).
func (m *Commit) SigningPayload() []byte { return encode(m.payload()) }

func (m *Commit) payload() any { return votePayload{CodeCommit, m.body()} }

// Encode is RLP([[sequence, round, digest, seal], signature]) (spec wbft 4.2).
func (m *Commit) Encode() []byte { return encode(voteWire{m.body(), m.sig}) }

// Signer recovers who signed; see Signed.
func (m *Commit) Signer() (common.Address, error) { return m.recover(m.payload) }

// SignWith signs the message; see Signed.
func (m *Commit) SignWith(sign func(payload []byte) ([]byte, error)) error {
	return m.sign(m.SigningPayload(), sign)
}

// Ballot returns the digest and the seal of a PREPARE or COMMIT. vote is false for other messages.
func Ballot(m Message) (digest common.Hash, seal []byte, vote bool) {
	switch m := m.(type) {
	case *Prepare:
		return m.Digest, m.Seal, true
	case *Commit:
		return m.Digest, m.Seal, true
	}
	return common.Hash{}, nil, false
}
