// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
	"gwon/core"
)

// The sub-protocol in which two nodes of this program tell each other their chain configuration, once. Clients without
// it pass over its name in the handshake (spec network 1).
const (
	configurationName    = "gwon"
	configurationVersion = 1
)

var errConfiguration = errors.New("breach of gwon/1")

// configurationMessage is the only message of gwon/1, with the code 0.
type configurationMessage struct {
	Genesis  common.Hash
	Settings []setting
}

type setting struct{ Path, Value string }

// Configurations compares the chain configuration of this node with those of its peers. A difference is a claim of the
// peer: it is told, and changes nothing.
type Configurations struct {
	sessions *Sessions
	genesis  common.Hash
	own      core.Configuration
	met      func(*Session, string)
}

// NewConfigurations returns the comparison for a chain. The function met is called with the difference of a peer of the
// same chain, empty for none.
func NewConfigurations(
	s *Sessions, genesis common.Hash, own core.Configuration, met func(ses *Session, difference string),
) *Configurations {
	return &Configurations{s, genesis, own, met}
}

// Protocol returns the devp2p sub-protocol gwon/1.
func (c *Configurations) Protocol() p2p.Protocol {
	return p2p.Protocol{
		Name: configurationName, Version: configurationVersion, Length: 1,
		Run: func(p *p2p.Peer, rw p2p.MsgReadWriter) error {
			if !p.RunningCap(protocol.ProtocolName, []uint{protocol.ETH68}) {
				return errNoEth68
			}
			return c.run(p, rw)
		},
		NodeInfo: func() any { return map[string]common.Hash{"configuration": c.own.Hash()} },
		PeerInfo: func(id enode.ID) any {
			if ses := c.sessions.find(id); ses != nil {
				return map[string]string{"difference": ses.Difference()}
			}
			return nil
		},
	}
}

func (c *Configurations) run(p *p2p.Peer, rw p2p.MsgReadWriter) error {
	ses := c.sessions.Join(p)
	defer c.sessions.Leave(ses)
	go c.tell(p, rw)
	msg, err := rw.ReadMsg()
	if err != nil {
		return err
	}
	if err := c.compare(ses, msg); err != nil {
		c.sessions.Report(p, err)
		return err
	}
	if msg, err = rw.ReadMsg(); err != nil {
		return err
	}
	return errors.Join(fmt.Errorf("%w: a second message", errConfiguration), msg.Discard())
}

// tell sends the own configuration, unless peers would not read it.
func (c *Configurations) tell(p *p2p.Peer, rw p2p.MsgWriter) {
	message := configurationMessage{Genesis: c.genesis}
	for _, path := range slices.Sorted(maps.Keys(c.own)) {
		message.Settings = append(message.Settings, setting{path, c.own[path]})
	}
	size, payload, err := rlp.EncodeToReader(&message)
	if err == nil && size <= messages.MaxSmall {
		err = rw.WriteMsg(p2p.Msg{Size: uint32(size), Payload: payload})
	}
	if err != nil {
		p.Log().Debug("Chain configuration not sent", "err", err)
	}
}

// compare reads the configuration of a peer.
func (c *Configurations) compare(ses *Session, msg p2p.Msg) error {
	defer msg.Discard() //nolint:errcheck // the next read reports a broken connection
	if msg.Size > messages.MaxSmall {
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", errConfiguration, msg.Size, messages.MaxSmall)
	}
	var message configurationMessage
	if err := msg.Decode(&message); err != nil {
		return fmt.Errorf("%w: %w", errConfiguration, err)
	}
	theirs := make(core.Configuration, len(message.Settings))
	for _, s := range message.Settings {
		if !core.IsSetting(s.Path) || !core.IsSetting(s.Value) {
			return fmt.Errorf("%w: a setting is too long or not ASCII", errConfiguration)
		}
		theirs[s.Path] = s.Value
	}
	if message.Genesis != c.genesis {
		return nil // another network, which the handshake of eth refuses
	}
	theirs.Normalize() // an older gwon has more forms
	difference := core.DescribeDifferences(c.own.Differences(theirs), "here", "at the peer")
	ses.mu.Lock()
	ses.differs = difference
	ses.mu.Unlock()
	c.met(ses, difference)
	return nil
}

// Difference returns in what the chain configuration of the peer differs, empty for nothing that is known.
func (ses *Session) Difference() string {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	return ses.differs
}
