// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"bytes"
	"crypto/ecdsa"
	"errors"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"
)

// governedTip is the tip of the network, in wei per gas.
const governedTip = 27_600_000_000_000

// anzeonTestConfig returns the configuration of a chain with all forks at block 0.
func anzeonTestConfig() *params.ChainConfig {
	zero := new(big.Int)
	return &params.ChainConfig{
		ChainID: big.NewInt(8283), HomesteadBlock: zero, EIP150Block: zero, EIP155Block: zero, EIP158Block: zero,
		ByzantiumBlock: zero, ConstantinopleBlock: zero, PetersburgBlock: zero, IstanbulBlock: zero, BerlinBlock: zero,
		LondonBlock: zero, ApplepieBlock: zero, BohoBlock: zero, Anzeon: &params.AnzeonConfig{
			SystemContracts: &params.SystemContracts{GovCouncil: &params.SystemContract{Address: testCouncil}}},
	}
}

// testCouncil is the address of the council contract.
var testCouncil = common.HexToAddress("0x1004")

// anzeonTestChain is a chain of one head, whose state a test may change.
type anzeonTestChain struct {
	config *params.ChainConfig
	moving sync.Mutex // guards head, which workers of the pool read
	head   *types.Header
	state  *state.StateDB
}

// newAnzeonTestChain returns a chain at block 1000 with an empty state and a base fee of 20,000 gwei.
func newAnzeonTestChain(t testing.TB) *anzeonTestChain {
	t.Helper()
	statedb := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
	return &anzeonTestChain{
		config: anzeonTestConfig(),
		head: &types.Header{Number: big.NewInt(1000), Difficulty: big.NewInt(1),
			GasLimit: 105_000_000, BaseFee: big.NewInt(20_000_000_000_000)},
		state: statedb,
	}
}

// CurrentBlock implements legacypool.BlockChain.
func (c *anzeonTestChain) CurrentBlock() *types.Header {
	c.moving.Lock()
	defer c.moving.Unlock()
	return c.head
}

// moveTo makes a header the head.
func (c *anzeonTestChain) moveTo(head *types.Header) {
	c.moving.Lock()
	defer c.moving.Unlock()
	c.head = head
}

// Config implements legacypool.BlockChain.
func (c *anzeonTestChain) Config() *params.ChainConfig { return c.config }

// GetBlock implements legacypool.BlockChain: no block is stored.
func (c *anzeonTestChain) GetBlock(common.Hash, uint64) *types.Block { return nil }

// StateAt implements legacypool.BlockChain: all blocks have the same state.
func (c *anzeonTestChain) StateAt(common.Hash, *big.Int, uint64) (*state.StateDB, error) {
	return c.state.Copy(), nil
}

// extend makes a child of the head with the present state, and resets the pool to it.
func (c *anzeonTestChain) extend(pool *Pool) {
	parent := c.head
	c.moveTo(types.CopyHeader(parent))
	c.head.ParentHash = parent.Hash()
	c.head.Number.Add(parent.Number, common.Big1)
	pool.Reset(parent, c.head)
}

// open returns a pool with the default limits.
func (c *anzeonTestChain) open(t testing.TB) *Pool {
	t.Helper()
	return c.openWith(t, Defaults)
}

// openWith returns a pool with other limits.
func (c *anzeonTestChain) openWith(t cleaner, config Config) *Pool {
	t.Helper()
	return openOn(t, c, config)
}

// cleaner is a test, or one run of a property.
type cleaner interface {
	Helper()
	Error(...any)
	Fatal(...any)
	Cleanup(func())
}

// openOn returns a pool at the head of a chain, which ends with the test.
func openOn(t cleaner, chain legacypool.BlockChain, config Config) *Pool {
	t.Helper()
	pool := New(config, chain)
	must.Do(t, pool.Init(governedTip, chain.CurrentBlock(), txpool.NewReservationTracker().NewHandle(0)))
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// anzeonTestKey returns the key whose 32 bytes are all n.
func anzeonTestKey(t testing.TB, n byte) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(crypto.ToECDSA(bytes.Repeat([]byte{n}, 32)))(t)
}

// anzeonTestAddr returns the address of such a key.
func anzeonTestAddr(t testing.TB, n byte) common.Address {
	return crypto.PubkeyToAddress(anzeonTestKey(t, n).PublicKey)
}

