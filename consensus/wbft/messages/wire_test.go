// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// istanbulOffset is where the sub-protocol starts in the recorded sessions.
const istanbulOffset = 0x21

type recordedValidator struct {
	Address common.Address
	Key     hexutil.Bytes `json:"blsPublicKey"`
}

type recordedVote struct {
	Sequence, Round uint64
	Digest          common.Hash
	Seal, Signature hexutil.Bytes
	Signer          common.Address
	SigningPayload  hexutil.Bytes
}

type recordedChange struct {
	Sequence, Round uint64
	Prepared        *struct {
		Round  uint64
		Digest common.Hash
	}
	Signature      hexutil.Bytes
	Signer         common.Address
	SigningPayload hexutil.Bytes
}

type recordedBlock struct {
	Hash   common.Hash
	Number uint64
}

type recorded struct {
	Variant string
	Code    hexutil.Uint64
	Payload hexutil.Bytes
	Decoded struct {
		Sequence, Round  uint64
		Signer           common.Address
		Quorum           int
		LastProposer     common.Address
		Known            common.Hash `json:"knownMessageHash"`
		Validators       []recordedValidator
		ParentValidators []recordedValidator
		ParentHeader     hexutil.Bytes `json:"parentHeaderRlp"`
		ProposalHeader   hexutil.Bytes `json:"proposalHeaderRlp"`
		RoundHash        common.Hash
		SealDigest       common.Hash
		Vote             *recordedVote
		Proposal         *recordedBlock
		Proposer         common.Address
		Transactions     int
		Justification    *struct {
			RoundChanges []recordedChange
			Prepares     []recordedVote
		}
		RoundChange   *recordedChange
		PreparedBlock *recordedBlock
		Prepares      []recordedVote
	}
}

// set makes the validator set of a recording.
func set(t *testing.T, list []recordedValidator) *validators.Set {
	t.Helper()
	var members []validators.Validator
	for _, v := range list {
		key := must.Get(bls.ParsePublicKey(v.Key))(t)
		members = append(members, validators.Validator{Address: v.Address, Key: key})
	}
	return validators.NewSet(members)
}

// Every message go-stablenet client sent decodes, carries what the recording says, is signed and sealed by whom it
// says, and encodes to the bytes that were on the wire.
func TestRecordedMessages(t *testing.T) {
	for _, file := range []string{"prepare", "commit", "preprepare", "roundchange"} {
		var list []recorded
		vectors.Load(t, "istanbul-"+file+".json", &list)
		if len(list) == 0 {
			t.Fatalf("%s: no vectors", file)
		}
		for _, r := range list {
			t.Run(r.Variant, func(t *testing.T) {
				m := must.Get(Decode(uint64(r.Code)-istanbulOffset, r.Payload))(t)
				expect.Slice(t, m.Encode(), r.Payload, "encoded")
				if p, ok := m.(*PrePrepare); ok && !bytes.Equal(encode(p.Block), p.EncodedBlock()) {
					t.Errorf("the block is encoded as %x, want %x", encode(p.Block), p.EncodedBlock())
				}
				expect.Equal(t, KnownHash(r.Payload), r.Decoded.Known, "known hash")
				if m.View() != (View{r.Decoded.Sequence, r.Decoded.Round}) {
					t.Errorf("view %v, want %d, %d", m.View(), r.Decoded.Sequence, r.Decoded.Round)
				}
				if signer, err := m.Signer(); err != nil || signer != r.Decoded.Signer {
					t.Errorf("signer %v, %v, want %v", signer, err, r.Decoded.Signer)
				}
				s := set(t, r.Decoded.Validators)
				expect.Equal(t, s.Quorum(), r.Decoded.Quorum, "quorum")
				switch m := m.(type) {
				case *Prepare:
					r.checkVote(t, m, m.Digest, m.Seal, extra.Prepare, s)
				case *Commit:
					r.checkVote(t, m, m.Digest, m.Seal, extra.Commit, s)
				case *PrePrepare:
					r.checkProposal(t, m, s)
				case *RoundChange:
					r.checkRoundChange(t, m, s)
				}
			})
		}
	}
}

func (r *recorded) checkVote(t *testing.T, m Message, digest common.Hash, seal []byte, kind byte, s *validators.Set) {
	var h types.Header
	must.Do(t, rlp.DecodeBytes(r.Decoded.ProposalHeader, &h))
	expect.Slice(t, m.SigningPayload(), r.Decoded.Vote.SigningPayload, "signing payload")
	if digest != r.Decoded.Vote.Digest || digest != h.Hash() {
		t.Errorf("digest %v, want %v", digest, h.Hash())
	}
	round := uint32(m.View().Round)
	expect.Equal(t, h.RoundHash(round), r.Decoded.RoundHash, "round hash")
	message := extra.SealDigest(&h, round, kind)
	expect.Equal(t, message, r.Decoded.SealDigest, "seal digest")
	checkSeal(t, m, seal, message, s)
	if other := extra.SealDigest(&h, round, kind^1); verifies(t, m, seal, other, s) {
		t.Error("seal passes for the other kind")
	}
	if other := extra.SealDigest(&h, round+1, kind); verifies(t, m, seal, other, s) {
		t.Error("seal passes for the next round")
	}
}

func verifies(t *testing.T, m Signed, seal []byte, message [32]byte, s *validators.Set) bool {
	t.Helper()
	signer := must.Get(m.Signer())(t)
	i, ok := s.Index(signer)
	if !ok {
		t.Fatalf("signer %v is not a validator", signer)
	}
	return bls.Verify(s.At(i).Key, message[:], seal)
}

