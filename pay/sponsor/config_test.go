// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/txobject"
)

const goodConfig = `listen = "127.0.0.1:0"
cors = ["*"]
low_balance = "100 WKRC"

[[payer]]
address = "0x178fefBBf63c0F2F45B25D8ea0918178d50Cb084"
key_file = "payer.key"

[[key]]
label = "shop"
hash = "HASH"
from = 2026-01-01T00:00:00Z
until = 2027-01-01T00:00:00Z
recipients = ["0x00000000000000000000000000000000000000aa"]
deny = ["0x00000000000000000000000000000000000000dd"]
max_per_tx = "2 WKRC"
max_per_sender_day = "10 WKRC"
max_per_day = "100 WKRC"
max_count_per_sender = 5
max_fee_per_gas = "80000 gwei"
max_gas = 100000
require_success = true

[[key.contract]]
address = "0x00000000000000000000000000000000000000cc"
selectors = ["transfer(address,uint256)", "0x01020304"]

[[key]]
label = "open"
any_target = true
value_allowed = true
max_total = "1 WKRC"
`

// goodKey is the API key of the first policy.
const goodKey = "a-key-of-this-test"

func testConfig(t testing.TB) *Config {
	t.Helper()
	c := must.Get(ParseConfig("sponsor.toml", []byte(withHash(goodConfig))))(t)
	return c
}

func withHash(text string) string {
	sum := sha256.Sum256([]byte(goodKey))
	return strings.ReplaceAll(text, "HASH", hex.EncodeToString(sum[:]))
}

// TestConfigErrors: an error names file, line, key and remedy.
func TestConfigErrors(t *testing.T) {
	for _, tt := range []struct{ name, replace, with, want string }{
		{"syntax", `cors = ["*"]`, `cors = [`,
			"this is no TOML: docs/develop/sponsor.md has a configuration"},
		{"unknown key", `max_gas`, `max_gaz`, `sponsor.toml line 21: max_gaz: "max_gaz" is no key`},
		{"amount without unit", `"2 WKRC"`, `"2"`, `sponsor.toml line 16: max_per_tx: "2" has no unit`},
		{"number for an amount", `"2 WKRC"`, `2`, "sponsor.toml line 16: max_per_tx"},
		{"wrong checksum", "0x178fefBBf", "0x178fefBBF",
			"sponsor.toml line 6: address: the checksum of 0x178fefBBF63c0F2F45B25D8ea0918178d50Cb084 is wrong"},
		{"short hash", "HASH", "abcd", "sponsor.toml line 11: hash: hash of an API key has 64"},
		{"bad selector", "0x01020304", "transfer address", `is no selector`},
		{"label", `"shop"`, `"The Shop"`, "sponsor.toml line 10: label:"},
		{"same label", `"open"`, `"shop"`, "stands in the file twice"},
		{"no budget", `max_total = "1 WKRC"`, ``, "open has no budget: write max_per_day or max_total"},
		{"no target", `any_target = true`, ``, "open sponsors nothing"},
		{"until before from", "2027-01-01", "2025-01-01",
			"sponsor.toml line 13: until: 2025-01-01T00:00:00Z is not after from"},
		{"no payer",
			"[[payer]]\naddress = \"0x178fefBBf63c0F2F45B25D8ea0918178d50Cb084\"\nkey_file = \"payer.key\"",
			"", "payer: missing"},
		{"two sources", `key_file = "payer.key"`, "key_file = \"a\"\nsigner = \"http://a\"", "2 sources of the key"},
		{"accounts of a key", `key_file = "payer.key"`, "key_file = \"a\"\naccounts = 2", "accounts: stands without seed"},
		{"no accounts", "address = \"0x178fefBBf63c0F2F45B25D8ea0918178d50Cb084\"\nkey_file = \"payer.key\"",
			"seed = \"a\"\naccounts = 0", "accounts: 0: write 1 to 16"},
		{"a node without scheme", `cors = ["*"]`, `node = "127.0.0.1:8545"`,
			"node: no node at 127.0.0.1:8545: the URL has no"},
		{"a port that is none", `listen = "127.0.0.1:0"`, `listen = "127.0.0.1:70000"`,
			`listen: "127.0.0.1:70000" is no address`},
		{"unknown type", "transfer(address,uint256)", "transfer(address,bytes33)", `"transfer(address,bytes33)": `},
		{"short type", "transfer(address,uint256)", "transfer(address,uint)", `"transfer(address,uint)": unsupported`},
		{"address of a seed", `key_file = "payer.key"`, `seed = "seed.txt"`, "the seed names its accounts"},
		{"next key of a file", `key_file = "payer.key"`, "key_file = \"a\"\nnext_public_keys = [\"0x00\"]",
			"signer and public_key belong together"},
		{"deposit key of a file", `key_file = "payer.key"`, "key_file = \"a\"\ndeposit_public_key = \"0x00\"",
			"signer and public_key belong together"},
		{"rate", `cors = ["*"]`, `rate_per_key = 0.0`, "sponsor.toml line 2: rate_per_key: 0: write requests a second"},
		{"methods", `cors = ["*"]`, `methods = ["eth_sendTransaction"]`, "sponsor.toml line 2: methods:"},
		{"namespaces", `cors = ["*"]`, `namespaces = ["eth"]`, "list others in methods"},
		{"two open policies", `hash = "HASH"`, ``, "requests without a key can have one policy"},
		{"hook", `require_success = true`, `hook = "example"`, `sponsor.toml line 22: hook: "example" is no URL`},
		{"contract without selectors", `selectors = ["transfer(address,uint256)", "0x01020304"]`, ``,
			"sponsor.toml line 24: selectors: missing"},
		{"payees without x402", `max_gas = 100000`, `pay_to = ["0x00000000000000000000000000000000000000aa"]`,
			"sponsor.toml line 21: pay_to: stands without [x402]"},
		{"no account to pay", "\n[[payer]]", "\n[x402]\nenabled = true\n[[payer]]",
			"sponsor.toml line 6: enabled: no account may be paid"},
		{"payees and any payee", "\n[[payer]]",
			"\n[x402]\nany_pay_to = true\npay_to = [\"0x00000000000000000000000000000000000000aa\"]\n[[payer]]",
			"sponsor.toml line 6: any_pay_to: any_pay_to and pay_to exclude each other"},
		{"amounts of payments", "\n[[payer]]",
			"\n[x402]\nmin_amount = \"2 WKRC\"\nmax_amount = \"1 WKRC\"\n[[payer]]",
			"sponsor.toml line 6: min_amount: is above max_amount"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			must.That(t, strings.Contains(goodConfig, tt.replace), "nothing to replace")
			_, err := ParseConfig("sponsor.toml", []byte(withHash(strings.Replace(goodConfig, tt.replace, tt.with, 1))))
			expect.Says(t, err, tt.want, "ParseConfig")
		})
	}
}

