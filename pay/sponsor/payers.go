// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/dial"
	"gwon/internal/hdkey"
	"gwon/internal/secretfile"
	"gwon/pay/txsign"
)

const (
	signerTimeout = 5 * time.Second
	maxReply      = 4096 // bytes of an answer of a signer or hook
)

// signFunc returns a signature of 65 bytes over the Keccak-256 hash of what is signed.
type signFunc func(ctx context.Context, preimage []byte) ([]byte, error)

// payer is an account that pays, and what signs for it.
type payer struct {
	address common.Address
	path    string // by which the key is derived from the seed or the first key; empty for a key of the configuration
	sign    signFunc

	low, listed bool // was reported; of the follower alone
	held        bool // may still have coins or reservations, though it was left; behind the lock of the payers
}

// line is the fee payers of one seed, key or external signer in order. The last one pays; coins of others move to it,
// and those of the account of deposits. That one pays for nothing but its moves: no signature takes what is deposited.
type line struct {
	source
	deposit *payer // nil for an external signer without a key for it, whose payers are never left
	all     []*payer
}

// source makes the payers of a line by their number, and its account of deposits.
type source struct {
	payer   func(index uint32) (*payer, error)
	deposit func() (*payer, error)
}

func (l *line) first() common.Address { return l.all[0].address }
func (l *line) last() *payer          { return l.all[len(l.all)-1] }

// accounts returns the account of deposits, where there is one, and the payers of the line.
func (l *line) accounts() []*payer {
	if l.deposit == nil {
		return l.all
	}
	return append([]*payer{l.deposit}, l.all...)
}

// openLines makes the first payers of an entry of the configuration ready.
func openLines(ctx context.Context, c *PayerConfig) ([]*line, error) {
	sources, err := sourcesOf(c)
	if err != nil {
		if c.Address != nil {
			err = fmt.Errorf("payer %v: %w", common.Address(*c.Address), err)
		}
		return nil, err
	}
	lines := make([]*line, len(sources))
	for i, source := range sources {
		l := &line{source: source}
		p, err := l.open(ctx, 0)
		if err == nil && source.deposit != nil {
			if l.deposit, err = source.deposit(); err == nil {
				err = l.deposit.try(ctx)
			}
		}
		if err != nil {
			return nil, err
		}
		if c.Address != nil && p.address != common.Address(*c.Address) {
			return nil, fmt.Errorf("payer %v: its key belongs to %v: correct address or key in the configuration",
				common.Address(*c.Address), p.address)
		}
		l.all = []*payer{p}
		lines[i] = l
	}
	return lines, nil
}

// linesOf opens all payers of a configuration, with those that the books have of each line.
func linesOf(ctx context.Context, c *Config, books *Books) (lines []*line, err error) {
	known := make(map[common.Address]bool)
	for _, entry := range c.Payers {
		opened, err := openLines(ctx, entry)
		if err != nil {
			return nil, err
		}
		for _, l := range opened {
			if known[l.first()] {
				return nil, fmt.Errorf("payer %v has two entries in the configuration: remove one", l.first())
			}
			known[l.first()] = true
			later, err := books.payersAfter(l.first())
			if err != nil {
				return nil, err
			}
			for i, want := range later {
				p, err := l.open(ctx, uint32(i+1))
				if err != nil {
					return nil, err
				}
				if p.address != want.Address {
					return nil, fmt.Errorf("payer %d after %v is %v in the books, and %v by its key: restore the key or the order "+
						"of next_public_keys", i+1, l.first(), want.Address, p.address)
				}
				l.last().held = true
				l.all = append(l.all, p)
			}
		}
		lines = append(lines, opened...)
	}
	return lines, nil
}

// Deposits returns the accounts that coins are sent to for an entry of the configuration.
func Deposits(ctx context.Context, c *PayerConfig) (list []common.Address, err error) {
	lines, err := openLines(ctx, c)
	for _, l := range lines {
		list = append(list, l.depositOf())
	}
	return list, err
}

