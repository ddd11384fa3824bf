// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
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
	outcomeAccept     = "ACCEPT"
	outcomeIgnore     = "IGNORE"
	outcomeDropSilent = "DROP_SILENT"
	outcomeDisconnect = "DISCONNECT"
)

// codeFlush is the code of a message that shows that those before it have been written.
const codeFlush = 0

// rounds answers what a core does with messages, time-outs of rounds and heads.
func rounds(in reader) (any, error) { return play(in, withoutNetwork) }

// withoutNetwork returns a record without what a connection adds to it.
func withoutNetwork(r record) record {
	for _, key := range []string{"outcome", "dedup_key", "relay_to"} {
		delete(r, key)
	}
	sent, _ := r["sent"].([]any)
	for _, m := range sent {
		delete(m.(record), "to")
	}
	return r
}

// receiver is a node that is sent frames: its messenger, and its core when the engine runs.
type receiver struct {
	messenger *session.Messenger
	sessions  *session.Sessions
	links     map[common.Address]*link
	core      *core.Core // nil while the engine is stopped
	set       *validators.Set
	witness   *witness
	invalid   []common.Hash // proposals that the application refuses

	delivered int // frames that have reached the core since the last one was sent
	effects   []core.Effect
	before    core.Status // after the last step
	params    core.Head
	timers    map[core.TimerKind][]uint64 // those of each kind, in the order in which the core has set them
	last      uint64                      // the last round timer
	retries   map[uint64]uint64           // the last retry timer of each round
	flushes   uint64
}

// receiveOutcome answers what a node does with frames.
func receiveOutcome(in reader) (any, error) { return play(in, func(r record) record { return r }) }

// play starts a node and answers each step. Steps that no core can tell in the variables of the reference make the
// case one without support (docs/compatibility.md).
func play(in reader, written func(record) record) (any, error) {
	n, start, err := newReceiver(in.object("initial"))
	if err != nil {
		return nil, err
	}
	defer n.close()
	if r, ok := start.(record); ok {
		start = written(r)
	}
	steps := []any{}
	for i, step := range in.objects("steps") {
		r, err := n.step(step)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		steps = append(steps, written(r))
	}
	return record{"start": start, "steps": steps}, nil
}

// step carries out one step.
func (n *receiver) step(in reader) (record, error) {
	kind := in.text("kind")
	switch {
	case kind == "frame":
	case n.core == nil:
		return nil, unsupported{"an engine that was stopped"}
	case kind == "round_timeout":
		return n.expire(in, core.RoundTimer, n.last)
	case kind == "retry_timeout":
		return n.expire(in, core.RetryTimer, n.retries[in.number("round")])
	case kind == "head" && in.fields["notify"] == true:
		return n.head(in.bytes("block"))
	case kind != "message":
		return nil, unsupported{fmt.Sprintf("a step of kind %q is no input of the core", kind)}
	}
	code, payload := in.number("code"), in.bytes("payload")
	if kind == "frame" {
		return n.frame(in.address("peer"), code, payload)
	}
	m, err := messages.Decode(code, payload)
	if err != nil {
		return nil, unsupported{"a message that no peer sends"}
	}
	author, err := m.Signer()
	if err != nil {
		return nil, err
	}
	if author != n.witness.self {
		n.handle(code, payload, author)
		return n.told(code, payload)
	}
	// The core has taken its own message when it sent it.
	if err := n.witness.deliver(m); err != nil {
		return nil, err
	}
	r := n.record(nil, nil)
	r["check"], r["relay"], r["relay_to"] = classProcess, true, []any{}
	return r, nil
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
	n := &receiver{sessions: session.NewSessions(), links: make(map[common.Address]*link), set: validators.NewSet(members),
		timers: make(map[core.TimerKind][]uint64), retries: make(map[uint64]uint64)}
	n.messenger = session.NewMessenger(self, n.sessions, func(*session.Session) {})
	n.messenger.Follow(n.set, time.Now())
	n.witness = newWitness(n.set, self)
	app := in.object("app")
	for _, hash := range app.byteList("invalid_proposals") {
		n.invalid = append(n.invalid, common.BytesToHash(hash))
	}
	if len(app.items("future_proposals"))+len(app.items("bad_blocks")) > 0 || app.text("finalize") != "ok" {
		return nil, nil, unsupported{"the application answers in a way that the driver hides from the core"}
	}
	policy := in.number("proposer_policy")
	running := !in.has("engine") || in.text("engine") == "running" // a case without connections has no such field
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
		Strict:  true, // what the core does otherwise without it is declared in NODE_START of the events
	})
	n.messenger.DeliverTo(func(code uint64, payload []byte, from common.Address) bool {
		n.handle(code, payload, from)
		return true
	})
	if in.has("peers") {
		for _, peer := range in.addresses("peers") {
			if _, err := n.link(peer); err != nil {
				return nil, nil, err
			}
		}
	}
	n.params = core.Head{
		Header: head.Header(), Set: n.set, Params: core.Params{RequestTimeout: 2 * time.Second, Policy: policy},
	}
	n.run(n.core.Step(stageTime, core.NewHead{Head: n.params}))
	start, err := n.moved()
	return n, start, err
}

