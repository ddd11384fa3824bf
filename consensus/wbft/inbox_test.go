// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

func inboxOf(members ...common.Address) *inbox {
	in := newInbox()
	var list []validators.Validator
	for _, a := range members {
		list = append(list, validators.Validator{Address: a})
	}
	in.setMembers(validators.NewSet(list))
	return in
}

// drain takes everything the way the driver does: one message for a token.
func (in *inbox) drain(t *testing.T) []core.Message {
	t.Helper()
	var all []core.Message
	for {
		select {
		case <-in.ready:
			if m, ok := in.take(); ok {
				all = append(all, m)
			}
		default:
			m, ok := in.take()
			must.That(t, !ok, "message of %v left without a token", m.From)
			return all
		}
	}
}

// add puts a message in and fails the test unless it is kept; it returns what had to go.
func (in *inbox) add(t *testing.T, from common.Address, payload ...byte) []core.Message {
	t.Helper()
	ok, evicted := in.put(core.Message{From: from, Payload: payload})
	must.That(t, ok, "no room for a message of %v", from)
	return evicted
}

// A validator that floods fills its own share, where its oldest messages give way to its newest, and delays each
// message of another one by one message (spec wbft 9.3 no. 1).
func TestInboxSharesAreSeparate(t *testing.T) {
	hostile, honest := common.Address{1}, common.Address{2}
	in := inboxOf(hostile, honest, common.Address{3}, common.Address{4})
	for i := range 2 * shareMessages {
		evicted := in.add(t, hostile, byte(i>>8), byte(i))
		must.That(t, i >= shareMessages || len(evicted) == 0, "message %d has no room of its own", i)
		if i >= shareMessages &&
			(len(evicted) != 1 || int(evicted[0].Payload[0])<<8|int(evicted[0].Payload[1]) != i-shareMessages) {
			t.Fatalf("for message %d went %v, want message %d", i, evicted, i-shareMessages)
		}
	}
	for i := range byte(3) {
		must.That(t, len(in.add(t, honest, i)) == 0, "another validator's messages give way")
	}
	all := in.drain(t)
	must.Equal(t, len(all), shareMessages+3, "messages")
	for i := range byte(3) {
		if m := all[2*i+1]; m.From != honest || m.Payload[0] != i {
			t.Errorf("message %d is of %v, want the %d. of the honest one", 2*i+1, m.From, i+1)
		}
	}
}

// serve takes everything like the driver and charges what a message costs; it returns the order of the deliverers.
func (in *inbox) serve(count int, cost map[common.Address]time.Duration) (order []common.Address) {
	for range count {
		m, ok := in.take()
		if !ok {
			break
		}
		in.charge(m.From, cost[m.From])
		order = append(order, m.From)
	}
	return order
}

func countOf(list []common.Address, a common.Address) (n int) {
	for _, b := range list {
		if a == b {
			n++
		}
	}
	return n
}

// Turns are fair by what they cost: who sends what is expensive to examine waits while the others are served, so that a
// third of the validators with expensive messages takes a third of the time, not nearly all of it (spec wbft 9.3 no.
// 2).
func TestInboxIsFairByCost(t *testing.T) {
	hostile, a, b := common.Address{1}, common.Address{2}, common.Address{3}
	in := inboxOf(hostile, a, b)
	for i := range byte(100) {
		in.add(t, hostile, i)
		in.add(t, a, i)
		in.add(t, b, i)
	}
	cost := map[common.Address]time.Duration{hostile: 24 * time.Millisecond, a: time.Millisecond, b: time.Millisecond}
	order := in.serve(3*24+1, cost)
	if n := countOf(order, hostile); n < 1 || n > 2 {
		t.Errorf("the expensive one had %d of the first %d turns, want one for 24 of each other", n, len(order))
	}
	n, m := countOf(order, a), countOf(order, b)
	expect.That(t, n >= 24 && m >= 24, "the cheap ones had %d and %d turns, want at least 24", n, m)
	rest := in.serve(1000, cost)
	expect.That(t, len(rest)+len(order) == 300, "%d messages were served, want all 300", len(rest)+len(order))
}

// Time that no other deliverer wanted is not charged, and a deliverer that was silent for long has not saved time up.
func TestInboxForgetsIdleTime(t *testing.T) {
	busy, silent := common.Address{1}, common.Address{2}
	in := inboxOf(busy, silent)
	cost := map[common.Address]time.Duration{busy: time.Millisecond, silent: time.Millisecond}
	for i := range 200 { // alone, for a long time
		in.add(t, busy, byte(i))
		in.serve(1, cost)
	}
	for i := range byte(50) {
		in.add(t, busy, i)
		in.add(t, silent, i)
	}
	n := countOf(in.serve(20, cost), busy)
	expect.That(t, n >= 9 && n <= 11, "the one that was busy alone before has %d of 20 turns, want half", n)
	in.serve(1000, cost)
	// An expensive message is held against its deliverer also when nothing else of it waits at the moment.
	in.add(t, busy, 1)
	in.add(t, silent, 1)
	in.serve(2, map[common.Address]time.Duration{busy: time.Second, silent: time.Millisecond})
	in.add(t, silent, 2)
	in.serve(1, cost)
	in.add(t, busy, 2)
	for i := range byte(20) {
		in.add(t, silent, i)
	}
	expect.That(t, countOf(in.serve(20, cost), busy) == 0,
		"an expensive message was forgotten with the share that it emptied")
}

