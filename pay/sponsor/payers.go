// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/secretfile"
	"gwon/pay/txsign"
)

const (
	signerTimeout   = 5 * time.Second
	idleTimeout     = 90 * time.Second // of a connection
	maxSignerAnswer = 4096             // bytes
	maxKeyFile      = 4096             // bytes, of a key or a password
)

// payer is an account that pays, and what signs for it.
type payer struct {
	address common.Address
	sign    func(ctx context.Context, preimage []byte) ([]byte, error) // 65 bytes over Keccak-256 of preimage
}

// openPayer makes the signer of a payer ready, and has it sign once.
func openPayer(ctx context.Context, c *PayerConfig) (*payer, error) {
	p := &payer{address: common.Address(*c.Address)}
	var err error
	switch {
	case c.KeyFile != "":
		p.sign, err = keyFileSigner(c.KeyFile)
	case c.KeyStore != "":
		p.sign, err = keyStoreSigner(c.KeyStore, c.Password, p.address)
	default:
		p.sign = externalSigner(c.Signer, c.PublicKey)
	}
	if err != nil {
		return nil, fmt.Errorf("payer %v: %w", p.address, err)
	}
	trial := []byte("gwon sponsor: can this payer sign?")
	signature, err := p.sign(ctx, trial)
	if err != nil {
		return nil, fmt.Errorf("payer %v: %w", p.address, err)
	}
	key, err := crypto.SigToPub(crypto.Keccak256(trial), signature)
	if err != nil {
		return nil, fmt.Errorf("payer %v: signature of a trial: %w", p.address, err)
	}
	if owner := crypto.PubkeyToAddress(*key); owner != p.address {
		return nil, fmt.Errorf(
			"payer %v: its key belongs to %v: correct address or key in the configuration",
			p.address,
			owner,
		)
	}
	return p, nil
}

func keyFileSigner(path string) (func(context.Context, []byte) ([]byte, error), error) {
	text, err := secretfile.Read(path, maxKeyFile)
	if err != nil {
		return nil, fmt.Errorf("key_file: %w", err)
	}
	key, err := secretfile.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("private key in %s: %w", path, err)
	}
	return func(_ context.Context, preimage []byte) ([]byte, error) {
		return crypto.Sign(crypto.Keccak256(preimage), key)
	}, nil
}

func keyStoreSigner(
	dir, passwordFile string,
	address common.Address,
) (func(context.Context, []byte) ([]byte, error), error) {
	password, err := secretfile.Read(passwordFile, maxKeyFile)
	if err != nil {
		return nil, fmt.Errorf("password: %w", err)
	}
	store := keystore.NewKeyStore(dir, keystore.StandardScryptN, keystore.StandardScryptP)
	account := accounts.Account{Address: address}
	if err := store.Unlock(account, strings.TrimRight(string(password), "\r\n")); err != nil {
		return nil, fmt.Errorf("key store %s: %w: check directory and password", dir, err)
	}
	return func(_ context.Context, preimage []byte) ([]byte, error) {
		return store.SignHash(account, crypto.Keccak256(preimage))
	}, nil
}

// externalSigner signs by the Ethereum 1 interface of Web3Signer, which hashes the data itself.
func externalSigner(url, publicKey string) func(context.Context, []byte) ([]byte, error) {
	url = strings.TrimSuffix(url, "/") + "/api/v1/eth1/sign/0x" + strings.TrimPrefix(publicKey, "0x")
	client := newHTTPClient(signerTimeout)
	return func(ctx context.Context, preimage []byte) ([]byte, error) {
		answer, err := post(ctx, client, url, map[string]hexutil.Bytes{"data": preimage}, maxSignerAnswer)
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
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableCompression: true,
			MaxIdleConnsPerHost: maxInFlight, IdleConnTimeout: idleTimeout,
		},
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
		return nil, err
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

// payers is the set of fee payers and what they have on the chain.
type payers struct {
	all  []*payer
	mu   sync.Mutex
	next int
	have map[common.Address]*big.Int // wei, at the last block that the books contain or later; 0 for a blacklisted one
}

func (p *payers) find(address common.Address) *payer {
	for _, candidate := range p.all {
		if candidate.address == address {
			return candidate
		}
	}
	return nil
}

func (p *payers) setBalances(have map[common.Address]*big.Int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.have = have
}

func (p *payers) balance(address common.Address) *big.Int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.have[address]
}

// chooser returns the next payer in turn whose balance covers a cost beyond what is reserved of it. Where there are
// several policies, each can have half of what the others have left of a payer: none can reserve all of it.
func (p *payers) chooser(policies int) chooser {
	return func(cost *big.Int, reserved reservedFunc) (common.Address, *Refusal, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		refusal := &Refusal{
			Rule: "payer_balance", Have: txsign.FormatCoins(cost), Text: "no fee payer has enough coins left",
		}
		for range p.all {
			candidate := p.all[p.next%len(p.all)].address
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
				refusal = &Refusal{
					Rule: "payer_share", Limit: txsign.FormatCoins(share), Have: txsign.FormatCoins(after),
					Text: "the policy would have more than its share of each fee payer reserved", code: codeLimitExceeded,
				}
			default:
				return candidate, nil, nil
			}
		}
		return common.Address{}, refusal, nil
	}
}
