// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// The sub-protocol that carries consensus messages (spec wbft 4.1).
const (
	istanbulName    = "istanbul"
	istanbulVersion = 100
	istanbulLength  = 22
)

var errNoEth68 = errors.New("istanbul/100 needs eth/68 on the same connection")

// Messenger carries consensus messages between the driver and the connected validators. It implements part of wbft.Network.
type Messenger struct {
	self     common.Address
	sessions *Sessions
	known    *knownMessages
	set      atomic.Pointer[validators.Set]                                              // in charge of the next block; nil before the first head
	dropped  *lru.Cache[common.Address, time.Time]                                       // validators, and when that was logged
	paired   func(*Session)                                                              // called once eth and istanbul both run on a session
	deliver  atomic.Pointer[func(code uint64, payload []byte, from common.Address) bool] // nil while no driver runs
}

// NewMessenger returns the messenger of the node with an address. paired is called once eth and istanbul both run on a session.
func NewMessenger(self common.Address, s *Sessions, paired func(*Session)) *Messenger {
	return &Messenger{self: self, sessions: s, paired: paired, known: newKnown(self), dropped: lru.NewCache[common.Address, time.Time](knownShare)}
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

// peerInfo is what admin_peers shows under istanbul.
func (m *Messenger) peerInfo(id enode.ID) any {
	for _, ses := range m.sessions.Ready() {
		if ses.Peer.ID() == id {
			return struct {
				Version int            `json:"version"`
				Address common.Address `json:"address"` // of the peer's node key
			}{istanbulVersion, ses.Address}
		}
	}
	return nil
}

// run reads the consensus messages of one connection. It reads from the start, also before the eth handshake is done, since
// an unread message would hold up that handshake.
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
			return err
		}
	}
}

// DeliverTo makes the messenger hand messages to a driver, which reports false for one that it has no room for; nil makes it ignore
// them.
func (m *Messenger) DeliverTo(driver func(code uint64, payload []byte, from common.Address) bool) {
	if driver == nil {
		m.deliver.Store(nil)
		return
	}
	m.deliver.Store(&driver)
}

// Follow takes the set in charge of the next block.
func (m *Messenger) Follow(set *validators.Set) {
	if m.set.Swap(set) != set {
		m.known.keep(set)
	}
}

// Member tells whether a peer is a validator.
func (m *Messenger) Member(ses *Session) bool {
	set := m.set.Load()
	return set != nil && set.Contains(ses.Address)
}

// receive handles one message. Only one that is too large costs the peer its connection: which others are worth something
// cannot be told without the state of the consensus.
func (m *Messenger) receive(ses *Session, msg p2p.Msg) error {
	defer msg.Discard()
	if msg.Size > messages.MaxSize {
		return fmt.Errorf("consensus message of %d bytes, at most %d are allowed", msg.Size, messages.MaxSize)
	}
	switch msg.Code {
	case messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit, messages.CodeRoundChange:
	default:
		return nil
	}
	payload, err := io.ReadAll(msg.Payload)
	if err != nil {
		return err
	}
	in := consensusMessage{msg.Code, payload, crypto.Keccak256Hash(payload)}
	if !ses.keepEarly(in, m.Member(ses)) {
		m.Accept(ses, in)
	}
	return nil
}

// Accept passes a message to the driver unless it is known.
func (m *Messenger) Accept(ses *Session, in consensusMessage) {
	ses.messages.Add(in.hash, struct{}{})
	deliver := m.deliver.Load()
	if deliver == nil {
		return
	}
	by := stranger
	if m.Member(ses) {
		by = ses.Address
	}
	if m.known.add(by, in.hash) && !(*deliver)(in.code, in.payload, ses.Address) {
		m.known.forget(in.hash) // dropped under load: another copy may come through
	}
}

// Send implements wbft.Network.
func (m *Messenger) Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool) {
	out := consensusMessage{code, payload, crypto.Keccak256Hash(payload)}
	m.known.add(m.self, out.hash)
	for _, ses := range m.validators(set) {
		if to != nil && !slices.Contains(to, ses.Address) {
			continue
		}
		if force || !ses.messages.Contains(out.hash) {
			ses.sendMessage(out)
		}
	}
}

// Relay implements wbft.Network.
func (m *Messenger) Relay(set []common.Address, code uint64, payload []byte) {
	out := consensusMessage{code, payload, crypto.Keccak256Hash(payload)}
	for _, ses := range m.validators(set) {
		if !ses.messages.Contains(out.hash) {
			ses.sendMessage(out)
		}
	}
}

// Forget implements wbft.Network.
func (m *Messenger) Forget(payload []byte) { m.known.forget(crypto.Keccak256Hash(payload)) }

// Drop implements wbft.Network. It is logged once a minute for each of the peers dropped lately.
func (m *Messenger) Drop(validator common.Address, reason string) {
	for _, ses := range m.sessions.Ready() {
		if ses.Address != validator {
			continue
		}
		if last, ok := m.dropped.Get(validator); !ok || time.Since(last) >= time.Minute {
			m.dropped.Add(validator, time.Now())
			ses.Peer.Log().Warn("Peer dropped", "reason", reason)
		}
		go ses.Peer.Disconnect(p2p.DiscSubprotocolError) // waits for the connection's loop
	}
}

// validators returns the sessions with members of the set that consensus messages can be sent on.
func (m *Messenger) validators(set []common.Address) []*Session {
	return slices.DeleteFunc(m.sessions.Ready(), func(ses *Session) bool {
		ses.mu.Lock()
		defer ses.mu.Unlock()
		return !ses.talks || ses.Address == m.self || !slices.Contains(set, ses.Address)
	})
}
