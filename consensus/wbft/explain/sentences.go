// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explain

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
)

// Explanation says why a block took its rounds and its time.
type Explanation struct {
	Sequence  uint64           `json:"sequence"`
	Hash      *common.Hash     `json:"hash,omitempty"`  // of the block, if a recording has it as head
	Round     *uint64          `json:"round,omitempty"` // that sealed it
	Due       time.Time        `json:"due"`             // by the timestamp of the parent and the period
	Sentences []string         `json:"sentences"`
	Absent    []common.Address `json:"absent"` // validators of which no recording has a message in the sequence
	Problems  []string         `json:"problems,omitempty"`
	Views     []*View          `json:"views"`

	set  *validators.Set
	name func(common.Address) string
}

// slowShare is the part of a block period above which a step of the deciding round is told as slow.
const slowShare = 4

// Explain returns the explanation of a sequence by the views of Gather. name returns the name of a validator.
func Explain(sequence uint64, views []*View, name func(common.Address) string) (*Explanation, error) {
	if len(views) == 0 {
		return nil, fmt.Errorf("no recording shows sequence %d: the ring may have passed it, or the validator was not "+
			"running; name recordings of other validators with --recording", sequence)
	}
	longest := slices.MaxFunc(views, func(a, b *View) int { return cmp.Compare(len(a.Rounds), len(b.Rounds)) })
	e := &Explanation{Sequence: sequence, Views: views, Absent: []common.Address{}, set: views[0].set, name: name}
	e.Due = time.Unix(int64(views[0].parent.Time), 0).Add(views[0].params.BlockPeriod)
	var x *types.WBFTExtra
	for _, v := range views {
		if v.set == nil || !v.set.Equal(e.set) {
			return nil, errors.New("the recordings are of different chains: give those of one network")
		}
		if v.block != nil && e.Hash == nil {
			e.Hash = new(v.block.Hash())
			if decoded, err := v.block.WBFTExtra(); err == nil {
				x, e.Round = decoded, new(uint64(decoded.Round))
			}
		}
	}
	e.verdict(views)
	last := longest.Rounds[len(longest.Rounds)-1].Number
	if e.Round != nil {
		last = *e.Round
	}
	for number := uint64(0); number <= last; number++ {
		if e.Round != nil && number == *e.Round {
			e.deciding(number)
		} else if rounds := e.rounds(number); len(rounds) > 0 {
			e.lost(number, rounds)
		}
	}
	e.absent(x)
	e.faults()
	for _, v := range views {
		if v.Restarted {
			e.say("%s started in this sequence, %s.", name(v.Validator), e.after(v.Began))
		}
	}
	return e, nil
}

func (e *Explanation) say(format string, args ...any) {
	e.Sentences = append(e.Sentences, fmt.Sprintf(format, args...))
}

// ms writes a duration.
func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

// after writes a moment by its distance from the time at which the block was due.
func (e *Explanation) after(at time.Time) string {
	if d := at.Sub(e.Due); d < 0 {
		return ms(-d) + " before the block was due"
	} else {
		return ms(d) + " after the block was due"
	}
}

// list writes validators.
func (e *Explanation) list(addresses []common.Address) string {
	names := make([]string, len(addresses))
	for i, a := range addresses {
		names[i] = e.name(a)
	}
	return strings.Join(names, ", ")
}

// verdict tells the result.
func (e *Explanation) verdict(views []*View) {
	best := time.Time{}
	for _, v := range views {
		if !v.Decided.IsZero() && (best.IsZero() || v.Decided.Before(best)) {
			best = v.Decided
		}
	}
	switch {
	case e.Round == nil:
		e.say("No recording shows a decision on block %d.", e.Sequence)
	case best.IsZero():
		e.say("Block %d was sealed in round %d. The recorded validators got it from their peers.", e.Sequence, *e.Round)
	default:
		e.say("Block %d was sealed in round %d, %s.", e.Sequence, *e.Round, e.after(best))
	}
}

// seen is a round of one view.
type seen struct {
	*Round
	view *View
}

