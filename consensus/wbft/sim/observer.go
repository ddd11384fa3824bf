// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// observer watches what leaves the nodes and what comes to their disks, and knows of nothing inside them. At every step
// it holds them to the promises of docs/consensus.md:
//
//   - agreement: no two blocks at one height, each of them sealed by a quorum of its set and valid;
//   - no honest key signs two different things in a view, whatever crashed;
//   - no ROUND-CHANGE of an honest key forgets what the key has committed to;
//   - an honest validator votes only for blocks that it has executed, and that are valid;
//   - nothing is sent before its record, and the block below it, would survive a power loss;
//   - no honest validator is accused, blamed, silenced or stopped;
//   - a validator that has lost its vote log signs nothing before there is a block that was made a minute later;
//   - evidence is kept of every contradiction that reached an honest node, and names no honest validator;
//   - evidence proves nothing against a validator that runs gwon or go-stablenet unchanged (checkEvidence).
type observer struct {
	net    *Network
	engine *wbft.Engine

	mu     sync.Mutex
	blocks map[common.Hash]*types.Block // that anybody has made or proposed
	decide map[uint64]common.Hash
	// contested tells that a node has taken a block about which releases differ: from then on agreement is that of gwon.
	contested bool
	spoilt    map[*types.Block]bool                            // copies of decided blocks with bad seals
	signed    map[common.Address]map[uint64]map[step]statement // by honest keys, by sequence
	faults    map[core.Fault]int
	blamed    int

	executions map[[2]common.Address]int // begun by the first, of blocks of the second
	probations int

	halted map[*process]bool
	lost   map[*Node]loss
	awaits map[*Node][]contradiction // of which the node has to have evidence
}

// loss is when a validator lost its vote log.
type loss struct {
	since uint64 // by its own clock, in seconds since 1970
	wait  uint64 // seconds from then to the block above which it may speak
	over  bool   // it has signed again
}

// step names one thing a key may sign once in a sequence.
type step struct{ code, round uint64 }

// statement is what an honest key has said in a view.
type statement struct {
	digest  common.Hash
	payload []byte
	gone    bool // with the log
}

func newObserver(n *Network) *observer {
	engine, err := wbft.New(n.config, nil)
	if err != nil {
		panic(err) // the configuration was checked
	}
	engine.SetClock(func() time.Time { return time.Now().Add(time.Hour) }) // no clock in the network is so far ahead
	return &observer{
		net:    n,
		engine: engine,
		blocks: map[common.Hash]*types.Block{n.genesis.Hash(): n.genesis},
		decide: make(map[uint64]common.Hash),
		signed: make(map[common.Address]map[uint64]map[step]statement),
		spoilt: make(map[*types.Block]bool),
		faults: make(map[core.Fault]int),

		executions: make(map[[2]common.Address]int),
		halted:     make(map[*process]bool),
		lost:       make(map[*Node]loss),
		awaits:     make(map[*Node][]contradiction),
	}
}

// Faults counts reported misbehavior by kind, over all nodes.
func (n *Network) Faults() map[core.Fault]int {
	n.observer.mu.Lock()
	defer n.observer.mu.Unlock()
	return maps.Clone(n.observer.faults)
}

// BadDeliveries counts how often a deliverer was blamed, over all nodes.
func (n *Network) BadDeliveries() int {
	n.observer.mu.Lock()
	defer n.observer.mu.Unlock()
	return n.observer.blamed
}

// learn remembers a block.
func (o *observer) learn(block *types.Block) {
	if block.ParentHash() == (common.Hash{}) {
		return
	}
	o.net.christen(block)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.blocks[block.Hash()] == nil {
		o.blocks[block.Hash()] = block
	}
}

func (o *observer) block(hash common.Hash) *types.Block {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.blocks[hash]
}

