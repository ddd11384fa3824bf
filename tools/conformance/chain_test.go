// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/json"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/params"
)

// sealedChain is a chain of three blocks beyond an epoch that a quorum has sealed, with what a fixture needs of it.
type sealedChain struct {
	t       *testing.T
	net     *wbfttest.Network
	engine  *wbft.Engine
	headers []*types.Header // from genesis on
}

func newSealedChain(t *testing.T) *sealedChain {
	net := wbfttest.New(t, 4)
	net.Genesis.Config.ChainID = new(big.Int).SetUint64(params.MainnetChainID) // of the preset that fixtures name
	chain, engine := net.Chain(t)
	c := &sealedChain{t, net, engine, []*types.Header{chain.Genesis().Header()}}
	for _, b := range net.Extend(t, chain, int(wbfttest.EpochLength)+3) {
		c.headers = append(c.headers, b.Header())
	}
	return c
}

func (c *sealedChain) encoded(h *types.Header) string {
	c.t.Helper()
	b, err := rlp.EncodeToBytes(h)
	if err != nil {
		c.t.Fatal(err)
	}
	return toHex(b)
}

// fixture describes the headers below a number, without those left out.
func (c *sealedChain) fixture(end int, without ...int) record {
	init := c.net.Genesis.Config.Anzeon.Init
	keys := []any{}
	for _, k := range init.BLSPublicKeys {
		keys = append(keys, toHex(k))
	}
	list := []any{}
next:
	for i := 1; i < end; i++ {
		for _, w := range without {
			if w == i {
				continue next
			}
		}
		list = append(list, c.encoded(c.headers[i]))
	}
	return record{
		"config": record{
			"preset": "8282",
			"init":   record{"validators": listOf(init.Validators, addressItem), "bls_public_keys": keys},
			"wbft": record{
				"request_timeout_seconds": "2", "block_period_seconds": "1", "epoch_length": decimal(wbfttest.EpochLength),
				"allowed_future_block_time": "0", "proposer_policy": "0", "max_request_timeout_seconds": nil,
			},
			"transitions": []any{}, "shanghai_time": nil, "cancun_time": nil,
		},
		"genesis": c.encoded(c.headers[0]), "headers": list,
	}
}

// ask runs a case through the adapter, as JSON.
func ask(t *testing.T, name string, input record) result {
	t.Helper()
	encoded, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(encoded, &fields); err != nil {
		t.Fatal(err)
	}
	r := answerCase(1, name, fields)
	if r.Status != statusOK {
		return r
	}
	if encoded, err = json.Marshal(r.Output); err != nil {
		t.Fatal(err)
	}
	r.Output = nil
	if err := json.Unmarshal(encoded, &r.Output); err != nil {
		t.Fatal(err)
	}
	return r
}

const longAgo, farAhead = "1", "2000000000"

// Headers of a sealed chain, whole and bent, get the verdicts of spec wbft 7.1.
func TestHeaderHandlers(t *testing.T) {
	c := newSealedChain(t)
	last := int(wbfttest.EpochLength) + 2
	bent := types.CopyHeader(c.headers[last])
	bent.MixDigest[0] ^= 1
	shanghai := c.fixture(last)
	shanghai["config"].(record)["shanghai_time"] = "0"
	parentless := c.fixture(last, last-1)
	epochless := c.fixture(last, int(wbfttest.EpochLength))
	for name, row := range map[string]struct {
		handler string
		input   record
		key     string
		want    any
	}{
		"accepted": {"header/verify_header", record{"chain": c.fixture(last), "header": c.encoded(c.headers[last]),
			"now": farAhead}, "verdict", accept},
		"deferred": {"header/verify_header", record{"chain": c.fixture(last), "header": c.encoded(c.headers[last]),
			"now": longAgo}, "verdict", deferred},
		"bent": {"header/verify_header", record{"chain": c.fixture(last), "header": c.encoded(bent),
			"now": farAhead}, "verdict", reject},
		"no parent": {"header/verify_header", record{"chain": parentless, "header": c.encoded(c.headers[last]),
			"now": farAhead}, "verdict", reject},
		"shanghai": {"header/verify_header", record{"chain": shanghai, "header": c.encoded(c.headers[last]),
			"now": farAhead}, "verdict", reject},
		"batch": {"header/verify_headers", record{"chain": c.fixture(last - 1),
			"headers": []any{c.encoded(c.headers[last-1]), c.encoded(bent), c.encoded(c.headers[last])}, "now": farAhead},
			"verdicts", []any{accept, reject, reject}},
		"light": {"header/verify_light", record{"chain": c.fixture(last), "header": c.encoded(c.headers[last])},
			"result", valid},
		"light epoch": {"header/verify_light", record{"chain": c.fixture(int(wbfttest.EpochLength)),
			"header": c.encoded(c.headers[wbfttest.EpochLength])}, "result", valid},
		"light, bent": {"header/verify_light", record{"chain": c.fixture(last), "header": c.encoded(bent)}, "result",
			invalid},
		"light, orphan": {"header/verify_light", record{"chain": parentless, "header": c.encoded(c.headers[last])},
			"result", cannotDecide},
		"light, no set": {"header/verify_light", record{"chain": epochless, "header": c.encoded(c.headers[last])},
			"result", cannotDecide},
		"light, genesis": {"header/verify_light", record{"chain": c.fixture(last), "header": c.encoded(c.headers[0])},
			"result", cannotDecide},
	} {
		t.Run(name, func(t *testing.T) {
			r := ask(t, row.handler, row.input)
			if r.Status != statusOK {
				t.Fatalf("%s: %s", r.Status, r.Message)
			}
			if d := difference("", record{row.key: row.want}, r.Output); d != "" {
				t.Error(d)
			}
		})
	}
}

