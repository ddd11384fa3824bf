// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
	"gwon/eth/session"
)

// Outcomes of a frame, as far as this handler tells them apart.
const (
	outcomeIgnore     = "IGNORE"
	outcomeDropSilent = "DROP_SILENT"
	outcomeDisconnect = "DISCONNECT"
)

// rounds is not supported: a record needs state that the core does not have, such as a queue of messages to itself.
func rounds(reader) (any, error) {
	return nil, unsupported{"records show events that a core schedules for itself; this one does at once what it has to"}
}

// receiver is a node that is sent frames: its messenger, and its core when the engine runs.
type receiver struct {
	messenger *session.Messenger
	sessions  *session.Sessions
	links     map[common.Address]*link
	core      *core.Core // nil while the engine is stopped
	set       *validators.Set

	delivered int // frames that have reached the core since the last one was sent
	effects   []core.Effect
}

// receiveOutcome answers what a node does with frames that leave its core as it was at the start. What a core is in
// after others, in the variables of the reference, cannot be told.
func receiveOutcome(in reader) (any, error) {
	n, start, err := newReceiver(in.object("initial"))
	if err != nil {
		return nil, err
	}
	defer n.close()
	steps := []any{}
	for i, step := range in.objects("steps") {
		if kind := step.text("kind"); kind != "frame" {
			return nil, unsupported{fmt.Sprintf("step %d of kind %q changes what the core has to tell", i, kind)}
		}
		r, err := n.frame(step.address("peer"), step.number("code"), step.bytes("payload"))
		if err != nil {
			return nil, err
		}
		steps = append(steps, r)
	}
	return record{"start": start, "steps": steps}, nil
}

func newReceiver(in reader) (*receiver, any, error) {
	key, err := crypto.ToECDSA(in.bytes("node_key"))
	if err != nil {
		return nil, nil, err
	}
	var members []validators.Validator
	for _, v := range in.objects("validators") {
		public, err := bls.ParsePublicKey(v.bytes("bls_public_key"))
		if err != nil {
			return nil, nil, err
		}
		members = append(members, validators.Validator{Address: v.address("address"), Key: public})
	}
	head := new(types.Block)
	if err := rlp.DecodeBytes(in.bytes("head"), head); err != nil {
		return nil, nil, fmt.Errorf("decode head: %w", err)
	}
	self := crypto.PubkeyToAddress(key.PublicKey)
	n := &receiver{sessions: session.NewSessions(), links: make(map[common.Address]*link), set: validators.NewSet(members)}
	n.messenger = session.NewMessenger(self, n.sessions, func(*session.Session) {})
	n.messenger.Follow(n.set, time.Now())
	policy, running := in.number("proposer_policy"), in.text("engine") == "running"
	if *in.err != nil || !running {
		return n, nil, nil
	}
	secret, err := bls.DeriveKey(key)
	if err != nil {
		return nil, nil, err
	}
	n.core = core.New(core.Config{
		Address: self,
		Sign:    signing.WithKeys(key, secret),
	})
	n.messenger.DeliverTo(func(code uint64, payload []byte, from common.Address) bool {
		n.delivered++
		n.effects = append(n.effects, n.core.Step(stageTime, core.Message{Code: code, Payload: payload, From: from})...)
		return true
	})
	effects := n.core.Step(stageTime, core.NewHead{Head: core.Head{
		Header: head.Header(), Set: n.set, Params: core.Params{RequestTimeout: 2 * time.Second, Policy: policy},
	}})
	return n, n.startRecord(effects), nil
}

func (n *receiver) close() {
	for _, l := range n.links {
		l.end()
	}
}

// startRecord tells what the core does at the start, from its effects.
func (n *receiver) startRecord(effects []core.Effect) record {
	timers, built := []any{}, []any{}
	view := n.view()
	for _, e := range effects {
		switch e := e.(type) {
		case core.SetTimer:
			if e.Kind == core.RoundTimer {
				timers = append(timers, record{"kind": "round", "sequence": view["sequence"], "round": view["round"]})
			}
		case core.Build:
			built = append(built, decimal(e.Round))
		}
	}
	r := n.record(nil, nil)
	r["timers"], r["new_round"] = timers, built
	return r
}

func (n *receiver) view() record {
	at := n.core.Status()
	return record{"sequence": decimal(at.Sequence), "round": decimal(at.Round)}
}

