// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/params"
)

// GenesisInfo describes the system contracts in a genesis block of BuildGenesis.
type GenesisInfo struct {
	// CodeHashes holds the code hash of each system contract address from block 0 on.
	CodeHashes map[common.Address]common.Hash
	// Missing lists the code that no source supplied. The accounts of these contracts have no code and nonce 1, which
	// keeps them from being empty accounts. The chain works, but calls to its contracts return no data.
	Missing []MissingCode
	// StateRoot and Hash belong to the genesis block with all code in place. They equal those of the returned genesis
	// exactly when no code is missing.
	StateRoot common.Hash
	Hash      common.Hash
	Header    *types.Header // of the genesis block with all code in place
}

// BuildGenesis returns a genesis that go-ethereum can commit (spec chain 9). It adds the WBFT extra data, the base
// fee, the account flags, and the code and storage of the five contracts. Difficulty and gas limit become explicit; a
// nil Difficulty means absent.
//
// Code comes from the allocation if the hash matches there, otherwise from codes, which may be nil. The parameter in
// is not modified. The result shares its configuration. A genesis without an anzeon section is returned unchanged.
//
// BuildGenesis fails on a configuration or allocation that spec chain 9 refuses. For public networks it also fails on
// missing code, with an error that wraps ErrMissingCode.
func BuildGenesis(in *gethcore.Genesis, codes CodeSource) (*gethcore.Genesis, *GenesisInfo, error) {
	if in == nil || in.Config == nil {
		return nil, nil, errors.New("the genesis has no chain configuration: give it a section \"config\"")
	}
	if !in.Config.IsAnzeon() {
		out := *in
		return &out, &GenesisInfo{}, nil
	}
	out, info, err := DescribeGenesis(in, codes)
	if err != nil {
		return nil, nil, err
	}
	if len(info.Missing) > 0 && isPublicNetwork(in.Config) {
		return nil, nil, missingCodeError(fmt.Sprintf("chain %v", in.Config.ChainID), info.Missing)
	}
	return out, info, nil
}

// DescribeGenesis is BuildGenesis for Anzeon chains without the error for missing code on public networks. A result
// with missing code describes the genesis block and must not be committed there.
func DescribeGenesis(in *gethcore.Genesis, codes CodeSource) (*gethcore.Genesis, *GenesisInfo, error) {
	if in == nil || in.Config == nil || !in.Config.IsAnzeon() {
		return nil, nil, errors.New("the genesis has no chain configuration with a section \"anzeon\"")
	}
	if err := checkGenesis(in); err != nil {
		return nil, nil, err
	}
	extra, err := genesisExtra(in.Config)
	if err != nil {
		return nil, nil, err
	}
	out := *in
	out.ExtraData = extra
	out.BaseFee = new(big.Int).SetUint64(params.MinBaseFee)
	out.ExcessBlobGas, out.BlobGasUsed, out.SlotNumber = nil, nil, nil
	if out.GasLimit == 0 {
		out.GasLimit = gethparams.GenesisGasLimit
	}
	if out.Difficulty == nil {
		out.Difficulty = new(big.Int)
		if out.Mixhash == (common.Hash{}) {
			out.Difficulty.Set(gethparams.GenesisDifficulty)
		}
	}
	contracts, err := injectContracts(in)
	if err != nil {
		return nil, nil, err
	}
	info, err := contracts.supplyCode(in.Alloc, codes)
	if err != nil {
		return nil, nil, err
	}
	out.Alloc = contracts.alloc
	if info.StateRoot, err = GenesisRoot(out.Alloc, info.CodeHashes); err != nil {
		return nil, nil, err
	}
	info.Header = genesisHeader(&out, info.StateRoot)
	info.Hash = info.Header.Hash()
	return &out, info, nil
}

