// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/triedb"

	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// chainVector is testdata/chain.json.
type chainVector struct {
	Config           *gethparams.ChainConfig `json:"config"`
	GenesisHeaderRLP hexutil.Bytes           `json:"genesisHeaderRlp"`
	Blocks           []blockVector           `json:"blocks"`
}

type blockVector struct {
	Number               uint64           `json:"number"`
	Hash                 common.Hash      `json:"hash"`
	HeaderRLP            hexutil.Bytes    `json:"headerRlp"`
	Validators           []common.Address `json:"validators"`
	Proposer             common.Address   `json:"proposer"`
	Round                uint32           `json:"round"`
	PreparedSealers      []int            `json:"preparedSealers"`
	CommittedSealers     []int            `json:"committedSealers"`
	PrevPreparedSealers  []int            `json:"prevPreparedSealers"`
	PrevCommittedSealers []int            `json:"prevCommittedSealers"`
}

// gasTipSlot is where the contract GovValidator keeps the governed tip (spec wbft 3.7).
var gasTipSlot = common.BigToHash(big.NewInt(0x39))

// testChain is the chain of the vectors up to head, as headers, stateSource and validatorSource.
type testChain struct {
	config    *gethparams.ChainConfig
	headers   []*types.Header
	side      []*types.Header // known, not canonical
	head      uint64
	final     *types.Header
	self      common.Address
	tip       *big.Int // in the state of the head
	failure   error    // answered instead of a set
	setsAsked int
}

func loadChain(t testing.TB) (*testChain, *chainVector) {
	t.Helper()
	var v chainVector
	vectors.Load(t, "chain.json", &v)
	c := &testChain{config: v.Config, head: uint64(len(v.Blocks)), tip: big.NewInt(31_000_000_000_000)}
	c.headers = []*types.Header{vectors.Header(t, v.GenesisHeaderRLP)}
	for _, b := range v.Blocks {
		c.headers = append(c.headers, vectors.Header(t, b.HeaderRLP))
	}
	c.self = v.Blocks[0].Validators[3]
	return c, &v
}

func (c *testChain) Config() *gethparams.ChainConfig  { return c.config }
func (c *testChain) CurrentBlock() *types.Header      { return c.headers[c.head] }
func (c *testChain) CurrentSafeBlock() *types.Header  { return c.final }
func (c *testChain) CurrentFinalBlock() *types.Header { return c.final }
func (c *testChain) NodeAddress() common.Address      { return c.self }
func (c *testChain) ConsensusStatus() any             { return map[string]int{"round": 3} }
func (c *testChain) GetHeaderByNumber(n uint64) *types.Header {
	if n >= uint64(len(c.headers)) {
		return nil
	}
	return c.headers[n]
}

func (c *testChain) GetHeaderByHash(hash common.Hash) *types.Header {
	for _, header := range append(c.headers, c.side...) {
		if header.Hash() == hash {
			return header
		}
	}
	return nil
}

func (c *testChain) GetHeader(hash common.Hash, number uint64) *types.Header {
	if header := c.GetHeaderByHash(hash); header != nil && header.Number.Uint64() == number {
		return header
	}
	return nil
}

func (c *testChain) ValidatorsAt(number uint64) (*validators.Set, error) {
	c.setsAsked++
	if c.failure != nil {
		return nil, c.failure
	}
	if number == 0 || number > c.head+1 {
		return nil, fmt.Errorf("no validators for block %d", number)
	}
	extra, err := types.DecodeWBFTExtra(c.headers[c.config.LastEpochBlock(number-1)].Extra)
	if err != nil {
		return nil, err
	}
	return validators.FromEpochInfo(extra.EpochInfo)
}

func (c *testChain) ValidatorsForHeader(header *types.Header) (*validators.Set, error) {
	return c.ValidatorsAt(header.Number.Uint64())
}