// ordinary returns a transfer of one coin with a fee cap of 100,000 gwei, after a change, signed by a key.
func ordinary(t testing.TB, sender byte, change func(*types.DynamicFeeTx)) *types.Transaction {
	t.Helper()
	inner := &types.DynamicFeeTx{ChainID: big.NewInt(8283), Gas: 21000,
		GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(1e14),
		To: &common.Address{16: 0xde, 17: 0xad, 18: 0xbe, 19: 0xef}, Value: big.NewInt(1e18)}
	if change != nil {
		change(inner)
	}
	return must.Get(types.SignNewTx(anzeonTestKey(t, sender), types.NewAnzeonSigner(inner.ChainID), inner))(t)
}

// delegated returns the same transfer with another fee payer.
func delegated(t testing.TB, sender, payer byte, change func(*types.DynamicFeeTx)) *types.Transaction {
	t.Helper()
	tx, err := types.WrapFeeDelegated(ordinary(t, sender, change), anzeonTestAddr(t, payer))
	must.Do(t, err)
	tx, err = types.SignTx(tx, types.NewFeeDelegateSigner(big.NewInt(8283)), anzeonTestKey(t, payer))
	must.Do(t, err)
	return tx
}

// fee is the most that such a transfer pays in fees, in wei: 21,000 gas at 100,000 gwei.
const fee = 2_100_000_000_000_000_000

// fund sets the balance of a key, in wei.
func (c *anzeonTestChain) fund(t testing.TB, key byte, wei uint64) {
	c.state.SetBalance(anzeonTestAddr(t, key), uint256.NewInt(wei), tracing.BalanceChangeUnspecified)
}

// submit adds a transaction as a peer's.
func submit(pool *Pool, tx *types.Transaction) error {
	return pool.Add([]*types.Transaction{tx}, true)[0]
}

// reporter is a test or a check of rapid.
type reporter interface {
	Helper()
	Errorf(string, ...any)
}

// checkPool checks the tables of a pool.
func checkPool(t reporter, pool *Pool) {
	t.Helper()
	pool.mu.Lock()
	defer pool.mu.Unlock()
	checkTables(t, pool.tables, pool.policy)
}

