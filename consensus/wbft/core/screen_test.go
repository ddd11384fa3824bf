// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// tiny returns a child of a header with the given number of smallest transactions, under another root.
func (f *fixture) tiny(parent *types.Header, count int) *types.Block {
	tx := types.NewTx(&types.LegacyTx{})
	txs := make(types.Transactions, count)
	for i := range txs {
		txs[i] = tx
	}
	return f.child(parent, "tiny").WithBody(types.Body{Transactions: txs})
}

// manyTransactions is a number of transactions for which no block on the fixture's head has gas, with all refunds.
const manyTransactions = 6_260

// undecoded delivers a message and checks that it was dropped without decoding its transactions.
func (p *player) undecoded(what string, m messages.Message, from int) {
	p.f.t.Helper()
	ev := Message{Code: m.Code(), Payload: m.Encode(), From: p.f.address(from)}
	if allocs := testing.AllocsPerRun(1, func() { p.do(ev) }); allocs > manyTransactions/2 {
		p.f.t.Errorf("%s: %v allocations", what, allocs)
	}
	p.wantDropped(what)
}

// Transactions are decoded only if their block has gas for them. Ten bytes become a transaction of hundreds in memory.
// spec: wbft 5.4
func TestTransactionsAreNotDecoded(t *testing.T) {
	f := newFixture(t, 4)
	block := f.tiny(f.head.Header, manyTransactions)
	next := f.tiny(f.block("head").Header(), manyTransactions+10)
	later := &messages.RoundChange{PreparedBlock: next, Prepares: f.certificate(0, next, 0, 1, 2).prepares}
	later.Sequence, later.Round, later.Prepared = 2, 1, &messages.PreparedClaim{Digest: next.Hash()}
	for name, test := range map[string]struct {
		m    messages.Message
		from int
	}{
		"of the proposer": {f.proposal(0, 0, block), 0},
		"passed on":       {f.proposal(0, 0, block), 3},
		"of a validator that is not the proposer": {f.proposal(1, 0, block), 1},
		"of a later round":                        {f.proposal(1, 1, block), 1},
		"of another head":                         {f.proposal(0, 0, f.tiny(f.block("b").Header(), manyTransactions)), 0},
		"of the next sequence":                    {f.signed(1, &messages.PrePrepare{Sequence: 2, Block: next}), 1},
		"of a sequence too far ahead":             {f.signed(1, &messages.PrePrepare{Sequence: 3, Block: next}), 1},
		"of the sequence before":                  {f.signed(1, &messages.PrePrepare{Sequence: 0, Block: block}), 1},
		"in a ROUND-CHANGE":                       {f.roundChange(0, 1, f.certificate(0, block, 0, 1, 3)), 0},
		"in a ROUND-CHANGE that is late":          {f.roundChange(0, 0, f.certificate(0, block, 0, 1, 3)), 0},
		"in a ROUND-CHANGE that is early":         {f.signed(0, later), 0},
		"in a ROUND-CHANGE of an outsider":        {newFixture(t, 5).roundChange(4, 1, f.certificate(0, block, 0, 1, 3)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			f.t = t
			p := f.player(2)
			if name == "in a ROUND-CHANGE that is late" {
				p.toRound(1)
			}
			p.undecoded(name, test.m, test.from)
		})
	}
}

// A block at the bound of the outline is decoded and judged as usual.
// spec: wbft 5.4
func TestGasAtBound(t *testing.T) {
	f := newFixture(t, 4)
	// 105,102,539 gas on this head, a fifth refunded.
	for count, ok := range map[int]bool{6_255: true, manyTransactions: false} {
		p := f.player(2)
		_, passed := p.screenBlock(mustEncode(t, f.tiny(f.head.Header, count)), nil)
		expect.That(t, (passed == nil) == ok, "%d transactions: %v", count, passed)
	}
}

func mustEncode(t *testing.T, block *types.Block) []byte {
	t.Helper()
	raw := must.Get(new(blocks).encode(block))(t)
	return raw
}

// Useless large messages are counted by deliverer, and after a few not examined in the round. Votes and messages of
// other deliverers are.
// spec: wbft 4.4
func TestUselessMessages(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2)
	other := f.child(f.block("b").Header(), "another head")
	for i := range 2 * maxUseless {
		m := &messages.PrePrepare{Sequence: 1, Block: f.child(other.Header(), string(rune('a'+i)))}
		p.carry(3, f.signed(0, m)).wantDropped("block of another sequence")
		want := CauseBlock
		if i >= maxUseless {
			want = CauseDeliverer
		}
		expect.Equal(t, only[Dropped](p.effects)[0].Cause, want, "message %d: cause", i)
		expect.That(t, len(only[Disconnect](p.effects)) == 0,
			"the connection of a deliverer that need not be the author is ended")
		blamed := only[BadDelivery](p.effects)
		expect.That(t, (len(blamed) == 1) == (i == maxUseless-1), "message %d: %v", i, blamed)
	}
	p.carry(3, f.prepare(3, 0, f.block("a")))
	expect.That(t, !p.dropped(), "its vote is not heard: %v", p.effects)
	p.carry(3, f.proposal(0, 0, f.block("a"))).wantDropped("a good proposal of such a deliverer")
	p.carry(0, f.proposal(0, 0, f.block("a")))
	expect.That(t, !p.dropped(), "the same of another one: %v", p.effects)
	p.toRound(1)
	expect.That(t, p.mayScreen(1<<20), "not forgotten with the round")
}