func (c *testChain) StateAt(_ common.Hash, number *big.Int, _ uint64) (*state.StateDB, error) {
	if number.Uint64() == 5 {
		return nil, errors.New("pruned")
	}
	db := state.NewDatabase(triedb.NewDatabase(rawdb.NewMemoryDatabase(), nil), nil)
	s, err := state.New(types.EmptyRootHash, db)
	if err != nil {
		return nil, err
	}
	contract := c.config.Anzeon.SystemContracts.GovValidator.Address
	s.SetNonce(contract, 1, tracing.NonceChangeUnspecified)
	s.SetState(contract, gasTipSlot, common.BigToHash(c.tip))
	if number.Uint64() >= 6 {
		s.SetBlacklisted(common.Address{1}, true)
		s.SetAuthorized(common.Address{2}, true)
	}
	return s, nil
}

// ask calls a method the way a client does and returns result or error as JSON.
func ask(t testing.TB, client *gethrpc.Client, method string, params string) string {
	t.Helper()
	var args []any
	must.Do(t, json.Unmarshal([]byte(params), &args))
	var result json.RawMessage
	err := client.Call(&result, method, args...)
	if err == nil {
		return string(result)
	}
	var coded gethrpc.Error
	must.That(t, errors.As(err, &coded), "%s%s: %v", method, params, err)
	return fmt.Sprintf("%d %s", coded.ErrorCode(), coded)
}

// connect serves APIs to a client in this process, in the order given.
func connect(t testing.TB, apis ...gethrpc.API) *gethrpc.Client {
	t.Helper()
	server := gethrpc.NewServer()
	t.Cleanup(server.Stop)
	for _, api := range apis {
		must.Do(t, server.RegisterName(api.Namespace, api.Service))
	}
	client := gethrpc.DialInProc(server)
	t.Cleanup(client.Close)
	return client
}

func connectIstanbul(t testing.TB, c *testChain) *gethrpc.Client {
	return connect(t,
		gethrpc.API{Namespace: "istanbul", Service: &istanbul{c, c}},
		gethrpc.API{Namespace: "istanbul", Service: &governance{c, c}},
		gethrpc.API{Namespace: "istanbul", Service: &operators{node: c}})
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	out := must.Get(json.Marshal(v))(t)
	return string(out)
}

// Sets of all blocks of the vectors, by number and hash, are in consensus order. spec: rpc 6.1, 6.2
func TestGetValidators(t *testing.T) {
	c, v := loadChain(t)
	client := connectIstanbul(t, c)
	for _, b := range v.Blocks {
		want := toJSON(t, b.Validators)
		expect.Equal(t, ask(t, client, "istanbul_getValidators", fmt.Sprintf(`["%#x"]`, b.Number)), want,
			"block %d: validators", b.Number)
		expect.Equal(t, ask(t, client, "istanbul_getValidatorsAtHash", toJSON(t, []common.Hash{b.Hash})), want,
			"block %d by hash: validators", b.Number)
	}
}

// Each tag selects its block. The head is epoch block 8, so that pending has another set. spec: rpc 6.1, 6.4
func TestValidatorTags(t *testing.T) {
	c, v := loadChain(t)
	c.head, c.final = 8, c.headers[7]
	client := connectIstanbul(t, c)
	initial, old, new := v.Blocks[0].Validators, v.Blocks[7].Validators, v.Blocks[8].Validators
	must.That(t, !reflect.DeepEqual(old, new) && !reflect.DeepEqual(initial, new),
		"the vectors do not tell the sets apart")
	in := func(set []common.Address) string {
		for _, address := range set {
			if address == c.self {
				return "true"
			}
		}
		return "false"
	}
	for _, test := range []struct {
		param string
		want  []common.Address // nil: unknown block
	}{
		{`[]`, old}, {`[null]`, old}, {`["latest"]`, old}, {`["safe"]`, old}, {`["finalized"]`, old},
		{`["pending"]`, new}, {`["earliest"]`, initial}, {`["0x0"]`, initial}, {`["0x1"]`, initial},
		{`["0x8"]`, old}, {`["0x9"]`, nil}, {`["0x7fffffffffffffff"]`, nil},
	} {
		t.Run(test.param, func(t *testing.T) {
			list, member := "-32000 unknown block", "false"
			if test.want != nil {
				list, member = toJSON(t, test.want), in(test.want)
			}
			expect.Equal(t, ask(t, client, "istanbul_getValidators", test.param), list, "getValidators%s", test.param)
			expect.Equal(t, ask(t, client, "istanbul_isValidator", test.param), member, "isValidator%s", test.param)
		})
	}
	if in(old) != "true" || in(new) != "false" && in(new) != "true" {
		t.Fatal("the node is no validator of the vectors")
	}
}