func checkSeal(t *testing.T, m Signed, seal []byte, message [32]byte, s *validators.Set) {
	t.Helper()
	if !verifies(t, m, seal, message, s) {
		t.Error("seal does not verify")
	}
}

// checkPrepares checks PREPAREs of a justification or certificate about block.
func checkPrepares(t *testing.T, got []*Prepare, want []recordedVote, block *types.Block, s *validators.Set) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d PREPAREs, want %d", len(got), len(want))
	}
	for i, p := range got {
		w := want[i]
		if signer, err := p.Signer(); err != nil || signer != w.Signer {
			t.Errorf("PREPARE %d: signer %v, %v, want %v", i, signer, err, w.Signer)
		}
		if p.View() != (View{w.Sequence, w.Round}) || p.Digest != w.Digest || p.Digest != block.Hash() ||
			!bytes.Equal(p.Seal, w.Seal) || !bytes.Equal(p.Signature(), w.Signature) {
			t.Errorf("PREPARE %d: %v", i, p)
		}
		checkSeal(t, p, p.Seal, extra.SealDigest(block.Header(), uint32(p.Round), extra.Prepare), s)
	}
}

func checkChange(t *testing.T, got *SignedRoundChange, want *recordedChange) {
	t.Helper()
	if signer, err := got.Signer(); err != nil || signer != want.Signer {
		t.Errorf("signer %v, %v, want %v", signer, err, want.Signer)
	}
	if !bytes.Equal(got.SigningPayload(), want.SigningPayload) || !bytes.Equal(got.Signature(), want.Signature) {
		t.Errorf("signing payload %x, want %x", got.SigningPayload(), want.SigningPayload)
	}
	switch {
	case (got.Prepared == nil) != (want.Prepared == nil):
		t.Errorf("claim %v, want %v", got.Prepared, want.Prepared)
	case got.Prepared != nil && (got.Prepared.Round != want.Prepared.Round || got.Prepared.Digest != want.Prepared.Digest):
		t.Errorf("claim %v, want %v", got.Prepared, want.Prepared)
	}
}

func (r *recorded) checkProposal(t *testing.T, m *PrePrepare, s *validators.Set) {
	d := &r.Decoded
	h := m.Block.Header()
	if m.Block.Hash() != d.Proposal.Hash || h.Number.Uint64() != d.Proposal.Number ||
		len(m.Block.Transactions()) != d.Transactions {
		t.Errorf("block %v, number %v, want %v, %d", m.Block.Hash(), h.Number, d.Proposal.Hash, d.Proposal.Number)
	}
	if got := s.Proposer(validators.RoundRobin, d.LastProposer, m.Round); got != d.Proposer || got != d.Signer {
		t.Errorf("proposer %v, want %v", got, d.Proposer)
	}
	if len(m.RoundChanges) != len(d.Justification.RoundChanges) {
		t.Fatalf("%d round changes, want %d", len(m.RoundChanges), len(d.Justification.RoundChanges))
	}
	for i, c := range m.RoundChanges {
		checkChange(t, c, &d.Justification.RoundChanges[i])
	}
	checkPrepares(t, m.Prepares, d.Justification.Prepares, m.Block, s)

	// What a proposal says about its parent, by the rules of spec wbft 7.1 no. 18 to 21.
	x, err := h.WBFTExtra()
	must.Do(t, err)
	var parent types.Header
	must.Do(t, rlp.DecodeBytes(d.ParentHeader, &parent))
	expect.Equal(t, parent.Hash(), h.ParentHash, "parent")
	if got, err := extra.RecoverRandao(x.RandaoReveal, big.NewInt(8283), h.Number.Uint64()); err != nil ||
		got != h.Coinbase {
		t.Errorf("reveal is of %v, %v, want %v", got, err, h.Coinbase)
	}
	expect.Equal(t, extra.MixHash(parent.MixDigest, x.RandaoReveal), h.MixDigest, "mix")
	before := set(t, d.ParentValidators)
	if err := before.VerifySeal(x.PrevPreparedSeal, extra.SealDigest(&parent, x.PrevRound, extra.Prepare)); err != nil {
		t.Errorf("previous prepared seal: %v", err)
	}
	if err := before.VerifySeal(x.PrevCommittedSeal, extra.SealDigest(&parent, x.PrevRound, extra.Commit)); err != nil {
		t.Errorf("previous committed seal: %v", err)
	}
	err = s.VerifySeal(x.CommittedSeal, extra.SealDigest(h, 0, extra.Commit))
	expect.Error(t, err, validators.ErrEmptySeal, "a proposal has seals of its own")
}

func (r *recorded) checkRoundChange(t *testing.T, m *RoundChange, s *validators.Set) {
	d := &r.Decoded
	checkChange(t, &m.SignedRoundChange, d.RoundChange)
	if (m.PreparedBlock == nil) != (d.PreparedBlock == nil) {
		t.Fatalf("prepared block %v, want %v", m.PreparedBlock, d.PreparedBlock)
	}
	if m.PreparedBlock == nil {
		if m.Prepares != nil || len(d.Prepares) != 0 {
			t.Error("PREPAREs without block")
		}
		return
	}
	if got := m.PreparedBlock.Hash(); got != d.PreparedBlock.Hash || got != m.Prepared.Digest {
		t.Errorf("prepared block %v, want %v", got, d.PreparedBlock.Hash)
	}
	checkPrepares(t, m.Prepares, d.Prepares, m.PreparedBlock, s)
}
