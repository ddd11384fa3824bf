// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/forkid"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/pathdb"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
	"gwon/params"
)

// withoutZeros drops the slots that leave no trace in the state.
func withoutZeros(slots map[common.Hash]common.Hash) map[common.Hash]common.Hash {
	kept := maps.Clone(slots)
	maps.DeleteFunc(kept, func(_, value common.Hash) bool { return value == common.Hash{} })
	return kept
}

// checkState compares a built allocation with the accounts of a vector: every slot, flag and balance, and the wanted
// code.
func checkState(t *testing.T, alloc types.GenesisAlloc, info *GenesisInfo, want []wantAccount) {
	t.Helper()
	expect.Equal(t, len(alloc), len(want), "accounts")
	for _, w := range want {
		have, ok := alloc[w.Address]
		if !ok {
			t.Errorf("account %v is missing", w.Address)
			continue
		}
		expect.That(t, have.Balance.Cmp((*big.Int)(w.Balance)) == 0 && have.Extra == uint64(w.Extra),
			"account %v: balance %v, extra %#x, want %v, %#x", w.Address, have.Balance, have.Extra, w.Balance, uint64(w.Extra))
		if slots := withoutZeros(w.Storage); !maps.Equal(have.Storage, slots) && len(have.Storage)+len(slots) > 0 {
			for slot, value := range slots {
				expect.Equal(t, have.Storage[slot], value, "account %v: slot %v", w.Address, slot)
			}
			for slot, value := range have.Storage {
				_, ok := slots[slot]
				expect.That(t, ok, "account %v: surplus slot %v = %v", w.Address, slot, value)
			}
		}
		if root, err := storageRoot(common.Hash{}, have.Storage, nil); err != nil || root != w.StorageRoot {
			t.Errorf("account %v: storage root %v, %v, want %v", w.Address, root, err, w.StorageRoot)
		}
		wanted, isContract := info.CodeHashes[w.Address]
		if !isContract {
			wanted = types.EmptyCodeHash
		}
		if w.CodeHash != nil && wanted != *w.CodeHash {
			t.Errorf("account %v: code hash %v, want %v", w.Address, wanted, *w.CodeHash)
		}
	}
}

// The genesis of both public networks from storage and code hashes alone (spec chain 9, 11).
func TestPublicNetworks(t *testing.T) {
	for _, n := range params.Networks() {
		t.Run(n.Name, func(t *testing.T) {
			want := readNetwork(t, n)
			g, info, err := DescribeGenesis(NetworkGenesis(n), nil)
			must.Do(t, err)
			checkState(t, g.Alloc, info, want.Alloc)
			expect.That(t, info.StateRoot == want.StateRoot && info.StateRoot == n.StateRoot,
				"state root %v, want %v", info.StateRoot, want.StateRoot)
			expect.That(t, info.Hash == want.GenesisHash && info.Hash == n.GenesisHash,
				"genesis hash %v, want %v", info.Hash, want.GenesisHash)
			encoded := must.Get(rlp.EncodeToBytes(info.Header))(t)
			expect.That(t, bytes.Equal(encoded, want.HeaderRLP), "header %x\nwant %x", encoded, want.HeaderRLP)
			expect.Equal(t, len(info.Missing), 5, "missing code: %+v", info.Missing)
			for _, m := range info.Missing {
				if entry := g.Alloc[m.Address]; len(entry.Code) != 0 || entry.Nonce != 1 {
					t.Errorf("%s: code %x, nonce %d", m.Contract, entry.Code, entry.Nonce)
				}
			}
		})
	}
}

// Fork IDs cover Applepie and Boho, not the anzeon section (spec chain 1.5).
func TestForkIDs(t *testing.T) {
	for _, n := range params.Networks() {
		want := readNetwork(t, n)
		var header types.Header
		must.Do(t, rlp.DecodeBytes(want.HeaderRLP, &header))
		genesis := types.NewBlockWithHeader(&header)
		first, last := want.ForkID.AtGenesis, want.ForkID.AtHead1000000
		if want.ForkID.AtHead14408500 != nil {
			last = *want.ForkID.AtHead14408500
		}
		ids := map[uint64]forkIDVector{
			0: first, 1_000_000: first, 14_408_499: first, 14_408_500: last, 20_000_000: last,
		}
		for head, id := range ids {
			got := forkid.NewID(n.Config(), genesis, head, 0)
			expect.That(t, bytes.Equal(got.Hash[:], id.Hash) && got.Next == id.Next,
				"%s at %d: fork id %x, next %d, want %v, next %d", n.Name, head, got.Hash, got.Next, id.Hash, id.Next)
		}
	}
}

