// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/consensus/wbft/messages"
	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// meet runs gwon/1 of a node with the configuration {"a": "1", "b": "2"} towards a peer, and returns what it has sent,
// in what the peer differs, and what ended it.
func meet(t *testing.T, sessions *Sessions, send func(p2p.MsgReadWriter) error) (sent configurationMessage,
	differs string, ended error) {
	t.Helper()
	here, there := p2p.MsgPipe()
	met := make(chan string, 1)
	c := NewConfigurations(sessions, common.Hash{1}, core.Configuration{"a": "1", "b": "2"},
		func(_ *Session, difference string) { met <- difference })
	p, _ := testPeer(t)
	end := make(chan error, 1)
	go func() { end <- c.run(p, here) }()
	msg := must.Get(there.ReadMsg())(t)
	must.Do(t, msg.Decode(&sent))
	if err := send(there); err != nil && !errors.Is(err, p2p.ErrPipeClosed) {
		t.Fatal(err)
	}
	select {
	case differs = <-met:
		if differs != "" {
			sessions.Report(p, errors.New("REASON"))
		}
		must.Do(t, there.Close())
		ended = <-end
	case ended = <-end:
	}
	return sent, differs, ended
}

// Two nodes tell each other their configurations once. A difference is named, also before a peer is accused, and ends
// nothing; what breaks the protocol does (spec network 1).
func TestConfigurationsAreCompared(t *testing.T) {
	var text bytes.Buffer
	expect.Log(t, log.LogfmtHandler(&text))
	tell := func(genesis byte, settings ...setting) func(p2p.MsgReadWriter) error {
		return func(rw p2p.MsgReadWriter) error {
			return p2p.Send(rw, 0, &configurationMessage{Genesis: common.Hash{genesis}, Settings: settings})
		}
	}
	long := strings.Repeat("x", core.MaxSetting+1)
	for _, row := range []struct {
		name    string
		send    func(p2p.MsgReadWriter) error
		differs string
		breach  string // what ends the connection; empty for its own end
	}{
		{"same", tell(1, setting{"a", "1"}, setting{"b", "2"}), "", ""},
		{"other value", tell(1, setting{"a", "1"}, setting{"b", "3"}), "b is 2 here and 3 at the peer", ""},
		{"rule that this node lacks", tell(1, setting{"a", "1"}, setting{"b", "2"}, setting{"c", "4"}),
			"c is absent here and 4 at the peer", ""},
		{"long path", tell(1, setting{long, "1"}), "", "a setting is too long"},
		{"unprintable value", tell(1, setting{"a", "\x1b[2J"}), "", "not ASCII"},
		{"no list", func(rw p2p.MsgReadWriter) error { return p2p.Send(rw, 0, "text") }, "", "breach of gwon/1"},
		{"too large", func(rw p2p.MsgReadWriter) error {
			return p2p.Send(rw, 0, make([]byte, messages.MaxSmall+1))
		}, "", "at most 65536 are allowed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text.Reset()
			sent, differs, ended := meet(t, NewSessions(), row.send)
			expect.That(t, len(sent.Settings) == 2 && sent.Genesis == (common.Hash{1}), "sent %v", sent)
			expect.Equal(t, differs, row.differs, "difference")
			if row.breach == "" && !errors.Is(ended, p2p.ErrPipeClosed) ||
				row.breach != "" && (!errors.Is(ended, errConfiguration) || !strings.Contains(ended.Error(), row.breach)) {
				t.Errorf("ended with %v, want %q", ended, row.breach)
			}
			accused := "the chain configurations differ, " + row.differs + ": REASON"
			if row.differs != "" && !strings.Contains(text.String(), accused) {
				t.Errorf("the log lacks %q: %s", accused, &text)
			}
		})
	}
}

// A peer of another chain has no difference worth a word, and a second message ends the connection.
func TestConfigurationOfAnotherChain(t *testing.T) {
	_, differs, ended := meet(t, NewSessions(), func(rw p2p.MsgReadWriter) error {
		other := &configurationMessage{Genesis: common.Hash{2}, Settings: []setting{{"a", "5"}}}
		return errors.Join(p2p.Send(rw, 0, other), p2p.Send(rw, 0, other))
	})
	if differs != "" || !errors.Is(ended, errConfiguration) || !strings.Contains(ended.Error(), "a second message") {
		t.Errorf("difference %q, ended with %v", differs, ended)
	}
}

// A configuration that peers would not read is not sent to them.
func TestHugeConfigurationIsNotSent(t *testing.T) {
	huge := make(core.Configuration)
	for i := range messages.MaxSmall / core.MaxSetting {
		huge[strings.Repeat("p", core.MaxSetting-1)+string(rune('a'+i%26))+strings.Repeat("q", i/26)] =
			strings.Repeat("v", core.MaxSetting)
	}
	p, _ := testPeer(t)
	c := NewConfigurations(NewSessions(), common.Hash{}, huge, nil)
	c.tell(p, writerFunc(func(p2p.Msg) error {
		t.Error("it is sent")
		return nil
	}))
}

type writerFunc func(p2p.Msg) error

func (f writerFunc) WriteMsg(msg p2p.Msg) error { return f(msg) }
