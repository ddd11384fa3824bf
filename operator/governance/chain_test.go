// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

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
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/core"
	"gwon/dev/devchain"
	"gwon/eth"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
	"gwon/rpc"
)

const (
	testChainID = 828399
	patience    = 30 * time.Second
)

// key returns a key that only these tests know. Keys 1 to 3 are members, with validators; only the first validator
// seals.
func key(n int) *ecdsa.PrivateKey {
	k, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "gov test key %d", n)))
	if err != nil {
		panic(err)
	}
	return k
}

func addr(n int) common.Address { return crypto.PubkeyToAddress(key(n).PublicKey) }

func validatorKey(n int) *ecdsa.PrivateKey { return key(100 + n) }

func coins(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e18)) }

// testChain is a chain in this process under all of its rules, with a block whenever there is a transaction.
type testChain struct {
	*testing.T
	stack *node.Node
}

// startChain starts a chain behind a public endpoint, with three members of each governance. Accounts 1 to 6 have a
// million coins; 7 has one coin. A version other than g1 has no code. A process has one developer chain at a time, so
// that these tests do not run side by side.
func startChain(t *testing.T, quorum, expiry uint64, contracts string) *testChain {
	t.Helper()
	options := params.DevnetOptions{
		ChainID: testChainID, EpochLength: 1000, GovernanceQuorum: quorum, ProposalExpirySeconds: expiry,
		Contracts: contracts,
	}
	members := 3
	if quorum == 1 {
		members = 1
	}
	for n := 1; n <= members; n++ {
		secret := must.Get(bls.DeriveKey(validatorKey(n)))(t)
		options.Validators = append(options.Validators, params.DevnetValidator{
			Address: crypto.PubkeyToAddress(validatorKey(n).PublicKey), BLSPublicKey: secret.PublicKey().Bytes(),
			Operator: addr(n),
		})
	}
	config := must.Get(params.DevnetConfig(options))(t)
	config.Anzeon.Init.Validators = config.Anzeon.Init.Validators[:1]
	config.Anzeon.Init.BLSPublicKeys = config.Anzeon.Init.BLSPublicKeys[:1]
	alloc := types.GenesisAlloc{addr(7): {Balance: coins(1)}}
	for n := 1; n <= 6; n++ {
		alloc[addr(n)] = types.Account{Balance: coins(1_000_000)}
	}
	genesis, _, err := core.BuildGenesis(core.DevnetGenesis(config, uint64(time.Now().Unix())-1000, alloc), nil)
	must.Do(t, err)
	stack := must.Get(node.New(&node.Config{
		HTTPHost: "127.0.0.1", HTTPModules: rpc.PublicModules(), WSHost: "127.0.0.1", WSModules: rpc.PublicModules(),
		IPCPath: filepath.Join(t.TempDir(), "ipc"),
		P2P:     p2p.Config{PrivateKey: validatorKey(1), NoDiscovery: true, NoDial: true},
	}))(t)
	t.Cleanup(func() { expect.Error(t, stack.Close(), nil, "stack.Close") })
	eth.RegisterEngine(nil)
	chain := must.Get(devchain.New(devchain.Options{Key: validatorKey(1)}))(t)
	cfg := ethconfig.Defaults
	cfg.Genesis, cfg.NetworkId, cfg.SyncMode = genesis, testChainID, ethconfig.FullSync
	cfg.TxPool.Journal, cfg.RPCTxFeeCap, cfg.NoPruning = "", 0, true
	cfg.TrieCleanCache, cfg.TrieDirtyCache, cfg.SnapshotCache, cfg.DatabaseCache = 16, 16, 0, 16
	eth.WrapEngine(func(inner *wbft.Engine) eth.EngineWrapper { return chain.Engine(inner) })
	service, err := eth.New(stack, &eth.Config{Eth: &cfg, Sealing: true, Sealer: chain, RPC: rpc.Options{Public: true}})
	must.Do(t, err)
	must.Do(t, chain.Attach(stack, service))
	must.Do(t, stack.Start())
	return &testChain{t, stack}
}