// A public network without its code gets an error that names the code, not another genesis block.
func TestPublicNetworksNeedCode(t *testing.T) {
	for _, n := range params.Networks() {
		_, _, err := BuildGenesis(NetworkGenesis(n), nil)
		must.That(t, errors.Is(err, ErrMissingCode), "%s: %v", n.Name, err)
		for _, a := range readNetwork(t, n).Alloc {
			expect.That(t, len(a.Storage) == 0 || strings.Contains(err.Error(), a.CodeHash.Hex()),
				"%s: the error does not name %v: %v", n.Name, a.CodeHash, err)
		}
	}
	// Other members on the same contracts are no way around it; other contracts make another chain.
	g := NetworkGenesis(mustNetwork(t, params.TestnetChainID))
	delete(g.Alloc, common.HexToAddress("0xD13657a2F08A266Ca816C96C1a97E888990f485B"))
	_, _, err := BuildGenesis(g, nil)
	expect.Error(t, err, ErrMissingCode, "changed allocation")
	g = NetworkGenesis(mustNetwork(t, params.TestnetChainID))
	g.Config.Anzeon.SystemContracts.GovCouncil.Address = common.HexToAddress("0x2004")
	_, _, err = BuildGenesis(g, nil)
	expect.Error(t, err, nil, "other contracts")
	// A private network may borrow the chain id.
	g = NetworkGenesis(mustNetwork(t, params.TestnetChainID))
	g.Config.Anzeon.Init.Validators[0] = common.HexToAddress("0x01")
	_, _, err = BuildGenesis(g, nil)
	expect.Error(t, err, nil, "other validators")
}

func mustNetwork(t testing.TB, id uint64) params.Network {
	t.Helper()
	n, ok := params.NetworkByID(id)
	must.That(t, ok, "network %d is not known", id)
	return n
}

// A genesis with every initialization parameter (spec system-contracts 1.8, 2.3, 3.3, 4.3, 5.3, 6.3).
func TestGenesisInit(t *testing.T) {
	var v struct {
		Anzeon         *gethparams.AnzeonConfig       `json:"anzeon"`
		ChainID        uint64                         `json:"chainId"`
		ExtraData      hexutil.Bytes                  `json:"extraData"`
		GasLimit       uint64                         `json:"gasLimit"`
		GenesisHash    common.Hash                    `json:"genesisHash"`
		StateRoot      common.Hash                    `json:"stateRoot"`
		InputAlloc     types.GenesisAlloc             `json:"inputAlloc"`
		ResultAccounts map[common.Address]wantAccount `json:"resultAccounts"`
	}
	vectors.Load(t, "genesis-init.json", &v)
	cfg := params.Testnet()
	cfg.ChainID = new(big.Int).SetUint64(v.ChainID)
	cfg.BohoBlock, cfg.Boho = nil, nil
	cfg.Anzeon = v.Anzeon
	cfg.Anzeon.WBFT.ProposerPolicy = new(uint64) // the vector leaves it out; the configuration check does not allow that

	in := &gethcore.Genesis{Config: cfg, Difficulty: big.NewInt(1), Alloc: v.InputAlloc}
	g, info, err := BuildGenesis(in, nil)
	must.Do(t, err)
	var want []wantAccount
	for a, account := range v.ResultAccounts {
		account.Address = a
		want = append(want, account)
	}
	checkState(t, g.Alloc, info, want)
	expect.That(t, bytes.Equal(g.ExtraData, v.ExtraData), "extra data %x, want %x", g.ExtraData, []byte(v.ExtraData))
	expect.Equal(t, g.GasLimit, v.GasLimit, "gas limit")
	expect.That(t, info.StateRoot == v.StateRoot && info.Hash == v.GenesisHash,
		"state root %v, hash %v, want %v, %v", info.StateRoot, info.Hash, v.StateRoot, v.GenesisHash)
	expect.That(t, len(in.Alloc) == 3 && in.GasLimit == 0 && in.BaseFee == nil && in.ExtraData == nil,
		"the input was modified")
}

