// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"encoding/binary"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
)

// Wire is a message as it travels.
type Wire struct {
	Code    uint64
	Payload []byte
}

// Behavior is how a Byzantine validator differs from an honest one. It runs an honest core and changes what leaves it.
type Behavior interface {
	// Send decides what a validator is sent in place of an own message.
	Send(n *raw, to *Node, code uint64, payload []byte) []Wire
	// Observe sees every message that the node's core has handled.
	Observe(n *raw, code uint64, payload []byte)
}

// Silent sends nothing.
type Silent struct{}

// Send implements Behavior.
func (Silent) Send(*raw, *Node, uint64, []byte) []Wire { return nil }

// Observe implements Behavior.
func (Silent) Observe(*raw, uint64, []byte) {}

// BadSeals sends votes whose signatures are right and whose seals are not.
type BadSeals struct{}

// Observe implements Behavior.
func (BadSeals) Observe(*raw, uint64, []byte) {}

// Send implements Behavior.
func (BadSeals) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return nil
	}
	junk := n.seal([]byte("not what the protocol asks for"))
	switch m := m.(type) {
	case *messages.Prepare:
		return n.wire(&messages.Prepare{Sequence: m.Sequence, Round: m.Round, Digest: m.Digest, Seal: junk})
	case *messages.Commit:
		return n.wire(&messages.Commit{Sequence: m.Sequence, Round: m.Round, Digest: m.Digest, Seal: junk})
	}
	return []Wire{{code, payload}}
}

// Equivocator proposes one block to half of the validators and another one to the rest, and votes for both. It also
// votes for every proposal it hears of, in PREPARE and COMMIT at once.
type Equivocator struct {
	twins map[common.Hash]*types.Block // second block for a first one
}

// Send implements Behavior.
func (b *Equivocator) Send(n *raw, to *Node, code uint64, payload []byte) []Wire {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return nil
	}
	proposal, ok := m.(*messages.PrePrepare)
	if !ok {
		return []Wire{{code, payload}}
	}
	if b.twins == nil {
		b.twins = make(map[common.Hash]*types.Block)
	}
	twin := b.twins[proposal.Block.Hash()]
	if twin == nil {
		if twin = n.variant(proposal.Block, "twin"); twin == nil {
			return nil
		}
		b.twins[proposal.Block.Hash()] = twin
	}
	block := proposal.Block
	if to.id%2 == 0 {
		block = twin
	}
	out := n.wire(&messages.PrePrepare{
		Sequence: proposal.Sequence, Round: proposal.Round, Block: block,
		RoundChanges: proposal.RoundChanges, Prepares: proposal.Prepares,
	})
	for _, voted := range []*types.Block{proposal.Block, twin} {
		out = append(out, n.votesFor(voted, proposal.Round)...)
	}
	return out
}

// Observe implements Behavior.
func (b *Equivocator) Observe(n *raw, code uint64, payload []byte) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return
	}
	if proposal, ok := m.(*messages.PrePrepare); ok {
		n.spread(n.votesFor(proposal.Block, proposal.Round))
	}
}

// Forger proposes a block of its own in every round that is its turn, with a justification it made up: copies of one
// genuine ROUND-CHANGE, or ROUND-CHANGEs of another view, and PREPAREs that no validator signed (spec wbft 9.1 no. 1).
// Its ROUND-CHANGEs claim a prepared block that is none (no. 2).
type Forger struct{}

// Observe implements Behavior.
func (Forger) Observe(n *raw, code uint64, payload []byte) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return
	}
	change, ok := m.(*messages.RoundChange)
	status := n.machine.Status()
	if !ok || change.Sequence != status.Sequence || n.Height()+1 != change.Sequence {
		return
	}
	set := n.set(change.Sequence)
	last := n.chain.head().Coinbase()
	if n.Height() == 0 {
		last = common.Address{}
	}
	if set.Proposer(n.net.cfg.Policy, last, change.Round) != n.address {
		return
	}
	block := n.candidate("forged")
	if block == nil {
		return
	}
	p := &messages.PrePrepare{Sequence: change.Sequence, Round: change.Round, Block: block}
	for range set.Quorum() {
		p.RoundChanges = append(p.RoundChanges, &change.SignedRoundChange)
		p.Prepares = append(p.Prepares, &messages.Prepare{
			Sequence: change.Sequence, Round: 0, Digest: block.Hash(), Seal: make([]byte, messages.SealLength),
		})
	}
	for _, list := range [][]*messages.Prepare{nil, p.Prepares} {
		for _, prepare := range list {
			if err := prepare.SignWith(n.sign); err != nil {
				return
			}
		}
		p.Prepares = list
		n.spread(n.wire(p))
	}
	n.spread(n.votesFor(block, change.Round))
}

