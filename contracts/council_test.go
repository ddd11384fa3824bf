// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// list is one of the council's two lists, with the names that belong to it (spec system-contracts 6.2).
type list struct {
	name                                string // in the name of a proposing function
	already, absent                     string // errors
	skippedAdd, skippedRemove           string // reasons
	failedAdd, failedRemove             string // reasons
	added, removed                      string // events
	is, count, at, part, all, failedGet string // views
	flag                                uint64
}

var lists = []list{
	{
		"Blacklist", "AlreadyInBlacklist", "NotInBlacklist", "ALREADY_BLACKLISTED", "NOT_IN_BLACKLIST",
		"GovCouncil: blacklist call failed", "GovCouncil: unBlacklist call failed", "AddressBlacklisted",
		"AddressUnblacklisted",
		"isBlacklisted", "getBlacklistCount", "getBlacklistedAddress", "getBlacklistRange", "getAllBlacklisted",
		"GovCouncil: isBlacklisted call failed", types.AccountBlacklisted,
	},
	{
		"AuthorizedAccount", "AlreadyInAuthorizedAccountList", "NotInAuthorizedAccountList", "ALREADY_AUTHORIZED",
		"NOT_AUTHORIZED",
		"GovCouncil: authorize call failed", "GovCouncil: unAuthorize call failed", "AuthorizedAccountAdded",
		"AuthorizedAccountRemoved",
		"isAuthorizedAccount", "getAuthorizedAccountCount", "getAuthorizedAccountAddress", "getAuthorizedAccountRange",
		"getAllAuthorizedAccounts", "GovCouncil: isAuthorized call failed", types.AccountAuthorized,
	},
}

// skipped returns the reasons of the accounts that a message left as they were.
func (w *world) skipped(out outcome) (reasons []string) {
	w.Helper()
	event := w.abis[council].Events["ProposalExecutionSkipped"]
	for _, l := range out.logs {
		if l.Topics[0] != event.ID {
			continue
		}
		values, err := event.Inputs.NonIndexed().Unpack(l.Data)
		if err != nil {
			w.Fatal(err)
		}
		reasons = append(reasons, values[0].(string))
	}
	return reasons
}

// Both lists support proposals for one account and for batches, the account's flag, removal by swapping, and views.
func TestCouncilLists(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		for _, l := range lists {
			t.Run(l.name, func(t *testing.T) {
				w := funded(t, b, "g1", 1, 1)
				add, remove := "proposeAdd"+l.name, "proposeRemove"+l.name
				zero, x, y, z := common.Address{}, address(0x111), address(0x222), address(0x333)
				for _, f := range []string{add, remove} {
					w.refuses("NotAMember", outsider, council, f, x)
					w.refuses("NotAMember", outsider, council, f+"Batch", []common.Address{x})
				}
				w.refuses("ZeroAddressNotAllowed", m1, council, add, zero)
				w.refuses("ZeroAddressNotAllowed", m1, council, add+"Batch", []common.Address{x, zero})
				w.refuses(l.absent, m1, council, remove, zero)
				w.refuses(l.absent, m1, council, remove, x)
				w.refuses(l.absent, m1, council, remove+"Batch", []common.Address{x})

				out := w.must(m1, council, add, x)
				if events := w.events(out); !slices.Contains(events, l.added) {
					t.Errorf("events %v", events)
				}
				w.refuses(l.already, m1, council, add, x)
				w.refuses(l.already, m1, council, add+"Batch", []common.Address{y, x})
				w.must(m1, council, add+"Batch", []common.Address{y, z})
				for _, a := range []common.Address{x, y, z} {
					if w.state.GetExtra(a) != l.flag {
						t.Errorf("extra of %v is %x", a, w.state.GetExtra(a))
					}
					w.equal(true, council, l.is, a)
				}
				w.equal(false, council, l.is, m2)
				w.refuses("ZeroAddressNotAllowed", m1, council, l.is, zero)
				w.equal(3, council, l.count)
				w.equal([]common.Address{x, y, z}, council, l.all)
				w.equal(z, council, l.at, id(2))
				w.refuses("IndexOutOfBounds", m1, council, l.at, id(3))
				w.equal([]common.Address{y, z}, council, l.part, id(1), id(2))
				w.refuses("IndexOutOfBounds", m1, council, l.part, id(2), id(1))
				w.refuses("IndexOutOfBounds", m1, council, l.part, id(1), id(3))

				out = w.must(m1, council, remove, x)
				if events := w.events(out); !slices.Contains(events, l.removed) || w.state.GetExtra(x) != 0 {
					t.Errorf("events %v, extra %x", events, w.state.GetExtra(x))
				}
				w.equal([]common.Address{z, y}, council, l.all) // the last one takes the place
				w.must(m1, council, remove+"Batch", []common.Address{y, z})
				w.equal(0, council, l.count)

				// Of two proposals for one change, the second has no effect, stays approved, and an event has the reason.
				w = funded(t, b, "g1", 2, 3)
				w.must(m1, council, add, x)
				w.must(m2, council, add, x)
				w.must(m3, council, "approveProposal", id(1))
				out = w.must(m3, council, "approveProposal", id(2))
				if !slices.Equal(w.skipped(out), []string{l.skippedAdd}) || w.status(council, 2) != approved {
					t.Errorf("skipped %q, status %d", w.skipped(out), w.status(council, 2))
				}
				w.must(m1, council, remove, x)
				w.must(m2, council, remove, x)
				w.must(m3, council, "approveProposal", id(3))
				out = w.must(m3, council, "approveProposal", id(4))
				if !slices.Equal(w.skipped(out), []string{l.skippedRemove}) {
					t.Errorf("skipped %q", w.skipped(out))
				}

				// A manager that does not answer: views fail, changes are skipped.
				w = funded(t, b, "g1", 1, 1)
				w.must(m1, council, add, x)
				w.state.SetBlacklisted(accountManager, true)
				w.refuses(l.failedGet, m1, council, l.is, x)
				if out = w.must(m1, council, add, y); !slices.Equal(w.skipped(out), []string{l.failedAdd}) {
					t.Errorf("skipped %q", w.skipped(out))
				}
				if out = w.must(m1, council, remove, x); !slices.Equal(w.skipped(out), []string{l.failedRemove}) {
					t.Errorf("skipped %q", w.skipped(out))
				}
				w.equal([]common.Address{x}, council, l.all)
			})
		}
	})
}

