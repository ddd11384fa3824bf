// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package shares

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// TestNextNodeContinues: a node that starts with any two cosigners has the messages that other two approved, in the
// bytes in which they were sent, and the lock. It cannot forget the COMMIT. spec: wbft 9.1
func TestNextNodeContinues(t *testing.T) {
	for away := range 3 {
		for next := range 3 {
			t.Run(fmt.Sprintf("without %d, then without %d", away, next), func(t *testing.T) {
				b := newBed(t, t.TempDir(), files)
				c := b.committee(&way{down: away == 0}, &way{down: away == 1}, &way{down: away == 2})
				sent := make(map[uint64][]byte)
				for _, code := range allCodes[:3] {
					in := intent(code, 20, 1, 1)
					must(t, c.Sign(in))
					sent[code] = in.Message.Encode()
				}
				c.Close()

				c = b.committee(&way{down: next == 0}, &way{down: next == 1}, &way{down: next == 2})
				defer c.Close()
				votes, err := c.OpenVotes(b.owner)
				must(t, err)
				sequences := votes.Sequences()
				if len(sequences) != 1 || len(sequences[0].Records) != 3 {
					t.Fatalf("the log has %+v", sequences)
				}
				for _, r := range sequences[0].Records {
					if !bytes.Equal(r.Payload, sent[r.Code]) {
						t.Errorf("message %#x is %x, want %x", r.Code, r.Payload, sent[r.Code])
					}
				}
				if lock := sequences[0].Lock; lock == nil || lock.Round != 1 || !bytes.Equal(lock.Certificate, []byte{1, 1}) {
					t.Errorf("the lock is %+v", lock)
				}
				if !votes.Knows(20) || votes.Knows(21) {
					t.Error("wrong sequences are known")
				}
				if err := c.Sign(intent(messages.CodeRoundChange, 20, 2, 0)); !errors.Is(err, signing.ErrForgotten) {
					t.Errorf("a ROUND-CHANGE that forgets the COMMIT: %v", err)
				}
				must(t, c.Sign(intent(messages.CodeRoundChange, 20, 2, 6)))
				must(t, votes.Close())
			})
		}
	}
}

// TestUnfinishedMessages: what one cosigner approved before a node ended is finished by the next start, or refused.
// spec: wbft 9.1
func TestUnfinishedMessages(t *testing.T) {
	b := newBed(t, t.TempDir(), files)
	c := b.committee(&way{}, &way{down: true}, &way{down: true})
	if err := c.Sign(intent(messages.CodeCommit, 20, 0, 1)); !errors.Is(err, signing.ErrAway) {
		t.Fatalf("one cosigner is enough: %v", err)
	}
	c.Close()
	c = b.committee(&way{}, &way{down: true}, &way{})
	votes, err := c.OpenVotes(b.owner)
	must(t, err)
	want := intent(messages.CodeCommit, 20, 0, 1)
	must(t, signing.WithKeys(b.key, b.seals)(want))
	sequences := votes.Sequences()
	if len(sequences) != 1 || !bytes.Equal(sequences[0].Records[0].Payload, want.Message.Encode()) {
		t.Errorf("the log has %+v", sequences)
	}
	if state := b.cosigners[2].State(); len(state.Sequences) != 1 || state.Sequences[0].Lock == nil {
		t.Errorf("the second approval is without the lock: %+v", state)
	}
	must(t, votes.Close())
	c.Close()

	// Two cosigners with different votes, of two nodes: neither was approved, so that neither is there.
	alone := func(i int, in signing.Intent) {
		c := b.committee(&way{down: i != 0}, &way{down: i != 1}, &way{down: i != 2})
		if err := c.Sign(in); !errors.Is(err, signing.ErrAway) {
			t.Fatal(err)
		}
		c.Close() // it waits for the cosigner
	}
	alone(0, intent(messages.CodePrepare, 21, 0, 1))
	alone(1, intent(messages.CodePrepare, 21, 0, 2))
	c = b.committee(&way{}, &way{}, &way{down: true})
	defer c.Close()
	votes, err = c.OpenVotes(b.owner)
	must(t, err)
	if sequences = votes.Sequences(); len(sequences) != 2 || len(sequences[1].Records) != 0 {
		t.Errorf("the log has %+v", sequences)
	}

	// Two nodes have raced, and the third cosigner has approved what one of them asked for.
	alone(0, intent(messages.CodePrepare, 21, 1, 1))
	alone(1, intent(messages.CodePrepare, 21, 1, 2))
	alone(2, intent(messages.CodePrepare, 21, 1, 1))
	for down := range 3 { // of the answers about the log, not of those about the message
		c := b.committee(&way{mute: down == 0}, &way{mute: down == 1}, &way{mute: down == 2})
		votes, err = c.OpenVotes(b.owner)
		must(t, err)
		want := intent(messages.CodePrepare, 21, 1, 1)
		must(t, signing.WithKeys(b.key, b.seals)(want))
		sequences = votes.Sequences()
		if last := sequences[1].Records; !bytes.Equal(last[len(last)-1].Payload, want.Message.Encode()) {
			t.Errorf("without %d: the log has %+v", down, last)
		}
		c.Close()
	}

	// Without a second cosigner it is unknown whether it was approved.
	alone(0, intent(messages.CodePrepare, 22, 0, 1))
	d := b.committee(&way{deaf: true}, &way{deaf: true}, &way{down: true})
	defer d.Close()
	if _, err := d.OpenVotes(b.owner); !errors.Is(err, signing.ErrAway) {
		t.Errorf("a start without an answer about a message: %v", err)
	}
}

