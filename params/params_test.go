// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/p2p/enode"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// vector is the part of testdata/network-*.json that this package implements, as go-stablenet computes it.
type vector struct {
	ChainID     uint64          `json:"chainId"`
	Preset      string          `json:"preset"`
	GenesisHash common.Hash     `json:"genesisHash"`
	StateRoot   common.Hash     `json:"stateRoot"`
	ChainConfig json.RawMessage `json:"chainConfig"`
	Header      struct {
		Difficulty hexutil.Uint64 `json:"difficulty"`
		GasLimit   hexutil.Uint64 `json:"gasLimit"`
	} `json:"header"`
	Alloc []struct {
		Name    string         `json:"name"`
		Address common.Address `json:"address"`
		Balance *hexutil.Big   `json:"balance"`
	} `json:"alloc"`
}

func readVector(t *testing.T, id uint64) *vector {
	t.Helper()
	var v vector
	vectors.Load(t, fmt.Sprintf("network-%d.json", id), &v)
	return &v
}

// jsonValue returns data as plain maps, lists and numbers.
func jsonValue(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	must.Do(t, json.Unmarshal(data, &v))
	return v
}

// configValue is the JSON value of cfg without the one key that upstream always writes.
func configValue(t *testing.T, cfg *ChainConfig) any {
	t.Helper()
	data := must.Get(json.Marshal(cfg))(t)
	v := jsonValue(t, data).(map[string]any)
	delete(v, "depositContractAddress")
	return v
}

// wantedConfig is the configuration of a recorded network, with the block from which fee payers are checked.
// go-stablenet makes this check without a key in its configuration (spec transactions 2.4).
func wantedConfig(t *testing.T, v *vector) any {
	t.Helper()
	config := jsonValue(t, v.ChainConfig).(map[string]any)
	config["anzeon"].(map[string]any)["feePayerCheckBlock"] = 0.0
	return config
}

// The presets equal those of spec chain 11, compared as JSON values.
func TestNetworks(t *testing.T) {
	must.Equal(t, len(Networks()), 2, "networks")
	for _, n := range Networks() {
		v := readVector(t, n.ID)
		expect.That(t, n.Name == v.Preset && n.ID == v.ChainID,
			"network %q %d, want %q %d", n.Name, n.ID, v.Preset, v.ChainID)
		cfg := n.Config()
		have, want := configValue(t, cfg), wantedConfig(t, v)
		expect.That(t, reflect.DeepEqual(have, want), "%s: configuration\n%v\nwant\n%v", n.Name, have, want)
		expect.Error(t, cfg.CheckConfigForkOrder(), nil, "%s", n.Name)
		expect.That(t, n.GenesisHash == v.GenesisHash && n.StateRoot == v.StateRoot,
			"%s: hash %v root %v", n.Name, n.GenesisHash, n.StateRoot)
		gasLimit := n.GasLimit
		if gasLimit == 0 {
			gasLimit = gethparams.GenesisGasLimit
		}
		expect.That(t, n.Difficulty == uint64(v.Header.Difficulty) && gasLimit == uint64(v.Header.GasLimit),
			"%s: difficulty %d, gas limit %d", n.Name, n.Difficulty, gasLimit)
		alloc := n.Alloc()
		for _, a := range v.Alloc {
			if a.Name != "account" {
				continue
			}
			if got := alloc[a.Address].Balance; got == nil || got.Cmp((*big.Int)(a.Balance)) != 0 {
				t.Errorf("%s: balance of %v is %v, want %v", n.Name, a.Address, got, a.Balance)
			}
			delete(alloc, a.Address)
		}
		expect.Equal(t, len(alloc), 0, "%s: surplus accounts %v", n.Name, alloc)
	}
}

// A change of a returned value does not affect later calls.
func TestNetworksAreCopies(t *testing.T) {
	n, _ := NetworkByID(TestnetChainID)
	cfg := n.Config()
	cfg.Anzeon.SystemContracts.GovMinter.Params["quorum"] = "9"
	cfg.Anzeon.Init.Validators[0] = common.Address{}
	cfg.BohoBlock.SetUint64(1)
	for addr := range n.Alloc() {
		n.Alloc()[addr].Balance.SetUint64(1)
	}
	n.Bootnodes[0] = ""

	again, _ := NetworkByName("testnet")
	want := wantedConfig(t, readVector(t, TestnetChainID))
	expect.That(t, reflect.DeepEqual(configValue(t, again.Config()), want), "the configuration is shared")
	for addr, a := range again.Alloc() {
		expect.That(t, !a.Balance.IsUint64(), "balance of %v is shared", addr)
	}
	expect.That(t, again.Bootnodes[0] != "", "the boot nodes are shared")
}

func TestNetworkLookup(t *testing.T) {
	n, ok := NetworkByID(MainnetChainID)
	expect.That(t, ok && n.Name == "mainnet", "8282: %v %v", n.Name, ok)
	_, ok = NetworkByID(1)
	expect.That(t, !ok, "chain 1 is known")
	_, ok = NetworkByName("sepolia")
	expect.That(t, !ok, "sepolia is known")
}