func (n *receiver) close() {
	for _, l := range n.links {
		l.end()
	}
}

// handle gives a message to the core, with the verdict of the application on a proposal.
func (n *receiver) handle(code uint64, payload []byte, from common.Address) {
	n.delivered++
	n.run(n.core.Step(stageTime, core.Message{Code: code, Payload: payload, From: from}))
}

// head gives the core a new head: the block that it has decided, or one without seals.
func (n *receiver) head(encoded []byte) (record, error) {
	block := new(types.Block)
	if err := rlp.DecodeBytes(encoded, block); err != nil {
		return nil, fmt.Errorf("decode head: %w", err)
	}
	if decided := n.witness.decided; decided != nil && decided.Hash() == block.Hash() {
		block = decided
	}
	n.params.Header = block.Header()
	n.run(n.core.Step(stageTime, core.NewHead{Head: n.params}))
	return n.moved()
}

// expire has a timer of a kind expire: the one with the number of the step, or the last one.
func (n *receiver) expire(in reader, kind core.TimerKind, last uint64) (record, error) {
	if in.has("timer") {
		number, set := in.number("timer"), n.timers[kind]
		if number >= uint64(len(set)) {
			return nil, unsupported{"a timer that the core has not set"}
		}
		last = set[number]
	}
	n.run(n.core.Step(stageTime, core.Timeout{ID: last}))
	return n.moved()
}

// moved returns the record of a step without a message.
func (n *receiver) moved() (record, error) {
	before, effects := n.before, n.effects
	n.before, n.delivered, n.effects = n.core.Status(), 0, nil
	if err := n.witness.follow(before, n.before, effects); err != nil {
		return nil, err
	}
	r := n.record(nil, nil)
	n.note(r, effects)
	return r, n.carry(r, nil, effects)
}

func (n *receiver) run(effects []core.Effect) {
	n.effects = append(n.effects, effects...)
	for _, e := range effects {
		if e, ok := e.(core.SetTimer); ok {
			n.timers[e.Kind] = append(n.timers[e.Kind], e.ID)
			switch e.Kind {
			case core.RoundTimer:
				n.last = e.ID
			case core.RetryTimer:
				n.retries[n.core.Status().Round] = e.ID
			}
		}
		if e, ok := e.(core.Execute); ok {
			verdict := core.Validated{Hash: e.Block.Hash()}
			if slices.Contains(n.invalid, verdict.Hash) {
				verdict.Err = errors.New("refused by the application")
			}
			n.run(n.core.Step(stageTime, verdict))
		}
	}
}

// note writes timers and requests for blocks into a record.
func (n *receiver) note(r record, effects []core.Effect) {
	timers, built := []any{}, []any{}
	at := n.core.Status()
	for _, e := range effects {
		switch e := e.(type) {
		case core.SetTimer:
			switch {
			case e.Kind == core.RoundTimer && at.State != core.Committed: // the watchdog after a decision is none
				timers = append(timers, record{
					"kind": "round", "sequence": decimal(at.Sequence), "round": decimal(at.Round),
				})
			case e.Kind == core.RetryTimer:
				timers = append(timers, record{"kind": "retry", "round": decimal(at.Round)})
			}
		case core.Build:
			built = append(built, decimal(e.Round))
		}
	}
	r["timers"], r["new_round"] = timers, built
}

