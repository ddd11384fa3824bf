// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"bytes"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"gwon/internal/vectors"
)

const governedTip = 27_600_000_000_000 // wei

func anzeonTestConfig() *params.ChainConfig {
	zero := new(big.Int)
	return &params.ChainConfig{
		ChainID: big.NewInt(8283), HomesteadBlock: zero, EIP150Block: zero, EIP155Block: zero, EIP158Block: zero,
		ByzantiumBlock: zero, ConstantinopleBlock: zero, PetersburgBlock: zero, IstanbulBlock: zero, BerlinBlock: zero,
		LondonBlock: zero, ApplepieBlock: zero, BohoBlock: zero, Anzeon: &params.AnzeonConfig{
			SystemContracts: &params.SystemContracts{GovCouncil: &params.SystemContract{Address: testCouncil}}},
	}
}

var testCouncil = common.HexToAddress("0x1004")

// anzeonTestChain has one head, whose state a test may replace.
type anzeonTestChain struct {
	config *params.ChainConfig
	moving sync.Mutex // guards which header head is, for the pool's workers
	head   *types.Header
	state  *state.StateDB
}

func newAnzeonTestChain(t testing.TB) *anzeonTestChain {
	t.Helper()
	statedb, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	if err != nil {
		t.Fatal(err)
	}
	return &anzeonTestChain{config: anzeonTestConfig(), head: &types.Header{Number: big.NewInt(1000), Difficulty: big.NewInt(1),
		GasLimit: 105_000_000, BaseFee: big.NewInt(20_000_000_000_000)}, state: statedb}
}

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

func (c *anzeonTestChain) Config() *params.ChainConfig               { return c.config }
func (c *anzeonTestChain) GetBlock(common.Hash, uint64) *types.Block { return nil }
func (c *anzeonTestChain) StateAt(common.Hash, *big.Int, uint64) (*state.StateDB, error) {
	return c.state.Copy(), nil
}

// extend makes a child of the head with the state as it stands, and resets the pool to it.
func (c *anzeonTestChain) extend(pool *Pool) {
	parent := c.head
	c.moveTo(types.CopyHeader(parent))
	c.head.ParentHash = parent.Hash()
	c.head.Number.Add(parent.Number, common.Big1)
	pool.Reset(parent, c.head)
}

func (c *anzeonTestChain) open(t testing.TB) *Pool {
	t.Helper()
	return c.openWith(t, Defaults)
}

func (c *anzeonTestChain) openWith(t testing.TB, config Config) *Pool {
	t.Helper()
	return openOn(t, c, config)
}