// rounds returns what the views saw of a round that they entered.
func (e *Explanation) rounds(number uint64) (list []seen) {
	for _, v := range e.Views {
		if r := v.round(number); r != nil && !r.Entered.IsZero() {
			list = append(list, seen{r, v})
		}
	}
	return list
}

// start returns when a round could begin: round 0 with the time at which its block is due.
func (e *Explanation) start(r seen) time.Time {
	if r.Number == 0 && r.Entered.Before(e.Due) {
		return e.Due
	}
	return r.Entered
}

// lost tells why a round did not decide.
func (e *Explanation) lost(number uint64, rounds []seen) {
	proposer := rounds[0].Proposer
	others := slices.DeleteFunc(slices.Clone(rounds), func(r seen) bool { return r.view.Validator == proposer })
	got := slices.DeleteFunc(slices.Clone(others), func(r seen) bool { return !e.inTime(r, r.Proposal) })
	switch {
	case len(others) == 0:
		e.say("Round %d was of %s, the only recorded validator: it was not decided there.", number, e.name(proposer))
	case len(got) == 0:
		e.noProposal(number, proposer, rounds, others)
	default:
		e.proposed(number, proposer, got, others)
	}
	for _, r := range rounds {
		if !r.Left.IsZero() {
			how := ""
			if r.Shortened {
				how = ", shortened because the proposer was known to be absent"
			}
			e.say("Round %d ended %s at %s after %s%s.", number, e.after(r.Left), e.name(r.view.Validator),
				ms(r.Left.Sub(e.start(r))), how)
			break
		}
	}
}

// inTime reports whether something happened in a round before it was left.
func (e *Explanation) inTime(r seen, at time.Time) bool {
	return !at.IsZero() && (r.Left.IsZero() || at.Before(r.Left))
}

// noProposal tells of a round whose proposal reached no recorded validator in time.
func (e *Explanation) noProposal(number uint64, proposer common.Address, rounds, others []seen) {
	e.say("Round %d waited for the proposal of %s, which reached none of %d recorded validators in time.", number,
		e.name(proposer), len(others))
	for _, r := range others {
		if !r.Proposal.IsZero() {
			e.say("The proposal of %s arrived late: at %s %s, %s after the round had ended.", e.name(proposer),
				e.name(r.view.Validator), e.after(r.Proposal), ms(r.Proposal.Sub(r.Left)))
			break
		}
	}
	for _, r := range rounds {
		if r.view.Validator == proposer {
			if r.Proposal.IsZero() {
				e.say("The recording of %s shows that it made no proposal in this round.", e.name(proposer))
			} else {
				e.say("The recording of %s shows that it sent the proposal %s.", e.name(proposer), e.after(r.Proposal))
			}
			return
		}
	}
	for _, r := range others {
		if slices.Contains(r.view.Parted, proposer) {
			e.say("The connection of %s to %s had ended.", e.name(r.view.Validator), e.name(proposer))
			break
		}
	}
	for _, r := range others {
		if slices.Contains(r.view.Silent, proposer) {
			e.say("%s had been unresponsive before this block.", e.name(proposer))
			break
		}
	}
}

// proposed tells of a round that had a proposal and no decision.
func (e *Explanation) proposed(number uint64, proposer common.Address, got, others []seen) {
	slow := slices.MaxFunc(got, func(a, b seen) int {
		return cmp.Compare(a.Proposal.Sub(e.start(a)), b.Proposal.Sub(e.start(b)))
	})
	if wait := slow.Proposal.Sub(e.start(slow)); wait > e.period()/slowShare {
		e.say("Round %d: the proposal of %s arrived late, %s into the round at %s.", number, e.name(proposer), ms(wait),
			e.name(slow.view.Validator))
	}
	if len(got) < len(others) {
		e.say("Round %d: the proposal of %s reached %d of %d recorded validators in time.", number, e.name(proposer),
			len(got), len(others))
	}
	for _, r := range got {
		if r.Refused != "" {
			e.say("Round %d: %s refused the proposal of %s: %s.", number, e.name(r.view.Validator), e.name(proposer), r.Refused)
			return
		}
	}
	for _, r := range got {
		if !r.Asked.IsZero() && r.Accepted.IsZero() {
			e.say("Round %d: %s was still executing the proposal of %s when it left the round.", number,
				e.name(r.view.Validator), e.name(proposer))
		}
	}
	e.doubted(number, proposer, got)
	prepares := func(r seen) map[common.Address]time.Time { return r.Prepares }
	commits := func(r seen) map[common.Address]time.Time { return r.Commits }
	if slices.ContainsFunc(got, func(r seen) bool { return e.inTime(r, r.Prepared) }) {
		e.missing(number, "COMMITs", got, commits)
	} else {
		e.missing(number, "PREPAREs", got, prepares)
	}
}

