// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"

	"gwon/core"
	"gwon/params"
)

// refuseCoins is code that reverts.
var refuseCoins = []byte{byte(vm.PUSH1), 0, byte(vm.PUSH1), 0, byte(vm.REVERT)}

// validatorOf returns a validator with a key that only a genesis block takes unseen.
func validatorOf(operator common.Address) params.DevnetValidator {
	key := make([]byte, params.BLSPublicKeyLength)
	copy(key, operator[:])
	v := operator
	v[0] = 0xf0
	return params.DevnetValidator{Address: v, BLSPublicKey: key, Operator: operator}
}

// privateWorld returns a chain whose governances have these members and this quorum, and where each given account has as many
// wei as told.
func privateWorld(t tester, b build, minter string, quorum uint64, members []common.Address, funds map[common.Address]*big.Int) *world {
	t.Helper()
	options := params.DevnetOptions{GovernanceQuorum: quorum, ProposalExpirySeconds: 100}
	for _, m := range members {
		options.Validators = append(options.Validators, validatorOf(m))
	}
	config, err := params.DevnetConfig(options)
	if err != nil {
		t.Fatal(err)
	}
	alloc := make(types.GenesisAlloc)
	for a, wei := range funds {
		alloc[a] = types.Account{Balance: wei}
	}
	return newWorld(t, b, core.DevnetGenesis(config, 1, alloc), minter)
}

// Random messages do to GovMinter what they do to the model: outcome, result, events, every number that can be asked for, and the
// invariants: the supply is the sum of the balances, reserved mints never exceed the allowance, a proposal executes at most once,
// votes of former members count only in the versions that list them.
func TestLifeCycle(t *testing.T) {
	everyone := []common.Address{address(0xa1), address(0xa2), address(0xa3), address(0xa4), address(0xa5), address(0xb1), address(0xb2)}
	const each, allowance = 10_000, 60
	onBuilds(t, func(t *testing.T, b build) {
		for _, generation := range []string{"g1", "g2"} {
			for quorum := 1; quorum <= 2; quorum++ {
				t.Run(fmt.Sprintf("%s quorum %d", generation, quorum), func(t *testing.T) {
					members := everyone[:2*quorum-1] // one, or three
					funds := make(map[common.Address]*big.Int)
					for _, a := range everyone {
						funds[a] = big.NewInt(each)
					}
					origin := privateWorld(t, b, generation, uint64(quorum), members, funds)
					origin.must(masterMinter, adapter, "configureMinter", govMinter, big.NewInt(allowance))
					origin.setCode(everyone[2], refuseCoins)
					sequences := uint64(500)
					if testing.Short() || b.tracer != nil {
						sequences = 40
					}
					for seed := range sequences {
						w := *origin
						w.tester, w.state = seeded{t, seed}, origin.state.Copy()
						m := &model{
							generation: generation, now: int64(w.time), expiry: 100, lists: [][]common.Address{nil, slices.Clone(members)},
							quorum: quorum, active: make(map[common.Address]bool), givenUp: make(map[common.Address]bool), max: 3,
							proposals: []*modelProposal{nil}, allowance: allowance, supply: each * int64(len(everyone)),
							blacklisted: make(map[common.Address]bool), stubborn: everyone[2], proofs: make(map[string]bool),
							latest: make(map[string]int), done: make(map[string]bool), refundable: make(map[common.Address]int64),
						}
						for _, a := range members {
							m.active[a] = true
						}
						d := &driver{world: &w, model: m, everyone: everyone, random: rand.New(rand.NewPCG(seed, 0))}
						for range 40 {
							d.step()
						}
						m.check(&w, everyone)
					}
				})
			}
		}
	})
}

// driver does the same to the contracts and to the model.
type driver struct {
	*world
	model    *model
	everyone []common.Address
	random   *rand.Rand
}

// seeded names the sequence that a test failed in.
type seeded struct {
	*testing.T
	seed uint64
}

func (s seeded) Fatalf(format string, args ...any) {
	s.Helper()
	s.T.Fatalf("sequence %d: %s", s.seed, fmt.Sprintf(format, args...))
}

// pick draws one of several.
func pick[T any](d *driver, from ...T) T { return from[d.random.IntN(len(from))] }

// compare checks one message.
func (d *driver) compare(what string, out outcome, refusal string, result any) {
	d.Helper()
	if refusal == "" {
		refusal = "success"
	}
	if have := d.reason(out); have != refusal {
		d.Fatalf("%s: have %s, want %s", what, have, refusal)
	}
	if !out.ok() {
		return
	}
	if have := d.events(out); !slices.Equal(have, d.model.events) {
		d.Fatalf("%s: events %v, want %v", what, have, d.model.events)
	}
	if result != nil {
		if have := new(big.Int).SetBytes(out.data); len(out.data) != 32 || fmt.Sprint(have) != fmt.Sprint(result) {
			d.Fatalf("%s: returns %x, want %v", what, out.data, result)
		}
	}
}

