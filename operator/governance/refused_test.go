// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// GovMinter answers false, counts an attempt and keeps the proposal approved when the coin does not mint (spec
// system-contracts 1.6, 5.2; docs/system-contracts.md, 5). What a dry run knows of that is told before anything is
// signed.
func TestExecutionThatFails(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	c.do(1, plain(Blacklist([]common.Address{addr(6)})))
	c.do(2, plain(Approve(ID{Council, 1})))

	const why = "account is blacklisted"
	plan, _ := c.do(1, mintOf(addr(6), 5, "D-1"))
	says(t, plan.Words, "Warning: "+addr(6).Hex()+" is on the blacklist")
	id := ID{Minter, 1}
	plan, out := c.do(2, plain(Approve(id))) // the first of three attempts
	says(t, plan.Words, "the vote decides, and tries to execute it",
		"It would not be executed now: NativeCoinAdapter", why)
	says(t, append(out.Effects, out.Result), "The execution of gov-minter:1 failed", "could not be executed yet")
	expect.Error(t, plan.Failed(out), nil, "a vote that counts is a failure")

	c.refuses("it would not work now: NativeCoinAdapter", 3, plain(Execute(id, false, false)))
	c.refuses("it would take one of the 2 attempts that gov-minter:1 has: --force does it all the same, --final ends it",
		3, plain(Execute(id, false, false)))
	for _, left := range []string{"2 attempts", "1 attempt "} {
		plan, out = c.do(3, plain(Execute(id, false, true)))
		says(t, plan.Words, "It would not work now", why, "takes one of the "+left)
		expect.Says(t, plan.Failed(out), "gov-minter:1 was not executed: it is approved", "a failed execution")
	}
	plan, out = c.do(3, plain(Execute(id, false, false)))
	says(t, plan.Words, "this ends it as failed")
	says(t, append(out.Effects, out.Result), "gov-minter:1 is failed", "Max retry count reached")
	expect.Says(t, plan.Failed(out), "it is failed", "a proposal that failed")

	// Taken off the blacklist, the next one is executed by hand.
	c.do(1, mintOf(addr(6), 5, "D-3"))
	c.do(2, plain(Approve(ID{Minter, 2})))
	c.do(1, plain(Unblacklist([]common.Address{addr(6)})))
	c.do(2, plain(Approve(ID{Council, 2})))
	plan, out = c.do(3, plain(Execute(ID{Minter, 2}, false, false)))
	says(t, plan.Words, "It would succeed now. It can be tried 2 more times.")
	expect.Error(t, plan.Failed(out), nil, "plan.Failed")

	// --final ends what cannot be executed at once.
	c.do(1, plain(Blacklist([]common.Address{addr(5)})))
	c.do(2, plain(Approve(ID{Council, 3})))
	c.do(1, mintOf(addr(5), 5, "D-2"))
	c.do(2, plain(Approve(ID{Minter, 3})))
	plan, out = c.do(3, plain(Execute(ID{Minter, 3}, true, false)))
	says(t, append(plan.Words, out.Result), "It would not work now", "This ends it as failed", "gov-minter:3 is failed")
}

