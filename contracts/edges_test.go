// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"crypto/ecdsa"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The members of most tests; each has a thousand coins.
var m1, m2, m3, m4, m5 = address(0xa1), address(0xa2), address(0xa3), address(0xa4), address(0xa5)

// outsider is no member.
var outsider = address(0xb1)

// funded returns a chain with the first n of five members.
func funded(t *testing.T, minter string, quorum uint64, n int) *world {
	t.Helper()
	funds := make(map[common.Address]*big.Int)
	for _, a := range []common.Address{m1, m2, m3, m4, m5, outsider} {
		funds[a] = coins(1000)
	}
	return privateWorld(t, minter, quorum, []common.Address{m1, m2, m3, m4, m5}[:n], funds)
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

// testKey returns the n-th key of the tests.
func testKey(t tester, n byte) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(crypto.ToECDSA(common.LeftPadBytes([]byte{n}, 32)))(t)
}

// possession returns a BLS public key and the proof of possession of its secret.
func possession(t tester, n byte) (key, signature []byte) {
	t.Helper()
	secret := must.Get(bls.DeriveKey(testKey(t, n)))(t)
	return secret.PublicKey().Bytes(), secret.ProofOfPossession()
}

// Value, unknown functions and malformed input revert with empty data in all contracts (spec system-contracts,
// general).
func TestRefusedMessages(t *testing.T) {
	w := funded(t, "g2", 1, 1)
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
}

// No list has more than 255 members (spec system-contracts 1.4).
func TestMemberOverflow(t *testing.T) {
	var members []common.Address
	for i := range int64(255) {
		members = append(members, address(0x1000+0x100+i))
	}
	w := privateWorld(t, "g1", 2, members, nil)
	w.refuses("MemberIndexOverflow", members[254], council, "proposeAddMember", m1, uint32(2))
	w.must(members[254], council, "proposeRemoveMember", members[0], uint32(2))
	w.must(members[253], council, "approveProposal", id(1))
	w.equal(254, council, "getMemberCount", id(2))
	w.must(members[254], council, "proposeAddMember", m1, uint32(2))
}

// Refunds limit the gas of the recipient, so that ending a proposal has a bounded cost.
func TestRefundToGreedyAccount(t *testing.T) {
	w := funded(t, "g1", 2, 3)
	w.setCode(m1, []byte{0x5b, 0x60, 0x00, 0x56}) // jumps to its beginning for ever
	w.succeeds(w.proposeBurn(m1, coins(7), "W"), "burn")
	w.must(m2, govMinter, "disapproveProposal", id(1))
	w.gas = 400_000
	w.must(m3, govMinter, "disapproveProposal", id(1))
	expect.Equal(t, w.balance(govMinter).String(), coins(7).String(), "the contract has")
}

// Weak spot 14: mints to addresses that cannot spend are refused; mints to neighboring addresses work.
func TestMintToReservedAddress(t *testing.T) {
	w := funded(t, "g1", 1, 1)
	w.must(masterMinter, adapter, "configureMinter", outsider, coins(100))
	reserved := []common.Address{
		adapter, coinManager, accountManager, address(1), address(0x0a), address(0x100), address(0xb00001),
	}
	for _, to := range reserved {
		w.refuses("NativeCoinAdapter: mint to a reserved address", outsider, adapter, "mint", to, coins(1))
		w.proposeMint(m1, to, coins(1), to.Hex())
		w.equal(false, govMinter, "executedDepositIds", to.Hex())
	}
	neighbors := []common.Address{address(0x0b), address(0xff), address(0x101), address(0xb00004), address(0xb00000)}
	for _, to := range neighbors {
		w.must(outsider, adapter, "mint", to, coins(1))
	}
}

// An upgrade of GovMinter from its first generation to its second keeps every open proposal and every deposit.
func TestUpgradeOfGovMinter(t *testing.T) {
	w := funded(t, "g1", 2, 3)
	before := w.balance(m1)
	w.succeeds(w.proposeMint(m1, outsider, coins(5), "D"), "mint")
	w.succeeds(w.proposeBurn(m1, coins(7), "W"), "burn")
	w.succeeds(w.proposeBurn(m1, coins(2), "V"), "burn")
	w.install(govMinter, generations("g2")[govMinter])
	w.equal(coins(5), govMinter, "reservedMintAmount")
	w.must(m2, govMinter, "approveProposal", id(1))
	w.must(m2, govMinter, "approveProposal", id(2))
	w.must(m1, govMinter, "cancelProposal", id(3))
	w.equal(coins(2), govMinter, "refundableBalance", m1)
	w.must(m1, govMinter, "claimBurnRefund")
	expect.Equal(t, new(big.Int).Sub(before, w.balance(m1)).String(), coins(7).String(), "coins are gone")
	w.equal(true, govMinter, "executedDepositIds", "D")
	w.equal(true, govMinter, "executedWithdrawalIds", "W")
	expect.Equal(t, w.balance(govMinter).String(), "0", "the contract has")
}