// The code hashes are those of spec chain 9.1, and no version is without one.
func TestCodeHashes(t *testing.T) {
	var v struct {
		Contracts map[string]struct {
			Hash common.Hash `json:"keccak256"`
		} `json:"contracts"`
	}
	vectors.Load(t, "code-hashes.json", &v)
	count := 0
	for i := range contractKinds {
		count += len(contractKinds[i].hashes)
	}
	expect.Equal(t, count, len(v.Contracts), "versions")
	for key, want := range v.Contracts {
		name, version, _ := strings.Cut(key, "/")
		name = strings.ToLower(name[:1]) + name[1:]
		hash, ok := CodeHash(name, version)
		expect.That(t, ok && hash == want.Hash, "%s %s: hash %v, want %v", name, version, hash, want.Hash)
	}
	_, ok := CodeHash("govValidator", "v2")
	expect.That(t, !ok, "govValidator v2 is known")
	_, ok = CodeHash("govNobody", "v1")
	expect.That(t, !ok, "govNobody is known")
}

// useTestCodes lets every contract version stand for a few bytes made up here, until the test ends.
func useTestCodes(t *testing.T) CodeSource {
	codes := make(map[common.Hash][]byte)
	original := make([]map[string]common.Hash, len(contractKinds))
	for i := range contractKinds {
		kind := &contractKinds[i]
		original[i] = kind.hashes
		hashes := make(map[string]common.Hash)
		for version := range kind.hashes {
			code := []byte("code of " + kind.name + version)
			hashes[version] = crypto.Keccak256Hash(code)
			codes[hashes[version]] = code
		}
		kind.hashes = hashes
	}
	t.Cleanup(func() {
		for i := range contractKinds {
			contractKinds[i].hashes = original[i]
		}
	})
	return func(hash common.Hash) ([]byte, bool) {
		code, ok := codes[hash]
		return code, ok
	}
}

// devnet returns a genesis with three validators, funds and flagged accounts.
func devnet(t testing.TB, bohoBlock uint64) *gethcore.Genesis {
	t.Helper()
	var validators []params.DevnetValidator
	for i := byte(1); i <= 3; i++ {
		validators = append(validators, params.DevnetValidator{
			Address:      common.Address{0: 0xaa, 19: i},
			BLSPublicKey: bytes.Repeat([]byte{i}, gethparams.BLSPublicKeyLength),
			Operator:     common.Address{0: 0xbb, 19: i},
		})
	}
	cfg, err := params.DevnetConfig(params.DevnetOptions{ChainID: 77, Validators: validators, BohoBlock: bohoBlock})
	must.Do(t, err)
	return DevnetGenesis(cfg, 1_700_000_000, types.GenesisAlloc{
		{1}: {Balance: big.NewInt(1000)},
		{2}: {Balance: big.NewInt(1), Extra: types.AccountAuthorized},
		{3}: {Balance: new(big.Int), Extra: types.AccountBlacklisted | types.AccountAuthorized},
		{4}: {Balance: big.NewInt(5), Nonce: 3, Code: []byte{0x60}, Storage: map[common.Hash]common.Hash{{1}: {2}, {3}: {}}},
		{5}: {}, // nothing at all, which a genesis state keeps
	})
}

// The root computed without a database is the one go-ethereum computes from the finished allocation (spec chain 9,
// step 7).
func TestGenesisRootAgrees(t *testing.T) {
	codes := useTestCodes(t)
	for _, boho := range []uint64{0, 7} {
		g, info, err := BuildGenesis(devnet(t, boho), codes)
		must.Do(t, err)
		expect.Equal(t, len(info.Missing), 0, "missing code: %+v", info.Missing)
		block := g.ToBlock()
		expect.That(t, block.Root() == info.StateRoot && block.Hash() == info.Hash,
			"boho %d: block has root %v, hash %v, told were %v, %v", boho, block.Root(), block.Hash(), info.StateRoot, info.Hash)
		root, err := GenesisRoot(g.Alloc, nil)
		expect.That(t, err == nil && root == info.StateRoot, "boho %d: root %v, %v", boho, root, err)
		// The same chain, described without its code.
		bare, bareInfo, err := BuildGenesis(devnet(t, boho), nil)
		must.Do(t, err)
		expect.That(t, bareInfo.StateRoot == info.StateRoot && bareInfo.Hash == info.Hash && len(bareInfo.Missing) == 5,
			"boho %d: without code %+v", boho, bareInfo)
		expect.That(t, bare.ToBlock().Hash() != info.Hash, "boho %d: codeless contracts do not change the block", boho)
	}
}

