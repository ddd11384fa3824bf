// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package govern

import (
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/settings"
	"gwon/contracts/bindings"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/wellknown"
	"gwon/params"
)

// offline are the flags with which no node is asked.
var offline = []string{"--sign-only", "--yes", "--chainid", "8282", "--nonce", "5", "--gas", "900000", "--tip",
	"27600gwei", "--fee-cap", "90000gwei"}

// govern runs gwon gov. command has its arguments behind its name; flags come between.
func govern(t *testing.T, command []string, flags []string, args ...string) (string, error) {
	t.Helper()
	return run(t, slices.Concat([]string{"gov"}, command, flags, args)...)
}

// Commands that cannot be meant are refused with one sentence, without a node, before anything is signed.
func TestGovRefuses(t *testing.T) {
	const somebody = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	from := append([]string{"--from", "devnet:1"}, offline...)
	for name, test := range map[string]struct {
		command, flags, args []string
		want                 string
	}{
		"number alone":     {[]string{"approve"}, from, []string{"3"}, "3 alone names no proposal"},
		"unknown contract": {[]string{"approve"}, from, []string{"gov-mint:3"}, `"gov-mint" is no governing contract`},
		"no proposal":      {[]string{"approve"}, from, nil, "takes PROPOSAL"},
		"two proposals":    {[]string{"approve"}, from, []string{"gov-minter:1", "gov-minter:2"}, "takes PROPOSAL"},
		"no sender":        {[]string{"approve"}, offline, []string{"gov-minter:1"}, "say who sends"},
		"two senders": {[]string{"approve"}, append([]string{"--key", "k"}, from...), []string{"gov-minter:1"},
			"names the sender by itself"},
		"no such account": {[]string{"approve"}, append([]string{"--from", "devnet:0"}, offline...), []string{"gov-minter:1"},
			"accounts of a devnet are"},
		"sender checksum": {[]string{"approve"},
			append([]string{"--from", strings.Replace(somebody, "aAeb", "AAeb", 1)}, offline...),
			[]string{"gov-minter:1"}, "checksum"},
		"no unit": {[]string{"propose", "gas-tip"}, from, []string{"30000"}, "27600gwei"},
		"tip without unit": {[]string{"approve"}, append(slices.Clone(from), "--tip", "1"), []string{"gov-minter:1"},
			"--tip"},
		"checksum": {[]string{"propose", "blacklist"}, from, []string{strings.Replace(somebody, "aAeb", "AAeb", 1)},
			"checksum"},
		"twice": {
			[]string{"propose", "blacklist"}, from, []string{somebody, strings.ToLower(somebody)}, "is named twice",
		},
		"twice by name": {[]string{"propose", "blacklist"}, from, []string{"devnet:2", "devnet:2"}, "is named twice"},
		"no such name":  {[]string{"propose", "blacklist"}, from, []string{"devnet:x"}, "accounts of a devnet are"},
		"nobody":        {[]string{"propose", "blacklist"}, from, nil, "takes ADDRESS..."},
		"no contract":   {[]string{"propose", "add-member"}, from, []string{somebody}, "say which contract: --contract"},
		"wrong contract": {[]string{"propose", "pause"}, append([]string{"--contract", "gov-council"}, from...), nil,
			"cannot be paused"},
		"no quorum": {[]string{"propose", "add-member"}, append([]string{"--contract", "gov-council"}, from...),
			[]string{somebody}, "give --quorum"},
		"quorum of 2^32+2": {[]string{"propose", "add-validator"}, append([]string{"--quorum", "4294967298"}, from...),
			[]string{somebody}, "is no quorum"},
		"quorum of 0": {[]string{"propose", "remove-validator"}, append([]string{"--quorum", "0"}, from...),
			[]string{somebody}, "is no quorum"},
		"quorum": {[]string{"propose", "quorum"}, append([]string{"--contract", "gov-council"}, from...),
			[]string{"4294967296"}, "no such number"},
		"no reference": {[]string{"propose", "mint"}, append([]string{"--id", "D"}, from...), []string{somebody, "1coins"},
			"--reference"},
		"no deposit": {[]string{"propose", "mint"}, append([]string{"--reference", "B"}, from...),
			[]string{somebody, "1coins"}, "--id"},
		"no amount": {[]string{"propose", "mint"}, from, []string{somebody}, "takes ADDRESS AMOUNT"},
		"no node key": {[]string{"validator", "configure"}, append([]string{"--nodekey", "/nowhere"}, from...), nil,
			"/nowhere"},
		"half a key": {[]string{"validator", "configure"},
			append([]string{"--validator", somebody, "--bls-key", "0x12", "--pop", "0x34"},
				from...), nil, "BLS public key"},
		"flags behind": {[]string{"approve"}, nil, []string{"gov-minter:1", "--yes"}, "flags stand before the arguments"},
		"no terminal": {[]string{"approve"}, append([]string{"--from", "devnet:1"}, slices.DeleteFunc(slices.Clone(offline),
			func(f string) bool { return f == "--yes" })...), []string{"gov-minter:1"}, "there is no terminal to ask on"},
		"bad contract": {[]string{"approve"}, append([]string{"--at", "gov-x=" + somebody}, from...),
			[]string{"gov-minter:1"}, "names no contract"},
		"no such command": {nil, nil, []string{"aprove"}, "approve"},
		"no such thing":   {[]string{"propose"}, nil, []string{"gastip"}, "gas-tip"},
		"no node": {[]string{"approve"}, []string{"--from", "devnet:1", "--rpc", "http://127.0.0.1:1"},
			[]string{"gov-minter:1"},
			"http://127.0.0.1:1 cannot be reached: "},
		"complete, and a node": {[]string{"approve"}, append([]string{"--rpc", "http://127.0.0.1:1"}, from...),
			[]string{"gov-minter:1"}, "leave --rpc out to sign without a node"},
		"operator of a validator": {[]string{"propose", "remove-validator"}, append([]string{"--quorum", "2"}, from...),
			[]string{somebody}, "give --operator"},
		"gas tip of 0": {[]string{"propose", "gas-tip"}, from, []string{"0gwei"}, "a gas tip of 0"},
		"quorum 0": {[]string{"propose", "quorum"}, append([]string{"--contract", "gov-council"}, from...),
			[]string{"0"}, "does not fit"},
		"no open proposals": {[]string{"propose", "max-proposals"},
			append([]string{"--contract", "gov-council"}, from...), []string{"0"}, "1 to 50"},
		"51 open proposals": {[]string{"propose", "max-proposals"},
			append([]string{"--contract", "gov-council"}, from...), []string{"51"}, "1 to 50"},
		"no gas for the call": {[]string{"approve"}, append(slices.Clone(from), "--gas", "21000"), []string{"gov-minter:1"},
			"and --gas allows 21000"},
		"no time to wait": {[]string{"approve"}, append(slices.Clone(from), "--wait", "-3s"), []string{"gov-minter:1"},
			"no time to wait"},
		"nothing to propose": {[]string{"propose"}, nil, nil, "say what to propose: gas-tip, add-validator"},
		"mistyped before flags": {nil, nil, []string{"aprove", "--from", "devnet:1", "gov-minter:1"},
			"did you mean approve?"},
		"mistyped proposal": {[]string{"propose"}, nil, []string{"gastip", "--from", "devnet:1", "1gwei"},
			"did you mean gas-tip?"},
		"no scheme": {[]string{"approve"}, []string{"--from", "devnet:1", "--rpc", "127.0.0.1:1"}, []string{"gov-minter:1"},
			"the URL has no scheme: begin it with http://"},
		"incomplete": {[]string{"approve"},
			append([]string{"--rpc", "http://127.0.0.1:1", "--from", "devnet:1"}, "--sign-only",
				"--nonce", "1"), []string{"gov-minter:1"}, "without a node --chainid is needed"},
	} {
		out, err := govern(t, test.command, test.flags, test.args...)
		expect.That(t, err != nil && strings.Contains(err.Error(), test.want) && !strings.Contains(err.Error(), "\n") &&
			out == "", "%s: %q, error %v, want %q", name, out, err, test.want)
	}
}

