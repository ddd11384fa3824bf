// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// delivered records what a driver would get.
type delivered struct {
	payloads [][]byte
	refuse   bool
}

func (d *delivered) deliver(_ uint64, payload []byte, _ common.Address) bool {
	if !d.refuse {
		d.payloads = append(d.payloads, payload)
	}
	return !d.refuse
}

// testPeer returns a connection that carries nothing, and an address for its node.
func testPeer(t testing.TB) (*p2p.Peer, common.Address) {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	return p2p.NewPeer(enode.PubkeyToIDV4(&key.PublicKey), "test", nil), crypto.PubkeyToAddress(key.PublicKey)
}

// A node seals if it is a validator of the next block or of the previous set; before the first head no node does.
func TestSeals(t *testing.T) {
	m := NewMessenger(common.Address{1}, NewSessions(), func(*Session) {})
	var ids []enode.ID
	var sets []*validators.Set
	for range 3 {
		p, address := testPeer(t)
		ids = append(ids, p.ID())
		sets = append(sets, validators.NewSet([]validators.Validator{{Address: address}}))
	}
	want := func(seals ...bool) {
		t.Helper()
		for i, id := range ids {
			expect.Equal(t, m.Seals(id), seals[i], "node %d seals", i)
		}
	}
	want(false, false, false)
	m.Follow(sets[0], time.Now())
	want(true, false, false)
	m.Follow(sets[1], time.Now())
	want(true, true, false)
	m.Follow(sets[1], time.Now())
	want(true, true, false)
	m.Follow(sets[2], time.Now())
	want(false, true, true)
}

func message(code uint64, payload string) p2p.Msg {
	return p2p.Msg{Code: code, Size: uint32(len(payload)), Payload: bytes.NewReader([]byte(payload))}
}

// paired returns a messenger with one peer that eth and istanbul both run with.
func paired(t *testing.T) (*Messenger, *Session, *delivered) {
	t.Helper()
	m := NewMessenger(common.Address{1}, NewSessions(), func(*Session) {})
	d := new(delivered)
	deliver := d.deliver
	m.deliver.Store(&deliver)
	p, address := testPeer(t)
	m.Follow(validators.NewSet([]validators.Validator{{Address: address}}), time.Now())
	ses := m.sessions.Join(p)
	must.Equal(t, ses.Address, address, "address")
	ses.listen()
	ses.Shook(new(protocol.Peer))
	return m, ses, d
}

func receive(t *testing.T, m *Messenger, ses *Session, msg p2p.Msg) {
	t.Helper()
	err := m.receive(ses, msg)
	must.That(t, err == nil, "message %#x: %v", msg.Code, err)
}

// A message is handed on once, from any number of peers (spec wbft 4.4).
func TestKnownMessageIsDeliveredOnce(t *testing.T) {
	m, ses, d := paired(t)
	for range 3 {
		receive(t, m, ses, message(messages.CodePrepare, "vote"))
	}
	expect.That(t, len(d.payloads) == 1 && string(d.payloads[0]) == "vote", "delivered %q, want one vote", d.payloads)
}

// Unknown codes are ignored, and so are all messages without a driver. Neither ends the connection (spec wbft 4.1,
// 4.4).
func TestIgnoredMessages(t *testing.T) {
	m, ses, d := paired(t)
	for _, code := range []uint64{0x00, 0x07, 0x11, 0x15 + 1} {
		receive(t, m, ses, message(code, "x"))
	}
	m.deliver.Store(nil)
	receive(t, m, ses, message(messages.CodeCommit, "late"))
	expect.That(t, len(d.payloads) == 0, "delivered %q, want nothing", d.payloads)
	// Messages ignored without a driver are not remembered as known.
	deliver := d.deliver
	m.deliver.Store(&deliver)
	receive(t, m, ses, message(messages.CodeCommit, "late"))
	expect.Equal(t, len(d.payloads), 1, "a message ignored before is not delivered after the start")
}

// A message above 10 MiB costs the connection before it is read (spec wbft 4.1).
func TestOversizedMessage(t *testing.T) {
	m, ses, _ := paired(t)
	err := m.receive(ses, p2p.Msg{Code: messages.CodePrepare, Size: messages.MaxSize + 1, Payload: bytes.NewReader(nil)})
	expect.Refused(t, err, "accepted")
}

