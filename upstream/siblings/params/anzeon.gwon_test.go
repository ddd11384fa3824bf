// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readVectors(t *testing.T, name string, v any) {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
	must.Do(t, json.Unmarshal(data, v))
}

// network returns the recorded configuration of network 0 (8282) or 1 (8283).
func network(t *testing.T, i int) *ChainConfig {
	t.Helper()
	var v struct{ Networks []*ChainConfig }
	readVectors(t, "networks.json", &v)
	return v.Networks[i]
}

// withEarlyBoho returns the configuration of chain 8283 with Boho at block 100, where the rows of these tests have it.
func withEarlyBoho(t *testing.T) *ChainConfig {
	t.Helper()
	c := network(t, 1)
	c.BohoBlock = big.NewInt(100)
	return c
}

// Spec chain 1.1, 1.2: a configuration of the reference is read whole and means the same after a round trip.
func TestAnzeonConfigJSON(t *testing.T) {
	for i, want := range []struct {
		chainID           int64
		epoch, bohoBlock  uint64
		validators        int
		minterVersionAt0  string
		minterVersionAt99 string
	}{
		{8282, 10, 0, 1, "v2", "v2"},
		{8283, 140, 14_408_500, 7, "v1", "v1"},
	} {
		c := network(t, i)
		if c.ChainID.Int64() != want.chainID || !c.IsAnzeon() || c.Anzeon.WBFT.EpochLength != want.epoch ||
			c.Anzeon.WBFT.BlockPeriodSeconds != 1 || c.Anzeon.WBFT.RequestTimeoutSeconds != 2 ||
			c.Anzeon.WBFT.ProposerPolicy == nil || *c.Anzeon.WBFT.ProposerPolicy != 0 ||
			len(c.Anzeon.Init.Validators) != want.validators || len(c.Anzeon.Init.BLSPublicKeys) != want.validators ||
			c.BohoBlock.Uint64() != want.bohoBlock || c.ApplepieBlock.Sign() != 0 ||
			c.Anzeon.FeePayerCheckBlock != nil || c.Anzeon.StaticCallCheckBlock != nil || c.Anzeon.KeepFlagsBlock != nil ||
			c.Anzeon.MaxBlockSizeBlock != nil {
			t.Errorf("chain %v: %+v", c.ChainID, c.Anzeon)
		}
		assert.NoErrorf(t, c.CheckConfigForkOrder(), "chain %v", c.ChainID)
		got := c.SystemContractsAt(0).GovMinter.Version
		assert.Truef(t, got == want.minterVersionAt0, "chain %v: GovMinter %s at 0", c.ChainID, got)
		got = c.SystemContractsAt(99).GovMinter.Version
		assert.Truef(t, got == want.minterVersionAt99, "chain %v: GovMinter %s at 99", c.ChainID, got)
		at := c.SystemContractsAt(want.bohoBlock)
		if at.GovMinter.Version != "v2" || at.GovCouncil == nil || at.GovValidator == nil || at.NativeCoinAdapter == nil ||
			at.GovMasterMinter == nil {
			t.Errorf("chain %v: contracts at Boho %+v", c.ChainID, at)
		}
		assert.Truef(t, at.NativeCoinAdapter.Params["name"] == "WKRC",
			"chain %v: adapter params %v", c.ChainID, at.NativeCoinAdapter.Params)
		out := must.Get(json.Marshal(c))(t)
		back := new(ChainConfig)
		must.Do(t, json.Unmarshal(out, back))
		assert.Truef(t, reflect.DeepEqual(back, c), "chain %v: round trip gives %s", c.ChainID, out)
		assert.Truef(t, strings.Contains(c.Description(), "WBFT"), "chain %v: description %q", c.ChainID, c.Description())
	}
	// Inert: no key of another chain's configuration appears.
	out := must.Get(json.Marshal(MainnetChainConfig))(t)
	for _, key := range []string{"anzeon", "boho", "applepie", "transitions"} {
		assert.Falsef(t, bytes.Contains(out, []byte(key)), "key %s in %s", key, out)
	}
	if MainnetChainConfig.IsAnzeon() || MainnetChainConfig.SystemContractUpgrades() != nil ||
		MainnetChainConfig.SystemContractsAt(5) != (SystemContracts{}) {
		t.Error("another chain has Anzeon's contracts")
	}
}