// record is what a step leaves that changes nothing in the core.
func (n *receiver) record(outcome, dedup any) record {
	r := record{"outcome": outcome, "dedup_key": dedup, "relay_to": nil}
	if n.core == nil {
		return r
	}
	for _, key := range []string{"check", "relay", "finalized"} {
		r[key] = nil
	}
	for _, key := range []string{"sent", "timers", "new_round", "scheduled"} {
		r[key] = []any{}
	}
	round := decimal(n.core.Status().Round)
	r["state"] = record{
		"view": n.view(), "state": "AcceptRequest", "proposer": addressItem(n.core.Status().Proposer), "locked_round": nil,
		"locked_block": nil, "preprepare": nil, "pending_request": nil, "preprepare_sent": "0", "prepares": []any{},
		"commits":       []any{},
		"certificate":   nil,
		"round_changes": []any{record{"round": round, "sources": []any{}, "prepared_round": nil, "prepared_block": nil}},
		"backlog":       []any{}, "prior": record{"round": "0", "proposal": nil}, "extra_prepare_seals": []any{},
		"extra_commit_seals": []any{},
	}
	return r
}

// frame hands a frame to the messenger as a peer's.
func (n *receiver) frame(peer common.Address, code uint64, payload []byte) (any, error) {
	l, err := n.link(peer)
	if err != nil {
		return nil, err
	}
	n.delivered, n.effects = 0, nil
	if err := l.send(code, payload); err != nil {
		delete(n.links, peer)
		return n.record(outcomeDisconnect, nil), nil
	}
	var dedup any
	if n.core != nil && code >= messages.CodePrePrepare && code <= messages.CodeRoundChange && len(payload) > 0 {
		dedup = hashItem(messages.KnownHash(payload))
	}
	if n.delivered == 0 {
		return n.record(outcomeDropSilent, dedup), nil
	}
	for _, e := range n.effects {
		d, dropped := e.(core.Dropped)
		if !dropped || d.Cause != core.CauseMalformed && d.Cause != core.CauseAuthor {
			return nil, unsupported{"a frame is one that the core takes, and has to be told in state variables of the reference"}
		}
	}
	r := n.record(outcomeIgnore, dedup)
	r["relay"] = false
	return r, nil
}

// link returns the connection with a peer, which has shaken hands.
func (n *receiver) link(peer common.Address) (*link, error) {
	if l := n.links[peer]; l != nil {
		return l, nil
	}
	id := enode.ID(common.BytesToHash(peer[:])) // ends with the address, as the hash of its public key does
	protocols := []p2p.Cap{{Name: protocol.ProtocolName, Version: protocol.ETH68}, {Name: "istanbul", Version: 100}}
	p := p2p.NewPeer(id, "peer", protocols)
	n.sessions.Join(p).Shook(new(protocol.Peer))
	l := &link{frames: make(chan p2p.Msg), waits: make(chan struct{}), ended: make(chan error, 1)}
	run := n.messenger.Protocol(func() any { return nil }).Run
	go func() { l.ended <- run(p, l) }()
	if err := l.await(); err != nil {
		return nil, fmt.Errorf("connect the peer: %w", err)
	}
	n.links[peer] = l
	return l, nil
}

// link is a connection on which one frame after the other is read.
type link struct {
	frames chan p2p.Msg
	waits  chan struct{} // gets a value when the reader wants the next frame
	ended  chan error
}

// ReadMsg implements p2p.MsgReader.
func (l *link) ReadMsg() (p2p.Msg, error) {
	l.waits <- struct{}{}
	m, open := <-l.frames
	if !open {
		return m, io.EOF
	}
	return m, nil
}

// WriteMsg implements p2p.MsgWriter. What the node sends is told by its core.
func (l *link) WriteMsg(m p2p.Msg) error { return m.Discard() }

// await waits until the reader wants a frame. The error is that with which it has ended.
func (l *link) await() error {
	select {
	case <-l.waits:
		return nil
	case err := <-l.ended:
		return errors.Join(errors.New("connection ended"), err)
	}
}

func (l *link) send(code uint64, payload []byte) error {
	l.frames <- p2p.Msg{Code: code, Size: uint32(len(payload)), Payload: bytes.NewReader(payload)}
	return l.await()
}

func (l *link) end() { close(l.frames) }
