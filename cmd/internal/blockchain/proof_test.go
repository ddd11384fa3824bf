// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// proofSource is a chain whose blocks are proven.
type proofSource struct {
	*gethcore.BlockChain
	config *gethparams.ChainConfig
}

func (c proofSource) Header(number uint64) *types.Header { return c.GetHeaderByNumber(number) }

func (c proofSource) LastEpochBlock(number uint64) uint64 { return c.config.LastEpochBlock(number) }

// The command believes a proof that starts from the trusted block, from a file or standard input, and no other.
// spec: wbft 7.5
func TestProofVerify(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, _ := net.Chain(t)
	net.Extend(t, chain, 6)
	proof := must.Get(finality.Build(proofSource{chain, chain.Config()}, 0, 6))(t)
	encoded := must.Get(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "result": proof}))(t)
	file := filepath.Join(t.TempDir(), "proof.json")
	must.Do(t, os.WriteFile(file, encoded, 0o600))
	genesis, head, id := chain.Genesis().Hash().Hex(), chain.CurrentBlock().Hash().Hex(), chain.Config().ChainID.String()
	for _, test := range []struct {
		name  string
		args  []string
		want  string // in the output
		fault string // in the error
	}{
		{"from genesis", []string{"--chain", id, "--trusted", genesis, file}, "Block 6 is final\n  hash        " + head, ""},
		{"as JSON", []string{"--chain", id, "--trusted", genesis, "--json", file}, `"hash": "` + head + `"`, ""},
		{"standard input", []string{"--chain", id, "--trusted", genesis, "-"}, head, ""},
		{"another chain", []string{"--testnet", file}, "", "proof of another chain"},
		{"another block", []string{"--chain", id, "--trusted", head, file}, "", "proof of another chain"},
		{"no trusted block", []string{file}, "", "give --testnet or --mainnet, or --chain ID with --trusted HASH"},
		{"a hash without its chain", []string{"--trusted", genesis, file}, "", "or --chain ID with --trusted HASH"},
		{"another chain with the same keys", []string{"--chain", "8299", "--trusted", genesis, file}, "",
			"sealed for another chain"},
		{"the worth of four validators", []string{"--chain", id, "--trusted", genesis, file}, "sealed by 3 of 4", ""},
		{"two chains", []string{"--testnet", "--chain", id, "--trusted", genesis, file}, "", "of one chain"},
		{"half a hash", []string{"--chain", id, "--trusted", genesis[:20], file}, "", "give 0x and 64"},
		{"no file", []string{"--chain", id, "--trusted", genesis}, "", "give one file"},
		{"a missing file", []string{"--chain", id, "--trusted", genesis, file + "x"}, "", "open the proof"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := runApp(t, string(encoded), append([]string{"proof", "verify"}, test.args...)...)
			switch {
			case test.fault == "" && (err != nil || !strings.Contains(out, test.want)):
				t.Errorf("%v, %s, want %s", err, out, test.want)
			case test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)):
				t.Errorf("%v, %s, want %s", err, out, test.fault)
			}
		})
	}
}

// A proof that rests on one key says so. spec: network 2
func TestProofOfOneValidatorWarns(t *testing.T) {
	got := worth(1)
	expect.That(t, strings.Contains(got, "WARNING") && strings.Contains(got, "one key"), "%v", got)
}

// testIstanbul answers the questions for proofs, or with what is put in their place.
type testIstanbul struct {
	chain  *gethcore.BlockChain
	wrong  *finality.Proof
	extend func() // called after each refusal
}

// GetReceiptProof proves the only transaction of its block.
func (i *testIstanbul) GetReceiptProof(hash, trusted common.Hash) (*finality.Proof, error) {
	if i.wrong != nil {
		return i.wrong, nil
	}
	lookup, _ := i.chain.GetCanonicalTransaction(hash)
	if lookup == nil {
		return nil, errors.New("unknown transaction")
	}
	proof, err := finality.BuildReceipt(proofSource{i.chain, i.chain.Config()},
		i.chain.GetHeaderByHash(trusted).Number.Uint64(), i.chain.GetBlockByHash(lookup.BlockHash),
		i.chain.GetReceiptsByHash(lookup.BlockHash), int(lookup.Index))
	if err != nil {
		i.extend()
	}
	return proof, err
}

