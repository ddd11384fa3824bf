// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
	"gwon/consensus/wbft/validators"
)

// machine is the protocol's part of a node.
type machine interface {
	Step(now time.Time, ev core.Event) []core.Effect
	Status() core.Status
	LateSeals() (round uint32, digest common.Hash, prepared, committed *types.WBFTSeal)
}

// window is how many rounds ahead go-stablenet looks (spec wbft 5.4).
const window = 10

// reference is the state machine of go-stablenet, as far as it matters to those that share a network with it (spec
// wbft 5). It has no vote log; its round timer doubles without a cap and does not ask whether anybody else is there; it
// repeats the ROUND-CHANGE of the current round with what it is prepared for by then; it votes before it executes; it
// takes lists in justifications as they are, as far as its release does. Left out are its stale timers and that it adds
// late seals of another round than the head's (spec wbft 9.2 nos. 8 to 10): what they cost is lost in a network without
// this client too.
type reference struct {
	node    *raw
	release Release
	effects []core.Effect
	queue   []messages.Message // own messages on their way back

	head     core.Head
	sequence uint64
	round    uint64
	state    core.State
	proposer common.Address

	proposal          *types.Block // accepted
	waiting           *messages.PrePrepare
	prepares, commits map[common.Address]messages.Message
	lock              *messages.RoundChange // what a ROUND-CHANGE says about being prepared; nil if it is not
	pending           *types.Block
	proposed          uint64 // round of the last own PRE-PREPARE
	changes           map[uint64]map[common.Address]*messages.RoundChange
	backlog           []waitingMessage
	prior             *priorRound
	extra             map[seat]messages.Message // newest late vote of a sender and kind
	lastTimer         uint64
	timers            map[core.TimerKind]uint64
}

// seat is whose vote of which kind it is.
type seat struct {
	sender common.Address
	code   uint64
}

// waitingMessage is one of a view that has not begun.
type waitingMessage struct {
	sender  common.Address
	message messages.Message
}

// priorRound is the round of the sequence that was left, as it was left.
type priorRound struct {
	round uint64
	block *types.Block
	set   *validators.Set
}

func newReference(n *raw, release Release) *reference {
	return &reference{
		node:    n,
		release: release,
		timers:  make(map[core.TimerKind]uint64),
		extra:   make(map[seat]messages.Message),
	}
}

// LateSeals implements machine: the votes for the head that its header does not have (spec wbft 5.8).
func (r *reference) LateSeals() (uint32, common.Hash, *types.WBFTSeal, *types.WBFTSeal) {
	header := r.head.Header
	x, err := header.WBFTExtra()
	if err != nil || r.prior == nil || x.PreparedSeal == nil || x.CommittedSeal == nil ||
		uint64(x.Round) != r.prior.round {
		return 0, common.Hash{}, nil, nil
	}
	return x.Round, header.Hash(), r.lateSeal(
		messages.CodePrepare,
		x.PreparedSeal,
	), r.lateSeal(messages.CodeCommit, x.CommittedSeal)
}

// lateSeal is the sum of the late votes of a kind beyond those in an aggregate, nil for none.
func (r *reference) lateSeal(code uint64, have *types.WBFTSeal) *types.WBFTSeal {
	sealed, err := validators.DecodeSealers(have.Sealers, r.prior.set.Len())
	if err != nil {
		return nil
	}
	var indices []int
	var seals []scheme.Signature
	view := messages.View{Sequence: r.head.Header.Number.Uint64(), Round: r.prior.round}
	for i, sender := range r.prior.set.Addresses() {
		m := r.extra[seat{sender, code}]
		if m == nil || m.View() != view || slices.Contains(sealed, i) {
			continue
		}
		digest, seal, _ := messages.Ballot(m)
		if point, err := scheme.ParseSignature(seal); err == nil && digest == r.head.Header.Hash() {
			indices, seals = append(indices, i), append(seals, point)
		}
	}
	if len(indices) == 0 {
		return nil
	}
	return &types.WBFTSeal{Sealers: validators.EncodeSealers(indices), Signature: scheme.Sum(seals)}
}

