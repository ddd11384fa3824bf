// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

func gwei(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e9)) }

// A proposal needs as many votes as the quorum says; the deciding one executes it, and every step is told (spec
// system-contracts 1.6, 3.2). The next transaction offers the tip that is governed then.
func TestProposeAndApprove(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	plan, out := c.do(1, plain(GasTip(gwei(30_000))))
	says(t, plan.Words, "set the gas tip to 30000 gwei", "proposal gov-validator:1, with 1 of the 2 approvals")
	says(t, []string{out.Result}, "gov-validator:1 has 1 of the 2 approvals", "gwon gov approve gov-validator:1")
	id := out.Proposal.ID
	if want := (ID{Validator, 1}); id != want || !out.Proposal.Open || out.Proposal.Action != "SET_GAS_TIP" {
		t.Errorf("made %+v, want %v", out.Proposal, want)
	}
	if got := out.Proposal.Voted; !slices.Equal(got, []common.Address{addr(1)}) || len(out.Proposal.Members) != 3 {
		t.Errorf("voted %v, members %v", got, out.Proposal.Members)
	}
	c.refuses("has voted on gov-validator:1 already", 1, plain(Approve(id)))
	plan, out = c.do(2, plain(Approve(id)))
	says(t, plan.Words, "set the gas tip to 30000 gwei", "2 of the 2 approvals", "decides, and tries to execute it",
		"gas tip 27600 gwei")
	says(t, append(out.Effects, out.Result), "The gas tip is 30000 gwei", "it was 27600 gwei", "was executed")
	expect.Equal(t, c.status().GasTip.ToInt().String(), gwei(30_000).String(), "tip")
	for _, r := range []*Request{Approve(id), Reject(id), Cancel(id), Execute(id, false, false), Expire(id)} {
		c.refuses("gov-validator:1 was executed at ", 3, plain(r))
	}
	plan, _ = c.do(1, plain(GasTip(gwei(31_000))))
	if plan.Tx.GasTipCap().Cmp(gwei(30_000)) != 0 {
		t.Errorf("offers the tip %v, not the governed one", plan.Tx.GasTipCap())
	}
}

// Enough votes against reject a proposal; its proposer takes it back while no other member has voted (spec
// system-contracts 1.4, 1.6).
func TestRejectAndCancel(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	_, made := c.do(1, plain(GasTip(gwei(30_000))))
	plan, out := c.do(2, plain(Reject(made.Proposal.ID)))
	says(t, append(plan.Words, out.Result), "votes against proposal gov-validator:1",
		"1 of the 2 approvals that it needs, and 1 against")
	expect.That(t, !slices.ContainsFunc(plan.Words, func(s string) bool { return strings.Contains(s, "decides") }),
		"the first of two votes that are needed: %q", plan.Words)
	c.refuses("cannot be canceled any more: others have voted on it", 1, plain(Cancel(made.Proposal.ID)))
	c.refuses("cannot be executed yet: it has 1 of the 2", 1, plain(Execute(made.Proposal.ID, false, false)))
	c.refuses("has not expired: it can be voted on until", 1, plain(Expire(made.Proposal.ID)))
	plan, out = c.do(3, plain(Reject(made.Proposal.ID)))
	says(t, append(plan.Words, out.Result), "the vote decides, and it is rejected", "gov-validator:1 is rejected")
	c.refuses("gov-validator:1 is over: it is rejected", 3, plain(Approve(made.Proposal.ID)))

	_, made = c.do(1, plain(Quorum(Council, 3)))
	c.refuses("only who proposed gov-council:1 can cancel it: "+addr(1).Hex(), 2, plain(Cancel(made.Proposal.ID)))
	_, out = c.do(1, plain(Cancel(made.Proposal.ID)))
	says(t, []string{out.Result}, "gov-council:1 is canceled")

	open, older, err := c.open().Proposals(t.Context(), Governances, false, 100)
	expect.That(t, err == nil && len(open) == 0 && len(older) == 0, "open %v, older %v, %v", open, older, err)
	c.do(1, plain(Quorum(Council, 3)))
	open, _, err = c.open().Proposals(t.Context(), Governances, false, 100)
	expect.That(t, err == nil && len(open) == 1 && open[0].ID == (ID{Council, 2}), "open %v, %v", open, err)
	all, older, err := c.open().Proposals(t.Context(), Governances, true, 1)
	expect.That(t, err == nil && len(all) == 2 && older[Council.Name] == 1, "%v, older %v, %v", all, older, err)
}

