// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"crypto/ecdsa"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	gwon "gwon/core"
)

// syncInterval is how often a node asks somebody whether it missed blocks.
const syncInterval = 3 * time.Second

// keptSequences is how many decided sequences the vote log still knows.
const keptSequences = 16

// disk is what survives a crash: the vote log. (The chain survives too; see Node.chain.)
type disk struct {
	floor     uint64
	sequences map[uint64]*core.RestoredSequence
}

// at returns the log of a sequence.
func (d *disk) at(sequence uint64) *core.RestoredSequence {
	if d.sequences == nil {
		d.sequences = make(map[uint64]*core.RestoredSequence)
	}
	if d.sequences[sequence] == nil {
		d.sequences[sequence] = &core.RestoredSequence{Sequence: sequence}
	}
	return d.sequences[sequence]
}

// prune forgets what is far below a height.
func (d *disk) prune(height uint64) {
	if height <= keptSequences {
		return
	}
	d.floor = max(d.floor, height-keptSequences+1)
	for sequence := range d.sequences {
		if sequence < d.floor {
			delete(d.sequences, sequence)
		}
	}
}

// restored is what a core is given of the log.
func (d *disk) restored() core.Restored {
	rec := core.Restored{Floor: d.floor}
	for _, sequence := range slices.Sorted(maps.Keys(d.sequences)) {
		rec.Sequences = append(rec.Sequences, *d.sequences[sequence])
	}
	return rec
}

// signedView names one thing a key may sign once.
type signedView struct{ code, sequence, round uint64 }

// Node is one simulated node: a core and fakes of everything around it.
type Node struct {
	net     *Network
	id      int
	key     *ecdsa.PrivateKey
	bls     *bls.SecretKey
	address common.Address
	skew    time.Duration

	// Behaviour, if set, makes the node Byzantine.
	Behaviour Behaviour
	// Reference makes the node one of the other client.
	Reference bool
	// Logged tells whether the vote log survives crashes.
	Logged bool
	// CrashAfter, if > 0, crashes the node in the middle of a step, when this many more effects were carried out.
	CrashAfter int

	core        machine // nil while down
	incarnation int
	disk        disk
	chain       []*types.Block
	known       map[common.Hash]bool                    // payloads handled before
	sent        map[common.Hash]bool                    // payloads relayed before
	sentTo      map[common.Address]map[common.Hash]bool // payloads a node of the reference has tried to send, by peer
	timers      map[core.TimerKind]uint64
	signed      map[signedView]common.Hash // of all incarnations, while the log survives
	durable     map[string]bool            // signatures that were recorded
	delivering  *Node                      // peer whose message is being handled

	Errors []error // from Failed effects
}

// Height is the number of the node's head.
func (n *Node) Height() uint64 { return n.head().NumberU64() }

// Address is the node's validator address.
func (n *Node) Address() common.Address { return n.address }

// Block returns the node's block at a height it has reached.
func (n *Node) Block(height uint64) *types.Block { return n.chain[height] }

// Status is that of the node's core; zero while the node is down.
func (n *Node) Status() core.Status {
	if n.core == nil {
		return core.Status{}
	}
	return n.core.Status()
}

// Up tells whether the node runs.
func (n *Node) Up() bool { return n.core != nil }

func (n *Node) head() *types.Block { return n.chain[len(n.chain)-1] }

func (n *Node) clock() time.Time { return n.net.now.Add(n.skew) }

func (n *Node) sign(payload []byte) ([]byte, error) {
	return crypto.Sign(crypto.Keccak256(payload), n.key)
}

func (n *Node) start() {
	if n.core != nil {
		return
	}
	n.incarnation++
	n.known, n.sent = make(map[common.Hash]bool), make(map[common.Hash]bool)
	n.timers = make(map[core.TimerKind]uint64)
	n.CrashAfter = 0
	if n.signed == nil || !n.Logged {
		n.signed = make(map[signedView]common.Hash)
		n.durable = make(map[string]bool)
		n.disk = disk{}
	}
	n.sentTo = make(map[common.Address]map[common.Hash]bool)
	n.core = n.machine()
	n.net.note(n.id, "starts at height %d", n.Height())
	n.newHead()
	for _, other := range n.net.nodes {
		n.connect(other)
		other.connect(n)
	}
}

