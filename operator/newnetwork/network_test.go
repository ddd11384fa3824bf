// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package newnetwork

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/bls"
	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// validator returns the validator of the i-th made-up key.
func validator(t *testing.T, i int) Validator {
	t.Helper()
	key := must.Get(crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "new network %d", i))))(t)
	secret := must.Get(bls.DeriveKey(key))(t)
	return Validator{
		NodeID:            hex.EncodeToString(crypto.FromECDSAPub(&key.PublicKey)[1:]),
		Address:           crypto.PubkeyToAddress(key.PublicKey),
		BLSPublicKey:      secret.PublicKey().Bytes(),
		ProofOfPossession: secret.ProofOfPossession(),
		Endpoint:          fmt.Sprintf("10.0.0.%d:30303", i+1),
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text := must.Get(json.Marshal(v))(t)
	return string(text)
}

// Validators stand one after the other, as printed by gwon, or in a list.
func TestReadValidators(t *testing.T) {
	a, b := validator(t, 0), validator(t, 1)
	for name, text := range map[string]string{
		"one after the other": encoded(t, a) + "\n" + encoded(t, b) + "\n",
		"list":                encoded(t, []Validator{a, b}),
		"both":                encoded(t, []Validator{a}) + encoded(t, b),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadValidators(strings.NewReader(text))
			expect.That(t, err == nil && len(got) == 2 && got[0].Address == a.Address && got[1].Address == b.Address,
				"%d validators, error %v", len(got), err)
		})
	}
}

// A key that its holder does not have, or a validator that the others do not find, is refused with its number.
// spec: wbft 2.1, 2.2
func TestReadValidatorsRefused(t *testing.T) {
	a, b := validator(t, 0), validator(t, 1)
	with := func(change func(*Validator)) string {
		changed := validator(t, 1)
		change(&changed)
		return encoded(t, a) + encoded(t, changed)
	}
	many := make([]Validator, params.MaxGovernanceMembers+1)
	for name, test := range map[string]struct{ text, want string }{
		"nothing":          {"", "names no validator"},
		"empty list":       {"[]", "names no validator"},
		"text":             {"hello", "gwon validator show --json"},
		"cut short":        {encoded(t, a)[:100], "gwon validator show --json"},
		"number":           {"7", "validator 1: 7 is not the object that gwon validator show --json prints"},
		"number in a list": {"[" + encoded(t, a) + ", 7]", "validator 2: 7 is not the object"},
		"short address": {`{"address":"0x12"}`,
			`validator 1: the field address cannot be "0x12": take it from gwon validator show --json`},
		"short operator": {`{"operator":"0x1234"}`,
			`validator 1: the field operator cannot be "0x1234": give the address that gwon account new prints`},
		"endpoint of another form": {`{"endpoint":7}`, `the field endpoint cannot be 7: give "HOST:PORT"`},
		"misspelled field": {strings.Replace(encoded(t, a), `"operator"`, `"operater"`, 1),
			`validator 1: there is no field "operater": only endpoint and operator are added`},
		"number as a key":    {encoded(t, a) + `{"blsPublicKey":12}`, "validator 2: the field blsPublicKey cannot be 12"},
		"syntax":             {encoded(t, a) + "\n\nhello", "for each validator: line 3: invalid character"},
		"foreign BLS key":    {with(func(v *Validator) { v.BLSPublicKey = a.BLSPublicKey }), "validator 2"},
		"foreign proof":      {with(func(v *Validator) { v.ProofOfPossession = a.ProofOfPossession }), "proofOfPossession"},
		"no proof":           {with(func(v *Validator) { v.ProofOfPossession = nil }), "proofOfPossession"},
		"address of another": {with(func(v *Validator) { v.Address = a.Address }), "is that of " + b.Address.Hex()},
		"short public key":   {with(func(v *Validator) { v.NodeID = v.NodeID[:64] }), "no public key"},
		"a key that has signed for another genesis block": {with(func(v *Validator) { v.SignedFor = new(common.Hash) }),
			"make a new one with gwon validator new"},
		"operator without a key": {with(func(v *Validator) { v.Operator = params.GovCouncilAddress }),
			"could never vote: it is the system contract gov-council"},
		"operator at a precompile": {with(func(v *Validator) { v.Operator = common.Address{19: 1} }), "a precompiled"},
		"no endpoint":              {with(func(v *Validator) { v.Endpoint = "" }), "HOST:PORT"},
		"endpoint: no port":        {with(func(v *Validator) { v.Endpoint = "10.0.0.2" }), "HOST:PORT"},
		"endpoint: high port":      {with(func(v *Validator) { v.Endpoint = "10.0.0.2:70000" }), "1 to 65535"},
		"same endpoint": {with(func(v *Validator) { v.Endpoint = a.Endpoint }),
			"validators 1 and 2 have the same endpoint, 10.0.0.1:30303: each needs a host or a port of its own"},
		"twice": {encoded(t, a) + encoded(t, a),
			"validators 1 and 2 have the same nodePublicKey, " + a.NodeID[:40] + ": each needs a key of its own"},
		"too many": {encoded(t, many), "at most"},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Says(t, expect.Err(ReadValidators(strings.NewReader(test.text))), test.want, "ReadValidators")
		})
	}
}

