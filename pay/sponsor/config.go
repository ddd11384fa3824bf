// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/naoina/toml"
	"github.com/naoina/toml/ast"

	"gwon/internal/amounts"
	"gwon/internal/atomicfile"
	"gwon/internal/dial"
	"gwon/internal/tomltext"
	"gwon/internal/txobject"
)

const page = "docs/develop/sponsor.md"

// Config is the content of sponsor.toml, checked.
type Config struct {
	Listen     string   `toml:"listen"`
	Metrics    string   `toml:"metrics"` // address of metrics and health alone; empty for none
	Node       string   `toml:"node"`
	Data       string   `toml:"data"` // directory of books and audit log
	Name       string   `toml:"name"`
	Icon       string   `toml:"icon"`
	Website    string   `toml:"website"`
	CORS       []string `toml:"cors"`
	Hosts      []string `toml:"hosts"`   // names by which the sponsor is reached, besides addresses and localhost
	Methods    []string `toml:"methods"` // passed on to the node besides those that wallets need
	Proxied    bool     `toml:"proxied"` // addresses of clients come from X-Forwarded-For
	LowBalance *Amount  `toml:"low_balance"`
	KeyRate    float64  `toml:"rate_per_key"`     // requests a second
	ClientRate float64  `toml:"rate_per_address"` // requests a second

	X402   *X402Config    `toml:"x402"`
	Payers []*PayerConfig `toml:"payer"`
	Keys   []*Key         `toml:"key"`
}

// PayerConfig names a line of fee payers and what signs for them: one of Seed, KeyFile, KeyStore and Signer. The first
// payer of a key has this key, and the later ones have keys that are derived from it.
type PayerConfig struct {
	Address   *Address `toml:"address"`    // of the first payer; a seed has none
	Seed      string   `toml:"seed"`       // file with a phrase of 12 to 24 words
	Accounts  uint32   `toml:"accounts"`   // of the seed that pay at the same time
	KeyFile   string   `toml:"key_file"`   // private key in hexadecimal
	KeyStore  string   `toml:"keystore"`   // directory of encrypted keys
	Password  string   `toml:"password"`   // file with the password of the key store
	Signer    string   `toml:"signer"`     // URL of an external signer
	PublicKey string   `toml:"public_key"` // name of the key at the external signer
	NextKeys  []string `toml:"next_public_keys"`
	// DepositKey is the name of the account of deposits at the external signer. Others have a derived one.
	DepositKey string `toml:"deposit_public_key"`
}

// Key is the policy of one API key.
type Key struct {
	Label             string      `toml:"label"`
	Hash              *KeyHash    `toml:"hash"` // absent for the policy of requests without a key
	Inactive          bool        `toml:"-"`
	Active            *bool       `toml:"active"`
	From              time.Time   `toml:"from"`
	Until             time.Time   `toml:"until"`
	Contracts         []*Contract `toml:"contract"`
	Recipients        []*Address  `toml:"recipients"`
	AnyTarget         bool        `toml:"any_target"`
	Deny              []*Address  `toml:"deny"`
	MaxPerTx          *Amount     `toml:"max_per_tx"`
	MaxPerSenderDay   *Amount     `toml:"max_per_sender_day"`
	MaxPerDay         *Amount     `toml:"max_per_day"`
	MaxTotal          *Amount     `toml:"max_total"`
	MaxCountPerSender *uint64     `toml:"max_count_per_sender"`
	MaxFeePerGas      *Amount     `toml:"max_fee_per_gas"`
	MaxGas            *uint64     `toml:"max_gas"`
	RequireSuccess    bool        `toml:"require_success"`
	ValueAllowed      bool        `toml:"value_allowed"`
	AccessList        bool        `toml:"access_list"`
	ExtraData         bool        `toml:"extra_data"` // bytes behind the arguments of a function
	Sign              bool        `toml:"sign"`
	Hook              string      `toml:"hook"`
	PayTo             []*Address  `toml:"pay_to"` // of payments by x402, instead of the list in [x402]

	maxPerTx   *Amount // MaxPerTx or its default
	contracts  map[common.Address]*Contract
	recipients map[common.Address]bool
	deny       map[common.Address]bool
}

// Contract is a contract whose calls are sponsored.
type Contract struct {
	Address   *Address    `toml:"address"`
	Selectors []*Selector `toml:"selectors"`
}