func (n *Node) machine() machine {
	if n.Reference {
		return newReference(n)
	}
	c := core.New(core.Config{
		Address:           n.address,
		Sign:              n.sign,
		Seal:              func(digest [32]byte) []byte { return n.bls.Sign(digest[:]) },
		DefaultMaxTimeout: n.net.cfg.DefaultMaxTimeout,
	})
	if n.Logged {
		c.Restore(n.disk.restored())
	}
	return c
}

// connect tells a node that it can reach another one.
func (n *Node) connect(other *Node) {
	if n != other && n.core != nil && other.core != nil && n.net.connected(n.id, other.id) {
		n.step(core.PeerConnected{Address: other.address})
	}
}

// Crash stops the node at once. Its memory is lost.
func (n *Node) Crash() {
	if n.core != nil {
		n.net.note(n.id, "crashes")
		n.core = nil
	}
}

// Restart starts a crashed node again.
func (n *Node) Restart() { n.net.after(0, n.start) }

// later does something after a delay unless the node has crashed in between.
func (n *Node) later(delay time.Duration, run func()) {
	incarnation := n.incarnation
	n.net.after(delay, func() {
		if n.core != nil && n.incarnation == incarnation {
			run()
		}
	})
}

func (n *Node) newHead() {
	head := n.head()
	n.step(core.NewHead{Head: core.Head{
		Header: head.Header(),
		Set:    n.net.set(head.NumberU64() + 1),
		Params: core.Params{
			RequestTimeout:    n.net.cfg.RequestTimeout,
			MaxRequestTimeout: n.net.cfg.MaxRequestTimeout,
			Policy:            n.net.cfg.Policy,
		},
	}})
}

// receive handles a message from the network.
func (n *Node) receive(from *Node, code uint64, payload []byte) {
	if n.core == nil {
		return
	}
	hash := messages.KnownHash(payload)
	if n.known[hash] {
		return
	}
	if n.Behaviour != nil && n.isOwn(code, payload) {
		return // its core must not find out what it signs beside it
	}
	if n.Reference {
		n.known[hash] = true // before it looks at it (spec wbft 4.4)
	}
	n.delivering = from
	effects := n.step(core.Message{Code: code, Payload: payload, From: from.address})
	n.delivering = nil
	for _, e := range effects {
		if _, dropped := e.(core.Dropped); dropped {
			return // it may be of use when it comes again
		}
	}
	n.known[hash] = true
	if n.Behaviour != nil && n.core != nil { // it may have crashed in the middle of the step
		n.Behaviour.Observe(n, code, payload)
	}
}

// step gives the core an event and carries out what it asks for.
func (n *Node) step(ev core.Event) []core.Effect {
	if n.core == nil {
		return nil
	}
	effects := n.core.Step(n.clock(), ev)
	n.net.note(n.id, "%s", describeEvent(ev))
	for _, e := range effects {
		n.net.note(n.id, "    %s", describeEffect(e))
		n.perform(e)
		if n.CrashAfter > 0 {
			if n.CrashAfter--; n.CrashAfter == 0 {
				n.Crash()
			}
		}
		if n.core == nil {
			break
		}
	}
	return effects
}

func (n *Node) perform(e core.Effect) {
	switch e := e.(type) {
	case core.Persist:
		n.persist(e)
	case core.PersistLock:
		n.disk.at(e.Sequence).Lock = e.Certificate
	case core.Send:
		n.send(e)
	case core.Relay:
		if c, ok := n.core.(*core.Core); ok && e.To == nil {
			n.later(core.RelayDelay, func() {
				for _, r := range c.StillNeeded([]core.Relay{e}) {
					n.relay(r)
				}
			})
			break
		}
		n.relay(e)
	case core.SetTimer:
		n.timers[e.Kind] = e.ID
		n.later(e.Delay, func() {
			if n.timers[e.Kind] == e.ID {
				n.step(core.Timeout{ID: e.ID})
			}
		})
	case core.Execute:
		n.later(n.net.between(0, n.net.cfg.MaxExecution), func() { n.step(n.execute(e.Block)) })
	case core.Commit:
		n.commit(e.Block)
	case core.Build:
		n.build(e)
	case core.Misbehaviour:
		n.net.Faults[e.Kind]++
		n.checkAccusation(e)
	case core.StopSigning:
		if n.Behaviour == nil && n.Logged {
			n.net.fail("honest node %d signs nothing more: %s", n.id, e.Reason)
		}
	case core.BadDelivery:
		n.net.BadDeliveries++
		n.checkDelivery(e)
	case core.Failed:
		n.Errors = append(n.Errors, e.Err)
	}
}