func word(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (d *driver) step() {
	d.Helper()
	m := d.model
	m.events = nil
	// Members are drawn more often than others, and so is the newest proposal.
	from := pick(d, slices.Concat(d.everyone, m.members(), m.members(), m.members(), m.members())...)
	other := pick(d, slices.Concat(d.everyone, d.everyone, []common.Address{{}})...)
	number := d.random.Int64N(6)
	id := max(0, len(m.proposals)-pick(d, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6))
	label, memo := pick(d, "x", "y", "z", "u", "v", "w"), pick(d, "p", "q", "r", "s")
	amount := d.random.Int64N(25)
	big64 := func(n int64) *big.Int { return big.NewInt(n) }

	action := pick(d, "approve", "approve", "approve", "approve", "approve", "approve", "approve", "approve", "disapprove", "disapprove",
		"disapprove", "mint", "mint", "mint", "burn", "burn", "burn", "execute", "execute", "terminate", "cancel", "expire", "add", "add",
		"remove", "quorum", "limit", "pause", "unpause", "unpause", "change", "wait", "wait long", "blacklist", "claim")
	what := fmt.Sprintf("%s by %v, other %v, number %d, id %d, amount %d", action, from, other, number, id, amount)
	if m.blacklisted[from] && action != "wait" && action != "wait long" && action != "blacklist" {
		return // the client lets no blacklisted account send a message
	}
	switch action {
	case "approve", "disapprove":
		p, refusal := m.voter(from, id)
		if refusal == "" {
			refusal = m.vote(p, from, action == "approve")
		}
		d.compare(what, d.send(from, govMinter, action+"Proposal", big64(int64(id))), refusal, nil)
	case "execute", "terminate":
		how, function := retry, "executeProposal"
		if action == "terminate" {
			how, function = final, "executeWithFailure"
		}
		p, refusal := m.voter(from, id)
		var success bool
		if refusal == "" {
			success, refusal = m.execute(p, how)
		}
		d.compare(what, d.send(from, govMinter, function, big64(int64(id))), refusal, word(success))
	case "cancel":
		d.compare(what, d.send(from, govMinter, "cancelProposal", big64(int64(id))), m.cancel(from, id), nil)
	case "expire":
		done, refusal := m.expire(from, id)
		d.compare(what, d.send(from, govMinter, "expireProposal", big64(int64(id))), refusal, word(done))
	case "mint":
		n, refusal := m.proposeMint(from, other, amount, label, memo)
		d.compare(what, d.send(from, govMinter, "proposeMint", proof(d, other, big64(amount), label, "bank", memo)), refusal, n)
	case "burn":
		owner, value := from, amount
		if number == 0 {
			owner = other
		}
		if number == 1 {
			value++
		}
		n, refusal := m.proposeBurn(from, owner, amount, value, label, memo)
		input := d.pack(govMinter, "proposeBurn", proof(d, owner, big64(amount), label, "bank", memo))
		d.compare(what, d.call(from, govMinter, big64(value), input), refusal, n)
	case "add", "remove":
		n, refusal := m.proposeBase(from, action, other, number)
		function := map[string]string{"add": "proposeAddMember", "remove": "proposeRemoveMember"}[action]
		d.compare(what, d.send(from, govMinter, function, other, uint32(number)), refusal, n)
	case "quorum":
		n, refusal := m.proposeBase(from, action, common.Address{}, number)
		d.compare(what, d.send(from, govMinter, "proposeChangeQuorum", uint32(number)), refusal, n)
	case "limit":
		n, refusal := m.proposeBase(from, action, common.Address{}, number)
		d.compare(what, d.send(from, govMinter, "proposeChangeMaxProposals", big64(number)), refusal, n)
	case "pause", "unpause":
		n, refusal := m.proposePause(from, action)
		function := map[string]string{"pause": "proposePause", "unpause": "proposeUnpause"}[action]
		d.compare(what, d.send(from, govMinter, function), refusal, n)
	case "change":
		d.compare(what, d.send(from, govMinter, "changeMember", other), m.change(from, other), nil)
	case "wait":
		d.world.time += uint64(amount)
		m.now += amount
	case "wait long":
		d.world.time += 70
		m.now += 70
	case "blacklist":
		if other != (common.Address{}) {
			m.blacklisted[other] = !m.blacklisted[other]
			d.state.SetBlacklisted(other, m.blacklisted[other])
		}
	case "claim":
		if m.generation == "g2" {
			d.compare(what, d.send(from, govMinter, "claimBurnRefund"), m.claim(from), nil)
		}
	}
}
