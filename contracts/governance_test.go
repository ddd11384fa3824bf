// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// Value, unknown functions and malformed input revert with empty data in all contracts (spec system-contracts,
// general).
func TestRefusedMessages(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g2", 1, 1)
		for _, at := range append(slices.Clone(governances), adapter) {
			w.failed("empty", w.call(m1, at, coins(1), nil), "plain value")
			w.failed("empty", w.call(m1, at, new(big.Int), []byte{1, 2, 3, 4}), "unknown selector")
			w.failed("empty", w.call(m1, at, new(big.Int), []byte{1, 2}), "half a selector")
			for _, m := range w.abis[at].Methods {
				if m.Sig == "proposeBurn(bytes)" {
					continue
				}
				input := append(slices.Clone(m.ID), make([]byte, 32*9)...)
				w.failed("empty", w.call(m1, at, coins(1), input), "value for "+m.Sig)
				if len(m.Inputs) > 0 {
					w.failed("empty", w.call(m1, at, new(big.Int), m.ID), "no arguments of "+m.Sig)
				}
			}
		}
	})
}

// The last second of the expiry still counts (spec system-contracts 1.6).
func TestExpiry(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		made := func() *world {
			w := funded(t, b, "g1", 2, 3)
			last := w.time + 100
			w.must(m1, council, "proposeChangeQuorum", uint32(3))
			w.time = last
			return w
		}
		w := made()
		last := w.time
		if have := new(big.Int).SetBytes(w.must(m1, council, "expireProposal", id(1)).data); have.Sign() != 0 {
			t.Errorf("expired in time: %v", have)
		}
		w.time = last // which has gone on when a node is asked
		w.equal(true, council, "isProposalInVoting", id(1))
		w = made()
		w.must(m2, council, "approveProposal", id(1))
		w.equal(3, council, "quorum")

		w = made()
		w.time++
		w.equal(false, council, "isProposalInVoting", id(1))
		out := w.must(m2, council, "approveProposal", id(1)) // succeeds, and is no vote
		if w.status(council, 1) != expired || !slices.Equal(w.events(out), []string{"ProposalExpired"}) {
			t.Errorf("status %d, events %v", w.status(council, 1), w.events(out))
		}
		w.equal(false, council, "hasApproved", m2, id(1))
		w.refuses("ProposalNotInVoting", m2, council, "approveProposal", id(1))

		// An attempt to execute an approved proposal after its time makes it expire.
		w = funded(t, b, "g1", 2, 3)
		w.must(masterMinter, adapter, "removeMinter", govMinter)
		w.must(masterMinter, adapter, "configureMinter", govMinter, coins(5))
		w.succeeds(w.proposeMint(m1, outsider, coins(5), "D"), "mint")
		w.must(masterMinter, adapter, "removeMinter", govMinter)
		w.must(m2, govMinter, "approveProposal", id(1))
		w.time += 101
		if have := new(big.Int).SetBytes(w.must(m2, govMinter, "executeProposal", id(1)).data); have.Sign() != 0 {
			t.Errorf("executed too late: %v", have)
		}
		if w.status(govMinter, 1) != expired {
			t.Errorf("status %d", w.status(govMinter, 1))
		}
		w.equal(0, govMinter, "reservedMintAmount")

		w.state.SetState(council, common.Hash{}, common.Hash{})
		w.refuses("InvalidProposalExpiry", m1, council, "proposeChangeQuorum", uint32(3))
	})
}

// canExecuteProposal checks in the order of the specification, and a proposal has three attempts (spec
// system-contracts 1.4, 1.6).
func TestAttempts(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		can := func(proposal, code, left int64) {
			t.Helper()
			have := fmt.Sprint(w.getAll(govMinter, "canExecuteProposal", id(proposal)))
			if have != fmt.Sprintf("[%d %d]", code, left) {
				t.Errorf("proposal %d: %s, want %d and %d", proposal, have, code, left)
			}
		}
		can(0, 1, 0)
		can(1, 1, 0)
		w.succeeds(w.proposeMint(m1, outsider, coins(5), "D"), "mint")
		can(1, 2, 0)
		w.state.SetBlacklisted(outsider, true)
		w.must(m2, govMinter, "approveProposal", id(1))
		can(1, 0, 2)
		w.must(m2, govMinter, "executeProposal", id(1))
		w.must(m3, govMinter, "approveProposal", id(1)) // a late vote is an attempt too
		can(1, 4, 0)
		w.equal(true, govMinter, "isProposalExecutable", id(1))
		w.time += 101
		can(1, 3, 0)
		w.equal(false, govMinter, "isProposalExecutable", id(1))
		w.time -= 101
		out := w.must(m2, govMinter, "executeProposal", id(1))
		event := w.abis[govMinter].Events["ProposalFailed"]
		if len(out.logs) != 1 || out.logs[0].Topics[0] != event.ID {
			t.Fatalf("events %v", w.events(out))
		}
		values, err := event.Inputs.NonIndexed().Unpack(out.logs[0].Data)
		if err != nil || string(values[0].([]byte)) != "Max retry count reached" {
			t.Errorf("reason %q, %v", values, err)
		}
		if w.status(govMinter, 1) != failed {
			t.Errorf("status %d", w.status(govMinter, 1))
		}
	})
}