// A vote that comes too late although it was planned in time fails on the chain, which is told with the reason; a
// transaction that is in no block is told as one that may still come.
func TestFailures(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	c.do(1, plain(GasTip(gwei(30_000))))
	chain, late, err := c.try(3, plain(Approve(ID{Validator, 1})))
	must.Do(t, err)
	late.Tx = types.NewTx(&types.DynamicFeeTx{ // the tip that will be governed then
		ChainID: late.Tx.ChainId(), Nonce: late.Tx.Nonce(), GasTipCap: gwei(30_000), GasFeeCap: late.Tx.GasFeeCap(),
		Gas:   late.Tx.Gas(),
		To:    late.Tx.To(),
		Value: late.Tx.Value(), Data: late.Tx.Data(),
	})
	tx := must.Get(late.Sign(KeySigner{key(3)}))(t)
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	for _, ctx := range []context.Context{t.Context(), interrupted} {
		_, err := chain.Await(ctx, late, tx, 2*receiptPoll)
		expect.Says(t, err, "the transaction "+tx.Hash().Hex()+" was sent, and is in no block after ", "an unknown one")
		expect.Says(t, err, ReceiptCommand(tx.Hash(), chain.Endpoint), "where to look")
		if ctx == interrupted && strings.Contains(err.Error(), (2*receiptPoll).String()) {
			t.Errorf("did not wait: %v", err)
		}
	}
	c.do(2, plain(Approve(ID{Validator, 1})))
	must.Do(t, chain.Send(t.Context(), tx, 0))
	_, err = chain.Await(t.Context(), late, tx, patience)
	var refusal *Refusal
	expect.That(t, errors.As(err, &refusal) && refusal.Name == "ProposalNotInVoting" &&
		strings.Contains(err.Error(), "failed in block"), "a late vote: %v", err)
	err = chain.Send(t.Context(), tx, 0)
	expect.Says(t, err, "does not take the transaction", "the same once more")
}

// body returns who decides about a contract.
func (c *testChain) body(k Contract) *Body {
	c.Helper()
	s := c.status()
	return s.Governances[slices.IndexFunc(s.Governances, func(b *Body) bool { return b.Contract == k.Name })]
}

// With a single member one vote is enough. A second member takes a quorum of two, and the last but one brings it back
// to one, where the request does not say otherwise (spec system-contracts 1.6, 1.7).
func TestMembers(t *testing.T) {
	c := startChain(t, 1, 0, params.G1)
	plan, out := c.do(1, addMember(Council, 2, 0))
	says(t, append(plan.Words, out.Effects...), "with a quorum of 2 from then on", "One vote is enough",
		addr(2).Hex()+" is a member of GovCouncil", "The quorum of GovCouncil is 2; it was 1")
	b := c.body(Council)
	expect.That(t, b.Quorum == 2 && slices.Equal(b.Members, []common.Address{addr(1), addr(2)}), "%+v", b)
	expect.Equal(t, len(c.body(Minter).Members), 1, "another contract got a member")
	c.refuses("AlreadyAMember", 1, addMember(Council, 2, 2))
	c.refuses("InvalidQuorum", 1, addMember(Council, 3, 1))
	c.refuses(addr(4).Hex()+" is no member of GovCouncil; its members are "+addr(1).Hex(), 1, removeMember(Council, 4, 0))
	c.refuses("is the only member of GovMinter", 1, removeMember(Minter, 1, 0))
	c.refuses(addr(3).Hex()+" is no member of GovCouncil; its members are "+addr(1).Hex()+", "+addr(2).Hex(), 3,
		plain(Quorum(Council, 2)))

	_, made := c.do(1, removeMember(Council, 2, 0))
	says(t, []string{made.Proposal.Description}, "with a quorum of 1 from then on")
	_, out = c.do(2, plain(Approve(made.Proposal.ID)))
	says(t, out.Effects, addr(2).Hex()+" is no member of GovCouncil any more; 1 are left")

	_, out = c.do(1, plain(ChangeMember(Council, addr(5))))
	says(t, append(out.Effects, out.Result), addr(5).Hex()+" is a member of GovCouncil in place of "+addr(1).Hex())
	expect.Slice(t, c.body(Council).Members, []common.Address{addr(5)}, "members")
	_, out = c.do(5, plain(MaxProposals(Council, 7)))
	says(t, out.Effects, "can have 7 open proposals; it was 3")
	c.refuses("InvalidMaxProposals", 5, plain(MaxProposals(Council, 51)))
}