// Boot nodes listen on 8589 for both protocols (spec chain 11.1).
func TestBootnodes(t *testing.T) {
	for name, count := range map[string]int{"mainnet": 8, "testnet": 2} {
		n, _ := NetworkByName(name)
		expect.Equal(t, len(n.Bootnodes), count, "%s: boot nodes", name)
		seen := make(map[enode.ID]bool)
		for _, url := range n.Bootnodes {
			node, err := enode.ParseV4(url)
			if err != nil {
				t.Errorf("%s: %v", url, err)
				continue
			}
			if node.TCP() != 8589 || node.UDP() != 8589 { // spec: chain 11.1
				t.Errorf("%s: ports %d %d", url, node.TCP(), node.UDP())
			}
			expect.That(t, !seen[node.ID()], "%s is listed twice", url)
			seen[node.ID()] = true
		}
	}
}

// The description of a chain lists its forks and contracts, without a network name: a chain ID may belong to several
// networks.
func TestDescription(t *testing.T) {
	for _, network := range Networks() {
		text := network.Config().Description()
		for _, want := range []string{"WBFT", "Anzeon", "Boho", "Applepie", "govValidator", fmt.Sprint(network.ID)} {
			expect.That(t, strings.Contains(text, want), "%s: no %s in %q", network.Name, want, text)
		}
		for _, foreign := range []string{network.Name, "Merge", "ethereum.github.io"} {
			expect.That(t, !strings.Contains(text, foreign), "%s: %s in %q", network.Name, foreign, text)
		}
	}
}

func devnetValidator(n byte) DevnetValidator {
	key := make([]byte, gethparams.BLSPublicKeyLength)
	key[0] = n
	return DevnetValidator{Address: common.Address{19: n}, BLSPublicKey: key}
}

func TestDevnetConfig(t *testing.T) {
	tip := uint64(0)
	cfg := must.Get(DevnetConfig(DevnetOptions{
		ChainID:            99,
		BlockPeriodSeconds: 3,
		EpochLength:        7,
		GasTip:             &tip,
		Validators:         []DevnetValidator{devnetValidator(3), devnetValidator(1), devnetValidator(2)},
	}))(t)
	// All forks up to Boho are active from block 0; later upstream forks are not (spec chain 1.1).
	rules := cfg.Rules(new(big.Int), false, 0)
	expect.That(t, rules.IsLondon && rules.IsAnzeon && rules.IsApplepie && rules.IsBoho && !rules.IsShanghai,
		"rules %+v", rules)
	w := cfg.WBFTAt(0)
	expect.That(t, w.BlockPeriodSeconds == 3 && w.EpochLength == 7 && w.RequestTimeoutSeconds == 2 &&
		*w.MaxRequestTimeoutSeconds == 10, "consensus parameters %+v", w)
	a, genesis := cfg.Anzeon, new(big.Int)
	expect.That(t, a.ChecksFeePayers(genesis), "the fee payer's signature is not checked from genesis on")
	expect.That(t, !a.ChecksStaticCalls(genesis) && !a.KeepsFlags(genesis),
		"contracts run by other rules than on the public networks")
	p := cfg.Anzeon.SystemContracts.GovValidator.Params
	expect.That(t, p["quorum"] == "2" && p["gasTip"] == "0" && p["members"] == p["validators"], "parameters %v", p)
	var listed []common.Address
	for _, item := range strings.Split(p["validators"], ",") {
		listed = append(listed, common.HexToAddress(item))
	}
	expect.That(t, reflect.DeepEqual(listed, cfg.Anzeon.Init.Validators) && listed[0] == (common.Address{19: 3}),
		"validators %v, init %v", listed, cfg.Anzeon.Init.Validators)
}

func TestDevConfig(t *testing.T) {
	v := devnetValidator(1)
	cfg := must.Get(DevConfig(DevChainID, v, 0, V1))(t)
	expect.That(t, cfg.ChainID.Uint64() == DevChainID && cfg.Anzeon.WBFT.BlockPeriodSeconds == 1,
		"chain id %v, period %d", cfg.ChainID, cfg.Anzeon.WBFT.BlockPeriodSeconds)
	expect.Equal(t, cfg.Anzeon.SystemContracts.GovCouncil.Params["quorum"], "1", "quorum of one member")
}

func TestDevnetConfigRefuses(t *testing.T) {
	short, zero, twin := devnetValidator(1), devnetValidator(0), devnetValidator(2)
	short.BLSPublicKey = short.BLSPublicKey[1:]
	twin.Operator = common.Address{19: 1}
	many := make([]DevnetValidator, MaxGovernanceMembers+1)
	for name, o := range map[string]DevnetOptions{
		"at least one":     {},
		"at most 255":      {Validators: many},
		"47 bytes":         {Validators: []DevnetValidator{short}},
		"zero address":     {Validators: []DevnetValidator{zero}},
		"appears twice":    {Validators: []DevnetValidator{devnetValidator(1), devnetValidator(1)}},
		"operator":         {Validators: []DevnetValidator{devnetValidator(1), twin}},
		"epochLength must": {Validators: []DevnetValidator{devnetValidator(1)}, EpochLength: 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DevnetConfig(o)
			expect.That(t, err != nil && strings.Contains(err.Error(), name), "want an error with %q, have %v", name, err)
		})
	}
}