// persist records a vote and checks that it does not contradict another one.
func (n *Node) persist(e core.Persist) {
	if e.Sequence < n.disk.floor {
		n.net.fail("node %d signs in sequence %d, which its log has forgotten", n.id, e.Sequence)
	}
	log := n.disk.at(e.Sequence)
	log.Votes = append(log.Votes, e.Vote)
	n.durable[signatureOf(e.Code, e.Payload)] = true
	view := signedView{e.Code, e.Sequence, e.Round}
	if old, ok := n.signed[view]; ok && old != e.Digest && n.Behaviour == nil {
		n.net.fail("node %d signs two different messages %#x for (%d, %d)", n.id, e.Code, e.Sequence, e.Round)
	}
	n.signed[view] = e.Digest
}

// signatureOf names a signed message; the justification of a proposal is not part of what is signed.
func signatureOf(code uint64, payload []byte) string {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return ""
	}
	return string(m.Signature())
}

func (n *Node) send(e core.Send) {
	if !n.Reference && !n.durable[signatureOf(e.Code, e.Payload)] {
		n.net.fail("node %d sends a message %#x that is not durable", n.id, e.Code)
	}
	for _, to := range n.recipients(e.To) {
		if n.Reference && !n.firstSend(to, e.Payload) {
			continue
		}
		if n.Behaviour != nil {
			for _, m := range n.Behaviour.Send(n, to, e.Code, e.Payload) {
				n.net.send(n, to, m.Code, m.Payload)
			}
			continue
		}
		n.net.send(n, to, e.Code, e.Payload)
	}
}

// firstSend tells whether a node of the reference has not tried to send a payload to a peer before; whether it arrived does not
// matter to it (spec wbft 9.2 no. 4).
func (n *Node) firstSend(to *Node, payload []byte) bool {
	if to.core == nil || !n.net.connected(n.id, to.id) {
		return false
	}
	if n.sentTo[to.address] == nil {
		n.sentTo[to.address] = make(map[common.Hash]bool)
	}
	hash := messages.KnownHash(payload)
	first := !n.sentTo[to.address][hash]
	n.sentTo[to.address][hash] = true
	return first
}

// recipients are the validators of the node's sequence, or those of the list.
func (n *Node) recipients(to []common.Address) []*Node {
	var list []*Node
	for _, i := range n.net.members(n.core.Status().Sequence) {
		other := n.net.nodes[i]
		if other != n && (to == nil || slices.Contains(to, other.address)) {
			list = append(list, other)
		}
	}
	return list
}

// relay passes a message on, once, to everybody but the peer it came from; to those it names as often as it is asked.
func (n *Node) relay(e core.Relay) {
	hash := messages.KnownHash(e.Payload)
	if e.To == nil && n.sent[hash] || n.Behaviour != nil {
		return
	}
	n.sent[hash] = true
	for _, other := range n.recipients(e.To) {
		if other != n.delivering && !other.known[hash] {
			n.net.send(n, other, e.Code, e.Payload)
		}
	}
}

// execute judges a proposal.
func (n *Node) execute(block *types.Block) core.Validated {
	verdict := core.Validated{Hash: block.Hash()}
	x, err := block.Header().WBFTExtra()
	ahead := time.Unix(int64(block.Time()), 0).Sub(n.clock())
	if basic := gwon.ValidateBasic(block); basic != nil && n.Behaviour == nil && !n.Reference {
		n.net.fail("node %d executes a block that has not passed the gate: %v", n.id, basic)
	}
	switch {
	case err != nil:
		verdict.Err = err
	case block.ParentHash() != n.head().Hash():
		verdict.Err, verdict.RetryAfter = fmt.Errorf("head has moved"), time.Second
	case string(x.Vanity) == invalidMark:
		verdict.Err = fmt.Errorf("marked as invalid")
	case ahead > 0:
		verdict.Err, verdict.RetryAfter = fmt.Errorf("from the future"), ahead
	default:
		verdict.Err = n.net.checkPrevSeals(x, block, n.head())
	}
	return verdict
}

