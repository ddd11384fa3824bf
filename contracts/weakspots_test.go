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

// The members of most tests; each has a thousand coins.
var m1, m2, m3, m4, m5 = address(0xa1), address(0xa2), address(0xa3), address(0xa4), address(0xa5)

// outsider is no member.
var outsider = address(0xb1)

// funded returns a chain with the first n of five members.
func funded(t *testing.T, b build, minter string, quorum uint64, n int) *world {
	t.Helper()
	funds := make(map[common.Address]*big.Int)
	for _, a := range []common.Address{m1, m2, m3, m4, m5, outsider} {
		funds[a] = coins(1000)
	}
	return privateWorld(t, b, minter, quorum, []common.Address{m1, m2, m3, m4, m5}[:n], funds)
}

func id(n int64) *big.Int { return big.NewInt(n) }

func (w *world) proposeMint(from, beneficiary common.Address, amount *big.Int, deposit string) outcome {
	w.Helper()
	return w.send(from, govMinter, "proposeMint", proof(w, beneficiary, amount, deposit, "bank", ""))
}

func (w *world) proposeBurn(from common.Address, amount *big.Int, withdrawal string) outcome {
	w.Helper()
	return w.call(from, govMinter, amount, w.pack(govMinter, "proposeBurn",
		proof(w, from, amount, withdrawal, "bank", "")))
}

// Weak spot 1: with a quorum of one, an executed mint leaves no reservation, and the whole allowance can be minted.
func TestReservationOfExecutedMint(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		for _, generation := range []string{"g1", "g2"} {
			w := funded(t, b, generation, 1, 1)
			half := new(big.Int).Div(w.number256(adapter, "minterAllowance", govMinter), big.NewInt(2))
			for n := range 2 {
				w.succeeds(w.proposeMint(m1, outsider, half, fmt.Sprint(n)), "mint")
				w.equal(0, govMinter, "reservedMintAmount")
				w.equal(0, govMinter, "mintProposalAmounts", id(int64(n+1)))
			}
			w.equal(0, adapter, "minterAllowance", govMinter)
			w.succeeds(w.proposeBurn(m1, coins(3), "W"), "burn")
			if w.status(govMinter, 3) != executed {
				t.Errorf("status %d of the burn", w.status(govMinter, 3))
			}
		}
	})
}

// Weak spot 2: the deposit of a canceled, rejected, expired or failed burn is returned, in the first generation
// immediately. A deposit that its owner does not accept is kept, and the second generation pays it.
func TestDepositOfUnexecutedBurn(t *testing.T) {
	endings := map[string]func(*world){
		"canceled": func(w *world) { w.must(m1, govMinter, "cancelProposal", id(1)) },
		"rejected": func(w *world) {
			w.must(m2, govMinter, "disapproveProposal", id(1))
			w.must(m3, govMinter, "disapproveProposal", id(1))
		},
		"expired": func(w *world) {
			w.time += 101
			w.must(m2, govMinter, "expireProposal", id(1))
		},
		"failed": func(w *world) {
			w.must(masterMinter, adapter, "removeMinter", govMinter)
			w.must(m2, govMinter, "approveProposal", id(1))
			w.must(m2, govMinter, "executeWithFailure", id(1))
		},
	}
	onBuilds(t, func(t *testing.T, b build) {
		for name, end := range endings {
			t.Run(name, func(t *testing.T) {
				w := funded(t, b, "g1", 2, 3)
				before := w.balance(m1)
				w.succeeds(w.proposeBurn(m1, coins(7), "W"), "burn")
				w.equal(coins(7), govMinter, "burnBalance", m1)
				end(w)
				if w.balance(m1).Cmp(before) != 0 || w.balance(govMinter).Sign() != 0 {
					t.Errorf("the owner has %v, had %v; the contract has %v", w.balance(m1), before, w.balance(govMinter))
				}
				w.equal(0, govMinter, "burnBalance", m1)

				w = funded(t, b, "g1", 2, 3)
				w.setCode(m1, refuseCoins)
				w.succeeds(w.proposeBurn(m1, coins(7), "W"), "burn")
				w.succeeds(w.proposeBurn(m1, coins(5), "V"), "another burn")
				end(w)
				if w.balance(govMinter).Cmp(coins(12)) != 0 {
					t.Fatalf("the contract has %v", w.balance(govMinter))
				}
				w.install(govMinter, generations("g2")[govMinter])
				w.equal(coins(7), govMinter, "refundableBalance", m1)
				w.refuses("RefundTransferFailed", m1, govMinter, "claimBurnRefund")
				w.setCode(m1, nil)
				w.must(m1, govMinter, "claimBurnRefund")
				w.equal(0, govMinter, "refundableBalance", m1)
				// The burn that was open at the upgrade is paid back too.
				w.time += 101
				w.must(m2, govMinter, "expireProposal", id(2))
				w.must(m1, govMinter, "claimBurnRefund")
				if w.balance(m1).Cmp(before) != 0 || w.balance(govMinter).Sign() != 0 {
					t.Errorf("the owner has %v, had %v; the contract has %v", w.balance(m1), before, w.balance(govMinter))
				}
			})
		}
	})
}