// keepExtra keeps a vote for the next header, the newest of its sender and kind.
func (r *reference) keepExtra(m messages.Message, sender common.Address) {
	at := seat{sender, m.Code()}
	if old := r.extra[at]; old == nil || m.View().Cmp(old.View()) > 0 {
		r.extra[at] = m
	}
}

func (r *reference) Status() core.Status {
	s := core.Status{Sequence: r.sequence, Round: r.round, State: r.state, Proposer: r.proposer}
	if r.lock != nil {
		s.Locked, s.LockedRound, s.LockedBlock = true, r.lock.Prepared.Round, r.lock.Prepared.Digest
	}
	return s
}

func (r *reference) emit(e core.Effect) { r.effects = append(r.effects, e) }

func (r *reference) Step(_ time.Time, ev core.Event) []core.Effect {
	r.effects = nil
	switch ev := ev.(type) {
	case core.NewHead:
		left := r.head.Set
		r.head = ev.Head
		r.leave(left)
		r.startRound(0)
	case core.Message:
		m, err := messages.Decode(ev.Code, ev.Payload)
		if err == nil {
			r.admit(m)
		}
	case core.Timeout:
		r.onTimeout(ev.ID)
	case core.Candidate:
		r.onCandidate(ev.Block)
	case core.Validated:
		r.onValidated(ev)
	}
	for len(r.queue) > 0 {
		m := r.queue[0]
		r.queue = r.queue[1:]
		r.admit(m)
	}
	return r.effects
}

// leave keeps of the view that a new head ends what the next header may use (spec wbft 5.3).
func (r *reference) leave(set *validators.Set) {
	height := r.head.Header.Number.Uint64()
	if set == nil || height < r.sequence {
		return
	}
	for _, votes := range []map[common.Address]messages.Message{r.prepares, r.commits} {
		for sender, m := range votes {
			r.keepExtra(m, sender)
		}
	}
	prior := &priorRound{round: r.round, block: r.proposal, set: set}
	if prior.block == nil && r.prior != nil {
		prior.block = r.prior.block
	}
	r.prior = prior
	maps.DeleteFunc(r.extra, func(_ seat, m messages.Message) bool { return m.View().Sequence < height })
}

// startRound is spec wbft 5.3.
func (r *reference) startRound(round uint64) {
	height := r.head.Header.Number.Uint64()
	switch {
	case height+1 > r.sequence:
		r.sequence, r.round = height+1, 0
		r.proposal, r.lock, r.pending = nil, nil, nil
		r.changes = make(map[uint64]map[common.Address]*messages.RoundChange)
	case height+1 < r.sequence || round == 0 || round < r.round:
		return
	default:
		r.round = round
		for old := range r.changes {
			if old < round {
				delete(r.changes, old)
			}
		}
	}
	r.prepares = make(map[common.Address]messages.Message)
	r.commits = make(map[common.Address]messages.Message)
	r.proposed, r.waiting = 0, nil
	last := r.head.Header.Coinbase
	if height == 0 {
		last = common.Address{}
	}
	r.proposer = r.head.Set.Proposer(r.head.Params.Policy, last, r.round)
	r.setState(core.AcceptRequest)
	r.emit(core.Build{Sequence: r.sequence, Round: r.round, Proposer: true})
	r.startTimer()
}

// startTimer is spec wbft 5.5 without a cap.
func (r *reference) startTimer() {
	r.timers = make(map[core.TimerKind]uint64)
	r.setTimer(core.RoundTimer, core.RoundTimeout(r.head.Params.RequestTimeout, r.head.Params.MaxRequestTimeout, r.round))
}

func (r *reference) setTimer(kind core.TimerKind, delay time.Duration) {
	r.lastTimer++
	r.timers[kind] = r.lastTimer
	r.emit(core.SetTimer{Kind: kind, ID: r.lastTimer, Delay: min(delay, math.MaxInt64/4)})
}

func (r *reference) setState(state core.State) {
	r.state = state
	waiting := r.backlog
	r.backlog = nil
	for _, w := range waiting {
		r.queue = append(r.queue, w.message)
	}
}