// Send implements Behavior.
func (Forger) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return nil
	}
	if code == messages.CodePrePrepare && m.View().Round > 0 {
		return nil
	}
	change, ok := m.(*messages.RoundChange)
	if !ok || n.Height()+1 != change.Sequence {
		return []Wire{{code, payload}}
	}
	block := n.candidate("forged")
	if block == nil {
		return nil
	}
	prepare := &messages.Prepare{Sequence: change.Sequence, Digest: block.Hash()}
	digest := extra.SealDigest(block.Header(), 0, extra.Prepare)
	prepare.Seal = n.seal(digest[:])
	if err := prepare.SignWith(n.sign); err != nil {
		return nil
	}
	forged := &messages.RoundChange{PreparedBlock: block}
	forged.Sequence, forged.Round = change.Sequence, change.Round
	forged.Prepared = &messages.PreparedClaim{Round: 0, Digest: block.Hash()}
	for range n.set(change.Sequence).Quorum() {
		forged.Prepares = append(forged.Prepares, prepare)
	}
	return append([]Wire{{code, payload}}, n.wire(forged)...)
}

// InvalidProposer proposes blocks that break a rule, another one each time: some do not execute, some say that they
// gave another result, some are from the future or name other validators.
type InvalidProposer struct{}

// newProposal returns a PRE-PREPARE that repeats no block. Of any other message it returns what is sent, the message
// itself, or nothing of one that cannot be decoded.
func newProposal(code uint64, payload []byte) (proposal *messages.PrePrepare, others []Wire) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return nil, nil
	}
	proposal, ok := m.(*messages.PrePrepare)
	if !ok || len(proposal.Prepares) > 0 {
		return nil, []Wire{{code, payload}}
	}
	return proposal, nil
}

// Observe implements Behavior.
func (InvalidProposer) Observe(*raw, uint64, []byte) {}

// Send implements Behavior.
func (InvalidProposer) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	proposal, others := newProposal(code, payload)
	if proposal == nil {
		return others
	}
	header := proposal.Block.Header()
	body := *proposal.Block.Body()
	switch (proposal.Sequence + proposal.Round) % 6 {
	case 0:
		header.Root[0] ^= 1
	case 1:
		header.GasUsed++
	case 2:
		header.ReceiptHash[0] ^= 1
	case 3:
		header.MixDigest[0] ^= 1
	case 4:
		body.Transactions = types.Transactions{types.NewTx(&types.LegacyTx{
			Gas: txGas, Data: []byte(poison), To: &n.address, V: big.NewInt(27), R: common.Big1, S: common.Big1,
		})}
		header.GasUsed = txGas
		header.TxHash = types.DeriveSha(types.Transactions(body.Transactions), trie.NewStackTrie(nil))
		header.ReceiptHash = receiptRoot(header.TxHash)
		header.Root = stateRoot(n.chain.head().Header(), header)
	case 5:
		x, err := header.WBFTExtra()
		if err != nil {
			return nil
		}
		x.EpochInfo = n.net.genesisInfo()
		if n.net.epochInfo(proposal.Sequence) != nil {
			x.EpochInfo = nil
		}
		header.Extra = x.Encode()
	}
	block := types.NewBlockWithHeader(header).WithBody(body)
	n.net.observer.learn(block)
	return n.wire(&messages.PrePrepare{
		Sequence: proposal.Sequence, Round: proposal.Round, Block: block, RoundChanges: proposal.RoundChanges,
	})
}