// Without a final block the tag is an error, and so is a failure to read it.
func TestValidatorsUnavailable(t *testing.T) {
	c, _ := loadChain(t)
	client := connectIstanbul(t, c)
	expect.Equal(t, ask(t, client, "istanbul_getValidators", `["finalized"]`), "-32000 unknown block",
		"without a final block")
	got := ask(t, client, "istanbul_getValidatorsAtHash", toJSON(t, []common.Hash{{1}}))
	expect.Equal(t, got, "-32000 unknown block", "unknown hash")
	c.failure = errors.New("database closed")
	expect.Equal(t, ask(t, client, "istanbul_isValidator", `[]`), "-32000 database closed",
		"a failure is no answer to isValidator, got")
	expect.Equal(t, ask(t, client, "istanbul_nodeAddress", `[]`), toJSON(t, c.self), "node address")
}

// Any known header has a set, canonical or not. spec: rpc 6.2
func TestValidatorsOfSideBlock(t *testing.T) {
	c, v := loadChain(t)
	side := types.CopyHeader(c.headers[9])
	side.Time++
	c.side = append(c.side, side)
	client := connectIstanbul(t, c)
	got := ask(t, client, "istanbul_getValidatorsAtHash", toJSON(t, []common.Hash{side.Hash()}))
	expect.Equal(t, got, toJSON(t, v.Blocks[8].Validators), "validators of a side block")
}

// Proposer and committers equal those of the vectors. spec: rpc 6.5, 6.6
func TestCommitSigners(t *testing.T) {
	c, v := loadChain(t)
	client := connectIstanbul(t, c)
	for _, b := range v.Blocks {
		committers := named(b.Validators, b.CommittedSealers)
		want := fmt.Sprintf(`{"Number":%d,"Hash":"%v","Author":%s,"Committers":%s}`, b.Number, b.Hash, toJSON(t, b.Proposer),
			toJSON(t, committers))
		expect.Equal(t, ask(t, client, "istanbul_getCommitSignersFromBlock", fmt.Sprintf(`["%#x"]`, b.Number)), want,
			"block %d", b.Number)
		expect.Equal(t, ask(t, client, "istanbul_getCommitSignersFromBlockByHash", toJSON(t, []common.Hash{b.Hash})), want,
			"block %d by hash", b.Number)
	}
	head := ask(t, client, "istanbul_getCommitSignersFromBlock", `["0xe"]`)
	for params, want := range map[string]string{
		`[]`: head, `["latest"]`: head, `["pending"]`: head,
		`["earliest"]`: "-32000 " + errZeroSeals.Error(), `["0x0"]`: "-32000 " + errZeroSeals.Error(),
		`["0xf"]`: "-32000 unknown block", `["safe"]`: "-32000 unknown block",
	} {
		t.Run(params, func(t *testing.T) {
			expect.Equal(t, ask(t, client, "istanbul_getCommitSignersFromBlock", params), want, "%s", params)
		})
	}
	got := ask(t, client, "istanbul_getCommitSignersFromBlockByHash", toJSON(t, []common.Hash{{1}}))
	expect.Equal(t, got, "-32000 unknown block", "unknown hash")
}

func named(set []common.Address, indices []int) []common.Address {
	list := make([]common.Address, 0, len(indices))
	for _, i := range indices {
		list = append(list, set[i])
	}
	return list
}