// doubted tells why validators that had a proposal did not vote for it.
func (e *Explanation) doubted(number uint64, proposer common.Address, got []seen) {
	for _, r := range got {
		if r.Block != (common.Hash{}) && got[0].Block != (common.Hash{}) && r.Block != got[0].Block {
			e.say("Round %d: %s sent one proposal to %s and another one to %s.", number, e.name(proposer),
				e.name(got[0].view.Validator), e.name(r.view.Validator))
			break
		}
	}
	for _, r := range got {
		if slices.Contains(r.view.Probation, proposer) && r.Asked.IsZero() {
			e.say("Round %d: the proposal of %s waited at %s for PREPAREs of others, because an earlier one was refused there.",
				number, e.name(proposer), e.name(r.view.Validator))
			break
		}
	}
}

// missing tells which votes did not arrive in time.
func (e *Explanation) missing(
	number uint64, kind string, rounds []seen, votes func(seen) map[common.Address]time.Time,
) {
	most := slices.MaxFunc(rounds, func(a, b seen) int { return cmp.Compare(e.count(a, votes), e.count(b, votes)) })
	var absent, late []common.Address
	for i := range e.set.Len() {
		a := e.set.At(i).Address
		switch at := votes(most)[a]; {
		case e.inTime(most, at):
		case at.IsZero():
			absent = append(absent, a)
		default:
			late = append(late, a)
		}
	}
	e.say("Round %d: %d of %d %s arrived in time at %s.", number, e.count(most, votes), e.set.Quorum(), kind,
		e.name(most.view.Validator))
	if len(absent) > 0 {
		e.say("Round %d: no %s of %s arrived there.", number, strings.TrimSuffix(kind, "s"), e.list(absent))
	}
	if len(late) > 0 {
		e.say("Round %d: the %s of %s arrived there after the round had ended.", number, strings.TrimSuffix(kind, "s"),
			e.list(late))
	}
}

// count returns how many votes arrived in time.
func (e *Explanation) count(r seen, votes func(seen) map[common.Address]time.Time) (n int) {
	for _, at := range votes(r) {
		if e.inTime(r, at) {
			n++
		}
	}
	return n
}

func (e *Explanation) period() time.Duration { return max(e.Views[0].params.BlockPeriod, time.Second) }

