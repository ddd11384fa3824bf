// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/messages"
)

// Evidence is kept by the recorder and the store that ship, in a directory for each node that outlives its processes.
// The observer looks at the messages that each state machine is given, finds the contradictions among them by itself,
// and holds the store to them. It asks for less than what may be found: the state machine was in the round of the
// messages, and keeps it; votes may have come before that, in the sequence below at the earliest; and the node lived
// until it had carried out the step in which the second one counted.

const (
	// openRounds is how many rounds a state machine keeps votes of, and how far ahead ROUND-CHANGEs are
	// (docs/consensus.md, One view).
	openRounds = 10
	// keptReports is how many reports of a validator and kind a recorder takes in a minute, keptPairs how many pairs of
	// them a store has before it evicts, and maxFailed how often a deliverer may be wrong before what is large is not
	// taken from it any more, for failedMemory sequences (docs/architecture.md).
	keptReports  = 6
	keptPairs    = 32
	maxFailed    = 2
	failedMemory = 16
)

// contradiction is what there has to be evidence of.
type contradiction struct {
	kind            evidence.Kind
	signer          common.Address
	sequence, round uint64
}

func (c contradiction) String() string {
	return fmt.Sprintf("the contradiction of kind %s in round %d of sequence %d", c.kind, c.round, c.sequence)
}

// shownBy reports whether evidence is of the contradiction. Of forgotten COMMITs there is one a sequence.
func (c contradiction) shownBy(e *evidence.Evidence) bool {
	return e.Kind == c.kind && e.Validator == c.signer && e.Sequence == c.sequence &&
		(c.kind == evidence.ForgottenCommit || e.Rounds[0] == c.round)
}

// heard is what the state machine of a process was given in its sequence by validators that may contradict themselves.
// It belongs to the goroutine of the driver.
type heard struct {
	sequence  uint64
	rounds    map[uint64]bool                  // that the state machine has been in
	votes     map[spoken]string                // the first in each view: what was voted for, and the seal
	proposals map[spoken][]common.Hash         // that came while there was none
	changes   map[spoken]*messages.RoundChange // that were taken
	spoilt    map[common.Address]bool          // a false seal of theirs was found
	justNow   []common.Address                 // and in the last step
	early     []earlyVote
	failed    map[common.Address]failures

	reports map[accusation]int // in this process
	fresh   []contradiction    // of the last step, which is not yet carried out
}

// failures counts the wrong messages of a deliverer, with the sequence of the last one.
type failures struct {
	count int
	last  uint64
}

// earlyVote is one whose view had not begun.
type earlyVote struct {
	sequence uint64
	spoken
	says string
}

// spoken names what a key may say once.
type spoken struct {
	signer common.Address
	step
}

type accusation struct {
	signer common.Address
	kind   evidence.Kind
}

// contradictory are the kinds of evidence by what state machines call them.
var contradictory = map[core.Fault]evidence.Kind{
	core.ProposalEquivocation: evidence.TwoProposals, core.PrepareEquivocation: evidence.TwoPrepares,
	core.CommitEquivocation: evidence.TwoCommits, core.RoundChangeEquivocation: evidence.TwoRoundChanges,
}

// evidenceDir is where a node keeps evidence.
func (n *Node) evidenceDir() string { return filepath.Join(n.net.dir, fmt.Sprint(n.id)) }

// faultless reports whether no node has a reason to contradict itself.
func (n *Network) faultless() bool {
	return len(n.cfg.Twins) == 0 && !slices.ContainsFunc(n.nodes, func(node *Node) bool { return node.Behavior != nil })
}

// hears is told of a step of a state machine before it is carried out.
func (o *observer) hears(p *process, ev core.Event, effects []core.Effect) {
	if o.net.faultless() {
		return
	}
	h := &p.heard
	status, last := p.driver.Status(), h.justNow // before this step
	// With the next event the step is carried out, unless that event is a verdict, which may be part of the step: a disk
	// that is full then stops the node before anything of it is.
	if _, verdict := ev.(core.Validated); !verdict {
		o.mu.Lock()
		o.awaits[p.node] = append(o.awaits[p.node], h.fresh...)
		o.mu.Unlock()
		h.fresh, h.justNow = nil, nil
	}
	if h.sequence != status.Sequence || h.rounds == nil {
		failed := h.failed
		*h = heard{
			sequence:  status.Sequence,
			rounds:    make(map[uint64]bool),
			votes:     make(map[spoken]string),
			proposals: make(map[spoken][]common.Hash),
			changes:   make(map[spoken]*messages.RoundChange),
			spoilt:    make(map[common.Address]bool),
			failed:    make(map[common.Address]failures),
			reports:   h.reports,
			early:     h.early,
			fresh:     h.fresh,
			justNow:   h.justNow,
		}
		for _, signer := range last { // what was early was looked at when the head came
			h.spoilt[signer] = true
		}
		if h.reports == nil {
			h.reports = make(map[accusation]int)
		}
		for from, f := range failed {
			if f.last+failedMemory > status.Sequence {
				h.failed[from] = f
			}
		}
	}
	h.rounds[status.Round] = true
	o.hearsEarly(h, status)
	for _, e := range effects {
		switch e := e.(type) {
		case core.Misbehavior:
			h.reports[accusation{e.Author, contradictory[e.Kind]}]++
			if e.Kind == core.InvalidSeal {
				h.spoilt[e.Author] = true
				h.justNow = append(h.justNow, e.Author)
			}
		case core.ForgottenCommit:
			h.reports[accusation{e.Author, evidence.ForgottenCommit}]++
		case core.BadDelivery:
			h.failed[e.From] = failures{h.failed[e.From].count + 1, status.Sequence}
		}
	}
	if message, ok := ev.(core.Message); ok {
		o.hearsMessage(p, h, status, message, effects)
	}
}

