// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/must"
)

// registry is GovValidator (spec system-contracts 3).
type registry struct {
	*model
	tip       int64            // gwei
	list      []common.Address // in the contract's order
	operators map[common.Address]common.Address
	sealers   map[common.Address]common.Address // by operator
	keys      map[common.Address]string         // by validator
	proofs    [][2][]byte                       // keys to choose from, with their proofs of possession
}

func (m *registry) refusal(p *modelProposal) (string, bool) {
	if p.number < 1 || p.number > 20_000_000 {
		return "InvalidGasTip", false
	}
	return "", false
}

func (m *registry) perform(p *modelProposal) bool {
	m.emit("GasTipUpdated")
	m.tip = p.number
	return true
}

func (m *registry) finished(*modelProposal) {}

// refusalToLeave keeps the last validator, and the fourth of four (docs/system-contracts.md, 7).
func (m *registry) refusalToLeave(member common.Address) string {
	if _, ok := m.sealers[member]; ok && (len(m.list) == 1 || len(m.list) == 4) {
		return "InvalidValidator"
	}
	return ""
}

// forget takes a validator out; the last one of the list takes its place.
func (m *registry) forget(operator common.Address) {
	sealer := m.sealers[operator]
	m.list = withoutSwapped(m.list, sealer)
	delete(m.operators, sealer)
	delete(m.sealers, operator)
	delete(m.keys, sealer)
}

// withoutSwapped removes an element of a list by putting the last one in its place.
func withoutSwapped(list []common.Address, a common.Address) []common.Address {
	i := slices.Index(list, a)
	list[i] = list[len(list)-1]
	return list[:len(list)-1]
}

func (m *registry) left(member common.Address) {
	if _, ok := m.sealers[member]; ok {
		m.forget(member)
	}
}

func (m *registry) changed(from, to common.Address) {
	if sealer, ok := m.sealers[from]; ok {
		delete(m.sealers, from)
		m.sealers[to], m.operators[sealer] = sealer, to
	}
}

// configure is the only thing that a member does without a vote.
func (m *registry) configure(from, sealer common.Address, key string, proven bool) string {
	current, has := m.sealers[from]
	operator, taken := m.operators[sealer]
	holder := common.Address{}
	for v, k := range m.keys {
		if k == key {
			holder = v
		}
	}
	switch {
	case !m.active[from]:
		return "NotAMember"
	case sealer == common.Address{}:
		return "InvalidValidator"
	case taken && operator != from:
		return "AlreadyValidatorExists"
	case !proven:
		return "InvalidBlsKey"
	case holder != common.Address{} && (!has || holder != current):
		return "AlreadyRegisteredBlsKey"
	case has && current == sealer && m.keys[sealer] == key:
		return "NoConfigurationChanging"
	}
	if !has || current != sealer {
		if has {
			m.forget(from)
		}
		m.list = append(m.list, sealer)
		m.operators[sealer], m.sealers[from] = from, sealer
	}
	m.keys[sealer] = key
	return ""
}

func (m *registry) step(d *driver, from, _ common.Address) {
	d.Helper()
	switch pick(d, "tip", "configure", "configure") {
	case "tip":
		tip := pick(d, 0, 1, 2, 27_600, 27_600, 30_000, 20_000_000, 20_000_001)
		p := &modelProposal{action: "tip", number: int64(tip)}
		refusal, _ := m.refusal(p)
		if p.number == m.tip {
			refusal = "SameGasTip"
		}
		n, refusal := m.proposeOwn(from, p, refusal)
		wei := new(big.Int).Mul(big.NewInt(p.number), big.NewInt(1e9))
		d.compare(fmt.Sprintf("tip %d by %v", tip, from), d.send(from, govValidator, "proposeGasTip", wei), refusal, n)
	case "configure":
		sealer := pick(d, common.Address{}, address(0xe1), address(0xe2), address(0xe3), address(0xe4), address(0xe5),
			address(0xe6))
		if d.random.IntN(4) == 0 && len(m.list) > 0 {
			sealer = pick(d, m.list...)
		}
		i := d.random.IntN(len(m.proofs))
		key, signature := m.proofs[i][0], m.proofs[i][1]
		proven := d.random.IntN(8) != 0
		if !proven {
			signature = m.proofs[(i+1)%len(m.proofs)][1]
		}
		what := fmt.Sprintf("validator %v of %v with key %d", sealer, from, i)
		d.compare(what, d.send(from, govValidator, "configureValidator", sealer, key, signature),
			m.configure(from, sealer, string(key), proven), nil)
	}
}