// sourcesOf returns the sources of each line of an entry.
func sourcesOf(c *PayerConfig) ([]source, error) {
	switch {
	case c.Seed != "":
		phrase, err := secretfile.Read(c.Seed)
		if err != nil {
			return nil, fmt.Errorf("seed: %w: gwon-pay sponsor seed makes one", err)
		}
		seed, err := hdkey.Seed(string(phrase))
		if err != nil {
			return nil, fmt.Errorf("seed: %s has %w", c.Seed, err)
		}
		sources := make([]source, c.Accounts)
		for i := range sources {
			sources[i] = derivedSource(seed, uint32(i))
		}
		return sources, nil
	case c.Signer != "":
		keys := append([]string{c.PublicKey}, c.NextKeys...)
		at := func(key string) (*payer, error) {
			owner, err := ownerOfKey(key)
			return &payer{address: owner, sign: externalSigner(c.Signer, key)}, err
		}
		of := source{payer: func(index uint32) (*payer, error) {
			if int(index) >= len(keys) {
				return nil, errors.New("its external signer has no further key: add one to next_public_keys, and restart")
			}
			return at(keys[index])
		}}
		if c.DepositKey != "" {
			of.deposit = func() (*payer, error) { return at(c.DepositKey) }
		}
		return []source{of}, nil
	}
	key, err := privateKeyOf(c)
	if err != nil {
		return nil, err
	}
	of := derivedSource(crypto.FromECDSA(key), 0)
	later := of.payer
	of.payer = func(index uint32) (*payer, error) {
		if index == 0 {
			return keyPayer(key), nil
		}
		return later(index)
	}
	return []source{of}, nil
}

// derivedSource has the payers m/44'/60'/account'/0/n of a seed, and the account of deposits m/44'/60'/account'/1/0.
func derivedSource(seed []byte, account uint32) source {
	return source{
		payer:   func(index uint32) (*payer, error) { return derivedPayer(seed, hdkey.Path(account, 0, index)) },
		deposit: func() (*payer, error) { return derivedPayer(seed, hdkey.Path(account, 1, 0)) },
	}
}

func derivedPayer(seed []byte, path accounts.DerivationPath) (*payer, error) {
	key, err := hdkey.Derive(seed, path)
	if err != nil {
		return nil, err
	}
	p := keyPayer(key)
	p.path = path.String()
	return p, nil
}

func keyPayer(key *ecdsa.PrivateKey) *payer {
	sign := func(_ context.Context, preimage []byte) ([]byte, error) {
		return crypto.Sign(crypto.Keccak256(preimage), key)
	}
	return &payer{address: crypto.PubkeyToAddress(key.PublicKey), sign: sign}
}

// open makes a payer of the line ready, and has it sign once.
func (l *line) open(ctx context.Context, index uint32) (*payer, error) {
	p, err := l.payer(index)
	if err != nil {
		return nil, fmt.Errorf("payer %d of a line: %w", index, err)
	}
	return p, p.try(ctx)
}

// try has a payer sign once.
func (p *payer) try(ctx context.Context) error {
	trial := []byte("gwon sponsor: can this payer sign?")
	signature, err := p.sign(ctx, trial)
	if err != nil {
		return fmt.Errorf("payer %v: %w", p.address, err)
	}
	key, err := crypto.SigToPub(crypto.Keccak256(trial), signature)
	if err != nil {
		return fmt.Errorf("payer %v: signature of a trial: %w", p.address, err)
	}
	if owner := crypto.PubkeyToAddress(*key); owner != p.address {
		return fmt.Errorf("payer %v: %v has signed for it: correct the key in the configuration", p.address, owner)
	}
	return nil
}

// privateKeyOf reads the key of a file or of a key store.
func privateKeyOf(c *PayerConfig) (*ecdsa.PrivateKey, error) {
	if c.KeyFile != "" {
		text, err := secretfile.Read(c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("key_file: %w", err)
		}
		key, err := secretfile.ParseKey(text)
		if err != nil {
			return nil, fmt.Errorf("private key in %s: %w", c.KeyFile, err)
		}
		return key, nil
	}
	password, err := secretfile.Read(c.Password)
	if err != nil {
		return nil, fmt.Errorf("password: %w", err)
	}
	store := keystore.NewKeyStore(c.KeyStore, keystore.StandardScryptN, keystore.StandardScryptP)
	account, err := store.Find(accounts.Account{Address: common.Address(*c.Address)})
	var text []byte
	if err == nil {
		text, err = os.ReadFile(account.URL.Path)
	}
	var key *keystore.Key
	if err == nil {
		key, err = keystore.DecryptKey(text, strings.TrimRight(string(password), "\r\n"))
	}
	if err != nil {
		return nil, fmt.Errorf("key store %s: %w: check directory and password", c.KeyStore, err)
	}
	return key.PrivateKey, nil
}