func identity(t *testing.T, n int) (common.Address, []byte, []byte) {
	t.Helper()
	secret := must.Get(bls.DeriveKey(validatorKey(n)))(t)
	return crypto.PubkeyToAddress(validatorKey(n).PublicKey), secret.PublicKey().Bytes(), secret.ProofOfPossession()
}

func configure(t *testing.T, n int) request {
	return func(context.Context, *Chain) (*Request, error) { return ConfigureValidator(identity(t, n)) }
}

// A new operator is voted in, registers a validator by itself, and is voted out, named by the validator (spec
// system-contracts 3.2).
func TestValidators(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	add := addValidator(addr(4))
	c.refuses(addr(4).Hex()+" is no member of GovValidator", 4, configure(t, 4))
	plan, made := c.do(1, add)
	says(t, plan.Words, "gwon gov validator configure --from "+addr(4).Hex())
	c.do(2, plain(Approve(made.Proposal.ID)))
	c.refuses("AlreadyValidatorExists", 4, configure(t, 1))
	plan, _ = c.do(1, plain(Fund(addr(4), coins(5))))
	says(t, plan.Words, addr(1).Hex()+" sends 5 coins to "+addr(4).Hex())
	plan, _ = c.do(4, configure(t, 4))
	sealer, blsKey, possession := identity(t, 4)
	says(t, plan.Words, "registers "+sealer.Hex()+" as its validator")
	validators := c.status().Validators
	i := slices.IndexFunc(validators, func(v ValidatorEntry) bool { return v.Address == sealer })
	if len(validators) != 4 || i < 0 || validators[i].Operator != addr(4) || !slices.Equal(validators[i].BLSKey, blsKey) ||
		*validators[i].Sealing || !*validators[0].Sealing || validators[0].SealsFrom != 0 ||
		validators[i].SealsFrom != 1001 { // after the next epoch block
		t.Fatalf("validators %+v", validators)
	}
	c.refuses("NoConfigurationChanging", 4, configure(t, 4))
	expect.Refused(t, expect.Err(ConfigureValidator(sealer, blsKey, append(possession[:95:95], possession[95]^1))),
		"a proof of possession that is none is taken")
	expect.Refused(t, expect.Err(ConfigureValidator(sealer, blsKey[:47], possession)), "a key of 47 bytes is taken")

	remove := func(named common.Address) request {
		return func(ctx context.Context, chain *Chain) (*Request, error) {
			return proposed(ctx, chain, "remove-validator", Validator, Details{}, named)
		}
	}
	c.refuses("is neither a validator nor the operator of one", 1, remove(addr(6)))
	// The floor of our contracts: four validators stand one fault, three none (docs/system-contracts.md, 7).
	c.refuses("too few would be left", 1, remove(sealer))
	c.do(1, addValidator(addr(5)))
	c.do(2, plain(Approve(ID{Validator, 2})))
	c.do(5, configure(t, 5))
	plan, _ = c.do(1, remove(sealer))
	says(t, plan.Words, "remove the validator "+sealer.Hex(), "remove the member "+addr(4).Hex(),
		"keep it running until then")
	c.do(2, plain(Approve(ID{Validator, 3})))
	got := c.status().Validators
	expect.That(t, len(got) == 4 && !slices.ContainsFunc(got, func(v ValidatorEntry) bool { return v.Address == sealer }),
		"validators %+v", got)
}

func mustRequest(t *testing.T, r *Request, err error) request {
	t.Helper()
	must.Do(t, err)
	return plain(r)
}

