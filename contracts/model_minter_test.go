// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"fmt"
	"maps"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"

	"gwon/internal/must"
)

// noHooks is a governance without reactions to changes of its members.
type noHooks struct{}

func (noHooks) refusalToLeave(common.Address) string   { return "" }
func (noHooks) left(common.Address)                    {}
func (noHooks) changed(common.Address, common.Address) {}
func (noHooks) finished(*modelProposal)                {}

// minting is GovMinter (spec system-contracts 5). Reservations are sums over the open proposals.
type minting struct {
	noHooks
	*model
	generation string // "g1" or "g2"
	paused     bool

	allowance   int64
	supply      int64
	blacklisted map[common.Address]bool
	stubborn    common.Address // an account that takes no coins
	proofs      map[string]bool
	latest      map[string]int  // proposal by "deposit " or "withdrawal " and id
	done        map[string]bool // by the same key
	refundable  map[common.Address]int64
}

// sum adds up the open proposals of an action; an owner other than zero picks its own.
func (m *minting) sum(action string, owner common.Address) (n int64) {
	for _, p := range m.proposals[1:] {
		if p.open() && p.action == action && (owner == common.Address{} || p.account == owner) {
			n += p.number
		}
	}
	return n
}

func (m *minting) refusal(p *modelProposal) (string, bool) {
	if (p.action == "mint" || p.action == "burn") && m.paused {
		return "ContractPaused", true
	}
	return "", false
}

func (m *minting) proposePause(from common.Address, action string) (int, string) {
	refusal := ""
	switch {
	case action == "pause" && m.paused:
		refusal = "ContractPaused"
	case action == "unpause" && !m.paused:
		refusal = "ContractNotPaused"
	}
	return m.proposeOwn(from, &modelProposal{action: action}, refusal)
}

func (m *minting) proposeMint(from, beneficiary common.Address, amount int64, id, memo string) (int, string) {
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
	n, refusal := m.propose(from, &modelProposal{action: "mint", account: beneficiary, number: amount, key: key})
	if refusal == "" {
		m.latest[key] = n
		m.proofs[proof] = true
		m.emit("DepositMintProposed")
	}
	return n, refusal
}

func (m *minting) proposeBurn(from, owner common.Address, amount, value int64, id, memo string) (int, string) {
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
	n, refusal := m.propose(from, &modelProposal{action: "burn", account: owner, number: amount, key: key})
	if refusal == "" {
		m.latest[key] = n
		m.proofs[proof] = true
	}
	return n, refusal
}