// Boho at block 0 is folded into genesis: code of v2, storage of v1 (spec chain 9, step 6).
func TestUpgradeInGenesis(t *testing.T) {
	codes := useTestCodes(t)
	now, nowInfo, err := BuildGenesis(devnet(t, 0), codes)
	must.Do(t, err)
	later, _, err := BuildGenesis(devnet(t, 7), codes)
	must.Do(t, err)
	a, b := now.Alloc[params.GovMinterAddress], later.Alloc[params.GovMinterAddress]
	expect.That(t, string(a.Code) == "code of govMinterv2" && string(b.Code) == "code of govMinterv1",
		"code %q and %q", a.Code, b.Code)
	expect.That(t, maps.Equal(a.Storage, b.Storage) && len(a.Storage) != 0, "the upgrade changed the storage")
	hash, _ := CodeHash("govMinter", "v2")
	expect.That(t, nowInfo.CodeHashes[params.GovMinterAddress] == hash, "the told code hash is not that of v2")

	// An upgrade that names another address keeps the account it finds there, as far as that can be a contract.
	moved := devnet(t, 0)
	elsewhere := common.HexToAddress("0x2003")
	moved.Config.Boho.SystemContracts.GovMinter.Address = elsewhere
	moved.Alloc[elsewhere] = types.Account{Balance: big.NewInt(9), Storage: map[common.Hash]common.Hash{{1}: {1}}}
	g, info, err := BuildGenesis(moved, codes)
	must.Do(t, err)
	entry := g.Alloc[elsewhere]
	expect.That(t, string(entry.Code) == "code of govMinterv2" && entry.Balance.Int64() == 9 && len(entry.Storage) == 1,
		"upgraded account %+v", entry)
	expect.Equal(t, g.ToBlock().Hash(), info.Hash, "the told hash is wrong")
	moved.Alloc[elsewhere] = types.Account{Balance: new(big.Int), Nonce: 1}
	_, _, err = BuildGenesis(moved, codes)
	expect.Refused(t, err, "an upgrade of an account with a nonce is accepted")
}

// Building is idempotent, and code in the allocation is used when it is the right one (spec chain 9).
func TestBuildTwice(t *testing.T) {
	codes := useTestCodes(t)
	first, info, err := BuildGenesis(devnet(t, 0), codes)
	must.Do(t, err)
	data := must.Get(json.Marshal(first))(t)
	read := must.Get(ReadGenesis(bytes.NewReader(data)))(t)
	if err := CheckAllocation(read); err != nil { // what gwon dumpgenesis prints
		t.Error(err)
	}
	for i := range 2 {
		again, againInfo, err := BuildGenesis(read, nil)
		must.Do(t, err)
		expect.That(t, again.ToBlock().Hash() == info.Hash && len(againInfo.Missing) == 0,
			"round %d: hash %v, want %v; missing %+v", i, again.ToBlock().Hash(), info.Hash, againInfo.Missing)
		read = again
	}
	// Other code at a contract address does not become the contract's.
	entry := read.Alloc[params.GovCouncilAddress]
	entry.Code = []byte("something else")
	read.Alloc[params.GovCouncilAddress] = entry
	expect.Says(t, CheckAllocation(read), "govCouncil", "CheckAllocation of another code")
	g, againInfo, err := BuildGenesis(read, nil)
	must.Do(t, err)
	expect.That(t, len(againInfo.Missing) == 1 && againInfo.Missing[0].Contract == "govCouncil" &&
		len(g.Alloc[params.GovCouncilAddress].Code) == 0,
		"missing %+v, code %q", againInfo.Missing, g.Alloc[params.GovCouncilAddress].Code)
}

func TestCodeSourceIsChecked(t *testing.T) {
	useTestCodes(t)
	lie := func(common.Hash) ([]byte, bool) { return []byte("not what was asked for"), true }
	_, _, err := BuildGenesis(devnet(t, 0), lie)
	expect.Refused(t, err, "code with another hash is accepted")
}