// Refunds limit the gas of the recipient, so that ending a proposal has a bounded cost.
func TestRefundToGreedyAccount(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		w.setCode(m1, []byte{0x5b, 0x60, 0x00, 0x56}) // jumps to its beginning for ever
		w.succeeds(w.proposeBurn(m1, coins(7), "W"), "burn")
		w.must(m2, govMinter, "disapproveProposal", id(1))
		w.gas = 400_000
		w.must(m3, govMinter, "disapproveProposal", id(1))
		if w.balance(govMinter).Cmp(coins(7)) != 0 {
			t.Errorf("the contract has %v", w.balance(govMinter))
		}
	})
}

// Weak spot 4: a member that replaces its address keeps its active proposals, and the old address cannot vote.
func TestChangedMember(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		for range 3 {
			w.must(m1, council, "proposeChangeQuorum", uint32(3))
		}
		w.must(m2, council, "proposeAddMember", m5, uint32(2))
		w.must(m3, council, "approveProposal", id(4)) // a new version of the list
		w.must(m1, council, "changeMember", m4)
		w.equal(0, council, "memberActiveProposalCount", m1)
		w.equal(3, council, "memberActiveProposalCount", m4)
		w.equal(false, council, "canCreateProposal", m4)
		w.refuses("TooManyActiveProposals", m4, council, "proposeChangeQuorum", uint32(3))

		// The address given up is listed in the version of proposal 1, and has no say all the same.
		w.equal(true, council, "isMember", m1, id(1))
		for _, function := range []string{"approveProposal", "disapproveProposal", "executeProposal", "executeWithFailure",
			"cancelProposal", "expireProposal"} {
			w.refuses("NotAMember", m1, council, function, id(1))
		}
		// The end of a proposal frees a place for its present owner.
		w.must(m2, council, "disapproveProposal", id(1))
		w.must(m3, council, "disapproveProposal", id(1))
		w.equal(2, council, "memberActiveProposalCount", m4)
		w.must(m4, council, "proposeChangeQuorum", uint32(3))

		// An address that becomes a member again has its say again.
		w.must(m2, council, "proposeAddMember", m1, uint32(2))
		w.must(m3, council, "approveProposal", id(6))
		w.refuses("AlreadyApproved", m1, council, "disapproveProposal", id(2)) // it did so when it made it
	})
}