// wait puts a message into the backlog (spec wbft 5.4).
func (r *reference) wait(m messages.Message, sender common.Address) {
	if sender == r.node.address {
		return
	}
	kept := 0
	for _, w := range r.backlog {
		if w.sender != sender {
			continue
		}
		if kept++; r.release.backlog > 0 &&
			(kept == r.release.backlog || w.message.Code() == m.Code() && w.message.View() == m.View()) {
			return
		}
	}
	r.backlog = append(r.backlog, waitingMessage{sender, m})
}

// admit is spec wbft 5.4.
func (r *reference) admit(m messages.Message) {
	sender, err := m.Signer()
	if err != nil {
		return
	}
	if !r.signaturesHold(m) {
		return
	}
	view, now := m.View(), messages.View{Sequence: r.sequence, Round: r.round}
	late := r.prior != nil && r.state == core.AcceptRequest &&
		view == messages.View{Sequence: r.sequence - 1, Round: r.prior.round}
	set := r.head.Set
	if late {
		set = r.prior.set
	}
	index, member := set.Index(sender)
	next := r.release.nextRounds > 0 && view.Sequence == r.sequence+1 && view.Round >= r.release.nextRounds
	switch {
	case !member, view.Sequence > r.sequence+1, next, view.Sequence == r.sequence && view.Round > r.round+window:
		return
	case late && (m.Code() == messages.CodePrepare || m.Code() == messages.CodeCommit):
		if r.prior.block != nil && r.sealHolds(m, r.prior.block, set.At(index).Key) {
			r.keepExtra(m, sender)
			r.pass(m, sender)
		}
		return
	case view.Cmp(now) < 0:
		return
	case m.Code() == messages.CodeRoundChange && view.Sequence == r.sequence:
	case view.Cmp(now) > 0:
		r.wait(m, sender)
		return
	}
	handled := false
	switch m := m.(type) {
	case *messages.PrePrepare:
		handled = r.state == core.AcceptRequest && r.onPrePrepare(m, sender)
	case *messages.Prepare, *messages.Commit:
		handled = r.onVote(m, sender, index)
	case *messages.RoundChange:
		handled = r.onRoundChange(m, sender)
	}
	if handled {
		r.pass(m, sender)
	}
}

// pass relays a message that was handled without an error (spec wbft 4.4).
func (r *reference) pass(m messages.Message, sender common.Address) {
	if sender != r.node.address {
		r.emit(core.Relay{Code: m.Code(), Payload: m.Encode()})
	}
}

// signaturesHold recovers the signers of a justification, as far as the release does (spec wbft 5.4).
func (r *reference) signaturesHold(m messages.Message) bool {
	var list []messages.Signed
	switch m := m.(type) {
	case *messages.PrePrepare:
		for _, change := range m.RoundChanges {
			list = append(list, change)
		}
		if r.release.provesPrepares {
			for _, p := range m.Prepares {
				list = append(list, p)
			}
		}
	case *messages.RoundChange:
		for _, p := range m.Prepares {
			list = append(list, p)
		}
	}
	return !slices.ContainsFunc(list, func(s messages.Signed) bool {
		signer, err := s.Signer()
		return err != nil || !r.head.Set.Contains(signer)
	})
}

// sealHolds reports whether a vote is for a block and its seal holds.
func (r *reference) sealHolds(m messages.Message, block *types.Block, key *bls.PublicKey) bool {
	kind := extra.Prepare
	if m.Code() == messages.CodeCommit {
		kind = extra.Commit
	}
	digest, seal, _ := messages.Ballot(m)
	message := extra.SealDigest(block.Header(), uint32(m.View().Round), kind)
	return digest == block.Hash() && scheme.Verify(key, message[:], seal)
}

// broadcast signs an own message, sends it, and takes it like anybody's.
func (r *reference) broadcast(m messages.Message) {
	if m.SignWith(r.node.sign) == nil {
		r.emit(core.Send{Code: m.Code(), Payload: m.Encode()})
		r.queue = append(r.queue, m)
	}
}

// onCandidate is spec wbft 5.6.
func (r *reference) onCandidate(block *types.Block) {
	if block.NumberU64() != r.sequence {
		return
	}
	r.pending = block
	if r.state == core.AcceptRequest && r.round == 0 && r.proposer == r.node.address {
		r.broadcast(&messages.PrePrepare{Sequence: r.sequence, Block: block})
	}
}