func (m *registry) check(w *world, everyone []common.Address) {
	w.Helper()
	w.equal(new(big.Int).Mul(big.NewInt(m.tip), big.NewInt(1e9)), govValidator, "gasTip")
	w.equal(m.tip, govValidator, "getGasTipGwei")
	w.equal(m.list, govValidator, "validatorList")
	w.equal(len(m.list), govValidator, "validatorCount")
	for _, a := range everyone {
		w.equal(m.sealers[a], govValidator, "operatorToValidator", a)
	}
	for n := int64(0xe1); n <= 0xe6; n++ {
		v := address(n)
		w.equal(m.operators[v] != common.Address{}, govValidator, "isValidator", v)
		w.equal(m.operators[v], govValidator, "validatorToOperator", v)
		w.equal([]byte(m.keys[v]), govValidator, "validatorToBlsKey", v)
	}
	for _, p := range m.proofs {
		holder := common.Address{}
		for v, k := range m.keys {
			if k == string(p[0]) {
				holder = v
			}
		}
		w.equal(holder, govValidator, "blsKeyToValidator", p[0])
	}
	if len(m.list) != len(m.operators) || len(m.list) != len(m.sealers) || len(m.list) != len(m.keys) {
		w.Fatalf("%d validators, %d operators, %d with a validator, %d keys", len(m.list), len(m.operators), len(m.sealers),
			len(m.keys))
	}
}

// GovValidator behaves as its model. A validator has an operator; keys and operators are unique. A removed member
// leaves no validator, and the list keeps the order that clients read.
func TestLifeOfValidators(t *testing.T) {
	var proofs [][2][]byte
	for n := byte(1); n <= 5; n++ {
		key, signature := possession(t, n)
		proofs = append(proofs, [2][]byte{key, signature})
	}
	randomSequences(t, "g2", func(*world) {}, func(w *world, quorum int, members []common.Address) *model {
		m := newModel(govValidator, w, quorum, members)
		r := &registry{
			model: m, tip: 27_600, operators: make(map[common.Address]common.Address),
			sealers: make(map[common.Address]common.Address),
			keys:    make(map[common.Address]string), proofs: proofs,
		}
		for _, a := range members {
			v := validatorOf(a)
			r.list = append(r.list, v.Address)
			r.operators[v.Address], r.sealers[a], r.keys[v.Address] = a, v.Address, string(v.BLSPublicKey)
		}
		m.own = r
		return m
	})
}

// mastering is GovMasterMinter (spec system-contracts 4).
type mastering struct {
	noHooks
	*model
	paused     bool
	most       int64            // that a minter can be allowed
	list       []common.Address // minters in the contract's order
	allowances map[common.Address]int64
}

func (m *mastering) refusal(p *modelProposal) (string, bool) {
	switch p.action {
	case "configure":
		if p.account == (common.Address{}) {
			return "InvalidMinterAddress", false
		}
		if p.number == 0 || p.number > m.most {
			return "InvalidAllowance", false
		}
	case "dismiss":
		if p.account == (common.Address{}) {
			return "InvalidMinterAddress", false
		}
		if !slices.Contains(m.list, p.account) {
			return "NotAMinter", false
		}
	case "most":
		if p.number == 0 {
			return "InvalidAllowance", false
		}
		return "", false
	case "pause":
		if m.paused {
			return "ContractPaused", false
		}
		return "", false
	case "unpause":
		if !m.paused {
			return "ContractNotPaused", false
		}
		return "", false
	}
	if m.paused {
		return "ContractPaused", true
	}
	return "", false
}

func (m *mastering) perform(p *modelProposal) bool {
	switch p.action {
	case "configure":
		if !slices.Contains(m.list, p.account) {
			m.list = append(m.list, p.account)
		}
		m.allowances[p.account] = p.number
		m.emit("MinterConfigured", "MinterConfigured") // of the token and of the governance
	case "dismiss":
		m.list = withoutSwapped(m.list, p.account)
		delete(m.allowances, p.account)
		m.emit("MinterRemoved", "MinterRemoved")
	case "most":
		m.most = p.number
		m.emit("MaxMinterAllowanceUpdated")
	case "pause":
		m.paused = true
		m.emit("EmergencyPaused")
	case "unpause":
		m.paused = false
		m.emit("EmergencyUnpaused")
	}
	return true
}

