// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package faulty turns a node's validator into one that breaks the rules, for tests of whole networks. Nothing else
// imports it: it is a part of a binary only under the build tag "faulty" (cmd/gwon/faulty.go).
//
// The state machine, the vote log and the chain of such a node are those that ship; what differs is what leaves it.
// It says two things at once, sends blocks whose bodies are not their headers', or that lie beyond a bound or just
// within it, claims certificates that do not exist, spoils what it relays, and is silent now and then. Which of it
// happens depends on the number of the block, so that every behavior comes back every few seconds.
package faulty

import (
	"crypto/ecdsa"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
	"gwon/core/rules"
)

// network misbehaves in front of the true one.
type network struct {
	wbft.Network
	key *ecdsa.PrivateKey
}

// Network returns a network that misbehaves with what the key may sign.
func Network(inner wbft.Network, key *ecdsa.PrivateKey) wbft.Network {
	log.Warn("This binary breaks the rules of the consensus on purpose")
	return &network{inner, key}
}

// Send implements wbft.Network: it sends the message, and others that contradict it.
func (n *network) Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		log.Error("Own message does not decode", "code", code, "err", err)
		return
	}
	switch m := m.(type) {
	case *messages.PrePrepare:
		n.propose(set, m, payload)
	case *messages.Prepare:
		n.say(set, nil, modes.Vote(code, m.View(), otherDigest(m.Digest), m.Seal))
		if m.Sequence%5 == 0 {
			n.say(set, nil, modes.Vote(code, m.View(), m.Digest, otherSeal(m.Seal)))
			return
		}
		n.claim(set, m.Sequence, m.Round+1, m.Digest)
	case *messages.Commit:
		switch m.Sequence % 5 {
		case 1:
			n.say(set, nil, modes.Vote(code, m.View(), m.Digest, otherSeal(m.Seal)))
			return
		case 2:
			n.say(set, half(set), modes.Vote(code, m.View(), otherDigest(m.Digest), m.Seal))
		case 3:
			return
		}
	case *messages.RoundChange:
		n.claim(set, m.Sequence, m.Round, common.Hash{1})
	}
	n.Network.Send(set, code, payload, to, force)
}

// Relay implements wbft.Network: it spoils what no signature covers, and passes the true message on too, now and then.
func (n *network) Relay(set []common.Address, code uint64, payload []byte) {
	if m, err := messages.Decode(code, payload); err == nil {
		switch m := m.(type) {
		case *messages.RoundChange:
			if m.PreparedBlock != nil {
				m.PreparedBlock = swapBody(m.PreparedBlock, 1)
				n.Network.Relay(set, code, m.Encode())
			}
			m.Prepares = slices.Repeat(m.Prepares, 20)
			n.Network.Relay(set, code, m.Encode())
		case *messages.PrePrepare: // its justification is not signed
			m.RoundChanges = append(m.RoundChanges, n.junkChanges(m.Sequence)...)
			n.Network.Relay(set, code, m.Encode())
		}
		if m.View().Sequence%2 == 0 {
			return
		}
	}
	n.Network.Relay(set, code, payload)
}

// propose sends a proposal in one of several ways that are not right.
func (n *network) propose(set []common.Address, m *messages.PrePrepare, payload []byte) {
	way := m.Sequence / uint64(len(set)) % 7
	if len(m.Prepares) > 0 {
		way = 0 // a block that others have prepared: to make them lock on another body would stop the chain
	}
	switch way {
	case 0: // the body of another block, to everybody, then the true one
		for i := range 3 {
			n.say(set, nil, modes.Proposal(m, swapBody(m.Block, i)))
		}
	case 1: // two blocks, each valid, half of the network gets each
		first := half(set)
		n.say(set, first, modes.Proposal(m, renamed(m.Block)))
		rest := slices.DeleteFunc(slices.Clone(set), func(a common.Address) bool { return slices.Contains(first, a) })
		n.Network.Send(set, messages.CodePrePrepare, payload, rest, true)
		return
	case 2: // nothing
		return
	case 4: // a block at a bound, and then the true one, which most have no time for
		n.say(set, nil, atTheBounds(m, m.Sequence/uint64(7*len(set))))
	case 3: // a justification that is none
		junk := modes.Proposal(m, m.Block)
		junk.RoundChanges = append(junk.RoundChanges, n.junkChanges(m.Sequence)...)
		n.say(set, nil, junk)
	case 5: // as many transactions of eleven bytes as a message holds, for which there is no gas
		tiny := slices.Repeat(types.Transactions{types.NewTx(&types.LegacyTx{})}, messages.MaxSize/11-10_000)
		n.say(set, nil, modes.Proposal(m, m.Block.WithBody(types.Body{Transactions: tiny})))
	case 6: // extra data that is as long as the gate lets through only until it is sealed, to half of the network
		n.say(set, half(set), modes.Proposal(m, withExtra(m.Block, rules.MaxExtra)))
		return
	}
	n.Network.Send(set, messages.CodePrePrepare, payload, nil, true)
}

