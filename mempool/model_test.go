// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// model is the pool in plain Go: one list of transactions, and each question answered by a search of it. Amounts are in
// units of 10^12 wei per gas and of whole coins.
type model struct {
	config    Config
	baseFee   int64
	nonce     map[byte]uint64
	coins     map[byte]int64
	chief     byte // the authorized sender
	txs       []modelTx
	seq       int
	drained   map[byte]bool
	paid      map[byte]uint64
	everPaid  map[byte]bool   // has a record
	missed    map[byte]uint64 // one more than the nonce that was refused
	displaced int             // queued, for others of the same payer
	spared    int             // evicted without a reserved slot of their fee payer
	unsured   int             // evicted without a reserved slot of their sender
}

// modelTx is a transaction of the model.
type modelTx struct {
	sender, payer byte
	nonce         uint64
	feeCap, tip   int64
	value, fee    int64 // coins: value and highest fee
	seq           int
	local         bool
	spare         bool // beyond the reserved slots of its payer at its admission
	hash          common.Hash
	tx            *types.Transaction
}

// modelTip is the governed tip, in 10^12 wei per gas.
const modelTip = 28

// of returns the transactions of a sender by nonce.
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

// missing returns the first nonce of a sender that is not pooled.
func (m *model) missing(sender byte) uint64 {
	return m.nonce[sender] + uint64(len(m.executable(sender)))
}

// queued reports whether a pooled transaction is behind a gap.
func (m *model) queued(tx modelTx) bool { return tx.nonce > m.missing(tx.sender) }

// backs returns the transactions of others that an account pays for, except one nonce of one sender.
func (m *model) backs(payer byte, but modelTx) (txs []modelTx) {
	for _, tx := range m.txs {
		if tx.payer == payer && tx.sender != payer && !(tx.sender == but.sender && tx.nonce == but.nonce) {
			txs = append(txs, tx)
		}
	}
	return txs
}

// last returns the executable transaction that is evicted first, not of one sender. Its sequence is 0 if there is none.
func (m *model) last(but byte) (worst modelTx) {
	for sender := range m.nonce {
		rest := m.executable(sender)
		if sender == but || len(rest) == 0 {
			continue
		}
		last := rest[len(rest)-1]
		if worst.seq == 0 || m.worth(last) < m.worth(worst) || m.worth(last) == m.worth(worst) && last.seq > worst.seq {
			worst = last
		}
	}
	return worst
}

// prechecks reports whether a full pool refuses a transaction before it knows the sender.
func (m *model) prechecks(tx modelTx) bool {
	if m.executables() < int(m.config.GlobalSlots) || tx.local && len(m.txs) > m.executables() {
		return false
	}
	return max(0, min(tx.feeCap-m.baseFee, tx.tip)) <= m.worth(m.last(0))
}

// executables returns the number of executable transactions.
func (m *model) executables() (n int) {
	for sender := range m.nonce {
		n += len(m.executable(sender))
	}
	return n
}

// reserved returns the reserved coins of an account, except for one nonce of one sender.
func (m *model) reserved(account byte, but modelTx) (coins int64) {
	for _, tx := range m.txs {
		if tx.sender == but.sender && tx.nonce == but.nonce {
			continue
		}
		coins += tx.costs(account)
	}
	return coins
}

// owes reports whether the reserved coins of an account exceed its balance.
func (m *model) owes(account byte) bool { return m.reserved(account, modelTx{}) > m.coins[account] }

// costs returns the most coins that a transaction takes from an account.
func (tx modelTx) costs(account byte) (coins int64) {
	if tx.sender == account {
		coins += tx.value
	}
	if tx.payer == account {
		coins += tx.fee
	}
	return coins
}

// worth returns the least payment per gas of a transaction and the earlier ones of its sender.
func (m *model) worth(tx modelTx) int64 {
	least := int64(1 << 62)
	if m.unsure(tx) {
		return 0
	}
	for _, other := range append(m.of(tx.sender), tx) {
		if other.nonce > tx.nonce || other.nonce == tx.nonce && other.seq != tx.seq {
			continue
		}
		limit := int64(modelTip)
		if other.sender == m.chief {
			limit = other.tip
		}
		if other.spare {
			limit = 0
		}
		least = min(least, max(0, min(other.feeCap-m.baseFee, limit)))
	}
	return least
}