// Every validator of an epoch in the range has an entry. Counts over every range of the vectors equal those computed
// from the vectors' own lists. spec: rpc 6.7
func TestStatusCounts(t *testing.T) {
	c, v := loadChain(t)
	client := connectIstanbul(t, c)
	for from := 1; from <= len(v.Blocks); from++ {
		for to := from; to <= len(v.Blocks); to++ {
			want := newSealStatus()
			activity := &want.SealerActivity
			for _, b := range v.Blocks[from-1 : to] {
				for _, m := range want.counts() {
					for _, address := range b.Validators {
						(*m)[address] += 0
					}
				}
				for _, address := range named(b.Validators, b.PreparedSealers) {
					activity.Prepared[address]++
					activity.Total[address]++
				}
				for _, address := range named(b.Validators, b.CommittedSealers) {
					activity.Committed[address]++
					activity.Total[address]++
				}
				if b.Number > 1 {
					parent := v.Blocks[b.Number-2].Validators
					for _, address := range named(parent, b.PrevPreparedSealers) {
						activity.PrevPrepared[address]++
						activity.Total[address]++
					}
					for _, address := range named(parent, b.PrevCommittedSealers) {
						activity.PrevCommitted[address]++
						activity.Total[address]++
					}
				}
				want.Author[b.Proposer]++
				want.RoundStats.RoundDistribution[b.Round]++
			}
			want.BlockRange.StartBlock, want.BlockRange.EndBlock = uint64(from), uint64(to)
			want.BlockRange.TotalBlocks = uint64(to - from + 1)
			got := ask(t, client, "istanbul_status", fmt.Sprintf(`["%#x","%#x"]`, from, to))
			if got != toJSON(t, want) {
				t.Fatalf("blocks %d to %d: %s\nwant %s", from, to, got, toJSON(t, want))
			}
		}
	}
}

// shrunkenSet is a chain whose validators of block 1 were those of block 9, and the other way round.
type shrunkenSet struct{ *testChain }

func (c shrunkenSet) ValidatorsAt(number uint64) (*validators.Set, error) {
	if number > 8 {
		return c.testChain.ValidatorsAt(1)
	}
	return c.testChain.ValidatorsAt(9)
}

// Validators that left with the first block of the range may have sealed the block before it, so they have entries
// among the seals that the first block carries, and no others. spec: rpc 6.7
func TestStatusOfFormerValidators(t *testing.T) {
	c, v := loadChain(t)
	extra := must.Get(types.DecodeWBFTExtra(c.headers[9].Extra))(t)
	extra.PrevPreparedSeal, extra.PrevCommittedSeal = nil, nil // those that left have not sealed
	c.headers[9].Extra = extra.Encode()
	nine := gethrpc.BlockNumber(9)
	status := must.Get((&istanbul{c, shrunkenSet{c}}).Status(t.Context(), &nine, &nine))(t)
	former := 0
	for _, address := range v.Blocks[8].Validators {
		if slices.Contains(v.Blocks[0].Validators, address) {
			continue
		}
		former++
		activity := &status.SealerActivity
		for _, m := range []count{activity.Total, activity.PrevPrepared, activity.PrevCommitted} {
			_, ok := m[address]
			expect.That(t, ok, "%v has no entry", address)
		}
		_, ok := activity.Prepared[address]
		expect.That(t, !ok, "%v is counted among those who could prepare", address)
	}
	must.That(t, former != 0, "no validator has left")
}