// A header that the adapter builds carries the seals of its parent and passes as a proposal (spec wbft 6.2).
func TestBuildProposalHeader(t *testing.T) {
	c := newSealedChain(t)
	number := int(wbfttest.EpochLength) + 2
	parent, own := c.headers[number-1], c.headers[number]
	skeleton := types.CopyHeader(own)
	skeleton.Extra, skeleton.MixDigest, skeleton.Time = []byte("vector"), common.Hash{}, 0
	input := record{
		"chain": c.fixture(number), "header": c.encoded(skeleton),
		"node_key": toHex(crypto.FromECDSA(c.net.Keys[own.Coinbase])),
		"gas_tip":  "7", "extra_prepared": []any{}, "extra_committed": []any{}, "now": decimal(parent.Time),
	}
	r := ask(t, "header/build_proposal_header", input)
	if r.Status != statusOK {
		t.Fatalf("%s: %s", r.Status, r.Message)
	}
	built, err := decodeHeader(common.FromHex(r.Output.(record)["header"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	x, err := built.WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := parent.WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	if x.GasTip.Int64() != 7 || !bytes.HasPrefix(x.Vanity, []byte("vector")) || built.Time != parent.Time+1 ||
		!bytes.Equal(x.PrevCommittedSeal.Signature, sealed.CommittedSeal.Signature) {
		t.Errorf("header %v, extra %+v", built, x)
	}
	f, err := readFixture(newReader(jsonOf(t, input)).object("chain"))
	if err != nil {
		t.Fatal(err)
	}
	setClock(f, built.Time)
	if err := f.engine.VerifyProposal(f, built); err != nil {
		t.Errorf("the built header is no proposal: %v", err)
	}
	wordy := types.CopyHeader(skeleton)
	wordy.Extra = own.Extra
	long := jsonOf(t, input)
	long["header"] = c.encoded(wordy)
	r = ask(t, "header/build_proposal_header", long)
	v := vector{runner: "header", handler: "build_proposal_header", input: long}
	if r.Status != statusError || explain(v, r) == "" {
		t.Errorf("extra data for a vanity: %s, explained by %q", r.Status, explain(v, r))
	}
	v.input = jsonOf(t, input)
	if rule := explain(v, result{Status: statusError}); rule != "" {
		t.Errorf("a failure with a short vanity is explained by %q", rule)
	}
	input["gas_tip"] = nil
	if r := ask(t, "header/build_proposal_header", input); r.Status != statusError {
		t.Errorf("status %s without a gas tip", r.Status)
	}
}

func jsonOf(t *testing.T, value record) map[string]any {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(encoded, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// The set of a block and the epoch info of the next epoch are those of the chain (spec wbft 3.1, 3.5).
func TestEpochHandlers(t *testing.T) {
	c := newSealedChain(t)
	epoch := c.headers[wbfttest.EpochLength]
	x, err := epoch.WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	init := c.net.Genesis.Config.Anzeon.Init
	candidates := []any{}
	for i, a := range init.Validators {
		candidates = append(candidates, record{"address": addressItem(a), "bls_public_key": toHex(init.BLSPublicKeys[i])})
	}
	want := writeEpochInfo(x.EpochInfo)
	x.EpochInfo = nil
	bare := types.CopyHeader(epoch)
	bare.Extra = x.Encode()
	r := ask(t, "validators/next_epoch_info", record{
		"chain": c.fixture(int(wbfttest.EpochLength)), "header": c.encoded(bare), "candidates": candidates,
	})
	if d := difference("", jsonOf(t, record{"epoch_info": want}), r.Output); r.Status != statusOK || d != "" {
		t.Errorf("%s %s: %s", r.Status, r.Message, d)
	}
	r = ask(t, "validators/next_epoch_info", record{"chain": c.fixture(5), "header": c.encoded(c.headers[5]),
		"candidates": candidates})
	if d := difference("", record{"epoch_info": nil}, r.Output); r.Status != statusOK || d != "" {
		t.Errorf("block 5: %s %s: %s", r.Status, r.Message, d)
	}
	for _, number := range []int{0, 1, 3} {
		input := record{"chain": c.fixture(4), "number": decimal(number), "parent_hash": hashItem(common.Hash{})}
		if number > 0 {
			input["parent_hash"] = hashItem(c.headers[number-1].Hash())
		}
		r := ask(t, "validators/validators_at", input)
		if d := difference("", record{"validators": candidates, "proposer_policy": "0"},
			r.Output); r.Status != statusOK || d != "" {
			t.Errorf("block %d: %s %s: %s", number, r.Status, r.Message, d)
		}
	}
}

// A header is rejected where the configuration sets a time fork, also ahead of its time, and that difference alone is
// explained by it (spec chain 1.1).
func TestRefusedAtStart(t *testing.T) {
	c := newSealedChain(t)
	for _, times := range []any{nil, farAhead} {
		fixture := c.fixture(3)
		fixture["config"].(record)["shanghai_time"] = times
		input := record{"chain": fixture, "header": c.encoded(c.headers[3]), "now": farAhead}
		r := ask(t, "header/verify_header", input)
		v := vector{runner: "header", handler: "verify_header", input: jsonOf(t, input)}
		v.expected = record{"verdict": accept}
		if differs := given(r, "verdict") != accept; differs != (times != nil) || differs != (explain(v, r) != "") {
			t.Errorf("shanghai_time %v: %v, explained by %q", times, r.Output, explain(v, r))
		}
	}
}

// Epoch info that no seals can be verified with is refused, and only that difference is a deviation (spec wbft 3.5).
func TestUnusableEpochs(t *testing.T) {
	c := newSealedChain(t)
	init := c.net.Genesis.Config.Anzeon.Init
	epoch := types.CopyHeader(c.headers[wbfttest.EpochLength])
	for name, row := range map[string]struct {
		keys      func(i int) string
		status    string
		explained bool
	}{
		"good keys": {func(i int) string { return toHex(init.BLSPublicKeys[i]) }, statusOK, false},
		"no keys":   {func(int) string { return "0x" }, statusError, true},
		"short key": {func(i int) string { return toHex(init.BLSPublicKeys[i][i:]) }, statusError, true},
	} {
		candidates, keys := []any{}, []any{}
		for i, a := range init.Validators {
			candidates = append(candidates, record{"address": addressItem(a), "bls_public_key": row.keys(i)})
			if row.keys(i) != "0x" {
				keys = append(keys, row.keys(i))
			}
		}
		r := ask(t, "validators/next_epoch_info", record{
			"chain": c.fixture(int(wbfttest.EpochLength)), "header": c.encoded(epoch), "candidates": candidates,
		})
		v := vector{runner: "validators", handler: "next_epoch_info"}
		v.expected = record{"epoch_info": record{"bls_public_keys": keys}}
		if r.Status != row.status || (explain(v, result{Status: statusError}) != "") != row.explained {
			t.Errorf("%s: %s %s, explained by %q", name, r.Status, r.Message, explain(v, r))
		}
	}
}

// A configuration that no node runs makes the operation fail with an error, not with a panic (spec chain 1.3).
func TestRefusedConfiguration(t *testing.T) {
	c := newSealedChain(t)
	twice := c.fixture(4)
	init := twice["config"].(record)["init"].(record)
	for _, key := range []string{"validators", "bls_public_keys"} {
		list := init[key].([]any)
		init[key] = append(list[:1:1], list...)
	}
	endless := c.fixture(4)["config"].(record)
	endless["wbft"].(record)["epoch_length"] = "0"
	for name, input := range map[string]record{
		"validators/validators_at":   {"chain": twice, "number": "3", "parent_hash": hashItem(c.headers[2].Hash())},
		"validators/next_epoch_info": {"chain": twice, "header": c.encoded(c.headers[4]), "candidates": []any{}},
		"validators/epoch_boundary":  {"config": endless, "number": "4"},
	} {
		if r := ask(t, name, input); r.Status != statusError || r.ErrorClass != operationClass || r.Message == "" {
			t.Errorf("%s: %s %s %s", name, r.Status, r.ErrorClass, r.Message)
		}
	}
}

// The end of a block gives the base fee to the validators, and refuses another gas tip than the parent's (spec wbft
// 6.4).
func TestProcessFinalize(t *testing.T) {
	c := newSealedChain(t)
	header := types.CopyHeader(c.headers[3])
	header.GasUsed = 21000
	x, err := header.WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	input := record{
		"chain": c.fixture(3), "header": c.encoded(header), "parent_gas_tip": x.GasTip.String(), "path": importPath,
		"accounts": []any{record{
			"address": addressItem(header.Coinbase), "balance": "5", "nonce": "0", "extra": "0", "code": "0x",
			"storage": []any{},
		}},
	}
	r := ask(t, "execution/process_finalize", input)
	if r.Status != statusOK {
		t.Fatalf("%s: %s", r.Status, r.Message)
	}
	share := new(big.Int).Div(new(big.Int).Mul(header.BaseFee, big.NewInt(21000)), big.NewInt(4))
	got := r.Output.(record)
	if d := difference("", []any{record{
		"address": addressItem(header.Coinbase), "balance": share.Add(share, big.NewInt(5)).String(),
		"code_hash": hashItem(types.EmptyCodeHash),
	}}, got["accounts"]); d != "" || got["epoch_info"] != nil || got["root"] == hashItem(types.EmptyRootHash) {
		t.Errorf("%s; output %v", d, got)
	}
	unpriced, orphan := types.CopyHeader(header), types.CopyHeader(header)
	unpriced.BaseFee, orphan.ParentHash = nil, common.Hash{1}
	for _, bad := range []*types.Header{unpriced, orphan} {
		bent := jsonOf(t, input)
		bent["header"] = c.encoded(bad)
		if r := ask(t, "execution/process_finalize", bent); r.Status != statusError || r.ErrorClass != operationClass {
			t.Errorf("%v: %s %s %s", bad, r.Status, r.ErrorClass, r.Message)
		}
	}
	for key, value := range map[string]any{"parent_gas_tip": "1", "path": proposePath} {
		bent := record{}
		for k, v := range input {
			bent[k] = v
		}
		bent[key] = value
		want := map[string]string{"parent_gas_tip": statusError, "path": statusOK}[key]
		if r := ask(t, "execution/process_finalize", bent); r.Status != want {
			t.Errorf("%s %v: %s %s, want %s", key, value, r.Status, r.Message, want)
		}
	}
}

// An upgrade to code that is not part of the program gives the hash of that code, and a root with it (spec wbft 6.4
// step 1).
func TestUpgradeWithoutCode(t *testing.T) {
	c := newSealedChain(t)
	header := types.CopyHeader(c.headers[3])
	x, err := header.WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	fixture := c.fixture(3)
	fixture["config"].(record)["boho_block"] = "3"
	r := ask(t, "execution/process_finalize", record{
		"chain": fixture, "header": c.encoded(header), "parent_gas_tip": x.GasTip.String(), "path": importPath,
		"accounts": []any{},
	})
	if r.Status != statusOK {
		t.Fatalf("%s: %s", r.Status, r.Message)
	}
	wanted, ok := wantedCode("govMinter", params.V2)
	if d := difference("", []any{record{
		"address": addressItem(params.GovMinterAddress), "balance": "0", "code_hash": hashItem(wanted),
	}}, r.Output.(record)["accounts"]); !ok || d != "" {
		t.Error(d)
	}
}