// unsure reports whether a transaction is beyond the reserved slots of its sender. All have the size of one place.
func (m *model) unsure(tx modelTx) bool {
	start, done := max(m.config.GlobalSlots/50, m.config.AccountSlots), m.nonce[tx.sender]
	if m.drained[tx.sender] {
		start, done = m.config.AccountSlots, m.paid[tx.sender]
	}
	return tx.nonce-m.nonce[tx.sender] >= min(m.config.perAccount(), start+2*done)
}

// submit admits a transaction, or refuses it with an error of the pool.
func (m *model) submit(tx modelTx) (err error) {
	if tx.nonce < m.nonce[tx.sender] {
		return gethcore.ErrNonceTooLow
	}
	mine := m.of(tx.sender)
	at := slices.IndexFunc(m.txs, func(o modelTx) bool { return o.sender == tx.sender && o.nonce == tx.nonce })
	executable := len(m.executable(tx.sender))
	gapped := tx.nonce > m.missing(tx.sender)
	perAccount := int(max(m.config.GlobalSlots/4, m.config.AccountSlots))
	allowed := func(account byte, most, start int) int {
		if m.drained[account] {
			start = int(m.config.AccountSlots)
		}
		return min(most, start+2*int(m.paid[account]))
	}
	rivals := executable
	if gapped {
		rivals = len(mine)
	}
	// With as many places as any other account has, a drained one is refused for its coins before its places, as these.
	few := allowed(tx.sender, perAccount, perAccount)
	if at < 0 && m.drained[tx.sender] && len(mine) > 0 && rivals >= few && few < perAccount {
		return txpool.ErrOutOfCapacity
	}
	// Queued transactions of an account or its backing are displaced: for places, and for the coins of an executable one.
	var gone []modelTx
	isGone := func(o modelTx) bool {
		return slices.ContainsFunc(gone, func(g modelTx) bool { return g.hash == o.hash })
	}
	displace := func(waiting []modelTx) bool {
		first := func(o modelTx) (seq int) { // of the sender
			for _, w := range waiting {
				if w.sender == o.sender && w.local == o.local && (seq == 0 || w.seq < seq) {
					seq = w.seq
				}
			}
			return seq
		}
		left := slices.DeleteFunc(slices.Clone(waiting), isGone)
		if len(left) == 0 {
			return false
		}
		gone = append(gone, slices.MinFunc(left, func(x, y modelTx) int {
			return cmp.Or(trueFirst(y.local, x.local), cmp.Compare(first(x), first(y)), cmp.Compare(y.nonce, x.nonce))
		}))
		return true
	}
	candidates := func(account byte, coins bool) (waiting []modelTx) {
		for _, o := range m.txs {
			if (o.payer == account && o.sender != account || coins && o.costs(account) > 0) && m.queued(o) &&
				!(o.sender == tx.sender && o.nonce == tx.nonce) && !(gapped && o.local) {
				waiting = append(waiting, o)
			}
		}
		return waiting
	}
	freed := func(account byte) (coins int64) {
		for _, g := range gone {
			coins += g.costs(account)
		}
		return coins
	}
	if tx.payer != tx.sender {
		backed, waiting := m.backs(tx.payer, tx), 0
		for _, o := range backed {
			if m.queued(o) {
				waiting++
			}
		}
		most := int(m.config.PayerSlots)
		sure := allowed(tx.payer, most, max(int(m.config.GlobalSlots/50), int(m.config.AccountSlots)))
		if m.drained[tx.payer] {
			most = sure
		}
		tx.spare = len(backed)-waiting+1 > sure
		lacks := len(backed) + 1 - most
		share := max(int(m.config.GlobalQueue/8), int(m.config.AccountQueue))
		if gapped {
			lacks = max(lacks, waiting+1-share)
		}
		for range lacks {
			if !displace(candidates(tx.payer, false)) {
				if gapped && waiting >= share {
					return txpool.ErrOutOfCapacity
				}
				return txpool.ErrFeePayerLimit
			}
		}
	}
	for _, account := range []byte{tx.sender, tx.payer} {
		for m.reserved(account, tx)-freed(account)+tx.costs(account) > m.coins[account] {
			switch {
			case !gapped && displace(candidates(account, true)):
			case account == tx.sender:
				return gethcore.ErrInsufficientFunds
			default:
				return txpool.ErrFeePayerFunds
			}
		}
	}
	defer func() {
		if err == nil {
			for _, o := range gone {
				m.drop(o)
			}
			m.displaced += len(gone)
		}
	}()
	if at >= 0 {
		old := m.txs[at]
		if tx.feeCap <= old.feeCap || tx.tip <= old.tip || 100*tx.feeCap < 110*old.feeCap || 100*tx.tip < 110*old.tip {
			return txpool.ErrReplaceUnderpriced
		}
		tx.seq, tx.local = old.seq, tx.local || old.local
		m.txs[at] = tx
		return nil
	}
	if rivals >= perAccount {
		return txpool.ErrOutOfCapacity
	}
	m.seq++
	tx.seq = m.seq
	if gapped {
		if tx.local && m.missed[tx.sender] == m.missing(tx.sender)+1 || len(mine)-executable >= int(m.config.AccountQueue) {
			return txpool.ErrOutOfCapacity
		}
		m.txs = append(m.txs, tx)
		return nil
	}
	limit, used := int(m.config.GlobalSlots), m.executables()
	if executable >= int(m.config.AccountSlots) {
		limit -= limit / 4
	}
	if len(mine) > executable && mine[executable].nonce == tx.nonce+1 {
		limit, used = int(m.config.GlobalSlots+m.config.GlobalQueue), len(m.txs)
	}
	if used+1 > limit {
		worst := m.last(tx.sender)
		if worst.seq == 0 || m.worth(worst) >= m.worth(tx) {
			return txpool.ErrOutOfCapacity
		}
		if worst.spare {
			m.spared++
		}
		if m.unsure(worst) {
			m.unsured++
		}
		m.drop(worst)
	}
	m.txs = append(m.txs, tx)
	return nil
}