// deciding tells the steps of the round that sealed the block, at the validator that decided first.
func (e *Explanation) deciding(number uint64) {
	rounds := slices.DeleteFunc(e.rounds(number), func(r seen) bool { return r.view.Decided.IsZero() })
	if len(rounds) == 0 {
		return
	}
	r := slices.MinFunc(rounds, func(a, b seen) int { return a.view.Decided.Compare(b.view.Decided) })
	start, who := e.start(r), e.name(r.view.Validator)
	parts := []string{}
	step := func(at, from time.Time, what string) time.Time {
		if at.IsZero() {
			return from
		}
		parts = append(parts, fmt.Sprintf("%s after %s", what, ms(at.Sub(from))))
		return at
	}
	at := step(r.Proposal, start, "the proposal of "+e.name(r.Proposer))
	at = step(r.Accepted, at, "its execution")
	at = step(r.Prepared, at, "a quorum of PREPAREs")
	step(r.view.Decided, at, "a quorum of COMMITs")
	if r.view.Written > 0 {
		parts = append(parts, "the import of the block after "+ms(r.view.Written))
	}
	e.say("Round %d at %s: %s.", number, who, strings.Join(parts, ", "))
	slow := e.period() / slowShare
	if d := r.Proposal.Sub(start); !r.Proposal.IsZero() && d > slow {
		e.say("The proposal of %s came late, %s into the round.", e.name(r.Proposer), ms(d))
	}
	for _, v := range []struct {
		kind  string
		votes map[common.Address]time.Time
		from  time.Time
		to    time.Time
	}{{"PREPARE", r.Prepares, r.Accepted, r.Prepared}, {"COMMIT", r.Commits, r.Prepared, r.view.Decided}} {
		if v.from.IsZero() || v.to.IsZero() || v.to.Sub(v.from) <= slow {
			continue
		}
		if last := e.latest(v.votes, v.to); last != (common.Address{}) {
			e.say("The quorum waited %s for the %s of %s.", ms(v.to.Sub(v.from)), v.kind, e.name(last))
		}
	}
	if d := r.Accepted.Sub(r.Asked); !r.Asked.IsZero() && !r.Accepted.IsZero() && d > slow {
		e.say("%s took %s to execute the block.", who, ms(d))
	}
	if r.view.Written > slow {
		e.say("%s took %s to write the block.", who, ms(r.view.Written))
	}
	e.late(r)
}

// latest returns the author of the last vote up to a moment.
func (e *Explanation) latest(votes map[common.Address]time.Time, until time.Time) (author common.Address) {
	best := time.Time{}
	for _, a := range slices.SortedFunc(maps.Keys(votes), common.Address.Cmp) {
		if at := votes[a]; !at.After(until) && at.After(best) {
			author, best = a, at
		}
	}
	return author
}

// late tells which votes came after the decision by more than a slow step.
func (e *Explanation) late(r seen) {
	for i := range e.set.Len() {
		a := e.set.At(i).Address
		if at := r.Commits[a]; !at.IsZero() && at.Sub(r.view.Decided) > e.period()/slowShare {
			e.say("The COMMIT of %s arrived %s after the decision.", e.name(a), ms(at.Sub(r.view.Decided)))
		}
	}
}

// faults tells what the validators noted about each other.
func (e *Explanation) faults() {
	var order []Fault
	by := make(map[Fault][]common.Address)
	for _, v := range e.Views {
		for _, f := range v.Faults {
			if by[f] == nil {
				order = append(order, f)
			}
			by[f] = append(by[f], v.Validator)
		}
	}
	for _, f := range order {
		e.say("Fault of %s: %s (noted by %s).", e.name(f.Validator), f.What, e.list(by[f]))
	}
}

// absent tells which validators sent nothing in the sequence.
func (e *Explanation) absent(x *types.WBFTExtra) {
	heard := make(map[common.Address]bool)
	for _, v := range e.Views {
		for _, r := range v.Rounds {
			if !r.Proposal.IsZero() {
				heard[r.Proposer] = true
			}
			for _, votes := range []map[common.Address]time.Time{r.Prepares, r.Commits, r.Changes} {
				for a := range votes {
					heard[a] = true
				}
			}
		}
	}
	if x != nil {
		for _, seal := range []*types.WBFTSeal{x.PreparedSeal, x.CommittedSeal} {
			if seal == nil {
				continue
			}
			sealers, err := validators.DecodeSealers(seal.Sealers, e.set.Len())
			if err != nil {
				continue // the header was accepted by a node, so it has a good one
			}
			for _, i := range sealers {
				heard[e.set.At(i).Address] = true
			}
		}
	}
	for i := range e.set.Len() {
		if a := e.set.At(i).Address; !heard[a] {
			e.Absent = append(e.Absent, a)
		}
	}
	if len(e.Absent) > 0 {
		e.say("Absent: no message of %s is in any recording of this block.", e.list(e.Absent))
	}
}