// The description lists each rule block that the configuration has. ruleBlocks leaves out no field of that kind.
func TestRuleBlocks(t *testing.T) {
	config := new(AnzeonConfig)
	fields := reflect.ValueOf(config).Elem()
	var names []string
	for i := range fields.NumField() {
		if fields.Field(i).Type() == reflect.TypeFor[*uint64]() {
			block := uint64(100 + i)
			fields.Field(i).Set(reflect.ValueOf(&block))
			name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, fmt.Sprintf("%s #%d", name, block))
		}
	}
	var listed, described []string
	for _, rule := range config.ruleBlocks() {
		listed = append(listed, fmt.Sprintf("%s #%d", rule.name, *rule.block))
	}
	assert.Truef(t, slices.Equal(listed, names), "%q, want %q", listed, names)
	c := &ChainConfig{ChainID: big.NewInt(5), LondonBlock: new(big.Int), Anzeon: config}
	for line := range strings.Lines(c.Description()) {
		if fields := strings.Fields(line); len(fields) == 3 && strings.HasSuffix(fields[1], "Block") {
			described = append(described, fields[1]+" "+fields[2])
		}
	}
	assert.Truef(t, slices.Equal(described, names), "described %q, want %q", described, names)
}

// A contract is listed once for each block from which on it is in force. One that is replaced at the same block is not
// listed (spec wbft 8.2).
func TestDescriptionOfUpgrades(t *testing.T) {
	contract := func(version string) *SystemContract { return &SystemContract{Version: version} }
	for boho, want := range map[int64][]string{0: {"g2 from #0"}, 7: {"g1 from #0", "g2 from #7"}} {
		c := &ChainConfig{
			ChainID: big.NewInt(5), LondonBlock: new(big.Int), BohoBlock: big.NewInt(boho),
			Anzeon: &AnzeonConfig{SystemContracts: &SystemContracts{GovValidator: contract("g1"), GovMinter: contract("g1")}},
			Boho:   &AnzeonConfig{SystemContracts: &SystemContracts{GovMinter: contract("g2")}},
		}
		var minter []string
		for line := range strings.Lines(c.Description()) {
			if strings.Contains(line, "govMinter") {
				minter = append(minter, strings.TrimSpace(line[strings.LastIndex(line, " g"):]))
			}
		}
		assert.Truef(t, slices.Equal(minter, want), "Boho at %d: %q, want %q", boho, minter, want)
		assert.Truef(t, strings.Contains(c.Description(), "govValidator"), "Boho at %d: no govValidator", boho)
	}
}

// Spec chain 1.4: the keys of a transition are inlined.
func TestTransitionJSON(t *testing.T) {
	const in = `[{"block":25,"epochLength":7,"proposerPolicy":1},{"block":30}]`
	var ts []Transition
	must.Do(t, json.Unmarshal([]byte(in), &ts))
	if ts[0].Block.Int64() != 25 || ts[0].EpochLength != 7 || *ts[0].ProposerPolicy != 1 || ts[0].BlockPeriodSeconds != 0 {
		t.Errorf("transition %+v", ts[0].WBFTConfig)
	}
	assert.Truef(t, ts[1].Block.Int64() == 30 && ts[1].WBFTConfig == nil, "transition %+v", ts[1])
}