// Minters, mints and burns, and the coins of a burn that came to nothing (spec system-contracts 4, 5).
func TestMintAndBurn(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	mint := func(n int, amount int64, id string) request { return mintOf(addr(n), amount, id) }
	burn := func(n int, amount int64, id string) request { return burnOf(addr(n), amount, id) }
	before := c.status()
	plan, made := c.do(1, mint(6, 500, "D-1"))
	says(t, plan.Words, "mint 500 coins to "+addr(6).Hex(), `the deposit "D-1"`, "gov-minter:1")
	expect.Equal(t, c.status().Reserved.ToInt().String(), coins(500).String(), "reserved")
	c.refuses("DepositIdInUse", 2, mint(6, 500, "D-1"))
	_, out := c.do(3, plain(Approve(made.Proposal.ID)))
	says(t, out.Effects, "500 coins were minted to "+addr(6).Hex())
	expect.Equal(t, new(big.Int).Sub(c.status().Supply.ToInt(), before.Supply.ToInt()).String(), coins(500).String(),
		"the supply has grown by")
	c.refuses("DepositIdAlreadyUsed", 2, mint(6, 500, "D-1"))
	c.refuses("InsufficientMinterAllowance", 2, mint(6, 1e11, "D-2"))

	plan, out = c.do(1, burn(1, 200, "W-1"))
	says(t, append(plan.Words, out.Effects...), "the coins leave the account now", addr(1).Hex()+" handed over 200 coins")
	_, out = c.do(2, plain(Approve(out.Proposal.ID)))
	says(t, out.Effects, "200 coins were burnt")
	c.refuses("BurnFromMustBeProposer", 2, burn(1, 10, "W-2"))
	c.refuses("has 1 coins, and would have to hand over 10 coins", 7, burn(7, 10, "W-2"))
	_, out = c.do(1, burn(1, 30, "W-3"))
	_, out = c.do(1, plain(Cancel(out.Proposal.ID)))
	says(t, append(out.Effects, out.Result), "can take back 30 coins: gwon gov refund", "is canceled")
	_, out = c.do(1, plain(ClaimRefund()))
	says(t, out.Effects, "took back 30 coins")
	c.refuses("NoRefundAvailable", 1, plain(ClaimRefund()))

	_, made = c.do(1, plain(ConfigureMinter(addr(5), coins(77))))
	_, out = c.do(2, plain(Approve(made.Proposal.ID)))
	says(t, out.Effects, addr(5).Hex()+" may mint 77 coins")
	_, made = c.do(1, plain(RemoveMinter(addr(5))))
	got := c.status().Minters
	expect.That(t, len(got) == 2 && got[1].Address == addr(5) && got[1].Allowance.ToInt().Cmp(coins(77)) == 0,
		"minters %+v", got)
	c.do(2, plain(Approve(made.Proposal.ID)))
	c.refuses("NotAMinter", 1, plain(RemoveMinter(addr(5))))
	_, made = c.do(1, plain(MaxAllowance(coins(5))))
	c.do(2, plain(Approve(made.Proposal.ID)))
	c.refuses("InvalidAllowance", 1, plain(ConfigureMinter(addr(5), coins(6))))

	pause, err := Pause(Minter, true)
	_, made = c.do(1, mustRequest(t, pause, err))
	_, out = c.do(2, plain(Approve(made.Proposal.ID)))
	says(t, out.Effects, "GovMinter is paused")
	expect.Slice(t, c.status().Paused, []string{Minter.Name}, "paused")
	c.refuses("ContractPaused", 1, mint(6, 1, "D-3"))
	expect.Refused(t, expect.Err(Pause(Council, true)), "a contract that cannot be paused is paused")
}

