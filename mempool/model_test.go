// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
	"pgregory.net/rapid"
)

// model is the pool in plain Go: one list of transactions, and every question answered by going through it. Amounts are in units of 10^12
// wei a gas and of whole coins.
type model struct {
	config   Config
	baseFee  int64
	nonce    map[byte]uint64
	coins    map[byte]int64
	chief    byte // the authorized sender
	txs      []modelTx
	seq      int
	drained  map[byte]bool
	paid     map[byte]uint64
	everPaid map[byte]bool // has a record
}

type modelTx struct {
	sender, payer byte
	nonce         uint64
	feeCap, tip   int64
	value, fee    int64 // coins: what the sender sends, and what the fee is at most
	seq           int
	hash          common.Hash
	tx            *types.Transaction
}

const modelTip = 28 // 10^12 wei a gas; the governed tip

func (m *model) of(sender byte) (txs []modelTx) {
	for _, tx := range m.txs {
		if tx.sender == sender {
			txs = append(txs, tx)
		}
	}
	slices.SortFunc(txs, func(x, y modelTx) int { return cmp.Compare(x.nonce, y.nonce) })
	return txs
}

// executable returns the transactions of a sender before the first gap.
func (m *model) executable(sender byte) []modelTx {
	txs := m.of(sender)
	for i, tx := range txs {
		if tx.nonce != m.nonce[sender]+uint64(i) {
			return txs[:i]
		}
	}
	return txs
}

func (m *model) executables() (n int) {
	for sender := range m.nonce {
		n += len(m.executable(sender))
	}
	return n
}

// promised returns what an account has promised to pay, the transaction of one sender and nonce left out.
func (m *model) promised(account byte, but modelTx) (coins int64) {
	for _, tx := range m.txs {
		if tx.sender == but.sender && tx.nonce == but.nonce {
			continue
		}
		coins += tx.costs(account)
	}
	return coins
}

// owes tells that an account has promised more than it has.
func (m *model) owes(account byte) bool { return m.promised(account, modelTx{}) > m.coins[account] }

func (tx modelTx) costs(account byte) (coins int64) {
	if tx.sender == account {
		coins += tx.value
	}
	if tx.payer == account {
		coins += tx.fee
	}
	return coins
}

// worth is what a transaction pays for each gas: never more than what must come before it.
func (m *model) worth(tx modelTx) int64 {
	least := int64(1 << 62)
	for _, other := range append(m.of(tx.sender), tx) {
		if other.nonce > tx.nonce || other.nonce == tx.nonce && other.seq != tx.seq {
			continue
		}
		limit := int64(modelTip)
		if other.sender == m.chief {
			limit = other.tip
		}
		least = min(least, max(0, min(other.feeCap-m.baseFee, limit)))
	}
	return least
}

var (
	errModelFull  = errors.New("no room")
	errModelOther = errors.New("underpriced, too low, or not payable")
)

func (m *model) submit(tx modelTx) error {
	if tx.nonce < m.nonce[tx.sender] {
		return errModelOther
	}
	mine := m.of(tx.sender)
	at := slices.IndexFunc(m.txs, func(o modelTx) bool { return o.sender == tx.sender && o.nonce == tx.nonce })
	executable := len(m.executable(tx.sender))
	perAccount := int(max(m.config.GlobalSlots/4, m.config.AccountSlots))
	allowed := func(account byte, start int) int {
		if m.drained[account] {
			start = int(m.config.AccountSlots)
		}
		return min(perAccount, start+2*int(m.paid[account]))
	}
	for _, account := range []byte{tx.sender, tx.payer} {
		if m.promised(account, tx)+tx.costs(account) > m.coins[account] {
			return errModelOther
		}
	}
	if at < 0 && m.drained[tx.sender] && len(mine) > 0 && len(mine) >= allowed(tx.sender, perAccount) {
		return errModelFull
	}
	if tx.payer != tx.sender {
		backed := 1
		for _, o := range m.txs {
			if o.payer == tx.payer && o.sender != tx.payer && !(o.sender == tx.sender && o.nonce == tx.nonce) {
				backed++
			}
		}
		if backed > allowed(tx.payer, payerStart) {
			return errModelFull
		}
	}
	if at >= 0 {
		old := m.txs[at]
		if tx.feeCap <= old.feeCap || tx.tip <= old.tip || 100*tx.feeCap < 110*old.feeCap || 100*tx.tip < 110*old.tip {
			return errModelOther
		}
		tx.seq = old.seq
		m.txs[at] = tx
		return nil
	}
	if len(mine) >= perAccount {
		return errModelFull
	}
	m.seq++
	tx.seq = m.seq
	distance := int(tx.nonce - m.nonce[tx.sender])
	if distance > executable {
		gapped := len(m.txs) - m.executables()
		if len(mine)-executable >= int(m.config.AccountQueue) || gapped >= int(m.config.GlobalQueue) {
			return errModelFull
		}
		m.txs = append(m.txs, tx)
		return nil
	}
	limit, crowd := int(m.config.GlobalSlots), m.executables()
	if executable >= int(m.config.AccountSlots) {
		limit -= limit / 4
	}
	if len(mine) > executable && mine[executable].nonce == tx.nonce+1 {
		limit, crowd = int(m.config.GlobalSlots+m.config.GlobalQueue), len(m.txs)
	}
	if crowd+1 > limit {
		worst := modelTx{seq: -1}
		for sender := range m.nonce {
			rest := m.executable(sender)
			if sender == tx.sender || len(rest) == 0 {
				continue
			}
			last := rest[len(rest)-1]
			if worst.seq < 0 || m.worth(last) < m.worth(worst) || m.worth(last) == m.worth(worst) && last.seq > worst.seq {
				worst = last
			}
		}
		if worst.seq < 0 || m.worth(worst) >= m.worth(tx) {
			return errModelFull
		}
		m.drop(worst)
	}
	m.txs = append(m.txs, tx)
	return nil
}