// decoded reads a printed transaction and checks its sender, nonce, prices and chain.
func decoded(t *testing.T, raw string, from common.Address) *types.Transaction {
	t.Helper()
	data, err := hexutil.Decode(strings.TrimSpace(raw))
	must.That(t, err == nil, "%q: %v", raw, err)
	tx := new(types.Transaction)
	must.Do(t, tx.UnmarshalBinary(data))
	sender, err := types.Sender(types.LatestSignerForChainID(big.NewInt(8282)), tx)
	must.That(t, err == nil && sender == from, "sender %v, %v, want %v", sender, err, from)
	expect.That(t, tx.Nonce() == 5 && tx.Gas() == 900_000 && tx.GasTipCap().String() == "27600000000000" &&
		tx.GasFeeCap().String() == "90000000000000", "%+v", tx)
	return tx
}

// Accounts of the key store, key files, well-known accounts and external signers sign without a node, each command what
// it says.
func TestGovSignOnly(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	address := crypto.PubkeyToAddress(key.PublicKey)
	keyFile, password, dir := apptest.TempFile(t, hex.EncodeToString(crypto.FromECDSA(key))), apptest.TempFile(t,
		"secret\n"), t.TempDir()
	must.Get(run(t, "account", "import", "--datadir", dir, "--lightkdf", "--password", password, keyFile))(t)
	clef := httptest.NewServer(signerOf(t, &fakeSigner{key: key, address: address}))
	defer clef.Close()
	first := must.Get(wellknown.OfDevnet(0))(t)
	council := bindings.NewGovCouncil()
	want := council.PackProposeAddBlacklist(address)
	for name, test := range map[string]struct {
		flags []string
		from  common.Address
	}{
		"key store":       {[]string{"--datadir", dir, "--from", address.Hex(), "--password", password}, address},
		"key store index": {[]string{"--datadir", dir, "--from", "0", "--password", password}, address},
		"key file":        {[]string{"--key", keyFile}, address},
		"devnet":          {[]string{"--from", "devnet:1"}, first.Address},
		"external signer": {[]string{"--signer", clef.URL, "--from", address.Hex()}, address},
	} {
		t.Run(name, func(t *testing.T) {
			out := must.Get(govern(t, []string{"propose", "blacklist"}, append(test.flags, offline...), address.Hex()))(t)
			if tx := decoded(t, out, test.from); *tx.To() != params.GovCouncilAddress || string(tx.Data()) != string(want) {
				t.Errorf("to %v: %x, want %x", tx.To(), tx.Data(), want)
			}
		})
	}
	expect.Refused(t, expect.Err(govern(t, []string{"approve"},
		append([]string{"--datadir", dir, "--from", "0", "--password", apptest.TempFile(t, "wrong\n")},
			offline...), "gov-minter:1")), "a wrong password signs")
	expect.Says(t, expect.Err(govern(t, []string{"approve"},
		append([]string{"--signer", clef.URL, "--from", first.Address.Hex()}, offline...),
		"gov-minter:1")), "the external signer has no account", "an account that the signer lacks")
	changes := httptest.NewServer(signerOf(t, &fakeSigner{key: key, address: address, nonce: 1}))
	defer changes.Close()
	out, err := govern(t, []string{"approve"},
		append([]string{"--signer", changes.URL, "--from", address.Hex()}, offline...),
		"gov-minter:1")
	expect.That(t, err != nil && out == "", "a signer that changes the transaction: %q, %v", out, err)
}