// No coins and no place in a governance go to an address without a key, with a node or without
// (docs/system-contracts.md, 14).
func TestKeylessAccounts(t *testing.T) {
	settings := &Settings{ChainID: big.NewInt(8282), Nonce: new(uint64(7)), Tip: gwei(27_600), FeeCap: gwei(90_000),
		Gas: new(uint64(800_000))}
	c := startChain(t, 2, 0, params.G1)
	for address, want := range map[string]string{
		"0x01": "a precompiled contract", "0x0a": "a precompiled contract", "0x100": "a precompiled contract",
		"0xb00001": "a precompiled contract", "0xb00002": "a native manager", "0xb00003": "a native manager",
		"0x1000": "the system contract native-coin-adapter", "0x1001": "the system contract gov-validator",
		"0x1002": "the system contract gov-master-minter", "0x1003": "the system contract gov-minter",
		"0x1004": "the system contract gov-council",
	} {
		t.Run(address, func(t *testing.T) {
			to := common.HexToAddress(address)
			for _, r := range []request{mintOf(to, 5, "D-1"), plain(Fund(to, coins(1))), plain(ChangeMember(Minter, to)),
				func(ctx context.Context, c *Chain) (*Request, error) {
					return proposed(ctx, c, "add-member", Council, Details{Quorum: 2}, to)
				},
				func(ctx context.Context, c *Chain) (*Request, error) {
					return proposed(ctx, c, "add-validator", Validator, Details{Quorum: 2}, to)
				}} {
				c.refuses(want, 1, r)
				request := must.Get(r(t.Context(), nil))(t)
				expect.Says(t, expect.Err(Offline(addr(1), request, settings, DefaultAddresses())), want, "without a node")
			}
		})
	}
	elsewhere := DefaultAddresses()
	elsewhere[Adapter.Name] = addr(6)
	r := must.Get(mintOf(addr(6), 5, "D-1")(t.Context(), nil))(t)
	expect.Refused(t, expect.Err(Offline(addr(1), r, settings, elsewhere)),
		"coins are minted to an adapter that stands elsewhere")
}

// What can be done, but is hardly meant, is warned about.
func TestWarnings(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	blacklist := func(accounts ...common.Address) request { return plain(Blacklist(accounts)) }
	for want, r := range map[string]request{
		addr(1).Hex() + " is the sender itself":                                blacklist(addr(5), addr(1)),
		params.GovMinterAddress.Hex() + " is the system contract":              blacklist(params.GovMinterAddress),
		params.CoinManagerAddress.Hex() + " is a native manager":               blacklist(params.CoinManagerAddress),
		"is the address of a validator, that of the operator " + addr(2).Hex(): c.addValidator(2),
	} {
		t.Run(want, func(t *testing.T) {
			_, plan, err := c.try(1, r)
			if err != nil {
				t.Errorf("%s: %v", want, err)
				return
			}
			says(t, plan.Words, "Warning: ", want)
		})
	}
	_, plan, err := c.try(1, plain(Blacklist([]common.Address{addr(5)})))
	expect.That(t, err == nil &&
		!slices.ContainsFunc(plan.Words, func(s string) bool { return strings.HasPrefix(s, "Warning") }), "%v, %v", plan, err)
}

// Expired proposals take up their proposer's places until somebody closes them (spec system-contracts 1.4, 1.6): they
// are listed, and named where there is no place left.
func TestPlacesOfExpiredProposals(t *testing.T) {
	c := startChain(t, 2, 1, params.G1)
	for tip := range int64(3) {
		c.do(1, plain(GasTip(gwei(30_000+tip))))
	}
	c.expire(ID{Validator, 3})
	list, _, err := c.open().Proposals(t.Context(), Governances, false, 100)
	must.That(t, err == nil && len(list) == 3 && list[0].Unclosed && !list[0].Open, "%+v, %v", list, err)
	var table strings.Builder
	err = WriteProposals(&table, list, nil)
	expect.That(t, err == nil && strings.Count(table.String(), "expired, not closed") == 3, "%s, %v", table.String(), err)
	c.refuses("gov-validator:1 has expired: gwon gov expire gov-validator:1", 1, plain(GasTip(gwei(31_000))))
	c.refuses("gwon gov expire gov-validator:1 closes it and frees its place", 1, plain(Cancel(ID{Validator, 1})))
	c.do(1, plain(Expire(ID{Validator, 1})))
	list, _, err = c.open().Proposals(t.Context(), Governances, false, 100)
	expect.That(t, err == nil && len(list) == 2, "%+v, %v", list, err)
	c.do(1, plain(GasTip(gwei(31_000))))
}