func (r *reference) onPrePrepare(m *messages.PrePrepare, sender common.Address) bool {
	if sender != r.proposer || m.Block.NumberU64() != m.Sequence || m.Round > 0 && !r.justified(m) {
		return false
	}
	r.waiting = m
	r.emit(core.Execute{Block: m.Block})
	return true
}

// justified is spec wbft 5.9.
func (r *reference) justified(m *messages.PrePrepare) bool {
	changes, prepares := m.RoundChanges, m.Prepares
	if r.release.countsSenders {
		if slices.ContainsFunc(changes, func(c *messages.SignedRoundChange) bool { return c.View() != m.View() }) {
			return false
		}
		changes, prepares = firstOfEach(changes), firstOfEach(prepares)
	}
	quorum, supporting, claimed := r.head.Set.Quorum(), 0, len(prepares) == 0
	for _, change := range changes {
		switch {
		case change.Prepared == nil:
			supporting++
		case len(prepares) > 0 && change.Prepared.Round <= prepares[0].Round:
			supporting++
			claimed = claimed || change.Prepared.Round == prepares[0].Round && change.Prepared.Digest == m.Block.Hash()
		}
	}
	odd := slices.ContainsFunc(prepares, func(p *messages.Prepare) bool {
		return p.Round != prepares[0].Round || p.Digest != m.Block.Hash()
	})
	return supporting >= quorum && claimed && !odd && (len(prepares) == 0 || len(prepares) >= quorum)
}

// firstOfEach returns the first message of each sender.
func firstOfEach[M messages.Signed](list []M) []M {
	seen := make(map[common.Address]bool)
	return slices.DeleteFunc(slices.Clone(list), func(m M) bool {
		signer, err := m.Signer()
		double := err != nil || seen[signer]
		seen[signer] = true
		return double
	})
}

// certified reports whether the PREPAREs of a ROUND-CHANGE are a quorum for its claim (spec wbft 5.7).
func (r *reference) certified(m *messages.RoundChange) bool {
	if m.Prepared == nil || m.PreparedBlock == nil {
		return false
	}
	counted := m.Prepares
	if r.release.countsSenders {
		counted = firstOfEach(counted)
	}
	return len(counted) >= r.head.Set.Quorum() && !slices.ContainsFunc(m.Prepares, func(p *messages.Prepare) bool {
		return p.Digest != m.Prepared.Digest || p.Round != m.Prepared.Round
	})
}

// onValidated takes the result of the header check (spec wbft 5.7, PRE-PREPARE nos. 4 and 5).
func (r *reference) onValidated(ev core.Validated) {
	if r.waiting == nil || r.state != core.AcceptRequest || r.waiting.Block.Hash() != ev.Hash {
		return
	}
	if ev.Err != nil {
		if ev.RetryAfter > 0 {
			r.setTimer(core.ProposalTimer, ev.RetryAfter)
		}
		return
	}
	r.proposal = r.waiting.Block
	r.startTimer()
	r.setState(core.PrePrepared)
	r.vote(extra.Prepare)
}

func (r *reference) vote(kind byte) {
	digest := extra.SealDigest(r.proposal.Header(), uint32(r.round), kind)
	seal := r.node.seal(digest[:])
	code := messages.CodePrepare
	if kind == extra.Commit {
		code = messages.CodeCommit
	}
	view := messages.View{Sequence: r.sequence, Round: r.round}
	r.broadcast(modes.Vote(code, view, r.proposal.Hash(), seal))
}

func (r *reference) onVote(m messages.Message, sender common.Address, index int) bool {
	votes, state := r.prepares, core.PrePrepared
	if m.Code() == messages.CodeCommit {
		votes, state = r.commits, core.Prepared
	}
	if r.state < state {
		r.wait(m, sender)
		return false
	}
	if !r.sealHolds(m, r.proposal, r.head.Set.At(index).Key) {
		return false
	}
	if r.state > state {
		r.keepExtra(m, sender)
		return true
	}
	votes[sender] = m
	if len(votes) < r.head.Set.Quorum() {
		return true
	}
	if state == core.PrePrepared {
		r.lock = &messages.RoundChange{PreparedBlock: r.proposal}
		r.lock.Prepared = &messages.PreparedClaim{Round: r.round, Digest: r.proposal.Hash()}
		for _, v := range r.head.Set.Addresses() {
			if p, ok := votes[v].(*messages.Prepare); ok {
				r.lock.Prepares = append(r.lock.Prepares, p)
			}
		}
		r.setState(core.Prepared)
		r.vote(extra.Commit)
		return true
	}
	r.setState(core.Committed)
	if header, err := r.sealed(); err == nil {
		r.emit(core.Commit{Block: r.proposal.WithSeal(header), Round: r.round})
	}
	return true
}