// fakeSigner answers as clef does: account_version, account_list, account_signTransaction.
type fakeSigner struct {
	key     *ecdsa.PrivateKey
	address common.Address
	nonce   uint64 // added to that of what it is asked to sign
}

// signerOf serves a signer.
func signerOf(t *testing.T, s *fakeSigner) *rpc.Server {
	t.Helper()
	server := rpc.NewServer()
	must.Do(t, server.RegisterName("account", s))
	return server
}

// Version is that of clef's API.
func (s *fakeSigner) Version() string { return "6.1.0" }

// List names the accounts.
func (s *fakeSigner) List() []common.Address { return []common.Address{s.address} }

// SignTransaction signs for its account only.
func (s *fakeSigner) SignTransaction(args apitypes.SendTxArgs) (map[string]any, error) {
	if args.From.Address() != s.address {
		return nil, errors.New("unknown account")
	}
	args.Nonce += hexutil.Uint64(s.nonce)
	unsigned, err := args.ToTransaction()
	if err != nil {
		return nil, err
	}
	tx, err := types.SignTx(unsigned, types.LatestSignerForChainID(args.ChainID.ToInt()), s.key)
	if err != nil {
		return nil, err
	}
	raw, err := tx.MarshalBinary()
	return map[string]any{"raw": hexutil.Bytes(raw), "tx": tx}, err
}

