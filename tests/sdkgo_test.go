// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/expect"
	"gwon/internal/must"
)

var (
	goExamples = filepath.Join("..", "sdk", "examples", "go")
	coin       = new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
)

// TestGoExamples runs the examples of the Go library on a development network: the sender pays the coin that it
// sends, and nothing else. spec: transactions 1.2, 2.3
func TestGoExamples(t *testing.T) {
	t.Parallel()
	if os.Getenv("GWON_TEST_SDK") == "" {
		t.Skip("make sdk-go runs this test, which compiles go-ethereum as it is upstream")
	}
	c := startGoverned(t, 1, unchanged)
	payer, rich := c.network.Accounts[0], c.network.Accounts[1]
	sponsor := startSponsor(t, writeSponsorConfig(t, c.cluster, workDir(t), c.network.Accounts[3].Key(), allPolicy))
	programs := t.TempDir()
	build := exec.Command("go", "build", "-o", programs, "./transfer", "./contract")
	build.Dir, build.Env = goExamples, append(os.Environ(), "GOWORK=off")
	out, err := build.CombinedOutput()
	must.That(t, err == nil, "build: %v\n%s", err, out)
	withKey := "PAYER_KEY=" + hex.EncodeToString(crypto.FromECDSA(payer.Key()))
	for _, test := range []struct{ name, pays, prints string }{
		{"transfer", withKey, `final in block \d+ status 1 fee \d+ wei`},
		{"contract", withKey,
			`status 1 logs 1 paid by ` + payer.Address.Hex() + `\nin block 0x[0-9a-f]{64} with 1 transactions`},
		{"transfer", "SPONSOR=" + sponsor.url, `final in block \d+ status 1 fee \d+ wei`},
		{"contract", "SPONSOR=" + sponsor.url, `status 1 logs 1 paid by ` + c.network.Accounts[3].Address.Hex()},
	} {
		t.Run(test.name+" "+strings.Split(test.pays, "=")[0], func(t *testing.T) {
			key, sender := emptyAccount(t)
			_, recipient := emptyAccount(t)
			tip, feeCap := c.fees(t, 0)
			var nonce hexutil.Uint64
			var hash common.Hash
			c.must(t, 0, &nonce, "eth_getTransactionCount", rich.Address, "pending")
			c.must(t, 0, &hash, "eth_sendRawTransaction",
				hexutil.Bytes(transfer(t, rich.Key(), uint64(nonce), sender, coin, tip, feeCap)))
			must.Equal(t, c.receipt(t, 0, hash).Status, types.ReceiptStatusSuccessful, "the sender was not given its coin")
			run := exec.Command(filepath.Join(programs, test.name))
			run.Env = append(environment(t.TempDir()), "RPC="+c.network.Nodes[0].HTTP(), "TO="+recipient.Hex(),
				"KEY="+hex.EncodeToString(crypto.FromECDSA(key)), test.pays)
			out, err := run.CombinedOutput()
			must.That(t, err == nil, "%v\n%s", err, out)
			expect.That(t, regexp.MustCompile(test.prints).Match(out), "printed %q, want %s", out, test.prints)
			got := c.balance(t, 0, sender, "latest")
			expect.That(t, got.Sign() == 0, "the sender has %v wei left, want 0", got)
			got = c.balance(t, 0, recipient, "latest")
			expect.That(t, got.Cmp(coin) == 0, "the recipient has %v wei, want %v", got, coin)
		})
	}
}

// TestTransactionCommands signs, cosigns and sends a payment from the shell; only sending asks a node.
func TestTransactionCommands(t *testing.T) {
	c := oneNode(t)
	home := t.TempDir()
	key, sender := emptyAccount(t)
	keyFile := filepath.Join(home, "key")
	must.Do(t, os.WriteFile(keyFile, []byte(hex.EncodeToString(crypto.FromECDSA(key))), 0o600))
	tip, feeCap := c.fees(t, 0)
	description := filepath.Join(home, "payment.json")
	content := fmt.Sprintf(`{"chainId": %d, "to": "%s", "value": "0 WKRC", "gas": 21000, "maxFeePerGas": "%v", `+
		`"maxPriorityFeePerGas": "%v wei"}`,
		chainID, common.Address{0xaa}.Hex(), feeCap, tip)
	must.Do(t, os.WriteFile(description, []byte(content), 0o600))
	signed, stderr, err := gwonDev(t, home, "tx", "sign", "--key", keyFile, "--nonce", "0", "--json", description)
	must.That(t, err == nil, "%v\n%s", err, stderr)
	signedFile := filepath.Join(home, "signed.json")
	must.Do(t, os.WriteFile(signedFile, []byte(signed), 0o600))
	cosigned, stderr, err := gwonDev(t, home, "tx", "cosign", "--from", "devnet:1", "--chainid", fmt.Sprint(chainID),
		signedFile)
	must.That(t, err == nil, "%v\n%s", err, stderr)
	sent, stderr, err := gwonDev(t, home, "tx", "send", "--json", "--rpc", c.network.Nodes[0].HTTP(),
		strings.TrimSpace(cosigned))
	must.That(t, err == nil, "%v\n%s", err, stderr)
	var object struct {
		SenderTransactionHash common.Hash
		Receipt               struct {
			Status, Type    hexutil.Uint64
			From, FeePayer  common.Address
			TransactionHash common.Hash
		}
	}
	var first struct{ Hash common.Hash }
	must.Do(t, json.Unmarshal([]byte(sent), &object))
	must.Do(t, json.Unmarshal([]byte(signed), &first))
	r := object.Receipt
	expect.That(t, r.Status == 1 && r.Type == types.FeeDelegateTxType && r.From == sender &&
		r.FeePayer == c.network.Accounts[0].Address && object.SenderTransactionHash == first.Hash, "sent: %s", sent)
	for _, again := range []string{strings.TrimSpace(cosigned), signedFile} { // with the fee payer and without
		out, stderr, err := gwonDev(t, home, "tx", "send", "--rpc", c.network.Nodes[0].HTTP(), again)
		expect.That(t, err == nil && strings.Contains(out, ", final."), "the same again: %v, %s%s", err, out, stderr)
	}
}