// checkTables recounts all tables from the accounts. It checks limits, and that reserved coins are within balances.
func checkTables(t reporter, tables *tables, policy *policy) {
	t.Helper()
	var (
		held     tally
		bytes    uint64
		count    int
		promised = make(map[common.Address]*big.Int)
		backed   = make(map[common.Address]int)
		reserved = make(map[common.Address]*uint256.Int)
		authors  = make(map[common.Address]int)
	)
	promise := func(addr common.Address, wei *big.Int) {
		if promised[addr] == nil {
			promised[addr] = new(big.Int)
		}
		promised[addr].Add(promised[addr], wei)
	}
	for addr, a := range tables.accounts {
		if len(a.txs) == 0 || addr != a.addr || a.next != policy.state.GetNonce(addr) {
			t.Errorf("account %v: %d transactions, address %v, next nonce %d, in the state %d",
				addr, len(a.txs), a.addr, a.next, policy.state.GetNonce(addr))
		}
		var cost uint256.Int
		expected := a.next
		for i, e := range a.txs {
			if i > 0 && a.txs[i-1].tx.Nonce() >= e.tx.Nonce() {
				t.Errorf("account %v: nonce %d follows %d", addr, e.tx.Nonce(), a.txs[i-1].tx.Nonce())
			}
			if gapped := e.tx.Nonce() != expected; e.queued != gapped {
				t.Errorf("account %v, nonce %d: behind a gap %v, the pool says %v", addr, e.tx.Nonce(), gapped, e.queued)
			}
			if e.paidByOther() {
				if _, waits := tables.payers[e.payer].queued[e]; waits != e.queued {
					t.Errorf("account %v, nonce %d: behind a gap %v, its fee payer says %v", addr, e.tx.Nonce(), e.queued, waits)
				}
			}
			if e.tx.Nonce() == expected {
				expected++
				held.add(tally{executable: e.slots, executableTxs: 1})
			} else {
				held.add(tally{queued: e.slots, queuedTxs: 1})
			}
			count++
			bytes += e.tx.Size()
			cost.Add(&cost, &e.cost)
			promise(addr, e.tx.SenderCost())
			if e.paidByOther() {
				promise(e.payer, txpool.MaxFee(e.tx))
				if backed[e.payer]++; reserved[e.payer] == nil {
					reserved[e.payer] = new(uint256.Int)
				}
				reserved[e.payer].Add(reserved[e.payer], &e.fee)
			}
			for _, author := range e.authorities {
				authors[author.addr]++
			}
			if tables.lookup.txs[e.tx.Hash()] != e {
				t.Errorf("account %v, nonce %d: not in the look-up", addr, e.tx.Nonce())
			}
		}
		if a.executable != int(expected-a.next) || cost != a.cost {
			t.Errorf("account %v: %d executable, cost %v; counted %d, %v", addr, a.executable, &a.cost, expected-a.next, &cost)
		}
	}
	if held != tables.held || bytes != tables.bytes || count != len(tables.lookup.txs) ||
		len(authors) != len(tables.delegations) {
		t.Errorf("tables say %+v, %d bytes, %d transactions, %d authorities; counted %+v, %d, %d, %d",
			tables.held, tables.bytes, len(tables.lookup.txs), len(tables.delegations), held, bytes, count, len(authors))
	}
	if len(backed) != len(tables.payers) {
		t.Errorf("%d fee payers in the index, %d in the pool", len(tables.payers), len(backed))
	}
	for addr, n := range authors {
		if have := tables.delegations[addr].transactions; have != n {
			t.Errorf("account %v: authorizations in %d transactions, counted %d", addr, have, n)
		}
	}
	for addr, n := range backed {
		if x := tables.payers[addr]; x != nil {
			fees := new(uint256.Int)
			for e := range x.queued {
				fees.Add(fees, &e.fee)
			}
			expect.Equal(t, *fees, x.queuedFees,
				"fee payer %v: %v reserved behind gaps, the pool says %v", addr, fees, &x.queuedFees)
		}
		if x := tables.payers[addr]; x == nil || len(x.txs) != n || len(x.queued) > n || x.reserved != *reserved[addr] {
			t.Errorf("fee payer %v: index has %+v, the pool %d transactions with fees of %v", addr, x, n, reserved[addr])
		}
	}
	for addr, wei := range promised {
		if balance := policy.state.GetBalance(addr).ToBig(); wei.Cmp(balance) > 0 {
			t.Errorf("account %v has promised %v of a balance of %v", addr, wei, balance)
		}
	}
	most := policy.config.GlobalSlots + policy.config.GlobalQueue
	if held.executable+held.queued > most || bytes > policy.config.maxBytes() {
		t.Errorf("%+v slots of %d, %d bytes of %d", held, most, bytes, policy.config.maxBytes())
	}
	if order := tables.order.heap; order != nil {
		for i, a := range *order {
			if a.index != i || a.executable == 0 || tables.accounts[a.addr] != a {
				t.Errorf("account %v at place %d of the order: %+v", a.addr, i, a)
			}
		}
	}
}

// mustAdd adds transactions as a peer's.
func mustAdd(t testing.TB, pool *Pool, txs ...*types.Transaction) {
	t.Helper()
	for i, tx := range txs {
		must.Do(t, submit(pool, tx), "transaction", i)
	}
}

// wantError checks the error of a peer's transaction.
func wantError(t testing.TB, pool *Pool, tx *types.Transaction, want error) {
	t.Helper()
	expect.Error(t, submit(pool, tx), want, "error")
}

// wantPooled checks which transactions are pooled.
func wantPooled(t testing.TB, pool *Pool, txs map[*types.Transaction]bool) {
	t.Helper()
	for tx, want := range txs {
		expect.Equal(t, pool.Has(tx.Hash()), want, "nonce %d of type %d: pooled", tx.Nonce(), tx.Type())
	}
	checkPool(t, pool)
}

// nonce sets the nonce of a transfer.
func nonce(n uint64) func(*types.DynamicFeeTx) {
	return func(tx *types.DynamicFeeTx) { tx.Nonce = n }
}

// blacklist flags accounts as the council does, which writes its own storage too.
func (c *anzeonTestChain) blacklist(addrs ...common.Address) {
	c.state.SetNonce(testCouncil, 1, tracing.NonceChangeUnspecified)
	for _, addr := range addrs {
		c.state.SetBlacklisted(addr, true)
		c.state.SetState(testCouncil, common.BytesToHash(addr[:]), common.Hash{31: 1})
	}
	c.state.IntermediateRoot(c.config.Rules(c.head.Number, false, c.head.Time))
}

// patience bounds the wait of a test for another goroutine.
const patience = 30 * time.Second