// externalSigner signs by the Ethereum 1 interface of Web3Signer, which hashes the data itself.
func externalSigner(url, publicKey string) signFunc {
	url = strings.TrimSuffix(url, "/") + "/api/v1/eth1/sign/0x" + strings.TrimPrefix(publicKey, "0x")
	client := newHTTPClient(signerTimeout)
	return func(ctx context.Context, preimage []byte) ([]byte, error) {
		answer, err := post(ctx, client, url, map[string]hexutil.Bytes{"data": preimage}, maxReply)
		if err != nil {
			return nil, fmt.Errorf("external signer: %w", err)
		}
		signature, err := hexutil.Decode(strings.Trim(strings.TrimSpace(string(answer)), `"`))
		if err != nil || len(signature) != crypto.SignatureLength {
			return nil, errors.New(
				"external signer: answer is no signature of 65 bytes: check that the URL is that of a Web3Signer",
			)
		}
		if signature[64] >= 27 {
			signature[64] -= 27
		}
		return signature, nil
	}
}

// newHTTPClient returns a client that follows no redirects. Go's own limit of two idle connections to a host would open
// one for almost every request. Answers are short, or come from a node nearby: compression costs more than it saves.
func newHTTPClient(timeout time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression, transport.MaxIdleConns, transport.MaxIdleConnsPerHost = true, 0, maxInFlight
	return &http.Client{
		Timeout: timeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// post sends a value as JSON and returns the answer of status 200, of at most limit bytes.
func post(ctx context.Context, client *http.Client, url string, value any, limit int64) ([]byte, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, dial.Bare(err)
	}
	defer func() { _ = response.Body.Close() }() // what counts is what was read
	answer, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(answer)) > limit:
		return nil, fmt.Errorf("answer has more than %d bytes", limit)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d instead of 200", response.StatusCode)
	}
	return answer, nil
}

// payerPreimage returns what a fee payer signs: the sender's signed transaction without its type byte, and the payer
// (spec transactions 1.2).
func payerPreimage(raw []byte, payer common.Address) ([]byte, error) {
	content, err := rlp.EncodeToBytes(struct {
		Sender rlp.RawValue
		Payer  common.Address
	}{raw[1:], payer})
	return append([]byte{feeDelegatedType}, content...), err
}

// cosign adds the payer to a sender's transaction. The result is checked.
func (p *payer) cosign(ctx context.Context, sender *txsign.Signed, chainID *big.Int) (*txsign.Signed, error) {
	preimage, err := payerPreimage(sender.Raw, p.address)
	if err != nil {
		return nil, err
	}
	return txsign.Cosign(sender, chainID, p.address, func(hash common.Hash) ([]byte, error) {
		if crypto.Keccak256Hash(preimage) != hash {
			return nil, errors.New("transaction is not in its canonical form: sign it again")
		}
		return p.sign(ctx, preimage)
	})
}

// payers is the lines of fee payers and what they have on the chain.
type payers struct {
	mu    sync.Mutex
	lines []*line
	next  int
	have  map[common.Address]*big.Int // wei, at the last block that the books contain or later; 0 for a blacklisted one
}

// add makes a payer the last one of its line.
func (p *payers) add(l *line, next *payer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.last().held = true
	l.all = append(l.all, next)
}

// find returns the payer with an address, one whose coins have moved away too, and nil for none.
func (p *payers) find(address common.Address) *payer {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lines {
		for _, candidate := range slices.Backward(l.accounts()) {
			if candidate.address == address {
				return candidate
			}
		}
	}
	return nil
}

// paying returns the last payer of each line.
func (p *payers) paying() []*payer {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*payer, len(p.lines))
	for i, l := range p.lines {
		list[i] = l.last()
	}
	return list
}