// Messages that overtake the eth handshake are kept, within a bound, and delivered after it (spec network 3).
func TestEarlyMessages(t *testing.T) {
	m := NewMessenger(common.Address{1}, NewSessions(), func(*Session) {})
	d := new(delivered)
	deliver := d.deliver
	m.deliver.Store(&deliver)
	p, address := testPeer(t)
	ses := m.sessions.Join(p)
	for range earlyMessages {
		receive(t, m, ses, message(messages.CodePrepare, "of a stranger"))
	}
	expect.Equal(t, len(ses.early), 0, "messages of a peer that is no validator are kept")
	m.Follow(validators.NewSet([]validators.Validator{{Address: address}}), time.Now())
	for i := range earlyMessages + 5 {
		receive(t, m, ses, message(messages.CodePrepare, string(rune('a'+i))))
	}
	must.Equal(t, len(d.payloads), 0, "delivered before the handshake")
	early, _ := ses.Shook(new(protocol.Peer))
	for _, e := range early {
		m.Accept(ses, e)
	}
	expect.Equal(t, len(d.payloads), earlyMessages, "early messages delivered")
}

// A message the driver had no room for may come again.
func TestRefusedMessageIsForgotten(t *testing.T) {
	m, ses, d := paired(t)
	d.refuse = true
	receive(t, m, ses, message(messages.CodePrepare, "vote"))
	d.refuse = false
	receive(t, m, ses, message(messages.CodePrepare, "vote"))
	expect.That(t, len(d.payloads) == 1, "delivered %d times, want once", len(d.payloads))
}

// A message that came to nothing is handed on again when its author repeats it (spec wbft 9.2 no. 5).
func TestForgottenMessage(t *testing.T) {
	m, ses, d := paired(t)
	receive(t, m, ses, message(messages.CodeRoundChange, "early"))
	m.Forget([]byte("early"))
	receive(t, m, ses, message(messages.CodeRoundChange, "early"))
	expect.That(t, len(d.payloads) == 2, "delivered %d times, want twice", len(d.payloads))
}

// Own messages are sent to the validators of the set, not back to peers that have them, and again when forced (spec
// wbft 4.4, 9.2 no. 4).
func TestSendSkipsPeersThatKnow(t *testing.T) {
	m, ses, _ := paired(t)
	set := []common.Address{ses.Address, {9}}
	m.Send(set, messages.CodePrepare, []byte("a"), nil, false)
	m.Send(set, messages.CodePrepare, []byte("a"), nil, false)
	must.Equal(t, len(ses.outbox), 1, "messages queued")
	m.Send(set, messages.CodePrepare, []byte("a"), nil, true)
	expect.Equal(t, len(ses.outbox), 2, "forced messages queued")
	m.Send([]common.Address{{9}}, messages.CodePrepare, []byte("b"), nil, false)
	m.Send(set, messages.CodePrepare, []byte("c"), []common.Address{{9}}, false)
	expect.Equal(t, len(ses.outbox), 2, "sent to a peer outside the set or the addressees messages queued")
	receive(t, m, ses, message(messages.CodeCommit, "from peer"))
	m.Relay(set, messages.CodeCommit, []byte("from peer"))
	expect.Equal(t, len(ses.outbox), 2, "relayed to the peer it came from messages queued")
}

// A full queue does not make the node believe that the peer has the message.
func TestFullOutbox(t *testing.T) {
	m, ses, _ := paired(t)
	for i := range queuedMessages + 1 {
		m.Send([]common.Address{ses.Address}, messages.CodePrepare, []byte{byte(i), byte(i >> 8)}, nil, false)
	}
	last := newMessage(messages.CodePrepare, []byte{byte(queuedMessages % 256), byte(queuedMessages / 256)}).hash
	expect.That(t, !ses.messages.Contains(last), "a dropped message counts as sent")
}