// junkChanges returns ROUND-CHANGEs that justify nothing.
func (n *network) junkChanges(sequence uint64) []*messages.SignedRoundChange {
	var list []*messages.SignedRoundChange
	for i := range 200 {
		m := &messages.SignedRoundChange{Sequence: sequence, Round: uint64(i)}
		if err := messages.Sign(m, n.key); err == nil {
			list = append(list, m)
		}
	}
	return list
}

// claim sends eight ROUND-CHANGEs with certificates that do not hold.
func (n *network) claim(set []common.Address, sequence, round uint64, digest common.Hash) {
	block := types.NewBlockWithHeader(&types.Header{Number: new(big.Int).SetUint64(sequence), Difficulty: big.NewInt(1),
		BaseFee: new(big.Int)})
	for i := range 8 {
		m := &messages.RoundChange{PreparedBlock: block}
		m.Sequence, m.Round = sequence, round
		m.Prepared = &messages.PreparedClaim{Round: round - min(round, 1), Digest: digest}
		for j := range len(set) + i {
			p := &messages.Prepare{Sequence: sequence, Round: m.Prepared.Round, Digest: digest,
				Seal: make([]byte, messages.SealLength)}
			p.Seal[0], p.Seal[1] = 0xc0, byte(j)
			if err := messages.Sign(p, n.key); err == nil {
				m.Prepares = append(m.Prepares, p)
			}
		}
		n.say(set, nil, m)
	}
}

// say signs and sends; to is nil for everybody.
func (n *network) say(set, to []common.Address, m messages.Message) {
	if err := messages.Sign(m, n.key); err != nil {
		log.Error("Cannot sign", "err", err)
		return
	}
	n.Network.Send(set, m.Code(), m.Encode(), to, true)
}

// swapBody keeps the header, and so the hash, and changes the body: surplus withdrawals, one transaction more, or none.
func swapBody(block *types.Block, way int) *types.Block {
	body := types.Body{Transactions: slices.Clone(block.Transactions()), Uncles: block.Uncles()}
	switch {
	case way == 0:
		body.Withdrawals = []*types.Withdrawal{}
	case way == 2 && len(body.Transactions) > 0:
		body.Transactions = nil
	default:
		body.Transactions = append(body.Transactions,
			types.NewTx(&types.LegacyTx{GasPrice: big.NewInt(1), V: big.NewInt(27), R: big.NewInt(1), S: big.NewInt(1)}))
	}
	return types.NewBlockWithHeader(block.Header()).WithBody(body)
}

// renamed returns another valid block: the client text in the extra data is free (spec wbft 1.2).
func renamed(block *types.Block) *types.Block {
	return modes.Edited(block, func(_ *types.Header, x *types.WBFTExtra) {
		if x.Vanity = slices.Clone(x.Vanity); len(x.Vanity) == 0 {
			x.Vanity = make([]byte, 32)
		}
		x.Vanity[len(x.Vanity)-1] ^= 1
	})
}

func half(set []common.Address) []common.Address { return set[:len(set)/2] }

func otherDigest(digest common.Hash) common.Hash { return crypto.Keccak256Hash(digest[:]) }

// otherSeal returns the seal of nothing at all: a point of the curve, but not the right one.
func otherSeal(seal []byte) []byte {
	other := make([]byte, len(seal))
	other[0] = 0xc0 // the point at infinity
	return other
}