func (m *model) drop(tx modelTx) {
	m.txs = slices.DeleteFunc(m.txs, func(o modelTx) bool { return o.hash == tx.hash })
}

// extend makes a head at which some of the first executable transactions of each sender are in a block, and balances and base fee others.
func (m *model) extend(included int, baseFee int64, coins map[byte]int64) (block []*types.Transaction) {
	for sender := byte(1); sender <= modelSenders; sender++ {
		for _, tx := range m.executable(sender) {
			if len(block) == included {
				break
			}
			block = append(block, tx.tx)
			m.drop(tx)
			m.nonce[sender]++
			if tx.payer != sender || m.everPaid[tx.payer] {
				m.everPaid[tx.payer] = true
				m.paid[tx.payer]++
			}
		}
	}
	m.baseFee = baseFee
	for account, have := range coins {
		m.coins[account] = have
	}
	// The newest first, over all accounts: what one cannot pay for may be a promise of another one too.
	for account := byte(1); account <= modelSenders; account++ {
		if m.owes(account) {
			m.drained[account], m.paid[account], m.everPaid[account] = true, 0, true
		}
	}
	newestFirst := slices.Clone(m.txs)
	slices.SortFunc(newestFirst, func(x, y modelTx) int { return cmp.Compare(y.seq, x.seq) })
	for _, tx := range newestFirst {
		for _, account := range []byte{tx.sender, tx.payer} {
			if m.owes(account) && tx.costs(account) > 0 {
				m.drop(tx)
			}
		}
	}
	return block
}

const modelSenders = 8

