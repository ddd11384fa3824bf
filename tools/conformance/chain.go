// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/forkid"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/core"
	"gwon/params"
)

func configAt(in reader) (any, error) {
	config, err := consensusConfig(in.object("config"))
	if err != nil {
		return nil, err
	}
	at := config.WBFTAt(in.integer("number").Uint64())
	var limit uint64
	if at.MaxRequestTimeoutSeconds != nil {
		limit = *at.MaxRequestTimeoutSeconds
	}
	return record{
		"request_timeout":             decimal(at.RequestTimeoutSeconds * 1000),
		"block_period":                decimal(at.BlockPeriodSeconds),
		"epoch":                       decimal(at.EpochLength),
		"proposer_policy":             orNull(at.ProposerPolicy, func(p *uint64) any { return decimal(*p) }),
		"max_request_timeout_seconds": decimal(limit),
		"allowed_future_block_time":   decimal(at.AllowedFutureBlockTime),
	}, nil
}

func forkSchedule(in reader) (any, error) {
	config, network, err := presetConfig(in.object("config"))
	if err != nil {
		return nil, err
	}
	var (
		number = in.number("number")
		n      = new(big.Int).SetUint64(number)
		time   = in.number("time")
		rules  = config.Rules(n, false, time)
	)
	genesis, err := genesisOf(network, config)
	if err != nil {
		return nil, err
	}
	id := forkid.NewID(config, types.NewBlockWithHeader(genesis.Header), number, time)
	at := config.SystemContractsAt(number)
	upgrades := []any{}
	for _, u := range config.SystemContractUpgrades() {
		if u.Block == number {
			upgrades = append(upgrades, writeContracts(*u.Contracts)...)
		}
	}
	return record{
		"forks": record{
			"homestead": config.IsHomestead(n), "dao_fork": config.IsDAOFork(n), "eip150": config.IsEIP150(n),
			"eip155": config.IsEIP155(n), "eip158": config.IsEIP158(n), "byzantium": config.IsByzantium(n),
			"constantinople": config.IsConstantinople(n), "petersburg": config.IsPetersburg(n), "istanbul": config.IsIstanbul(n),
			"muir_glacier": config.IsMuirGlacier(n), "berlin": config.IsBerlin(n), "london": config.IsLondon(n),
			"arrow_glacier": config.IsArrowGlacier(n), "gray_glacier": config.IsGrayGlacier(n),
			"applepie": config.IsApplepie(n), "boho": config.IsBoho(n), "shanghai": config.IsShanghai(n, time),
			"cancun": config.IsCancun(n, time), "prague": config.IsPrague(n, time), "verkle": config.IsUBT(n, time),
			"anzeon": config.IsAnzeon(),
		},
		"rules": record{
			"is_anzeon": rules.IsAnzeon, "is_applepie": rules.IsApplepie, "is_boho": rules.IsBoho, "is_merge": rules.IsMerge,
			"is_shanghai": rules.IsShanghai, "is_cancun": rules.IsCancun, "is_prague": rules.IsPrague, "is_verkle": rules.IsUBT,
		},
		"system_contracts": writeContracts(at),
		"upgrades_at":      upgrades,
		"fork_id":          record{"hash": toHex(id.Hash[:]), "next": decimal(id.Next)},
	}, nil
}

func writeContracts(c params.SystemContracts) []any {
	list := []any{}
	for _, n := range []struct {
		name     string
		contract *gethparams.SystemContract
	}{
		{"gov_validator", c.GovValidator}, {"native_coin_adapter", c.NativeCoinAdapter}, {"gov_minter", c.GovMinter},
		{"gov_master_minter", c.GovMasterMinter}, {"gov_council", c.GovCouncil},
	} {
		if n.contract != nil {
			list = append(list, record{
				"name": n.name, "address": addressItem(n.contract.Address), "version": n.contract.Version,
			})
		}
	}
	return list
}

// genesisOf describes the genesis block of a network under a configuration. Fork times, which no Anzeon chain may set,
// are left out: they are no part of the block.
func genesisOf(network params.Network, config *params.ChainConfig) (*core.GenesisInfo, error) {
	timeless := *config
	timeless.ShanghaiTime, timeless.CancunTime = nil, nil
	_, info, err := core.DescribeGenesis(genesisFile(network, &timeless), nil)
	return info, err
}

// genesisFile is the genesis of a network as its file has it.
func genesisFile(network params.Network, config *params.ChainConfig) *gethcore.Genesis {
	return &gethcore.Genesis{
		Config: config, Alloc: network.Alloc(), GasLimit: network.GasLimit,
		Difficulty: new(big.Int).SetUint64(network.Difficulty),
	}
}

func genesisBlock(in reader) (any, error) {
	in = in.object("genesis")
	network, err := preset(in.text("preset"))
	if err != nil {
		return nil, err
	}
	over := in.object("overrides")
	config := network.Config()
	overrideForks(config, over)
	g := genesisFile(network, config)
	if over.has("timestamp") {
		g.Timestamp = over.number("timestamp")
	}
	if over.has("gas_limit") {
		g.GasLimit = over.number("gas_limit")
	}
	if over.has("difficulty") {
		g.Difficulty = over.integer("difficulty")
	}
	if over.has("number") {
		g.Number = over.number("number")
	}
	if over.has("extra_data") {
		g.ExtraData = over.bytes("extra_data")
	}
	for _, a := range over.objects("alloc_add") {
		g.Alloc[a.address("address")] = types.Account{Balance: a.integer("balance")}
	}
	if err := core.CheckAllocation(g); err != nil {
		return nil, err
	}
	_, info, err := core.DescribeGenesis(g, nil)
	if err != nil {
		return nil, err
	}
	header, err := encodeHeader(info.Header)
	if err != nil {
		return nil, err
	}
	return record{
		"header": header, "hash": hashItem(info.Hash), "state_root": hashItem(info.StateRoot),
		"extra": toHex(info.Header.Extra),
	}, nil
}

func candidatesAtEpoch(in reader) (any, error) {
	config, _, err := presetConfig(in.object("config"))
	if err != nil {
		return nil, err
	}
	state, err := readState(in)
	if err != nil {
		return nil, err
	}
	contract := config.SystemContractsAt(in.number("number")).GovValidator.Address
	list, err := core.ValidatorList(state, contract)
	if err != nil {
		return nil, err
	}
	candidates := []any{}
	for _, a := range list {
		key, err := core.BLSKey(state, contract, a)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, record{"address": addressItem(a), "bls_public_key": toHex(key)})
	}
	tip := core.GasTip(state, config.Anzeon.SystemContracts.GovValidator.Address)
	return record{"candidates": candidates, "gas_tip": tip.String()}, nil
}

// sortedAddresses returns a set in ascending order.
func sortedAddresses(set map[common.Address]bool) []common.Address {
	list := make([]common.Address, 0, len(set))
	for a := range set {
		list = append(list, a)
	}
	slices.SortFunc(list, common.Address.Cmp)
	return list
}

func sortSlots(list []slotOf) {
	slices.SortFunc(list, func(a, b slotOf) int { return cmp.Or(a.address.Cmp(b.address), a.key.Cmp(b.key)) })
}