// record is what a step leaves in which the core does nothing.
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
	r["state"] = n.witness.state(n.core.Status())
	return r
}

// frame hands a frame to the messenger as a peer's.
func (n *receiver) frame(peer common.Address, code uint64, payload []byte) (record, error) {
	l, err := n.link(peer)
	if err != nil {
		return nil, err
	}
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
	r, err := n.told(code, payload)
	if err == nil {
		r["dedup_key"] = dedup
	}
	return r, err
}

// told returns the record of a message that the core was given.
func (n *receiver) told(code uint64, payload []byte) (record, error) {
	before, effects := n.before, n.effects
	n.before, n.delivered, n.effects = n.core.Status(), 0, nil
	for _, e := range effects {
		if d, dropped := e.(core.Dropped); dropped && (d.Cause == core.CauseMalformed || d.Cause == core.CauseAuthor) {
			r := n.record(outcomeIgnore, nil)
			r["relay"] = false
			return r, nil
		}
	}
	m, err := messages.Decode(code, payload)
	if err != nil {
		return nil, err
	}
	author, err := m.Signer()
	if err != nil {
		return nil, err
	}
	class := classOf(code, m.View(), before, n.before, effects)
	if slices.ContainsFunc(effects, func(e core.Effect) bool { _, dropped := e.(core.Dropped); return dropped }) {
		r := n.record(outcomeIgnore, nil)
		r["check"], r["relay"] = class, false
		return r, nil
	}
	if err := n.witness.take(m, author, class, before); err != nil {
		return nil, err
	}
	if err := n.witness.follow(before, n.before, effects); err != nil {
		return nil, err
	}
	r := n.record(outcomeAccept, nil)
	r["check"], r["relay"] = class, false
	n.note(r, effects)
	return r, n.carry(r, payload, effects)
}

// carry sends what the core wants to be sent, and writes it with its receivers into a record.
func (n *receiver) carry(r record, payload []byte, effects []core.Effect) error {
	sent := []any{}
	for _, e := range effects {
		switch e := e.(type) {
		case core.Send:
			n.messenger.Send(n.set.Addresses(), e.Code, e.Payload, e.To, e.Force)
			m, err := messages.Decode(e.Code, e.Payload)
			if err != nil {
				return err
			}
			out, err := writeMessage(m)
			if err != nil {
				return err
			}
			out["code"], out["to"] = decimal(e.Code), n.receivers()
			sent = append(sent, inOrder(out))
		case core.Relay:
			if e.To == nil || !bytes.Equal(e.Payload, payload) {
				return unsupported{"the relay of an earlier message"}
			}
			n.messenger.Relay(e.To, e.Code, e.Payload)
			r["relay"], r["relay_to"] = true, n.receivers()
		case core.Commit:
			finalized, err := n.witness.finalized(e)
			if err != nil {
				return err
			}
			r["finalized"] = finalized
		}
	}
	r["sent"] = sent
	return nil
}

// inOrder returns the fields of a sent message with its lists in the order of their bytes. A message with two members
// in a list has no encoding of its own then.
func inOrder(message record) record {
	for _, key := range []string{"justification", "justification_round_changes", "justification_prepares"} {
		list, _ := message[key].([]any)
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		if len(list) > 1 {
			message["encoded"] = nil
		}
	}
	return message
}

// receivers returns the peers that were sent something since the last call. A last frame to each says that all others
// have left.
func (n *receiver) receivers() []any {
	n.flushes++
	n.messenger.Send(n.set.Addresses(), codeFlush, binary.BigEndian.AppendUint64(nil, n.flushes), nil, true)
	list := []any{}
	for _, peer := range sorted(n.links) {
		if n.set.Contains(peer) && <-n.links[peer].wrote {
			list = append(list, addressItem(peer))
		}
	}
	return list
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
	l := &link{
		frames: make(chan p2p.Msg), waits: make(chan struct{}), ended: make(chan error, 1), wrote: make(chan bool, 1),
	}
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
	wrote  chan bool // gets for each flush whether something was written before

	some bool // something was written since the last flush
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

// WriteMsg implements p2p.MsgWriter.
func (l *link) WriteMsg(m p2p.Msg) error {
	if m.Code != codeFlush {
		l.some = true
		return m.Discard()
	}
	l.wrote <- l.some
	l.some = false
	return m.Discard()
}

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