func (m *mastering) step(d *driver, from, other common.Address) {
	d.Helper()
	p := &modelProposal{action: pick(d, "configure", "configure", "configure", "dismiss", "dismiss", "most", "pause",
		"unpause", "unpause"),
		number: d.random.Int64N(12)}
	function, args := pauseFunctions[p.action], []any{}
	switch p.action {
	case "configure":
		p.account, function, args = other, "proposeConfigureMinter", []any{other, big.NewInt(p.number)}
	case "dismiss":
		if p.account = other; d.random.IntN(2) == 0 && len(m.list) > 0 {
			p.account = pick(d, m.list...)
		}
		function, args = "proposeRemoveMinter", []any{p.account}
	case "most":
		function, args = "proposeUpdateMaxMinterAllowance", []any{big.NewInt(p.number)}
	}
	refusal, _ := m.refusal(p)
	if (p.action == "configure" || p.action == "dismiss") && m.paused {
		refusal = "ContractPaused" // nothing else is looked at
	}
	n, refusal := m.proposeOwn(from, p, refusal)
	d.compare(fmt.Sprintf("%s by %v, %v, %d", p.action, from, p.account, p.number),
		d.send(from, masterMinter, function, args...), refusal, n)
}

func (m *mastering) check(w *world, everyone []common.Address) {
	w.Helper()
	w.equal(m.paused, masterMinter, "emergencyPaused")
	w.equal(m.most, masterMinter, "maxMinterAllowance")
	w.equal(len(m.list), masterMinter, "getMinterCount")
	sum := int64(0)
	for i, a := range m.list {
		sum += m.allowances[a]
		at := w.getAll(masterMinter, "getMinterAt", big.NewInt(int64(i)))
		must.That(w, at[0] == a && at[1].(*big.Int).Int64() == m.allowances[a],
			"minter %d is %v, want %v with %d", i, at, a, m.allowances[a])
	}
	if stats := w.getAll(masterMinter, "getMinterStats"); fmt.Sprint(stats) != fmt.Sprint([]any{len(m.list), sum}) {
		w.Fatalf("statistics %v, want %d minters and %d", stats, len(m.list), sum)
	}
	all := w.getAll(masterMinter, "getAllMinters")
	must.That(w, fmt.Sprint(all[0]) == fmt.Sprint(m.list) || len(m.list) == 0, "minters %v, want %v", all[0], m.list)
	for _, a := range everyone {
		is := slices.Contains(m.list, a)
		w.equal(is, masterMinter, "isMinter", a)
		w.equal(is, adapter, "isMinter", a) // the token has the same minters
		w.equal(m.allowances[a], adapter, "minterAllowance", a)
		w.equal(is && m.allowances[a] >= 5, masterMinter, "canMint", a, big.NewInt(5))
	}
}

// GovMasterMinter behaves as its model, and the token has the same minters with the same allowances.
func TestLifeOfMinters(t *testing.T) {
	const most = 10
	randomSequences(t, "g2", func(w *world) {
		w.must(masterMinter, adapter, "configureMinter", govMinter, big.NewInt(7))
		w.state.SetState(masterMinter, common.Hash{31: 0x33}, common.BigToHash(big.NewInt(most)))
	}, func(w *world, quorum int, members []common.Address) *model {
		m := newModel(masterMinter, w, quorum, members)
		m.own = &mastering{model: m, most: most, list: []common.Address{govMinter},
			allowances: map[common.Address]int64{govMinter: 7}}
		return m
	})
}

// listing is GovCouncil (spec system-contracts 6).
type listing struct {
	noHooks
	*model
	blacklist, authorized []common.Address // in the contract's order
}

// suspects are accounts without membership, so that all members keep their votes.
var suspects = []common.Address{address(0xd1), address(0xd2), address(0xd3), address(0xd4), address(0xd5)}

// meaning returns the list of an action, and reports whether the action adds to it.
func (m *listing) meaning(action string) (list *[]common.Address, adding bool) {
	switch action {
	case "blacklist":
		return &m.blacklist, true
	case "unblacklist":
		return &m.blacklist, false
	case "authorize":
		return &m.authorized, true
	default:
		return &m.authorized, false
	}
}

// refusal is always empty: an event reports an action without effect.
func (m *listing) refusal(*modelProposal) (string, bool) { return "", false }

func (m *listing) perform(p *modelProposal) (effect bool) {
	list, adding := m.meaning(p.action)
	done := map[string]string{"blacklist": "AddressBlacklisted", "unblacklist": "AddressUnblacklisted",
		"authorize":   "AuthorizedAccountAdded",
		"unauthorize": "AuthorizedAccountRemoved"}[p.action]
	for _, a := range p.accounts {
		switch {
		case slices.Contains(*list, a) == adding:
			m.emit("ProposalExecutionSkipped")
			continue
		case adding:
			*list = append(*list, a)
		default:
			*list = withoutSwapped(*list, a)
		}
		m.emit(done)
		effect = true
	}
	return effect
}