// TestModel drives the pool and the model with the same random submissions and heads: both take the same and hold the same (spec transactions
// 3.3 for what is paid, 4.1 and 4.2 for what is refused).
func TestModel(t *testing.T) {
	taken, outbid := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		chain := newAnzeonTestChain(t)
		config := Config{PriceBump: 10, AccountSlots: 2, GlobalSlots: 12, AccountQueue: 3, GlobalQueue: 1000, Lifetime: 1}
		m := &model{config: config, baseFee: 20, chief: modelSenders, nonce: make(map[byte]uint64), coins: make(map[byte]int64),
			drained: make(map[byte]bool), paid: make(map[byte]uint64), everPaid: make(map[byte]bool)}
		fund := func(account byte, coins int64) {
			wei := new(uint256.Int).Mul(uint256.NewInt(uint64(coins)), uint256.NewInt(1e18))
			chain.state.SetBalance(anzeonTestAddr(t, account), wei, tracing.BalanceChangeUnspecified)
		}
		for account := byte(1); account <= modelSenders; account++ {
			m.coins[account], m.nonce[account] = 40, 0
			fund(account, 40)
		}
		chain.state.SetAuthorized(anzeonTestAddr(t, m.chief), true)
		pool := New(config, chain)
		if err := pool.Init(modelTip*1e12, chain.head, txpool.NewReservationTracker().NewHandle(0)); err != nil {
			rt.Fatal(err)
		}
		defer pool.Close()

		submit := func(rt *rapid.T) {
			tx := modelTx{
				// Every third comes from the only one whose own tip counts.
				sender: min(modelSenders, byte(rapid.IntRange(1, modelSenders*3/2).Draw(rt, "sender"))),
				tip:    rapid.Int64Range(modelTip, modelTip+12).Draw(rt, "tip"),
				value:  rapid.Int64Range(0, 2).Draw(rt, "value"),
			}
			tx.nonce = m.nonce[tx.sender] + uint64(rapid.IntRange(0, 4).Draw(rt, "nonce"))
			tx.feeCap = max(48, tx.tip) + 2*rapid.Int64Range(0, 16).Draw(rt, "fee cap")
			tx.payer = tx.sender
			if rapid.IntRange(0, 2).Draw(rt, "delegated") == 0 {
				tx.payer = byte(rapid.IntRange(1, modelSenders).Draw(rt, "payer"))
			}
			// 10^12 wei a gas times a million gas is a coin, so fees are whole coins.
			const gas = 500_000
			tx.fee = tx.feeCap * gas / 1_000_000
			change := func(inner *types.DynamicFeeTx) {
				inner.Nonce, inner.Gas = tx.nonce, gas
				inner.GasTipCap, inner.GasFeeCap = big.NewInt(tx.tip*1e12), big.NewInt(tx.feeCap*1e12)
				inner.Value = new(big.Int).Mul(big.NewInt(tx.value), big.NewInt(1e18))
			}
			tx.tx = ordinary(t, tx.sender, change)
			if tx.payer != tx.sender {
				tx.tx = delegated(t, tx.sender, tx.payer, change)
			}
			tx.hash = tx.tx.Hash()
			if pool.Has(tx.hash) {
				return
			}
			held := len(m.txs)
			want := m.submit(tx)
			err := pool.Submit(tx.tx)
			if (err == nil) != (want == nil) {
				rt.Fatalf("sender %d, nonce %d, tip %d, cap %d, payer %d: error %v, want %v", tx.sender, tx.nonce, tx.tip, tx.feeCap, tx.payer, err, want)
			}
			if err == nil {
				taken++
				if len(m.txs) == held && want == nil {
					outbid++
				}
			}
		}
		extend := func(rt *rapid.T) {
			coins := make(map[byte]int64)
			for range rapid.IntRange(0, 2).Draw(rt, "changed balances") {
				coins[byte(rapid.IntRange(1, modelSenders).Draw(rt, "account"))] = rapid.Int64Range(0, 120).Draw(rt, "coins")
			}
			block := m.extend(rapid.IntRange(0, 6).Draw(rt, "included"), rapid.Int64Range(20, 40).Draw(rt, "base fee"), coins)
			for account, have := range m.coins {
				fund(account, have)
				chain.state.SetNonce(anzeonTestAddr(t, account), m.nonce[account], tracing.NonceChangeUnspecified)
			}
			parent := chain.head
			chain.moveTo(types.CopyHeader(parent))
			chain.head.ParentHash = parent.Hash()
			chain.head.Number.Add(parent.Number, common.Big1)
			chain.head.BaseFee = big.NewInt(m.baseFee * 1e12)
			chain.head.GasUsed = chain.head.GasLimit / 10 // leaves the base fee as it is (spec transactions 3.1)
			pool.follow(chain.head, chain.state.Copy(), block, nil, true)
		}
		extend(rt)
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			if rapid.IntRange(0, 9).Draw(rt, "step") == 0 {
				extend(rt)
			} else {
				submit(rt)
			}
			checkPool(rt, pool)
			want := make(map[common.Hash]bool)
			for _, tx := range m.txs {
				want[tx.hash] = true
				if !pool.Has(tx.hash) {
					rt.Fatalf("the pool has not kept sender %d, nonce %d", tx.sender, tx.nonce)
				}
			}
			if pending, queued := pool.Stats(); pending != m.executables() || pending+queued != len(want) {
				rt.Fatalf("%d pending, %d queued; want %d of %d", pending, queued, m.executables(), len(want))
			}
		}
	})
	t.Logf("%d taken, %d in the place of others", taken, outbid)
	if taken == 0 || outbid == 0 && !testing.Short() { // a few sequences may well see none
		t.Errorf("nothing was tried: %d taken, %d in the place of others", taken, outbid)
	}
}
