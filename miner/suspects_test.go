// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"crypto/sha256"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethminer "github.com/ethereum/go-ethereum/miner"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestDelayOfSuspectDoubles doubles the delay of a suspect up to a bound. Without a further offense it is forgotten.
func TestDelayOfSuspectDoubles(t *testing.T) {
	var (
		s      = newSuspects()
		sender = common.Address{1}
		number = uint64(100)
	)
	want := func(number uint64, standing gethminer.Standing) {
		t.Helper()
		expect.Equal(t, s.standing(sender, number), standing, "block %d: standing", number)
	}
	want(number, gethminer.Ordinary)
	for delay := uint64(firstDelay); delay <= 2*maxDelay; delay *= 2 {
		bounded := min(delay, maxDelay)
		must.Equal(t, s.add(sender, number), bounded, "delay in blocks")
		want(number+bounded, gethminer.LeftOut)
		number += bounded + 1
		want(number, gethminer.Last)
	}
	number += forgetting*maxDelay - 1
	want(number, gethminer.Last)
	want(number+1, gethminer.Ordinary)
	expect.Equal(t, s.add(sender, number+1), firstDelay, "delay in blocks of a forgotten sender")
	s.prove(sender)
	want(number+2, gethminer.Proven)
	s.add(sender, number+2)
	want(number+3, gethminer.LeftOut)
}

// TestSuspectsAreBounded displaces the suspect that would be forgotten first.
func TestSuspectsAreBounded(t *testing.T) {
	s := newSuspects()
	address := func(i uint64) common.Address { return common.BigToAddress(new(big.Int).SetUint64(i)) }
	for i := uint64(1); i <= maxSenders+10; i++ {
		s.add(address(i), i)
	}
	expect.Equal(t, len(s.bySender), maxSenders, "senders")
	_, ok := s.bySender[address(10)]
	expect.That(t, !ok, "the oldest one is still there")
	_, ok = s.bySender[address(11)]
	expect.That(t, ok, "a newer one is not there")
}

// evaluations is a contract that makes failing point evaluations until its gas is used up.
var evaluations = common.Address{0x4e}

// evaluationsCode copies its input to memory, and calls the precompile with it in a loop.
var evaluationsCode = common.FromHex("365f5f375b5f5f60c05f600a61c350fa50600456")

// failing returns the input of an evaluation that decodes and does not verify. Commitment and proof are the generator.
func failing() []byte {
	generator := common.FromHex(
		"97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
	)
	version := sha256.Sum256(generator)
	version[0] = 1
	input := append(version[:], common.LeftPadBytes([]byte{7}, 32)...)
	input = append(input, common.LeftPadBytes([]byte{9}, 32)...)
	return append(append(input, generator...), generator...)
}

// expensive returns a call of that contract with 100 million gas, signed by account i.
func (s *site) expensive(i int, nonce uint64) *types.Transaction {
	id := s.chain.Config().ChainID
	return types.MustSignNewTx(testKey(i), types.NewAnzeonSigner(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(enough), Gas: 100_000_000,
		To: &evaluations, Data: failing(),
	})
}

// TestExcludesSlowTransaction excludes a transaction that exceeds its time, from later blocks without an attempt. Other
// transactions, and a cheap replacement of the same sender, are included.
func TestExcludesSlowTransaction(t *testing.T) {
	s := open(t, 0)
	s.builder.deadline = 2 * time.Second
	long, good := s.expensive(first, 0), s.transfer(second, 0, governedTip, enough)
	s.submit(t, long, good)
	before := tooLongCounter.Snapshot().Count()
	wantContents(t, s.build(t, t.Context()), good)
	must.Equal(t, tooLongCounter.Snapshot().Count()-before, 1, "transactions exceeded their time")
	expect.That(t, s.pool.Has(long.Hash()), "the pool has lost it")
	looked := 0
	s.smuggler.looked = func() { looked++ }
	wantContents(t, s.build(t, t.Context()), good)
	expect.Equal(t, looked, 1, "transactions were taken from the pool")
	s.smuggler.looked = nil
	cheap := s.transfer(first, 0, 2*governedTip, 2*enough)
	s.submit(t, cheap)
	have := contents(s.build(t, t.Context()))
	expect.That(t, len(have) == 2, "transactions %v, want the cheap one %v too", have, cheap.Hash())
}

// TestSuspectsSlowOfLostProposal suspects the senders of slow transactions when another block is decided in place of
// the proposal, or a later round begins.
func TestSuspectsSlowOfLostProposal(t *testing.T) {
	sender := common.Address{1}
	for _, c := range []struct {
		name      string
		later     bool // the next build has the same number and a later timestamp
		committed bool // the next build has the next number
		own       bool // the decided block is the one that was built
		lost      bool
	}{
		{name: "built again in the same round"},
		{name: "another round", later: true, lost: true},
		{name: "decided", committed: true, own: true},
		{name: "another block decided", committed: true, lost: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, 0)
			parent := s.chain.CurrentBlock()
			executed := s.build(t, t.Context())
			s.builder.last.slow = []common.Address{sender}
			timestamp := executed.Block().Time()
			switch {
			case c.later:
				timestamp++
			case c.own:
				must.Do(t, s.chain.CommitExecuted(s.net.Seal(t, s.chain, executed.Block(), 0), executed))
			case c.committed:
				s.builder.last.hash = common.Hash{1}
				s.net.Extend(t, s.chain, 1)
			}
			if c.committed {
				parent = s.chain.CurrentBlock()
				timestamp = parent.Time + 1
			}
			s.builder.review(parent, timestamp)
			standing := s.builder.suspects.standing(sender, parent.Number.Uint64()+1)
			expect.That(t, c.lost == (standing == gethminer.LeftOut), "standing %d, lost: %v", standing, c.lost)
		})
	}
}