func (m *minting) perform(p *modelProposal) bool {
	switch p.action {
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

// finished pays back the coins of a burn that was not executed.
func (m *minting) finished(p *modelProposal) {
	if p.action != "burn" || p.status == executed {
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

func (m *minting) claim(from common.Address) string {
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

func (m *minting) check(w *world, everyone []common.Address) {
	w.Helper()
	w.equal(m.paused, govMinter, "emergencyPaused")
	reserved, allowance := m.sum("mint", common.Address{}), w.number256(adapter, "minterAllowance", govMinter).Int64()
	w.equal(reserved, govMinter, "reservedMintAmount")
	must.That(w, allowance == m.allowance && reserved <= allowance,
		"allowance %d, model %d, reserved %d", allowance, m.allowance, reserved)
	held := m.sum("burn", common.Address{})
	total := new(big.Int)
	for _, a := range everyone {
		w.equal(m.sum("burn", a), govMinter, "burnBalance", a)
		if m.generation == "g2" {
			w.equal(m.refundable[a], govMinter, "refundableBalance", a)
		} else if have := w.state.GetState(govMinter,
			mapSlot(common.BytesToHash(a[:]), 0x3d)); have.Big().Int64() != m.refundable[a] {
			w.Fatalf("%v is owed %v, want %d", a, have.Big(), m.refundable[a])
		}
		held += m.refundable[a]
		total.Add(total, w.balance(a))
	}
	have := w.balance(govMinter)
	must.That(w, have.Int64() == held, "the contract holds %v, the open burns and refunds are %d", have, held)
	total.Add(total, w.balance(govMinter))
	if supply := w.number256(adapter, "totalSupply"); supply.Int64() != m.supply || supply.Cmp(total) != 0 {
		w.Fatalf("supply %v, model %d, balances %v", supply, m.supply, total)
	}
	for key := range maps.Keys(m.latest) {
		m.checkKey(w, key)
	}
}

func (m *minting) checkKey(w *world, key string) {
	w.Helper()
	var kind, id string
	must.Get(fmt.Sscan(key, &kind, &id))(w)
	getters := map[string][2]string{
		"deposit":    {"depositIdToProposalId", "executedDepositIds"},
		"withdrawal": {"withdrawalIdToProposalId", "executedWithdrawalIds"},
	}[kind]
	w.equal(m.latest[key], govMinter, getters[0], id)
	w.equal(m.done[key], govMinter, getters[1], id)
}

func (m *minting) step(d *driver, from, other common.Address) {
	d.Helper()
	label, memo := pick(d, "x", "y", "z", "u", "v", "w"), pick(d, "p", "q", "r", "s")
	amount, odd := d.random.Int64N(25), d.random.IntN(6)
	action := pick(d, "mint", "mint", "mint", "burn", "burn", "burn", "pause", "unpause", "unpause", "blacklist", "claim")
	what := fmt.Sprintf("%s by %v, other %v, amount %d", action, from, other, amount)
	if m.blacklisted[from] && action != "blacklist" {
		return // the client lets no blacklisted account send a message
	}
	switch action {
	case "mint":
		n, refusal := m.proposeMint(from, other, amount, label, memo)
		d.compare(what, d.send(from, govMinter, "proposeMint", proof(d, other, big.NewInt(amount), label, "bank", memo)),
			refusal, n)
	case "burn":
		owner, value := from, amount
		if odd == 0 {
			owner = other
		}
		if odd == 1 {
			value++
		}
		n, refusal := m.proposeBurn(from, owner, amount, value, label, memo)
		input := d.pack(govMinter, "proposeBurn", proof(d, owner, big.NewInt(amount), label, "bank", memo))
		d.compare(what, d.call(from, govMinter, big.NewInt(value), input), refusal, n)
	case "pause", "unpause":
		n, refusal := m.proposePause(from, action)
		d.compare(what, d.send(from, govMinter, pauseFunctions[action]), refusal, n)
	case "blacklist":
		if other != (common.Address{}) {
			m.blacklisted[other] = !m.blacklisted[other]
			d.muted[other] = m.blacklisted[other]
			d.state.SetBlacklisted(other, m.blacklisted[other])
		}
	case "claim":
		if m.generation == "g2" {
			d.compare(what, d.send(from, govMinter, "claimBurnRefund"), m.claim(from), nil)
		}
	}
}

var pauseFunctions = map[string]string{"pause": "proposePause", "unpause": "proposeUnpause"}

// refuseCoins is code that reverts.
var refuseCoins = []byte{byte(vm.PUSH1), 0, byte(vm.PUSH1), 0, byte(vm.REVERT)}

// GovMinter behaves as its model. The supply is the sum of all balances, reserved mints stay within the allowance,
// and a proposal executes at most once. Votes of former members count only in the versions that list them.
func TestLifeCycle(t *testing.T) {
	const each, allowance = 10_000, 60
	for _, generation := range []string{"g1", "g2"} {
		t.Run(generation, func(t *testing.T) {
			randomSequences(t, generation, func(w *world) {
				for _, a := range everyone {
					w.fund(a, big.NewInt(each))
				}
				w.state.SetState(adapter, common.Hash{31: 0xd}, common.BigToHash(big.NewInt(each*int64(len(everyone)))))
				w.must(masterMinter, adapter, "configureMinter", govMinter, big.NewInt(allowance))
				w.setCode(everyone[2], refuseCoins)
			}, func(w *world, quorum int, members []common.Address) *model {
				m := newModel(govMinter, w, quorum, members)
				m.own = &minting{
					model: m, generation: generation, allowance: allowance, supply: each * int64(len(everyone)),
					blacklisted: make(map[common.Address]bool), stubborn: everyone[2], proofs: make(map[string]bool),
					latest: make(map[string]int), done: make(map[string]bool), refundable: make(map[common.Address]int64),
				}
				return m
			})
		})
	}
}