// A range has at most 1,024 blocks. The only tag is latest, which is the same head in both bounds.
// spec: rpc 6.7
func TestStatusRange(t *testing.T) {
	const (
		noEnd    = "-32000 pass the end block number"
		noStart  = "-32000 pass the start block number"
		reversed = "-32000 start block number should be less than end block number"
		above    = "-32000 end block number should be less than or equal to current block height"
	)
	c, _ := loadChain(t)
	c.final = c.headers[12]
	client := connectIstanbul(t, c)
	long := connect(t, gethrpc.API{Namespace: "istanbul", Service: &istanbul{chain: headAt{number: 5000}}})
	for _, test := range []struct {
		client       *gethrpc.Client
		params, want string
	}{
		{client, `["0x1"]`, noEnd}, {client, `["0x1",null]`, noEnd}, {client, `[null,"0x1"]`, noStart},
		{client, `["0x3","0x2"]`, reversed}, {client, `["latest","0x2"]`, reversed},
		{client, `["0xe","0xf"]`, above}, {client, `["0xd","0x7fffffffffffffff"]`, above},
		{client, `["0x3","0x3"]`, `"startBlock":3,"endBlock":3,"totalBlocks":1`},
		{client, `["0x3","latest"]`, `"startBlock":3,"endBlock":14,"totalBlocks":12`},
		{client, `["latest","latest"]`, `"startBlock":14,"endBlock":14,"totalBlocks":1`},
		{client, `["0x0","0x2"]`, `"startBlock":0,"endBlock":2,"totalBlocks":3`},
		{client, `["earliest","0x2"]`, "-32000 unsupported block number: -5"},
		{client, `["0x0","0x0"]`, `"startBlock":0,"endBlock":0,"totalBlocks":1`},
		{client, `["0x1","pending"]`, "-32000 unsupported block number: -1"},
		{client, `["0x1","finalized"]`, "-32000 unsupported block number: -3"},
		{client, `["safe","latest"]`, "-32000 unsupported block number: -4"},
		{long, `["0x1","0x401"]`, "-32000 requested range too large: 1025 blocks (max 1024)"},
		{long, `["0x0","latest"]`, "-32000 requested range too large: 5001 blocks (max 1024)"},
		{long, `["0x1","0x400"]`, "-32000 block 1 not found"}, // a range that is not too large, of a chain without blocks
	} {
		t.Run(test.params, func(t *testing.T) {
			expect.Contains(t, ask(t, test.client, "istanbul_status", test.params), test.want, "status%s", test.params)
		})
	}
	c.head = 0
	want := `"blockRange":{"startBlock":0,"endBlock":0,"totalBlocks":1},"roundStats":{"roundDistribution":{"0":1}}`
	expect.Contains(t, ask(t, client, "istanbul_status", `[]`), want, "status of a fresh chain")
}

// A block that cannot be read fails the whole call. spec: rpc 6.7
func TestStatusOfUnreadableBlocks(t *testing.T) {
	for _, test := range []struct {
		name, want string
		damage     func(c *testChain)
	}{
		{"missing", "-32000 block 6 not found", func(c *testChain) { c.headers[6] = nil }},
		{"extra data", "-32000 block 6: failed to extract WBFT extra: ",
			func(c *testChain) { c.headers[6].Extra = []byte{1} }},
		{"validators", "-32000 block 5: failed to get validators: database closed", func(c *testChain) {
			c.failure = errors.New("database closed")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := loadChain(t)
			test.damage(c)
			got := ask(t, connectIstanbul(t, c), "istanbul_status", `["0x5","0x7"]`)
			expect.That(t, strings.HasPrefix(got, test.want), "%s, want %s", got, test.want)
		})
	}
}

// The author of genesis is the zero address. spec: rpc 6.7
func TestStatusGenesis(t *testing.T) {
	c, _ := loadChain(t)
	client := connectIstanbul(t, c)
	got := ask(t, client, "istanbul_status", `["0x0","0x1"]`)
	expect.Contains(t, got, `"author":{"0x0000000000000000000000000000000000000000":1,`, "status with genesis")
}

// A range reads the validators once per epoch, not once per block.
func TestStatusAsksForEachSetOnce(t *testing.T) {
	c, _ := loadChain(t)
	client := connectIstanbul(t, c)
	ask(t, client, "istanbul_status", `["0x1","0xe"]`)
	expect.That(t, c.setsAsked <= 5, "asked %d times for the sets of 4 epochs", c.setsAsked)
}

// The default range is the last 64 blocks, from 0 on while there are fewer. spec: rpc 6.7
func TestStatusWindow(t *testing.T) {
	ranges := map[uint64][2]uint64{0: {0, 0}, 1: {0, 1}, 62: {0, 62}, 63: {0, 63}, 64: {1, 64}, 1000: {937, 1000}}
	for head, want := range ranges {
		service := &istanbul{chain: headAt{number: head}}
		from, to, err := service.statusBlocks(nil, nil)
		expect.That(t, err == nil && from == want[0] && to == want[1],
			"head %d: from %d to %d (%v), want %v", head, from, to, err, want)
	}
}