// TestOriginsAndFloors: the union is as careful as the most careful log, and signs from where a threshold does.
// spec: wbft 9.1
func TestOriginsAndFloors(t *testing.T) {
	known := func(since uint64, lost bool) *votelog.Origin { return &votelog.Origin{Since: since, Lost: lost} }
	states := []*State{
		{Floor: 7, Origin: known(5, false)}, {Floor: 3, Origin: known(9, true)}, {Floor: 5, Origin: known(6, false)},
	}
	if o := originOf(states); o == nil || *o != *known(9, true) {
		t.Errorf("origin %+v", o)
	}
	if f := floorOf(states, 2); f != 5 {
		t.Errorf("floor %d, want 5", f)
	}
	states[1].Origin = nil
	if o := originOf(states); o != nil {
		t.Errorf("origin %+v of a log without one", o)
	}
}

// TestUnionTakesBack: a message from the network and a lock without a message are in a threshold of logs before what
// rests on them is sent, and are there for the next node. spec: wbft 9.1
func TestUnionTakesBack(t *testing.T) {
	b := newBed(t, t.TempDir(), files)
	ways := []*way{{}, {}, {down: true}}
	c := b.committee(ways...)
	votes, err := c.OpenVotes(b.owner)
	must(t, err)
	if votes.Origin() != nil {
		t.Error("a new log has an origin")
	}
	must(t, votes.SetOrigin(votelog.Origin{Since: 3}))
	in := intent(messages.CodePrepare, 20, 0, 1)
	must(t, signing.WithKeys(b.key, b.seals)(in))
	record := votelog.Record{
		Code: messages.CodePrepare, Sequence: 20, Digest: signing.Subject(in.Message), Payload: in.Message.Encode(),
	}
	lock := votelog.Lock{Sequence: 20, Certificate: []byte{9}}
	must(t, votes.Write([]votelog.Record{record}, []votelog.Lock{lock}))
	ways[0].down, ways[1].down = true, true
	must(t, votes.Write([]votelog.Record{record}, []votelog.Lock{lock})) // they are there
	later := votelog.Lock{Sequence: 20, Round: 1, Certificate: []byte{9}}
	if err := votes.Write(nil, []votelog.Lock{later}); !errors.Is(err, signing.ErrAway) {
		t.Errorf("a lock without cosigners: %v", err)
	}
	c.Close()

	foreign := intent(messages.CodePrepare, 20, 1, 1)
	must(t, foreign.Message.SignWith(unsigned))
	if err := b.cosigners[0].Keep([]votelog.Record{{
		Code: messages.CodePrepare, Sequence: 20, Round: 1, Digest: signing.Subject(foreign.Message),
		Payload: foreign.Message.Encode(),
	}}, nil); !errors.Is(err, ErrRefused) {
		t.Errorf("a message of another key: %v", err)
	}

	c = b.committee(&way{}, &way{down: true}, &way{})
	defer c.Close()
	must(t, b.cosigners[2].SetOrigin(votelog.Origin{Since: 2}))
	votes, err = c.OpenVotes(b.owner)
	must(t, err)
	if o := votes.Origin(); o == nil || o.Since != 3 {
		t.Errorf("origin %+v", o)
	}
	s := votes.Sequences()
	if len(s) != 1 || len(s[0].Records) != 1 || !bytes.Equal(s[0].Records[0].Payload, record.Payload) ||
		s[0].Lock == nil || !bytes.Equal(s[0].Lock.Certificate, lock.Certificate) {
		t.Errorf("the log has %+v", s)
	}
}
