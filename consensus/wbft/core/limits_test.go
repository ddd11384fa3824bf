// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/internal/scale"
	"gwon/consensus/wbft/messages"
	"gwon/core/rules"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// sized returns a child of the head whose RLP has the given number of bytes.
func (f *fixture) sized(size int) *types.Block {
	return f.sizedWith(&types.WBFTExtra{Vanity: []byte("sized")}, size)
}

// sizedWith is sized with extra data.
func (f *fixture) sizedWith(x *types.WBFTExtra, size int) *types.Block {
	f.t.Helper()
	data := size - 2000
	for range 8 {
		txs := types.Transactions{types.NewTx(&types.LegacyTx{
			To:       &common.Address{1},
			GasPrice: common.Big1,
			Gas:      21000,
			Data:     make([]byte, data),
			V:        big.NewInt(27),
			R:        common.Big1,
			S:        common.Big1,
		})}
		header := f.withText(x, nil).Header()
		header.TxHash = types.DeriveSha(txs, trie.NewStackTrie(nil))
		block := types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
		if n := int(block.Size()); n != size {
			data += size - n
			continue
		}
		return block
	}
	f.t.Fatalf("no block of %d bytes", size)
	return nil
}

// withExtra returns a child of the head whose extra data has the given size when n validators have sealed it. Epoch
// information takes most of it, as in an honest block.
func (f *fixture) withExtra(sealed, n int) *types.Block {
	f.t.Helper()
	x := &types.WBFTExtra{Vanity: make([]byte, maxFreeBytes), EpochInfo: new(types.EpochInfo)}
	info := x.EpochInfo
	for rules.SealedExtraSize(x, n) < sealed {
		info.Candidates = append(info.Candidates, types.EpochCandidate{Address: f.address(0)})
	}
	x.Vanity = x.Vanity[:maxFreeBytes+sealed-rules.SealedExtraSize(x, n)]
	must.That(f.t, rules.SealedExtraSize(x, n) == sealed, "no extra data of %d bytes", sealed)
	return f.withText(x, nil)
}

// withText returns a child of the head with extra data, and with other client text in it unless that is nil.
func (f *fixture) withText(x *types.WBFTExtra, text []byte) *types.Block {
	if text != nil {
		x.Vanity = text
	}
	header := f.block("").Header()
	header.Extra = x.Encode()
	return types.NewBlockWithHeader(header)
}

// withPadding returns a block with previous seals that have zeros behind their bitmaps, and a client text.
func (f *fixture) withPadding(prepared, committed, text int) *types.Block {
	padded := func(zeros int) *types.WBFTSeal {
		return &types.WBFTSeal{Sealers: append([]byte{7}, make([]byte, zeros)...), Signature: make([]byte, 96)}
	}
	return f.withText(&types.WBFTExtra{PrevPreparedSeal: padded(prepared), PrevCommittedSeal: padded(committed)},
		make([]byte, text))
}

// largest returns the size in bytes of the largest proposal whose block can be sealed by n validators.
func (f *fixture) largest(n int) int {
	f.t.Helper()
	block := f.sized(1 << 20)
	sealed := must.Get(rules.SealedBlockSize(block.Header(), 1<<20, n))(f.t)
	return rules.MaxBlock - (sealed - 1<<20)
}

// epochInfo returns epoch information of n validators.
func (f *fixture) epochInfo(n int) *types.EpochInfo {
	info := new(types.EpochInfo)
	for i := range n {
		info.Candidates = append(info.Candidates, types.EpochCandidate{Address: f.address(i), Diligence: 1_900_000})
		info.Validators = append(info.Validators, uint32(i))
		info.BLSPublicKeys = append(info.BLSPublicKeys, f.bls[i].PublicKey().Bytes())
	}
	return info
}