// drop removes a transaction.
func (m *model) drop(tx modelTx) {
	m.txs = slices.DeleteFunc(m.txs, func(o modelTx) bool { return o.hash == tx.hash })
}

// extend makes a head that includes the first executable transactions of each sender, with other balances and base fee.
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
	// Queued ones first, then the newest, over all accounts: two accounts may share a transaction.
	gapped := make(map[common.Hash]bool)
	for _, tx := range m.txs {
		gapped[tx.hash] = m.queued(tx)
	}
	newestFirst := slices.Clone(m.txs)
	slices.SortFunc(newestFirst, func(x, y modelTx) int {
		if gapped[x.hash] != gapped[y.hash] {
			return trueFirst(gapped[x.hash], gapped[y.hash])
		}
		return cmp.Compare(y.seq, x.seq)
	})
	for _, tx := range newestFirst {
		owed := false
		for _, account := range []byte{tx.sender, tx.payer} {
			if m.owes(account) && tx.costs(account) > 0 {
				if owed = true; !gapped[tx.hash] {
					m.drained[account], m.paid[account], m.everPaid[account] = true, 0, true
				}
			}
		}
		if owed {
			m.drop(tx)
		}
	}
	return block
}

const (
	modelSenders = 8
	modelSponsor = 7 // fee payer of half of all, with more coins
)

// modelConfig has limits that some dozen transactions reach, but for the queue of all senders.
var modelConfig = Config{
	PriceBump:    10,
	AccountSlots: 1,
	GlobalSlots:  8,
	AccountQueue: 3,
	GlobalQueue:  32,
	PayerSlots:   9,
	Lifetime:     1,
}

// newModel returns an empty model at a head where all accounts have coins.
func newModel() *model {
	m := &model{
		config:   modelConfig,
		baseFee:  20,
		chief:    modelSenders,
		nonce:    make(map[byte]uint64),
		coins:    make(map[byte]int64),
		drained:  make(map[byte]bool),
		paid:     make(map[byte]uint64),
		everPaid: make(map[byte]bool),
		missed:   make(map[byte]uint64),
	}
	for account := byte(1); account <= modelSenders; account++ {
		m.coins[account], m.nonce[account] = 120, 0
	}
	m.coins[modelSponsor] = 400
	return m
}