// openOn returns a pool at the head of a chain, which ends with the test.
func openOn(t testing.TB, chain legacypool.BlockChain, config Config) *Pool {
	t.Helper()
	pool := New(config, chain)
	if err := pool.Init(governedTip, chain.CurrentBlock(), txpool.NewReservationTracker().NewHandle(0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

type poolStep struct {
	Raw   hexutil.Bytes
	Note  string
	Local bool
	Error *string
}

type poolVector struct {
	Name        string
	Description string
	Pre         map[common.Address]struct {
		Balance string
		Nonce   uint64
		Extra   hexutil.Uint64
		Code    hexutil.Bytes
	}
	Steps                     []poolStep
	PendingAfter, QueuedAfter int
}

// improved tells where the pool does better than the reference, as spec transactions 6 recommends: how step i ends, and the
// counts.
type improved struct {
	why             string
	step            func(i int) string
	pending, queued int
}

func each(message string) func(int) string { return func(int) string { return message } }

// firstOnly accepts the first step and refuses the others with message.
func firstOnly(message string) func(int) string {
	return func(i int) string {
		if i == 0 {
			return ""
		}
		return message
	}
}

const (
	cumulative = "balance %s, queued cost %s, tx cost %s, overshot %s"
	noTip      = "transaction underpriced: gas tip cap 0, minimum needed 27600000000000"
)

var improvements = map[string]improved{
	"self-payer-sum-not-checked": {"no. 14: the sum of value and fee is checked", each(
		"insufficient funds for gas * price + value: " +
			"balance 2100000000000000000, tx cost 3100000000000000000, overshot 1000000000000000000"), 0, 0},
	"local-tip-below-governed": {"no. 28: no exemption for local submissions", each(
		"transaction underpriced: gas tip cap 27599999999999, minimum needed 27600000000000"), 0, 0},
	"local-fee-cap-below-min-base-fee":  {"no. 28", each(noTip), 0, 0},
	"local-fee-cap-equals-min-base-fee": {"no. 28", each(noTip), 0, 0},
	"twenty-senders-one-payer": {"no. 5: fees are reserved", firstOnly("fee delegation: insufficient feePayer's funds for gas * " +
		"price: balance 2100000000000000000, queued fee cost 2100000000000000000, fee cost 2100000000000000000, " +
		"overshot 2100000000000000000"), 1, 0},
	"twenty-nonces-one-sender": {"no. 5 and 6: values add up", firstOnly("insufficient funds for gas * price + value: " +
		fmt.Sprintf(cumulative, "1000000000000000000", "1000000000000000000", "1000000000000000000", "1000000000000000000")), 1, 0},
	"twenty-ordinary-nonces-no-cumulative-check": {"no. 6: costs add up", firstOnly("insufficient funds for gas * price + value: " +
		fmt.Sprintf(cumulative, "3100000000000000000", "3100000000000000000", "3100000000000000000", "3100000000000000000")), 1, 0},
	"non-existent-sender-two-nonces": {"no. 5a: a missing account has no code", each(""), 2, 0},
	"non-existent-sender-gapped":     {"no. 5a", each(""), 0, 1},
}

// TestPoolVectors submits the recorded sequences: every error, and the counts at the end (spec transactions 4).
func TestPoolVectors(t *testing.T) {
	var file struct{ Vectors []poolVector }
	vectors.Load(t, "pool.json", &file)
	unused := make(map[string]bool)
	for name := range improvements {
		unused[name] = true
	}
	for _, v := range file.Vectors {
		delete(unused, v.Name)
		t.Run(v.Name, func(t *testing.T) {
			chain := newAnzeonTestChain(t)
			for addr, account := range v.Pre {
				balance, ok := new(big.Int).SetString(account.Balance, 10)
				if !ok {
					t.Fatalf("balance %q", account.Balance)
				}
				chain.state.SetBalance(addr, uint256.MustFromBig(balance), tracing.BalanceChangeUnspecified)
				chain.state.SetNonce(addr, account.Nonce, tracing.NonceChangeUnspecified)
				if len(account.Code) > 0 {
					chain.state.SetCode(addr, account.Code, tracing.CodeChangeUnspecified)
				}
				if account.Extra != 0 {
					chain.state.SetExtra(addr, uint64(account.Extra))
				}
			}
			pool := chain.open(t)
			pending, queued := v.PendingAfter, v.QueuedAfter
			better, isBetter := improvements[v.Name]
			if isBetter {
				pending, queued = better.pending, better.queued
			}
			for i, step := range v.Steps {
				want := ""
				switch {
				case isBetter:
					want = better.step(i)
				case step.Error != nil:
					want = *step.Error
				}
				have := ""
				if err := submit(pool, step.transaction(t)); err != nil {
					have = err.Error()
				}
				if have != want {
					t.Errorf("step %d: error %q, want %q (%s)", i, have, want, better.why)
				}
			}
			if p, q := pool.Stats(); p != pending || q != queued {
				t.Errorf("%d pending, %d queued; want %d, %d", p, q, pending, queued)
			}
			checkPool(t, pool)
		})
	}
	for name := range unused {
		t.Errorf("no vector %q", name)
	}
}

// transaction returns the transaction of a step. The very large ones are described instead of given.
func (s poolStep) transaction(t *testing.T) *types.Transaction {
	t.Helper()
	if len(s.Raw) == 0 {
		for size, zeros := range map[string]int{"encoded size 262366": 262144, "encoded size 262144": 261922} {
			if strings.HasSuffix(s.Note, size) {
				tx := delegated(t, 1, 2, func(tx *types.DynamicFeeTx) { tx.Gas, tx.Data = 105_000_000, make([]byte, zeros) })
				if !strings.HasSuffix(size, fmt.Sprint(tx.Size())) {
					t.Fatalf("made %d bytes, want %s", tx.Size(), size)
				}
				return tx
			}
		}
		t.Fatalf("no transaction and no known note: %q", s.Note)
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(s.Raw); err != nil {
		t.Fatal(err)
	}
	return tx
}

// anzeonTestKey returns the key whose 32 bytes are all n.
func anzeonTestKey(t testing.TB, n byte) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{n}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func anzeonTestAddr(t testing.TB, n byte) common.Address {
	return crypto.PubkeyToAddress(anzeonTestKey(t, n).PublicKey)
}

// ordinary returns a transfer of one coin with a fee cap of 100 000 gwei, signed by key sender, with a change applied.
func ordinary(t testing.TB, sender byte, change func(*types.DynamicFeeTx)) *types.Transaction {
	t.Helper()
	inner := &types.DynamicFeeTx{ChainID: big.NewInt(8283), Gas: 21000,
		GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(1e14),
		To: &common.Address{16: 0xde, 17: 0xad, 18: 0xbe, 19: 0xef}, Value: big.NewInt(1e18)}
	if change != nil {
		change(inner)
	}
	tx, err := types.SignNewTx(anzeonTestKey(t, sender), types.NewAnzeonSigner(inner.ChainID), inner)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// delegated returns the same paid by key payer.
func delegated(t testing.TB, sender, payer byte, change func(*types.DynamicFeeTx)) *types.Transaction {
	t.Helper()
	tx, err := types.WrapFeeDelegated(ordinary(t, sender, change), anzeonTestAddr(t, payer))
	if err != nil {
		t.Fatal(err)
	}
	if tx, err = types.SignTx(tx, types.NewFeeDelegateSigner(big.NewInt(8283)), anzeonTestKey(t, payer)); err != nil {
		t.Fatal(err)
	}
	return tx
}

// fee is what an ordinary or a delegated transfer may cost in fees: 21000 * 100 000 gwei.
const fee = 2_100_000_000_000_000_000

func (c *anzeonTestChain) fund(t testing.TB, key byte, wei uint64) {
	c.state.SetBalance(anzeonTestAddr(t, key), uint256.NewInt(wei), tracing.BalanceChangeUnspecified)
}

// submit takes a transaction in as a peer's.
func submit(pool *Pool, tx *types.Transaction) error {
	return pool.Add([]*types.Transaction{tx}, true)[0]
}

// checkPool counts everything anew: the tables say what the accounts hold, nobody has promised more than it has, and no limit is exceeded.
func checkPool(t interface {
	Helper()
	Errorf(string, ...any)
}, pool *Pool) {
	t.Helper()
	pool.mu.Lock()
	defer pool.mu.Unlock()
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
	for addr, a := range pool.accounts {
		if len(a.txs) == 0 || addr != a.addr || a.next != pool.state.GetNonce(addr) {
			t.Errorf("account %v: %d transactions, address %v, next nonce %d, in the state %d", addr, len(a.txs), a.addr, a.next, pool.state.GetNonce(addr))
		}
		var cost uint256.Int
		expected := a.next
		for i, e := range a.txs {
			if i > 0 && a.txs[i-1].tx.Nonce() >= e.tx.Nonce() {
				t.Errorf("account %v: nonce %d follows %d", addr, e.tx.Nonce(), a.txs[i-1].tx.Nonce())
			}
			if gapped := e.tx.Nonce() != expected; e.gapped != gapped {
				t.Errorf("account %v, nonce %d: behind a gap %v, the pool says %v", addr, e.tx.Nonce(), gapped, e.gapped)
			}
			if e.paidByOther() {
				if _, waits := pool.payers[e.payer].waiting[e]; waits != e.gapped {
					t.Errorf("account %v, nonce %d: behind a gap %v, its fee payer says %v", addr, e.tx.Nonce(), e.gapped, waits)
				}
			}
			if e.tx.Nonce() == expected {
				expected++
				held.add(tally{executable: e.slots, executableTxs: 1})
			} else {
				held.add(tally{gapped: e.slots, gappedTxs: 1})
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
			for _, author := range e.authors {
				authors[author.addr]++
			}
			if pool.lookup.txs[e.tx.Hash()] != e {
				t.Errorf("account %v, nonce %d: not in the look-up", addr, e.tx.Nonce())
			}
		}
		if a.executable != int(expected-a.next) || cost != a.cost {
			t.Errorf("account %v: %d executable, cost %v; counted %d, %v", addr, a.executable, &a.cost, expected-a.next, &cost)
		}
	}
	if held != pool.held || bytes != pool.bytes || count != len(pool.lookup.txs) || len(authors) != len(pool.authors) {
		t.Errorf("tables say %+v, %d bytes, %d transactions, %d authorities; counted %+v, %d, %d, %d",
			pool.held, pool.bytes, len(pool.lookup.txs), len(pool.authors), held, bytes, count, len(authors))
	}
	if len(backed) != len(pool.payers) {
		t.Errorf("%d fee payers in the index, %d in the pool", len(pool.payers), len(backed))
	}
	for addr, n := range authors {
		if have := pool.authors[addr].transactions; have != n {
			t.Errorf("account %v: authorizations in %d transactions, counted %d", addr, have, n)
		}
	}
	for addr, n := range backed {
		if x := pool.payers[addr]; x != nil {
			fees := new(uint256.Int)
			for e := range x.waiting {
				fees.Add(fees, &e.fee)
			}
			if *fees != x.waitingFees {
				t.Errorf("fee payer %v: %v reserved behind gaps, the pool says %v", addr, fees, &x.waitingFees)
			}
		}
		if x := pool.payers[addr]; x == nil || len(x.txs) != n || len(x.waiting) > n || x.reserved != *reserved[addr] {
			t.Errorf("fee payer %v: index has %+v, the pool %d transactions with fees of %v", addr, x, n, reserved[addr])
		}
	}
	for addr, wei := range promised {
		if balance := pool.state.GetBalance(addr).ToBig(); wei.Cmp(balance) > 0 {
			t.Errorf("account %v has promised %v of a balance of %v", addr, wei, balance)
		}
	}
	if most := pool.config.GlobalSlots + pool.config.GlobalQueue; held.executable+held.gapped > most || bytes > pool.config.maxBytes() {
		t.Errorf("%+v slots of %d, %d bytes of %d", held, most, bytes, pool.config.maxBytes())
	}
	if order := pool.pricing.heap; order != nil {
		for i, a := range *order {
			if a.place != i || a.executable == 0 || pool.accounts[a.addr] != a {
				t.Errorf("account %v at place %d of the order: %+v", a.addr, i, a)
			}
		}
	}
}

func mustAdd(t testing.TB, pool *Pool, txs ...*types.Transaction) {
	t.Helper()
	for i, tx := range txs {
		if err := submit(pool, tx); err != nil {
			t.Fatalf("transaction %d: %v", i, err)
		}
	}
}

func wantError(t testing.TB, pool *Pool, tx *types.Transaction, want error) {
	t.Helper()
	if err := submit(pool, tx); !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func wantPooled(t testing.TB, pool *Pool, txs map[*types.Transaction]bool) {
	t.Helper()
	for tx, want := range txs {
		if have := pool.Has(tx.Hash()); have != want {
			t.Errorf("nonce %d of type %d: pooled %v, want %v", tx.Nonce(), tx.Type(), have, want)
		}
	}
	checkPool(t, pool)
}

func nonce(n uint64) func(*types.DynamicFeeTx) {
	return func(tx *types.DynamicFeeTx) { tx.Nonce = n }
}

// TestInvalidVectors: the stateless part (spec transactions 4.1 c to n).
func TestInvalidVectors(t *testing.T) {
	var file struct {
		Vectors []struct {
			Name        string
			Raw         hexutil.Bytes
			DecodeError *string
			PoolError   *string
		}
	}
	vectors.Load(t, "invalid.json", &file)
	pool := newAnzeonTestChain(t).open(t)
	judged := 0
	for _, v := range file.Vectors {
		tx := new(types.Transaction)
		if err := tx.UnmarshalBinary(v.Raw); (err != nil) != (v.DecodeError != nil) {
			t.Errorf("%s: decoding: %v", v.Name, err)
			continue
		} else if err != nil {
			continue
		}
		judged++
		want, have := "", ""
		if v.PoolError != nil {
			want = *v.PoolError
		}
		if v.Name == "value-257-bits" {
			want = "insufficient funds for gas * price + value" // upstream refuses here what nobody can pay
		}
		if err := pool.ValidateTxBasics(tx); err != nil {
			have = err.Error()
		}
		// Upstream adds the reason.
		if have != want && !(want == "invalid sender" && strings.HasPrefix(have, "invalid sender: ")) {
			t.Errorf("%s: error %q, want %q", v.Name, have, want)
		}
	}
	if judged < 20 {
		t.Errorf("only %d vectors reached the pool", judged)
	}
}

// TestForkGates: spec transactions 4.1 row d.
func TestForkGates(t *testing.T) {
	chain := newAnzeonTestChain(t)
	chain.config.ApplepieBlock = nil
	pool := chain.open(t)
	err := pool.ValidateTxBasics(delegated(t, 1, 2, nil))
	if want := "transaction type not supported: type 22 rejected, pool not yet in Applepie"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	setCode := types.MustSignNewTx(anzeonTestKey(t, 1), pool.signer, &types.SetCodeTx{ChainID: uint256.NewInt(8283), Gas: 100_000,
		GasTipCap: uint256.NewInt(governedTip), GasFeeCap: uint256.NewInt(1e14), AuthList: make([]types.SetCodeAuthorization, 1)})
	if err := pool.ValidateTxBasics(setCode); err != nil {
		t.Errorf("type 4 on an Anzeon chain: %v", err)
	}
}

// TestReservedFees: spec transactions 6 no. 5.
func TestReservedFees(t *testing.T) {
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 4; key++ {
		chain.fund(t, key, 3e18)
	}
	chain.fund(t, 9, 2*fee)
	chain.fund(t, 8, fee)
	pool := chain.open(t)

	first, second := delegated(t, 1, 9, nil), delegated(t, 2, 9, nil)
	mustAdd(t, pool, first, second)
	wantError(t, pool, delegated(t, 3, 9, nil), txpool.ErrFeePayerFunds)
	wantError(t, pool, delegated(t, 3, 9, nonce(5)), txpool.ErrFeePayerFunds) // queued ones count too
	mustAdd(t, pool, delegated(t, 3, 8, nil))

	// A replacement frees what the replaced one had reserved.
	bumped := delegated(t, 1, 9, func(tx *types.DynamicFeeTx) {
		tx.GasTipCap, tx.GasFeeCap = big.NewInt(2*governedTip), big.NewInt(1.1e14)
	})
	wantError(t, pool, bumped, txpool.ErrFeePayerFunds)
	chain.fund(t, 9, 2.1*fee)
	chain.extend(pool)
	mustAdd(t, pool, bumped)
	self := ordinary(t, 1, func(tx *types.DynamicFeeTx) {
		tx.GasTipCap, tx.GasFeeCap, tx.Value = big.NewInt(3*governedTip), big.NewInt(1.3e14), new(big.Int)
	})
	mustAdd(t, pool, self)
	mustAdd(t, pool, delegated(t, 4, 9, nil))
	wantPooled(t, pool, map[*types.Transaction]bool{first: false, bumped: false, self: true, second: true})

	pool.Clear()
	wantPooled(t, pool, map[*types.Transaction]bool{self: false, second: false})
	mustAdd(t, pool, first)
	checkPool(t, pool)
}

// TestPayerLimit: one fee payer cannot fill the pool (spec transactions 6 no. 5).
func TestPayerLimit(t *testing.T) {
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 5; key++ {
		chain.fund(t, key, 1e18)
	}
	chain.fund(t, 9, 8*fee)
	config := Defaults
	config.GlobalSlots, config.AccountSlots = 16, 1
	testPayerLimit(t, chain, config)
	config.GlobalSlots, config.PayerSlots = Defaults.GlobalSlots, 4
	testPayerLimit(t, chain, config)
}

// testPayerLimit opens a pool in which one fee payer may back four transactions.
func testPayerLimit(t *testing.T, chain *anzeonTestChain, config Config) {
	pool := chain.openWith(t, config)
	for key := byte(1); key <= 4; key++ {
		mustAdd(t, pool, delegated(t, key, 9, nil))
	}
	wantError(t, pool, delegated(t, 5, 9, nil), txpool.ErrFeePayerLimit)
	mustAdd(t, pool, delegated(t, 4, 9, func(tx *types.DynamicFeeTx) {
		tx.GasTipCap, tx.GasFeeCap = big.NewInt(2*governedTip), big.NewInt(1.2e14)
	}))
	checkPool(t, pool)
}

// TestPayerDrained: at a new head the newest transactions go until the rest can be paid; mined ones do not count
// (spec transactions 6 no. 5).
func TestPayerDrained(t *testing.T) {
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 4; key++ {
		chain.fund(t, key, 3e18)
	}
	chain.fund(t, 9, 4*fee)
	pool := chain.open(t)
	mined, kept, dropped := delegated(t, 1, 9, nil), delegated(t, 2, 9, nil), delegated(t, 3, 9, nil)
	own := ordinary(t, 4, func(tx *types.DynamicFeeTx) { tx.Value = new(big.Int) })
	start := time.Now()
	for i, tx := range []*types.Transaction{mined, kept, dropped, own} {
		tx.SetTime(start.Add(time.Duration(i) * time.Second))
	}
	mustAdd(t, pool, mined, kept, dropped, own)

	chain.state.SetNonce(anzeonTestAddr(t, 1), 1, tracing.NonceChangeUnspecified)
	chain.fund(t, 9, 2*fee)
	chain.extend(pool)
	wantPooled(t, pool, map[*types.Transaction]bool{mined: false, kept: true, dropped: true, own: true})

	chain.fund(t, 9, 2*fee-1)
	chain.extend(pool)
	wantPooled(t, pool, map[*types.Transaction]bool{kept: true, dropped: false, own: true})

	chain.fund(t, 9, 0)
	chain.extend(pool)
	wantPooled(t, pool, map[*types.Transaction]bool{kept: false, own: true})
}

// TestPayersOwnCosts: what a fee payer sends itself and what it has promised others come from one balance (spec transactions
// 6 no. 5 and 6).
func TestPayersOwnCosts(t *testing.T) {
	free := func(n uint64) func(*types.DynamicFeeTx) {
		return func(tx *types.DynamicFeeTx) { tx.Nonce, tx.Value = n, new(big.Int) }
	}
	open := func(t *testing.T, payer uint64) (*anzeonTestChain, *Pool) {
		chain := newAnzeonTestChain(t)
		for key := byte(1); key <= 3; key++ {
			chain.fund(t, key, 3e18)
		}
		chain.fund(t, 9, payer)
		return chain, chain.open(t)
	}
	t.Run("own first", func(t *testing.T) {
		_, pool := open(t, 3*fee)
		mustAdd(t, pool, ordinary(t, 9, free(0)), ordinary(t, 9, free(2))) // executable and queued
		mustAdd(t, pool, delegated(t, 1, 9, nil))
		wantError(t, pool, delegated(t, 2, 9, nil), txpool.ErrFeePayerFunds)
		wantError(t, pool, ordinary(t, 9, free(1)), core.ErrInsufficientFunds)
		checkPool(t, pool)
	})
	t.Run("promises first", func(t *testing.T) {
		_, pool := open(t, 2*fee)
		mustAdd(t, pool, delegated(t, 1, 9, nil))
		wantError(t, pool, ordinary(t, 9, nil), core.ErrInsufficientFunds) // its value is too much
		own := ordinary(t, 9, free(0))
		mustAdd(t, pool, own)
		wantError(t, pool, ordinary(t, 9, free(1)), core.ErrInsufficientFunds)
		// A replacement needs no more than the difference; there is none left here.
		wantError(t, pool, ordinary(t, 9, func(tx *types.DynamicFeeTx) {
			tx.GasTipCap, tx.GasFeeCap, tx.Value = big.NewInt(2*governedTip), big.NewInt(1.1e14), new(big.Int)
		}), core.ErrInsufficientFunds)
		wantPooled(t, pool, map[*types.Transaction]bool{own: true})
	})
	t.Run("one account, three parts", func(t *testing.T) {
		// Account 9 pays for 1, sends value in a transaction that 8 pays for, and has what both need and no more.
		chain, pool := open(t, fee+1e18)
		chain.fund(t, 8, fee)
		chain.extend(pool)
		sent := delegated(t, 9, 8, nil)
		mustAdd(t, pool, delegated(t, 1, 9, nil), sent)
		wantError(t, pool, delegated(t, 9, 8, func(tx *types.DynamicFeeTx) { tx.Nonce, tx.Value = 1, common.Big1 }), core.ErrInsufficientFunds)
		wantPooled(t, pool, map[*types.Transaction]bool{sent: true})
	})
	t.Run("drained", func(t *testing.T) {
		chain, pool := open(t, 4*fee)
		txs := []*types.Transaction{delegated(t, 1, 9, nil), ordinary(t, 9, free(0)), delegated(t, 2, 9, nil), ordinary(t, 9, free(1))}
		start := time.Now()
		for i, tx := range txs {
			tx.SetTime(start.Add(time.Duration(i) * time.Second))
		}
		mustAdd(t, pool, txs...)
		chain.fund(t, 9, 4*fee-1)
		chain.extend(pool)
		wantPooled(t, pool, map[*types.Transaction]bool{txs[0]: true, txs[1]: true, txs[2]: true, txs[3]: false})
		chain.fund(t, 9, 2*fee)
		chain.extend(pool)
		wantPooled(t, pool, map[*types.Transaction]bool{txs[0]: true, txs[1]: true, txs[2]: false})
		chain.fund(t, 9, 2*fee-1)
		chain.extend(pool)
		wantPooled(t, pool, map[*types.Transaction]bool{txs[0]: true, txs[1]: false})
	})
}

// TestDebtsOfTwo: what is dropped when two accounts that share a transaction have lost coins does not depend on which one is looked at first,
// which is left to chance: every time it is the newest first (spec transactions 6 no. 5).
func TestDebtsOfTwo(t *testing.T) {
	for range 16 {
		chain := newAnzeonTestChain(t)
		chain.fund(t, 1, fee+2e18)
		chain.fund(t, 9, 3*fee)
		pool := chain.open(t)
		old := ordinary(t, 1, nil)
		shared := delegated(t, 1, 9, func(tx *types.DynamicFeeTx) { tx.Nonce = 1 })
		own := ordinary(t, 9, func(tx *types.DynamicFeeTx) { tx.Value = new(big.Int) })
		mustAdd(t, pool, old, shared, own)
		chain.fund(t, 1, fee+1e18)
		chain.fund(t, 9, 2*fee-1)
		chain.extend(pool)
		wantPooled(t, pool, map[*types.Transaction]bool{old: true, shared: false, own: false})
		for _, key := range []byte{1, 9} {
			if known, _ := pool.records.Peek(anzeonTestAddr(t, key)); !known.drained {
				t.Errorf("nothing is remembered of key %d", key)
			}
		}
	}
}

// blacklist flags accounts as the council does, which keeps a list of its own.
func (c *anzeonTestChain) blacklist(addrs ...common.Address) {
	c.state.SetNonce(testCouncil, 1, tracing.NonceChangeUnspecified)
	for _, addr := range addrs {
		c.state.SetBlacklisted(addr, true)
		c.state.SetState(testCouncil, common.BytesToHash(addr[:]), common.Hash{31: 1})
	}
	c.state.IntermediateRoot(c.config.Rules(c.head.Number, false, c.head.Time))
}

// TestBlacklistedLater: spec transactions 6 no. 7. Sender, fee payer and recipient count alike.
func TestBlacklistedLater(t *testing.T) {
	recipient := common.Address{1}
	for name, addr := range map[string]common.Address{
		"sender": anzeonTestAddr(t, 1), "fee payer": anzeonTestAddr(t, 9), "recipient": recipient,
	} {
		t.Run(name, func(t *testing.T) {
			chain := newAnzeonTestChain(t)
			for key := byte(1); key <= 3; key++ {
				chain.fund(t, key, 4e18)
			}
			chain.fund(t, 9, 4*fee)
			chain.fund(t, 8, 4*fee)
			chain.blacklist(common.Address{2})
			pool := chain.open(t)
			bad := delegated(t, 1, 9, func(tx *types.DynamicFeeTx) { tx.To = &recipient })
			good, creation := delegated(t, 2, 8, nil), ordinary(t, 3, func(tx *types.DynamicFeeTx) { tx.To, tx.Gas, tx.Value = nil, 53000, new(big.Int) })
			chain.fund(t, 3, 6e18)
			chain.extend(pool) // the flags are known from here on
			mustAdd(t, pool, bad, good, creation)
			chain.extend(pool)
			wantPooled(t, pool, map[*types.Transaction]bool{bad: true, good: true, creation: true})

			chain.blacklist(addr)
			chain.extend(pool)
			wantPooled(t, pool, map[*types.Transaction]bool{bad: false, good: true, creation: true})
			wantError(t, pool, bad, vm.ErrBlacklisted)
		})
	}
}

// TestRaisedTip: what still offers the new minimum stays, by its own caps (spec transactions 6 no. 8).
func TestRaisedTip(t *testing.T) {
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 3; key++ {
		chain.fund(t, key, 10e18)
	}
	pool := chain.open(t)
	low := ordinary(t, 1, nil)
	capped := ordinary(t, 2, func(tx *types.DynamicFeeTx) { tx.GasTipCap, tx.GasFeeCap = big.NewInt(3e13), big.NewInt(5e13-1) })
	good := ordinary(t, 3, func(tx *types.DynamicFeeTx) { tx.GasTipCap, tx.GasFeeCap = big.NewInt(3e13), big.NewInt(5e13) })
	mustAdd(t, pool, low, capped, good)
	pool.SetGasTip(big.NewInt(3e13))
	chain.extend(pool)
	wantPooled(t, pool, map[*types.Transaction]bool{low: false, capped: false, good: true})
}

// TestReservationProperty drives the pool with random additions, replacements and heads.
func TestReservationProperty(t *testing.T) {
	for seed := range int64(60) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewSource(seed))
			chain := newAnzeonTestChain(t)
			for key := byte(1); key <= 6; key++ {
				chain.fund(t, key, uint64(rnd.Int63n(5*fee/2))*2)
			}
			config := Defaults
			config.GlobalSlots, config.AccountSlots, config.GlobalQueue = 12, 2, 4
			pool := chain.openWith(t, config)
			for range 25 {
				switch sender, payer := byte(1+rnd.Intn(6)), byte(rnd.Intn(7)); {
				case rnd.Intn(5) == 0:
					chain.fund(t, sender, uint64(rnd.Int63n(5*fee/2))*2)
					addr := anzeonTestAddr(t, sender)
					chain.state.SetNonce(addr, chain.state.GetNonce(addr)+uint64(rnd.Intn(2)), tracing.NonceChangeUnspecified)
					chain.extend(pool)
				default:
					change := func(tx *types.DynamicFeeTx) {
						bump := 10 + rnd.Int63n(5)
						tx.Nonce, tx.Value = uint64(rnd.Intn(5)), big.NewInt(rnd.Int63n(1e18))
						tx.GasTipCap, tx.GasFeeCap = big.NewInt(bump*governedTip/10), big.NewInt(bump*1e13)
					}
					tx := ordinary(t, sender, change)
					if payer != 0 {
						tx = delegated(t, sender, payer, change)
					}
					_ = submit(pool, tx) // refusals are as good as admissions here
				}
				checkPool(t, pool)
			}
		})
	}
}

// What the next block asks for may change while a signature is being recovered: the transaction is judged by what holds when it is taken, as all that
// were pooled before it (spec transactions 6 no. 27).
func TestHeadMovesWhileExamined(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*anzeonTestChain, *Pool)
		want   error
	}{
		{"nothing", func(*anzeonTestChain, *Pool) {}, nil},
		{"a higher tip", func(_ *anzeonTestChain, pool *Pool) { pool.SetGasTip(big.NewInt(2 * governedTip)) }, txpool.ErrTxGasPriceTooLow},
		{"a tip that nobody can offer", func(_ *anzeonTestChain, pool *Pool) {
			pool.SetGasTip(new(big.Int).Sub(new(big.Int).Lsh(common.Big1, 256), common.Big1))
		}, txpool.ErrTxGasPriceTooLow},
		{"smaller blocks", func(chain *anzeonTestChain, pool *Pool) {
			parent := chain.head
			chain.moveTo(types.CopyHeader(parent))
			chain.head.ParentHash, chain.head.GasLimit = parent.Hash(), params.TxGas-1
			chain.head.Number.Add(parent.Number, common.Big1)
			pool.Reset(parent, chain.head)
		}, txpool.ErrGasLimit},
	} {
		chain := newAnzeonTestChain(t)
		chain.enrich(t, 1)
		pool := chain.open(t)
		tx := ordinary(t, 1, bid(0, 276, 100))
		e, err := pool.examine(tx, true)
		if err != nil {
			t.Fatal(err)
		}
		tt.change(chain, pool)
		pool.mu.Lock()
		err = pool.take(e)
		pool.mu.Unlock()
		if !errors.Is(err, tt.want) || pool.Has(tx.Hash()) != (tt.want == nil) {
			t.Errorf("%s: error %v, want %v; pooled: %v", tt.name, err, tt.want, pool.Has(tx.Hash()))
		}
	}
}

// What has become executable, was not any more and is again, all before it is announced, is announced once: a message with two copies of a transaction
// ends the connection.
func TestAnnouncedOnce(t *testing.T) {
	chain := newAnzeonTestChain(t)
	chain.enrich(t, 1)
	pool := chain.open(t)
	events := make(chan core.NewTxsEvent, 8)
	sub := pool.SubscribeTransactions(events, false)
	defer sub.Unsubscribe()
	tx := ordinary(t, 1, bid(0, 276, 100))
	mustAdd(t, pool, tx)
	pool.mu.Lock()
	e := pool.look(tx.Hash())
	pool.fresh = append(pool.fresh, e, e)
	pool.mu.Unlock()
	pool.flush()
	if len(events) == 0 {
		t.Fatal("not announced")
	}
	for len(events) > 0 {
		if event := <-events; len(event.Txs) != 1 {
			t.Errorf("announced %d times at once", len(event.Txs))
		}
	}
}