// Large messages are bounded by their bytes, and the room comes back.
func TestInboxBytes(t *testing.T) {
	a := common.Address{1}
	in := inboxOf(a)
	large := core.Message{From: a, Payload: make([]byte, messages.MaxSize)}
	in.add(t, a, 0)
	ok, evicted := in.put(large)
	expect.That(t, ok && len(evicted) == 0, "no room for the largest message")
	expect.Equal(t, len(in.add(t, a, 1)), 0, "no room for a vote beside the largest message")
	if ok, evicted := in.put(large); !ok || len(evicted) != 1 || len(evicted[0].Payload) != messages.MaxSize {
		t.Error("a share holds two of the largest messages, or a new one finds no room")
	}
	ok, _ = in.put(core.Message{From: a, Payload: make([]byte, messages.ShareBytes+1)})
	expect.That(t, !ok, "a message larger than a share is kept")
	if n := len(in.drain(t)); n != 3 || in.bytes != 0 { // a large one that is relayed displaces no vote
		t.Errorf("%d messages and then %d bytes, want both votes and the second large one, and none", n, in.bytes)
	}
	ok, evicted = in.put(large)
	expect.That(t, ok && len(evicted) == 0, "the room does not come back")
}

// All shares of a large set together are bounded, and who holds most gives way: a third of a hundred validators with
// the largest messages costs the others nothing (spec wbft 9.3 no. 1).
func TestHeldMessagesAreBounded(t *testing.T) {
	var all []common.Address
	for i := range byte(100) {
		all = append(all, common.Address{1, i})
	}
	in := inboxOf(all...)
	lost := 0
	for round := range byte(4) {
		for i, a := range all {
			if i%3 == 0 {
				_, evicted := in.put(core.Message{From: a, Payload: make([]byte, messages.MaxSize/2)})
				for _, m := range evicted {
					must.Equal(t, len(m.Payload), messages.MaxSize/2, "a small message gave way to a large one")
				}
				lost += len(evicted)
			} else {
				in.add(t, a, round)
			}
			must.That(t, in.bytes <= inboxBytes, "%d bytes wait, more than %d", in.bytes, inboxBytes)
		}
	}
	expect.That(t, lost != 0, "the test does not reach the bound")
	small := 0
	for _, m := range in.drain(t) {
		if len(m.Payload) == 1 {
			small++
		}
	}
	expect.That(t, small == 4*66 && in.bytes == 0,
		"%d small messages came through, want %d; %d bytes are left", small, 4*66, in.bytes)
}

// Who leaves the set leaves the inbox once its messages are served.
func TestInboxMembersChange(t *testing.T) {
	a, b := common.Address{1}, common.Address{2}
	in := inboxOf(a, b)
	in.add(t, a, 1)
	in.add(t, b, 1)
	in.serve(1, nil)
	next := inboxOf(b).set.Load()
	in.setMembers(next)
	in.serve(2, nil)
	in.setMembers(next)
	if _, kept := in.members[a]; kept || len(in.members) != 1 {
		t.Errorf("%d shares, one of them of a validator that left: %t", len(in.members), kept)
	}
}

// Peers that are no validators come last, and strangerRate bounds their messages in a second.
func TestInboxStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		member, stranger := common.Address{1}, common.Address{2}
		in := inboxOf(member)
		accepted := 0
		flood := func() {
			for range 1000 {
				if ok, _ := in.put(core.Message{From: stranger}); ok {
					accepted++
				}
			}
		}
		flood()
		in.put(core.Message{From: member})
		all := in.drain(t)
		if accepted != strangerRate || len(all) != strangerRate+1 || all[0].From != member {
			t.Errorf("%d messages of strangers accepted, %d served, the first of %v; want %d, one more, the member", accepted,
				len(all), all[0].From, strangerRate)
		}
		flood()
		expect.Equal(t, accepted, strangerRate, "more in the same second")
		time.Sleep(time.Second)
		flood()
		expect.Equal(t, accepted, 2*strangerRate, "none in the next second")
	})
}

// A deliverer puts in what an honest one can have among n validators, at once and from then on, and no more. What it
// has relayed or what was evicted unread is not counted, and its account is its own. spec: wbft 9.3 no. 1
func TestInboxAccounts(t *testing.T) {
	for _, n := range []int{1, 4, 40} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var all []common.Address
				for i := range n {
					all = append(all, common.Address{1, byte(i)})
				}
				in, hostile := inboxOf(all...), all[0]
				burst, each := messages.Allowance(n)
				if want := 32 * 6 * n; burst != want || each*time.Duration(6*n) > time.Second {
					t.Fatalf("%d messages at once, one more in %v; want %d, and %d a second", burst, each, want, 6*n)
				}
				flood := func() (accepted int) {
					for {
						ok, _ := in.put(core.Message{From: hostile})
						if !ok {
							return accepted
						}
						accepted++
						in.take()
					}
				}
				expect.Equal(t, flood(), burst, "messages at once")
				time.Sleep(3 * each)
				expect.Equal(t, flood(), 3, "messages later")
				for range 5 {
					in.refund(hostile)
				}
				expect.Equal(t, flood(), 5, "messages in the place of 5 relayed ones")
				for _, a := range all[1:] {
					in.add(t, a, 1)
				}
				time.Sleep(time.Hour)
				evictions := 0
				for range 2 * burst { // none is read
					_, evicted := in.put(core.Message{From: hostile})
					evictions += len(evicted)
				}
				want := 2*burst - shareMessages
				expect.That(t, n <= 2 || evictions == want, "%d unread messages made room, want %d", evictions, want)
			})
		})
	}
}