// The hashed names of the actions (spec system-contracts 1.3, 3.2, 4.2, 5.2, 6.2).
func TestActionTypes(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g2", 1, 1)
		own := map[common.Address][]string{
			govValidator: {"SET_GAS_TIP"},
			masterMinter: {"CONFIGURE_MINTER", "REMOVE_MINTER", "UPDATE_MAX_MINTER_ALLOWANCE", "PAUSE", "UNPAUSE"},
			govMinter:    {"MINT_WITH_DEPOSIT", "BURN", "PAUSE", "UNPAUSE"},
			council: {
				"ADD_BLACKLIST", "REMOVE_BLACKLIST", "ADD_AUTHORIZED_ACCOUNT", "REMOVE_AUTHORIZED_ACCOUNT", "ADD_BLACKLIST_BATCH",
				"REMOVE_BLACKLIST_BATCH", "ADD_AUTHORIZED_ACCOUNT_BATCH", "REMOVE_AUTHORIZED_ACCOUNT_BATCH",
			},
		}
		for at, names := range own {
			for _, name := range names {
				w.equal([32]byte(hashed(name)), at, "ACTION_"+name)
			}
			names := []string{"ADD_MEMBER", "REMOVE_MEMBER", "CHANGE_MEMBER", "CHANGE_QUORUM", "CHANGE_MAX_PROPOSALS"}
			for _, name := range names {
				w.equal([32]byte(hashed("ACTION_"+name)), at, "ACTION_"+name)
			}
			w.equal(255, at, "MAX_MEMBER_INDEX")
			w.equal(3, at, "MAX_RETRY_COUNT")
			w.equal(1, at, "INITIAL_MEMBER_VERSION")
		}
	})
}

// An action unknown to the contract, for example of another version, is not executed.
func TestUnknownAction(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		for _, at := range governances {
			w := funded(t, b, "g2", 2, 3)
			w.must(m1, at, "proposeChangeQuorum", uint32(3))
			w.state.SetState(at, mapSlot(common.BigToHash(id(1)), 7), hashed("SOMETHING_ELSE"))
			w.must(m2, at, "approveProposal", id(1))
			w.equal(1, at, "proposalExecutionCount", id(1))
			if w.status(at, 1) != approved {
				t.Errorf("%v: status %d", at, w.status(at, 1))
			}
			w.equal(2, at, "quorum")
		}
	})
}