// why returns the reason why accounts cannot be proposed.
func (m *listing) why(action string, accounts []common.Address, batch bool) string {
	list, adding := m.meaning(action)
	errors := map[string]string{"blacklist": "AlreadyInBlacklist", "unblacklist": "NotInBlacklist",
		"authorize":   "AlreadyInAuthorizedAccountList",
		"unauthorize": "NotInAuthorizedAccountList"}
	switch {
	case batch && len(accounts) == 0:
		return "AddressNotFound"
	case len(accounts) > 100:
		return "IndexOutOfBounds"
	}
	for i, a := range accounts {
		switch {
		case adding && a == common.Address{}:
			return "ZeroAddressNotAllowed"
		case slices.Contains(*list, a) == adding:
			return errors[action]
		case slices.Contains(accounts[:i], a):
			return "AddressAlreadyExists"
		}
	}
	return ""
}

func (m *listing) step(d *driver, from, _ common.Address) {
	d.Helper()
	action := pick(d, "blacklist", "blacklist", "unblacklist", "authorize", "authorize", "unauthorize")
	list, adding := m.meaning(action)
	choice := append(slices.Clone(suspects), common.Address{})
	if !adding && d.random.IntN(4) != 0 && len(*list) > 0 {
		choice = *list
	}
	batch := d.random.IntN(2) == 0
	accounts := []common.Address{pick(d, choice...)}
	if batch {
		accounts = accounts[:0]
		for range d.random.IntN(4) {
			accounts = append(accounts, pick(d, choice...))
		}
		if d.random.IntN(20) == 0 {
			for n := range int64(101) {
				accounts = append(accounts[:n], address(0x5000+n))
			}
		}
	}
	function := map[string]string{"blacklist": "proposeAddBlacklist", "unblacklist": "proposeRemoveBlacklist",
		"authorize":   "proposeAddAuthorizedAccount",
		"unauthorize": "proposeRemoveAuthorizedAccount"}[action]
	n, refusal := m.proposeOwn(from, &modelProposal{action: action, accounts: accounts}, m.why(action, accounts, batch))
	what := fmt.Sprintf("%s %v by %v", action, accounts, from)
	if batch {
		d.compare(what, d.send(from, council, function+"Batch", accounts), refusal, n)
	} else {
		d.compare(what, d.send(from, council, function, accounts[0]), refusal, n)
	}
}

func (m *listing) check(w *world, _ []common.Address) {
	w.Helper()
	for _, set := range []struct {
		list                 []common.Address
		all, count, at, part string
	}{
		{m.blacklist, "getAllBlacklisted", "getBlacklistCount", "getBlacklistedAddress", "getBlacklistRange"},
		{m.authorized, "getAllAuthorizedAccounts", "getAuthorizedAccountCount", "getAuthorizedAccountAddress",
			"getAuthorizedAccountRange"},
	} {
		w.equal(set.list, council, set.all)
		w.equal(len(set.list), council, set.count)
		for i, a := range set.list {
			w.equal(a, council, set.at, big.NewInt(int64(i)))
		}
		if last := len(set.list) - 1; last >= 0 {
			w.equal(set.list[last/2:], council, set.part, big.NewInt(int64(last/2)), big.NewInt(int64(last)))
		}
	}
	for _, a := range suspects {
		black, authorized := slices.Contains(m.blacklist, a), slices.Contains(m.authorized, a)
		w.equal(black, council, "isBlacklisted", a)
		w.equal(authorized, council, "isAuthorizedAccount", a)
		if have := w.state; have.IsBlacklisted(a) != black || have.IsAuthorized(a) != authorized {
			w.Fatalf("the client has %v blacklisted %v, authorized %v, want %v, %v", a, have.IsBlacklisted(a),
				have.IsAuthorized(a), black, authorized)
		}
	}
}

// GovCouncil behaves as its model, and its two lists equal those that clients read.
func TestLifeOfLists(t *testing.T) {
	randomSequences(t, "g2", func(w *world) {
		for _, a := range suspects {
			w.fund(a, big.NewInt(1))
		}
	}, func(w *world, quorum int, members []common.Address) *model {
		m := newModel(council, w, quorum, members)
		m.own = &listing{model: m}
		return m
	})
}
