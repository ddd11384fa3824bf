// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// Reasons for which a core cannot tell what a record wants.
var (
	errEarly        = unsupported{"a message before its time has its place in its view, and none in a queue"}
	errOtherRound   = unsupported{"the core keeps votes of other rounds in their rounds"}
	errOwnVoteFirst = unsupported{"the own vote counts in the step that sends it, and has completed a quorum"}
)

// witness holds the variables of the reference, by the messages that the core has taken. A message of the node itself
// is in them from its delivery on, as in the reference. The core counts it from the step that sends it.
type witness struct {
	set  *validators.Set
	self common.Address

	prepares, commits ballots
	changes           map[uint64]map[common.Address]*messages.SignedRoundChange // by round
	owed              map[uint64]messages.Message                               // own ones, not yet delivered, by code
	certificate       []any
	decided           *types.Block // with its seals
	prior             record
}

// ballots are the votes of a kind: those that count, those that came when a quorum was there, those for the head, and
// the seals.
type ballots struct {
	counted, extra, late map[common.Address]messages.View
	seals                map[common.Address][]byte
}

func newBallots() ballots {
	views := func() map[common.Address]messages.View { return make(map[common.Address]messages.View) }
	return ballots{views(), views(), views(), make(map[common.Address][]byte)}
}

// of returns the votes of a code.
func (w *witness) of(code uint64) *ballots {
	if code == messages.CodeCommit {
		return &w.commits
	}
	return &w.prepares
}

func newWitness(set *validators.Set, self common.Address) *witness {
	return &witness{
		set: set, self: self, prepares: newBallots(), commits: newBallots(), owed: make(map[uint64]messages.Message),
		changes: make(map[uint64]map[common.Address]*messages.SignedRoundChange),
		prior:   record{"round": "0", "proposal": nil},
	}
}

// take notes a message that the core took in a class.
func (w *witness) take(m messages.Message, author common.Address, class string, before core.Status) error {
	votes := w.of(m.Code())
	switch {
	case class == classFuture:
		return errEarly
	case m.View().Sequence != before.Sequence:
	case m.Code() == messages.CodeRoundChange:
		w.change(m, author)
	case !isVote(decimal(m.Code())):
	case m.View().Round != before.Round:
		return errOtherRound
	case class == classExtraSeal:
		votes.extra[author], votes.seals[author] = m.View(), sealOf(m)
	default:
		votes.counted[author], votes.seals[author] = m.View(), sealOf(m)
	}
	return nil
}

func (w *witness) change(m messages.Message, author common.Address) {
	round := m.View().Round
	if w.changes[round] == nil {
		w.changes[round] = make(map[common.Address]*messages.SignedRoundChange)
	}
	w.changes[round][author] = &m.(*messages.RoundChange).SignedRoundChange
}

// enter begins a sequence or a round. The votes for the head are the late ones of the next sequence.
func (w *witness) enter(before, after core.Status) {
	switch {
	case before.Sequence != after.Sequence:
		prepares, commits := w.prepares, w.commits
		w.prepares, w.commits, w.certificate = newBallots(), newBallots(), nil
		clear(w.changes)
		w.prior = record{"round": "0", "proposal": nil}
		if w.decided != nil {
			w.prior = record{"round": decimal(before.Round), "proposal": hashItem(w.decided.Hash())}
			w.prepares.late, w.commits.late = prepares.all(), commits.all()
		}
		w.decided = nil
	case before.Round != after.Round:
		prepares, commits := w.prepares.late, w.commits.late
		w.prepares, w.commits = newBallots(), newBallots()
		w.prepares.late, w.commits.late = prepares, commits
		maps.DeleteFunc(w.changes, func(round uint64, _ map[common.Address]*messages.SignedRoundChange) bool {
			return round < after.Round
		})
	default:
		return
	}
	clear(w.owed)
}

// follow notes what the core did in a step, and compares its counts with the own ones.
func (w *witness) follow(before, after core.Status, effects []core.Effect) error {
	w.enter(before, after)
	for _, e := range effects {
		switch e := e.(type) {
		case core.Send:
			if e.Force {
				break // a repetition
			}
			m, err := messages.Decode(e.Code, e.Payload)
			if err != nil {
				return err
			}
			if w.owed[e.Code] = m; isVote(decimal(e.Code)) {
				w.of(e.Code).seals[w.self] = sealOf(m)
			}
		case core.Commit:
			w.decided = e.Block
		}
	}
	if after.Locked && !before.Locked {
		if w.owed[messages.CodePrepare] != nil {
			return errOwnVoteFirst
		}
		for _, source := range sorted(w.prepares.counted) {
			w.certificate = append(w.certificate, record{
				"source": addressItem(source), "sequence": decimal(after.Sequence), "round": decimal(after.LockedRound),
				"digest": hashItem(after.LockedBlock),
			})
		}
	}
	if after.State == core.Committed && before.State != core.Committed && w.owed[messages.CodeCommit] != nil {
		return errOwnVoteFirst
	}
	for code, count := range map[uint64]int{messages.CodePrepare: after.Prepares, messages.CodeCommit: after.Commits} {
		taken := len(w.of(code).counted) + len(w.of(code).extra)
		if w.owed[code] != nil {
			taken++
		}
		if after.Proposal != (common.Hash{}) && taken != count {
			return fmt.Errorf("the core counts %d messages of code %d, %d were taken", count, code, taken)
		}
	}
	changes := len(w.changes[after.Round])
	if w.owed[messages.CodeRoundChange] != nil {
		changes++
	}
	if changes != after.RoundChanges {
		return fmt.Errorf("the core counts %d ROUND-CHANGEs, %d were taken", after.RoundChanges, changes)
	}
	return nil
}