// draw returns a random signed transaction.
func (m *model) draw(t *testing.T, rt *rapid.T) modelTx {
	tx := modelTx{
		// Every third has the authorized sender.
		sender: min(modelSenders, byte(1+rapid.Uint16().Draw(rt, "sender")%(modelSenders*3/2))),
		tip:    rapid.Int64Range(modelTip, modelTip+12).Draw(rt, "tip"),
		value:  rapid.Int64Range(0, 2).Draw(rt, "value"),
		local:  rapid.Bool().Draw(rt, "submitted here"),
	}
	tx.nonce = m.missing(tx.sender)
	if rapid.Bool().Draw(rt, "another nonce") {
		tx.nonce = m.nonce[tx.sender] + uint64(rapid.IntRange(0, 4).Draw(rt, "nonce"))
	}
	tx.feeCap = max(48, tx.tip) + 2*rapid.Int64Range(0, 16).Draw(rt, "fee cap")
	tx.payer = tx.sender
	switch rapid.IntRange(0, 5).Draw(rt, "delegated") {
	case 0:
		tx.payer = byte(rapid.IntRange(1, modelSenders).Draw(rt, "payer"))
	case 1, 2, 3:
		tx.payer = modelSponsor
	}
	// A million gas at 10^12 wei is one coin, so fees are whole coins.
	const gas = 500_000
	tx.fee = tx.feeCap * gas / 1_000_000
	change := func(inner *types.DynamicFeeTx) {
		inner.Nonce, inner.Gas = tx.nonce, gas
		inner.GasTipCap, inner.GasFeeCap = big.NewInt(tx.tip*1e12), big.NewInt(tx.feeCap*1e12)
		inner.Value = wei(tx.value).ToBig()
	}
	tx.tx = ordinary(t, tx.sender, change)
	if tx.payer != tx.sender {
		tx.tx = delegated(t, tx.sender, tx.payer, change)
	}
	tx.hash = tx.tx.Hash()
	return tx
}

// drawHead makes a random head, and returns the transactions of its block.
func (m *model) drawHead(rt *rapid.T) (block []*types.Transaction) {
	coins := make(map[byte]int64)
	for range rapid.IntRange(0, 2).Draw(rt, "changed balances") {
		coins[byte(rapid.IntRange(1, modelSenders).Draw(rt, "account"))] = rapid.Int64Range(0, 120).Draw(rt, "coins")
	}
	return m.extend(rapid.IntRange(0, 4).Draw(rt, "included"), rapid.Int64Range(20, 40).Draw(rt, "base fee"), coins)
}

// note remembers the nonce of a refused submission until a transaction with it is admitted.
func (m *model) note(tx modelTx, refused error) {
	switch {
	case refused == nil && m.missed[tx.sender] == tx.nonce+1:
		delete(m.missed, tx.sender)
	case refused != nil && tx.local && tx.nonce == m.missing(tx.sender):
		m.missed[tx.sender] = tx.nonce + 1
	}
}

// wei returns an amount of coins in wei.
func wei(coins int64) *uint256.Int {
	return new(uint256.Int).Mul(uint256.NewInt(uint64(coins)), uint256.NewInt(1e18))
}

// modelCounts counts what random sequences have tried.
type modelCounts struct{ taken, evicted, displaced, spared, unsured int }

// add adds what a model has counted.
func (c *modelCounts) add(m *model) {
	c.displaced, c.spared, c.unsured = c.displaced+m.displaced, c.spared+m.spared, c.unsured+m.unsured
}

// check reports what was not tried.
func (c *modelCounts) check(t *testing.T) {
	t.Helper()
	tried := fmt.Sprintf("%d taken, %d in the place of others, of which %d had no sure one of their fee payer "+
		"and %d of their sender; %d behind gaps made room", c.taken, c.evicted, c.spared, c.unsured, c.displaced)
	t.Log(tried)
	if c.taken == 0 || (c.evicted == 0 || c.displaced == 0) && !testing.Short() { // few sequences may have none
		t.Error("something was not tried: " + tried)
	}
}