// decided is told of each sealed block before a node makes it its head.
func (o *observer) decided(node *Node, block *types.Block) {
	o.learn(block)
	if o.isSpoiled(block) {
		o.net.fail("node %d takes a copy of block %s with bad seals", node.id, o.net.name(block.Hash()))
	}
	number, hash := block.NumberU64(), block.Hash()
	_, own := node.participant.(*process)
	o.mu.Lock()
	if o.contested = o.contested || contested(block); o.contested && !own {
		o.mu.Unlock()
		return // go-stablenet splits by its own rules
	}
	before, known := o.decide[number]
	o.decide[number] = hash
	o.mu.Unlock()
	if known && before != hash {
		o.net.fail("two blocks at height %d: %s and %s", number, o.net.name(before), o.net.name(hash))
		return
	}
	head := node.chain.head()
	if block.ParentHash() != head.Hash() {
		return // nothing will come of it
	}
	if err := o.net.execute(head.Header(), block); err != nil {
		o.net.fail("node %d writes block %s, which is invalid: %v", node.id, o.net.name(hash), err)
	}
	if err := o.engine.VerifyHeader(node.chain, block.Header()); err != nil {
		o.net.fail("node %d writes block %s: %v", node.id, o.net.name(hash), err)
	}
}

// spoiled takes a copy of a decided block whose seals are bad.
func (o *observer) spoiled(block *types.Block) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spoilt[block] = true
}

func (o *observer) isSpoiled(block *types.Block) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.spoilt[block]
}

// refusedImport takes a block that a node refuses from another one. Every announced block was accepted by its sender.
func (o *observer) refusedImport(node *Node, block *types.Block, err error) {
	if node.skew == 0 && o.net.cfg.MaxSkew == 0 && !contested(block) {
		if o.isSpoiled(block) {
			return
		}
		o.net.fail("node %d refuses block %s of a peer: %v", node.id, o.net.name(block.Hash()), err)
	}
}

// refusedStart is told of a driver that does not start.
func (o *observer) refusedStart(node *Node, err error) {
	o.net.note(node.id, "does not start: %v", err)
	if node.honest() && !node.Spoilt {
		o.net.fail("node %d does not start: %v", node.id, err)
	}
}

// sends is told of every own message that an honest driver sends, before it leaves.
func (o *observer) sends(p *process, code uint64, payload []byte, force bool) {
	n := p.node
	m, err := messages.Decode(code, payload)
	if err != nil {
		o.net.fail("node %d sends a malformed message %#x: %v", n.id, code, err)
		return
	}
	signer, err := m.Signer()
	if err != nil || signer != n.address {
		o.net.fail("node %d sends a message %#x of %v as its own: %v", n.id, code, signer, err)
		return
	}
	view := m.View()
	digest := o.digest(m)
	if !o.net.cfg.Quiet {
		again := ""
		if force {
			again = " again"
		}
		o.net.note(n.id, "sends%s %s", again, o.describe(m))
	}
	if !n.honest() {
		return
	}
	if !n.disk.holds(voteLogPath, o.firstForm(n, m, payload)) {
		o.net.fail("node %d sends %s, which is not durable", n.id, o.describe(m))
	}
	if onDisk := n.chain.onDisk(); view.Sequence > onDisk+1 {
		o.net.fail("node %d sends %s, and has only block %d on disk", n.id, o.describe(m), onDisk)
	}
	o.checkWait(n, m)
	first := o.record(n, m, digest, payload)
	if first && code != messages.CodeRoundChange {
		o.checkVote(n, m, digest)
	}
}

// firstForm is the payload of an own message that stands in the vote log: of a ROUND-CHANGE that is said again in other
// bytes, the first one.
func (o *observer) firstForm(n *Node, m messages.Message, payload []byte) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	first, known := o.signed[n.address][m.View().Sequence][step{m.Code(), m.View().Round}]
	if m.Code() == messages.CodeRoundChange && known && first.digest == crypto.Keccak256Hash(m.SigningPayload()) {
		return first.payload
	}
	return payload
}

// digest is what a message says.
func (o *observer) digest(m messages.Message) common.Hash {
	if m, ok := m.(*messages.PrePrepare); ok {
		o.learn(m.Block)
	}
	return signing.Subject(m)
}