// Amount is wei, written with a unit: "5 WKRC", "27600 gwei".
type Amount big.Int

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Amount) UnmarshalText(text []byte) error {
	n, err := amounts.Parse(string(text), "")
	if err != nil {
		return err
	}
	*a = Amount(*n)
	return nil
}

func (a *Amount) int() *big.Int { return (*big.Int)(a) }

// Address is an account, written with 0x. Mixed letter case has to be a right checksum.
type Address = txobject.Address

// KeyHash is SHA-256 of an API key. The key itself is not stored.
type KeyHash [sha256.Size]byte

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *KeyHash) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(h[:], text[:min(len(text), 2*len(h))]); err != nil || n != len(h) || len(text) != 2*n {
		return errors.New("hash of an API key has 64 hexadecimal digits: take what \"gwon-pay sponsor key\" prints")
	}
	return nil
}

// Selector is the first four bytes of call data, written as "0xa9059cbb", "transfer(address,uint256)", or "*" for any.
type Selector struct {
	Any       bool
	ID        [4]byte
	arguments abi.Arguments // nil where they are not known
}

var functionPattern = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*\([A-Za-z0-9_,()\[\]]*\)$`)

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Selector) UnmarshalText(text []byte) error {
	word := string(text)
	switch digits, isHex := strings.CutPrefix(word, "0x"); {
	case word == "*":
		s.Any = true
		return nil
	case isHex && len(digits) == 2*len(s.ID):
		if _, err := hex.Decode(s.ID[:], []byte(digits)); err == nil {
			return nil
		}
	case functionPattern.MatchString(word):
		var err error
		if parsed, unread := abi.ParseSelector(word); unread == nil { // it does not read lists of tuples
			s.arguments, err = argumentsOf(parsed)
		}
		if err != nil {
			return fmt.Errorf("%q: %w: write the types of the ABI, or the selector as \"0xa9059cbb\"", word, err)
		}
		copy(s.ID[:], crypto.Keccak256(text))
		return nil
	}
	return fmt.Errorf(
		"%q is no selector: write \"transfer(address,uint256)\" without spaces, \"0xa9059cbb\", or \"*\" for all",
		word,
	)
}

// DefaultAccounts is how many accounts of a seed pay at the same time.
const DefaultAccounts = 3

// defaults of what the file leaves out.
const (
	defaultListen     = "127.0.0.1:9545"
	defaultNode       = "http://127.0.0.1:8545"
	defaultKeyRate    = 200
	defaultClientRate = 50
	maxAccounts       = 16
)

// LoadConfig reads and checks a configuration file. Relative names in it count from its directory. An error names the
// file, the line, the key and the remedy.
func LoadConfig(path string) (*Config, error) {
	text, err := atomicfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("configuration of the sponsor: %w: %s has one", err, page)
	}
	c, err := ParseConfig(path, text)
	if err != nil {
		return nil, err
	}
	for _, name := range c.fileNames() {
		if *name != "" && !filepath.IsAbs(*name) {
			*name = filepath.Join(filepath.Dir(path), *name)
		}
	}
	return c, nil
}

func (c *Config) fileNames() []*string {
	names := []*string{&c.Data}
	for _, p := range c.Payers {
		names = append(names, &p.Seed, &p.KeyFile, &p.KeyStore, &p.Password)
	}
	return names
}

// ParseConfig reads and checks the text of a configuration. file is its name in errors.
func ParseConfig(file string, text []byte) (*Config, error) {
	table, err := tomltext.Parse(text)
	if err != nil {
		return nil, tomltext.Explain(file, text, err, page)
	}
	dialect := toml.DefaultConfig
	dialect.MissingField = func(_ reflect.Type, key string) error {
		if key == "namespaces" {
			return errors.New("it is no key any more: what wallets need is passed on; list others in methods")
		}
		return fmt.Errorf("%q is no key here: docs/develop/sponsor.md lists them", key)
	}
	c := &Config{
		Listen:     defaultListen,
		Node:       defaultNode,
		Data:       "sponsor-data",
		KeyRate:    defaultKeyRate,
		ClientRate: defaultClientRate,
	}
	if err := dialect.UnmarshalTable(table, c); err != nil {
		return nil, tomltext.Explain(file, text, err, page)
	}
	if err := c.check(&position{file, table}); err != nil {
		return nil, err
	}
	return c, nil
}

// position makes errors that name a place in the file.
type position struct {
	file  string
	table *ast.Table
}

func (p *position) errorf(key, format string, args ...any) error {
	line := p.table.Line
	if field, ok := p.table.Fields[key].(*ast.KeyValue); ok {
		line = field.Line
	}
	return fmt.Errorf("%s line %d: %s: %w", p.file, max(line, 1), key, fmt.Errorf(format, args...))
}

// below returns the position of the i-th table of a name.
func (p *position) below(name string, i int) *position {
	if tables, ok := p.table.Fields[name].([]*ast.Table); ok && i < len(tables) {
		return &position{p.file, tables[i]}
	}
	return p
}

func (c *Config) check(at *position) error {
	for _, a := range []struct{ key, address string }{{"listen", c.Listen}, {"metrics", c.Metrics}} {
		if err := dial.CheckListen(a.address); err != nil && a.address != "" {
			return at.errorf(a.key, "%w", err)
		}
	}
	if c.Node == "" {
		return at.errorf("node", "empty: write the endpoint of a node, as in %q", defaultNode)
	}
	if err := dial.Check(c.Node); err != nil {
		return at.errorf("node", "%w", err)
	}
	for _, r := range []struct {
		key  string
		rate float64
	}{{"rate_per_key", c.KeyRate}, {"rate_per_address", c.ClientRate}} {
		if !(r.rate > 0) {
			return at.errorf(r.key, "%v: write requests a second, above 0", r.rate)
		}
	}
	for _, method := range c.Methods {
		if !methodPattern.MatchString(method) || slices.Contains(signing, method) {
			return at.errorf("methods", "%q cannot be passed on: write names of methods that use no key of the node", method)
		}
	}
	if len(c.Payers) == 0 {
		return at.errorf("payer", "missing: add [[payer]] with the seed that \"gwon-pay sponsor seed\" makes")
	}
	payers := make(map[common.Address]bool)
	for i, p := range c.Payers {
		if err := p.check(at.below("payer", i)); err != nil {
			return err
		}
		if p.Address == nil {
			continue
		}
		if payers[common.Address(*p.Address)] {
			return at.below("payer", i).errorf("address", "this payer stands in the file twice: remove one")
		}
		payers[common.Address(*p.Address)] = true
	}
	if len(c.Keys) == 0 {
		return at.errorf("key", "missing: add [[key]] with a label, a hash of \"gwon-pay sponsor key\" and a budget")
	}
	labels, hashes := make(map[string]bool), make(map[KeyHash]bool)
	open := false
	for i, k := range c.Keys {
		here := at.below("key", i)
		if err := k.check(here); err != nil {
			return err
		}
		switch {
		case labels[k.Label]:
			return here.errorf("label", "%q stands in the file twice: a label names one budget", k.Label)
		case k.Hash == nil && open:
			return here.errorf("hash", "two policies are without one: requests without a key can have one policy")
		case k.Hash != nil && hashes[*k.Hash]:
			return here.errorf("hash", "stands in the file twice: make another key")
		}
		labels[k.Label] = true
		if open = open || k.Hash == nil; k.Hash != nil {
			hashes[*k.Hash] = true
		}
	}
	return c.checkX402(at)
}

func (p *PayerConfig) check(at *position) error {
	given := 0
	for _, source := range []string{p.Seed, p.KeyFile, p.KeyStore, p.Signer} {
		if source != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return at.errorf("address", "%d sources of the key: write one of seed, key_file, keystore and signer", given)
	case p.Seed == "" && p.Address == nil:
		return at.errorf("address", "missing: write the account that pays")
	case p.Seed != "" && p.Address != nil:
		return at.errorf("address", "the seed names its accounts: remove it")
	case p.Seed == "" && at.table.Fields["accounts"] != nil:
		return at.errorf("accounts", "stands without seed: add a further [[payer]] instead")
	case p.Accounts > maxAccounts, p.Accounts == 0 && at.table.Fields["accounts"] != nil:
		return at.errorf("accounts", "%d: write 1 to %d", p.Accounts, maxAccounts)
	case p.KeyStore != "" && p.Password == "":
		return at.errorf("keystore", "password is missing: name a file with it")
	case p.KeyStore == "" && p.Password != "":
		return at.errorf("password", "stands without keystore: remove it")
	case (p.Signer == "") != (p.PublicKey == ""), p.Signer == "" && (len(p.NextKeys) > 0 || p.DepositKey != ""):
		return at.errorf("signer", "signer and public_key belong together: write both")
	case p.Seed != "" && p.Accounts == 0:
		p.Accounts = DefaultAccounts
		return nil
	case p.Signer == "":
		return nil
	}
	if err := checkURL(p.Signer); err != nil {
		return at.errorf("signer", "%w", err)
	}
	keys := append([]string{p.PublicKey}, p.NextKeys...)
	if p.DepositKey != "" {
		keys = append(keys, p.DepositKey)
	}
	named := make(map[common.Address]bool)
	for i, key := range keys {
		owner, err := ownerOfKey(key)
		if err != nil {
			return at.errorf("public_key", "%w", err)
		}
		if named[owner] {
			return at.errorf("public_key", "the key of %v stands twice: name another one, as each has one use", owner)
		}
		named[owner] = true
		if i == 0 && owner != common.Address(*p.Address) {
			return at.errorf("public_key", "belongs to %v, not to the address of this payer: correct one of them", owner)
		}
	}
	return nil
}

// ownerOfKey returns the account of a public key, as external signers name it.
func ownerOfKey(text string) (common.Address, error) {
	key, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil || len(key) != 64 {
		return common.Address{}, errors.New("has 128 hexadecimal digits: copy it from the external signer")
	}
	return common.BytesToAddress(crypto.Keccak256(key)[12:]), nil
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is no URL: write one with http:// or https://", text)
	}
	return nil
}

var methodPattern = regexp.MustCompile(`^[a-z][a-z0-9]{0,19}_[A-Za-z0-9_]{1,60}$`)

var labelPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,39}$`)

