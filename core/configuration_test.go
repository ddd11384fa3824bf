// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

func canonical(t *testing.T, change func(*gethparams.ChainConfig)) Configuration {
	t.Helper()
	config := params.Testnet()
	change(config)
	return must.Get(Canonical(config))(t)
}

func transition(block int64, change gethparams.WBFTConfig) gethparams.Transition {
	return gethparams.Transition{Block: big.NewInt(block), WBFTConfig: &change}
}

// Configurations with the same rules have one form, also after they were stored (spec chain 1.2 to 1.4).
func TestSameRulesHaveOneForm(t *testing.T) {
	set := func(c *gethparams.ChainConfig) {
		c.Transitions = []gethparams.Transition{
			transition(50, gethparams.WBFTConfig{EpochLength: 20}),
			transition(100, gethparams.WBFTConfig{EpochLength: 40, BlockPeriodSeconds: 2}),
		}
	}
	want := canonical(t, set)
	for name, change := range map[string]func(*gethparams.ChainConfig){
		"transitions in another order": func(c *gethparams.ChainConfig) {
			c.Transitions = []gethparams.Transition{
				transition(100, gethparams.WBFTConfig{EpochLength: 30, BlockPeriodSeconds: 2}),
				transition(100, gethparams.WBFTConfig{EpochLength: 40}),
				transition(50, gethparams.WBFTConfig{EpochLength: 20}), {Block: big.NewInt(70)},
			}
		},
		"no cap": func(c *gethparams.ChainConfig) {
			set(c)
			c.Anzeon.WBFT.MaxRequestTimeoutSeconds = new(uint64)
		},
		"parameters in another form": func(c *gethparams.ChainConfig) {
			set(c)
			contract := c.Anzeon.SystemContracts.GovValidator
			contract.Params["quorum"] = "0" + contract.Params["quorum"]
			contract.Params["members"] = strings.ReplaceAll(strings.ToUpper(contract.Params["members"]), "0X", "0x")
		},
		"time of future blocks in a transition": func(c *gethparams.ChainConfig) {
			set(c)
			c.Transitions = append(c.Transitions, transition(50, gethparams.WBFTConfig{AllowedFutureBlockTime: 3}))
		},
		"forks without an effect": func(c *gethparams.ChainConfig) {
			set(c)
			c.DAOForkBlock, c.MuirGlacierBlock, c.ArrowGlacierBlock, c.GrayGlacierBlock = new(big.Int), nil, new(big.Int),
				new(big.Int)
			c.DAOForkSupport = true
		},
		"sections that no rule reads": func(c *gethparams.ChainConfig) {
			set(c)
			c.Clique, c.Ethash = &gethparams.CliqueConfig{Period: 5}, new(gethparams.EthashConfig)
			c.BlobScheduleConfig = gethparams.DefaultBlobSchedule
			c.DepositContractAddress = common.Address{1}
			c.Boho = &gethparams.AnzeonConfig{
				WBFT: c.Anzeon.WBFT, Init: c.Anzeon.Init, KeepFlagsBlock: new(uint64), SystemContracts: c.Boho.SystemContracts,
			}
		},
		"stored": func(c *gethparams.ChainConfig) {
			set(c)
			text := must.Get(json.Marshal(c))(t)
			*c = gethparams.ChainConfig{}
			must.Do(t, json.Unmarshal(text, c))
		},
	} {
		t.Run(name, func(t *testing.T) {
			have := canonical(t, change)
			differences := want.Differences(have)
			expect.That(t, len(differences) == 0 && have.Hash() == want.Hash(), "differences: %v", differences)
		})
	}
}

