// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

func TestLists(t *testing.T) {
	p := parameters{"list": " 0x01,, 2 ,0x0000000000000000000000000000000000000003,", "empty": " , "}
	list, given, err := p.addresses("list")
	expect.That(t, err == nil && given && slices.Equal(list, []common.Address{{19: 1}, {19: 2}, {19: 3}}),
		"%v, %v, %v", list, given, err)
	list, given, err = p.addresses("empty")
	expect.That(t, err == nil && given && len(list) == 0, "empty: %v, %v, %v", list, given, err)
	_, given, err = p.addresses("absent")
	expect.That(t, err == nil && !given, "absent: %v, %v", given, err)
}

func TestParseAmount(t *testing.T) {
	most := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	for _, good := range []string{"0", "1", "000123", "27600000000000", most.String()} {
		want, _ := new(big.Int).SetString(good, 10)
		v, err := parseAmount(good)
		expect.That(t, err == nil && v.Cmp(want) == 0, "%q: %v, %v", good, v, err)
	}
	above := new(big.Int).Add(most, big.NewInt(1)).String()
	for _, bad := range []string{"", " ", "-1", "+1", "0x10", "1e3", "1_000", "1 ", above, strings.Repeat("9", 1000)} {
		v, err := parseAmount(bad)
		expect.Refused(t, err, "%q: %v", bad, v)
	}
}

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]common.Address{
		"0x1000": {18: 0x10},
		"1":      {19: 1},
		"0Xabc":  {18: 0x0a, 19: 0xbc},
		"0x58f13FE4294652526C4B893b4e4f343B3F184D43": common.HexToAddress("58f13fe4294652526c4b893b4e4f343b3f184d43"),
	} {
		t.Run(text, func(t *testing.T) {
			a, err := parseAddress(text)
			expect.That(t, err == nil && a == want, "%q: %v, %v", text, a, err)
		})
	}
	for _, bad := range []string{"", "0x", "0xzz", "alice", "0x" + strings.Repeat("0", 42), "1000 "} {
		a, err := parseAddress(bad)
		expect.Refused(t, err, "%q: %v", bad, a)
	}
}

// with returns base with changes; a value of "-" removes the parameter.
func with(base map[string]string, changes ...string) parameters {
	p := parameters(maps.Clone(base))
	for i := 0; i < len(changes); i += 2 {
		if p[changes[i]] = changes[i+1]; changes[i+1] == "-" {
			delete(p, changes[i])
		}
	}
	return p
}