func (k *Key) check(at *position) error {
	switch {
	case !labelPattern.MatchString(k.Label):
		return at.errorf("label", "%q: write 1 to 40 of a-z, 0-9, point, dash and underscore, as in \"shop\"", k.Label)
	case k.MaxPerDay == nil && k.MaxTotal == nil:
		return at.errorf("label", "%s has no budget: write max_per_day or max_total", k.Label)
	case !k.Until.IsZero() && !k.Until.After(k.From):
		return at.errorf("until", "%v is not after from: correct one of them", k.Until.Format(time.RFC3339))
	case !k.AnyTarget && len(k.Contracts) == 0 && len(k.Recipients) == 0:
		return at.errorf("label", "%s sponsors nothing: write recipients, [[key.contract]], or any_target = true", k.Label)
	}
	if k.Hook != "" {
		if err := checkURL(k.Hook); err != nil {
			return at.errorf("hook", "%w", err)
		}
	}
	k.Inactive = k.Active != nil && !*k.Active
	if k.MaxPerTx == nil {
		k.maxPerTx = k.tenthOfBudget()
	} else {
		k.maxPerTx = k.MaxPerTx
	}
	k.recipients, k.deny = addressSet(k.Recipients), addressSet(k.Deny)
	k.contracts = make(map[common.Address]*Contract)
	for i, contract := range k.Contracts {
		here := at.below("contract", i)
		switch {
		case contract.Address == nil:
			return here.errorf("address", "missing: write the address of the contract")
		case len(contract.Selectors) == 0:
			return here.errorf("selectors", "missing: write functions, or \"*\" for all")
		case k.contracts[common.Address(*contract.Address)] != nil:
			return here.errorf("address", "this contract stands in the policy twice: write its selectors in one place")
		}
		k.contracts[common.Address(*contract.Address)] = contract
	}
	return nil
}

// smallerBudget returns the smaller one of the budgets of a day and in total, in wei.
func (k *Key) smallerBudget() *big.Int {
	budget := k.MaxPerDay
	if budget == nil || k.MaxTotal != nil && k.MaxTotal.int().Cmp(budget.int()) < 0 {
		budget = k.MaxTotal
	}
	return budget.int()
}

// tenthOfBudget is the default of max_per_tx.
func (k *Key) tenthOfBudget() *Amount {
	return (*Amount)(new(big.Int).Div(k.smallerBudget(), big.NewInt(10)))
}

func addressSet(list []*Address) map[common.Address]bool {
	set := make(map[common.Address]bool)
	for _, a := range list {
		set[common.Address(*a)] = true
	}
	return set
}