// Blacklist and authorized accounts, one and several (spec system-contracts 6).
func TestAccounts(t *testing.T) {
	c := startChain(t, 1, 0, params.G1)
	three := []common.Address{addr(4), addr(5), addr(6)}
	plan, out := c.do(1, plain(Blacklist(three[:1])))
	says(t, append(plan.Words, out.Effects...), "put on the blacklist: "+addr(4).Hex(),
		addr(4).Hex()+" is on the blacklist.")
	c.refuses("AlreadyInBlacklist", 1, plain(Blacklist(three)))
	_, out = c.do(1, plain(Blacklist(three[1:])))
	says(t, out.Effects, addr(5).Hex()+" is on the blacklist.", addr(6).Hex()+" is on the blacklist.")
	got := c.status().Blacklist
	expect.That(t, got.Count == 3 && slices.Equal(got.Accounts, three), "blacklist %+v", got)
	s, err := c.open().Status(t.Context(), 2)
	expect.That(t, err == nil && s.Blacklist.Count == 3 && len(s.Blacklist.Accounts) == 2,
		"the first two: %+v, %v", s.Blacklist, err)
	c.refuses("is on the blacklist", 4, plain(ClaimRefund()))
	c.do(1, plain(Unblacklist(three)))
	c.refuses("NotInBlacklist", 1, plain(Unblacklist(three[:1])))
	_, out = c.do(1, plain(Authorize(three[:2])))
	says(t, out.Effects, addr(4).Hex()+" is authorized.")
	_, out = c.do(1, plain(Unauthorize(three[:1])))
	says(t, out.Effects, addr(4).Hex()+" is authorized no more.")
	if s := c.status(); s.Blacklist.Count != 0 || !slices.Equal(s.Authorized.Accounts, three[1:2]) {
		t.Errorf("blacklist %+v, authorized %+v", s.Blacklist, s.Authorized)
	}
}

// An expired proposal is refused with when that was, before the contract knows of it, and can be closed (spec
// system-contracts 1.4).
func TestExpired(t *testing.T) {
	c := startChain(t, 2, 1, params.G1)
	_, made := c.do(1, plain(GasTip(gwei(30_000))))
	id := made.Proposal.ID
	c.expire(id)
	for _, r := range []*Request{Approve(id), Reject(id), Cancel(id), Execute(id, false, false)} {
		c.refuses("proposal gov-validator:1 has expired at 20", 2, plain(r))
	}
	_, out := c.do(2, plain(Expire(id)))
	says(t, []string{out.Result}, "gov-validator:1 is expired")
	c.refuses("gov-validator:1 has expired", 2, plain(Expire(id)))
}

// expire makes blocks until a proposal's time is over.
func (c *testChain) expire(id ID) {
	c.Helper()
	for i := int64(1); ; i++ {
		p := must.Get(c.open().Proposal(c.Context(), id))(c)
		if !p.Open {
			return
		}
		must.That(c, i <= 100, "a hundred blocks have no time after the expiry")
		c.do(4, c.transfer(i)) // a block
	}
}

// addValidator proposes that a validator's own address becomes an operator.
func (c *testChain) addValidator(n int) request {
	return addValidator(crypto.PubkeyToAddress(validatorKey(n).PublicKey))
}

// transfer moves coins to any address by way of a message that GovMinter does not look at.
func (c *testChain) transfer(n int64) request {
	return plain(&Request{Contract: Adapter, Input: adapter.PackTransfer(addr(5), big.NewInt(n)), Value: new(big.Int),
		kind: byAnyone, words: "transfers"})
}