// Spec chain 1.3 and 1.5, and what has no meaning on an Anzeon chain: each refusal with its own text.
func TestAnzeonConfigRefuses(t *testing.T) {
	at := uint64(5)
	for _, c := range []struct {
		text string
		edit func(c *ChainConfig)
	}{
		{`"chainId" must be above 0`, func(c *ChainConfig) { c.ChainID = nil }},
		{`"chainId" must be above 0`, func(c *ChainConfig) { c.ChainID = new(big.Int) }},
		{`"londonBlock" must be 0`, func(c *ChainConfig) {
			c.LondonBlock, c.ApplepieBlock, c.BohoBlock = big.NewInt(1), nil, nil
		}},
		{`"londonBlock" must be 0`, func(c *ChainConfig) { c.LondonBlock, c.ApplepieBlock, c.BohoBlock = nil, nil, nil }},
		{`no section "init"`, func(c *ChainConfig) { c.Anzeon.Init = nil }},
		{`anzeon.init.validators is missing or empty`, func(c *ChainConfig) { c.Anzeon.Init.Validators = nil }},
		{`anzeon.init.blsPublicKeys is missing or empty`, func(c *ChainConfig) { c.Anzeon.Init.BLSPublicKeys = nil }},
		{`names 6 validators but 7 blsPublicKeys`, func(c *ChainConfig) {
			c.Anzeon.Init.Validators = c.Anzeon.Init.Validators[1:]
		}},
		{`blsPublicKeys[2] has 47 bytes, want 48`, func(c *ChainConfig) {
			c.Anzeon.Init.BLSPublicKeys[2] = make([]byte, 47)
		}},
		{`twice`, func(c *ChainConfig) { c.Anzeon.Init.Validators[3] = c.Anzeon.Init.Validators[0] }},
		{`no section "systemContracts"`, func(c *ChainConfig) { c.Anzeon.SystemContracts = nil }},
		{`has no "govValidator"`, func(c *ChainConfig) { c.Anzeon.SystemContracts.GovValidator = nil }},
		{`has no "nativeCoinAdapter"`, func(c *ChainConfig) { c.Anzeon.SystemContracts.NativeCoinAdapter = nil }},
		{`has no "govMinter"`, func(c *ChainConfig) { c.Anzeon.SystemContracts.GovMinter = nil }},
		{`has no "govMasterMinter"`, func(c *ChainConfig) { c.Anzeon.SystemContracts.GovMasterMinter = nil }},
		{`has no "govCouncil"`, func(c *ChainConfig) { c.Anzeon.SystemContracts.GovCouncil = nil }},
		{`govCouncil: version "v2" is not known`, func(c *ChainConfig) {
			c.Anzeon.SystemContracts.GovCouncil.Version = "v2"
		}},
		{`govMinter: version "v3" is not known`, func(c *ChainConfig) { c.Anzeon.SystemContracts.GovMinter.Version = "v3" }},
		{`govMinter: version "" is not known`, func(c *ChainConfig) { c.Anzeon.SystemContracts.GovMinter.Version = "" }},
		{`boho.systemContracts: govMinter: version "v9" is not known`, func(c *ChainConfig) {
			c.Boho.SystemContracts.GovMinter.Version = "v9"
		}},
		{`no section "wbft"`, func(c *ChainConfig) { c.Anzeon.WBFT = nil }},
		{`requestTimeoutSeconds must be above 0`, func(c *ChainConfig) { c.Anzeon.WBFT.RequestTimeoutSeconds = 0 }},
		{`blockPeriodSeconds must be above 0`, func(c *ChainConfig) { c.Anzeon.WBFT.BlockPeriodSeconds = 0 }},
		{`epochLength must be at least 2`, func(c *ChainConfig) { c.Anzeon.WBFT.EpochLength = 1 }},
		{`epochLength must be at least 2`, func(c *ChainConfig) { c.Anzeon.WBFT.EpochLength = 0 }},
		{`proposerPolicy is missing`, func(c *ChainConfig) { c.Anzeon.WBFT.ProposerPolicy = nil }},
		{`transitions[0] has no "block"`, func(c *ChainConfig) { c.Transitions = []Transition{{}} }},
		{`transitions[0]: block -1 is not a block number`, func(c *ChainConfig) {
			c.Transitions = []Transition{{Block: big.NewInt(-1)}}
		}},
		{`transitions[0]: block 18446744073709551616 is not`, func(c *ChainConfig) {
			c.Transitions = []Transition{{Block: new(big.Int).Lsh(big.NewInt(1), 64)}}
		}},
		{`transitions[1]: epochLength must be at least 2`, func(c *ChainConfig) {
			c.Transitions = []Transition{{Block: big.NewInt(3)}, {big.NewInt(4), &WBFTConfig{EpochLength: 1}}}
		}},
		{`"shanghaiTime" has no meaning`, func(c *ChainConfig) { c.ShanghaiTime = &at }},
		{`"mergeNetsplitBlock" has no meaning`, func(c *ChainConfig) { c.MergeNetsplitBlock = big.NewInt(200) }},
		{`"terminalTotalDifficulty" has no meaning`, func(c *ChainConfig) { c.TerminalTotalDifficulty = new(big.Int) }},
		{`"enableUBTAtGenesis" has no meaning`, func(c *ChainConfig) { c.EnableUBTAtGenesis = true }},
		{`unsupported fork ordering`, func(c *ChainConfig) { c.ApplepieBlock = big.NewInt(101) }},
	} {
		config := withEarlyBoho(t)
		c.edit(config)
		err := config.CheckConfigForkOrder()
		assert.Truef(t, err != nil && strings.Contains(err.Error(), c.text), "error %v does not say %q", err, c.text)
	}
}