// headAt is a chain of which only the height matters.
type headAt struct {
	headers
	number uint64
}

func (h headAt) CurrentBlock() *types.Header {
	return &types.Header{Number: new(big.Int).SetUint64(h.number)}
}

func (h headAt) GetHeaderByNumber(uint64) *types.Header { return nil }

// The seals of block 9 belong to the validators that block 8 appoints, its late seals to the previous set. spec: rpc
// 6.8
func TestExtraInfo(t *testing.T) {
	c, v := loadChain(t)
	c.final = c.headers[8]
	client := connectIstanbul(t, c)
	var info struct {
		VanityData                                                       string
		RandaoReveal                                                     hexutil.Bytes
		PrevRound                                                        string
		Round                                                            string
		GasTip                                                           string
		PreparedSeal, CommittedSeal, PrevPreparedSeal, PrevCommittedSeal *struct {
			Sealers   []string
			Signature hexutil.Bytes
		}
		EpochInfo *struct {
			Candidates []struct{ Addr, Diligence string }
			Validators []struct{ Index, Addr, BLS string }
		}
	}
	get := func(block string) {
		t.Helper()
		info.EpochInfo = nil
		answer := ask(t, client, "istanbul_getWbftExtraInfo", fmt.Sprintf(`[%q]`, block))
		must.Do(t, json.Unmarshal([]byte(answer), &info), answer)
	}
	for _, b := range v.Blocks {
		get(fmt.Sprintf("%#x", b.Number))
		parent := b.Validators
		if b.Number > 1 {
			parent = v.Blocks[b.Number-2].Validators
		}
		for _, part := range []struct {
			name string
			seal *struct {
				Sealers   []string
				Signature hexutil.Bytes
			}
			set     []common.Address
			indices []int
		}{
			{"prepared", info.PreparedSeal, b.Validators, b.PreparedSealers},
			{"committed", info.CommittedSeal, b.Validators, b.CommittedSealers},
			{"carried prepared", info.PrevPreparedSeal, parent, b.PrevPreparedSealers},
			{"carried committed", info.PrevCommittedSeal, parent, b.PrevCommittedSealers},
		} {
			t.Run(part.name, func(t *testing.T) {
				if part.indices == nil {
					expect.That(t, part.seal == nil, "block %d has no %s seal, got one", b.Number, part.name)
					return
				}
				var want []string
				for _, address := range named(part.set, part.indices) {
					want = append(want, address.Hex())
				}
				expect.That(t, part.seal != nil && reflect.DeepEqual(part.seal.Sealers, want) && len(part.seal.Signature) == 96,
					"block %d, %s seal: %+v, want sealers %v", b.Number, part.name, part.seal, want)
			})
		}
		expect.That(t, info.VanityData == hexutil.Encode(common.RightPadBytes([]byte("wbft-vectors"), 32)) &&
			info.GasTip == "27600000000000" && len(info.RandaoReveal) == 65 &&
			info.Round == hexutil.EncodeUint64(uint64(b.Round)), "block %d: %+v", b.Number, info)
		expect.Equal(t, info.EpochInfo != nil, b.Number%4 == 0, "block %d: epoch info %+v", b.Number, info.EpochInfo)
	}
	get("0x8")
	first := info.EpochInfo.Validators[0]
	top := info.EpochInfo.Candidates[0]
	expect.That(t, top.Addr == "0xedcC9FbAadACc0607e7D72f554c68B88448ac8b6" && top.Diligence == "0x1b66e4",
		"first candidate %+v", top)
	expect.That(t, first.Index == "0x1" && first.Addr == "0xC7406e960361214e4e7a2D6e970a4e632339E8BD" &&
		strings.HasPrefix(first.BLS, "0xacd1c3c4"), "first validator %+v", first)
	expect.Equal(t, info.PrevRound, "0x2", "round of the carried seals")
}