// What decides over blocks changes the fingerprint, and only forks, transitions and Boho's contracts may change, above
// the head (spec chain 1.5).
func TestRulesDiffer(t *testing.T) {
	const head = 1000
	later := func(block int64) *big.Int { return big.NewInt(block) }
	for _, row := range []struct {
		name   string
		here   func(*gethparams.ChainConfig) // nil for none
		there  func(*gethparams.ChainConfig)
		path   string
		may    bool // be changed at the head
		before bool // it may be at block 0
	}{
		{"chain ID", nil, func(c *gethparams.ChainConfig) { c.ChainID = later(7) }, "chainId", false, false},
		{"period", nil, func(c *gethparams.ChainConfig) { c.Anzeon.WBFT.BlockPeriodSeconds = 5 },
			"anzeon.wbft.blockPeriodSeconds", false, false},
		{"epoch", nil, func(c *gethparams.ChainConfig) { c.Anzeon.WBFT.EpochLength = 20 }, "anzeon.wbft.epochLength",
			false, false},
		{"policy", nil, func(c *gethparams.ChainConfig) { c.Anzeon.WBFT.ProposerPolicy = new(uint64(1)) },
			"anzeon.wbft.proposerPolicy", false, false},
		{"timeout", nil, func(c *gethparams.ChainConfig) { c.Anzeon.WBFT.RequestTimeoutSeconds = 9 },
			"anzeon.wbft.requestTimeoutSeconds", false, false},
		{"validators", nil, func(c *gethparams.ChainConfig) { c.Anzeon.Init.Validators[0] = common.Address{1} },
			"anzeon.init.validators", false, false},
		{"parameter with the name of a fork", func(c *gethparams.ChainConfig) { c.BohoBlock = later(5) },
			func(c *gethparams.ChainConfig) {
				c.BohoBlock = later(5)
				c.Boho.SystemContracts.GovMinter.Params = map[string]string{"xBlock": "5000"}
			}, "boho.systemContracts.govMinter.params.xBlock", false, true},
		{"fork above the head", nil, func(c *gethparams.ChainConfig) { c.BohoBlock = later(2000) }, "bohoBlock", true, true},
		{"fork in the fork ID alone", nil, func(c *gethparams.ChainConfig) { c.ArrowGlacierBlock = later(5) },
			"arrowGlacierBlock", false, true},
		{"fork at the head", nil, func(c *gethparams.ChainConfig) { c.BohoBlock = later(head) }, "bohoBlock", false, true},
		{"fork of gwon above the head", nil, func(c *gethparams.ChainConfig) { c.Anzeon.KeepFlagsBlock = new(uint64(1001)) },
			"anzeon.keepFlagsBlock", true, true},
		{"fork of gwon dropped", func(c *gethparams.ChainConfig) { c.Anzeon.KeepFlagsBlock = new(uint64(5)) }, nil,
			"anzeon.keepFlagsBlock", false, true},
		{"contracts of a fork above the head", nil, func(c *gethparams.ChainConfig) { c.Boho = nil }, "boho.", true, true},
		{"contracts of a fork below the head", func(c *gethparams.ChainConfig) { c.BohoBlock = later(5) },
			func(c *gethparams.ChainConfig) { c.BohoBlock, c.Boho = later(5), nil }, "boho.", false, true},
		{"transition above the head", nil, func(c *gethparams.ChainConfig) {
			c.Transitions = []gethparams.Transition{transition(1001, gethparams.WBFTConfig{EpochLength: 20})}
		}, "transitions[1001].epochLength", true, true},
		{"transition at the head", nil, func(c *gethparams.ChainConfig) {
			c.Transitions = []gethparams.Transition{transition(1000, gethparams.WBFTConfig{ProposerPolicy: new(uint64)})}
		}, "transitions[1000].proposerPolicy", false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			same := func(*gethparams.ChainConfig) {}
			if row.here == nil {
				row.here = same
			}
			if row.there == nil {
				row.there = same
			}
			here, there := canonical(t, row.here), canonical(t, row.there)
			text := DescribeDifferences(here.Differences(there), "here", "there")
			expect.That(t, here.Hash() != there.Hash() && strings.HasPrefix(text, row.path),
				"difference %q, want that of %s", text, row.path)
			settled := here.Settled(there, head)
			expect.That(t, (len(settled) == 0) == row.may, "at block %d: settled %v", head, settled)
			settled = here.Settled(there, 0)
			expect.That(t, (len(settled) == 0) == row.before, "at block 0: settled %v", settled)
		})
	}
}

// A text names values, or hashes of long ones and of those that no terminal may show, and a few differences at most.
func TestDifferencesAreShort(t *testing.T) {
	long := strings.Repeat("x", MaxSetting+1)
	c := canonical(t, func(c *gethparams.ChainConfig) {
		c.Boho.SystemContracts.GovMinter.Params = map[string]string{"a": long, "b": "\x1b[2J", long: "c"}
	})
	for path, value := range c {
		expect.That(t, IsSetting(path) && IsSetting(value), "%s is %s", path, value)
	}
	text := DescribeDifferences(c.Differences(Configuration{}), "here", "there")
	expect.That(t, len(text) <= 8*MaxSetting && strings.Contains(text, " and absent there, ") &&
		strings.HasSuffix(text, " more"), "%d bytes: %s", len(text), text)
	expect.Equal(t, DescribeDifferences(nil, "here", "there"), "", "no difference")
}