// TestModelAgrees drives the pool and the model with the same random submissions and heads: both admit and hold the
// same. spec: transactions 3.3, 4.1, 4.2
func TestModelAgrees(t *testing.T) {
	var counts modelCounts
	rapid.Check(t, func(rt *rapid.T) {
		chain, m := newAnzeonTestChain(t), newModel()
		fund := func(account byte) {
			balance := wei(m.coins[account])
			chain.state.SetBalance(anzeonTestAddr(t, account), balance, tracing.BalanceChangeUnspecified)
		}
		for account := range m.coins {
			fund(account)
		}
		chain.state.SetAuthorized(anzeonTestAddr(t, m.chief), true)
		pool := New(modelConfig, chain)
		must.Do(rt, pool.Init(modelTip*1e12, chain.head, txpool.NewReservationTracker().NewHandle(0)))
		defer func() {
			expect.Error(rt, pool.Close(), nil, "Close")
		}()
		defer counts.add(m)

		submit := func(rt *rapid.T) {
			tx := m.draw(t, rt)
			if pool.Has(tx.hash) {
				return
			}
			held, want := len(m.txs), txpool.ErrOutOfCapacity
			if !m.prechecks(tx) {
				want = m.submit(tx)
				m.note(tx, want)
			}
			offer := pool.Submit
			if !tx.local {
				offer = func(tx *types.Transaction) error { return submit(pool, tx) }
			}
			err := offer(tx.tx)
			must.That(rt, (err == nil) == (want == nil), "%v: error %v, want %v", tx, err, want)
			if err == nil {
				counts.taken++
				if len(m.txs) == held {
					counts.evicted++
				}
			}
		}
		extend := func(rt *rapid.T) {
			block := m.drawHead(rt)
			for account := range m.coins {
				fund(account)
				chain.state.SetNonce(anzeonTestAddr(t, account), m.nonce[account], tracing.NonceChangeUnspecified)
			}
			parent := chain.head
			chain.moveTo(types.CopyHeader(parent))
			chain.head.ParentHash = parent.Hash()
			chain.head.Number.Add(parent.Number, common.Big1)
			chain.head.BaseFee = big.NewInt(m.baseFee * 1e12)
			chain.head.GasUsed = chain.head.GasLimit / 10 // an unchanged base fee. spec: transactions 3.1
			pool.follow(chain.head, chain.state.Copy(), path{block, nil, true})
		}
		extend(rt)
		for range rapid.IntRange(1, 90).Draw(rt, "steps") {
			if rapid.IntRange(0, 9).Draw(rt, "step") == 0 {
				extend(rt)
			} else {
				submit(rt)
			}
			checkPool(rt, pool)
			want := make(map[common.Hash]bool)
			for _, tx := range m.txs {
				want[tx.hash] = true
				must.That(rt, pool.Has(tx.hash), "the pool has not kept %v", tx)
			}
			if pending, queued := pool.Stats(); pending != m.executables() || pending+queued != len(want) {
				rt.Fatalf("%d pending, %d queued; want %d of %d", pending, queued, m.executables(), len(want))
			}
		}
	})
	counts.check(t)
}

// String names a transaction in a failed test.
func (tx modelTx) String() string {
	return fmt.Sprintf("sender %d, nonce %d, tip %d, cap %d, payer %d", tx.sender, tx.nonce, tx.tip, tx.feeCap,
		tx.payer)
}

// modelState is the state of a model's head for the policy.
type modelState struct {
	*model
	accounts map[common.Address]byte
}

// GetNonce implements accountState.
func (s modelState) GetNonce(addr common.Address) uint64 { return s.nonce[s.accounts[addr]] }

// GetBalance implements accountState.
func (s modelState) GetBalance(addr common.Address) *uint256.Int {
	return wei(s.coins[s.accounts[addr]])
}

// GetCodeHash implements accountState: no account has code.
func (s modelState) GetCodeHash(common.Address) common.Hash { return types.EmptyCodeHash }

// IsAuthorized implements accountState.
func (s modelState) IsAuthorized(addr common.Address) bool { return s.accounts[addr] == s.chief }

// contents describes the tables, without the order of eviction.
func (t *tables) contents() string {
	var lines []string
	for addr, a := range t.accounts {
		line := fmt.Sprint(addr, a.next, a.executable, a.slots, &a.cost)
		for _, e := range a.txs {
			line += fmt.Sprint("\n", e.tx.Hash(), e.seq, e.local, e.queued, e.spare)
		}
		lines = append(lines, line)
	}
	for addr, x := range t.payers {
		lines = append(lines, fmt.Sprint(addr, len(x.txs), len(x.queued), &x.reserved, &x.queuedFees))
	}
	for _, addr := range t.records.Keys() {
		known, _ := t.records.Peek(addr)
		lines = append(lines, fmt.Sprint(addr, known))
	}
	slices.Sort(lines)
	for _, e := range t.queue.entries {
		lines = append(lines, e.tx.Hash().String())
	}
	return fmt.Sprintf("%q %v %d %d %v %d %d", lines, t.held, t.bytes, t.arrivals, t.missed.Keys(), len(t.unannounced),
		len(t.lookup.txs))
}