// Open proposals that take up places are named too.
func TestPlacesOfOpenProposals(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	for tip := range int64(3) {
		c.do(1, plain(GasTip(gwei(30_000+tip))))
	}
	c.do(2, plain(Reject(ID{Validator, 2})))
	c.refuses("gov-validator:3 is open: gwon gov cancel gov-validator:3; gov-validator:2 is being voted on; "+
		"gov-validator:1 is open", 1,
		plain(GasTip(gwei(31_000))))
}

// What a pool would refuse is refused before anything is signed (spec transactions 4.1, rows c, k; nonces and the
// block's gas limit); a transaction that waits behind a gap is warned about.
func TestSettingsAreHeldAgainstTheChain(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	c.do(1, plain(GasTip(gwei(30_000))))
	chain := c.open()
	for want, s := range map[string]*Settings{
		"below the governed gas tip of 27600 gwei":                        {Tip: gwei(27_599), FeeCap: gwei(90_000)},
		"the nonce 0 of " + addr(1).Hex() + " is used: the next one is 1": {Nonce: new(uint64(0))},
		"and a block holds": {Gas: new(chain.gasLimit + 1)},
	} {
		t.Run(want, func(t *testing.T) {
			expect.Says(t, expect.Err(chain.Plan(t.Context(), addr(1), GasTip(gwei(29_000)), s)), want, "want %q", want)
		})
	}
	p, err := chain.Plan(t.Context(), addr(1), GasTip(gwei(29_000)), &Settings{Nonce: new(uint64(3))})
	must.Do(t, err)
	says(t, p.Words, "the next nonce of "+addr(1).Hex()+" is 1: this transaction waits until those before 3")
	p, err = chain.Plan(t.Context(), addr(1), GasTip(gwei(29_000)),
		&Settings{Nonce: new(uint64(1)), Tip: gwei(27_600), Gas: new(chain.gasLimit)})
	if err == nil && slices.ContainsFunc(p.Words, func(s string) bool { return strings.HasPrefix(s, "Warning") }) {
		t.Errorf("%q", p.Words)
	}
}

// A payment that is made again while the first one waits would be made twice: each command of an account whose
// transactions wait says so, and takes no general consent. A nonce says which is meant (docs/governing.md).
func TestTransactionsThatWait(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	const hash = "0x00000000000000000000000000000000000000000000000000000000000000aa"
	chain := c.answering(map[string]string{`eth_getTransactionCount "pending"`: `"0x2"`,
		"txpool_contentFrom": `{"pending":{"0":{"hash":"` + hash + `"},"1":{"hash":"0x` + strings.Repeat("b", 64) + `"}}}`})
	for name, r := range map[string]*Request{"payment": Fund(addr(5), coins(1)), "place": ChangeMember(Council, addr(5)),
		"proposal": GasTip(gwei(29_000))} {
		t.Run(name, func(t *testing.T) {
			p := must.Get(chain.Plan(t.Context(), addr(1), r, &Settings{}))(t)
			says(t, p.Doubts, "transactions of "+addr(1).Hex()+" that are in no block yet: 2, the first is "+hash,
				"--nonce 0 replaces", "--nonce 2 comes after")
			says(t, p.Words, p.Doubts...)
			p = must.Get(chain.Plan(t.Context(), addr(1), r, &Settings{Nonce: new(uint64(2))}))(t)
			expect.Equal(t, len(p.Doubts), 0, "doubts about a nonce that is named")
		})
	}
	p := must.Get(c.open().Plan(t.Context(), addr(1), Fund(addr(5), coins(1)), &Settings{}))(t)
	expect.Equal(t, len(p.Doubts), 0, "doubts where nothing waits")
}

// Where a node answers with its own words for the blacklist, a person gets a sentence (spec chain 6).
func TestBlacklistedSender(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	c.do(1, plain(Blacklist([]common.Address{addr(3)})))
	c.do(2, plain(Approve(ID{Council, 1})))
	c.refuses("it would not work: the account "+addr(3).Hex()+" is on the blacklist", 3, plain(GasTip(gwei(30_000))))
}