// Blocks without consensus data are errors, and keys have go-stablenet's order. spec: rpc 6.8
func TestExtraInfoBlocks(t *testing.T) {
	c, _ := loadChain(t)
	c.final = c.headers[8]
	client := connectIstanbul(t, c)
	genesis := ask(t, client, "istanbul_getWbftExtraInfo", `["earliest"]`)
	start := `{"vanityData":"0x","randaoReveal":"0x","prevRound":"0x0","prevPreparedSeal":null,"prevCommittedSeal":null,` +
		`"round":"0x0","preparedSeal":null,"committedSeal":null,"gasTip":"27600000000000",` +
		`"epochInfo":{"candidates":[{"addr":"0x2Cd05BF84F8FC340D262A6072B26197900a5d1c3","diligence":"0x1cfde0"}`
	expect.That(t, strings.HasPrefix(genesis, start), "genesis: %s\nwant %s…", genesis, start)
	head, final := ask(t, client, "istanbul_getWbftExtraInfo", `["0xe"]`),
		ask(t, client, "istanbul_getWbftExtraInfo", `["0x8"]`)
	for params, want := range map[string]string{
		`["latest"]`: head, `["pending"]`: head, `["finalized"]`: final, `["safe"]`: final, `["0x0"]`: genesis,
		`["0xf"]`: "-32000 block 15 not found", `[]`: "-32602 missing value for required argument 0",
	} {
		t.Run(params, func(t *testing.T) {
			expect.Equal(t, ask(t, client, "istanbul_getWbftExtraInfo", params), want, "%s", params)
		})
	}
	c.config = &gethparams.ChainConfig{ChainID: big.NewInt(1)}
	expect.Equal(t, ask(t, client, "istanbul_getWbftExtraInfo", `["0x0"]`), "-32000 block is not a wbft block",
		"on another chain")
}

// The vanity is shown as its bytes, of any content. spec: rpc 6.8
func TestVanityData(t *testing.T) {
	for _, vanity := range [][]byte{
		nil, make([]byte, 32), []byte("wbft-vectors"), {0xff, 0xfe}, {0xf9, 0xff, 0xff}, []byte("line\nbreak"),
		common.Hex2Bytes("d883010001846765746888676f312e32362e38856c696e7578"), // the other client's own
	} {
		t.Run(hexutil.Encode(vanity), func(t *testing.T) {
			c, _ := loadChain(t)
			extra := must.Get(types.DecodeWBFTExtra(c.headers[3].Extra))(t)
			extra.Vanity = vanity
			c.headers[3].Extra = extra.Encode()
			want := `{"vanityData":"` + hexutil.Encode(vanity) + `",`
			got := ask(t, connectIstanbul(t, c), "istanbul_getWbftExtraInfo", `["0x3"]`)
			expect.That(t, strings.HasPrefix(got, want), "%s, want %s", got, want)
		})
	}
}

// The governed tip of a block comes from its header, that of the next block from the state. spec: rpc 11 no. 14
func TestGasTip(t *testing.T) {
	c, _ := loadChain(t)
	client := connectIstanbul(t, c)
	for params, want := range map[string]string{
		`[]`: `"0x1c31bffcf000"`, `["pending"]`: `"0x1c31bffcf000"`,
		`["latest"]`: `"0x191a20322000"`, `["0x3"]`: `"0x191a20322000"`, `["0xf"]`: "-32000 unknown block",
	} {
		t.Run(params, func(t *testing.T) {
			expect.Equal(t, ask(t, client, "istanbul_gasTip", params), want, "gasTip%s", params)
		})
	}
}

// Block 6 sets account flags; the state of block 5 is pruned. spec: rpc 11 no. 14
func TestAccountFlags(t *testing.T) {
	const none = `{"blacklisted":false,"authorized":false}`
	c, _ := loadChain(t)
	client := connectIstanbul(t, c)
	blacklisted, authorized := common.Address{1}.Hex(), common.Address{2}.Hex()
	for _, test := range []struct {
		params []any
		want   string
	}{
		{[]any{blacklisted}, `{"blacklisted":true,"authorized":false}`},
		{[]any{authorized, "pending"}, `{"blacklisted":false,"authorized":true}`},
		{[]any{common.Address{3}}, none},
		{[]any{blacklisted, "0x4"}, none},
		{[]any{blacklisted, "0x5"}, "-32000 the state of block 5 is not stored on this node: pruned"},
		{[]any{blacklisted, "0xf"}, "-32000 unknown block"},
		{[]any{}, "-32602 missing value for required argument 0"},
	} {
		expect.Equal(t, ask(t, client, "istanbul_accountFlags", toJSON(t, test.params)), test.want,
			"accountFlags%v", test.params)
	}
}