// Every timestamp fork of upstream is refused, also one that a later version of upstream adds.
func TestAnzeonRefusesTimestampForks(t *testing.T) {
	at := uint64(5)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[ChainConfig]()) {
		if f.Type != reflect.TypeFor[*uint64]() {
			continue
		}
		config := network(t, 0)
		reflect.ValueOf(config).Elem().FieldByIndex(f.Index).Set(reflect.ValueOf(&at))
		assert.Errorf(t, config.checkAnzeon(), "%s is accepted on an Anzeon chain", f.Name)
	}
}

// Spec chain 2: which rules hold in a block. No caller's idea of a merge may bring upstream's later forks in.
func TestAnzeonRules(t *testing.T) {
	c := withEarlyBoho(t)
	for _, merged := range []bool{false, true} {
		for num, boho := range map[int64]bool{0: false, 99: false, 100: true, 1 << 40: true} {
			r := c.Rules(big.NewInt(num), merged, 1<<40)
			if !r.IsAnzeon || !r.IsApplepie || r.IsBoho != boho || !r.IsLondon || r.IsMerge || r.IsShanghai ||
				r.IsCancun || r.IsPrague || r.IsOsaka || r.IsAmsterdam || r.IsUBT || r.IsEIP4762 {
				t.Errorf("block %d: %+v", num, r)
			}
		}
	}
	late := withEarlyBoho(t)
	late.ApplepieBlock = big.NewInt(10)
	assert.True(t, !late.Rules(big.NewInt(9), false, 0).IsApplepie && late.Rules(big.NewInt(10), false, 0).IsApplepie,
		"Applepie does not begin at its block")
	late.Anzeon = nil
	r := late.Rules(big.NewInt(100), true, 0)
	assert.Truef(t, !r.IsBoho && !r.IsAnzeon && r.IsMerge, "without anzeon section: %+v", r)
}