// Everything that is wrong with a request is told in one sentence before anything is signed.
func TestRefusals(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	c.refuses("there is no proposal gov-minter:1: GovMinter has none yet", 1, plain(Approve(ID{Minter, 1})))
	c.do(1, plain(GasTip(gwei(30_000))))
	c.refuses("there is no proposal gov-validator:2: the last one of GovValidator is 1", 2,
		plain(Approve(ID{Validator, 2})))
	// the right number, the wrong contract
	c.refuses("there is no proposal gov-council:1", 2, plain(Approve(ID{Council, 1})))
	c.refuses(addr(4).Hex()+" has no vote on gov-validator:1", 4, plain(Approve(ID{Validator, 1})))
	c.refuses("SameGasTip", 1, plain(GasTip(gwei(27_600))))
	c.refuses("InvalidGasTip", 1, plain(GasTip(big.NewInt(1))))
	// One coin does not pay for the gas of anything.
	c.refuses("has 1 coins, and this may cost", 7, c.transfer(1))

	chain := c.open()
	_, err := chain.Plan(t.Context(), addr(1), GasTip(gwei(29_000)), &Settings{Tip: gwei(2), FeeCap: gwei(1)})
	expect.Refused(t, err, "a tip above the fee cap is taken")
	_, err = chain.Plan(t.Context(), addr(1), GasTip(gwei(29_000)), &Settings{FeeCap: gwei(27_601)})
	expect.That(t, err != nil && strings.Contains(err.Error(), "below tip and base fee"),
		"a fee cap that no block takes: %v", err)
	_, err = chain.Plan(t.Context(), addr(1), GasTip(gwei(29_000)), &Settings{Gas: new(uint64(30_000))})
	expect.That(t, err != nil && strings.Contains(err.Error(), "--gas allows 30000"), "too little gas: %v", err)
	_, err = Open(t.Context(), c.stack.HTTPEndpoint(), big.NewInt(8282), DefaultAddresses())
	expect.That(t, err != nil && strings.Contains(err.Error(), "is on chain 828399, not on chain 8282 (WKRC mainnet"),
		"wrong chain: %v", err)
	_, err = ParseID("1")
	err = chain.Resolve(t.Context(), err)
	expect.That(t, err != nil && strings.Contains(err.Error(),
		"gov-validator:1 (to set the gas tip to 30000 gwei)"), "a number alone: %v", err)
	elsewhere := DefaultAddresses()
	must.Do(t, elsewhere.Set("gov-council="+addr(6).Hex()))
	other := must.Get(Open(t.Context(), c.stack.HTTPEndpoint(), nil, elsewhere))(t)
	defer other.Close()
	_, err = other.Plan(t.Context(), addr(1), Blacklist([]common.Address{addr(5)}), &Settings{})
	expect.That(t, err != nil && strings.Contains(err.Error(), "there is no code at GovCouncil, "+addr(6).Hex()),
		"contract elsewhere: %v", err)
}

// A network whose contracts have no code can be looked at, and not governed.
func TestNoCode(t *testing.T) {
	c := startChain(t, 2, 0, "")
	s := c.status()
	expect.That(t, len(s.Governances) == 4 && !s.Governances[0].HasCode && s.GasTip == nil && s.Supply == nil &&
		s.Blacklist == nil, "%+v", s)
	c.refuses("there is no code at GovValidator, 0x0000000000000000000000000000000000001001, on chain 828399", 1,
		plain(GasTip(gwei(1))))
	c.refuses("there is no code at GovMinter", 1, plain(Approve(ID{Minter, 1})))
	c.refuses("there is no code at GovCouncil", 1, addMember(Council, 4, 0))
	list, _, err := c.open().Proposals(t.Context(), Governances, true, 10)
	expect.That(t, err == nil && len(list) == 0, "%v, %v", list, err)
	_, _, err = c.open().Proposals(t.Context(), []Contract{Council}, true, 10)
	expect.That(t, err != nil, "no proposals of a contract without code, and no error")
}

// HTTP, WebSocket and IPC serve alike; nothing else does.
func TestTransports(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	for _, endpoint := range []string{c.stack.HTTPEndpoint(), c.stack.WSEndpoint(), c.stack.IPCEndpoint()} {
		chain := must.Get(Open(t.Context(), endpoint, big.NewInt(testChainID), DefaultAddresses()))(t)
		s, err := chain.Status(t.Context(), 10)
		expect.That(t, err == nil && len(s.Governances[3].Members) == 3, "%s: %+v, %v", endpoint, s, err)
		want := fmt.Sprintf("private network, chain ID %d, genesis 0x", testChainID)
		name, err := chain.Network(t.Context())
		expect.That(t, err == nil && strings.HasPrefix(name, want), "%s is on %q, %v, want %q", endpoint, name, err, want)
		chain.Close()
	}
	for _, endpoint := range []string{"ftp://127.0.0.1", "http://127.0.0.1:1", "/nowhere.ipc"} {
		expect.Says(t, expect.Err(Open(t.Context(), endpoint, nil, DefaultAddresses())), endpoint, "%s", endpoint)
	}
}

