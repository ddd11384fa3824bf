// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/must"
)

// model is a governance contract in Go, with the life cycle of spec system-contracts 1.6 and 1.7. Weak spots are
// corrected as in docs/system-contracts.md. Counts are sums over the open proposals and not stored. Amounts are in
// whole units.
type model struct {
	at     common.Address // the contract
	own    ownRules
	now    int64
	expiry int64

	lists   [][]common.Address // by version, from 1
	quorum  int
	active  map[common.Address]bool
	givenUp map[common.Address]bool // replaced by changeMember, and not a member again since
	max     int

	proposals []*modelProposal // by number, from 1

	events []string // of the present message
}

// ownRules are the rules of one contract in addition to the life cycle.
type ownRules interface {
	// refusal returns the reason why the contract's own action cannot run now, and reports whether the reason is
	// temporary.
	refusal(p *modelProposal) (string, bool)
	// perform runs an accepted action of the contract; false means that it had no effect.
	perform(p *modelProposal) bool
	// finished is called at the end of a proposal.
	finished(p *modelProposal)
	// refusalToLeave is why a member cannot be removed, empty if it can.
	refusalToLeave(member common.Address) string
	left(member common.Address)
	changed(from, to common.Address)
	// step applies one random message of the contract to the contract and to the model.
	step(d *driver, from, other common.Address)
	// check compares the contract's own state.
	check(w *world, everyone []common.Address)
}

// newModel returns the model of a governance with these members.
func newModel(at common.Address, w *world, quorum int, members []common.Address) *model {
	m := &model{
		at: at, now: int64(w.time), expiry: 100, lists: [][]common.Address{nil, slices.Clone(members)}, quorum: quorum,
		active: make(map[common.Address]bool), givenUp: make(map[common.Address]bool), max: 3,
		proposals: []*modelProposal{nil},
	}
	for _, a := range members {
		m.active[a] = true
	}
	return m
}

type modelProposal struct {
	id                 int
	action             string
	version            int
	created            int64
	status             uint8
	required, yes, no  int
	voted              map[int]bool // by position in the list
	proposer, holder   common.Address
	attempts           int
	account            common.Address   // member, beneficiary, minter or owner of the coins
	accounts           []common.Address // of a batch
	number             int64            // quorum, limit, amount, allowance or tip
	key                string           // of deposit or withdrawal
	executedSuccessful int
}

func (p *modelProposal) open() bool { return p.status == voting || p.status == approved }

func (m *model) emit(names ...string) { m.events = append(m.events, names...) }

func (m *model) version() int { return len(m.lists) - 1 }

func (m *model) members() []common.Address { return m.lists[m.version()] }

func (m *model) late(p *modelProposal) bool { return m.now > p.created+m.expiry }

// count is how many open proposals an address has.
func (m *model) count(a common.Address) (n int) {
	for _, p := range m.proposals[1:] {
		if p.open() && p.holder == a {
			n++
		}
	}
	return n
}

func quorumFits(quorum, members int) bool {
	if members == 1 {
		return quorum == 1
	}
	return quorum >= 2 && quorum <= members
}

// refusal is why an action cannot run now, and whether that passes.
func (m *model) refusal(p *modelProposal) (string, bool) {
	n := len(m.members())
	switch p.action {
	case "add":
		switch {
		case p.account == common.Address{}:
			return "InvalidMemberAddress", false
		case m.active[p.account]:
			return "AlreadyAMember", false
		case !quorumFits(int(p.number), n+1):
			return "InvalidQuorum", false
		}
	case "remove":
		switch {
		case !m.active[p.account]:
			return "NotAMember", false
		case n == 1 || !quorumFits(int(p.number), n-1):
			return "InvalidQuorum", false
		}
		return m.own.refusalToLeave(p.account), false
	case "quorum":
		if !quorumFits(int(p.number), n) {
			return "InvalidQuorum", false
		}
	case "limit":
		if p.number < 1 || p.number > 50 {
			return "InvalidMaxProposals", false
		}
	default:
		return m.own.refusal(p)
	}
	return "", false
}

