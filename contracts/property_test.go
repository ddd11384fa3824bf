// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/core"
	"gwon/internal/must"
	"gwon/params"
)

// validatorOf returns the validator of an operator.
func validatorOf(operator common.Address) params.DevnetValidator {
	key, err := crypto.ToECDSA(common.LeftPadBytes(operator[:], 32))
	if err != nil {
		panic(err)
	}
	secret, err := bls.DeriveKey(key)
	if err != nil {
		panic(err)
	}
	v := operator
	v[0] = 0xf0
	return params.DevnetValidator{Address: v, BLSPublicKey: secret.PublicKey().Bytes(), Operator: operator}
}

// privateWorld returns a chain with the given governance members, quorum and balances in wei.
func privateWorld(t tester, minter string, quorum uint64, members []common.Address,
	funds map[common.Address]*big.Int) *world {
	t.Helper()
	options := params.DevnetOptions{GovernanceQuorum: quorum, ProposalExpirySeconds: 100}
	for _, m := range members {
		options.Validators = append(options.Validators, validatorOf(m))
	}
	config := must.Get(params.DevnetConfig(options))(t)
	alloc := make(types.GenesisAlloc)
	for a, wei := range funds {
		alloc[a] = types.Account{Balance: wei}
	}
	return newWorld(t, core.DevnetGenesis(config, 1, alloc), minter)
}

// everyone takes part in the random sequences. The first one, or the first three, are members.
var everyone = []common.Address{address(0xa1), address(0xa2), address(0xa3), address(0xa4), address(0xa5),
	address(0xb1), address(0xb2)}

// sequencesFlag is small in make unit, and a third of that with -short; make contract-models plays more.
var sequencesFlag = flag.Uint64("sequences", 60, "how many random sequences of messages each model plays")

// randomSequences sends random messages to a contract and to its model. Outcomes, results, events and all readable
// numbers must be equal. The function prepare sets up the chain, start creates its model.
func randomSequences(t *testing.T, minter string, prepare func(*world),
	start func(*world, int, []common.Address) *model) {
	for quorum := 1; quorum <= 2; quorum++ {
		t.Run(fmt.Sprintf("quorum %d", quorum), func(t *testing.T) {
			members := everyone[:2*quorum-1] // one, or three
			origin := privateWorld(t, minter, uint64(quorum), members, nil)
			prepare(origin)
			sequences := *sequencesFlag
			if testing.Short() {
				sequences /= 3
			}
			for seed := range sequences {
				w := *origin
				w.tester, w.state = seeded{t, seed}, machine{origin.state.Copy()}
				m := start(&w, quorum, members)
				d := &driver{world: &w, model: m, random: rand.New(rand.NewPCG(seed, 0)), muted: make(map[common.Address]bool)}
				for range 40 {
					d.step()
				}
				m.check(&w, everyone)
			}
		})
	}
}

// driver does the same to the contracts and to the model.
type driver struct {
	*world
	model  *model
	random *rand.Rand
	muted  map[common.Address]bool // accounts from which the client takes no messages
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
	must.Equal(d, d.reason(out), refusal, "%s", what)
	if !out.ok() {
		return
	}
	have := d.events(out)
	must.That(d, slices.Equal(have, d.model.events), "%s: events %v, want %v", what, have, d.model.events)
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
	from := pick(d, slices.Concat(everyone, m.members(), m.members(), m.members(), m.members())...)
	other := pick(d, slices.Concat(everyone, everyone, []common.Address{{}})...)
	number := d.random.Int64N(6)
	id := max(0, len(m.proposals)-pick(d, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6))
	amount := d.random.Int64N(25)
	big64 := func(n int64) *big.Int { return big.NewInt(n) }

	action := pick(d, "approve", "approve", "approve", "approve", "approve", "approve", "approve", "approve",
		"disapprove", "disapprove",
		"disapprove", "execute", "execute", "terminate", "cancel", "expire", "add", "add", "remove", "quorum", "limit",
		"change", "wait", "wait long",
		"own", "own", "own", "own", "own", "own", "own", "own", "own", "own", "own")
	what := fmt.Sprintf("%s by %v, other %v, number %d, id %d", action, from, other, number, id)
	switch action {
	case "wait":
		d.world.time += uint64(amount)
		m.now += amount
		return
	case "wait long":
		d.world.time += 70
		m.now += 70
		return
	case "own":
		m.own.step(d, from, other)
		return
	}
	if d.muted[from] {
		return
	}
	switch action {
	case "approve", "disapprove":
		p, refusal := m.voter(from, id)
		if refusal == "" {
			refusal = m.vote(p, from, action == "approve")
		}
		d.compare(what, d.send(from, m.at, action+"Proposal", big64(int64(id))), refusal, nil)
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
		d.compare(what, d.send(from, m.at, function, big64(int64(id))), refusal, word(success))
	case "cancel":
		d.compare(what, d.send(from, m.at, "cancelProposal", big64(int64(id))), m.cancel(from, id), nil)
	case "expire":
		done, refusal := m.expire(from, id)
		d.compare(what, d.send(from, m.at, "expireProposal", big64(int64(id))), refusal, word(done))
	case "add", "remove":
		n, refusal := m.proposeBase(from, action, other, number)
		function := map[string]string{"add": "proposeAddMember", "remove": "proposeRemoveMember"}[action]
		d.compare(what, d.send(from, m.at, function, other, uint32(number)), refusal, n)
	case "quorum":
		n, refusal := m.proposeBase(from, action, common.Address{}, number)
		d.compare(what, d.send(from, m.at, "proposeChangeQuorum", uint32(number)), refusal, n)
	case "limit":
		n, refusal := m.proposeBase(from, action, common.Address{}, number)
		d.compare(what, d.send(from, m.at, "proposeChangeMaxProposals", big64(number)), refusal, n)
	case "change":
		d.compare(what, d.send(from, m.at, "changeMember", other), m.change(from, other), nil)
	}
}