// What others choose, which this node relays, takes half of a queue: an own message of the largest size has room beside
// it, and so have votes. spec: wbft 4.4
func TestRelaysLeaveRoomForOwnMessages(t *testing.T) {
	for name, size := range map[string]int{"votes": 100, "the largest": messages.MaxSize} {
		t.Run(name, func(t *testing.T) {
			m, ses, _ := paired(t)
			set := []common.Address{ses.Address}
			payload := make([]byte, size)
			for i := range queuedMessages {
				payload[0], payload[1] = byte(i), byte(i>>8)
				m.Relay(set, messages.CodeRoundChange, payload)
			}
			relayed := len(ses.outbox)
			expect.Equal(t, relayed, min(queuedMessages/2, queuedBytes/2/size), "relays queued")
			for i := range 100 {
				m.Send(set, messages.CodeCommit, []byte{byte(i)}, nil, false)
			}
			m.Send(set, messages.CodeRoundChange, make([]byte, messages.MaxSize-100), nil, true)
			expect.Equal(t, len(ses.outbox)-relayed, 101, "own messages queued")
		})
	}
}

// The session ends with the first of its protocols.
func TestSessionCloses(t *testing.T) {
	s := NewSessions()
	p, _ := testPeer(t)
	a, b := s.Join(p), s.Join(p)
	must.Equal(t, a, b, "two sessions for one connection")
	a.Shook(new(protocol.Peer))
	must.Equal(t, len(s.Ready()), 1, "not ready after the handshake")
	s.Leave(a)
	expect.That(t, len(s.Ready()) == 0 && a.Up() == nil, "ready after one protocol has ended")
	s.Leave(b)
	expect.That(t, s.Of(p) == nil, "kept after both have ended")
}

// Early messages and those waiting to be sent are bounded by their bytes as well: the largest one fits, a second one
// does not.
func TestLargeMessagesAreBounded(t *testing.T) {
	large := consensusMessage{code: messages.CodePrePrepare, payload: make([]byte, messages.MaxSize)}
	p, _ := testPeer(t)
	ses := NewSessions().Join(p)
	ses.keepEarly(large, true)
	ses.keepEarly(large, true)
	ses.keepEarly(consensusMessage{code: messages.CodePrepare, payload: []byte{1}}, true)
	expect.That(t, len(ses.early) == 2 && len(ses.early[1].payload) == 1,
		"%d early messages kept, want one of the largest and the vote", len(ses.early))

	_, ses, _ = paired(t)
	for i := range byte(5) {
		ses.sendMessage(consensusMessage{messages.CodePrePrepare, large.payload, common.Hash{i}}, false)
	}
	expect.Equal(t, len(ses.outbox), queuedBytes/messages.MaxSize, "waiting messages of the largest size")
	expect.That(t, !ses.messages.Contains(common.Hash{4}) && ses.messages.Contains(common.Hash{0}),
		"what was dropped counts as sent, or what waits does not")
}

// A flood displaces only messages of the same deliverer: messages of strangers and validators are not handled twice
// because of others (spec wbft 4.4).
func TestKnownMessagesAreNotChurned(t *testing.T) {
	m, ses, d := paired(t)
	p, other := testPeer(t)
	flooding := m.sessions.Join(p)
	flooding.Shook(new(protocol.Peer))
	receive(t, m, ses, message(messages.CodePrepare, "vote"))
	own := []byte("own vote")
	m.Send(nil, messages.CodePrepare, own, nil, false)
	for _, member := range []bool{false, true} {
		if member {
			m.Follow(validators.NewSet([]validators.Validator{{Address: ses.Address}, {Address: other}}), time.Now())
		}
		for i := range 2 * remembered {
			receive(t, m, flooding, message(messages.CodePrepare, fmt.Sprint("junk ", member, i)))
		}
		before := len(d.payloads)
		receive(t, m, ses, message(messages.CodePrepare, "vote"))
		receive(t, m, flooding, message(messages.CodePrepare, "vote"))
		receive(t, m, flooding, message(messages.CodePrepare, string(own)))
		expect.Equal(t, len(d.payloads), before, "flood of a validator: %v: known messages were delivered again", member)
	}
	expect.Equal(t, len(m.known.shares), 4, "shares each for two validators, this node and all others")
	m.Follow(validators.NewSet([]validators.Validator{{Address: ses.Address}}), time.Now())
	expect.Equal(t, len(m.known.shares), 3, "shares after a validator has left")
}