// CheckAllocation refuses an allocation with an entry for the address of a system contract (spec chain 9), unless the
// configuration makes that very entry, as in what gwon dumpgenesis prints. The balance, flags and storage of any other
// entry would be lost. BuildGenesis accepts it, which allows its own result as input.
func CheckAllocation(g *gethcore.Genesis) error {
	if g.Config == nil || g.Config.Anzeon == nil || g.Config.Anzeon.SystemContracts == nil {
		return nil
	}
	var made *injection
	for i := range contractKinds {
		c := contractKinds[i].pick(g.Config.Anzeon.SystemContracts)
		if c == nil {
			continue
		}
		given, ok := g.Alloc[c.Address]
		if !ok {
			continue
		}
		var err error
		if made == nil {
			if made, err = injectContracts(g); err == nil {
				_, err = made.supplyCode(g.Alloc, CodeInAlloc(g.Alloc))
			}
		}
		if err != nil || !sameAccount(given, made.alloc[c.Address]) {
			return errors.Join(err, fmt.Errorf("the allocation names %v, the address of the contract %s: remove that entry",
				c.Address, contractKinds[i].name))
		}
	}
	return nil
}

// sameAccount reports whether two entries of an allocation make one account.
func sameAccount(a, b types.Account) bool {
	balance := func(a types.Account) *big.Int { return cmp.Or(a.Balance, new(big.Int)) }
	return balance(a).Cmp(balance(b)) == 0 && a.Nonce == b.Nonce && a.Extra == b.Extra && bytes.Equal(a.Code, b.Code) &&
		maps.Equal(a.Storage, b.Storage)
}

// ReadGenesis reads a genesis file. Unlike go-ethereum's decoder, it accepts a file of an Anzeon chain without
// difficulty and gas limit. An absent difficulty is nil, an absent gas limit is 0; BuildGenesis sets both.
func ReadGenesis(r io.Reader) (*gethcore.Genesis, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read genesis: %w", err)
	}
	var probe struct {
		Config     *gethparams.ChainConfig `json:"config"`
		Difficulty json.RawMessage         `json:"difficulty"`
		GasLimit   json.RawMessage         `json:"gasLimit"`
	}
	if err := json.Unmarshal(data, &probe); err != nil {
		return nil, wrongForm(data, err)
	}
	absent := func(m json.RawMessage) bool { return len(m) == 0 || bytes.Equal(m, []byte("null")) }
	noDifficulty, noGasLimit := absent(probe.Difficulty), absent(probe.GasLimit)
	if probe.Config == nil || !probe.Config.IsAnzeon() {
		noDifficulty, noGasLimit = false, false
	}
	if noDifficulty || noGasLimit {
		// Upstream's decoder requires both keys.
		keys := make(map[string]json.RawMessage)
		if err := json.Unmarshal(data, &keys); err != nil {
			return nil, fmt.Errorf("read genesis: %w", err)
		}
		if noDifficulty {
			keys["difficulty"] = json.RawMessage(`"0x0"`)
		}
		if noGasLimit {
			keys["gasLimit"] = json.RawMessage(`"0x0"`)
		}
		if data, err = json.Marshal(keys); err != nil {
			return nil, fmt.Errorf("read genesis: %w", err)
		}
	}
	g := new(gethcore.Genesis)
	if err := json.Unmarshal(data, g); err != nil {
		return nil, wrongForm(data, err)
	}
	if noDifficulty {
		g.Difficulty = nil
	}
	var given struct {
		Config json.RawMessage `json:"config"`
	}
	if err := json.Unmarshal(data, &given); err != nil {
		return nil, fmt.Errorf("read genesis: %w", err)
	}
	if unknown := unknownKeys("config", given.Config, reflect.TypeFor[gethparams.ChainConfig]()); len(unknown) > 0 {
		log.Warn("Unknown keys of the chain configuration ignored",
			"keys", unknown,
			"hint", "correct them: a misspelled key leaves a rule out without a change of the genesis block")
	}
	return g, nil
}