// A file that is something else is refused with its first line, in plain words.
func TestForeignConfig(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"text", "hello\n", "f line 1: hello: this is no TOML"},
		{"JSON", `{"a":1}`, `f line 1: {\"a\":1}: this is no TOML`},
		{"open string", "\nlisten = \"a\n", "f line 2: listen: this is no TOML"},
		{"bytes", "\x00\xff", `f line 1: \x00\xff: this is no TOML`},
		{"long line", strings.Repeat("x", 100), "f line 1: " + strings.Repeat("x", 40) + "...: this is no TOML"},
		{"number for a text", "listen = 5", "f line 1: listen: this key cannot hold what TOML calls integer"},
		{"number for tables", "payer = 5", "f line 1: payer: this key cannot hold what TOML calls integer"},
		{"list for a text", "[[payer]]\nkeystore = [1]", "f line 2: keystore: this key cannot hold what TOML calls array"},
		{"table for a text", "[node]\nx = 1", "f line 1: [node]: this key cannot hold what TOML calls table"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseConfig("f", []byte(tt.text))
			expect.That(t, err != nil && strings.Contains(err.Error(), tt.want) && !strings.Contains(err.Error(), "sponsor.P") &&
				!strings.Contains(err.Error(), " into "), "error %v, want %s", err, tt.want)
		})
	}
}

// FuzzConfig: any text is a configuration or an error.
func FuzzConfig(f *testing.F) {
	f.Add(withHash(goodConfig))
	f.Add("[[key]]\n[[key.contract]]\n[[payer]]")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseConfig("f", []byte(text))
		if err == nil && (len(c.Keys) == 0 || len(c.Payers) == 0) {
			t.Errorf("configuration without keys or payers: %q", text)
		}
	})
}

// TestFindKey: a key finds its policy, no key the one without a hash, and a wrong key none.
func TestFindKey(t *testing.T) {
	c := testConfig(t)
	for key, want := range map[string]*Key{goodKey: c.Keys[0], "": c.Keys[1], "wrong": nil, goodKey + "x": nil} {
		t.Run(key, func(t *testing.T) {
			expect.Equal(t, c.findKey(key), want, "policy")
		})
	}
}