// record notes what an honest key says and holds it against all that it has said before. It reports whether that is
// new.
func (o *observer) record(n *Node, m messages.Message, digest common.Hash, payload []byte) (first bool) {
	view := m.View()
	key := step{m.Code(), view.Round}
	o.mu.Lock()
	if o.signed[n.address] == nil {
		o.signed[n.address] = make(map[uint64]map[step]statement)
	}
	said := o.signed[n.address][view.Sequence]
	if said == nil {
		said = make(map[step]statement)
		o.signed[n.address][view.Sequence] = said
	}
	before, known := said[key]
	if known && before.digest == digest && !before.gone {
		payload = before.payload
	}
	said[key] = statement{digest: digest, payload: payload}
	var committed []uint64 // rounds
	for k := range said {
		if k.code == messages.CodeCommit {
			committed = append(committed, k.round)
		}
	}
	o.mu.Unlock()
	if known && before.digest != digest {
		o.net.fail("node %d signs two different messages: %s and another digest before", n.id, o.describe(m))
	}
	change, ok := m.(*messages.RoundChange)
	if !ok {
		return !known
	}
	for _, round := range committed {
		if round < change.Round && (change.Prepared == nil || change.Prepared.Round < round) {
			o.net.fail("node %d has sent a COMMIT in round %d and forgets it: %s", n.id, round, o.describe(m))
		}
	}
	return !known
}

// logLost is told that a vote log is gone, and what the key has said with it.
func (o *observer) logLost(n *Node) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lost[n] = loss{since: uint64(n.clock().Unix()), wait: uint64(core.ClockTolerance / time.Second)}
	for _, said := range o.signed[n.address] {
		for at, s := range said {
			s.gone = true
			said[at] = s
		}
	}
}

// adopted is told that another program goes on with a lost vote log, right after logLost.
func (o *observer) adopted(n *Node) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if l, lost := o.lost[n]; lost {
		l.wait = uint64(wbft.AdoptedTolerance / time.Second)
		o.lost[n] = l
	}
}

// told takes the order of operators to sign a block in spite of lost votes (docs/operate/runbooks/votes-lost.md).
func (o *observer) told(n *Node, sequence uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, lost := o.lost[n]; lost {
		delete(o.lost, n)
		delete(o.signed[n.address], sequence)
	}
}

// checkWait checks that a validator that has lost its vote log says nothing in a sequence in which it may have spoken
// before: the block below was made more than a minute later, or a few seconds where it was taken over.
func (o *observer) checkWait(n *Node, m messages.Message) {
	o.mu.Lock()
	l, lost := o.lost[n]
	o.mu.Unlock()
	if !lost {
		return
	}
	below := n.chain.block(m.View().Sequence - 1)
	if below == nil || below.Time() <= l.since+l.wait {
		o.net.fail("node %d has lost its vote log and sends %s", n.id, o.describe(m))
	}
	l.over = true
	o.mu.Lock()
	o.lost[n] = l
	o.mu.Unlock()
}

// rejoined reports whether all running honest validators that have lost their vote logs sign again, or would if they
// were in the set.
func (o *observer) rejoined() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for n, l := range o.lost {
		if !n.honest() || !n.Up() {
			continue
		}
		if n.Waiting() || !l.over && slices.Contains(o.net.members(n.Height()+1), n.id) {
			return false
		}
	}
	return true
}

// checkVote checks that a voted block is valid, and that the voter has executed it.
func (o *observer) checkVote(n *Node, m messages.Message, digest common.Hash) {
	block := o.block(digest)
	if block == nil {
		o.net.fail("node %d sends %s for a block that no node has made", n.id, o.describe(m))
		return
	}
	parent := o.block(block.ParentHash())
	if parent == nil {
		o.net.fail("node %d sends %s for a block without a parent", n.id, o.describe(m))
		return
	}
	if err := o.net.execute(parent.Header(), block); err != nil {
		o.net.fail("node %d sends %s, and the block is invalid: %v", n.id, o.describe(m), err)
	}
	n.chain.mu.Lock()
	executed := n.chain.executed[digest]
	n.chain.mu.Unlock()
	if m.Code() == messages.CodePrePrepare && m.View().Round > 0 {
		return // a prepared block is proposed again before it is executed here; the PREPARE has to wait
	}
	if !executed {
		o.net.fail("node %d sends %s and has not executed the block", n.id, o.describe(m))
	}
}