// hashes returns the hashes of all pooled transactions.
func (t *tables) hashes() map[common.Hash]bool {
	set := make(map[common.Hash]bool)
	for hash := range t.lookup.txs {
		set[hash] = true
	}
	return set
}

// TestPlaceAgreesWithModel compares the plans and errors of the policy with the model, without a pool or chain. A plan
// names all that leave, and is made without a change of the tables. spec: transactions 3.3, 4.2, 6 no. 5
func TestPlaceAgreesWithModel(t *testing.T) {
	accounts := make(map[common.Address]byte)
	for account := byte(1); account <= modelSenders; account++ {
		accounts[anzeonTestAddr(t, account)] = account
	}
	addresses := make(map[byte]common.Address)
	for addr, account := range accounts {
		addresses[account] = addr
	}
	var counts modelCounts
	rapid.Check(t, func(rt *rapid.T) {
		m := newModel()
		rules := &policy{config: modelConfig, state: modelState{m, accounts}, tip: *uint256.NewInt(modelTip * 1e12)}
		held := newTables(rules)
		held.reserver = txpool.NewReservationTracker().NewHandle(0)
		defer counts.add(m)

		place := func(rt *rapid.T) {
			tx := m.draw(t, rt)
			if held.look(tx.hash) != nil {
				return
			}
			e := newEntry(tx.tx, addresses[tx.sender], nil, tx.local)
			before, contents, size := held.hashes(), held.contents(), len(m.txs)
			want := m.submit(tx)
			m.note(tx, want)
			x, err := rules.place(held, e)
			after := held.contents()
			must.That(rt, after == contents, "%v: the plan has changed the tables:\n%s\n%s", tx, contents, after)
			must.That(rt, errors.Is(err, want), "%v: error %v, want %v", tx, err, want)
			if err != nil {
				if tx.local && tx.nonce == m.missing(tx.sender) {
					held.missed.Add(e.from, tx.nonce)
				}
				return
			}
			leaving := slices.Concat(x.evicted, x.displaced)
			if x.old != nil {
				leaving = append(leaving, x.old)
			}
			must.Do(rt, held.apply(e, x))
			before[tx.hash] = true
			for _, gone := range leaving {
				delete(before, gone.tx.Hash())
			}
			if after := held.hashes(); !maps.Equal(after, before) {
				rt.Fatalf("%v: the tables hold %v, the plan leaves %v", tx, after, before)
			}
			counts.taken++
			if len(m.txs) == size {
				counts.evicted++
			}
		}
		extend := func(rt *rapid.T) {
			named := make(map[common.Address]struct{})
			for _, tx := range m.drawHead(rt) {
				e := held.look(tx.Hash())
				held.notePaid(e.payer, e.paidByOther())
			}
			rules.baseFee = *uint256.NewInt(uint64(m.baseFee) * 1e12)
			held.order.invalidate()
			for account, addr := range addresses {
				named[addr] = struct{}{}
				if a := held.accounts[addr]; a != nil {
					held.advance(a, m.nonce[account])
				}
			}
			drained, gone := rules.unpayable(held, named)
			for addr := range drained {
				held.records.Add(addr, record{drained: true})
			}
			held.drop(gone)
		}
		extend(rt)
		for range rapid.IntRange(1, 90).Draw(rt, "steps") {
			if rapid.IntRange(0, 9).Draw(rt, "step") == 0 {
				extend(rt)
			} else {
				place(rt)
			}
			checkTables(rt, held, rules)
			want := make(map[common.Hash]bool)
			for _, tx := range m.txs {
				want[tx.hash] = true
			}
			have := held.hashes()
			must.That(rt, maps.Equal(have, want), "the tables hold %v, want %v", have, want)
		}
	})
	counts.check(t)
}