// TestRules: each rule refuses what exceeds it by one, names itself, and gives its figures.
func TestRules(t *testing.T) {
	type (
		tx = txobject.Transaction
		at = time.Time
	)
	c := testConfig(t)
	now := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	transferData := append([]byte{0xa9, 0x05, 0x9c, 0xbb}, make([]byte, 64)...)
	to := func(last byte) *common.Address { return &common.Address{19: last} }
	gwei := func(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e9)) }
	good := func() *tx {
		return &tx{Sender: common.Address{1}, DynamicFeeTx: types.DynamicFeeTx{
			To: to(0xaa), Value: new(big.Int), Gas: 21000, GasFeeCap: gwei(80_000),
		}}
	}
	for _, tt := range []struct {
		name   string
		change func(*tx, *Key, *at)
		rule   string // empty: allowed
	}{
		{"allowed", func(*tx, *Key, *at) {}, ""},
		{"function by name", func(r *tx, _ *Key, _ *at) { r.To, r.Data = to(0xcc), transferData }, ""},
		{"function by selector", func(r *tx, _ *Key, _ *at) { r.To, r.Data = to(0xcc), []byte{1, 2, 3, 4} }, ""},
		{"other function", func(r *tx, _ *Key, _ *at) { r.To, r.Data = to(0xcc), []byte{1, 2, 3, 5} }, "target"},
		{"short data", func(r *tx, _ *Key, _ *at) { r.To, r.Data = to(0xcc), []byte{1, 2, 3} }, "target"},
		{"call of a recipient", func(r *tx, _ *Key, _ *at) { r.Data = transferData }, "target"},
		{"stranger", func(r *tx, _ *Key, _ *at) { r.To = to(0xbb) }, "target"},
		{"creation", func(r *tx, _ *Key, _ *at) { r.To = nil }, "target"},
		{"inactive", func(_ *tx, k *Key, _ *at) { k.Inactive = true }, "active"},
		{"before from", func(_ *tx, k *Key, now *at) { *now = k.From.Add(-time.Second) }, "from"},
		{"at until", func(_ *tx, k *Key, now *at) { *now = k.Until }, "until"},
		{"denied sender", func(r *tx, _ *Key, _ *at) { r.Sender = *to(0xdd) }, "deny"},
		{"denied recipient", func(r *tx, _ *Key, _ *at) { r.To = to(0xdd) }, "deny"},
		{"value", func(r *tx, _ *Key, _ *at) { r.Value = big.NewInt(1) }, "value_allowed"},
		{"gas", func(r *tx, _ *Key, _ *at) { r.Gas, r.GasFeeCap = 100_001, big.NewInt(1) }, "max_gas"},
		{"no gas", func(_ *tx, k *Key, _ *at) { k.MaxGas = new(uint64) }, "max_gas"},
		{"fee cap", func(r *tx, _ *Key, _ *at) { r.GasFeeCap = gwei(80_001) }, "max_fee_per_gas"},
		{"cost", func(r *tx, _ *Key, _ *at) { r.Gas = 25_001 }, "max_per_tx"},
		{"access list", func(r *tx, _ *Key, _ *at) { r.AccessList = types.AccessList{{}} }, "access_list"},
		{"access list that is allowed", func(r *tx, k *Key, _ *at) {
			r.AccessList, k.AccessList = types.AccessList{{}}, true
		}, ""},
		{"bytes behind the arguments", func(r *tx, _ *Key, _ *at) {
			r.To, r.Data = to(0xcc), append(transferData, 0)
		}, "extra_data"},
		{"bytes that are allowed", func(r *tx, k *Key, _ *at) {
			r.To, r.Data, k.ExtraData = to(0xcc), append(transferData, 0), true
		}, ""},
		{"bytes of unknown arguments", func(r *tx, _ *Key, _ *at) {
			r.To, r.Data = to(0xcc), []byte{1, 2, 3, 4, 5}
		}, ""},
		{"cost by default", func(r *tx, k *Key, _ *at) {
			k.MaxPerTx, k.maxPerTx, r.GasFeeCap, r.Gas = nil, k.tenthOfBudget(), big.NewInt(1), 1
			r.GasFeeCap = new(big.Int).Add(k.maxPerTx.int(), common.Big1)
			k.MaxFeePerGas = nil
		}, "max_per_tx"},
		{"cost at the limit", func(r *tx, _ *Key, _ *at) { r.Gas = 25_000 }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, k, when := good(), *c.Keys[0], now
			tt.change(r, &k, &when)
			refusal := k.refuse(r, when)
			switch {
			case tt.rule == "" && refusal != nil:
				t.Errorf("refused: %v", refusal)
			case tt.rule != "" && (refusal == nil || refusal.Rule != tt.rule || refusal.Text == "" ||
				refusal.Limit+refusal.Have == ""):
				t.Errorf("refusal %+v, want rule %s with figures", refusal, tt.rule)
			}
		})
	}
}

// TestDocumentedConfig: the configuration of the documentation is one, with the keys that it explains.
func TestDocumentedConfig(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "develop", "sponsor.md")))(t)
	_, text, found := strings.Cut(string(page), "```toml\n")
	text, _, ended := strings.Cut(text, "```")
	must.That(t, found && ended, "no configuration in the documentation")
	if _, err := ParseConfig("sponsor.md", []byte(text)); err == nil || !strings.Contains(err.Error(), "sponsor key") {
		t.Errorf("the placeholder of the hash gives %v, want the command that makes one", err)
	}
	text = strings.Replace(text, "\"HASH\"", `"`+strings.Repeat("ab", 32)+`"`, 1)
	c := must.Get(ParseConfig("sponsor.md", []byte(text)))(t)
	k := c.Keys[0]
	expect.That(t, len(k.contracts) == 1 && k.MaxTotal != nil && c.LowBalance != nil, "configuration %+v", c)
}