// The entry of a contract address is replaced, but its balance counts in the supply (spec chain 9, steps 4 and 5).
func TestContractAddressInAllocation(t *testing.T) {
	in := devnet(t, 0)
	in.Alloc[params.GovCouncilAddress] = types.Account{
		Balance: big.NewInt(50), Nonce: 7, Extra: types.AccountBlacklisted, Storage: map[common.Hash]common.Hash{{9}: {9}},
	}
	expect.Says(t, CheckAllocation(in), "govCouncil", "CheckAllocation")
	g, _, err := BuildGenesis(in, nil)
	must.Do(t, err)
	entry := g.Alloc[params.GovCouncilAddress]
	expect.That(t, entry.Balance.Sign() == 0 && entry.Extra == 0 && entry.Storage[common.Hash{9}] == (common.Hash{}),
		"entry %+v", entry)
	// The council lists it nevertheless, sorted by bytes, before the flagged account {3}.
	list := entry.Storage
	expect.That(t, list[slotCouncilBlacklist] == word(2) &&
		list[elementSlot(slotCouncilBlacklist, 0)] == addressWord(params.GovCouncilAddress),
		"blacklist of %v entries", list[slotCouncilBlacklist])
	supply := g.Alloc[params.NativeCoinAdapterAddress].Storage[slotAdapterTotalSupply].Big()
	expect.Equal(t, supply.Int64(), 1000+1+5+50, "total supply %v", supply)
	expect.That(t, in.Alloc[params.GovCouncilAddress].Balance.Int64() == 50 && len(in.Alloc) == 6,
		"the input was modified")
	expect.Error(t, CheckAllocation(devnet(t, 0)), nil, "CheckAllocation of an innocent genesis")
}

// Base fee and extra data come from the chain configuration, whatever the file has (spec chain 9, step 8).
func TestGenesisHeader(t *testing.T) {
	in := devnet(t, 0)
	blob := uint64(1)
	in.BaseFee, in.ExtraData, in.ExcessBlobGas, in.BlobGasUsed = big.NewInt(7), []byte("x"), &blob, &blob
	in.GasLimit, in.Difficulty = 0, nil
	in.Nonce, in.Coinbase, in.ParentHash, in.GasUsed = 5, common.Address{6}, common.Hash{7}, 8
	g, _, err := BuildGenesis(in, nil)
	must.Do(t, err)
	h := g.ToBlock().Header()
	expect.That(t, h.BaseFee.Uint64() == params.MinBaseFee && h.GasLimit == gethparams.GenesisGasLimit &&
		h.Difficulty.Cmp(gethparams.GenesisDifficulty) == 0,
		"base fee %v, gas limit %d, difficulty %v", h.BaseFee, h.GasLimit, h.Difficulty)
	expect.That(t, h.Nonce.Uint64() == 5 && h.Coinbase == (common.Address{6}) && h.ParentHash == (common.Hash{7}) &&
		h.GasUsed == 8 && h.Time == 1_700_000_000, "header %+v", h)
	expect.That(t, h.ExcessBlobGas == nil && h.BlobGasUsed == nil && h.WithdrawalsHash == nil,
		"the header has fields of later forks")
	extra := must.Get(h.WBFTExtra())(t)
	expect.That(t, len(extra.Vanity) == 0 && extra.GasTip.Uint64() == params.DefaultGasTip &&
		len(extra.EpochInfo.Validators) == 3, "extra data %+v", extra)
	for i, c := range extra.EpochInfo.Candidates {
		expect.That(t, c.Address == in.Config.Anzeon.Init.Validators[i] && c.Diligence == 1_900_000 &&
			extra.EpochInfo.Validators[i] == uint32(i) &&
			bytes.Equal(extra.EpochInfo.BLSPublicKeys[i], in.Config.Anzeon.Init.BLSPublicKeys[i]), "candidate %d: %+v", i, c)
	}
	// Absent difficulty with a mixHash is 0, and a given 0 stays 0.
	in.Mixhash = common.Hash{1}
	g, _, err = BuildGenesis(in, nil)
	expect.That(t, err == nil && g.Difficulty.Sign() == 0, "with mixHash: %v, %v", g, err)
	in.Mixhash, in.Difficulty = common.Hash{}, new(big.Int)
	g, _, err = BuildGenesis(in, nil)
	expect.That(t, err == nil && g.Difficulty.Sign() == 0, "difficulty 0: %v, %v", g, err)
}