func (o *observer) hearsMessage(p *process, h *heard, status core.Status, ev core.Message, effects []core.Effect) {
	if status.Sequence == 0 || h.failed[ev.From].count >= maxFailed {
		return
	}
	m, err := messages.Decode(ev.Code, ev.Payload)
	if err != nil {
		return
	}
	sequence := m.View().Sequence
	if sequence < status.Sequence || sequence > status.Sequence+1 {
		return
	}
	signer, err := m.Signer()
	if err != nil || signer == p.node.address || !o.isMember(signer, status.Sequence) {
		return
	}
	round := m.View().Round
	key := spoken{signer, step{ev.Code, round}}
	if says := statementOf(m); says != "" && (sequence > status.Sequence && round <= openRounds ||
		sequence == status.Sequence && round > status.Round && round <= status.Round+openRounds) {
		h.early = append(h.early, earlyVote{sequence, key, says})
		return
	}
	if sequence != status.Sequence || !status.Validator {
		return
	}
	found := func(kind evidence.Kind) {
		if h.reports[accusation{signer, kind}] <= keptReports {
			h.fresh = append(h.fresh, contradiction{kind, signer, status.Sequence, round})
		}
	}
	switch m := m.(type) {
	case *messages.PrePrepare:
		digest := m.Block.Hash()
		switch {
		case round != status.Round || signer != status.Proposer:
		case status.Proposal == common.Hash{}:
			h.proposals[key] = append(h.proposals[key], digest)
		case digest != status.Proposal && slices.Contains(h.proposals[key], status.Proposal) &&
			m.Block.ParentHash() == p.node.chain.block(status.Sequence-1).Hash():
			found(evidence.TwoProposals)
		}
	case *messages.Prepare, *messages.Commit:
		o.hearsVote(h, status, key, statementOf(m))
	case *messages.RoundChange:
		if round < status.Round || round > status.Round+openRounds {
			return
		}
		taken := slices.ContainsFunc(effects, func(e core.Effect) bool {
			relay, ok := e.(core.Relay)
			return ok && relay.Code == ev.Code && relay.Author == signer && relay.View == m.View()
		})
		before := h.changes[key]
		switch {
		case taken:
			h.changes[key] = m
			o.findForgotten(h, status, signer)
		case before != nil && before.Prepared != nil && m.Prepared != nil && before.Prepared.Round == m.Prepared.Round &&
			before.Prepared.Digest != m.Prepared.Digest:
			found(evidence.TwoRoundChanges)
		}
	}
}

// hearsVote compares a vote whose view has begun with the first in the view.
func (o *observer) hearsVote(h *heard, status core.Status, key spoken, says string) {
	if !h.rounds[key.round] || key.round > status.Round || status.Round > key.round+openRounds || h.spoilt[key.signer] {
		return
	}
	kind := evidence.TwoPrepares
	if key.code == messages.CodeCommit {
		kind = evidence.TwoCommits
	}
	first, known := h.votes[key]
	switch {
	case !known:
		h.votes[key] = says
		o.findForgotten(h, status, key.signer)
	case says != first && h.reports[accusation{key.signer, kind}] <= keptReports:
		h.fresh = append(h.fresh, contradiction{kind, key.signer, status.Sequence, key.round})
	}
}

// hearsEarly takes up votes that came before a view that has begun.
func (o *observer) hearsEarly(h *heard, status core.Status) {
	h.early = slices.DeleteFunc(h.early, func(v earlyVote) bool {
		if v.sequence == status.Sequence && v.round <= status.Round && status.Validator && o.isMember(v.signer, v.sequence) {
			o.hearsVote(h, status, v.spoken, v.says)
			return true
		}
		return v.sequence <= status.Sequence && v.round <= status.Round || v.sequence < status.Sequence
	})
}

// statementOf is what a vote says: a block, and the seal over it; empty for what is no vote.
func statementOf(m messages.Message) string {
	if digest, seal, ok := messages.Ballot(m); ok {
		return string(digest[:]) + string(seal)
	}
	return ""
}