// Spec chain 1.5: what may change under an existing chain.
func TestAnzeonCompatibility(t *testing.T) {
	blocks := []uint64{1001, 1000, 7}
	for _, c := range []struct {
		name   string
		head   uint64
		edit   func(c *ChainConfig)
		text   string // empty: compatible
		rewind uint64
	}{
		{"the same", 1000, func(*ChainConfig) {}, "", 0},
		{"Boho moved before it came", 99, func(c *ChainConfig) { c.BohoBlock = big.NewInt(120) }, "", 0},
		{"Boho moved after it came", 100, func(c *ChainConfig) { c.BohoBlock = big.NewInt(120) }, "Boho", 99},
		{"Boho moved into the past", 60, func(c *ChainConfig) { c.BohoBlock = big.NewInt(50) }, "Boho", 49},
		{"Boho removed", 100, func(c *ChainConfig) { c.BohoBlock = nil }, "Boho", 99},
		{"Applepie moved", 7, func(c *ChainConfig) { c.ApplepieBlock = big.NewInt(5) }, "Applepie", 0},
		{"fee payers checked from now on", 1000, func(c *ChainConfig) { c.Anzeon.FeePayerCheckBlock = &blocks[0] }, "", 0},
		{"fee payers checked from a past block on", 1000, func(c *ChainConfig) {
			c.Anzeon.FeePayerCheckBlock = &blocks[1]
		}, "feePayerCheckBlock", 999},
		{"static calls checked from a past block on", 1000, func(c *ChainConfig) {
			c.Anzeon.StaticCallCheckBlock = &blocks[2]
		}, "staticCallCheckBlock", 6},
		{"flags kept from a past block on", 1000, func(c *ChainConfig) {
			c.Anzeon.KeepFlagsBlock = &blocks[2]
		}, "keepFlagsBlock", 6},
		{"block size bounded from a past block on", 1000, func(c *ChainConfig) {
			c.Anzeon.MaxBlockSizeBlock = &blocks[2]
		}, "maxBlockSizeBlock", 6},
		{"Anzeon removed", 1000, func(c *ChainConfig) { c.Anzeon = nil }, "Anzeon", 0},
	} {
		stored, changed := withEarlyBoho(t), withEarlyBoho(t)
		c.edit(changed)
		err := stored.CheckCompatible(changed, c.head, 0)
		switch {
		case c.text == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.text != "" && (err == nil || !strings.Contains(err.What, c.text) || err.RewindToBlock != c.rewind):
			t.Errorf("%s: %v", c.name, err)
		}
	}
	stored, changed := withEarlyBoho(t), withEarlyBoho(t)
	stored.Anzeon = nil
	err := stored.CheckCompatible(changed, 1000, 0)
	assert.Truef(t, err != nil && strings.Contains(err.Error(), "Anzeon") && err.RewindToBlock == 0,
		"Anzeon added: %v", err)
}

// Spec wbft 3.4.
func TestLastEpochBlock(t *testing.T) {
	var v struct {
		Cases []struct {
			BaseEpochLength      uint64
			Number               uint64
			EpochBlockAtOrBefore uint64
			IsEpochBlock         bool
			Transitions          []Transition
		}
	}
	readVectors(t, "epoch_numbers.json", &v)
	require.True(t, len(v.Cases) != 0, "no vectors")
	for _, c := range v.Cases {
		config := &ChainConfig{
			Anzeon:      &AnzeonConfig{WBFT: &WBFTConfig{EpochLength: c.BaseEpochLength}},
			Transitions: c.Transitions,
		}
		got := config.LastEpochBlock(c.Number)
		if got != c.EpochBlockAtOrBefore || (got == c.Number) != c.IsEpochBlock {
			t.Errorf("block %d, length %d, %d transitions: epoch block %d, want %d",
				c.Number, c.BaseEpochLength, len(c.Transitions), got, c.EpochBlockAtOrBefore)
		}
	}
}