// The proposers of the vectors are known one block before. spec: wbft 3.3
func TestNextProposer(t *testing.T) {
	c, v := loadChain(t)
	client := connectIstanbul(t, c)
	for _, b := range v.Blocks {
		c.head = b.Number - 1
		got := ask(t, client, "istanbul_nextProposer", fmt.Sprintf(`["%#x"]`, b.Round))
		expect.That(t, got == toJSON(t, b.Proposer), "block %d, round %d: %s, want %v", b.Number, b.Round, got, b.Proposer)
		got = ask(t, client, "istanbul_nextProposer", `[]`)
		expect.That(t, b.Round != 0 || got == toJSON(t, b.Proposer), "block %d: %s, want %v", b.Number, got, b.Proposer)
	}
}

// EpochInfo returns the epoch of a block and its end. spec: wbft 3.4
func TestEpochInfo(t *testing.T) {
	c, _ := loadChain(t)
	client := connectIstanbul(t, c)
	for block, want := range map[string]string{
		"0x0": `{"number":"0x0","next":"0x4","candidates":[`, "0x3": `{"number":"0x0","next":"0x4"`,
		"0x4": `{"number":"0x4","next":"0x8"`, "latest": `{"number":"0xc","next":"0x10"`,
	} {
		t.Run(block, func(t *testing.T) {
			got := ask(t, client, "istanbul_epochInfo", fmt.Sprintf(`[%q]`, block))
			expect.That(t, strings.HasPrefix(got, want), "epochInfo(%s) = %s, want %s…", block, got, want)
		})
	}
	config := *c.config
	config.Transitions = []gethparams.Transition{{Block: big.NewInt(14),
		WBFTConfig: &gethparams.WBFTConfig{EpochLength: 9}}}
	c.config = &config
	c.head = 13
	got := ask(t, client, "istanbul_epochInfo", `[]`)
	expect.That(t, strings.HasPrefix(got, `{"number":"0xc","next":"0xe"`), "before a transition: %s", got)
}

// On a public node the consensus status exists on the operator's endpoint only.
func TestConsensusStatusIsTheOperators(t *testing.T) {
	c, _ := loadChain(t)
	server := gethrpc.NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, server.RegisterName("istanbul", &operators{node: c, public: true}))
	const absent = "-32601 the method istanbul_consensusStatus does not exist/is not available"
	for _, test := range []struct {
		name    string
		handler http.Handler
		want    string
	}{
		{"public", server, absent},
		{"operator", OperatorHandler(server), `{"round":3}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			endpoint := httptest.NewServer(test.handler)
			t.Cleanup(endpoint.Close)
			client := must.Get(gethrpc.Dial(endpoint.URL))(t)
			t.Cleanup(client.Close)
			expect.Equal(t, ask(t, client, "istanbul_consensusStatus", `[]`), test.want, "%s", test.name)
		})
	}
}

// keyless and the miner's switches work without a chain.
func TestPublicProfileHasNoKeys(t *testing.T) {
	client := connect(t, gethrpc.API{Namespace: "eth", Service: keyless{}})
	for _, method := range []string{"accounts", "pendingTransactions", "sign", "signTransaction", "sendTransaction",
		"resend", "signRawFeeDelegateTransaction"} {
		want := "-32601 the method eth_" + method + " does not exist/is not available"
		for _, params := range []string{`[]`, `["0x01","0x02"]`, `[{"from":1},[],null]`} {
			expect.Equal(t, ask(t, client, "eth_"+method, params), want, "%s%s", method, params)
		}
	}
	expect.Deep(t, PublicModules(), []string{"eth", "net", "web3", "txpool", "istanbul"}, "public modules")
}