// propose makes a proposal and votes for it.
func (m *model) propose(from common.Address, p *modelProposal) (int, string) {
	if m.expiry == 0 {
		return 0, "InvalidProposalExpiry"
	}
	if m.count(from) >= m.max {
		return 0, "TooManyActiveProposals"
	}
	p.id, p.version, p.created, p.status, p.required = len(m.proposals), m.version(), m.now, voting, m.quorum
	p.voted, p.proposer, p.holder = make(map[int]bool), from, from
	m.proposals = append(m.proposals, p)
	m.emit("ProposalCreated")
	return p.id, m.vote(p, from, true)
}

// proposeOwn is propose by a member, of something that nothing refuses.
func (m *model) proposeOwn(from common.Address, p *modelProposal, refusal string) (int, string) {
	if !m.active[from] {
		return 0, "NotAMember"
	}
	if refusal != "" {
		return 0, refusal
	}
	return m.propose(from, p)
}

// proposeBase is the four functions that every governance has.
func (m *model) proposeBase(from common.Address, action string, account common.Address, number int64) (int, string) {
	p := &modelProposal{action: action, account: account, number: number}
	refusal, _ := m.refusal(p)
	return m.proposeOwn(from, p, refusal)
}

// voter returns a proposal that the caller has a say in.
func (m *model) voter(from common.Address, id int) (*modelProposal, string) {
	if id < 1 || id >= len(m.proposals) {
		return nil, "InvalidProposal"
	}
	p := m.proposals[id]
	if !slices.Contains(m.lists[p.version], from) || m.givenUp[from] {
		return nil, "NotAMember"
	}
	return p, ""
}

func (m *model) vote(p *modelProposal, from common.Address, yes bool) string {
	if !p.open() {
		return "ProposalNotInVoting"
	}
	if m.late(p) {
		m.finish(p, expired)
		m.emit("ProposalExpired")
		return ""
	}
	seat := slices.Index(m.lists[p.version], from)
	if p.voted[seat] {
		return "AlreadyApproved"
	}
	p.voted[seat] = true
	m.emit("ProposalVoted")
	if !yes {
		if p.no++; p.no > len(m.lists[p.version])-p.required {
			m.finish(p, rejected)
			m.emit("ProposalRejected")
		}
		return ""
	}
	if p.yes++; p.yes < p.required {
		return ""
	}
	if p.status != approved {
		p.status = approved
		m.emit("ProposalApproved")
	}
	_, refusal := m.execute(p, byVote)
	return refusal
}

type attempt int

const (
	byVote attempt = iota
	retry
	final
)

func (m *model) execute(p *modelProposal, how attempt) (bool, string) {
	if p.status != approved {
		return false, "ProposalNotExecutable"
	}
	if m.late(p) {
		m.finish(p, expired)
		m.emit("ProposalExpired")
		return false, ""
	}
	if p.attempts == 3 {
		m.finish(p, failed)
		m.emit("ProposalFailed")
		return false, ""
	}
	refusal, passing := m.refusal(p)
	if refusal != "" && how == byVote {
		return false, "" // the vote stands
	}
	if refusal != "" && (how == retry || passing) {
		return false, refusal
	}
	p.attempts++
	success := refusal == "" && m.perform(p)
	switch {
	case success:
		p.executedSuccessful++
		m.finish(p, executed)
	case how == final:
		m.finish(p, failed)
	}
	m.emit("ProposalExecuted")
	return success, ""
}

// perform runs an action; false means that it had no effect.
func (m *model) perform(p *modelProposal) bool {
	switch p.action {
	case "add":
		m.lists = append(m.lists, append(slices.Clone(m.members()), p.account))
		m.active[p.account] = true
		delete(m.givenUp, p.account)
		m.quorum = int(p.number)
		m.emit("MemberAdded", "QuorumUpdated")
	case "remove":
		list := slices.Clone(m.members())
		m.lists = append(m.lists, slices.DeleteFunc(list, func(a common.Address) bool { return a == p.account }))
		m.active[p.account] = false
		m.quorum = int(p.number)
		m.emit("MemberRemoved", "QuorumUpdated")
		m.own.left(p.account)
	case "quorum":
		m.quorum = int(p.number)
		m.emit("QuorumUpdated")
	case "limit":
		m.max = int(p.number)
		m.emit("MaxProposalsPerMemberUpdated")
	default:
		return m.own.perform(p)
	}
	return true
}