// Without a node a transaction is what the flags say, to the byte, and its words claim nothing.
func TestOffline(t *testing.T) {
	settings := &Settings{ChainID: big.NewInt(8282), Nonce: new(uint64(7)), Tip: gwei(27_600), FeeCap: gwei(90_000),
		Gas: new(uint64(800_000))}
	plan, err := Offline(addr(1), Approve(ID{Minter, 3}), settings, DefaultAddresses())
	must.Do(t, err)
	says(t, plan.Words, "votes for gov-minter:3, whose content is not known here", "No node was asked")
	tx := must.Get(plan.Sign(KeySigner{key(1)}))(t)
	// approveProposal(uint256) is 0x98951b56 (spec system-contracts 1.4).
	want := append(common.FromHex("98951b56"), common.LeftPadBytes([]byte{3}, 32)...)
	expect.That(t, slices.Equal(tx.Data(), want) && *tx.To() == params.GovMinterAddress && tx.Nonce() == 7 &&
		tx.Gas() == 800_000 && tx.ChainId().Int64() == 8282 && tx.GasTipCap().Cmp(gwei(27_600)) == 0 &&
		tx.GasFeeCap().Cmp(gwei(90_000)) == 0 && tx.Value().Sign() == 0, "%+v", tx)
	for _, missing := range []func(*Settings){
		func(s *Settings) { s.ChainID = nil }, func(s *Settings) { s.Nonce = nil }, func(s *Settings) { s.Tip = nil },
		func(s *Settings) { s.FeeCap = nil }, func(s *Settings) { s.Gas = nil },
	} {
		less := *settings
		missing(&less)
		expect.Says(t, expect.Err(Offline(addr(1), Approve(ID{Minter, 3}), &less, DefaultAddresses())), "is needed",
			"incomplete settings")
	}
	_, err = addMember(Council, 2, 0)(t.Context(), nil)
	expect.Says(t, err, "--quorum", "an unknown quorum")
}

// liar is a signer that signs something else, or as somebody else.
type liar struct {
	KeySigner
	change func(*types.DynamicFeeTx)
	fails  error
}

func (l liar) SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	if l.fails != nil {
		return nil, l.fails
	}
	inner := &types.DynamicFeeTx{ChainID: tx.ChainId(), Nonce: tx.Nonce(), GasTipCap: tx.GasTipCap(),
		GasFeeCap: tx.GasFeeCap(), Gas: tx.Gas(), To: tx.To(), Value: tx.Value(), Data: tx.Data()}
	l.change(inner)
	return l.KeySigner.SignTx(types.NewTx(inner), inner.ChainID)
}

// What a signer returns is sent only when it is what was shown.
func TestSignersAreChecked(t *testing.T) {
	settings := &Settings{ChainID: big.NewInt(8282), Nonce: new(uint64(7)), Tip: gwei(27_600), FeeCap: gwei(90_000),
		Gas: new(uint64(800_000))}
	plan := must.Get(Offline(addr(1), Approve(ID{Minter, 3}), settings, DefaultAddresses()))(t)
	for name, signer := range map[string]Signer{
		"another proposal": liar{KeySigner: KeySigner{key(1)},
			change: func(tx *types.DynamicFeeTx) { tx.Data = Approve(ID{Minter, 4}).Input }},
		"another contract": liar{KeySigner: KeySigner{key(1)},
			change: func(tx *types.DynamicFeeTx) { tx.To = &params.GovCouncilAddress }},
		"another chain": liar{KeySigner: KeySigner{key(1)},
			change: func(tx *types.DynamicFeeTx) { tx.ChainID = big.NewInt(8283) }},
		"another sender": liar{KeySigner: KeySigner{key(2)}, change: func(*types.DynamicFeeTx) {}},
		"an error":       liar{fails: errors.New("no")},
	} {
		t.Run(name, func(t *testing.T) {
			tx, err := plan.Sign(signer)
			expect.That(t, err != nil && tx == nil, "%s: %v, %v", name, tx, err)
		})
	}
	expect.Error(t, expect.Err(plan.Sign(liar{KeySigner: KeySigner{key(1)}, change: func(*types.DynamicFeeTx) {}})), nil,
		"plan.Sign")
}