// Spec wbft 8.2: transitions apply in the order of their blocks; zero and null leave a value as it is.
func TestWBFTAt(t *testing.T) {
	policy, limit := uint64(1), uint64(30)
	c := network(t, 0)
	c.Anzeon.WBFT.AllowedFutureBlockTime = 4
	c.Transitions = []Transition{
		{big.NewInt(30), &WBFTConfig{EpochLength: 5, RequestTimeoutSeconds: 9}},
		{big.NewInt(20), &WBFTConfig{EpochLength: 7, ProposerPolicy: &policy, MaxRequestTimeoutSeconds: &limit,
			AllowedFutureBlockTime: 8}},
		{big.NewInt(25), nil},
		{big.NewInt(30), &WBFTConfig{BlockPeriodSeconds: 3, EpochLength: 6}},
		{big.NewInt(40), &WBFTConfig{ProposerPolicy: new(uint64)}}, // a named policy of zero is a value
	}
	for i := range uint64(40) { // the last of those of one block acts, however many they are
		c.Transitions = append(c.Transitions, Transition{big.NewInt(50 + 10*int64(i%2)), &WBFTConfig{EpochLength: 100 + i}})
	}
	before := c.Transitions[0].Block.Int64()
	for _, w := range []struct {
		num, epoch, timeout, period, policy uint64
		limited                             bool
	}{
		{0, 10, 2, 1, 0, false},
		{19, 10, 2, 1, 0, false},
		{20, 7, 2, 1, 1, true},
		{29, 7, 2, 1, 1, true},
		{30, 6, 9, 3, 1, true},
		{39, 6, 9, 3, 1, true},
		{40, 6, 9, 3, 0, true},
		{50, 138, 9, 3, 0, true},
		{1 << 40, 139, 9, 3, 0, true},
	} {
		got := c.WBFTAt(w.num)
		if got.EpochLength != w.epoch || got.RequestTimeoutSeconds != w.timeout || got.BlockPeriodSeconds != w.period ||
			*got.ProposerPolicy != w.policy || (got.MaxRequestTimeoutSeconds != nil) != w.limited ||
			got.AllowedFutureBlockTime != 4 {
			t.Errorf("block %d: %+v", w.num, got)
		}
	}
	assert.True(t, c.Transitions[0].Block.Int64() == before && c.Anzeon.WBFT.EpochLength == 10,
		"the configuration was changed by asking it")
}

// Spec chain 10, wbft 8.2: contracts that an upgrade does not name stay.
func TestSystemContractUpgrades(t *testing.T) {
	c := withEarlyBoho(t)
	list := c.SystemContractUpgrades()
	if len(list) != 2 || list[0].Block != 0 || list[1].Block != 100 || list[1].Contracts.GovMinter.Version != "v2" {
		t.Errorf("upgrades %+v", list)
	}
	c.Boho.SystemContracts.GovCouncil = &SystemContract{Address: common.Address{1}, Version: "v1"}
	before, after := c.SystemContractsAt(99), c.SystemContractsAt(100)
	assert.True(t, before.GovCouncil.Address != (common.Address{1}) && after.GovCouncil.Address == (common.Address{1}),
		"the address does not change with the upgrade")
	c.BohoBlock = nil
	assert.True(t, len(c.SystemContractUpgrades()) == 1, "an upgrade without a block is in force")
}

// A rule that a chain may choose holds from its block on, and never when the configuration does not name it.
func TestOptionalRules(t *testing.T) {
	var config AnzeonConfig
	text := `{"staticCallCheckBlock":5,"keepFlagsBlock":0,"maxBlockSizeBlock":9}`
	must.Do(t, json.Unmarshal([]byte(text), &config))
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	for _, c := range []struct {
		name string
		is   func(*big.Int) bool
		num  *big.Int
		want bool
	}{
		{"before its block", config.ChecksStaticCalls, big.NewInt(4), false},
		{"in its block", config.ChecksStaticCalls, big.NewInt(5), true},
		{"after its block", config.ChecksStaticCalls, huge, true},
		{"without a block number", config.ChecksStaticCalls, nil, false},
		{"from genesis on", config.KeepsFlags, new(big.Int), true},
		{"before the bound on size", config.LimitsBlockSize, big.NewInt(8), false},
		{"with the bound on size", config.LimitsBlockSize, big.NewInt(9), true},
		{"not named", config.ChecksFeePayers, huge, false},
	} {
		assert.Equalf(t, c.want, c.is(c.num), "%s", c.name)
	}
}