func options(t *testing.T, n int) Options {
	o := Options{
		ChainID: 828301, Period: time.Second, Contracts: params.G1, Created: time.Unix(1_800_000_000, 0),
		Alloc: types.GenesisAlloc{{0xbb}: {Balance: common.Big1}},
	}
	for i := range n {
		o.Validators = append(o.Validators, validator(t, i))
	}
	return o
}

// The genesis file is one that gwon init takes, with the hash that operators compare. Each folder has its peers.
// spec: chain 11.2; network 9.2
func TestWrite(t *testing.T) {
	o := options(t, 4)
	payer := common.Address{0xaa}
	o.Alloc = types.GenesisAlloc{payer: {Balance: common.Big256}}
	dir := filepath.Join(t.TempDir(), "net")
	made := must.Get(Write(dir, o))(t)
	text := must.Get(os.ReadFile(filepath.Join(dir, genesisFile)))(t)
	given := must.Get(core.ReadGenesis(bytes.NewReader(text)))(t)
	block, _, err := core.BuildGenesis(given, nil)
	must.Do(t, err)
	if hash := block.ToBlock().Hash(); hash != made.GenesisHash || given.Config.ChainID.Uint64() != o.ChainID ||
		given.Timestamp != 1_800_000_000 || given.Alloc[payer].Balance.Cmp(common.Big256) != 0 {
		t.Errorf("hash %v, want %v: %s", hash, made.GenesisHash, text)
	}
	for i, v := range given.Config.Anzeon.Init.Validators {
		expect.Equal(t, v, o.Validators[i].Address, "validator %d", i)
	}
	must.Equal(t, len(made.Folders), 4, "folders %v", made.Folders)
	for i, folder := range append([]string{dir}, made.Folders...) {
		config := must.Get(os.ReadFile(filepath.Join(folder, configFile)))(t)
		for j := range o.Validators {
			peer := strings.Contains(string(config), o.Validators[j].enode())
			expect.That(t, peer != (i == j+1), "%s: validator %d is a peer: %v", folder, j+1, peer)
		}
		expect.Equal(t, strings.Contains(string(config), "Mine = true"), i > 0, "%s: signs blocks", folder)
		readme, err := os.ReadFile(filepath.Join(folder, readmeFile))
		expect.That(t, err == nil && strings.Contains(string(readme), made.GenesisHash.Hex()),
			"%s: instructions without the genesis hash (error %v)", folder, err)
		copied, err := os.ReadFile(filepath.Join(folder, genesisFile))
		expect.That(t, err == nil && bytes.Equal(copied, text), "%s: another genesis file (error %v)", folder, err)
	}
}