// findForgotten looks for a COMMIT of a validator that a ROUND-CHANGE of it to a later round knows nothing of. One with
// a false seal is none.
func (o *observer) findForgotten(h *heard, status core.Status, signer common.Address) {
	if h.spoilt[signer] {
		return
	}
	for commit := range h.votes {
		if commit.signer != signer || commit.code != messages.CodeCommit || status.Round > commit.round+openRounds {
			continue
		}
		for key, change := range h.changes {
			if key.signer != signer || key.round <= commit.round || key.round < status.Round ||
				change.Prepared != nil && change.Prepared.Round >= commit.round {
				continue
			}
			if h.reports[accusation{signer, evidence.ForgottenCommit}] <= keptReports {
				h.fresh = append(h.fresh, contradiction{evidence.ForgottenCommit, signer, status.Sequence, key.round})
			}
			return
		}
	}
}

// isMember reports whether an address is that of a validator of a sequence.
func (o *observer) isMember(address common.Address, sequence uint64) bool {
	return slices.ContainsFunc(o.net.members(sequence), func(i int) bool { return o.net.nodes[i].address == address })
}

// checkEvidence reads what a node has kept as gwon evidence export does, and judges it.
// What has to be there is, whichever process of the node came upon it.
func (o *observer) checkEvidence(n *Node) {
	o.mu.Lock()
	awaited := slices.Clone(o.awaits[n])
	o.mu.Unlock()
	lists, err := evidence.Look(n.evidenceDir(),
		evidence.Filter{To: math.MaxUint64, Limit: math.MaxInt, MaxBytes: math.MaxInt64})
	if err != nil {
		o.net.fail("evidence of node %d: %v", n.id, err)
		return
	}
	var kept []*evidence.Evidence
	for _, list := range lists {
		if len(list.Unreadable) > 0 || list.Genesis != o.net.genesis.Hash() {
			o.net.fail("evidence of node %d: not readable %v, of %v", n.id, list.Unreadable, list.Genesis)
			return
		}
		kept = append(kept, list.Evidence...)
	}
	for _, e := range kept {
		o.judge(n, e)
	}
	if !n.honest() {
		return
	}
	stored := make(map[accusation]int)
	for _, e := range kept {
		stored[accusation{e.Validator, e.Kind}]++
	}
	for _, c := range awaited {
		if stored[accusation{c.signer, c.kind}] < keptPairs && !slices.ContainsFunc(kept, c.shownBy) {
			o.net.fail("node %d has no evidence of %v by node %s", n.id, c, o.who(c.signer))
		}
	}
}

// judge checks that evidence is what the node said it was, and hurts no validator that it must not hurt.
func (o *observer) judge(n *Node, e *evidence.Evidence) {
	parent := n.chain.GetHeaderByNumber(e.Sequence - 1)
	if parent == nil {
		return // a power loss has taken it
	}
	set, err := o.engine.ValidatorsAfter(n.chain, parent)
	if err != nil {
		o.net.fail("validators of block %d: %v", e.Sequence, err)
		return
	}
	verdict := evidence.Judge(e, evidence.Court{Set: set, Genesis: o.net.genesis.Hash(), Parent: parent.Hash()})
	if verdict.Label != e.Label || verdict.Label == evidence.Refused {
		o.net.fail("node %d keeps as %s what is judged as %s: %s", n.id, e.Label, verdict.Label, verdict.Reason)
	}
	malicious := false
	for _, other := range o.net.nodes {
		if other.address != e.Validator {
			continue
		}
		malicious = malicious || other.Behavior != nil
		if other.honest() {
			o.net.fail("node %d keeps evidence against honest node %d: %s", n.id, other.id, verdict.Reason)
		}
	}
	if verdict.Label == evidence.Proven && !malicious {
		o.net.fail("node %d has it as proven that node %s breaks the rules on purpose: %s", n.id, o.who(e.Validator),
			verdict.Reason)
	}
}

// Evidence counts the pairs that honest nodes keep, by kind, and of how many contradictions the observer knows that
// they have to.
func (n *Network) Evidence() (kept, awaited map[evidence.Kind]int) {
	kept, awaited = make(map[evidence.Kind]int), make(map[evidence.Kind]int)
	for _, node := range n.nodes {
		if !node.honest() {
			continue
		}
		lists, err := evidence.Look(node.evidenceDir(),
			evidence.Filter{To: math.MaxUint64, Limit: math.MaxInt, MaxBytes: math.MaxInt64})
		if err != nil {
			n.fail("evidence of node %d: %v", node.id, err)
		}
		for _, list := range lists {
			for _, e := range list.Evidence {
				kept[e.Kind]++
			}
		}
		n.observer.mu.Lock()
		for _, c := range n.observer.awaits[node] {
			awaited[c.kind]++
		}
		n.observer.mu.Unlock()
	}
	return kept, awaited
}
