// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// The sub-protocol that carries consensus messages (spec wbft 4.1).
const (
	istanbulName    = "istanbul"
	istanbulVersion = 100
	istanbulLength  = 22
	codeLegacy      = 0x11 // a message in an RLP string; no node sends it (spec wbft 4.1)
)

var (
	strangersMeter = metrics.NewRegisteredMeter("gwon/messages/refused/nonvalidator", nil)
	tooManyMeter   = metrics.NewRegisteredMeter("gwon/messages/refused/rate", nil)
	tooLargeMeter  = metrics.NewRegisteredMeter("gwon/messages/refused/size", nil)
	formMeter      = metrics.NewRegisteredMeter("gwon/messages/refused/form", nil)
)

var errNoEth68 = errors.New("istanbul/100 and gwon/1 need eth/68 on the same connection")

// Messenger carries consensus messages between the driver and connected validators. It implements part of
// wbft.Network.
type Messenger struct {
	self     common.Address
	sessions *Sessions
	known    *knownMessages
	sets     atomic.Pointer[knownSets] // nil before the first head
	paired   func(*Session)            // called when eth and istanbul run on a session

	deliver atomic.Pointer[func(code uint64, payload []byte, from common.Address) bool] // nil while no driver runs
}

// knownSets are the validators of the next block, and the previous set.
type knownSets struct {
	next, prior *validators.Set
	head        time.Time // time of the newest block
}

func (k *knownSets) contains(address common.Address) bool {
	return k.next.Contains(address) || k.prior != nil && k.prior.Contains(address)
}

// NewMessenger returns the messenger of the node with address self. The function paired is called when eth and
// istanbul run on a session.
func NewMessenger(self common.Address, s *Sessions, paired func(*Session)) *Messenger {
	return &Messenger{self: self, sessions: s, paired: paired, known: newKnown(self)}
}

// Protocol returns the devp2p sub-protocol istanbul/100.
func (m *Messenger) Protocol(info func() any) p2p.Protocol {
	return p2p.Protocol{
		Name:     istanbulName,
		Version:  istanbulVersion,
		Length:   istanbulLength,
		Run:      m.run,
		NodeInfo: info,
		PeerInfo: m.peerInfo,
	}
}

// peerInfo returns the entry istanbul of admin_peers.
func (m *Messenger) peerInfo(id enode.ID) any {
	ses := m.sessions.find(id)
	if ses == nil {
		return nil
	}
	return struct {
		Version int            `json:"version"`
		Address common.Address `json:"address"` // address of the peer's node key
	}{istanbulVersion, ses.Address}
}

// run reads the consensus messages of one connection. It starts before the end of the eth handshake, because an
// unread message would block that handshake.
func (m *Messenger) run(p *p2p.Peer, rw p2p.MsgReadWriter) error {
	if !p.RunningCap(protocol.ProtocolName, []uint{protocol.ETH68}) {
		return errNoEth68
	}
	ses := m.sessions.Join(p)
	defer m.sessions.Leave(ses)
	go ses.writeMessages(rw)
	if ses.listen() {
		m.paired(ses)
	}
	for {
		msg, err := rw.ReadMsg()
		if err != nil {
			return err
		}
		if err := m.receive(ses, msg); err != nil {
			m.sessions.Report(p, err)
			return err
		}
	}
}

// DeliverTo passes messages to a driver, which reports false when it has no room. With nil, messages are ignored.
func (m *Messenger) DeliverTo(driver func(code uint64, payload []byte, from common.Address) bool) {
	if driver == nil {
		m.deliver.Store(nil)
		return
	}
	m.deliver.Store(&driver)
}

// Follow sets the validators of the next block and the time of its parent.
func (m *Messenger) Follow(set *validators.Set, head time.Time) {
	known := &knownSets{next: set, head: head}
	if old := m.sets.Load(); old != nil {
		known.prior = old.prior
		if old.next != set && !old.next.SameMembers(set) {
			known.prior = old.next
			defer m.known.keep(set)
		}
	}
	m.sets.Store(known)
}

// Member reports whether a peer is a validator.
func (m *Messenger) Member(ses *Session) bool {
	sets := m.sets.Load()
	return sets != nil && sets.next.Contains(ses.Address)
}

// Seals reports whether a node is a validator of the next block, or was one in the previous set.
func (m *Messenger) Seals(id enode.ID) bool {
	sets := m.sets.Load()
	return sets != nil && sets.contains(AddressOf(id))
}

// refusal says why a message is not passed on: the meter that counts it, and the error that disconnects the peer, nil
// for a peer that may stay.
type refusal struct {
	meter *metrics.Meter
	err   error
}

// settle counts a refusal and returns the error for the connection.
func (r *refusal) settle() error {
	r.meter.Mark(1)
	return r.err
}

// receive handles one message. The value of a message that is not refused depends on the state of consensus.
func (m *Messenger) receive(ses *Session, msg p2p.Msg) error {
	defer msg.Discard() //nolint:errcheck // the next read reports a broken connection
	if r := m.checkSize(ses, msg.Size); r != nil {
		return r.settle()
	}
	switch msg.Code {
	case messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit, messages.CodeRoundChange, codeLegacy:
	default:
		return nil
	}
	payload := make([]byte, msg.Size)
	if _, err := io.ReadFull(msg.Payload, payload); err != nil {
		return err
	}
	if err := checkForm(msg.Code, payload); err != nil {
		return (&refusal{formMeter, err}).settle()
	}
	if msg.Code == codeLegacy {
		return nil
	}
	in := newMessage(msg.Code, payload)
	if !ses.keepEarly(in, m.Member(ses)) && !m.Accept(ses, in) {
		m.pace(ses)
	}
	return nil
}

