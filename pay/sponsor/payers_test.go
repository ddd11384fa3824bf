// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/wellknown"
)

const testPassword = "correct horse"

// storeKey writes a key into a new key store with testPassword, and the password into a file beside it.
func storeKey(t *testing.T, key *ecdsa.PrivateKey) (dir, passwordFile string) {
	t.Helper()
	dir, passwordFile = filepath.Join(t.TempDir(), "keys"), filepath.Join(t.TempDir(), "password.txt")
	store := keystore.NewKeyStore(dir, keystore.LightScryptN, keystore.LightScryptP)
	must.Get(store.ImportECDSA(key, testPassword))(t)
	must.Do(t, os.WriteFile(passwordFile, []byte(testPassword+"\n"), 0o600))
	return dir, passwordFile
}

// signerDouble serves the Ethereum 1 interface of Web3Signer for one key.
func signerDouble(t *testing.T, key *ecdsa.PrivateKey) (url, public string) {
	t.Helper()
	public = hexutil.Encode(crypto.FromECDSAPub(&key.PublicKey)[1:])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Data hexutil.Bytes }
		if r.URL.Path != "/api/v1/eth1/sign/"+public || json.NewDecoder(r.Body).Decode(&request) != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		signature, err := crypto.Sign(crypto.Keccak256(request.Data), key)
		expect.Error(t, err, nil, "Sign")
		signature[64] += 27
		fmt.Fprint(w, hexutil.Encode(signature))
	}))
	t.Cleanup(server.Close)
	return server.URL, public
}

// TestKindsOfPayers: each kind of key signs for its account alone.
// spec: transactions 1.2
func TestKindsOfPayers(t *testing.T) {
	key := newSender(t)
	file := filepath.Join(t.TempDir(), "payer.key")
	must.Do(t, os.WriteFile(file, []byte(hex.EncodeToString(crypto.FromECDSA(key))), 0o600))
	dir, password := storeKey(t, key)
	url, public := signerDouble(t, key)
	for _, tt := range []struct {
		name   string
		config PayerConfig
	}{
		{"key file", PayerConfig{KeyFile: file}},
		{"key store", PayerConfig{KeyStore: dir, Password: password}},
		{"external signer", PayerConfig{Signer: url, PublicKey: public}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			address := Address(crypto.PubkeyToAddress(key.PublicKey))
			tt.config.Address = &address
			lines := must.Get(openLines(t.Context(), &tt.config))(t)
			p := lines[0].last()
			s := &Sponsor{chainID: big.NewInt(testChain)}
			_, raw := senderTx(t, newSender(t), nil)
			sender := must.Get(s.parse(raw))(t)
			signed, err := p.cosign(t.Context(), sender, s.chainID)
			expect.That(t, err == nil && *signed.FeePayer == p.address && types.VerifyFeePayer(testSigner, signed.Tx) == nil,
				"signed %+v, error %v", signed, err)
			tt.config.Address = &Address{1}
			expect.Refused(t, expect.Err(openLines(t.Context(), &tt.config)), "a key of another address was taken")
		})
	}
}

// TestLines: later payers are derived from the seed or the first key, are those of the books after a start, and a line
// whose signer has no further key says what to add.
func TestLines(t *testing.T) {
	key := newSender(t)
	address := Address(crypto.PubkeyToAddress(key.PublicKey))
	seed, file := filepath.Join(t.TempDir(), "seed.txt"), filepath.Join(t.TempDir(), "payer.key")
	for name, text := range map[string]string{
		seed: wellknown.Mnemonic + "\n", file: hex.EncodeToString(crypto.FromECDSA(key)),
	} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	url, public := signerDouble(t, key)
	for _, tt := range []struct {
		name   string
		config PayerConfig
		lines  int
		path   string
		next   string // address, where it is known
		err    string
	}{
		{"seed", PayerConfig{Seed: seed, Accounts: 2}, 2, "m/44'/60'/0'/0/1",
			"0x70997970C51812dc3A010C7d01b50e0d17dc79C8", ""},
		{"key file", PayerConfig{Address: &address, KeyFile: file}, 1, "m/44'/60'/0'/0/1", "", ""},
		{"signer", PayerConfig{Address: &address, Signer: url, PublicKey: public}, 1, "", "", "next_public_keys"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines, err := openLines(t.Context(), &tt.config)
			must.That(t, err == nil && len(lines) == tt.lines, "%d lines, error %v", len(lines), err)
			l := lines[0]
			next, err := l.open(t.Context(), 1)
			if tt.err != "" {
				expect.Says(t, err, tt.err, "refusal")
				return
			}
			if err != nil || next.path != tt.path || tt.next != "" && next.address.Hex() != tt.next ||
				next.address == l.first() {
				t.Fatalf("next payer %+v, error %v", next, err)
			}
			books := openTestBooks(t, t.TempDir())
			defer closeTestBooks(t, books)
			must.Do(t, books.addPayer(l.first(), 1, next))
			c := &Config{Payers: []*PayerConfig{&tt.config}}
			again, err := linesOf(t.Context(), c, books)
			must.That(t, err == nil && len(again) == tt.lines && again[0].last().address == next.address,
				"lines %v, error %v", again, err)
			must.Do(t, books.addPayer(l.first(), 1, &payer{address: common.Address{1}}))
			expect.Says(t, expect.Err(linesOf(t.Context(), c, books)), "restore the key", "linesOf")
		})
	}
}