// build makes a candidate at the right time (spec wbft 6.1). Only proposers build here.
func (n *Node) build(e core.Build) {
	if !e.Proposer {
		return
	}
	delay := time.Duration(0)
	if e.Round == 0 {
		delay = time.Unix(int64(n.head().Time()), 0).Add(n.net.cfg.Period).Sub(n.clock())
	}
	n.later(max(delay, 0)+n.net.between(0, 5*time.Millisecond), func() {
		if n.Height()+1 == e.Sequence {
			n.step(core.Candidate{Block: n.candidate(e.Round, ""), Round: e.Round})
		}
	})
}

// candidate makes a block on the node's head.
func (n *Node) candidate(round uint64, mark string) *types.Block {
	if mark == "" {
		mark = fmt.Sprintf("node %d round %d try %d", n.id, round, n.incarnation)
	}
	x := &types.WBFTExtra{Vanity: []byte(mark)}
	parent := n.head()
	var late lateSeals
	late.round, late.digest, late.prepared, late.committed = n.core.LateSeals()
	if err := prevSeals(x, parent, n.net.set(parent.NumberU64()), late); err != nil {
		n.net.fail("node %d cannot merge late seals: %v", n.id, err)
	}
	period := uint64(n.net.cfg.Period / time.Second)
	block := newBlock(parent, n.address, max(parent.Time()+period, uint64(n.clock().Unix())), x)
	if err := n.net.checkPrevSeals(x, block, parent); err != nil && n.Behaviour == nil {
		n.net.fail("node %d builds a block with bad previous seals: %v", n.id, err)
	}
	return block
}

// commit writes a decided block and announces it.
func (n *Node) commit(block *types.Block) {
	if decided, ok := n.net.decided[block.NumberU64()]; ok && decided != block.Hash() {
		n.net.fail("two blocks at height %d: %s and %s", block.NumberU64(), decided, block.Hash())
		return
	}
	if block.NumberU64() == n.Height() {
		return // it came from a peer, and the core has not been told yet
	}
	if block.NumberU64() != n.Height()+1 {
		n.net.fail("node %d commits block %d at height %d", n.id, block.NumberU64(), n.Height())
		return
	}
	if err := gwon.ValidateBasic(block); err != nil {
		n.net.fail("node %d commits block %d: %v", n.id, block.NumberU64(), err)
		return
	}
	if err := n.net.checkSeals(block, n.head()); err != nil {
		n.net.fail("node %d commits block %d with bad seals: %v", n.id, block.NumberU64(), err)
		return
	}
	if !n.imports(block) {
		return
	}
	n.later(n.net.between(0, 5*time.Millisecond), n.newHead)
	for _, other := range n.net.nodes {
		if other != n && n.net.connected(n.id, other.id) && n.net.rand.Float64() >= n.net.cfg.BlockDrop {
			n.net.after(n.net.between(n.net.cfg.MinDelay, n.net.cfg.MaxDelay), func() { other.announced(block) })
		}
	}
}

// imports appends a sealed block and checks that nobody has another one at its height.
func (n *Node) imports(block *types.Block) bool {
	if block.ParentHash() != n.head().Hash() {
		return false
	}
	if decided, ok := n.net.decided[block.NumberU64()]; ok && decided != block.Hash() {
		n.net.fail("two blocks at height %d: %s and %s", block.NumberU64(), decided, block.Hash())
		return false
	}
	n.net.decided[block.NumberU64()] = block.Hash()
	n.chain = append(n.chain, block)
	n.disk.prune(block.NumberU64())
	n.net.note(n.id, "imports block %d %s", block.NumberU64(), block.Hash().TerminalString())
	return true
}

// announced takes a block from block propagation.
func (n *Node) announced(block *types.Block) {
	if n.core == nil || block.ParentHash() != n.head().Hash() {
		return
	}
	if err := n.net.checkSeals(block, n.head()); err != nil {
		n.net.fail("node %d is sent block %d with bad seals: %v", n.id, block.NumberU64(), err)
		return
	}
	if n.imports(block) {
		n.later(n.net.between(0, 5*time.Millisecond), n.newHead)
	}
}