// Dear proposes blocks that take a time to execute. Wrong ones have a state root that only their execution refutes, so
// they cost their proposer nothing.
type Dear struct {
	Took  time.Duration
	Wrong bool
}

// Observe implements Behavior.
func (Dear) Observe(*raw, uint64, []byte) {}

// Send implements Behavior.
func (b Dear) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	proposal, others := newProposal(code, payload)
	if proposal == nil {
		return others
	}
	header := proposal.Block.Header()
	body := types.Body{Transactions: types.Transactions{types.NewTx(&types.LegacyTx{
		Gas: txGas, Data: binary.BigEndian.AppendUint64([]byte(dear), uint64(b.Took)), To: &n.address,
		V: big.NewInt(27), R: common.Big1, S: common.Big1,
	})}}
	header.GasUsed = txGas
	header.TxHash = types.DeriveSha(types.Transactions(body.Transactions), trie.NewStackTrie(nil))
	header.ReceiptHash = receiptRoot(header.TxHash)
	if header.Root = stateRoot(n.chain.head().Header(), header); b.Wrong {
		header.Root[0] ^= 1
	}
	block := types.NewBlockWithHeader(header).WithBody(body)
	n.net.observer.learn(block)
	out := n.wire(&messages.PrePrepare{
		Sequence: proposal.Sequence, Round: proposal.Round, Block: block, RoundChanges: proposal.RoundChanges,
	})
	return append(out, n.votesFor(block, proposal.Round)[0]) // its own PREPARE is one of those that others wait for
}

// Runner claims to be in rounds far ahead: to every validator in another one, and to each that changes its round in the
// next one. It tries to make some believe that a quorum is with them, or ahead of them.
type Runner struct{}

// Observe implements Behavior.
func (Runner) Observe(n *raw, code uint64, payload []byte) {
	m, err := messages.Decode(code, payload)
	if err != nil || code != messages.CodeRoundChange {
		return
	}
	sender, err := m.Signer()
	if err != nil {
		return
	}
	for _, i := range n.net.members(m.View().Sequence) {
		if to := n.net.nodes[i]; to.address == sender {
			for _, w := range n.claim(m.View().Sequence, m.View().Round+(n.roll("runner", m.View().Round)%3)) {
				n.net.send(n.Node, to, w.Code, w.Payload)
			}
		}
	}
}

// Send implements Behavior.
func (Runner) Send(n *raw, to *Node, code uint64, payload []byte) []Wire {
	m, err := messages.Decode(code, payload)
	if err != nil || code != messages.CodeRoundChange {
		return []Wire{{code, payload}}
	}
	return n.claim(m.View().Sequence, m.View().Round+uint64(3*to.id))
}

// claim is a ROUND-CHANGE to a round, unprepared.
func (n *raw) claim(sequence, round uint64) []Wire {
	m := new(messages.RoundChange)
	m.Sequence, m.Round = sequence, round
	return n.wire(m)
}

// BodySwapper proposes blocks of others again with another body and passes on ROUND-CHANGEs of others with another body
// in the prepared block: the hash of a block covers its header alone, and the block in a ROUND-CHANGE is not signed. It
// sends no COMMITs, so that rounds fail and there is something to propose again.
type BodySwapper struct{}

// Observe implements Behavior.
func (BodySwapper) Observe(n *raw, code uint64, payload []byte) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return
	}
	if change, ok := m.(*messages.RoundChange); ok && change.PreparedBlock != nil {
		change.PreparedBlock = swapBody(change.PreparedBlock)
		n.spread([]Wire{{code, change.Encode()}})
	}
}

// Send implements Behavior.
func (BodySwapper) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	m, err := messages.Decode(code, payload)
	if err != nil || code == messages.CodeCommit {
		return nil
	}
	switch m := m.(type) {
	case *messages.PrePrepare:
		if len(m.Prepares) > 0 {
			return n.wire(&messages.PrePrepare{
				Sequence: m.Sequence, Round: m.Round, Block: swapBody(m.Block), RoundChanges: m.RoundChanges, Prepares: m.Prepares,
			})
		}
	case *messages.RoundChange:
		if m.PreparedBlock != nil {
			m.PreparedBlock = swapBody(m.PreparedBlock)
			return []Wire{{code, m.Encode()}}
		}
	}
	return []Wire{{code, payload}}
}