// saw is told of every step of an honest driver's state machine.
func (o *observer) saw(p *process, ev core.Event, effects []core.Effect) {
	n := p.node
	if p.dead.Load() {
		return
	}
	o.hears(p, ev, effects)
	if !o.net.cfg.Quiet {
		o.net.note(n.id, "%s", o.describeEvent(ev))
	}
	for _, e := range effects {
		if !o.net.cfg.Quiet {
			if text := o.describeEffect(e); text != "" {
				o.net.note(n.id, "    %s", text)
			}
		}
		switch e := e.(type) {
		case core.Misbehavior:
			o.accused(n, e)
		case core.ForgottenCommit:
			o.claims(n, e.Author, (*Node).honest, "forgot its COMMIT")
		case core.BadDelivery:
			o.count(&o.blamed)
			o.claims(n, e.From, (*Node).honest, "delivered what is wrong: "+e.Reason)
		case core.Execute:
			o.mu.Lock()
			o.executions[[2]common.Address{n.address, e.Block.Coinbase()}]++
			o.mu.Unlock()
		case core.Probation:
			o.count(&o.probations)
			o.claims(n, e.Validator, func(v *Node) bool { return v.honest() || v.Reference != nil }, "is on probation")
		case core.StopSigning:
			if n.honest() && !n.twin() { // a twin hears the messages of the other one
				o.net.fail("honest node %d signs nothing more: %s", n.id, e.Reason)
			}
		}
	}
}

// accused checks that no honest validator is accused. A restarted validator of go-stablenet forgets its votes and may
// be.
func (o *observer) accused(n *Node, e core.Misbehavior) {
	o.mu.Lock()
	o.faults[e.Kind]++
	o.mu.Unlock()
	o.claims(n, e.Author, func(v *Node) bool { return v.honest() || v.Reference != nil && v.incarnation == 1 },
		"broke a rule: "+string(e.Kind))
}

func (o *observer) count(what *int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	*what++
}

// claims checks that a node says of a validator what is not to be said of some.
func (o *observer) claims(n *Node, of common.Address, clear func(*Node) bool, what string) {
	for _, other := range o.net.nodes {
		if other.address == of && clear(other) {
			o.net.fail("node %d has it that honest node %d %s", n.id, other.id, what)
		}
	}
}

// checkUp checks that no honest driver has halted. A failing disk is the only reason.
func (o *observer) checkUp(n *Node) {
	p, ok := n.participant.(*process)
	if !ok {
		return
	}
	reason := p.driver.Halted()
	if reason == "" || p.dead.Load() {
		return
	}
	o.mu.Lock()
	known := o.halted[p]
	o.halted[p] = true
	o.mu.Unlock()
	if !known {
		o.net.note(n.id, "has halted: %s", reason)
	}
	if !n.Spoilt {
		o.net.fail("honest node %d has halted: %s", n.id, reason)
	}
}