// bid sets nonce and fees of a transfer: the tip in 10^11 and the fee cap in 10^12 wei per gas. The governed tip
// is 276.
func bid(nonce uint64, tip, feeCap int64) func(*types.DynamicFeeTx) {
	return func(tx *types.DynamicFeeTx) {
		tx.Nonce, tx.Value = nonce, new(big.Int)
		tx.GasTipCap, tx.GasFeeCap = big.NewInt(tip*1e11), big.NewInt(feeCap*1e12)
	}
}

// forged returns a transfer with an invalid signature.
func forged() *types.Transaction {
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(8283), Gas: 21000, To: new(common.Address),
		GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(100e12),
		V: new(big.Int), R: big.NewInt(1), S: new(big.Int).Lsh(common.Big1, 255),
	})
}

// small returns a pool of four executable and two queued slots, on a chain whose accounts 1 to 9 have coins.
func small(t *testing.T, change func(*Config)) (*anzeonTestChain, *Pool) {
	t.Helper()
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 9; key++ {
		chain.fund(t, key, 18e18)
	}
	config := Defaults
	config.GlobalSlots, config.GlobalQueue, config.AccountSlots, config.AccountQueue = 4, 2, 4, 2
	if change != nil {
		change(&config)
	}
	return chain, chain.openWith(t, config)
}

// wantFull checks that a transaction is refused by a full pool, with error code, prefix and reason.
func wantFull(t *testing.T, err error, says string) {
	t.Helper()
	if !errors.Is(err, txpool.ErrOutOfCapacity) || !strings.HasPrefix(err.Error(), "txpool is full: ") ||
		!strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want a full pool and %q", err, says)
		return
	}
	var coded rpc.Error
	expect.That(t, errors.As(err, &coded) && coded.ErrorCode() == -32005, "error %v has no code of its own", err)
}

// authorization returns an authorization of a key for the code at address 7.
func authorization(t testing.TB, author byte, chainID, nonce uint64) types.SetCodeAuthorization {
	t.Helper()
	auth := must.Get(types.SignSetCode(
		anzeonTestKey(t, author),
		types.SetCodeAuthorization{ChainID: *uint256.NewInt(chainID), Address: common.Address{7}, Nonce: nonce},
	))(t)
	return auth
}

// carry returns a transaction of a key with authorizations. It has gas for all, and the lowest fee cap.
func carry(t testing.TB, sender byte, nonce uint64, auths ...types.SetCodeAuthorization) *types.Transaction {
	t.Helper()
	return types.MustSignNewTx(anzeonTestKey(t, sender), types.NewAnzeonSigner(big.NewInt(8283)), &types.SetCodeTx{
		ChainID: uint256.NewInt(8283), Nonce: nonce, Gas: 50_000 + 25_000*uint64(len(auths)),
		GasTipCap: uint256.NewInt(governedTip), GasFeeCap: uint256.NewInt(50e12), AuthList: auths,
	})
}

// manyAuthorizations returns n authorizations of different accounts: one signature with different nonces.
func manyAuthorizations(t testing.TB, n int) []types.SetCodeAuthorization {
	auths := slices.Repeat([]types.SetCodeAuthorization{authorization(t, 77, 8283, 0)}, n)
	for i := range auths {
		auths[i].Nonce = uint64(i)
	}
	return auths
}

// enrich gives a key coins for many large transactions.
func (c *anzeonTestChain) enrich(t testing.TB, key byte) {
	c.state.SetBalance(
		anzeonTestAddr(t, key),
		uint256.MustFromBig(new(big.Int).Lsh(common.Big1, 100)),
		tracing.BalanceChangeUnspecified,
	)
}

// decoded returns a copy of a transaction as it comes from outside, without known signers.
func decoded(t testing.TB, tx *types.Transaction) *types.Transaction {
	t.Helper()
	raw := must.Get(tx.MarshalBinary())(t)
	made := new(types.Transaction)
	must.Do(t, made.UnmarshalBinary(raw))
	return made
}

// mined makes a head at which a key has the next nonce, by the transactions of a block.
func (c *anzeonTestChain) mined(t *testing.T, pool *Pool, key byte, next uint64, block ...*types.Transaction) {
	t.Helper()
	c.state.SetNonce(anzeonTestAddr(t, key), next, tracing.NonceChangeUnspecified)
	pool.follow(c.head, c.state.Copy(), path{block, nil, true})
}