func (r *reference) sealed() (*types.Header, error) {
	aggregate := func(votes map[common.Address]messages.Message) (*types.WBFTSeal, error) {
		seals := make(map[int]scheme.Signature)
		for address, m := range votes {
			index, _ := r.head.Set.Index(address)
			_, seal, _ := messages.Ballot(m)
			var err error
			if seals[index], err = scheme.ParseSignature(seal); err != nil {
				return nil, err
			}
		}
		return r.head.Set.Aggregate(seals)
	}
	prepared, err := aggregate(r.prepares)
	if err != nil {
		return nil, err
	}
	committed, err := aggregate(r.commits)
	if err != nil {
		return nil, err
	}
	return r.proposal.Header().WithWBFTSeals(uint32(r.round), prepared, committed)
}

// onRoundChange is spec wbft 5.7, ROUND-CHANGE.
func (r *reference) onRoundChange(m *messages.RoundChange, sender common.Address) bool {
	if m.Prepared != nil && m.PreparedBlock != nil && len(m.Prepares) > 0 && m.PreparedBlock.NumberU64() != r.sequence {
		return false
	}
	if r.changes[m.Round] == nil {
		r.changes[m.Round] = make(map[common.Address]*messages.RoundChange)
	}
	r.changes[m.Round][sender] = m
	senders, lowest := make(map[common.Address]bool), uint64(math.MaxUint64)
	for round, list := range r.changes {
		if round <= r.round {
			continue
		}
		lowest = min(lowest, round)
		for address := range list {
			senders[address] = true
		}
	}
	switch {
	case len(senders) == r.head.Set.JoinCount():
		r.startRound(lowest)
		r.sendRoundChange()
	case len(r.changes[r.round]) >= r.head.Set.Quorum() && r.proposer == r.node.address && r.proposed < r.round:
		r.propose()
	}
	return true
}

func (r *reference) propose() {
	p := &messages.PrePrepare{Sequence: r.sequence, Round: r.round, Block: r.pending}
	var best *messages.RoundChange
	for _, address := range r.head.Set.Addresses() {
		m := r.changes[r.round][address]
		if m == nil {
			continue
		}
		p.RoundChanges = append(p.RoundChanges, &m.SignedRoundChange)
		if r.certified(m) && (best == nil || m.Prepared.Round > best.Prepared.Round) {
			best = m
		}
	}
	if best != nil {
		p.Block, p.Prepares = best.PreparedBlock, best.Prepares
	}
	if p.Block == nil || !r.justified(p) {
		return
	}
	r.proposed = r.round
	r.broadcast(p)
}

// sendRoundChange sends the ROUND-CHANGE of the current round, with what this node is prepared for by now.
func (r *reference) sendRoundChange() {
	m := new(messages.RoundChange)
	m.Sequence, m.Round = r.sequence, r.round
	if r.lock != nil {
		m.Prepared, m.PreparedBlock, m.Prepares = r.lock.Prepared, r.lock.PreparedBlock, r.lock.Prepares
	}
	r.broadcast(m)
	r.setTimer(core.RetryTimer, r.head.Params.RequestTimeout)
}

func (r *reference) onTimeout(id uint64) {
	for kind, running := range r.timers {
		if running != id {
			continue
		}
		delete(r.timers, kind)
		switch kind {
		case core.RoundTimer:
			r.startRound(r.round + 1)
			r.sendRoundChange()
		case core.RetryTimer:
			r.sendRoundChange()
		case core.ProposalTimer:
			if r.waiting != nil {
				r.emit(core.Execute{Block: r.waiting.Block})
			}
		}
		return
	}
}