// Invalid parameters are refused by each contract (spec system-contracts 1.8, 2.3, 3.3, 4.3, 5.3, 6.3).
func TestParametersRefused(t *testing.T) {
	c := params.Testnet().Anzeon.SystemContracts
	many := make([]string, 256)
	for i := range many {
		many[i] = fmt.Sprintf("0x%x", i+1)
	}
	var tests []struct {
		contract string
		p        parameters
		want     string
	}
	add := func(contract string, base map[string]string, want string, changes ...string) {
		tests = append(tests, struct {
			contract string
			p        parameters
			want     string
		}{contract, with(base, changes...), want})
	}
	for name, base := range map[string]map[string]string{
		"govValidator":    c.GovValidator.Params,
		"govMasterMinter": c.GovMasterMinter.Params,
		"govMinter":       c.GovMinter.Params,
		"govCouncil":      c.GovCouncil.Params,
	} {
		add(name, base, "\"quorum\" is 0", "quorum", "0")
		add(name, base, "must be 2 to 7", "quorum", "8")
		add(name, base, "must be 2 to 7", "quorum", "1")
		add(name, base, "single member", "members", "0x1", "validators", "-", "blsPublicKeys", "-", "quorum", "2")
		add(name, base, "below 2^32", "members", "-", "validators", "-", "blsPublicKeys", "-", "quorum", "4294967296")
		add(name, base, "decimal number", "quorum", "")
		add(name, base, "decimal number", "expiry", "a week")
		add(name, base, "decimal number", "memberVersion", "-1")
		add(name, base, "\"memberVersion\" is missing", "memberVersion", "-")
		add(name, base, "zero address", "members", "0x1,0x0")
		add(name, base, "not an address", "members", "0x1,bob")
		add(name, base, "more than 255", "members", strings.Join(many, ","))
		add(name, base, "must be 1 to 50", "maxProposals", "0")
		add(name, base, "must be 1 to 50", "maxProposals", "51")
	}
	add("govValidator", c.GovValidator.Params, "gasTip", "gasTip", "")
	add("govValidator", c.GovValidator.Params, "gasTip", "gasTip", "lots")
	add("govValidator", c.GovValidator.Params, "both or neither", "validators", "-")
	add("govValidator", c.GovValidator.Params, "both or neither", "blsPublicKeys", "-")
	add("govValidator", c.GovValidator.Params, "equally long", "validators", "0x1")
	add("govValidator", c.GovValidator.Params, "equally long", "blsPublicKeys", "0x1")
	add("govValidator", c.GovValidator.Params, "not a key", "blsPublicKeys", "1,2,3,4,5,6,7")
	add("govMasterMinter", c.GovMasterMinter.Params, "zero address", "fiatToken", "0x0")
	add("govMasterMinter", c.GovMasterMinter.Params, "is empty", "minters", "")
	add("govMasterMinter", c.GovMasterMinter.Params, "zero address", "minters", "0x0")
	add("govMasterMinter", c.GovMasterMinter.Params, "above 0", "maxMinterAllowance", "0")
	add("govMinter", c.GovMinter.Params, "zero address", "fiatToken", "0x0")
	add("govMinter", c.GovMinter.Params, "not an address", "fiatToken", "")
	add("govCouncil", c.GovCouncil.Params, "zero address", "blacklist", "0x0")
	add("govCouncil", c.GovCouncil.Params, "not an address", "authorizedAccounts", "0x1,?")
	add("nativeCoinAdapter", c.NativeCoinAdapter.Params, "masterMinter", "masterMinter", "-")
	add("nativeCoinAdapter", c.NativeCoinAdapter.Params, "zero address", "masterMinter", "0x0")
	add("nativeCoinAdapter", c.NativeCoinAdapter.Params, "2 items for 1 minters", "minterAllowed", "1,2")
	add("nativeCoinAdapter", c.NativeCoinAdapter.Params, "decimal number", "minterAllowed", "-5")
	add("nativeCoinAdapter", c.NativeCoinAdapter.Params, "\"name\"", "name", "")
	add("nativeCoinAdapter", c.NativeCoinAdapter.Params, "\"symbol\"", "symbol", "-")
	add("nativeCoinAdapter", c.NativeCoinAdapter.Params, "\"currency\"", "currency", "")
	add("nativeCoinAdapter", c.NativeCoinAdapter.Params, "\"decimals\"", "decimals", "-")
	add("nativeCoinAdapter", c.NativeCoinAdapter.Params, "\"decimals\"", "decimals", "256")

	for _, tt := range tests {
		for i := range contractKinds {
			if contractKinds[i].name != tt.contract {
				continue
			}
			if _, _, err := contractKinds[i].init(tt.p, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: want an error with %q, have %v", tt.contract, tt.want, err)
			}
		}
	}
}

// An unknown parameter is logged and changes nothing, as in go-stablenet. spec: chain 1.2
func TestUnknownParameters(t *testing.T) {
	c := params.Testnet().Anzeon.SystemContracts
	for name, base := range map[string]map[string]string{
		"govValidator":      c.GovValidator.Params,
		"govMasterMinter":   c.GovMasterMinter.Params,
		"govMinter":         c.GovMinter.Params,
		"govCouncil":        c.GovCouncil.Params,
		"nativeCoinAdapter": c.NativeCoinAdapter.Params,
	} {
		t.Run(name, func(t *testing.T) {
			var says bytes.Buffer
			expect.Log(t, log.NewTerminalHandler(&says, false))
			kind := contractKinds[slices.IndexFunc(contractKinds, func(k contractKind) bool { return k.name == name })]
			want, _, err := kind.init(base, nil)
			must.That(t, err == nil && says.Len() == 0, "%v, says %s", err, &says)
			have, _, err := kind.init(with(base, "authorizedAddresses", "0x1", "blacklistedAddresses", "?"), nil)
			expect.That(t, err == nil && maps.Equal(have, want), "%v, storage differs: %v", err, !maps.Equal(have, want))
			known := "authorizedAddresses blacklistedAddresses"
			for _, part := range []string{"Unknown contract parameters ignored", name, known} {
				expect.That(t, strings.Contains(says.String(), part), "no %q in %s", part, &says)
			}
		})
	}
}

// Defaults of absent parameters.
func TestParameterDefaults(t *testing.T) {
	s := must.Get(initGovValidator(parameters{}))(t)
	want := storage{
		slotMaxProposals:        word(3),
		slotValidatorGasTip:     word(27_600_000_000_000),
		slotValidatorPossession: addressWord(params.BLSPossessionAddress),
	}
	expect.That(t, maps.Equal(s, want), "govValidator %v, want %v", s, want)
	s = must.Get(initGovMasterMinter(parameters{}))(t)
	tenTo28, _ := new(big.Int).SetString("10000000000000000000000000000", 10)
	if !maps.Equal(s, storage{slotMaxProposals: word(3), slotMasterMinterMaxAllowance: common.BigToHash(tenTo28)}) {
		t.Errorf("govMasterMinter %v", s)
	}
	// A quorum without members has no version to be recorded for.
	s = must.Get(initGovMinter(parameters{"quorum": "5", "expiry": "9"}))(t)
	expect.That(t, maps.Equal(s, storage{slotMaxProposals: word(3), slotQuorum: word(5), slotProposalExpiry: word(9)}),
		"govMinter %v", s)
}

