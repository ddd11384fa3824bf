// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// largeMessages is a messenger of a network in which one peer is a validator, one was before, and one never was.
type largeMessages struct {
	*Messenger
	next, prior, stranger *Session
	count                 uint64
	delivered             int
}

func newLargeMessages(t testing.TB, head time.Time) *largeMessages {
	t.Helper()
	l := &largeMessages{Messenger: NewMessenger(common.Address{1}, NewSessions(), func(*Session) {})}
	l.DeliverTo(func(uint64, []byte, common.Address) bool {
		l.delivered++
		return true
	})
	join := func() *Session {
		p, _ := testPeer(t)
		ses := l.sessions.Join(p)
		ses.Shook(new(protocol.Peer))
		return ses
	}
	l.next, l.prior, l.stranger = join(), join(), join()
	for _, ses := range []*Session{l.prior, l.next, l.next} {
		l.Follow(validators.NewSet([]validators.Validator{{Address: ses.Address}}), head)
	}
	return l
}

// tell sends different messages of one size until the connection ends. It returns the number of messages that were
// passed on.
func (l *largeMessages) tell(ses *Session, size, count int) (delivered int, err error) {
	payload := make([]byte, size)
	before := l.delivered
	for range count {
		l.count++
		binary.BigEndian.PutUint64(payload, l.count)
		msg := p2p.Msg{Code: messages.CodePrePrepare, Size: uint32(size), Payload: bytes.NewReader(payload)}
		if err = l.receive(ses, msg); err != nil {
			break
		}
	}
	return l.delivered - before, err
}

// Large messages of a node that is no validator are not read, and several of them end its connection. Small ones are
// read, and so are large ones of validators of the previous set (spec wbft 4.4).
func TestLargeMessagesOfStrangers(t *testing.T) {
	stranger := func(l *largeMessages) *Session { return l.stranger }
	for name, test := range map[string]struct {
		from      func(*largeMessages) *Session
		age       time.Duration // of the head
		size      int
		count     int
		delivered int
		ends      bool
	}{
		"validator": {func(l *largeMessages) *Session { return l.next }, 0, messages.MaxSmall + 1, 3, 3,
			false},
		"former validator": {func(l *largeMessages) *Session { return l.prior }, 0, messages.MaxSmall + 1, 3,
			3, false},
		"stranger, small":                     {stranger, 0, messages.MaxSmall, 100, 100, false},
		"stranger, a few":                     {stranger, 0, messages.MaxSmall + 1, largeAtOnce, 0, false},
		"stranger, too many":                  {stranger, 0, messages.MaxSmall + 1, largeAtOnce + 1, 0, true},
		"stranger, while this node is behind": {stranger, time.Hour, messages.MaxSmall + 1, 10 * largeAtOnce, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLargeMessages(t, time.Now().Add(-test.age))
				delivered, err := l.tell(test.from(l), test.size, test.count)
				expect.That(t, delivered == test.delivered && (err != nil) == test.ends,
					"%d messages handed on, error %v, want %d and an error: %v", delivered, err, test.delivered, test.ends)
			})
		})
	}
}

// Discarded messages are not read.
func TestLargeMessagesAreNotRead(t *testing.T) {
	l := newLargeMessages(t, time.Now())
	payload := make([]byte, messages.MaxSize)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range largeAtOnce {
		msg := p2p.Msg{Code: messages.CodePrePrepare, Size: messages.MaxSize, Payload: bytes.NewReader(payload)}
		must.Do(t, l.receive(l.stranger, msg))
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<20 {
		t.Errorf("%d bytes allocated for %d messages that are not wanted", allocated, largeAtOnce)
	}
}

// A validator's large messages are limited to the bytes of an honest one's rounds. A limit of their number would be
// used up by the smallest of them that others have signed. It stays connected. spec: wbft 4.4
func TestLargeMessagesOfValidators(t *testing.T) {
	for name, size := range map[string]int{"largest": messages.MaxSize, "small": messages.MaxSize / 100} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLargeMessages(t, time.Now())
				round := (1 + 2) * messages.MaxSize / size // a set of one
				taken := func() (count int) {
					for ; l.checkSize(l.next, uint32(size)) == nil; count++ {
					}
					return count
				}
				expect.Equal(t, taken(), largeAtOnce*round, "large messages at once")
				expect.That(t, l.checkSize(l.next, messages.MaxSmall) == nil, "a small one is refused beside them")
				for range 30 { // a round a second
					time.Sleep(roundEach + time.Microsecond)
					expect.Equal(t, taken(), round, "large messages of a round")
				}
				expect.That(t, l.checkSize(l.next, uint32(size)).err == nil, "the connection ends")
			})
		})
	}
}

// The reason of a disconnection is logged once a minute for each peer, with its address, and not for each of many.
func TestReport(t *testing.T) {
	var out bytes.Buffer
	expect.Log(t, log.NewTerminalHandlerWithLevel(&out, slog.LevelInfo, false))
	s := NewSessions()
	first, _ := testPeer(t)
	second, _ := testPeer(t)
	synctest.Test(t, func(t *testing.T) {
		for range 2 {
			for range 5 {
				s.Report(first, errors.New("too large"))
				s.Report(second, errors.New("too large"))
			}
			time.Sleep(reportEach)
		}
	})
	if lines := strings.Count(out.String(), "Peer dropped"); lines != 4 || strings.Count(out.String(), "address=") != 4 {
		t.Errorf("%d lines, want 4, with addresses:\n%s", lines, out.String())
	}
	synctest.Test(t, func(*testing.T) {
		for i := range 2 * reportsAtOnce {
			s.Report(p2p.NewPeer(enode.ID{byte(i), 1}, "stranger", nil), errors.New("another genesis"))
		}
	})
	lines := strings.Count(out.String(), "another genesis")
	expect.That(t, lines != 0 && lines <= reportsAtOnce, "%d lines about strangers, want at most %d", lines, reportsAtOnce)
}
