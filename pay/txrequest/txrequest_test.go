// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txrequest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/pay/txsign"
)

func testKey(t testing.TB, n byte) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(crypto.ToECDSA(bytes.Repeat([]byte{n}, 32)))(t)
}

const description = `{"chainId": 8283, "nonce": 7, "to": "0x00000000000000000000000000000000deadbeef",
	"value": "5 WKRC",
	"gas": "21000", "maxFeePerGas": "70000 gwei", "maxPriorityFeePerGas": "27600 gwei"}`

func request(t testing.TB) *types.DynamicFeeTx {
	t.Helper()
	r := must.Get(ParseRequest([]byte(description)))(t)
	return must.Get(r.Transaction())(t)
}

func signWith(key *ecdsa.PrivateKey) func(*types.Transaction, *big.Int) (*types.Transaction, error) {
	return func(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
		return types.SignTx(tx, types.NewLondonSigner(chainID), key)
	}
}

func signed(t testing.TB) *txsign.Signed {
	t.Helper()
	return must.Get(Sign(request(t), crypto.PubkeyToAddress(testKey(t, 1).PublicKey), signWith(testKey(t, 1))))(t)
}

// TestRequestIsChecked names what is missing or cannot be.
func TestRequestIsChecked(t *testing.T) {
	for _, tt := range []struct {
		name     string
		replace  string
		with     string
		mentions string
	}{
		{"nothing given", description, `{}`, "--chainid, --nonce, --gas, --fee-cap, --tip, --to (or --create)"},
		{"unknown key", `"nonce"`, `"gasPrice": 1, "nonce"`, "unknown field"},
		{"tip above cap", `"70000 gwei"`, `"1 gwei"`, "above --fee-cap"},
		{"chain 0", `8283`, `0`, "--chainid 0"},
		{"little gas", `"21000"`, `"20999"`, "at least 21000"},
		{"much gas", `"21000"`, `"0x10000000000000000"`, "64 bits"},
		{"wrong checksum", "0x00000000000000000000000000000000deadbeef", "0x00000000000000000000000000000000DeadBeef",
			"checksum"},
		{"creation with recipient", `"gas"`, `"create": true, "gas"`, "no recipient"},
		{"creation without code", `"to": "0x00000000000000000000000000000000deadbeef"`, `"create": true`, "--data"},
		{"two objects", description, description + "{}", "one object"},
		{"negative value", `"5 WKRC"`, `-5`, "not an amount"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := ParseRequest([]byte(strings.Replace(description, tt.replace, tt.with, 1)))
			if err == nil {
				_, err = r.Transaction()
			}
			expect.Says(t, err, tt.mentions, "refusal")
		})
	}
}

// TestSignerIsNotTrusted refuses a signer that changes the transaction or takes another account.
func TestSignerIsNotTrusted(t *testing.T) {
	key := testKey(t, 1)
	from := crypto.PubkeyToAddress(key.PublicKey)
	for _, tt := range []struct {
		name     string
		sign     func(*types.Transaction, *big.Int) (*types.Transaction, error)
		mentions string
	}{
		{"other value", func(_ *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
			other := request(t)
			other.Value = big.NewInt(1)
			return signWith(key)(types.NewTx(other), chainID)
		}, "changed"},
		{"other account", signWith(testKey(t, 2)), "not as"},
		{"refusal", func(*types.Transaction, *big.Int) (*types.Transaction, error) {
			return nil, errors.New("denied")
		}, "denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			expect.Says(t, expect.Err(Sign(request(t), from, tt.sign)), tt.mentions, "Sign")
		})
	}
}

// node answers like a node of one chain.
type node struct {
	chainID int64
	hash    common.Hash
	refuse  error
	receipt string
	asked   int
}

func (n *node) CallContext(_ context.Context, result any, method string, _ ...any) error {
	answer := ""
	switch method {
	case "eth_chainId":
		answer = `"` + hexutil.EncodeBig(big.NewInt(n.chainID)) + `"`
	case "eth_sendRawTransaction":
		if n.refuse != nil {
			return n.refuse
		}
		answer = `"` + n.hash.Hex() + `"`
	case "eth_getTransactionReceipt":
		if n.asked++; n.asked < 3 {
			answer = "null"
		} else {
			answer = n.receipt
		}
	}
	return json.Unmarshal([]byte(answer), result)
}

// TestSubmission compares chain and hash before and after, and waits for the receipt.
func TestSubmission(t *testing.T) {
	s := signed(t)
	for _, tt := range []struct {
		name     string
		node     *node
		mentions string
	}{
		{"accepted", &node{chainID: 8283, hash: s.Hash}, ""},
		{"other chain", &node{chainID: 8282, hash: s.Hash}, "chain ID 8282"},
		{"refused", &node{chainID: 8283, receipt: "null", refuse: errors.New("nonce too low")}, "nonce too low"},
		{"in a block already", &node{chainID: 8283, asked: 3, receipt: `{"status":"0x1"}`,
			refuse: errors.New("nonce too low")}, ""},
		{"waits already", &node{chainID: 8283, receipt: "null", refuse: answer("already known")}, ""},
		{"other hash", &node{chainID: 8283, hash: common.Hash{1}}, "look the transaction up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			receipt, err := Submit(context.Background(), tt.node, s)
			if (err == nil) != (tt.mentions == "") || (receipt != nil) != (tt.node.asked > 3) ||
				err != nil && !strings.Contains(err.Error(), tt.mentions) {
				t.Errorf("error %v, want one with %q", err, tt.mentions)
			}
		})
	}
	mined := &node{receipt: `{"blockNumber":"0x5","status":"0x1","gasUsed":"0x5208","effectiveGasPrice":"0x1","logs":[]}`}
	receipt, err := Await(context.Background(), mined, s.Hash)
	expect.That(t, err == nil && receipt.BlockNumber == 5 && receipt.Status == 1 && string(receipt.All) == mined.receipt,
		"receipt %+v, error %v", receipt, err)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	expect.Says(t, expect.Err(Await(ended, &node{}, s.Hash)), "in no block yet", "Await")
}

// FuzzParseRequest: any description is refused, or makes a transaction that encodes.
func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(description))
	f.Add([]byte(`{"chainId": null, "accessList": [null], "create": true}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		r, err := ParseRequest(input)
		if err != nil {
			return
		}
		unsigned, err := r.Transaction()
		if err != nil {
			return
		}
		expect.That(t, unsigned.GasTipCap.Cmp(unsigned.GasFeeCap) <= 0 && unsigned.ChainID.Sign() > 0 &&
			unsigned.Value.BitLen() <= 256, "taken: %+v", unsigned)
		expect.Error(t, expect.Err(types.NewTx(unsigned).MarshalBinary()), nil, "MarshalBinary")
	})
}

// answer is one of a node that refuses.
type answer string

func (a answer) Error() string  { return string(a) }
func (a answer) ErrorCode() int { return -32000 }