// Every command makes the call of its name.
func TestGovCalls(t *testing.T) {
	a := common.HexToAddress("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	account := []string{a.Hex()}
	from := append([]string{"--from", "devnet:1"}, offline...)
	sender := must.Get(wellknown.OfDevnet(0))(t)
	with := func(flags ...string) []string { return append(flags, from...) }
	const validator, master, minter, council = "0x1001", "0x1002", "0x1003", "0x1004"
	for _, test := range []struct {
		command, flags, args []string
		to, selector         string // spec system-contracts, appendix
		value                string // wei
	}{
		{[]string{"approve"}, from, []string{"gov-minter:3"}, minter, "98951b56", "0"},
		{[]string{"approve"}, from, []string{"gov-master-minter:3"}, master, "98951b56", "0"},
		{[]string{"reject"}, from, []string{"gov-council:3"}, council, "c8541fe0", "0"},
		{[]string{"cancel"}, from, []string{"gov-validator:3"}, validator, "e0a8f6f5", "0"},
		{[]string{"execute"}, from, []string{"gov-minter:3"}, minter, "0d61b519", "0"},
		{[]string{"execute"}, with("--final"), []string{"gov-minter:3"}, minter, "24b858c8", "0"},
		{[]string{"expire"}, from, []string{"gov-minter:3"}, minter, "e1b526b0", "0"},
		{[]string{"refund"}, from, nil, minter, "936834b9", "0"},
		{[]string{"fund"}, from, []string{a.Hex(), "1coins"}, "0x1000", "a9059cbb", "0"},
		{[]string{"change-member"}, with("--contract", "gov-minter"), account, minter, "63869328", "0"},
		{[]string{"propose", "gas-tip"}, from, []string{"30000gwei"}, validator, "eeaf6816", "0"},
		{[]string{"propose", "add-validator"}, with("--quorum", "2"), account, validator, "5c646aa6", "0"},
		{[]string{"propose", "remove-validator"}, with("--quorum", "2", "--operator", a.Hex()), account, validator,
			"bfbd7f4c", "0"},
		{[]string{"propose", "add-member"}, with("--quorum", "2", "--contract", "gov-council"), account, council, "5c646aa6",
			"0"},
		{[]string{"propose", "remove-member"}, with("--quorum", "2", "--contract", "gov-master-minter"), account, master,
			"bfbd7f4c", "0"},
		{[]string{"propose", "quorum"}, with("--contract", "gov-minter"), []string{"3"}, minter, "9d497366", "0"},
		{[]string{"propose", "max-proposals"}, with("--contract", "gov-minter"), []string{"3"}, minter, "a67bdb91", "0"},
		{[]string{"propose", "minter"}, from, []string{a.Hex(), "1coins"}, master, "898420a9", "0"},
		{[]string{"propose", "remove-minter"}, from, account, master, "93364117", "0"},
		{[]string{"propose", "max-allowance"}, from, []string{"1coins"}, master, "d3261855", "0"},
		{[]string{"propose", "mint"}, with("--id", "D", "--reference", "B"), []string{a.Hex(), "1coins"}, minter, "1e5e0426",
			"0"},
		{[]string{"propose", "burn"}, with("--id", "W", "--reference", "B"), []string{"1.5coins"}, minter, "64e2a8fc",
			"1500000000000000000"},
		{[]string{"propose", "pause"}, with("--contract", "gov-minter"), nil, minter, "fffa080a", "0"},
		{[]string{"propose", "unpause"}, with("--contract", "gov-master-minter"), nil, master, "fae8a3d6", "0"},
		{[]string{"propose", "blacklist"}, from, account, council, "0d321273", "0"},
		{[]string{"propose", "blacklist"}, from, []string{a.Hex(), sender.Address.Hex()}, council, "ce236ec4", "0"},
		{[]string{"propose", "unblacklist"}, from, account, council, "3d4c0452", "0"},
		{[]string{"propose", "unblacklist"}, from, []string{a.Hex(), sender.Address.Hex()}, council, "911ad022", "0"},
		{[]string{"propose", "authorize"}, from, account, council, "93a8bb99", "0"},
		{[]string{"propose", "authorize"}, from, []string{a.Hex(), "devnet:1"}, council, "e0fccde8", "0"},
		{[]string{"propose", "unauthorize"}, from, account, council, "cf44550e", "0"},
		{[]string{"propose", "unauthorize"}, from, []string{a.Hex(), sender.Address.Hex()}, council, "5216de37", "0"},
	} {
		out, err := govern(t, test.command, append([]string{"--json"}, test.flags...), test.args...)
		if err != nil {
			t.Errorf("%v: %v", test.command, err)
			continue
		}
		var printed struct {
			Transaction common.Hash `json:"transaction"`
			Raw         string      `json:"raw"`
		}
		must.Do(t, json.Unmarshal([]byte(out), &printed), test.command, out)
		tx := decoded(t, printed.Raw, sender.Address)
		if *tx.To() != common.HexToAddress(test.to) || hex.EncodeToString(tx.Data()[:4]) != test.selector ||
			tx.Value().String() != test.value ||
			tx.Hash() != printed.Transaction {
			t.Errorf("%v %v: to %v, %x, value %v", test.command, test.args, tx.To(), tx.Data(), tx.Value())
		}
	}
}

// The proof of a mint is encoded as the contract reads it (spec system-contracts 5.2); --at sends it elsewhere.
func TestGovMintProof(t *testing.T) {
	sender := must.Get(wellknown.OfDevnet(0))(t)
	const account, elsewhere = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x00000000000000000000000000000000000000aa"
	flags := append([]string{"--from", "devnet:1", "--id", "D-7", "--reference", "bank 9", "--memo", "m", "--timestamp",
		"1700000000", "--at", "gov-minter=" + elsewhere}, offline...)
	out := must.Get(govern(t, []string{"propose", "mint"}, flags, account, "12coins"))(t)
	tx := decoded(t, out, sender.Address)
	words := func(n int) []byte { return tx.Data()[4+32*n : 4+32*n+32] }
	// proposeMint(bytes): offset, length, then six heads and three strings.
	for n, want := range map[int]string{
		0: "20", 2: account[2:], 3: "a688906bd8b00000", 4: "6553f100", 5: "c0", 6: "0100", 7: "0140", 8: "03", 10: "06",
		12: "01",
	} {
		have := new(big.Int).SetBytes(words(n))
		expect.That(t, have.Cmp(new(big.Int).SetBytes(common.FromHex(want))) == 0, "word %d is %x, want %s", n, have, want)
	}
	for n, want := range map[int]string{9: "D-7", 11: "bank 9", 13: "m"} {
		expect.Equal(t, strings.TrimRight(string(words(n)), "\x00"), want, "word %d", n)
	}
	expect.Equal(t, *tx.To(), common.HexToAddress(elsewhere), "to %v", tx.To())
}

// fakeNode answers every question alike: its contracts return 5 to whatever they are asked, and it executes nothing. Of
// two answers the second is for the pending state.
func fakeNode(t *testing.T, more map[string]any) string {
	t.Helper()
	zero := "0x" + strings.Repeat("0", 64)
	word := "0x" + strings.Repeat("0", 63) + "5"
	head := map[string]any{
		"number": "0x1", "gasLimit": "0x6422c40", "gasUsed": "0x0", "timestamp": "0x1", "difficulty": "0x1",
		"extraData": "0x", "baseFeePerGas": "0x1", "nonce": "0x0000000000000000", "miner": common.Address{},
		"logsBloom": "0x" + strings.Repeat("0", 512), "parentHash": zero, "sha3Uncles": zero, "stateRoot": zero,
		"transactionsRoot": zero, "receiptsRoot": zero, "mixHash": zero,
	}
	answers := map[string]any{"eth_chainId": "0x205a", "eth_getBlockByNumber": head, "eth_getCode": "0x01",
		"eth_call":       word,
		"eth_getBalance": "0xffffffffffffffffffff", "eth_estimateGas": "0x10000", "eth_getTransactionCount": "0x0",
		"eth_sendRawTransaction":    zero,
		"eth_getTransactionReceipt": nil, "txpool_contentFrom": map[string]any{}}
	maps.Copy(answers, more)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage
			Method string
			Params []any
		}
		expect.Error(t, json.NewDecoder(r.Body).Decode(&request), nil, "json.NewDecoder")
		answer, known := answers[request.Method]
		if !known {
			t.Errorf("the node is asked %s", request.Method)
		}
		if two, ok := answer.([2]string); ok {
			answer = two[0]
			if slices.Contains(request.Params, any("pending")) {
				answer = two[1]
			}
		}
		w.Header().Set("content-type", "application/json")
		expect.Error(t, json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": request.ID,
			"result": answer}), nil, "Encode")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// --yes answers no warning that a person has to see; --force does (docs/governing.md).