// syncLoop asks a random reachable node for missing blocks, again and again.
func (n *Node) syncLoop() {
	n.net.after(syncInterval, n.syncLoop)
	other := n.net.nodes[n.net.rand.Intn(len(n.net.nodes))]
	if n.core == nil || other.core == nil || !n.net.connected(n.id, other.id) || other.Height() <= n.Height() {
		return
	}
	if n.net.rand.Float64() < n.net.cfg.BlockDrop {
		return
	}
	for n.Height() < other.Height() {
		if !n.imports(other.chain[n.Height()+1]) {
			n.net.fail("node %d cannot follow node %d at height %d", n.id, other.id, n.Height()+1)
			return
		}
	}
	n.newHead()
}

// isOwn tells whether a message is signed by the node.
func (n *Node) isOwn(code uint64, payload []byte) bool {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return false
	}
	signer, err := m.Signer()
	return err == nil && signer == n.address
}

// checkDelivery checks that no honest validator is blamed for what it passes on: it passes on only what it has examined.
func (n *Node) checkDelivery(e core.BadDelivery) {
	for _, other := range n.net.nodes {
		if other.address == e.From && other.Behaviour == nil && !other.Reference {
			n.net.fail("node %d blames honest node %d: %s", n.id, other.id, e.Reason)
		}
	}
}

// checkAccusation checks that no honest validator with a vote log is accused of anything.
func (n *Node) checkAccusation(e core.Misbehaviour) {
	for _, other := range n.net.nodes {
		if other.address == e.Signer && other.Behaviour == nil && other.Logged && !(other.Reference && other.incarnation > 1) {
			n.net.fail("node %d accuses honest node %d: %s", n.id, other.id, e.Kind)
		}
	}
}

func describeEvent(ev core.Event) string {
	switch ev := ev.(type) {
	case core.Message:
		m, err := messages.Decode(ev.Code, ev.Payload)
		if err != nil {
			return fmt.Sprintf("message %#x: %v", ev.Code, err)
		}
		signer, _ := m.Signer()
		return fmt.Sprintf("message %#x %v of %s", ev.Code, m.View(), signer.Hex()[:8])
	case core.NewHead:
		return fmt.Sprintf("new head %d", ev.Header.Number)
	case core.Candidate:
		return fmt.Sprintf("candidate %s for round %d", ev.Block.Hash().TerminalString(), ev.Round)
	case core.Validated:
		return fmt.Sprintf("validated %s: %v", ev.Hash.TerminalString(), ev.Err)
	case core.Timeout:
		return fmt.Sprintf("timeout %d", ev.ID)
	}
	return fmt.Sprintf("%T", ev)
}

func describeEffect(e core.Effect) string {
	switch e := e.(type) {
	case core.Persist:
		return fmt.Sprintf("persist %#x (%d, %d) %s", e.Code, e.Sequence, e.Round, e.Digest.TerminalString())
	case core.PersistLock:
		return fmt.Sprintf("persist lock of round %d", e.Round)
	case core.Send:
		return fmt.Sprintf("send %#x to %d, force %v", e.Code, len(e.To), e.Force)
	case core.Relay:
		return fmt.Sprintf("relay %#x", e.Code)
	case core.SetTimer:
		return fmt.Sprintf("timer %d of kind %d in %v", e.ID, e.Kind, e.Delay)
	case core.Execute:
		return fmt.Sprintf("execute %s", e.Block.Hash().TerminalString())
	case core.Commit:
		return fmt.Sprintf("commit %s in round %d", e.Block.Hash().TerminalString(), e.Round)
	case core.Build:
		return fmt.Sprintf("build %+v", e)
	case core.Misbehaviour:
		return fmt.Sprintf("accuse %s: %s", e.Signer.Hex()[:8], e.Kind)
	case core.StopSigning:
		return "signs nothing more: " + e.Reason
	case core.BadDelivery:
		return "bad delivery: " + e.Reason
	case core.Dropped:
		return "drop: " + e.Reason
	case core.Failed:
		return "failed: " + e.Err.Error()
	}
	return fmt.Sprintf("%T", e)
}