// deliver notes that an own message has come back to the node.
func (w *witness) deliver(m messages.Message) error {
	// The lists of a message, which no signature covers, may be in another order.
	if owed := w.owed[m.Code()]; owed == nil || !bytes.Equal(owed.Signature(), m.Signature()) {
		return unsupported{"an own message that the core did not send"}
	}
	delete(w.owed, m.Code())
	switch {
	case isVote(decimal(m.Code())):
		w.of(m.Code()).counted[w.self] = m.View()
	case m.Code() == messages.CodeRoundChange:
		w.change(m, w.self)
	}
	return nil
}

// state is what the variables hold.
func (w *witness) state(at core.Status) record {
	r := record{
		"view":  record{"sequence": decimal(at.Sequence), "round": decimal(at.Round)},
		"state": nameOf(at.State), "proposer": addressItem(at.Proposer),
		"locked_round": nil, "locked_block": nil, "preprepare": nil, "pending_request": nil, "preprepare_sent": "0",
		"prepares": listOf(sorted(w.prepares.counted), addressItem),
		"commits":  listOf(sorted(w.commits.counted), addressItem), "certificate": nil,
		"round_changes": w.roundChanges(at.Round), "backlog": []any{}, "prior": w.prior,
		"extra_prepare_seals": w.prepares.seal(), "extra_commit_seals": w.commits.seal(),
	}
	if at.Locked {
		r["locked_round"], r["locked_block"] = decimal(at.LockedRound), hashItem(at.LockedBlock)
		r["certificate"] = w.certificate
	}
	if at.Proposal != (common.Hash{}) {
		r["preprepare"] = record{"round": decimal(at.Round), "proposal": hashItem(at.Proposal)}
	}
	return r
}

// finalized is a decision, with the seals that are in its block.
func (w *witness) finalized(c core.Commit) (any, error) {
	x, err := c.Block.Header().WBFTExtra()
	if err != nil {
		return nil, err
	}
	r := record{"proposal": hashItem(c.Block.Hash()), "round": decimal(c.Round), "result": "ok"}
	for _, kind := range []struct {
		name  string
		seal  *types.WBFTSeal
		votes ballots
	}{{"prepared_seals", x.PreparedSeal, w.prepares}, {"committed_seals", x.CommittedSeal, w.commits}} {
		indices, err := validators.DecodeSealers(kind.seal.Sealers, w.set.Len())
		if err != nil {
			return nil, err
		}
		r[kind.name] = listOf(indices, func(i int) any {
			return record{"sealer": decimal(i), "seal": toHex(kind.votes.seals[w.set.At(i).Address])}
		})
	}
	return r, nil
}

// roundChanges lists the ROUND-CHANGEs by their round. The round of the node is always there.
func (w *witness) roundChanges(round uint64) []any {
	rounds := slices.Collect(maps.Keys(w.changes))
	if !slices.Contains(rounds, round) {
		rounds = append(rounds, round)
	}
	slices.Sort(rounds)
	return listOf(rounds, func(round uint64) any {
		r := record{
			"round": decimal(round), "sources": listOf(sorted(w.changes[round]), addressItem), "prepared_round": nil,
			"prepared_block": nil,
		}
		var best *messages.PreparedClaim
		for _, c := range w.changes[round] {
			if c.Prepared != nil && (best == nil || c.Prepared.Round > best.Round) {
				best = c.Prepared
			}
		}
		if best != nil {
			r["prepared_round"], r["prepared_block"] = decimal(best.Round), hashItem(best.Digest)
		}
		return r
	})
}

// all returns all votes of a kind.
func (b ballots) all() map[common.Address]messages.View {
	all := maps.Clone(b.counted)
	maps.Copy(all, b.extra)
	return all
}

// seal lists the votes that came when a quorum was there, those of the sequence before among them.
func (b ballots) seal() []any {
	of := maps.Clone(b.extra)
	maps.Copy(of, b.late)
	return listOf(sorted(of), func(a common.Address) any {
		return record{"source": addressItem(a), "sequence": decimal(of[a].Sequence), "round": decimal(of[a].Round)}
	})
}

func sorted[V any](of map[common.Address]V) []common.Address {
	return slices.SortedFunc(maps.Keys(of), common.Address.Cmp)
}

func nameOf(state core.State) string {
	for name, s := range stateNames {
		if s == state {
			return name
		}
	}
	return ""
}

// sealOf returns the seal of a PREPARE or COMMIT.
func sealOf(m messages.Message) []byte {
	switch m := m.(type) {
	case *messages.Prepare:
		return m.Seal
	case *messages.Commit:
		return m.Seal
	}
	return nil
}
