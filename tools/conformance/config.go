// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/params"
)

// preset returns a public network by its chain id in text.
func preset(name string) (params.Network, error) {
	id, err := strconv.ParseUint(name, 10, 64)
	network, known := params.NetworkByID(id)
	if err != nil || !known {
		return params.Network{}, unsupported{fmt.Sprintf("preset %q is not known", name)}
	}
	return network, nil
}

// presetConfig reads a preset with overrides of its fork fields.
func presetConfig(in reader) (*params.ChainConfig, params.Network, error) {
	network, err := preset(in.text("preset"))
	if err != nil {
		return nil, network, err
	}
	config := network.Config()
	overrideForks(config, in.object("overrides"))
	return config, network, nil
}

func overrideForks(config *params.ChainConfig, in reader) {
	for _, f := range []struct {
		name  string
		block **big.Int
	}{{"applepie_block", &config.ApplepieBlock}, {"boho_block", &config.BohoBlock}} {
		if in.has(f.name) {
			*f.block = in.integer(f.name)
		}
	}
	for _, f := range []struct {
		name string
		time **uint64
	}{{"shanghai_time", &config.ShanghaiTime}, {"cancun_time", &config.CancunTime}} {
		if in.has(f.name) {
			*f.time = in.optional(f.name)
		}
	}
}

// consensusConfig reads a configuration of which only the consensus parameters count.
func consensusConfig(in reader) (*params.ChainConfig, error) {
	config := params.Mainnet()
	config.Anzeon.WBFT = wbftSection(in.object("wbft"))
	config.Transitions = transitions(in)
	return config, nil
}

func wbftSection(in reader) *params.WBFTConfig {
	return &params.WBFTConfig{
		RequestTimeoutSeconds:    in.number("request_timeout_seconds"),
		BlockPeriodSeconds:       in.number("block_period_seconds"),
		EpochLength:              in.number("epoch_length"),
		AllowedFutureBlockTime:   in.number("allowed_future_block_time"),
		ProposerPolicy:           in.optional("proposer_policy"),
		MaxRequestTimeoutSeconds: in.optional("max_request_timeout_seconds"),
	}
}

func transitions(in reader) (list []gethparams.Transition) {
	for _, t := range in.objects("transitions") {
		list = append(list, gethparams.Transition{Block: t.integer("block"), WBFTConfig: wbftSection(t)})
	}
	return list
}

// fixture is a chain of headers without state. It implements consensus.ChainHeaderReader.
type fixture struct {
	config    *params.ChainConfig
	engine    *wbft.Engine
	refused   error // why no engine runs with this configuration
	genesis   *types.Header
	head      *types.Header
	canonical map[uint64]*types.Header
	byHash    map[common.Hash]*types.Header
}

func readFixture(in reader) (*fixture, error) {
	settings := in.object("config")
	network, err := preset(settings.text("preset"))
	if err != nil {
		return nil, err
	}
	f := &fixture{
		config: network.Config(), canonical: make(map[uint64]*types.Header), byHash: make(map[common.Hash]*types.Header),
	}
	overrideForks(f.config, settings)
	if settings.has("init") {
		f.config.Anzeon.Init = readInit(settings.object("init"))
	}
	if settings.has("wbft") {
		f.config.Anzeon.WBFT = wbftSection(settings.object("wbft"))
	}
	if settings.has("transitions") {
		f.config.Transitions = transitions(settings)
	}
	if f.genesis, err = in.header("genesis"); err != nil {
		return nil, err
	}
	f.add(f.genesis, true)
	lists := []string{"headers"}
	if in.has("non_canonical") {
		lists = append(lists, "non_canonical")
	}
	for i, key := range lists {
		for _, encoded := range in.byteList(key) {
			header, err := decodeHeader(encoded)
			if err != nil {
				return nil, err
			}
			if !header.Number.IsUint64() {
				return nil, errors.New("stored header has a number of more than 64 bits")
			}
			f.add(header, i == 0)
		}
	}
	f.engine, f.refused = wbft.New(f.config, anyCode)
	return f, nil
}

func readInit(in reader) *params.WBFTInit {
	init := &params.WBFTInit{Validators: in.addresses("validators")}
	for _, key := range in.byteList("bls_public_keys") {
		init.BLSPublicKeys = append(init.BLSPublicKeys, hexutil.Bytes(key))
	}
	return init
}

func (f *fixture) add(h *types.Header, canonical bool) {
	f.byHash[h.Hash()] = h
	if canonical {
		f.canonical[h.Number.Uint64()], f.head = h, h
	}
}

// Config implements consensus.ChainHeaderReader.
func (f *fixture) Config() *gethparams.ChainConfig { return f.config }

// CurrentHeader implements consensus.ChainHeaderReader.
func (f *fixture) CurrentHeader() *types.Header { return f.head }

// GetHeader implements consensus.ChainHeaderReader.
func (f *fixture) GetHeader(hash common.Hash, number uint64) *types.Header {
	if h := f.byHash[hash]; h != nil && h.Number.Uint64() == number {
		return h
	}
	return nil
}

// GetHeaderByNumber implements consensus.ChainHeaderReader.
func (f *fixture) GetHeaderByNumber(number uint64) *types.Header { return f.canonical[number] }

// GetHeaderByHash implements consensus.ChainHeaderReader.
func (f *fixture) GetHeaderByHash(hash common.Hash) *types.Header { return f.byHash[hash] }

// genesisSet returns the validators that a configuration names for genesis.
func genesisSet(config *params.ChainConfig) (*validators.Set, error) {
	info := new(types.EpochInfo)
	for i, a := range config.Anzeon.Init.Validators {
		info.Candidates = append(info.Candidates, types.EpochCandidate{Address: a, Diligence: params.InitialDiligence})
		info.Validators = append(info.Validators, uint32(i))
	}
	for _, key := range config.Anzeon.Init.BLSPublicKeys {
		info.BLSPublicKeys = append(info.BLSPublicKeys, key)
	}
	return validators.FromEpochInfo(info)
}

// anyCode stands for code that is not part of the program: the bytes of its hash, which codeHash takes back.
func anyCode(hash common.Hash) ([]byte, bool) { return hash[:], true }

// standIns gives for the hash of each stand-in of anyCode the hash of the code it stands for.
var standIns = func() map[common.Hash]common.Hash {
	m := make(map[common.Hash]common.Hash)
	for _, c := range core.KnownCode() {
		m[keccakHash(c.Hash[:])] = c.Hash
	}
	return m
}()
