// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

type madeMessages struct {
	Hash     common.Hash   `json:"proposalHash"`
	Proposal hexutil.Bytes `json:"proposalRlp"`
	Messages []struct {
		Name      string
		Code      uint64
		From      common.Address
		Sequence  uint64
		Round     uint64
		Payload   hexutil.Bytes `json:"signingPayload"`
		Digest    common.Hash   `json:"signedDigest"`
		Signature hexutil.Bytes
		Wire      hexutil.Bytes
		Known     common.Hash `json:"knownMessageHash"`
	}
}

// Every message of the vectors decodes, comes from its sender, encodes to the same bytes, and is made again, signature
// included, from its content and the sender's key (spec wbft 4.2, 4.3, 4.4).
func TestMessageVectors(t *testing.T) {
	var made madeMessages
	vectors.Load(t, "messages.json", &made)
	must.That(t, len(made.Messages) != 0, "no vectors")
	seen := make(map[uint64]int)
	for _, v := range made.Messages {
		t.Run(v.Name, func(t *testing.T) {
			m := must.Get(Decode(v.Code, v.Wire))(t)
			seen[v.Code]++
			expect.That(t, m.Code() == v.Code && m.View() == (View{v.Sequence, v.Round}),
				"code 0x%x, view %v", m.Code(), m.View())
			opened := must.Get(Open(v.Code, v.Wire))(t)
			if from, err := opened.Signer(); err != nil || from != v.From || opened.View != m.View() {
				t.Errorf("opened: view %v of %v, %v", opened.View, from, err)
			}
			expect.Slice(t, m.SigningPayload(), v.Payload, "signing payload")
			expect.Equal(t, crypto.Keccak256Hash(m.SigningPayload()), v.Digest, "digest")
			expect.Slice(t, m.Signature(), v.Signature, "signature")
			for range 2 { // computed, then remembered
				got, err := m.Signer()
				expect.That(t, err == nil && got == v.From, "signer %v, %v, want %v", got, err, v.From)
			}
			expect.Slice(t, m.Encode(), v.Wire, "encoded")
			expect.Equal(t, KnownHash(v.Wire), v.Known, "known hash")
			made := remake(t, m)
			must.Do(t, Sign(made, vectors.NodeKeyOf(t, v.From)))
			expect.Slice(t, made.Encode(), v.Wire, "encoded again")
			checkSealsOf(t, m)
		})
	}
	for _, code := range []uint64{CodePrePrepare, CodePrepare, CodeCommit, CodeRoundChange} {
		expect.That(t, seen[code] != 0, "no message with code 0x%x", code)
	}
}

// remake builds an unsigned message with the content of m.
func remake(t *testing.T, m Message) Message {
	t.Helper()
	switch m := m.(type) {
	case *PrePrepare:
		return &PrePrepare{
			Sequence:     m.Sequence,
			Round:        m.Round,
			Block:        m.Block,
			RoundChanges: m.RoundChanges,
			Prepares:     m.Prepares,
		}
	case *Prepare:
		return &Prepare{Sequence: m.Sequence, Round: m.Round, Digest: m.Digest, Seal: m.Seal}
	case *Commit:
		return &Commit{Sequence: m.Sequence, Round: m.Round, Digest: m.Digest, Seal: m.Seal}
	case *RoundChange:
		made := &RoundChange{PreparedBlock: m.PreparedBlock, Prepares: m.Prepares}
		made.Sequence, made.Round, made.Prepared = m.Sequence, m.Round, m.Prepared
		return made
	}
	t.Fatalf("type %T", m)
	return nil
}

// checkSealsOf verifies the seals in a message of messages.json, where all votes are about the one proposal.
func checkSealsOf(t *testing.T, m Message) {
	t.Helper()
	var made madeMessages
	vectors.Load(t, "messages.json", &made)
	var block types.Block
	must.Do(t, rlp.DecodeBytes(made.Proposal, &block))
	must.Equal(t, block.Hash(), made.Hash, "proposal hash")
	check := func(v Signed, digest common.Hash, seal []byte, kind byte) {
		signer := must.Get(v.Signer())(t)
		key := must.Get(bls.DeriveKey(vectors.NodeKeyOf(t, signer)))(t)
		message := extra.SealDigest(block.Header(), uint32(v.View().Round), kind)
		expect.That(t, digest == block.Hash() && bls.Verify(key.PublicKey(), message[:], seal),
			"seal of %v in view %v does not verify", signer, v.View())
	}
	var prepares []*Prepare
	switch m := m.(type) {
	case *PrePrepare:
		expect.Equal(t, m.Block.Hash(), made.Hash, "proposes")
		for _, c := range m.RoundChanges {
			_, err := c.Signer()
			expect.That(t, err == nil && c.View() == m.View(), "justification: %v, %v", c.View(), err)
		}
		prepares = m.Prepares
	case *Prepare:
		check(m, m.Digest, m.Seal, extra.Prepare)
	case *Commit:
		check(m, m.Digest, m.Seal, extra.Commit)
	case *RoundChange:
		expect.That(t, (m.PreparedBlock == nil) == (m.Prepared == nil), "block without claim or claim without block")
		prepares = m.Prepares
	}
	for _, p := range prepares {
		check(p, p.Digest, p.Seal, extra.Prepare)
	}
}