// A vote that another one in the same block has made pointless is told with the reason, and where to look (spec
// system-contracts 1.6).
func TestLostRace(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	c.do(1, plain(GasTip(gwei(30_000))))
	chain, late, err := c.try(3, plain(Approve(ID{Validator, 1})))
	must.Do(t, err)
	_, out := c.do(2, plain(Approve(ID{Validator, 1})))
	tx := must.Get(late.Sign(KeySigner{key(3)}))(t)
	// As if the late vote had been behind the deciding one in its block.
	receipt := &types.Receipt{BlockNumber: new(big.Int).SetUint64(out.Block), GasUsed: 1}
	err = chain.failure(t.Context(), late, tx, receipt)
	expect.That(t, err != nil && strings.Contains(err.Error(), "ProposalNotInVoting") &&
		strings.Contains(err.Error(), "gwon gov show gov-validator:1"), "%v", err)
}

// A proposal that others do again or would undo is named before a vote, approved ones above all: a single member
// executes those at any time until they expire.
func TestRivals(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	warned := func(from int, r request, want ...string) {
		t.Helper()
		_, plan, err := c.try(from, r)
		if err != nil {
			t.Error(err)
			return
		}
		says(t, plan.Words, want...)
	}
	c.do(1, addValidator(addr(4)))
	warned(2, addMember(Validator, 4, 3), "Warning: gov-validator:1 proposes the same: gwon gov approve gov-validator:1")
	c.do(2, addValidator(addr(4)))
	c.do(3, plain(Approve(ID{Validator, 1})))
	remove := removeMember(Validator, 4, 0)
	warned(1, remove, "Warning: gov-validator:2 proposes to add the member "+addr(4).Hex(),
		"which would undo this: gwon gov reject gov-validator:2")
	plan, _ := c.do(3, plain(Approve(ID{Validator, 2})))
	says(t, plan.Words, "It would not be executed now: "+addr(4).Hex()+" is a member of GovValidator")
	warned(1, remove, "Warning: gov-validator:2 is approved to add the member "+addr(4).Hex(),
		"a single member can undo this", "gwon gov execute --final gov-validator:2 ends it now")
	_, made := c.do(1, remove)
	warned(2, plain(Approve(made.Proposal.ID)), "Warning: gov-validator:2 is approved to add the member "+addr(4).Hex())
	c.do(1, plain(Execute(ID{Validator, 2}, true, false)))
	_, plan, err := c.try(2, plain(Approve(made.Proposal.ID)))
	expect.That(t, err == nil && !strings.Contains(strings.Join(plan.Words, " "), "Warning"),
		"after its end: %v, %v", plan, err)

	c.do(1, plain(Blacklist([]common.Address{addr(5), addr(6)})))
	warned(2, plain(Blacklist([]common.Address{addr(5), addr(6)})), "gov-council:1 proposes the same")
}

// Each kind of proposal is the same as itself, and as no other.
func TestSameKinds(t *testing.T) {
	for _, k := range Kinds {
		for _, other := range Kinds {
			values := func(k *Kind) (list []any) {
				for _, p := range k.Takes {
					list = append(list, map[string]any{
						"address": addr(1), "address[]": []common.Address{addr(1)}, "uint256": big.NewInt(7), "uint32": uint32(2),
						"string": "x",
					}[p.typ])
				}
				return list
			}
			got, want := k.same(values(k), other, values(other)), k.action == other.action
			expect.That(t, got == want, "%s and %s are the same: %v", k.Name, other.Name, got)
			expect.That(t, k.undoes(values(k), other, values(other)) == other.undoes(values(other), k, values(k)),
				"%s undoes %s, or the reverse", k.Name, other.Name)
		}
	}
}