// A stranger's early copy of a validator's message does not exclude the validator's own copy.
func TestStrangerDoesNotKeepOutValidators(t *testing.T) {
	m, ses, d := paired(t)
	p, _ := testPeer(t)
	early := m.sessions.Join(p)
	early.Shook(new(protocol.Peer))
	for _, from := range []*Session{early, early, ses, ses, early} {
		receive(t, m, from, message(messages.CodePrepare, "vote"))
	}
	expect.That(t, len(d.payloads) == 2,
		"delivered %d times, want once for the stranger and once for the validator", len(d.payloads))
}

// Drop ends all connections to a validator and no others, and is logged once a minute.
func TestDropEndsConnections(t *testing.T) {
	var text strings.Builder
	expect.Log(t, log.LogfmtHandler(&text))
	m, faulty, _ := paired(t)
	stranger, _ := testPeer(t)
	connect := func(id enode.ID) (near, far *p2p.MsgPipeRW) {
		near, far = p2p.MsgPipe()
		m.sessions.Join(p2p.NewPeerPipe(id, "test", nil, far)).Shook(new(protocol.Peer))
		return near, far
	}
	first, _ := connect(faulty.Peer.ID())
	second, _ := connect(faulty.Peer.ID())
	another, rest := connect(stranger.ID())
	for range 3 {
		m.Drop(faulty.Address, "test")
	}
	for _, near := range []*p2p.MsgPipeRW{first, second} {
		if _, err := near.ReadMsg(); err == nil { // returns when the connection ends
			t.Error("a message from a dropped peer")
		}
	}
	n := strings.Count(text.String(), "Peer dropped")
	expect.That(t, n == 1, "logged %d times", n)
	// The other one still carries messages.
	go func() { _ = p2p.Send(rest, 1, "x") }()
	msg, err := another.ReadMsg()
	expect.That(t, err == nil && msg.Discard() == nil, "another peer was dropped: %v", err)
}

// Messages that no node sends end the connection: an empty one, and a legacy one that does not begin with an RLP
// string. Another legacy message is read and not passed on; other codes are ignored.
// spec: wbft 4.1
func TestMessagesWithoutForm(t *testing.T) {
	for _, test := range []struct {
		name    string
		code    uint64
		payload string
		ends    bool
	}{
		{"empty PRE-PREPARE", messages.CodePrePrepare, "", true},
		{"empty PREPARE", messages.CodePrepare, "", true},
		{"empty COMMIT", messages.CodeCommit, "", true},
		{"empty ROUND-CHANGE", messages.CodeRoundChange, "", true},
		{"empty legacy message", codeLegacy, "", true},
		{"legacy message with a list", codeLegacy, "\xc1\x01", true},
		{"legacy message with a string cut short", codeLegacy, "\x85abc", true},
		{"legacy message", codeLegacy, "\x83abc", false},
		{"legacy message of a byte", codeLegacy, "\x01", false},
		{"legacy message with bytes after it", codeLegacy, "\x83abc\xc1\x01", false},
		{"empty message of another code", 0x07, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, ses, d := paired(t)
			err := m.receive(ses, message(test.code, test.payload))
			expect.That(t, (err != nil) == test.ends, "error %v", err)
			expect.Equal(t, len(d.payloads), 0, "handed on")
		})
	}
}

// A connection that brings more useless messages than an honest one has messages is read as fast as one of these is
// added. Useful messages do not wait. spec: wbft 9.3 no. 1
func TestFloodWaitsAtItsSender(t *testing.T) {
	for name, refuse := range map[string]bool{"refused": true, "repeated": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, ses, d := paired(t)
				burst, each := messages.Allowance(m.sets.Load().next.Len())
				d.refuse = refuse
				read := func(count int) time.Duration {
					begun := time.Now()
					for i := range count {
						text := "again"
						if refuse {
							text = fmt.Sprint(i, begun)
						}
						receive(t, m, ses, message(messages.CodeCommit, text))
					}
					return time.Since(begun)
				}
				if !refuse {
					read(1)
				}
				waited := read(burst)
				expect.That(t, waited == 0, "waited %v before the bound", waited)
				waited = read(100)
				expect.That(t, waited >= 49*each, "100 messages beyond it came in %v", waited)
				d.refuse = false
				begun := time.Now()
				for i := range burst {
					receive(t, m, ses, message(messages.CodePrepare, fmt.Sprint("useful", i)))
				}
				expect.Equal(t, time.Since(begun), 0, "useful messages have waited")
			})
		})
	}
}