func TestGovDoubts(t *testing.T) {
	node := fakeNode(t, map[string]any{"eth_getTransactionCount": [2]string{"0x0", "0x1"}})
	flags := []string{"--json", "--yes", "--from", "devnet:1", "--rpc", node, "--wait", "0"}
	out, err := govern(t, []string{"refund"}, flags)
	expect.Says(t, err, "--yes does not answer this warning; where it is meant, give --force too: Warning: ", "a doubt")
	expect.Equal(t, out, "", "printed")
	for _, more := range [][]string{{"--force"}, {"--nonce", "1"}} {
		out = must.Get(govern(t, []string{"refund"}, append(slices.Clone(flags), more...)))(t)
		expect.Contains(t, out, `"transaction"`, "with %v", more)
	}
}

// A script finds the hash of what was sent although nothing has come of it yet, and learns which proposals were left
// out.
func TestGovJSON(t *testing.T) {
	node := fakeNode(t, nil)
	out, err := govern(t, []string{"refund"},
		[]string{"--json", "--yes", "--from", "devnet:1", "--rpc", node, "--wait", "1ms"})
	var sent struct {
		Transaction common.Hash `json:"transaction"`
		Waiting     bool        `json:"waiting"`
	}
	jsonErr := json.Unmarshal([]byte(out), &sent)
	expect.That(t, jsonErr == nil && err != nil && sent.Waiting && sent.Transaction != (common.Hash{}) &&
		!strings.Contains(err.Error(), "\n") && strings.Contains(err.Error(), sent.Transaction.Hex()),
		"%q, %v, %v", out, jsonErr, err)
	out, err = govern(t, []string{"proposals"},
		[]string{"--json", "--limit", "0", "--contract", "gov-minter", "--rpc", node})
	var list struct {
		Proposals []any             `json:"proposals"`
		Older     map[string]uint64 `json:"older"`
	}
	jsonErr = json.Unmarshal([]byte(out), &list)
	expect.That(t, jsonErr == nil && err == nil && list.Proposals != nil && list.Older["gov-minter"] == 5,
		"%q, %v, %v", out, jsonErr, err)
}

func newApp() *cli.App {
	return settings.NewApp([]*cli.Command{keys.AccountCommand, Command})
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}