// The proof of a receipt is written only when it is right, and verified without the node. The newest block gets a child
// before it is proven.
// spec: wbft 7.5
func TestProofReceipt(t *testing.T) {
	net := wbfttest.New(t, 4)
	net.Endow()
	chain, _ := net.Chain(t)
	net.Extend(t, chain, 2)
	paid := net.Sized(t, chain, 0, 4000)
	must.Get(chain.InsertChain(types.Blocks{paid}))(t)
	service := &testIstanbul{chain: chain, extend: func() { net.Extend(t, chain, 1) }}
	server := gethrpc.NewServer()
	must.Do(t, server.RegisterName("istanbul", service))
	listening := httptest.NewServer(server)
	t.Cleanup(func() { listening.Close(); server.Stop() })
	id, genesis, hash := chain.Config().ChainID.String(), chain.Genesis().Hash().Hex(), paid.Transactions()[0].Hash().Hex()
	file := filepath.Join(t.TempDir(), "receipt.json")
	from := []string{"proof", "receipt", "--rpc", listening.URL, "--chain", id, "--trusted"}
	fetch := func(args ...string) (string, error) {
		return runApp(t, "", append(from[:len(from):len(from)], args...)...)
	}
	if out, err := fetch(genesis, hash, file); err != nil || !strings.Contains(out, "in block 3 written to "+file) {
		t.Fatalf("%v, %s", err, out)
	}
	out, err := runApp(t, "", "proof", "verify", "--chain", id, "--trusted", genesis, file)
	sender, _ := types.Sender(types.LatestSigner(chain.Config()), paid.Transactions()[0])
	for _, want := range []string{"Block 3 is final", "Transaction " + hash + " is in it, at index 0", "succeeded",
		"from        " + sender.Hex(), "to          0xee"} {
		expect.That(t, err == nil && strings.Contains(out, want), "%v, %s, want %s", err, out, want)
	}
	out, err = runApp(t, "", "proof", "verify", "--json", "--chain", id, "--trusted", genesis, file)
	expect.That(t, err == nil && strings.Contains(out, `"hash": "`+hash+`"`) && strings.Contains(out, `"logs": [`),
		"%v, %s", err, out)
	piped, err := fetch(genesis, hash, "-")
	content, _ := os.ReadFile(file)
	expect.That(t, err == nil && piped == string(content), "standard output differs from the file: %v", err)
	good := must.Get(service.GetReceiptProof(common.HexToHash(hash), chain.Genesis().Hash()))(t)
	lie, plain := *good, *good
	lie.Receipt, plain.Receipt = new(finality.Inclusion), nil
	*lie.Receipt = *good.Receipt
	lie.Receipt.Index++
	other := file + "2"
	for _, test := range []struct {
		name  string
		wrong *finality.Proof
		args  []string
		want  string
	}{
		{"unknown transaction", nil, []string{genesis, genesis, other}, "unknown transaction"},
		{"a lie", &lie, []string{genesis, hash, other}, "not in the block"},
		{"a proof without a receipt", &plain, []string{genesis, hash, other}, "proof without a receipt"},
		{"another transaction", good, []string{genesis, genesis, other}, "proves transaction " + hash + " instead"},
		{"another chain", good, []string{hash, hash, other}, "proof of another chain"},
		{"half a hash", nil, []string{genesis, hash[:10], other}, "transaction hash " + hash[:10]},
		{"no file", nil, []string{genesis, hash}, "a file for the proof"},
	} {
		t.Run(test.name, func(t *testing.T) {
			service.wrong = test.wrong
			out, err := fetch(test.args...)
			expect.That(t, err != nil && strings.Contains(err.Error(), test.want), "%v, %s, want %s", err, out, test.want)
			expect.Refused(t, expect.Err(os.Lstat(other)), "a refused proof was written")
		})
	}
}