// swapBody is a block with the same hash and a body that its header does not commit to.
func swapBody(block *types.Block) *types.Block {
	junk := types.NewTx(&types.LegacyTx{To: &common.Address{}})
	return block.WithBody(types.Body{Transactions: types.Transactions{junk}})
}

// wire signs a message with the node's key.
func (n *raw) wire(m messages.Message) []Wire {
	if err := m.SignWith(n.sign); err != nil {
		return nil
	}
	return []Wire{{m.Code(), m.Encode()}}
}

// votesFor makes both votes for a block.
func (n *raw) votesFor(block *types.Block, round uint64) []Wire {
	sequence, digest := block.NumberU64(), block.Hash()
	prepare := extra.SealDigest(block.Header(), uint32(round), extra.Prepare)
	commit := extra.SealDigest(block.Header(), uint32(round), extra.Commit)
	return append(
		n.wire(&messages.Prepare{Sequence: sequence, Round: round, Digest: digest, Seal: n.seal(prepare[:])}),
		n.wire(&messages.Commit{Sequence: sequence, Round: round, Digest: digest, Seal: n.seal(commit[:])})...)
}

// spread sends messages to all validators.
func (n *raw) spread(list []Wire) {
	for _, i := range n.net.members(n.machine.Status().Sequence) {
		for _, m := range list {
			n.net.send(n.Node, n.net.nodes[i], m.Code, m.Payload)
		}
	}
}

// variant is the same block with another vanity.
func (n *raw) variant(block *types.Block, vanity string) *types.Block {
	x, err := block.Header().WBFTExtra()
	if err != nil {
		return nil
	}
	x.Vanity = []byte(vanity)
	header := block.Header()
	header.Extra = x.Encode()
	variant := types.NewBlockWithHeader(header).WithBody(*block.Body())
	n.net.observer.learn(variant)
	return variant
}

// Amnesiac keeps to all rules but the one about locks: its ROUND-CHANGEs never say that it is prepared, and it votes
// for every proposal in every round as if it had not voted before.
type Amnesiac struct{}

// Observe implements Behavior.
func (Amnesiac) Observe(n *raw, code uint64, payload []byte) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return
	}
	if proposal, ok := m.(*messages.PrePrepare); ok && proposal.Round > 0 {
		n.spread(n.votesFor(proposal.Block, proposal.Round))
	}
}

// Send implements Behavior.
func (Amnesiac) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	if m, err := messages.Decode(code, payload); err == nil && code == messages.CodeRoundChange {
		return n.claim(m.View().Sequence, m.View().Round)
	}
	return []Wire{{code, payload}}
}

// Selective is honest towards some and silent towards others, which differ from round to round.
type Selective struct{}

// Observe implements Behavior.
func (Selective) Observe(*raw, uint64, []byte) {}

// Send implements Behavior.
func (Selective) Send(n *raw, to *Node, code uint64, payload []byte) []Wire {
	m, err := messages.Decode(code, payload)
	if err != nil || n.net.roll("selective", code, uint64(to.id), m.View().Sequence, m.View().Round)%2 == 0 {
		return nil
	}
	return []Wire{{code, payload}}
}

// Replayer repeats what others have signed where it does not belong: prepared certificates of older rounds and heights
// in its own ROUND-CHANGEs and proposals, and old messages as they are.
type Replayer struct {
	certificate *messages.RoundChange // the oldest seen lately
	old         []Wire
}

// replayed is how many old messages are kept.
const replayed = 64

// Observe implements Behavior.
func (b *Replayer) Observe(n *raw, code uint64, payload []byte) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return
	}
	if change, ok := m.(*messages.RoundChange); ok && change.PreparedBlock != nil && b.certificate == nil {
		b.certificate = change
	}
	if b.old = append(b.old, Wire{code, payload}); len(b.old) > replayed {
		w := b.old[n.roll("replay", uint64(len(payload)))%replayed]
		n.spread([]Wire{w})
		b.old = b.old[1:]
	}
}

