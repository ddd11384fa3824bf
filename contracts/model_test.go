// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// model is GovMinter as one would write it down in Go: the life cycle of spec system-contracts 1.6 and 1.7, minting and burning
// of section 5, with the weak spots mended as docs/system-contracts.md says. Counts and reservations are sums over the open
// proposals, not numbers that are kept. Amounts are in whole units.
type model struct {
	generation string // "g1" or "g2"
	now        int64
	expiry     int64

	lists   [][]common.Address // by version, from 1
	quorum  int
	active  map[common.Address]bool
	givenUp map[common.Address]bool // replaced by changeMember, and not a member again since
	max     int

	proposals []*modelProposal // by number, from 1
	paused    bool

	allowance   int64
	supply      int64
	blacklisted map[common.Address]bool
	stubborn    common.Address // an account that takes no coins
	proofs      map[string]bool
	latest      map[string]int  // proposal by "deposit " or "withdrawal " and id
	done        map[string]bool // by the same key
	refundable  map[common.Address]int64

	events []string // of the present message
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
	account            common.Address // member, beneficiary or owner of the coins
	number             int64          // quorum, limit or amount
	key                string         // of deposit or withdrawal
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

// sum adds up the open proposals of an action; an owner other than zero picks its own.
func (m *model) sum(action string, owner common.Address) (n int64) {
	for _, p := range m.proposals[1:] {
		if p.open() && p.action == action && (owner == common.Address{} || p.account == owner) {
			n += p.number
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
func (m *model) refusal(action string, account common.Address, number int64) (string, bool) {
	n := len(m.members())
	switch action {
	case "add":
		switch {
		case account == common.Address{}:
			return "InvalidMemberAddress", false
		case m.active[account]:
			return "AlreadyAMember", false
		case !quorumFits(int(number), n+1):
			return "InvalidQuorum", false
		}
	case "remove":
		switch {
		case !m.active[account]:
			return "NotAMember", false
		case n == 1 || !quorumFits(int(number), n-1):
			return "InvalidQuorum", false
		}
	case "quorum":
		if !quorumFits(int(number), n) {
			return "InvalidQuorum", false
		}
	case "limit":
		if number < 1 || number > 50 {
			return "InvalidMaxProposals", false
		}
	case "mint", "burn":
		if m.paused {
			return "ContractPaused", true
		}
	}
	return "", false
}

// propose makes a proposal and votes for it.
func (m *model) propose(from common.Address, action string, account common.Address, number int64, key string) (int, string) {
	if m.expiry == 0 {
		return 0, "InvalidProposalExpiry"
	}
	if m.count(from) >= m.max {
		return 0, "TooManyActiveProposals"
	}
	p := &modelProposal{
		id: len(m.proposals), action: action, version: m.version(), created: m.now, status: voting, required: m.quorum,
		voted: make(map[int]bool), proposer: from, holder: from, account: account, number: number, key: key,
	}
	m.proposals = append(m.proposals, p)
	if key != "" {
		m.latest[key] = p.id
	}
	m.emit("ProposalCreated")
	return p.id, m.vote(p, from, true)
}

// proposeBase is the four functions that every governance has.
func (m *model) proposeBase(from common.Address, action string, account common.Address, number int64) (int, string) {
	if !m.active[from] {
		return 0, "NotAMember"
	}
	if refusal, _ := m.refusal(action, account, number); refusal != "" {
		return 0, refusal
	}
	return m.propose(from, action, account, number, "")
}

func (m *model) proposePause(from common.Address, action string) (int, string) {
	switch {
	case !m.active[from]:
		return 0, "NotAMember"
	case action == "pause" && m.paused:
		return 0, "ContractPaused"
	case action == "unpause" && !m.paused:
		return 0, "ContractNotPaused"
	}
	return m.propose(from, action, common.Address{}, 0, "")
}

func (m *model) proposeMint(from, beneficiary common.Address, amount int64, id, memo string) (int, string) {
	key, proof := "deposit "+id, fmt.Sprint(beneficiary, amount, id, memo)
	switch left := m.allowance - m.sum("mint", common.Address{}); {
	case !m.active[from]:
		return 0, "NotAMember"
	case m.paused:
		return 0, "ContractPaused"
	case beneficiary == common.Address{}:
		return 0, "InvalidBeneficiary"
	case amount == 0:
		return 0, "InvalidAmount"
	case id == "":
		return 0, "InvalidDepositId"
	case amount > left:
		return 0, "InsufficientMinterAllowance"
	case m.done[key]:
		return 0, "DepositIdAlreadyUsed"
	case m.latest[key] != 0 && m.proposals[m.latest[key]].open():
		return 0, "DepositIdInUse"
	case m.proofs[proof]:
		return 0, "ProofAlreadyUsed"
	}
	n, refusal := m.propose(from, "mint", beneficiary, amount, key)
	if refusal == "" {
		m.proofs[proof] = true
		m.emit("DepositMintProposed")
	}
	return n, refusal
}

func (m *model) proposeBurn(from, owner common.Address, amount, value int64, id, memo string) (int, string) {
	key, proof := "withdrawal "+id, fmt.Sprint(owner, amount, id, memo)
	switch {
	case !m.active[from]:
		return 0, "NotAMember"
	case m.paused:
		return 0, "ContractPaused"
	case owner == common.Address{}:
		return 0, "InvalidTargetAddress"
	case amount == 0:
		return 0, "InvalidAmount"
	case id == "":
		return 0, "InvalidWithdrawalId"
	case owner != from:
		return 0, "BurnFromMustBeProposer"
	case value != amount:
		return 0, "BurnAmountMismatch"
	case m.done[key]:
		return 0, "WithdrawalIdAlreadyUsed"
	case m.latest[key] != 0 && m.proposals[m.latest[key]].open():
		return 0, "WithdrawalIdInUse"
	case m.proofs[proof]:
		return 0, "ProofAlreadyUsed"
	case m.count(from) >= m.max:
		return 0, "TooManyActiveProposals"
	}
	m.emit("Transfer", "BurnPrepaid")
	n, refusal := m.propose(from, "burn", owner, amount, key)
	if refusal == "" {
		m.proofs[proof] = true
	}
	return n, refusal
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
	refusal, passing := m.refusal(p.action, p.account, p.number)
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

// perform runs an action; false means that the coin did not play along.
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
	case "quorum":
		m.quorum = int(p.number)
		m.emit("QuorumUpdated")
	case "limit":
		m.max = int(p.number)
		m.emit("MaxProposalsPerMemberUpdated")
	case "pause":
		m.paused = true
		m.emit("EmergencyPaused")
	case "unpause":
		m.paused = false
		m.emit("EmergencyUnpaused")
	case "mint":
		if m.blacklisted[p.account] || p.number > m.allowance {
			return false
		}
		m.allowance -= p.number
		m.supply += p.number
		m.done[p.key] = true
		m.emit("Transfer", "Mint")
	case "burn":
		m.supply -= p.number
		m.done[p.key] = true
		m.emit("Transfer", "Burn", "BurnExecuted")
	}
	return true
}

// finish ends a proposal. A burn that was not executed gives its coins back.
func (m *model) finish(p *modelProposal, status uint8) {
	p.status = status
	if p.action != "burn" || status == executed {
		return
	}
	switch {
	case m.generation == "g2":
		m.refundable[p.account] += p.number
		m.emit("BurnDepositRefunded")
	case m.blacklisted[p.account] || p.account == m.stubborn:
		m.refundable[p.account] += p.number
	default:
		m.emit("Transfer")
	}
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
	m.finish(p, cancelled)
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
	return ""
}

func (m *model) claim(from common.Address) string {
	switch {
	case m.refundable[from] == 0:
		return "NoRefundAvailable"
	case m.blacklisted[from] || from == m.stubborn:
		return "RefundTransferFailed"
	}
	delete(m.refundable, from)
	m.emit("Transfer", "BurnRefundClaimed")
	return ""
}

// check compares every number that the contracts show with the model's, and the invariants.
func (m *model) check(w *world, everyone []common.Address) {
	w.Helper()
	w.equal(m.version(), govMinter, "memberVersion")
	w.equal(m.quorum, govMinter, "quorum")
	w.equal(m.max, govMinter, "maxActiveProposalsPerMember")
	w.equal(m.paused, govMinter, "emergencyPaused")
	w.equal(len(m.proposals)-1, govMinter, "currentProposalId")
	for version := 1; version < len(m.lists); version++ {
		v := big.NewInt(int64(version))
		w.equal(len(m.lists[version]), govMinter, "getMemberCount", v)
		for i, member := range m.lists[version] {
			w.equal(member, govMinter, "getMemberAt", v, big.NewInt(int64(i)))
		}
	}
	reserved, allowance := m.sum("mint", common.Address{}), w.number256(adapter, "minterAllowance", govMinter).Int64()
	w.equal(reserved, govMinter, "reservedMintAmount")
	if allowance != m.allowance || reserved > allowance {
		w.Fatalf("allowance %d, model %d, reserved %d", allowance, m.allowance, reserved)
	}
	held := m.sum("burn", common.Address{})
	total := new(big.Int)
	for _, a := range everyone {
		w.equal(m.active[a], govMinter, "isMember", a, big.NewInt(int64(m.version())))
		w.equal(m.count(a), govMinter, "memberActiveProposalCount", a)
		w.equal(m.sum("burn", a), govMinter, "burnBalance", a)
		if m.generation == "g2" {
			w.equal(m.refundable[a], govMinter, "refundableBalance", a)
		} else if have := w.state.GetState(govMinter, mapSlot(common.BytesToHash(a[:]), 0x3d)); have.Big().Int64() != m.refundable[a] {
			w.Fatalf("%v is owed %v, want %d", a, have.Big(), m.refundable[a])
		}
		held += m.refundable[a]
		total.Add(total, w.balance(a))
	}
	if have := w.balance(govMinter); have.Int64() != held {
		w.Fatalf("the contract holds %v, the open burns and refunds are %d", have, held)
	}
	total.Add(total, w.balance(govMinter))
	if supply := w.number256(adapter, "totalSupply"); supply.Int64() != m.supply || supply.Cmp(total) != 0 {
		w.Fatalf("supply %v, model %d, balances %v", supply, m.supply, total)
	}
	for _, p := range m.proposals[1:] {
		if p.executedSuccessful > 1 {
			w.Fatalf("proposal %d was executed %d times", p.id, p.executedSuccessful)
		}
		m.checkProposal(w, p)
	}
	for key := range maps.Keys(m.latest) {
		m.checkKey(w, key)
	}
}

func (m *model) checkProposal(w *world, p *modelProposal) {
	w.Helper()
	bitmap := new(big.Int)
	for seat := range p.voted {
		bitmap.SetBit(bitmap, seat, 1)
	}
	id := big.NewInt(int64(p.id))
	have := w.getAll(govMinter, "proposals", id)
	want := []any{p.version, bitmap, p.created, p.proposer, p.required, p.yes, p.no, p.status}
	if have := []any{have[1], have[2], have[3], have[5], have[6], have[7], have[8], have[9]}; fmt.Sprint(have) != fmt.Sprint(want) {
		w.Fatalf("proposal %d (%s): have %v, want %v", p.id, p.action, have, want)
	}
	if ran := have[4].(*big.Int).Sign() != 0; ran != (p.status == executed) {
		w.Fatalf("proposal %d executed at %v, status %d", p.id, have[4], p.status)
	}
	w.equal(p.attempts, govMinter, "proposalExecutionCount", id)
	w.equal(p.status == voting && !m.late(p), govMinter, "isProposalInVoting", id)
	w.equal(p.status == approved && !m.late(p), govMinter, "isProposalExecutable", id)
}

func (m *model) checkKey(w *world, key string) {
	w.Helper()
	var kind, id string
	if _, err := fmt.Sscan(key, &kind, &id); err != nil {
		w.Fatal(err)
	}
	getters := map[string][2]string{
		"deposit":    {"depositIdToProposalId", "executedDepositIds"},
		"withdrawal": {"withdrawalIdToProposalId", "executedWithdrawalIds"},
	}[kind]
	w.equal(m.latest[key], govMinter, getters[0], id)
	w.equal(m.done[key], govMinter, getters[1], id)
}
