// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

func inboxOf(members ...common.Address) *inbox {
	in := newInbox()
	var list []validators.Validator
	for _, a := range members {
		list = append(list, validators.Validator{Address: a})
	}
	in.set.Store(validators.NewSet(list))
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
			if m, ok := in.take(); ok {
				t.Fatalf("message of %v left without a token", m.From)
			}
			return all
		}
	}
}

// A validator that floods fills its own share and delays each message of another one by one message (spec wbft 9.3 no. 1).
func TestInboxSharesAreSeparate(t *testing.T) {
	hostile, honest := common.Address{1}, common.Address{2}
	in := inboxOf(hostile, honest)
	accepted := 0
	for range 2 * shareMessages {
		if in.put(core.Message{From: hostile, Payload: []byte{1}}) {
			accepted++
		}
	}
	if accepted != shareMessages {
		t.Errorf("%d messages of one validator wait, want %d", accepted, shareMessages)
	}
	for i := range byte(3) {
		if !in.put(core.Message{From: honest, Payload: []byte{i}}) {
			t.Fatal("no room for another validator")
		}
	}
	all := in.drain(t)
	if len(all) != shareMessages+3 {
		t.Fatalf("%d messages, want %d", len(all), shareMessages+3)
	}
	for i := range byte(3) {
		if m := all[2*i+1]; m.From != honest || m.Payload[0] != i {
			t.Errorf("message %d is of %v, want the %d. of the honest one", 2*i+1, m.From, i+1)
		}
	}
	if len(in.members) != 0 || len(in.turns) != 0 {
		t.Error("empty shares are kept")
	}
}

// Large messages are bounded by their bytes, and the room comes back.
func TestInboxBytes(t *testing.T) {
	a := common.Address{1}
	in := inboxOf(a)
	large := core.Message{From: a, Payload: make([]byte, messages.MaxSize)}
	if !in.put(large) || in.put(large) {
		t.Error("a share holds not one of the largest messages, but none or two")
	}
	if !in.put(core.Message{From: a, Payload: []byte{1}}) {
		t.Error("no room for a vote beside the largest message")
	}
	in.drain(t)
	if !in.put(large) {
		t.Error("the room does not come back")
	}
}

// Peers that are no validators come last, and only so many of their messages are looked at in a second.
func TestInboxStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		member, stranger := common.Address{1}, common.Address{2}
		in := inboxOf(member)
		accepted := 0
		flood := func() {
			for range 1000 {
				if in.put(core.Message{From: stranger}) {
					accepted++
				}
			}
		}
		flood()
		in.put(core.Message{From: member})
		all := in.drain(t)
		if accepted != strangerRate || len(all) != strangerRate+1 || all[0].From != member {
			t.Errorf("%d messages of strangers accepted, %d served, the first of %v; want %d, one more, the member", accepted, len(all), all[0].From, strangerRate)
		}
		flood()
		if accepted != strangerRate {
			t.Error("more in the same second")
		}
		time.Sleep(time.Second)
		flood()
		if accepted != 2*strangerRate {
			t.Error("none in the next second")
		}
	})
}