// Send implements Behavior.
func (b *Replayer) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	m, err := messages.Decode(code, payload)
	if err != nil || b.certificate == nil {
		return []Wire{{code, payload}}
	}
	switch m := m.(type) {
	case *messages.RoundChange:
		claim := &messages.RoundChange{PreparedBlock: b.certificate.PreparedBlock, Prepares: b.certificate.Prepares}
		claim.Sequence, claim.Round, claim.Prepared = m.Sequence, m.Round, b.certificate.Prepared
		return append(n.wire(claim), Wire{code, payload})
	case *messages.PrePrepare:
		if m.Round > 0 {
			return append(n.wire(&messages.PrePrepare{
				Sequence:     m.Sequence,
				Round:        m.Round,
				Block:        b.certificate.PreparedBlock,
				RoundChanges: m.RoundChanges,
				Prepares:     b.certificate.Prepares,
			}), Wire{code, payload})
		}
	}
	return []Wire{{code, payload}}
}

// Usurper proposes a block of its own where it has to propose a prepared block again. The ROUND-CHANGEs are genuine.
// The PREPAREs are left out in odd rounds; in even rounds they are for the other block. Usurper votes for its block.
type Usurper struct {
	own map[common.Hash]*types.Block // in place of a prepared one
}

// Observe implements Behavior.
func (*Usurper) Observe(*raw, uint64, []byte) {}

// Send implements Behavior.
func (b *Usurper) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return nil
	}
	proposal, ok := m.(*messages.PrePrepare)
	if !ok || len(proposal.Prepares) == 0 {
		return []Wire{{code, payload}}
	}
	if b.own == nil {
		b.own = make(map[common.Hash]*types.Block)
	}
	block := b.own[proposal.Block.Hash()]
	if block == nil {
		if block = n.variant(proposal.Block, "usurped"); block == nil {
			return nil
		}
		b.own[proposal.Block.Hash()] = block
	}
	usurped := &messages.PrePrepare{
		Sequence:     proposal.Sequence,
		Round:        proposal.Round,
		Block:        block,
		RoundChanges: proposal.RoundChanges,
	}
	if proposal.Round%2 == 0 {
		usurped.Prepares = proposal.Prepares
	}
	return append(n.wire(usurped), n.votesFor(block, proposal.Round)...)
}

// Claimant says of another block, too, that it was prepared in the round in which one was: its ROUND-CHANGEs to a round
// contradict each other. It sends no COMMITs, so that there are rounds to change.
type Claimant struct{}

// Observe implements Behavior.
func (Claimant) Observe(*raw, uint64, []byte) {}

// Send implements Behavior.
func (Claimant) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	m, err := messages.Decode(code, payload)
	if err != nil || code == messages.CodeCommit {
		return nil
	}
	out := []Wire{{code, payload}}
	if change, ok := m.(*messages.RoundChange); ok && change.PreparedBlock != nil {
		if other := n.variant(change.PreparedBlock, "claimed"); other != nil {
			claim := &messages.RoundChange{PreparedBlock: other, Prepares: change.Prepares}
			claim.Sequence, claim.Round = change.Sequence, change.Round
			claim.Prepared = &messages.PreparedClaim{Round: change.Prepared.Round, Digest: other.Hash()}
			out = append(out, n.wire(claim)...)
		}
	}
	return out
}

// DoubleSealer sends each vote twice, with its seal and with a false one. A seal is unique: no validator comes to that
// by a restart.
type DoubleSealer struct{}

// Observe implements Behavior.
func (DoubleSealer) Observe(*raw, uint64, []byte) {}

// Send implements Behavior.
func (DoubleSealer) Send(n *raw, to *Node, code uint64, payload []byte) []Wire {
	return append([]Wire{{code, payload}}, slices.DeleteFunc(BadSeals{}.Send(n, to, code, payload), func(w Wire) bool {
		return string(w.Payload) == string(payload)
	})...)
}