// A proposal without a recorded owner counts once, for its proposer.
func TestProposalFromBeforeAnUpgrade(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		for range 2 {
			w.must(m1, council, "proposeChangeQuorum", uint32(3))
		}
		for n := range int64(2) {
			w.state.SetState(council, mapSlot(common.BigToHash(id(n+1)), 0x0e), common.Hash{})
		}
		set := mapSlot(common.BytesToHash(m1[:]), 0x0d)
		w.state.SetState(council, set, common.Hash{}) // the set of active proposals is empty
		w.must(m1, council, "cancelProposal", id(1))
		w.equal(1, council, "memberActiveProposalCount", m1)
		w.state.SetState(council, mapSlot(common.BytesToHash(m1[:]), 0x0b), common.Hash{})
		w.must(m1, council, "cancelProposal", id(2))
		w.equal(0, council, "memberActiveProposalCount", m1)
	})
}

// Weak spot 5: an action that cannot run does not undo the deciding vote. A member can end the proposal, unless the
// reason is a pause.
func TestVoteOnActionThatCannotRun(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		w.must(m1, council, "proposeAddMember", m4, uint32(2))
		w.must(m2, council, "proposeAddMember", m4, uint32(3))
		w.must(m3, council, "approveProposal", id(1))
		w.must(m3, council, "approveProposal", id(2)) // m4 is a member by now
		if w.status(council, 2) != approved {
			t.Fatalf("status %d", w.status(council, 2))
		}
		w.equal(true, council, "hasApproved", m3, id(2))
		w.equal(0, council, "proposalExecutionCount", id(2))
		w.refuses("AlreadyAMember", m1, council, "executeProposal", id(2))
		out := w.must(m1, council, "executeWithFailure", id(2))
		if w.status(council, 2) != failed || !slices.Equal(w.events(out), []string{"ProposalExecuted"}) {
			t.Errorf("status %d, events %v", w.status(council, 2), w.events(out))
		}
		w.equal(1, council, "proposalExecutionCount", id(2))
		w.equal(0, council, "memberActiveProposalCount", m2)

		// A pause keeps the votes, and no single member can end the proposal because of it.
		w.succeeds(w.proposeMint(m1, outsider, coins(5), "D"), "mint")
		w.must(m2, govMinter, "proposePause")
		w.must(m3, govMinter, "approveProposal", id(2))
		w.must(m2, govMinter, "approveProposal", id(1))
		if w.status(govMinter, 1) != approved {
			t.Fatalf("status %d", w.status(govMinter, 1))
		}
		w.refuses("ContractPaused", m3, govMinter, "executeProposal", id(1))
		w.refuses("ContractPaused", m3, govMinter, "executeWithFailure", id(1))
		w.must(m1, govMinter, "proposeUnpause")
		w.must(m2, govMinter, "approveProposal", id(3))
		w.must(m3, govMinter, "executeProposal", id(1))
		w.equal(true, govMinter, "executedDepositIds", "D")
	})
}

// Weak spot 7: the last validator cannot be removed, and neither can one of four, the smallest fault-tolerant number.
func TestFloorOfValidators(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		for n, refused := range map[int]bool{1: true, 2: false, 3: false, 4: true, 5: false} {
			w := funded(t, b, "g1", uint64(min(2, n)), n)
			leaving := []common.Address{m1, m2, m3, m4, m5}[n-1]
			newQuorum := uint32(2)
			if n == 2 {
				newQuorum = 1
			}
			if n == 1 { // a second member without a validator, so that the first can leave at all
				w.must(m1, govValidator, "proposeAddMember", outsider, uint32(2))
				w.refuses("InvalidValidator", outsider, govValidator, "proposeRemoveMember", m1, uint32(1))
				w.must(outsider, govValidator, "proposeRemoveMember", outsider, uint32(1))
				continue
			}
			out := w.send(m1, govValidator, "proposeRemoveMember", leaving, newQuorum)
			if refused {
				w.failed("InvalidValidator", out, "removal")
				continue
			}
			w.succeeds(out, "removal")
			w.must(m2, govValidator, "approveProposal", id(1))
			w.equal(n-1, govValidator, "validatorCount")
		}
		// Two removals from five: the second one was fine when it was proposed.
		w := funded(t, b, "g1", 2, 5)
		w.must(m1, govValidator, "proposeRemoveMember", m5, uint32(2))
		w.must(m1, govValidator, "proposeRemoveMember", m4, uint32(2))
		w.must(m2, govValidator, "approveProposal", id(1))
		w.must(m2, govValidator, "approveProposal", id(2))
		w.equal(4, govValidator, "validatorCount")
		w.refuses("InvalidValidator", m1, govValidator, "executeProposal", id(2))
	})
}