// Repeated members are dropped, but validators pair with the list before that. A repeated validator is skipped, and
// the last allowance of a minter counts (spec system-contracts 1.8, 3.3, chain 13, item 17).
func TestRepeatedItems(t *testing.T) {
	key := func(b byte) string { return fmt.Sprintf("0x%096x", b) }
	s := must.Get(initGovValidator(parameters{
		"members": "0xa1,0xa2,0xa1", "memberVersion": "1", "quorum": "2",
		"validators": "0xb1,0xb2,0xb1", "blsPublicKeys": strings.Join([]string{key(1), key(2), key(3)}, ","),
	}))(t)
	expect.Equal(t, s[mapSlot(word(1), slotMemberLists)], word(2), "members")
	list, err := ValidatorList(slots(s), govValidator)
	expect.That(t, err == nil && slices.Equal(list, []common.Address{{19: 0xb1}, {19: 0xb2}}),
		"validators %v, %v", list, err)
	got, err := BLSKey(slots(s), govValidator, common.Address{19: 0xb1})
	expect.That(t, err == nil && got[47] == 1, "key %x, %v", got, err)
	op := s[addressMapSlot(common.Address{19: 0xb2}, slotValidatorOperator)]
	expect.Equal(t, op, addressWord(common.Address{19: 0xa2}), "operator")

	base := params.Testnet().Anzeon.SystemContracts.NativeCoinAdapter.Params
	s = must.Get(initNativeCoinAdapter(with(base, "minters", "0x1,0x1", "minterAllowed", "7,0"), nil))(t)
	v, ok := s[addressMapSlot(common.Address{19: 1}, slotAdapterAllowances)]
	expect.That(t, !ok, "allowance %v, want none", v)
}

func FuzzParameters(f *testing.F) {
	f.Add("0x1,0x2", "2", "1", "0xb1,0xb2", "0x01,0x02", "5")
	f.Add("", "", "", "", "", "")
	f.Fuzz(func(t *testing.T, members, quorum, version, validators, keys, tip string) {
		s, err := initGovValidator(parameters{
			"members": members, "quorum": quorum, "memberVersion": version,
			"validators": validators, "blsPublicKeys": keys, "gasTip": tip,
		})
		if err != nil {
			return
		}
		list := must.Get(ValidatorList(slots(s), govValidator))(t)
		for i, v := range list {
			expect.Equal(t, s[addressMapSlot(v, slotValidatorIndex)], word(uint64(i)+1),
				"validator %v is not at position %d", v, i+1)
			key, err := BLSKey(slots(s), govValidator, v)
			expect.That(t, err == nil && len(key) == gethparams.BLSPublicKeyLength, "key %x, %v", key, err)
		}
	})
}

// An unknown key of the chain configuration is logged at every level and leaves the genesis block unchanged. spec:
// chain 1.2
func TestUnknownKeys(t *testing.T) {
	testnet := params.Testnet()
	known := must.Get(json.Marshal(testnet))(t)
	for _, tt := range []struct {
		name, config string
		want         []string
	}{
		{"all of a network", string(known), nil},
		{"rule", `{"bohoBlok": 5}`, []string{"config.bohoBlok"}},
		{"other case", `{"BOHOBLOCK": 5}`, nil},
		{"section", `{"anzeon": {"feePayerChekBlock": 1, "feePayerCheckBlock": 1}}`,
			[]string{"config.anzeon.feePayerChekBlock"}},
		{"timeout", `{"anzeon": {"wbft": {"maxRequestTimeoutSecond": 9}}}`,
			[]string{"config.anzeon.wbft.maxRequestTimeoutSecond"}},
		{"contract", `{"anzeon": {"systemContracts": {"govCouncl": {}, "govMinter": {"parms": {}, "params": {"any": "1"}}}}}`,
			[]string{"config.anzeon.systemContracts.govCouncl", "config.anzeon.systemContracts.govMinter.parms"}},
		{"transition", `{"transitions": [{"block": 1, "epochLength": 9}, {"block": 2, "epochLenght": 9}]}`,
			[]string{"config.transitions[1].epochLenght"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			have := unknownKeys("config", json.RawMessage(tt.config), reflect.TypeFor[gethparams.ChainConfig]())
			expect.Slice(t, have, tt.want, "unknown")
		})
	}
}