// finish ends a proposal.
func (m *model) finish(p *modelProposal, status uint8) {
	p.status = status
	m.own.finished(p)
}

func (m *model) cancel(from common.Address, id int) string {
	p, refusal := m.voter(from, id)
	switch {
	case refusal != "":
		return refusal
	case p.status != voting:
		return "ProposalNotInVoting"
	case p.proposer != from:
		return "NotProposer"
	case p.yes > 1 || p.no > 0:
		return "ProposalAlreadyInVoting"
	}
	m.finish(p, canceled)
	m.emit("ProposalCancelled")
	return ""
}

func (m *model) expire(from common.Address, id int) (bool, string) {
	p, refusal := m.voter(from, id)
	if refusal != "" {
		return false, refusal
	}
	if !p.open() || !m.late(p) {
		return false, ""
	}
	m.finish(p, expired)
	m.emit("ProposalExpired")
	return true, ""
}

// change replaces a member by another address, at the same place of the present list.
func (m *model) change(from, to common.Address) string {
	switch {
	case !m.active[from]:
		return "NotAMember"
	case to == common.Address{} || to == from:
		return "InvalidMemberAddress"
	case m.active[to]:
		return "AlreadyAMember"
	}
	list := m.members()
	list[slices.Index(list, from)] = to
	m.active[from], m.active[to] = false, true
	m.givenUp[from] = true
	delete(m.givenUp, to)
	for _, p := range m.proposals[1:] {
		if p.holder == from {
			p.holder = to
		}
	}
	m.emit("MemberChanged")
	m.own.changed(from, to)
	return ""
}

// check compares every number that the contract shows with the model's.
func (m *model) check(w *world, everyone []common.Address) {
	w.Helper()
	w.equal(m.version(), m.at, "memberVersion")
	w.equal(m.quorum, m.at, "quorum")
	w.equal(m.max, m.at, "maxActiveProposalsPerMember")
	w.equal(len(m.proposals)-1, m.at, "currentProposalId")
	for version := 1; version < len(m.lists); version++ {
		v := big.NewInt(int64(version))
		w.equal(len(m.lists[version]), m.at, "getMemberCount", v)
		for i, member := range m.lists[version] {
			w.equal(member, m.at, "getMemberAt", v, big.NewInt(int64(i)))
		}
	}
	for _, a := range everyone {
		w.equal(m.active[a], m.at, "isMember", a, big.NewInt(int64(m.version())))
		w.equal(m.count(a), m.at, "memberActiveProposalCount", a)
	}
	for _, p := range m.proposals[1:] {
		must.That(w, p.executedSuccessful <= 1, "proposal %d was executed %d times", p.id, p.executedSuccessful)
		m.checkProposal(w, p)
	}
	m.own.check(w, everyone)
}

func (m *model) checkProposal(w *world, p *modelProposal) {
	w.Helper()
	bitmap := new(big.Int)
	for seat := range p.voted {
		bitmap.SetBit(bitmap, seat, 1)
	}
	id := big.NewInt(int64(p.id))
	have := w.getAll(m.at, "proposals", id)
	want := []any{p.version, bitmap, p.created, p.proposer, p.required, p.yes, p.no, p.status}
	if have := []any{have[1], have[2], have[3], have[5], have[6], have[7], have[8],
		have[9]}; fmt.Sprint(have) != fmt.Sprint(want) {
		w.Fatalf("proposal %d (%s): have %v, want %v", p.id, p.action, have, want)
	}
	ran := have[4].(*big.Int).Sign() != 0
	must.That(w, ran == (p.status == executed), "proposal %d executed at %v, status %d", p.id, have[4], p.status)
	w.equal(p.attempts, m.at, "proposalExecutionCount", id)
	w.equal(p.status == voting && !m.late(p), m.at, "isProposalInVoting", id)
	w.equal(p.status == approved && !m.late(p), m.at, "isProposalExecutable", id)
}