// Useless messages of nodes outside the set do not use up the share of others. All together are bounded: first each
// has one message, then none, until the round ends.
// spec: wbft 4.4
func TestStrangersAreCountedSeparately(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2)
	junk := &messages.PrePrepare{Sequence: 2, Block: f.child(f.head.Header, "of another sequence")}
	payload := f.signed(0, junk).Encode()
	strangerNo := func(i int) common.Address { return common.Address{0xff, byte(i >> 8), byte(i)} }
	deliver := func(i, times int) {
		for range times {
			p.do(Message{Code: junk.Code(), Payload: payload, From: strangerNo(i)})
			for _, blamed := range only[BadDelivery](p.effects) {
				if blamed.From != (common.Address{}) {
					t.Errorf("blamed by name: %v", blamed) // free identities would fill the log's memory
				}
			}
		}
	}
	looked := func(i, times int) {
		t.Helper()
		before := p.deliveries.strangers
		deliver(i, times+1)
		expect.Equal(t, p.deliveries.strangers-before, times, "messages of stranger %d were looked at", i)
	}
	looked(0, maxUseless)
	looked(1, maxUseless)
	for i := 2; p.deliveries.strangers < strangersUseless; i++ {
		deliver(i, maxUseless)
	}
	looked(100, 1)
	looked(101, 1)
	for i := 200; p.deliveries.strangers < maxStrangersUseless; i++ {
		deliver(i, 1)
	}
	looked(2000, 0)
	have := len(p.deliveries.useless)
	expect.That(t, have <= maxStrangersUseless, "%d strangers are remembered", have)
	p.carry(0, f.proposal(0, 0, f.block("a")))
	expect.That(t, !p.dropped(), "a validator's proposal: %v", p.effects)
	p.toRound(1)
	looked(0, maxUseless)
}

// Honest validators send late messages, repetitions and copies. Those are not counted.
// spec: wbft 4.4
func TestLateMessagesAreNotCounted(t *testing.T) {
	f := newFixture(t, 4)
	block := f.full(5000)
	late := f.proposal(0, 0, f.full(6000))
	cert := f.certificate(0, block, 0, 1, 2)
	p := f.player(3).propose(block)
	for range 3 * maxUseless {
		p.carry(0, f.proposal(0, 0, block)).wantDropped("a copy")
	}
	p.toRound(1)
	p.carry(1, f.roundChange(1, 2, cert))
	for range 3 * maxUseless {
		p.carry(0, late).wantDropped("proposal of a round that is over")
		p.carry(1, f.roundChange(1, 2, cert)).wantDropped("the same ROUND-CHANGE")
		p.carry(2, f.signed(2, &messages.PrePrepare{Sequence: 5, Block: block})).wantDropped(
			"proposal of a node that is ahead",
		)
	}
	d := p.deliveries
	expect.That(t, len(d.own)+len(d.relayed)+len(d.useless) == 0, "counted: %+v", d)
}

// A validator that delivers its own message which no honest validator signs is disconnected. One that relays it is
// not, nor is one above a bound that go-stablenet does not know.
// spec: wbft 4.4, 5.7
func TestDisconnect(t *testing.T) {
	f := newFixture(t, 4)
	body := swapped(f.block("a"))
	undecodable := f.proposal(
		0, 0, f.block("a").WithBody(types.Body{Transactions: types.Transactions{types.NewTx(&types.AccessListTx{})}}),
	)
	for name, test := range map[string]struct {
		m    messages.Message
		ends bool
	}{
		"more transactions than gas": {f.proposal(0, 0, f.tiny(f.head.Header, manyTransactions)), true},
		"another body":               {f.proposal(0, 0, body), true},
		"another body, as prepared": {f.signed(1, &messages.PrePrepare{
			Sequence: 1, Round: 1, Block: body, RoundChanges: f.changes(1, nil, 0, 1, 3),
			Prepares: f.certificate(0, f.block("a"), 0, 1, 3).prepares,
		}), false},
		"own seals":                    {f.proposal(0, 0, f.selfSealed(f.block("a"))), true},
		"transactions of another root": {undecodable, true},
		"above the bound of extra":     {f.proposal(0, 0, f.withExtra(102_401, 4)), false},
		"not the proposer":             {f.proposal(1, 0, f.full(1000)), false},
		"unjustified": {
			f.signed(1, &messages.PrePrepare{Sequence: 1, Round: 1, Block: f.full(1000)}), false,
		},
		"bad certificate": {f.weak(0, 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			env := must.Get(messages.Open(test.m.Code(), test.m.Encode()))(t)
			author := must.Get(env.Signer())(t)
			for _, from := range []common.Address{author, f.address(3)} {
				p := f.player(2)
				p.do(Message{Code: test.m.Code(), Payload: test.m.Encode(), From: from})
				p.wantDropped(name)
				ended := only[Disconnect](p.effects)
				want := test.ends && from == author
				expect.That(t, (len(ended) == 1) == want, "ends the connection of the author %v: %v", from == author, ended)
				if len(ended) == 1 && ended[0].Peer != author {
					t.Errorf("connection of %v", ended[0].Peer)
				}
			}
		})
	}
}
