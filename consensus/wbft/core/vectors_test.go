// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

func loadVectors(t *testing.T, name string, into any) {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
	must.Do(t, json.Unmarshal(data, into), name)
}

func decodeHeader(t *testing.T, encoded []byte) *types.Header {
	t.Helper()
	header := new(types.Header)
	must.Do(t, rlp.DecodeBytes(encoded, header))
	return header
}

// fixtureOf returns a fixture of given keys, in validator order, on a given head.
func fixtureOf(t *testing.T, head *types.Header, keys []*ecdsa.PrivateKey) *fixture {
	t.Helper()
	f := &fixture{t: t, keys: keys}
	for _, key := range keys {
		blsKey := must.Get(bls.DeriveKey(key))(t)
		f.bls = append(f.bls, blsKey)
	}
	f.set = f.members(f.indices(len(keys))...)
	f.head = Head{Header: head, Set: f.set, Params: Params{RequestTimeout: 2 * time.Second}}
	return f
}

type messageVectors struct {
	Messages []struct {
		Name string
		Wire hexutil.Bytes
	}
	ProposalRlp  hexutil.Bytes
	ProposalHash common.Hash
	Validators   []common.Address
}

// The core sends the computed messages of sequence 5 of the vector chain, byte for byte.
// spec: wbft 4.2, 4.3
func TestComputedMessages(t *testing.T) {
	var vectors messageVectors
	loadVectors(t, "messages.json", &vectors)
	var parent struct{ HeaderRlp hexutil.Bytes }
	loadVectors(t, "block4.json", &parent)
	var keys []*ecdsa.PrivateKey
	for i, address := range vectors.Validators {
		key := must.Get(crypto.ToECDSA(crypto.Keccak256([]byte(fmt.Sprintf("wbft-vector-key-%d", i)))))(t)
		must.That(t, crypto.PubkeyToAddress(key.PublicKey) == address, "key %d is not that of %v", i, address)
		keys = append(keys, key)
	}
	f := fixtureOf(t, decodeHeader(t, parent.HeaderRlp), keys)
	block := new(types.Block)
	must.Do(t, rlp.DecodeBytes(vectors.ProposalRlp, block))
	wire := make(map[string][]byte)
	for _, m := range vectors.Messages {
		wire[m.Name] = m.Wire
	}
	deliver := func(p *player, code uint64, names ...string) {
		for _, name := range names {
			must.That(t, wire[name] != nil, "no vector %q", name)
			p.do(Message{Code: code, Payload: wire[name]})
		}
	}
	want := func(p *player, code uint64, name string) {
		t.Helper()
		sent := p.sends(code)
		expect.That(t, wire[name] != nil && len(sent) == 1 && bytes.Equal(sent[0].Payload, wire[name]),
			"%q was not sent; effects %v", name, names(p.effects))
	}

	proposer := f.player(0).do(Candidate{Block: block})
	want(proposer, messages.CodePrePrepare, "preprepare round 0")
	proposer.validate(block)
	want(proposer, messages.CodePrepare, "prepare round 0 from validator 0")

	for i := 1; i < 4; i++ {
		p := f.player(i)
		deliver(p, messages.CodePrePrepare, "preprepare round 0")
		p.validate(block)
		want(p, messages.CodePrepare, fmt.Sprintf("prepare round 0 from validator %d", i))
		if i != 1 {
			continue
		}
		deliver(p, messages.CodePrepare, "prepare round 0 from validator 2", "prepare round 0 from validator 3")
		want(p, messages.CodeCommit, "commit round 0 from validator 1")
	}

	want(f.player(0).expire(RoundTimer), messages.CodeRoundChange, "round-change to 1, not prepared, validator 0")

	// The PREPAREs of a certificate depend on the order of arrival; the vector says which.
	name := "round-change to 1, prepared at round 0, validator 0"
	m := must.Get(messages.Decode(messages.CodeRoundChange, wire[name]))(t)
	locked := f.player(0).do(Candidate{Block: block}).validate(block)
	for _, p := range m.(*messages.RoundChange).Prepares {
		locked.deliver(p)
	}
	for i := 1; i < 4; i++ {
		locked.deliver(f.prepare(i, 0, block))
	}
	locked.expire(RoundTimer)
	sent := locked.sends(messages.CodeRoundChange)
	must.That(t, len(sent) == 1, "effects %v", names(locked.effects))
	got := must.Get(messages.Decode(messages.CodeRoundChange, sent[0].Payload))(t)
	expect.That(t, bytes.Equal(got.Signature(), m.Signature()) && bytes.Equal(got.SigningPayload(), m.SigningPayload()),
		"the locked ROUND-CHANGE differs from the vector in its signed part")
	other := f.player(2)
	deliver(other, messages.CodeRoundChange, name)
	expect.That(t, !other.dropped() && other.roundChanges[1].best() != nil,
		"the vector's certificate is refused: %v", other.effects)

	for _, name := range []string{
		"preprepare round 1, justified by unprepared round-changes",
		"preprepare round 1, justified by prepared round-changes and prepares",
	} {
		p := f.player(3).toRound(1)
		deliver(p, messages.CodePrePrepare, name)
		if len(only[Execute](p.effects)) != 1 {
			t.Errorf("%q is refused: %v", name, p.effects)
			continue
		}
		p.validate(block)
		if got := p.sends(messages.CodePrepare); len(got) != 1 ||
			!bytes.Equal(got[0].Payload, f.prepare(3, 1, block).Encode()) {
			t.Errorf("%q: effects %v", name, names(p.effects))
		}
	}
}