// pace makes a connection wait that has brought more useless messages than an honest node has messages at all. What it
// sends then waits at the sender.
func (m *Messenger) pace(ses *Session) {
	n := 0
	if sets := m.sets.Load(); sets != nil {
		n = sets.next.Len()
	}
	if burst, each := messages.Allowance(n); !ses.useless.Spend(burst, each) {
		tooManyMeter.Mark(1)
		time.Sleep(each)
	}
}

// checkForm returns an error for messages that no node sends: empty ones, and legacy ones that do not begin with an RLP
// string (spec wbft 4.1).
func checkForm(code uint64, payload []byte) error {
	if len(payload) == 0 {
		return fmt.Errorf("empty consensus message 0x%x", code)
	}
	if code != codeLegacy {
		return nil
	}
	if kind, _, _, err := rlp.Split(payload); err != nil {
		return fmt.Errorf("consensus message 0x%x: %w", code, err)
	} else if kind == rlp.List {
		return fmt.Errorf("consensus message 0x%x holds a list, want an RLP string", code)
	}
	return nil
}

// checkSize returns the refusal of a message that is not read because of its size in bytes, nil for any other one. A
// message above the bound of all messages disconnects the peer, and so do several large ones of a node that is no
// validator.
func (m *Messenger) checkSize(ses *Session, size uint32) *refusal {
	sets := m.sets.Load()
	switch {
	case size > messages.MaxSize:
		err := fmt.Errorf("consensus message of %d bytes, at most %d are allowed", size, messages.MaxSize)
		return &refusal{tooLargeMeter, err}
	case size <= messages.MaxSmall:
		return nil
	case sets != nil && sets.contains(ses.Address):
		each := roundEach / time.Duration(sets.next.Len()+2) * time.Duration(size) / messages.MaxSize
		if ses.large.Spend(int(largeAtOnce*roundEach/each), each) {
			return nil
		}
		return &refusal{meter: tooManyMeter}
	case sets == nil || time.Since(sets.head) > freshHead || ses.unread.Spend(largeAtOnce, strangersEach):
		return &refusal{meter: strangersMeter} // the set may not be current, or the node may take an older one for current
	}
	return &refusal{strangersMeter, fmt.Errorf("more than %d consensus messages above %d bytes from a node that is no "+
		"validator, the last of %d", largeAtOnce, messages.MaxSmall, size)}
}

// newMessage returns a message with its hash, which is used only in this process. SHA-256 takes a quarter of Keccak's
// time on processors that support it.
func newMessage(code uint64, payload []byte) consensusMessage {
	return consensusMessage{code, payload, sha256.Sum256(payload)}
}

// Accept passes an unknown message to the driver. It reports false for a message that the connection has brought
// before, and for one that the driver refuses.
func (m *Messenger) Accept(ses *Session, in consensusMessage) bool {
	again := ses.messages.Contains(in.hash)
	ses.messages.Add(in.hash, struct{}{})
	deliver := m.deliver.Load()
	if deliver == nil {
		return !again
	}
	by := stranger
	if m.Member(ses) {
		by = ses.Address
	}
	if m.known.add(by, in.hash) && !(*deliver)(in.code, in.payload, ses.Address) {
		m.known.forget(in.hash) // dropped under load; another copy may be accepted
		return false
	}
	return !again
}

// Send implements wbft.Network.
func (m *Messenger) Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool) {
	out := newMessage(code, payload)
	m.known.add(m.self, out.hash)
	for _, ses := range m.validators(set) {
		if to != nil && !slices.Contains(to, ses.Address) {
			continue
		}
		if force || !ses.messages.Contains(out.hash) {
			ses.sendMessage(out, false)
		}
	}
}

// Relay implements wbft.Network.
func (m *Messenger) Relay(set []common.Address, code uint64, payload []byte) {
	out := newMessage(code, payload)
	for _, ses := range m.validators(set) {
		if !ses.messages.Contains(out.hash) {
			ses.sendMessage(out, true)
		}
	}
}

// Forget implements wbft.Network.
func (m *Messenger) Forget(payload []byte) { m.known.forget(sha256.Sum256(payload)) }

// Drop implements wbft.Network.
func (m *Messenger) Drop(validator common.Address, reason string) {
	for _, ses := range m.sessions.Ready() {
		if ses.Address == validator {
			m.sessions.Report(ses.Peer, errors.New(reason))
			go ses.Peer.Disconnect(p2p.DiscSubprotocolError) // waits for the connection's loop
		}
	}
}

// validators returns the sessions of validators in the set that run istanbul.
func (m *Messenger) validators(set []common.Address) []*Session {
	return slices.DeleteFunc(m.sessions.Ready(), func(ses *Session) bool {
		ses.mu.Lock()
		defer ses.mu.Unlock()
		return !ses.talks || ses.Address == m.self || !slices.Contains(set, ses.Address)
	})
}