// A new proposal that would not fit into later messages is not voted for, and the round goes on.
// spec: wbft 4.1, 5.7
func TestProposalBounds(t *testing.T) {
	f := newFixture(t, 4)
	for _, test := range []struct {
		name  string
		block *types.Block
		ok    bool
	}{
		{"size one byte below", f.sized(f.largest(4) - 1), true},
		{"size at the bound", f.sized(f.largest(4)), true},
		{"size one byte above", f.sized(f.largest(4) + 1), false},
		{"client text of go-stablenet", f.withText(new(types.WBFTExtra), make([]byte, 32)), true},
		{"client text and epoch info", f.withText(&types.WBFTExtra{EpochInfo: f.epochInfo(4)}, make([]byte, 32)), true},
		{"client text at the bound", f.withText(&types.WBFTExtra{EpochInfo: f.epochInfo(4)}, make([]byte, 1024)), true},
		{"client text one byte above", f.withText(new(types.WBFTExtra), make([]byte, 1025)), false},
		{"zeros behind previous seals at the bound", f.withPadding(300, 692, 32), true},
		{"zeros behind the previous PREPAREs one above", f.withPadding(993, 0, 32), false},
		{"zeros behind the previous COMMITs one above", f.withPadding(0, 993, 32), false},
		{"zeros and client text one above", f.withPadding(300, 693, 32), false},
		{"extra data one byte below", f.withExtra(rules.MaxExtra-1, 4), true},
		{"extra data at the bound", f.withExtra(rules.MaxExtra, 4), true},
		{"extra data one byte above", f.withExtra(rules.MaxExtra+1, 4), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := f.player(2)
			p.do(Message{Code: messages.CodePrePrepare, Payload: f.proposal(0, 0, test.block).Encode(), From: f.address(0)})
			must.Equal(t, len(only[Execute](p.effects)) > 0, test.ok, "executed; %v", p.effects)
			own := f.player(0)
			own.do(Candidate{Block: test.block})
			sent := len(own.sends(messages.CodePrePrepare)) > 0
			expect.That(t, sent == test.ok && (len(only[Failed](own.effects)) > 0) != test.ok,
				"own candidate sent: %v; %v", sent, names(own.effects))
			if test.ok {
				return
			}
			p.wantFault(ExcessiveProposal, 0)
			expect.That(t, len(only[Misbehavior](p.effects)[0].Evidence) == 0 && len(only[BadDelivery](p.effects)) == 0,
				"held against a validator that may be one of go-stablenet")
			// A copy is not examined again, and another proposal of the round is welcome.
			p.do(Message{Code: messages.CodePrePrepare, Payload: f.proposal(0, 0, test.block).Encode(), From: f.address(1)})
			expect.That(t, len(only[Misbehavior](p.effects)) == 0, "a copy is reported again")
			p.propose(f.block("small"))
			expect.That(t, p.state == PrePrepared, "state %v after a proposal within the bounds", p.state)
		})
	}
}

// Whether a proposal is voted for does not depend on what sealing it adds in this round, but on the most that it can
// add: 206 bytes to a block with seals over its parent. Later releases of go-stablenet vote for 8,388,608 bytes.
// spec: wbft 7.3
func TestProposalAroundTheBoundOfBlocks(t *testing.T) {
	f := newFixture(t, 4)
	over := &types.WBFTSeal{Sealers: []byte{7}, Signature: make([]byte, 96)}
	x := &types.WBFTExtra{
		Vanity: make([]byte, 32), RandaoReveal: make([]byte, 65), PrevPreparedSeal: over, PrevCommittedSeal: over,
		GasTip: big.NewInt(27_600_000_000_000),
	}
	for size, voted := range map[int]bool{
		8_388_401: true, 8_388_402: true, 8_388_403: false, 8_388_404: false, 8_388_405: false, 8_388_408: false,
		8_388_409: false, 8_388_608: false, 8_388_609: false,
	} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			p := f.player(2)
			block := f.sizedWith(x, size)
			p.do(Message{Code: messages.CodePrePrepare, Payload: f.proposal(0, 0, block).Encode(), From: f.address(0)})
			expect.Equal(t, len(only[Execute](p.effects)) > 0, voted, "executed")
		})
	}
}

// Where messages are smaller than blocks may be, a proposal has to fit into every message that carries it on.
// spec: wbft 4.1
func TestProposalFitsIntoMessages(t *testing.T) {
	defer func(before int) { scale.MaxMessage = before }(scale.MaxMessage)
	scale.MaxMessage = 1 << 20
	f := newFixture(t, 4)
	for size, ok := range map[int]bool{messages.MaxProposal(4): true, messages.MaxProposal(4) + 1: false} {
		p := f.player(2).deliver(f.proposal(0, 0, f.sized(size)))
		expect.Equal(t, len(only[Execute](p.effects)) > 0, ok, "%d bytes executed", size)
	}
}

// An epoch block counts with its epoch information, and its seals with the largest round.
// spec: wbft 3.4
func TestEpochBlockAtBound(t *testing.T) {
	f := newFixture(t, 4)
	data := rules.MaxBlock - 4096
	for _, c := range []struct {
		above int
		ok    bool
	}{{0, true}, {1, false}} {
		var block *types.Block
		for range 8 {
			header := f.withText(&types.WBFTExtra{EpochInfo: f.epochInfo(4)}, make([]byte, 32)).Header()
			body := *f.sized(data).Body()
			header.TxHash = types.DeriveSha(types.Transactions(body.Transactions), trie.NewStackTrie(nil))
			block = types.NewBlockWithHeader(header).WithBody(body)
			sealed := must.Get(rules.SealedBlockSize(header, int(block.Size()), 4))(t)
			if sealed == rules.MaxBlock+c.above {
				break
			}
			data += rules.MaxBlock + c.above - sealed
		}
		p := f.player(2).deliver(f.proposal(0, 0, block))
		expect.Equal(t, len(only[Execute](p.effects)) > 0, c.ok, "%d bytes above the bound executed", c.above)
		all := &types.WBFTSeal{Sealers: []byte{0xf}, Signature: make([]byte, 96)}
		header := must.Get(block.Header().WithWBFTSeals(1<<32-1, all, all))(t)
		// A bitmap of four validators is a byte shorter in RLP than the largest of its length.
		expect.Equal(t, int(block.WithSeal(header).Size()), rules.MaxBlock+c.above-2, "bytes of the sealed block")
	}
}