// Weak spot 8: the gas tip is between 1 gwei and 20 million gwei.
func TestBoundsOfGasTip(t *testing.T) {
	gwei := func(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e9)) }
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 1, 1)
		one := big.NewInt(1)
		below, above := new(big.Int).Sub(gwei(1), one), new(big.Int).Add(gwei(20_000_000), one)
		for _, tip := range []*big.Int{new(big.Int), below, above} {
			w.refuses("InvalidGasTip", m1, govValidator, "proposeGasTip", tip)
		}
		for _, tip := range []*big.Int{gwei(1), gwei(20_000_000)} {
			w.must(m1, govValidator, "proposeGasTip", tip)
			w.equal(tip, govValidator, "gasTip")
			w.refuses("SameGasTip", m1, govValidator, "proposeGasTip", tip)
		}
		w.equal(20_000_000, govValidator, "getGasTipGwei")
	})
}

// Weak spot 12: a batch has 1 to 100 different accounts, and fails when no change in it has an effect.
func TestBatches(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		var many []common.Address
		for i := range int64(101) {
			many = append(many, address(0x10000+i))
		}
		for _, function := range []string{"proposeAddBlacklistBatch", "proposeAddAuthorizedAccountBatch"} {
			w.refuses("AddressNotFound", m1, council, function, []common.Address{})
			w.refuses("IndexOutOfBounds", m1, council, function, many)
			w.refuses("AddressAlreadyExists", m1, council, function, []common.Address{outsider, m5, outsider})
		}
		w.must(m1, council, "proposeAddBlacklistBatch", many[:100])
		w.must(m1, council, "proposeAddBlacklistBatch", many[:2])
		w.must(m1, council, "proposeAddBlacklistBatch", []common.Address{many[0], many[100]})
		w.must(m2, council, "approveProposal", id(1))
		w.equal(100, council, "getBlacklistCount")
		w.must(m2, council, "approveProposal", id(2)) // all of it is done
		if w.status(council, 2) != approved {
			t.Errorf("status %d of a batch without effect", w.status(council, 2))
		}
		w.must(m2, council, "approveProposal", id(3)) // half of it is done
		if w.status(council, 3) != executed {
			t.Errorf("status %d of a batch with an effect", w.status(council, 3))
		}
		w.equal(101, council, "getBlacklistCount")
	})
}

// Weak spot 14: mints to addresses that cannot spend are refused; mints to neighboring addresses work.
func TestMintToReservedAddress(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 1, 1)
		w.must(masterMinter, adapter, "configureMinter", outsider, coins(100))
		reserved := []common.Address{
			adapter, coinManager, accountManager, address(1), address(0x0a), address(0x100), address(0xb00001),
		}
		for _, to := range reserved {
			w.refuses("NativeCoinAdapter: mint to a reserved address", outsider, adapter, "mint", to, coins(1))
			w.proposeMint(m1, to, coins(1), to.Hex())
			w.equal(false, govMinter, "executedDepositIds", to.Hex())
		}
		neighbors := []common.Address{
			address(0x0b), address(0xff), address(0x101), address(0xb00004), address(0xb00000),
		}
		for _, to := range neighbors {
			w.must(outsider, adapter, "mint", to, coins(1))
		}
	})
}