// A network that cannot be, or that could be taken for a public one, is refused and leaves no files.
func TestWriteRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"chain ID 0":          {func(o *Options) { o.ChainID = 0 }, "cannot be 0"},
		"chain ID of mainnet": {func(o *Options) { o.ChainID = params.MainnetChainID }, "public network"},
		"chain ID of testnet": {func(o *Options) { o.ChainID = params.TestnetChainID }, "public network"},
		"chain ID of devnets": {func(o *Options) { o.ChainID = params.DevnetChainID }, "gwon-dev devnet"},
		"half a year":         {func(o *Options) { o.Period = 4380 * time.Hour }, "up to 1h0m0s"},
		"half a second":       {func(o *Options) { o.Period = 500 * time.Millisecond }, "whole number of seconds"},
		"quorum of five":      {func(o *Options) { o.Quorum = 5 }, "cannot be reached"},
		"contracts":           {func(o *Options) { o.Contracts = "v9" }, "not \"v9\""},
		"no coins":            {func(o *Options) { o.Alloc = types.GenesisAlloc{{0xbb}: {}} }, "--fund ADDRESS=COINS"},
		"endpoint":            {func(o *Options) { o.Validators[2].Endpoint = "no host:30303" }, "endpoint"},
		"one operator of two": {func(o *Options) { o.Validators[1].Operator = o.Validators[0].Address }, "appears twice"},
		"account of a contract": {func(o *Options) {
			o.Alloc = types.GenesisAlloc{common.HexToAddress("0x1000"): {Balance: common.Big1}}
		}, "0x"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, 4)
			test.change(&o)
			dir := filepath.Join(t.TempDir(), "net")
			expect.Says(t, expect.Err(Write(dir, o)), test.want, "Write")
			expect.Refused(t, expect.Err(os.Stat(dir)), "files were left")
		})
	}
	expect.Says(t, expect.Err(Write(t.TempDir(), options(t, 4))), "exists already", "a directory that is there")
}

// A network of whose operators none can pay for a proposal is made with a warning, as one with the ID of another is.
func TestWarnings(t *testing.T) {
	with := func(coins int64) types.Account {
		return types.Account{Balance: new(big.Int).Mul(big.NewInt(coins), big.NewInt(gethparams.Ether))}
	}
	operator, stranger := common.Address{0xaa}, common.Address{0xbb}
	for name, row := range map[string]struct {
		change func(*Options)
		want   string // empty for no warning
	}{
		"an operator with enough": {func(o *Options) { o.Alloc[operator] = with(100) }, ""},
		"the other with enough":   {func(o *Options) { o.Alloc[o.Validators[1].Operator] = with(100) }, ""},
		"a node key as a member": {func(o *Options) {
			o.Validators[1].Operator, o.Alloc[operator] = common.Address{}, with(100)
		}, `validator 2 (` + validator(t, 1).Address.Hex() + `) has no "operator"`},
		"an operator with little":  {func(o *Options) { o.Alloc[operator] = with(99) }, "no operator has"},
		"a stranger alone":         {func(o *Options) { o.Alloc[stranger] = with(1e6) }, "no operator has"},
		"no coins, as it is meant": {func(o *Options) { o.NoCoins = true }, ""},
		"an ID of another": {func(o *Options) {
			o.ChainID, o.Alloc[operator] = 137, with(100)
		}, "chain ID 137 is that of Polygon"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, 2)
			o.Alloc = make(types.GenesisAlloc)
			o.Validators[0].Operator, o.Validators[1].Operator = operator, common.Address{0xcc}
			row.change(&o)
			warnings := strings.Join(o.Warnings(), "\n")
			expect.That(t, (warnings == "") == (row.want == "") && strings.Contains(warnings, row.want),
				"warnings %q, want %q", warnings, row.want)
		})
	}
}

// FuzzReadValidators: any file is refused with a text, or names validators with all of their keys.
func FuzzReadValidators(f *testing.F) {
	f.Add([]byte(`[{"nodePublicKey": "00", "address": "0x2222222222222222222222222222222222222222"}]`))
	f.Add([]byte(`{"endpoint": 7}{`))
	f.Add([]byte(`[null]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		list, err := ReadValidators(bytes.NewReader(content))
		must.That(t, (err == nil) != (len(list) == 0), "%d validators, error %v", len(list), err)
		for _, v := range list {
			expect.That(t, len(v.NodeID) == 128 && len(v.BLSPublicKey) != 0 && v.Endpoint != "", "taken: %+v", v)
		}
	})
}