func TestReadGenesis(t *testing.T) {
	cfg := must.Get(json.Marshal(devnet(t, 0).Config))(t)
	file := func(rest string) string { return fmt.Sprintf(`{"config":%s,"alloc":{}%s}`, cfg, rest) }
	for _, c := range []struct {
		name, in   string
		difficulty *big.Int
		gasLimit   uint64
	}{
		{"both absent", file(``), nil, 0},
		{"null", file(`,"difficulty":null,"gasLimit":null`), nil, 0},
		{"zero", file(`,"difficulty":"0x0","gasLimit":"0x0"`), new(big.Int), 0},
		{"given", file(`,"difficulty":"1","gasLimit":"0x10"`), big.NewInt(1), 16},
		{"other case", file(`,"Difficulty":"2","gaslimit":"5"`), big.NewInt(2), 5},
	} {
		g, err := ReadGenesis(strings.NewReader(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		same := (g.Difficulty == nil) == (c.difficulty == nil) && (g.Difficulty == nil || g.Difficulty.Cmp(c.difficulty) == 0)
		expect.That(t, same && g.GasLimit == c.gasLimit, "%s: difficulty %v, gas limit %d", c.name, g.Difficulty, g.GasLimit)
	}
	for name, in := range map[string]string{
		"no json":       `{`,
		"trailing text": file(``) + `{}`,
		"no alloc":      fmt.Sprintf(`{"config":%s}`, cfg),
		"other chain":   `{"config":{"chainId":1},"alloc":{},"gasLimit":"0x1"}`,
		"bad number":    file(`,"difficulty":"zero"`),
	} {
		t.Run(name, func(t *testing.T) {
			g, err := ReadGenesis(strings.NewReader(in))
			expect.Refused(t, err, "%s: accepted as %+v", name, g)
		})
	}
}

// An error about a value names its place in the file and the expected notation, without Go types.
func TestGenesisOfWrongForm(t *testing.T) {
	good := must.Get(json.Marshal(devnet(t, 0)))(t)
	good = withMember(t, good, []string{"alloc"}, `{}`)
	const account = "00000000000000000000000000000000000000aa"
	for _, c := range []struct {
		path  []string
		value string
		want  string
	}{
		{nil, `[]`, "the file must be an object, {...}, not []"},
		{nil, "{\n\n\"config\":", "invalid JSON in line 3: unexpected end of JSON input"},
		{[]string{"config"}, `3`, "config must be an object, {...}, not 3"},
		{[]string{"config", "chainId"}, `"8283"`,
			`config.chainId must be a whole number without quotation marks, not "8283"`},
		{[]string{"config", "londonBlock"}, `1.5`,
			`config.londonBlock must be a whole number without quotation marks, not 1.5`},
		{[]string{"config", "anzeon", "wbft"}, `[]`, "config.anzeon.wbft must be an object, {...}, not []"},
		{[]string{"config", "anzeon", "wbft", "epochLength"}, `"10"`,
			`config.anzeon.wbft.epochLength must be a whole number without quotation marks, not "10"`},
		{[]string{"config", "anzeon", "init", "validators"}, `"0x1"`,
			`config.anzeon.init.validators must be a list, [...], not "0x1"`},
		{[]string{"config", "anzeon", "init", "validators"}, `["0x1"]`,
			`config.anzeon.init.validators[0] must be a string of 0x and 40 hexadecimal digits, not "0x1"`},
		{[]string{"config", "anzeon", "systemContracts", "govMinter", "version"}, `1`,
			"config.anzeon.systemContracts.govMinter.version must be a string, not 1"},
		{[]string{"config", "transitions"}, `[{"block":"7"}]`,
			`config.transitions[0].block must be a whole number without quotation marks, not "7"`},
		{[]string{"config", "transitions"}, `[{"block":7,"epochLength":"9"}]`,
			`config.transitions[0].epochLength must be a whole number without quotation marks, not "9"`},
		{[]string{"timestamp"}, `{}`,
			"timestamp must be a number below 2^64: " +
				"decimal digits, or a string of 0x and hexadecimal digits, not {}"},
		{[]string{"extraData"}, `"0x1"`,
			`extraData must be a string of 0x and an even number of hexadecimal digits, not "0x1"`},
		{[]string{"alloc"}, `[]`, "alloc must be an object, {...}, not []"},
		{[]string{"alloc", "zz"}, `{"balance":"1"}`, `alloc: the key must be an address of 40 hexadecimal digits, not "zz"`},
		{[]string{"alloc", account}, `{"balance":"x1"}`,
			"alloc." + account + `.balance must be a number below 2^256: ` +
				`decimal digits, or a string of 0x and hexadecimal digits, not "x1"`},
		{[]string{"alloc", account}, `{}`, "alloc." + account + ` must be an account with a "balance", and storage`},
		{[]string{"extraData"}, `["` + strings.Repeat("0", 100) + `"]`, strings.Repeat("0", 58) + "..."},
	} {
		data := []byte(c.value)
		if c.path != nil {
			data = withMember(t, good, c.path, c.value)
		}
		_, err := ReadGenesis(bytes.NewReader(data))
		switch {
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%v %s: %v, want %s", c.path, c.value, err, c.want)
		case strings.Contains(err.Error(), "Go "), strings.Contains(err.Error(), "params."),
			strings.Contains(err.Error(), "big."):
			t.Errorf("%v %s: names of this program in %v", c.path, c.value, err)
		}
	}
}

// withMember returns a JSON object in which the value at a path is replaced.
func withMember(t *testing.T, object []byte, path []string, value string) json.RawMessage {
	t.Helper()
	if len(path) == 0 {
		return json.RawMessage(value)
	}
	members := make(map[string]json.RawMessage)
	if len(object) > 0 {
		must.Do(t, json.Unmarshal(object, &members))
	}
	members[path[0]] = withMember(t, members[path[0]], path[1:], value)
	return must.Get(json.Marshal(members))(t)
}

func TestBuildGenesisRefuses(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*gethcore.Genesis)
	}{
		{"no chain configuration", func(g *gethcore.Genesis) { g.Config = nil }},
		{"chainId", func(g *gethcore.Genesis) { g.Config.ChainID = nil }},
		{"londonBlock", func(g *gethcore.Genesis) {
			g.Config.LondonBlock, g.Config.ApplepieBlock, g.Config.BohoBlock = big.NewInt(1), big.NewInt(1), big.NewInt(1)
		}},
		{"number 1", func(g *gethcore.Genesis) { g.Number = 1 }},
		{"gasLimit 4999, must be between 5000", func(g *gethcore.Genesis) { g.GasLimit = 4999 }},
		{"gasLimit 9223372036854775808, must be", func(g *gethcore.Genesis) { g.GasLimit = 1 << 63 }},
		{"difficulty -1", func(g *gethcore.Genesis) { g.Difficulty = big.NewInt(-1) }},
		{"unknown bits", func(g *gethcore.Genesis) { g.Alloc[common.Address{8}] = types.Account{Extra: 1} }},
		{"balance -1", func(g *gethcore.Genesis) { g.Alloc[common.Address{8}] = types.Account{Balance: big.NewInt(-1)} }},
		{"2^256", func(g *gethcore.Genesis) {
			g.Alloc[common.Address{8}] = types.Account{Balance: new(big.Int).Lsh(big.NewInt(1), 256)}
		}},
		{"add up to", func(g *gethcore.Genesis) {
			half := new(big.Int).Lsh(big.NewInt(1), 255)
			g.Alloc[common.Address{8}] = types.Account{Balance: half}
			g.Alloc[common.Address{9}] = types.Account{Balance: half}
		}},
		{"init", func(g *gethcore.Genesis) { g.Config.Anzeon.Init = nil }},
		{"version \"v3\"", func(g *gethcore.Genesis) { g.Config.Anzeon.SystemContracts.GovMinter.Version = "v3" }},
		{"same address", func(g *gethcore.Genesis) {
			g.Config.Anzeon.SystemContracts.GovMinter.Address = g.Config.Anzeon.SystemContracts.GovCouncil.Address
		}},
		{"after genesis cannot have parameters", func(g *gethcore.Genesis) {
			g.Config.BohoBlock = big.NewInt(5)
			g.Config.Boho.SystemContracts.GovCouncil = g.Config.Anzeon.SystemContracts.GovCouncil
		}},
		{"govValidator: parameter \"gasTip\"", func(g *gethcore.Genesis) {
			g.Config.Anzeon.SystemContracts.GovValidator.Params["gasTip"] = ""
		}},
	} {
		t.Run(c.want, func(t *testing.T) {
			g := devnet(t, 0)
			c.change(g)
			_, _, err := BuildGenesis(g, nil)
			expect.That(t, err != nil && strings.Contains(err.Error(), c.want), "want an error with %q, have %v", c.want, err)
		})
	}
}

