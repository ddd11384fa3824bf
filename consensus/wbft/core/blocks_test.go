// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// swapped returns a block with the same header, and so the same hash, and a body that the header does not commit to.
func swapped(block *types.Block) *types.Block {
	return block.WithBody(types.Body{Transactions: types.Transactions{types.NewTx(&types.LegacyTx{Data: []byte("junk")})}})
}

// surplus returns a block with the same header and an empty list of withdrawals in its body.
func surplus(block *types.Block) *types.Block {
	return block.WithBody(types.Body{Transactions: block.Transactions(), Withdrawals: types.Withdrawals{}})
}

// selfSealed returns a block with seals over itself, which its hash leaves out (spec wbft 1.4).
func (f *fixture) selfSealed(block *types.Block) *types.Block {
	return block.WithSeal(f.sealed(block, 0, f.indices(f.set.Quorum())...))
}

// The hash of a block covers its header alone. Another body under the same hash is neither executed, voted for nor
// relayed. The genuine block is accepted afterwards, and stays.
// spec: wbft 1.3, 5.7
func TestGateOfProposals(t *testing.T) {
	f := newFixture(t, 4)
	block := f.full(5000)
	for name, fake := range map[string]*types.Block{
		"another body": swapped(block), "surplus body": surplus(block), "no body": block.WithBody(types.Body{}),
		"own seals": f.selfSealed(block),
	} {
		t.Run(name, func(t *testing.T) {
			must.Equal(t, fake.Hash(), block.Hash(), "%s: the hash differs", name)
			p := f.player(1)
			p.deliver(f.proposal(0, 0, fake)).wantDropped(name)
			p.deliver(f.proposal(0, 0, block)).wantEffects("SetTimer", "Execute")
			p.deliver(f.proposal(0, 0, fake)).wantDropped(name + " after the genuine one")
			expect.That(t, p.rounds[0].block.Size() == block.Size(), "%s: the held block has changed", name)

			// Proposed again in a later round, with a good justification.
			cert := f.certificate(0, block, 0, 2, 3)
			again := func(b *types.Block) messages.Message {
				return f.signed(1, &messages.PrePrepare{
					Sequence: 1, Round: 1, Block: b, Prepares: cert.prepares, RoundChanges: f.changes(1, cert, 0, 2, 3)})
			}
			q := f.player(2).propose(block)
			q.deliver(again(fake)).wantDropped(name + " proposed again")
			q.wantState(PrePrepared, 0)
			if q.deliver(again(block)); len(only[Send](q.effects)) == 0 || q.round != 1 {
				t.Errorf("%s: the genuine block was not taken afterwards: %v", name, names(q.effects))
			}
		})
	}
}

// The block in a ROUND-CHANGE is not signed, so a relaying node can replace it. A false block is neither accepted,
// relayed nor proposed again, also if the genuine one is known.
// spec: wbft 5.7
func TestGateOfCertificates(t *testing.T) {
	f := newFixture(t, 4)
	block := f.full(5000)
	good := f.roundChange(0, 1, f.certificate(0, block, 0, 2, 3))
	for name, fake := range map[string]*types.Block{
		"another body": swapped(block), "surplus body": surplus(block), "own seals": f.selfSealed(block),
	} {
		t.Run(name, func(t *testing.T) {
			for _, known := range []bool{false, true} {
				p := f.player(1).expire(RoundTimer)
				if known {
					p.deliver(f.roundChange(2, 1, f.certificate(0, block, 0, 2, 3)))
				}
				spoiled := f.roundChange(0, 1, f.certificate(0, block, 0, 2, 3))
				spoiled.PreparedBlock = fake
				p.deliver(spoiled).wantDropped(name)
				expect.Equal(t, len(only[BadDelivery](p.effects)), 1, "%s: no deliverer was blamed", name)
				var all []Effect
				other := f.roundChange(2, 1, f.certificate(0, block, 0, 2, 3))
				for _, m := range []messages.Message{good, other, f.roundChange(3, 1, nil)} {
					p.deliver(m)
					all = append(all, p.effects...)
				}
				p.effects = all
				sent := p.sends(messages.CodePrePrepare)
				must.That(t, len(sent) == 1, "%s: effects %v", name, names(all))
				m := must.Get(messages.Decode(messages.CodePrePrepare, sent[0].Payload))(t)
				expect.That(t, m.(*messages.PrePrepare).Block.Size() == block.Size(), "%s: proposed with another body", name)
			}
		})
	}
}

// Many copies of a block are decoded once. A block with the same hash and other bytes is no copy.
// spec: wbft 5.7
func TestCopiesAreKnownByTheirBytes(t *testing.T) {
	f := newFixture(t, 4)
	block := f.full(5000)
	p := f.player(1)
	p.deliver(f.roundChange(0, 1, f.certificate(0, block, 0, 2, 3)))
	must.Equal(t, len(p.certs.blocks.list), 1, "blocks are known")
	decode := func(b *types.Block) *types.Block {
		m := must.Get(messages.DecodeKnown(messages.CodePrePrepare, f.proposal(1, 1, b).Encode(), p.certs.blocks.find))(t)
		return m.(*messages.PrePrepare).Block
	}
	expect.Equal(t, decode(block), p.certs.blocks.list[0].block, "a copy was decoded again")
	for _, fake := range []*types.Block{swapped(block), surplus(block), f.selfSealed(block)} {
		if got := decode(fake); p.certs.blocks.knows(got) || p.certs.checkProposal(got) == nil {
			t.Error("something else is taken for the block because of its hash")
		}
	}
	for i := range 3 * maxBlocks {
		p.learn(f.block(string(rune('a' + i))))
	}
	expect.Equal(t, len(p.certs.blocks.list), maxBlocks, "blocks are remembered")
}

// A lock or proposal in the vote log with a false body is reported and not used. The signed message still binds.
// spec: wbft 9.1
func TestGateOfVoteLog(t *testing.T) {
	f := newFixture(t, 4)
	block := f.full(5000)
	cert := f.certificate(0, block, 0, 1, 2)
	cert.block = swapped(block)
	lock := must.Get(cert.encode(new(blocks)))(t)
	vote := func(m messages.Message) Vote {
		return Vote{Code: m.Code(), Sequence: 1, Digest: block.Hash(), Payload: m.Encode()}
	}
	p := f.restartedWith(1, Restored{Sequences: []RestoredSequence{
		{Sequence: 1, Votes: []Vote{vote(f.prepare(1, 0, block)), vote(f.commit(1, 0, block))}, Lock: lock}}})
	expect.That(t, len(only[Failed](p.effects)) == 1 && len(only[Execute](p.effects)) == 0 && p.lock == nil,
		"effects %v", names(p.effects))
	// It has sent a COMMIT: a ROUND-CHANGE without a claim could undo a decision.
	p.expire(RoundTimer)
	expect.Equal(t, len(p.sends(messages.CodeRoundChange)), 0, "a ROUND-CHANGE without the lock was signed")
	// It is not tried either: the vote log would refuse it as a fault of the program.
	failed := only[Failed](p.effects)
	if n := len(failed); n == 0 || !strings.Contains(failed[n-1].Err.Error(), "certificate for it is lost") {
		t.Errorf("effects %v", names(p.effects))
	}

	p = f.restartedWith(
		0, Restored{Sequences: []RestoredSequence{{Sequence: 1, Votes: []Vote{vote(f.proposal(0, 0, swapped(block)))}}}},
	)
	if len(only[Failed](p.effects)) != 1 || len(only[Send](p.effects)) != 0 || len(only[Execute](p.effects)) != 0 {
		t.Errorf("effects %v", names(p.effects))
	}
}