// The largest extra data of a proposal passes the gate once the block is decided, and go-stablenet accepts it in an
// announced block.
// spec: wbft 1.2, 1.3
func TestDecidedBlockPassesGate(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1).toState(Committed, f.withExtra(rules.MaxExtra, 4))
	sealed := only[Commit](p.effects)[0].Block
	expect.Error(t, rules.ValidateBasic(sealed), nil, "ValidateBasic")
	expect.Error(t, sealed.SanityCheck(), nil, "go-stablenet refuses it when it is pushed")
}

// The lock on the largest proposal fits into a ROUND-CHANGE with the PREPAREs of all validators, and the next proposer
// can propose it again.
// spec: wbft 4.1, 5.9
func TestLargestProposalChangesRounds(t *testing.T) {
	f := newFixture(t, 4)
	block := f.sized(f.largest(4))
	p := f.player(2).toState(Prepared, block)
	p.expire(RoundTimer)
	change := p.sends(messages.CodeRoundChange)
	must.That(t, len(change) == 1 && fits(change[0].Payload), "no ROUND-CHANGE that can be sent: %v", names(p.effects))
	all := f.certificate(0, block, 0, 1, 2, 3) // as go-stablenet sends it
	proposer := f.player(1).deliver(f.roundChange(0, 1, all), f.roundChange(2, 1, all), f.roundChange(3, 1, all))
	proposals := proposer.sends(messages.CodePrePrepare)
	if len(proposals) != 1 {
		t.Fatalf("not proposed again: %v", only[Failed](proposer.effects))
	}
	p.do(Message{Code: messages.CodePrePrepare, Payload: proposals[0].Payload, From: f.address(1)}).validate(block)
	p.wantState(PrePrepared, 1)
}

// A prepared block above the bounds may be decided by validators of go-stablenet, so it is accepted.
// spec: wbft 5.7
func TestPreparedBlockAboveBounds(t *testing.T) {
	f := newFixture(t, 4)
	for name, block := range map[string]*types.Block{
		"size": f.sized(f.largest(4) + 1), "extra data": f.withExtra(rules.MaxExtra+1, 4),
		"client text": f.withText(new(types.WBFTExtra), make([]byte, 64<<10)),
	} {
		t.Run(name, func(t *testing.T) {
			cert := f.certificate(0, block, 0, 1, 2)
			p := f.player(3)
			p.deliver(f.roundChange(0, 1, cert))
			expect.That(t, !p.dropped(), "certificate refused: %v", p.effects)
			m := f.signed(1, &messages.PrePrepare{
				Sequence: 1, Round: 1, Block: block, RoundChanges: f.changes(1, cert, 0, 1, 2), Prepares: cert.prepares,
			})
			p.deliver(m)
			expect.That(t, len(only[Execute](p.effects)) == 1, "proposal refused: %v", p.effects)
		})
	}
}

// A ROUND-CHANGE that is too large is neither signed nor replaced by one without the lock.
// spec: wbft 5.7, 9.1
func TestOversizedLockIsNotHidden(t *testing.T) {
	f := newFixture(t, 4)
	block := f.sized(messages.MaxSize - 700)
	p := f.player(2)
	p.learn(block)
	p.lock = f.certificate(0, block, 0, 1, 3)
	p.signer.Record(Vote{Code: messages.CodeCommit, Sequence: 1, Digest: block.Hash()})
	p.expire(RoundTimer)
	expect.That(t, p.round == 1 && len(only[Send](p.effects))+len(only[Persist](p.effects)) == 0,
		"round %d, effects %v", p.round, names(p.effects))
	failed := only[Failed](p.effects)
	expect.That(t, len(failed) == 1 && strings.Contains(failed[0].Err.Error(), "at most"), "said: %v", failed)
	p.do(PeerConnected{Address: f.address(0)})
	expect.That(t, len(only[Send](p.effects)) == 0, "sent to one that connects")
}

// No effect sends a message above the limit, for which receivers end the connection.
// spec: wbft 4.1
func TestOversizedMessageIsNotSent(t *testing.T) {
	for _, size := range []int{messages.MaxSize - 1, messages.MaxSize, messages.MaxSize + 1} {
		for name, e := range map[string]Effect{
			"send":  Send{Code: messages.CodeRoundChange, Payload: make([]byte, size)},
			"relay": Relay{Code: messages.CodeRoundChange, Payload: make([]byte, size)},
		} {
			t.Run(name, func(t *testing.T) {
				c := New(Config{})
				c.emit(e)
				_, failed := c.effects[0].(Failed)
				expect.That(t, failed == (size > messages.MaxSize), "%d bytes: %T", size, c.effects[0])
			})
		}
	}
}