// afterPowerLoss opens the vote log that a power loss has left, as the next process will, and checks that everything
// that was sent is in it, but for sequences far below the chain.
func (o *observer) afterPowerLoss(n *Node) {
	if !n.honest() || n.Spoilt || n.incarnation == 0 {
		return
	}
	copied := newDisk()
	n.disk.mu.Lock()
	for path, f := range n.disk.files {
		copied.files[path] = &inode{content: slices.Clone(f.content), durable: slices.Clone(f.durable)}
	}
	n.disk.mu.Unlock()
	owner := votelog.Owner{Validator: n.address, Genesis: o.net.genesis.Hash()}
	votes, err := votelog.OpenOn(mount{copied, &process{node: n}}, voteLogPath, owner)
	if err != nil {
		o.net.fail("node %d cannot read its vote log after a power loss: %v", n.id, err)
		return
	}
	kept := make(map[uint64]map[step]common.Hash)
	for _, s := range votes.Sequences() {
		kept[s.Number] = make(map[step]common.Hash)
		for _, r := range s.Records {
			kept[s.Number][step{r.Code, r.Round}] = r.Digest
		}
	}
	if err := votes.Close(); err != nil {
		o.net.fail("node %d: %v", n.id, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for sequence, said := range o.signed[n.address] {
		for at, s := range said {
			if !s.gone && sequence >= max(votes.Floor(), n.Height()) && kept[sequence][at] != s.digest {
				defer o.net.fail("node %d has lost its message %#x of (%d, %d) in a power loss", n.id, at.code, sequence, at.round)
			}
		}
	}
}

// kinds are the names of messages.
var kinds = map[uint64]string{
	messages.CodePrePrepare: "PRE-PREPARE", messages.CodePrepare: "PREPARE", messages.CodeCommit: "COMMIT",
	messages.CodeRoundChange: "ROUND-CHANGE",
}

// describe names a message.
func (o *observer) describe(m messages.Message) string {
	text := fmt.Sprintf("%s %v", kinds[m.Code()], m.View())
	change, ok := m.(*messages.RoundChange)
	if !ok {
		return text + " " + o.net.name(o.digest(m))
	}
	if change.Prepared != nil {
		text += fmt.Sprintf(" prepared %s in round %d", o.net.name(change.Prepared.Digest), change.Prepared.Round)
	}
	return text
}

// who names the node behind an address.
func (o *observer) who(address common.Address) string {
	for _, n := range o.net.nodes {
		if n.address == address {
			return fmt.Sprint(n.id)
		}
	}
	return "a stranger"
}

func (o *observer) describeEvent(ev core.Event) string {
	switch ev := ev.(type) {
	case core.Message:
		m, err := messages.Decode(ev.Code, ev.Payload)
		if err != nil {
			return fmt.Sprintf("message %#x: %v", ev.Code, err)
		}
		signer, _ := m.Signer()
		return fmt.Sprintf("%s of %s from %s", o.describe(m), o.who(signer), o.who(ev.From))
	case core.NewHead:
		return fmt.Sprintf("new head %s", o.net.name(ev.Header.Hash()))
	case core.Candidate:
		return fmt.Sprintf("has built %s for round %d", o.net.name(ev.Block.Hash()), ev.Round)
	case core.Validated:
		if ev.Err != nil {
			return fmt.Sprintf("has executed %s: %v", o.net.name(ev.Hash), ev.Err)
		}
		return fmt.Sprintf("has executed %s", o.net.name(ev.Hash))
	case core.Timeout:
		return "timer"
	case core.PeerConnected:
		return "connected to " + o.who(ev.Address)
	case core.PeerLost:
		return "has lost " + o.who(ev.Address)
	}
	return fmt.Sprintf("%T", ev)
}

// refuses is told that a driver has no room for a message. Each validator that keeps the rules has room, whatever it
// relays of others.
func (o *observer) refuses(p *process, from *Node) {
	if from.Behavior == nil && !from.twin() && p.driver.Running() &&
		slices.Contains(o.net.members(p.status().Sequence), from.id) {
		o.net.fail("node %d refuses a message of node %d, which keeps the rules", p.node.id, from.id)
	}
}

func (o *observer) describeEffect(e core.Effect) string {
	switch e := e.(type) {
	case core.PersistLock:
		return fmt.Sprintf("locks in round %d", e.Round)
	case core.SetTimer:
		return fmt.Sprintf("%s timer %v", []string{"round", "retry", "proposal"}[e.Kind], e.Delay)
	case core.Commit:
		return fmt.Sprintf("decides %s in round %d", o.net.name(e.Block.Hash()), e.Round)
	case core.Misbehavior:
		return fmt.Sprintf("accuses %s: %s", o.who(e.Author), e.Kind)
	case core.ForgottenCommit:
		return fmt.Sprintf("notes that %s forgot a COMMIT", o.who(e.Author))
	case core.StopSigning:
		return "signs nothing more: " + e.Reason
	case core.Cancel:
		return "cancels the execution of " + o.net.name(e.Hash)
	case core.Probation:
		return fmt.Sprintf("puts %s on probation until %d", o.who(e.Validator), e.Until)
	case core.PresenceChange:
		if e.Unresponsive {
			return "takes " + o.who(e.Validator) + " for silent"
		}
		return "hears " + o.who(e.Validator) + " again"
	case core.BadDelivery:
		return fmt.Sprintf("blames %s: %s", o.who(e.From), e.Reason)
	case core.Dropped:
		return "drops it: " + e.Reason
	case core.Failed:
		return "fails: " + strings.Split(e.Err.Error(), "\n")[0]
	}
	return ""
}