// Guards for states that no message reaches: a nested execution, and an approved proposal without approvals.
func TestGuards(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		w.succeeds(w.proposeMint(m1, outsider, coins(5), "D"), "mint")
		w.state.SetBlacklisted(outsider, true)
		w.must(m2, govMinter, "approveProposal", id(1))
		guard := common.BigToHash(big.NewInt(3))
		if have := w.state.GetState(govMinter, guard); have != (common.Hash{}) {
			t.Errorf("the guard is %v after an execution", have)
		}
		w.state.SetState(govMinter, guard, common.BigToHash(common.Big1))
		w.refuses("ReentrantCall", m1, govMinter, "executeProposal", id(1))
		w.state.SetState(govMinter, guard, common.Hash{})
		votes := common.BigToHash(new(big.Int).Add(mapSlot(common.BigToHash(id(1)), 7).Big(), big.NewInt(5)))
		record := w.state.GetState(govMinter, votes)
		record[7]-- // approved
		w.state.SetState(govMinter, votes, record)
		w.equal(false, govMinter, "isProposalExecutable", id(1))
		w.refuses("InsufficientApprovals", m1, govMinter, "executeProposal", id(1))
	})
}

// Views of versions and proposals refuse unknown numbers (spec system-contracts 1.4).
func TestUnknownNumbers(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		w.must(m1, council, "proposeAddMember", m4, uint32(3))
		for _, n := range []int64{0, 2} {
			for _, f := range []string{"getProposal", "isProposalInVoting", "isProposalExecutable"} {
				w.refuses("InvalidProposal", m1, council, f, id(n))
			}
			w.refuses("InvalidProposal", m1, council, "hasApproved", m1, id(n))
			w.refuses("InvalidProposal", m1, council, "approveProposal", id(n))
			for _, f := range []string{"getMemberCount", "getQuorum"} {
				w.refuses("InvalidMemberVersion", m1, council, f, id(n))
			}
			w.refuses("InvalidMemberVersion", m1, council, "getMemberAt", id(n), id(0))
			w.refuses("InvalidMemberVersion", m1, council, "isMember", m1, id(n))
		}
		w.refuses("IndexOutOfBounds", m1, council, "getMemberAt", id(1), id(3))
		w.refuses("empty", m1, council, "versionedMemberList", id(1), id(3))
		w.equal(m2, council, "versionedMemberList", id(1), id(1))
		w.equal(false, council, "hasApproved", outsider, id(1))
		w.equal(1, council, "getMemberActiveProposalCount", m1)

		joined := w.time
		w.must(m2, council, "approveProposal", id(1))
		w.equal(2, council, "getQuorum", id(1))
		w.equal(3, council, "getQuorum", id(2))
		if have := fmt.Sprint(w.getAll(council, "members", m4)); have != fmt.Sprintf("[true %d]", joined) {
			t.Errorf("new member %s", have)
		}
		if have := fmt.Sprint(w.getAll(council, "members", m1)); have != "[true 0]" {
			t.Errorf("first member %s", have)
		}
		w.state.SetState(council, mapSlot(common.BigToHash(id(1)), 9), common.Hash{})
		w.refuses("InvalidQuorum", m1, council, "getQuorum", id(1))
		record := w.get(council, "getProposal", id(1))
		if have := fmt.Sprintf("%v", record); len(have) == 0 {
			t.Error("no record")
		}
	})
}

// No list has more than 255 members (spec system-contracts 1.4).
func TestMemberOverflow(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		var members []common.Address
		for i := range int64(255) {
			members = append(members, address(0x1000+0x100+i))
		}
		w := privateWorld(t, b, "g1", 2, members, nil)
		w.refuses("MemberIndexOverflow", members[254], council, "proposeAddMember", m1, uint32(2))
		w.must(members[254], council, "proposeRemoveMember", members[0], uint32(2))
		w.must(members[253], council, "approveProposal", id(1))
		w.equal(254, council, "getMemberCount", id(2))
		w.must(members[254], council, "proposeAddMember", m1, uint32(2))
	})
}

// The proposer can cancel a proposal until another member votes.
func TestCancel(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 3, 5)
		for range 3 {
			w.must(m1, council, "proposeChangeQuorum", uint32(4))
		}
		w.refuses("NotProposer", m2, council, "cancelProposal", id(1))
		w.must(m2, council, "approveProposal", id(1))
		w.refuses("ProposalAlreadyInVoting", m1, council, "cancelProposal", id(1))
		w.must(m2, council, "disapproveProposal", id(2))
		w.refuses("ProposalAlreadyInVoting", m1, council, "cancelProposal", id(2))
		w.must(m1, council, "cancelProposal", id(3))
		w.refuses("ProposalNotInVoting", m1, council, "cancelProposal", id(3))
		w.equal(2, council, "memberActiveProposalCount", m1)
	})
}