// TestPayerKeyNotOpened: what is wrong with a key store is one sentence with the place and the remedy.
func TestPayerKeyNotOpened(t *testing.T) {
	key := newSender(t)
	address := Address(crypto.PubkeyToAddress(key.PublicKey))
	dir, password := storeKey(t, key)
	wrong := filepath.Join(t.TempDir(), "wrong.txt")
	must.Do(t, os.WriteFile(wrong, []byte("wrong"), 0o600))
	missing := filepath.Join(t.TempDir(), "missing.txt")
	for _, tt := range []struct {
		name   string
		config PayerConfig
		want   []string
	}{
		{"wrong password", PayerConfig{Address: &address, KeyStore: dir, Password: wrong},
			[]string{dir, "could not decrypt key with given password", "check directory and password"}},
		{"no account", PayerConfig{Address: &Address{1}, KeyStore: dir, Password: password},
			[]string{dir, "no key for given address", "check directory and password"}},
		{"no password file", PayerConfig{Address: &address, KeyStore: dir, Password: missing}, []string{missing}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := openLines(t.Context(), &tt.config)
			must.That(t, err != nil, "the payer was opened")
			text := err.Error()
			for _, want := range append(tt.want, common.Address(*tt.config.Address).Hex()) {
				expect.That(t, strings.Contains(text, want), "error %q lacks %q", text, want)
			}
			expect.That(t, !strings.ContainsAny(text, "\n") && !strings.Contains(text, testPassword),
				"error %q has several lines, or the password", text)
		})
	}
}

// TestAllPayersAreUsed: payers of all kinds take turns, one with little left is left out, and the books of all agree
// with the chain.
func TestAllPayersAreUsed(t *testing.T) {
	b := startBench(t, openPolicy)
	b.stop()
	stored, external, poor := newSender(t), newSender(t), newSender(t)
	dir, password := storeKey(t, stored)
	url, public := signerDouble(t, external)
	poorFile := filepath.Join(t.TempDir(), "poor.key")
	must.Do(t, os.WriteFile(poorFile, []byte(hex.EncodeToString(crypto.FromECDSA(poor))), 0o600))
	address := func(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }
	b.text += fmt.Sprintf("[[payer]]\naddress = %q\nkeystore = %q\npassword = %q\n"+
		"[[payer]]\naddress = %q\nsigner = %q\npublic_key = %q\n[[payer]]\naddress = %q\nkey_file = %q\n",
		address(stored).Hex(), dir, password, address(external).Hex(), url, public, address(poor).Hex(), poorFile)
	b.chain.set(func() {
		for _, rich := range []*ecdsa.PrivateKey{stored, external} {
			b.chain.balances[address(rich)] = new(big.Int).Mul(big.NewInt(1000), big.NewInt(1e18))
		}
		b.chain.balances[address(poor)] = big.NewInt(1e15) // less than one transaction can cost
	})
	b.start()
	const each = 3
	for range 3 * each {
		_, raw := senderTx(t, newSender(t), nil)
		var hash common.Hash
		b.must(&hash, "eth_sendRawTransaction", raw)
	}
	paid := make(map[common.Address]int)
	for _, tx := range b.chain.pooled() {
		expect.Error(t, types.VerifyFeePayer(testSigner, tx), nil, "VerifyFeePayer")
		paid[*tx.FeePayer()]++
	}
	for _, payer := range []common.Address{b.payer, address(stored), address(external)} {
		expect.That(t, paid[payer] == each,
			"payer %v pays for %d transactions, want %d of %v", payer, paid[payer], each, paid)
	}
	if paid[address(poor)] != 0 {
		t.Errorf("a payer with too few coins pays for %d transactions", paid[address(poor)])
	}
	b.chain.minePool()
	b.mustSpend("all payers", new(big.Int).Mul(testFee, big.NewInt(3*each)), 3*each)
}