type recording struct {
	Network, Variant string
	Payload          hexutil.Bytes
	Decoded          struct {
		Sequence, Round uint64
		Signer          common.Address
		ParentHeaderRlp hexutil.Bytes
		Validators      []struct{ Address common.Address }
	}
}

// recordedProposals loads the recorded PRE-PREPAREs with a fixture of their time.
func recordedProposals(t *testing.T, visit func(*testing.T, *fixture, recording, *messages.PrePrepare)) {
	var nodes struct {
		Nodes []struct {
			Address common.Address
			NodeKey hexutil.Bytes
		}
	}
	loadVectors(t, "keys.json", &nodes)
	keys := make(map[common.Address]*ecdsa.PrivateKey)
	for _, n := range nodes.Nodes {
		key := must.Get(crypto.ToECDSA(n.NodeKey))(t)
		keys[n.Address] = key
	}
	var list []recording
	loadVectors(t, "istanbul-preprepare.json", &list)
	for _, r := range list {
		t.Run(fmt.Sprintf("%s %s %d", r.Network, r.Variant, r.Decoded.Sequence), func(t *testing.T) {
			var order []*ecdsa.PrivateKey
			for _, v := range r.Decoded.Validators {
				order = append(order, keys[v.Address])
			}
			m := must.Get(messages.Decode(messages.CodePrePrepare, r.Payload))(t)
			visit(t, fixtureOf(t, decodeHeader(t, r.Decoded.ParentHeaderRlp), order), r, m.(*messages.PrePrepare))
		})
	}
}

func (f *fixture) index(address common.Address) int {
	i, ok := f.set.Index(address)
	must.That(f.t, ok, "%v is not a validator", address)
	return i
}

// Every other validator accepts a recorded proposal, relays it unchanged and answers it with a PREPARE.
// spec: wbft 5.7
func TestRecordedProposalsAreAccepted(t *testing.T) {
	recordedProposals(t, func(t *testing.T, f *fixture, r recording, m *messages.PrePrepare) {
		for i := range f.keys {
			if i == f.index(r.Decoded.Signer) {
				continue
			}
			p := f.player(i).toRound(m.Round)
			p.do(Message{Code: messages.CodePrePrepare, Payload: r.Payload})
			must.Equal(t, len(only[Execute](p.effects)), 1, "validator %d: %v", i, p.effects)
			p.validate(m.Block)
			if relays := only[Relay](p.effects); len(relays) != 1 || !bytes.Equal(relays[0].Payload, r.Payload) {
				t.Errorf("validator %d does not relay it as it came", i)
			}
			got := p.sends(messages.CodePrepare)
			expect.That(t, len(got) == 1 && bytes.Equal(got[0].Payload, f.prepare(i, m.Round, m.Block).Encode()),
				"validator %d: %v", i, names(p.effects))
		}
	})
}