// open connects as a command does.
func (c *testChain) open() *Chain {
	c.Helper()
	chain := must.Get(Open(c.Context(), c.stack.HTTPEndpoint(), nil, DefaultAddresses()))(c)
	c.Cleanup(chain.Close)
	return chain
}

// answering connects as a command does, to a node that gives some answers of its own. Their keys are methods, with the
// last parameter where that matters.
func (c *testChain) answering(answers map[string]string) *Chain {
	c.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := must.Get(io.ReadAll(r.Body))(c)
		var request struct {
			ID     json.RawMessage
			Method string
			Params []json.RawMessage
		}
		expect.Error(c, json.Unmarshal(body, &request), nil, "json.Unmarshal")
		answer, own := answers[request.Method]
		if n := len(request.Params); !own && n > 0 {
			answer, own = answers[request.Method+" "+string(request.Params[n-1])]
		}
		w.Header().Set("content-type", "application/json")
		if own {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, answer)
			return
		}
		got := must.Get(http.Post(c.stack.HTTPEndpoint(), "application/json", bytes.NewReader(body)))(c)
		_, err := io.Copy(w, got.Body)
		expect.Error(c, errors.Join(err, got.Body.Close()), nil, "pass the answer on")
	}))
	c.Cleanup(server.Close)
	chain := must.Get(Open(c.Context(), server.URL, nil, DefaultAddresses()))(c)
	c.Cleanup(chain.Close)
	return chain
}

// request makes a request of a chain.
type request func(context.Context, *Chain) (*Request, error)

// plain is a request that needs no chain.
func plain(r *Request) request {
	return func(context.Context, *Chain) (*Request, error) { return r, nil }
}

// try does what a command does, up to signing.
func (c *testChain) try(from int, r request) (*Chain, *Plan, error) {
	c.Helper()
	chain := c.open()
	wanted, err := r(c.Context(), chain)
	if err != nil {
		return nil, nil, err
	}
	plan, err := chain.Plan(c.Context(), addr(from), wanted, &Settings{})
	return chain, plan, err
}

// do has a request executed.
func (c *testChain) do(from int, r request) (*Plan, *Outcome) {
	c.Helper()
	chain, plan, err := c.try(from, r)
	must.Do(c, err)
	tx := must.Get(plan.Sign(KeySigner{key(from)}))(c)
	must.Do(c, chain.Send(c.Context(), tx, 0))
	out := must.Get(chain.Await(c.Context(), plan, tx, patience))(c)
	return plan, out
}

// refuses checks that a request is refused before anything is signed, with one sentence that contains a text.
func (c *testChain) refuses(want string, from int, r request) {
	c.Helper()
	chain := c.open()
	before := must.Get(chain.client.PendingNonceAt(c.Context(), addr(from)))(c)
	_, plan, err := c.try(from, r)
	if err == nil {
		c.Errorf("nothing was refused: %q", plan.Words)
		return
	}
	expect.That(c, strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "\n"),
		"refused with %q, want %q", err, want)
	after, err := chain.client.PendingNonceAt(c.Context(), addr(from))
	expect.That(c, err == nil && after == before, "nonce %d, %v, want %d", after, err, before)
}

// says checks that one of several sentences contains each text.
func says(t *testing.T, sentences []string, want ...string) {
	t.Helper()
	all := strings.Join(sentences, "\n")
	for _, text := range want {
		expect.That(t, strings.Contains(all, text), "no %q in:\n%s", text, all)
	}
}

// status reads what governance decides about.
func (c *testChain) status() *Status {
	c.Helper()
	s := must.Get(c.open().Status(c.Context(), 100))(c)
	return s
}

// KeySigner signs with a key in memory.
type KeySigner struct{ Key *ecdsa.PrivateKey }

// Address returns the key's address.
func (s KeySigner) Address() common.Address { return crypto.PubkeyToAddress(s.Key.PublicKey) }

// SignTx signs a transaction.
func (s KeySigner) SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	return types.SignTx(tx, types.LatestSignerForChainID(chainID), s.Key)
}