// depositOf returns the account that coins for the line are sent to.
func (l *line) depositOf() common.Address {
	if l.deposit == nil {
		return l.last().address
	}
	return l.deposit.address
}

// Deposits returns the account that coins are sent to, by the payer of each line that pays now.
func (s *Sponsor) Deposits() map[common.Address]common.Address {
	s.payers.mu.Lock()
	defer s.payers.mu.Unlock()
	all := make(map[common.Address]common.Address)
	for _, l := range s.payers.lines {
		all[l.last().address] = l.depositOf()
	}
	return all
}

// departure is a payer whose coins move to the last one of its line.
type departure struct{ from, to *payer }

// leaving returns what may have coins to move: the account of deposits of each line and then, in their order, payers
// that may still have coins or reservations. Those are what is held, the one before the last, and the first one, whose
// address the operator knows.
func (p *payers) leaving() (list []departure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lines {
		if l.deposit != nil {
			list = append(list, departure{l.deposit, l.last()})
		}
		before := l.all[:len(l.all)-1]
		for i, from := range before {
			if from.held || i == 0 || i == len(before)-1 {
				list = append(list, departure{from, l.last()})
			}
		}
	}
	return list
}

// hold notes whether a payer that was left may still have coins or reservations.
func (p *payers) hold(from *payer, held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from.held = held
}

// watched returns the payers whose balances are asked for: those that pay and those that are left.
func (p *payers) watched() []*payer {
	list := p.paying()
	for _, d := range p.leaving() {
		list = append(list, d.from)
	}
	return list
}

// setBalances sets what payers have. Of the last one of a line, what a sweep takes is kept while one before it is held.
func (p *payers) setBalances(have map[common.Address]*big.Int, sweep *big.Int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.have = have
	for _, l := range p.lines {
		last := have[l.last().address]
		if last != nil && slices.ContainsFunc(l.all[:len(l.all)-1], func(before *payer) bool { return before.held }) {
			last.Sub(last, sweep)
			if last.Sign() < 0 {
				last.SetUint64(0)
			}
		}
	}
}

func (p *payers) balance(address common.Address) *big.Int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.have[address]
}

// coins returns the balance of a payer that pays, with what is on its way to it, and nil where it is not known yet.
// Payers that were left keep up to the fee of a move, which pays for nothing.
func (p *payers) coins(to *payer, moveFee *big.Int) *big.Int {
	have := p.balance(to.address)
	if have == nil {
		return nil
	}
	sum := new(big.Int).Set(have)
	for _, d := range p.leaving() {
		if more := p.balance(d.from.address); d.to == to && more != nil && more.Cmp(moveFee) > 0 {
			sum.Add(sum, more)
		}
	}
	return sum
}

// moving reports whether coins above a number of wei are on their way to a payer.
func (p *payers) moving(above *big.Int) bool {
	return slices.ContainsFunc(p.leaving(), func(d departure) bool {
		have := p.balance(d.from.address)
		return have != nil && have.Cmp(above) > 0
	})
}

// chooser returns the next payer in turn whose balance covers a cost beyond what is reserved of it. Where there are
// several policies, each can have half of what the others have left of a payer: none can reserve all of it.
func (p *payers) chooser(policies int) chooser {
	return func(cost *big.Int, reserved reservedFunc) (common.Address, *Refusal, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		refusal := refuse("payer_balance", nil, cost, "no fee payer has enough coins left")
		for range p.lines {
			candidate := p.lines[p.next%len(p.lines)].last().address
			p.next++
			have := p.have[candidate]
			if have == nil {
				continue
			}
			taken, own, err := reserved(candidate)
			if err != nil {
				return common.Address{}, nil, err
			}
			after := new(big.Int).Add(own, cost)
			share := new(big.Int).Sub(have, taken)
			if share.Add(share, own); policies > 1 {
				share.Rsh(share, 1)
			}
			switch {
			case new(big.Int).Sub(have, taken).Cmp(cost) < 0:
			case after.Cmp(share) > 0:
				refusal = exceeded("payer_share", share, after,
					"the policy would have more than its share of each fee payer reserved")
			default:
				return candidate, nil, nil
			}
		}
		return common.Address{}, refusal, nil
	}
}