// unknownKeys returns the keys of JSON objects that have no field in the struct type t or in a struct within it.
// Unknown keys are not refused, because go-stablenet ignores them.
func unknownKeys(path string, data json.RawMessage, t reflect.Type) (unknown []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice {
		var items []json.RawMessage
		if json.Unmarshal(data, &items) != nil {
			return nil
		}
		for i, item := range items {
			unknown = append(unknown, unknownKeys(fmt.Sprintf("%s[%d]", path, i), item, t.Elem())...)
		}
		return unknown
	}
	var object map[string]json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(data, &object) != nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		i := slices.IndexFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return strings.EqualFold(cmp.Or(name, f.Name), key)
		})
		if i < 0 {
			unknown = append(unknown, path+"."+key)
		} else {
			unknown = append(unknown, unknownKeys(path+"."+key, object[key], reflect.VisibleFields(t)[i].Type)...)
		}
	}
	return unknown
}

// checkGenesis refuses a genesis that no Anzeon chain can start from (spec chain 9, steps 1 and 3).
func checkGenesis(g *gethcore.Genesis) error {
	if err := g.Config.CheckConfigForkOrder(); err != nil {
		return err
	}
	switch {
	case g.Config.ChainID == nil || g.Config.ChainID.Sign() <= 0:
		return errors.New("invalid chain configuration: \"chainId\" must be a number above 0")
	case !g.Config.IsLondon(new(big.Int)):
		return errors.New("invalid chain configuration: a chain with an \"anzeon\" section needs \"londonBlock\": 0")
	case g.Number != 0:
		return fmt.Errorf("the genesis has number %d, must be 0", g.Number)
	case g.Difficulty != nil && (g.Difficulty.Sign() < 0 || g.Difficulty.BitLen() > 256):
		return fmt.Errorf("the genesis has difficulty %v, must be between 0 and 2^256 - 1", g.Difficulty)
	case g.GasLimit != 0 && g.GasLimit < gethparams.MinGasLimit || g.GasLimit > gethparams.MaxGasLimit:
		// spec: chain 6.1. No block could follow; 0 stands for the default.
		return fmt.Errorf("the genesis has gasLimit %d, must be between %d and %d, or absent for %d", g.GasLimit,
			gethparams.MinGasLimit, uint64(gethparams.MaxGasLimit), gethparams.GenesisGasLimit)
	}
	return checkAccounts(g.Alloc)
}

// checkAccounts refuses values outside of the state's range and flags without a meaning (spec chain 9, step 3).
func checkAccounts(alloc types.GenesisAlloc) error {
	for a, account := range alloc {
		if account.Extra&^(types.AccountBlacklisted|types.AccountAuthorized) != 0 {
			return fmt.Errorf("allocation of %v: extra %#x has unknown bits: only bits 62 and 63 have a meaning", a,
				account.Extra)
		}
		if b := account.Balance; b != nil && (b.Sign() < 0 || b.BitLen() > 256) {
			return fmt.Errorf("allocation of %v: balance %v is not between 0 and 2^256 - 1", a, b)
		}
	}
	return nil
}

// genesisExtra returns the extra data of the genesis header (spec chain 9, step 2).
func genesisExtra(cfg *gethparams.ChainConfig) ([]byte, error) {
	tip, err := gasTipParameter(parameters(cfg.Anzeon.SystemContracts.GovValidator.Params))
	if err != nil {
		return nil, fmt.Errorf("govValidator: %w", err)
	}
	epoch := new(types.EpochInfo)
	for i, v := range cfg.Anzeon.Init.Validators {
		epoch.Candidates = append(epoch.Candidates, types.EpochCandidate{Address: v, Diligence: params.InitialDiligence})
		epoch.Validators = append(epoch.Validators, uint32(i))
		epoch.BLSPublicKeys = append(epoch.BLSPublicKeys, cfg.Anzeon.Init.BLSPublicKeys[i])
	}
	extra := types.WBFTExtra{GasTip: tip, EpochInfo: epoch}
	return extra.Encode(), nil
}

// genesisHeader returns the header of the genesis block of g with the given state root.
func genesisHeader(g *gethcore.Genesis, root common.Hash) *types.Header {
	stateless := *g
	stateless.Alloc = nil
	header := stateless.ToBlock().Header()
	header.Root = root
	return header
}