// The core of its proposer makes a recorded proposal again: the same bytes in round 0, above it the same signed part
// and the same justification in any order.
// spec: wbft 5.6, 5.9
func TestRecordedProposalsAreMade(t *testing.T) {
	recordedProposals(t, func(t *testing.T, f *fixture, r recording, m *messages.PrePrepare) {
		proposer := f.index(r.Decoded.Signer)
		if m.Round == 0 {
			p := f.player(proposer).do(Candidate{Block: m.Block})
			if sent := p.sends(messages.CodePrePrepare); len(sent) != 1 || !bytes.Equal(sent[0].Payload, r.Payload) {
				t.Errorf("effects %v", names(p.effects))
			}
			return
		}
		p := f.player(proposer)
		p.do(Candidate{Block: m.Block, Round: 0})
		p.toRound(m.Round)
		for _, signed := range m.RoundChanges {
			signer := must.Get(signed.Signer())(t)
			rc := f.replayRoundChange(f.index(signer), signed, m)
			expect.Slice(t, rc.SignedRoundChange.Encode(), signed.Encode(), "the core of %v makes another ROUND-CHANGE", signer)
			if f.index(signer) != proposer {
				p.deliver(rc)
			}
		}
		sent := p.sends(messages.CodePrePrepare)
		must.Equal(t, len(sent), 1, "effects %v", p.effects)
		decoded := must.Get(messages.Decode(messages.CodePrePrepare, sent[0].Payload))(t)
		made := decoded.(*messages.PrePrepare)
		expect.That(t, bytes.Equal(made.Signature(), m.Signature()) && bytes.Equal(made.SigningPayload(), m.SigningPayload()),
			"the signed part differs")
		expect.Slice(t, sortedEncodings(made.RoundChanges), sortedEncodings(m.RoundChanges), "the ROUND-CHANGEs differ")
		expect.Slice(t, sortedEncodings(made.Prepares), sortedEncodings(m.Prepares), "the PREPAREs differ")
	})
}

// replayRoundChange takes a validator's core to a recorded ROUND-CHANGE, prepared for the block or not.
func (f *fixture) replayRoundChange(
	i int, signed *messages.SignedRoundChange, m *messages.PrePrepare,
) *messages.RoundChange {
	f.t.Helper()
	p := f.player(i)
	if claim := signed.Prepared; claim != nil {
		p.toRound(claim.Round)
		by := f.index(p.proposer)
		if by == i {
			p.do(Candidate{Block: m.Block, Round: claim.Round})
			for k := range f.keys {
				if k != i {
					p.deliver(f.roundChange(k, claim.Round, nil))
				}
			}
		} else {
			p.deliver(f.proposal(by, claim.Round, m.Block))
		}
		p.validate(m.Block)
		for _, prepare := range m.Prepares {
			p.deliver(prepare)
			if signer, err := prepare.Signer(); err == nil && signer == f.address(i) {
				expect.That(f.t, bytes.Equal(p.rounds[claim.Round].prepares.bySender[i].payload, prepare.Encode()),
					"the core makes another PREPARE")
			}
		}
	}
	p.toRound(signed.Round)
	v, ok := p.signer.Signed(messages.CodeRoundChange, signed.Round)
	must.That(f.t, ok, "validator %d has not sent a ROUND-CHANGE to round %d", i, signed.Round)
	rc := must.Get(messages.Decode(messages.CodeRoundChange, v.Payload))(f.t)
	return rc.(*messages.RoundChange)
}

func sortedEncodings[M interface{ Encode() []byte }](list []M) []string {
	var out []string
	for _, m := range list {
		out = append(out, string(m.Encode()))
	}
	slices.Sort(out)
	return out
}

// The core of its author casts the recorded votes for a recorded proposal.
// spec: wbft 4.2, 5.7
func TestRecordedVotes(t *testing.T) {
	recorded := make(map[uint64][]recording)
	for code, name := range map[uint64]string{
		messages.CodePrepare: "prepare", messages.CodeCommit: "commit", messages.CodeRoundChange: "roundchange",
	} {
		var list []recording
		loadVectors(t, "istanbul-"+name+".json", &list)
		recorded[code] = list
	}
	found := 0
	recordedProposals(t, func(t *testing.T, f *fixture, r recording, m *messages.PrePrepare) {
		for code, list := range recorded {
			for _, vote := range list {
				if vote.Network != r.Network || vote.Decoded.Sequence != m.Sequence || vote.Decoded.Round != m.Round {
					continue
				}
				found++
				author := f.index(vote.Decoded.Signer)
				p := f.player(author).toRound(m.Round)
				p.do(Message{Code: messages.CodePrePrepare, Payload: r.Payload})
				p.validate(m.Block)
				for i := range f.keys {
					if i != author && p.state < Prepared {
						p.deliver(f.prepare(i, m.Round, m.Block))
					}
				}
				if own, ok := p.signer.Signed(code, m.Round); !ok || !bytes.Equal(own.Payload, vote.Payload) {
					t.Errorf("the core of %v makes another message %#x", vote.Decoded.Signer, code)
				}
			}
		}
	})
	expect.That(t, found >= 3, "only %d recorded votes belong to recorded proposals", found)
}