// A chain without the section anzeon is not changed.
func TestOtherChainsUntouched(t *testing.T) {
	in := gethcore.DefaultSepoliaGenesisBlock()
	out, info, err := BuildGenesis(in, nil)
	must.Do(t, err)
	expect.That(t, out.ToBlock().Hash() == gethparams.SepoliaGenesisHash && len(info.Missing) == 0,
		"hash %v, info %+v", out.ToBlock().Hash(), info)
	expect.Error(t, CheckAllocation(in), nil, "CheckAllocation")
}

// A generated network commits with upstream's code in both state schemes, opens again, and has the built state.
func TestDevnetCommits(t *testing.T) {
	for _, scheme := range []string{rawdb.HashScheme, rawdb.PathScheme} {
		t.Run(scheme, func(t *testing.T) {
			codes := useTestCodes(t)
			g, info, err := BuildGenesis(devnet(t, 7), codes)
			must.Do(t, err)
			db := rawdb.NewMemoryDatabase()
			config := triedb.HashDefaults
			if scheme == rawdb.PathScheme {
				config = &triedb.Config{PathDB: pathdb.Defaults}
			}
			tdb := triedb.NewDatabase(db, config)
			t.Cleanup(func() { expect.Error(t, tdb.Close(), nil, "Close") })

			_, hash, compat, err := gethcore.SetupGenesisBlock(db, tdb, g)
			must.That(t, err == nil && compat == nil, "%v %v", err, compat)
			expect.That(t, hash == info.Hash, "committed %v, told was %v", hash, info.Hash)
			// A second start, with the specification built again and with none.
			again, _, err := BuildGenesis(devnet(t, 7), codes)
			must.Do(t, err)
			for _, spec := range []*gethcore.Genesis{again, nil} {
				cfg, second, compat, err := gethcore.SetupGenesisBlock(db, tdb, spec)
				expect.That(t, err == nil && compat == nil && second == hash && cfg.IsAnzeon(),
					"second start: %v, %v, %v", second, compat, err)
			}
			header := rawdb.ReadHeader(db, hash, 0)
			must.That(t, header != nil, "no header")
			extra := must.Get(header.WBFTExtra())(t)
			expect.That(t, len(extra.EpochInfo.Validators) == 3 && header.Difficulty.Uint64() == 1 &&
				header.GasLimit == params.DefaultGasCeil, "header %+v, extra %+v", header, extra)
			sdb := must.Get(state.New(header.Root, state.NewDatabase(tdb, nil)))(t)
			for a, want := range g.Alloc {
				expect.That(t, sdb.GetNonce(a) == want.Nonce && sdb.GetBalance(a).ToBig().Cmp(want.Balance) == 0 &&
					sdb.GetExtra(a) == want.Extra && bytes.Equal(sdb.GetCode(a), want.Code), "account %v differs", a)
				for slot, value := range want.Storage {
					expect.Equal(t, sdb.GetState(a, slot), value, "account %v: slot %v differs", a, slot)
				}
			}
			// The values that the engine reads (spec wbft 3.7).
			validators, err := ValidatorList(sdb, params.GovValidatorAddress)
			expect.That(t, err == nil && len(validators) == 3, "validators %v, %v", validators, err)
			// The stored specification, flags included, gives the same block again.
			stored := must.Get(gethcore.ReadGenesis(db))(t)
			expect.Equal(t, stored.ToBlock().Hash(), hash, "stored specification has hash")
		})
	}
}

func FuzzReadGenesis(f *testing.F) {
	for _, boho := range []uint64{0, 5} {
		data := must.Get(json.Marshal(devnet(f, boho)))(f)
		f.Add(data)
	}
	f.Add([]byte(`{"config":{"anzeon":{}},"alloc":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := ReadGenesis(bytes.NewReader(data))
		if err != nil || in.Config == nil || !in.Config.IsAnzeon() {
			return
		}
		g, info, err := BuildGenesis(in, nil)
		if err != nil {
			return
		}
		block := g.ToBlock()
		expect.Error(t, expect.Err(block.Header().WBFTExtra()), nil, "built extra data does not decode")
		root, err := GenesisRoot(g.Alloc, nil)
		expect.That(t, err == nil && root == block.Root(), "root %v, %v, upstream has %v", root, err, block.Root())
		again, againInfo, err := BuildGenesis(g, nil)
		expect.That(t, err == nil && again.ToBlock().Hash() == block.Hash() && againInfo.Hash == info.Hash,
			"building twice: %v", err)
	})
}