// TestConnectionsAreKept: requests at the same time use connections to the node again, instead of one for each call.
func TestConnectionsAreKept(t *testing.T) {
	var opened atomic.Int32
	const parallel, rounds = 16, 8
	arrived := make(chan struct{}, parallel)
	answer := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-answer
		fmt.Fprint(w, "{}")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := newHTTPClient(signerTimeout)
	defer client.CloseIdleConnections()
	for range rounds {
		done := make(chan error, parallel)
		for range parallel {
			go func() {
				_, err := post(t.Context(), client, server.URL, nil, maxReply)
				done <- err
			}()
		}
		for range parallel {
			<-arrived // all are under way at the same time
		}
		for range parallel {
			answer <- struct{}{}
		}
		for range parallel {
			must.Do(t, <-done)
		}
	}
	// A connection that was dialed while another became free stays idle, so that there may be a few more.
	n := int(opened.Load())
	expect.That(t, n <= 3*parallel, "%d connections for %d rounds of %d requests", n, rounds, parallel)
}

func lineOf(first byte) *line { return &line{all: []*payer{{address: common.Address{first}}}} }

// TestPayersInTurn: payers take turns, and one without enough coins is left out.
func TestPayersInTurn(t *testing.T) {
	p := &payers{lines: []*line{lineOf(1), lineOf(2), lineOf(3)}}
	p.setBalances(map[common.Address]*big.Int{{1}: big.NewInt(100), {2}: big.NewInt(9), {3}: big.NewInt(100)}, common.Big0)
	reserved := func(a common.Address) (all, own *big.Int, err error) {
		if a == (common.Address{3}) {
			return big.NewInt(90), big.NewInt(90), nil
		}
		return new(big.Int), new(big.Int), nil
	}
	choose := p.chooser(1)
	var got []byte
	for range 4 {
		a, refusal, err := choose(big.NewInt(10), reserved)
		must.That(t, err == nil && refusal == nil, "%v %v", refusal, err)
		got = append(got, a[0])
	}
	expect.That(t, string(got) == "\x01\x03\x01\x03", "payers %v, want 1, 3, 1, 3", got)
	_, refusal, _ := choose(big.NewInt(101), reserved)
	expect.That(t, refusal != nil && refusal.Rule == "payer_balance", "a payer was chosen that cannot pay: %v", refusal)
}

// TestFeeOfASweepIsKept: the payer that pays keeps what a sweep takes while one before it may need that, and for no
// reservation (docs/develop/sponsor.md, Budgets).
func TestFeeOfASweepIsKept(t *testing.T) {
	l := &line{all: []*payer{{address: common.Address{1}}, {address: common.Address{2}}}}
	p := &payers{lines: []*line{l}}
	for held, want := range map[bool]int64{true: 70, false: 100} {
		p.hold(l.all[0], held)
		p.setBalances(map[common.Address]*big.Int{{2}: big.NewInt(100)}, big.NewInt(30))
		have := p.balance(common.Address{2})
		expect.That(t, have.Int64() == want, "held %t: %v are left for reservations, want %d", held, have, want)
	}
}

// TestPolicyShare: of several policies none can have more reserved of a payer than half of what the others have left.
func TestPolicyShare(t *testing.T) {
	p := &payers{lines: []*line{lineOf(1)}}
	p.setBalances(map[common.Address]*big.Int{{1}: big.NewInt(100)}, common.Big0)
	for _, row := range []struct {
		policies       int
		all, own, cost int64
		rule           string
	}{
		{1, 90, 90, 10, ""},
		{2, 40, 40, 10, ""},
		{2, 40, 40, 11, "payer_share"},
		{2, 60, 10, 15, ""},
		{2, 60, 10, 16, "payer_share"},
		{2, 60, 10, 41, "payer_balance"},
	} {
		_, refusal, err := p.chooser(row.policies)(big.NewInt(row.cost), func(common.Address) (all, own *big.Int, err error) {
			return big.NewInt(row.all), big.NewInt(row.own), nil
		})
		rule := ""
		if refusal != nil {
			rule = refusal.Rule
		}
		expect.That(t, rule == row.rule && err == nil, "%+v: rule %q, error %v", row, rule, err)
	}
}
