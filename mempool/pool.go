// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"
)

const (
	// maxSize is the most bytes a transaction may have (spec transactions 1.2).
	maxSize = 262_144

	// refusedKept is how many refused transactions are remembered, by about 150 bytes each, so that a copy costs no signature recovery.
	refusedKept = 32_768

	// includedKept is how many hashes of transactions in recent blocks are remembered, by about 100 bytes each.
	includedKept = 32_768

	// missedKept is how many senders' refused nonces are remembered, by about 100 bytes each.
	missedKept = 16_384

	// A pool is crowded with more than crowdedBlocks times what the fullest of the newest recentBlocks blocks took (see enough).
	recentBlocks, crowdedBlocks = 8, 2

	// mostRest is how many times as long as they work those who look at transactions rest at most: with twice as many as are enough.
	mostRest = 16
)

// Pool is a txpool.SubPool for all transactions of an Anzeon chain. It is safe for concurrent use.
type Pool struct {
	config Config
	chain  legacypool.BlockChain
	rules  *params.ChainConfig
	signer types.Signer

	reserver txpool.Reserver
	head     atomic.Pointer[types.Header]
	minTip   atomic.Pointer[uint256.Int] // the governed tip: the least own tip, and what normal senders pay
	workers  *workers
	recover  func(*types.SetCodeAuthorization) (common.Address, error) // who has signed an authorization
	refused  *lru.Cache[common.Hash, verdict]
	included *lru.Cache[common.Hash, struct{}]

	mu       sync.RWMutex
	state    *state.StateDB // of the head
	flags    flagSource     // when the flags of the accounts were read
	accounts map[common.Address]*account
	payers   map[common.Address]*payer
	records  lru.BasicLRU[common.Address, record]
	missed   lru.BasicLRU[common.Address, uint64] // nonce of a sender's submission that was refused and would have been executable
	authors  map[common.Address]signed
	held     tally
	bytes    uint64
	arrivals uint64
	pricing  pricing
	waiting  fifo              // gapped transactions from peers, oldest first
	turn     []common.Address  // accounts and fee payers that are still to be looked at in this round
	fresh    []*entry          // became executable since the last announcement
	heights  uint64            // resets so far
	taken    [recentBlocks]int // transactions of the newest blocks, in turn
	stranded uint64            // executable transactions that no block took at the newest head; counted when they matter
	crowded  atomic.Int32      // see crowding

	lookup struct { // beside the lock above: peers ask for every hash they hear of
		sync.RWMutex
		txs map[common.Hash]*entry
	}

	followed chan struct{} // closed, and made anew, when the pool has followed the chain to a head; guarded by mu

	feed     event.Feed
	announce chan struct{}
	sending  sync.Mutex
	quit     chan struct{}
	done     sync.WaitGroup
}

var _ txpool.SubPool = (*Pool)(nil)

// verdict is what is remembered of a refused transaction: what its signatures said and, if no later state can change that, why.
type verdict struct {
	signers types.Signers
	final   error
}

// New returns a pool, which Init sets up.
func New(config Config, chain legacypool.BlockChain) *Pool {
	p := &Pool{
		config: config.sanitize(), chain: chain, rules: chain.Config(), signer: types.LatestSigner(chain.Config()),
		recover:  (*types.SetCodeAuthorization).Authority,
		refused:  lru.NewCache[common.Hash, verdict](refusedKept),
		included: lru.NewCache[common.Hash, struct{}](includedKept),
		records:  lru.NewBasicLRU[common.Address, record](recordsKept),
		missed:   lru.NewBasicLRU[common.Address, uint64](missedKept),
		announce: make(chan struct{}, 1),
		followed: make(chan struct{}),
		quit:     make(chan struct{}),
	}
	p.workers = newWorkers(chain, func() int { return int(p.crowded.Load()) })
	p.empty()
	return p
}

// empty makes the tables anew.
func (p *Pool) empty() {
	p.accounts = make(map[common.Address]*account)
	p.payers = make(map[common.Address]*payer)
	p.authors = make(map[common.Address]signed)
	p.held, p.bytes, p.stranded, p.fresh, p.turn = tally{}, 0, 0, nil, nil
	p.waiting, p.pricing.heap = fifo{}, nil
	p.lookup.Lock()
	p.lookup.txs = make(map[common.Hash]*entry)
	p.lookup.Unlock()
}

// enough is how many transactions are enough for some seconds of blocks: crowdedBlocks times what the fullest of the newest recentBlocks blocks
// took, and no less than the transfers that a block has room for, since the blocks of an idle chain say nothing. The lock is held.
func (p *Pool) enough() uint64 {
	return max(uint64(crowdedBlocks*slices.Max(p.taken[:])), p.head.Load().GasLimit/params.TxGas)
}

// crowding tells whether the next blocks have enough to take: what comes now is then looked at more slowly than it could be, so that it does not cost
// the blocks their second, and who submits is made to wait before and not after the answer. It is 0 when there is not enough, else how many times
// as long as they have worked the workers rest: as long with enough, and twice as long with a fifth more, so that no more is let in than blocks take. The
// lock is held.
func (p *Pool) crowding() int {
	if p.head.Load() == nil || p.held.executableTxs <= p.enough()+p.stranded {
		return 0
	}
	ratio := float64(p.held.executableTxs-p.stranded) / float64(p.enough())
	return int(min(ratio*ratio*ratio*ratio, mostRest))
}

// countStranded counts what no block takes although it is executable, because it pays less than the tip at the present base fee, and what stands
// behind that: it stays, for nothing, and crowds nobody. The same goes for what asks for most of a block's gas, of which a block takes one or few, however
// little they use. The lock is held.
func (p *Pool) countStranded() {
	p.stranded = 0
	if p.crowding() == 0 {
		return
	}
	most := p.head.Load().GasLimit / 4 * 3
	for _, a := range p.accounts {
		for i, e := range a.txs[:a.executable] {
			if paid := p.paid(&e.feeCap, &e.tip, a.authorized); paid.Lt(p.minTip.Load()) || e.tx.Gas() > most {
				p.stranded += uint64(a.executable - i)
				break
			}
		}
	}
}

// Init implements txpool.SubPool. The tip is in wei.
func (p *Pool) Init(tip uint64, head *types.Header, reserver txpool.Reserver) error {
	statedb, err := txpool.HeadState(p.rules, p.chain.StateAt, head)
	if err != nil {
		return fmt.Errorf("state of block %d: %w", head.Number, err)
	}
	p.reserver = reserver
	p.minTip.Store(uint256.NewInt(tip))
	p.head.Store(head)
	p.state = statedb
	p.flags = p.flagSource()
	p.done.Add(2)
	go p.announceLoop()
	go p.expireLoop()
	return nil
}

// Close implements txpool.SubPool.
func (p *Pool) Close() error {
	close(p.quit)
	p.workers.close()
	p.done.Wait()
	return nil
}

// Filter implements txpool.SubPool.
func (p *Pool) Filter(tx *types.Transaction) bool { return p.FilterType(tx.Type()) }

// FilterType implements txpool.SubPool: all types but that of blobs (spec transactions 1.1).
func (p *Pool) FilterType(kind byte) bool { return kind < 32 && accepted&(1<<kind) != 0 }

const accepted = 1<<types.LegacyTxType | 1<<types.AccessListTxType | 1<<types.DynamicFeeTxType | 1<<types.SetCodeTxType |
	1<<types.FeeDelegateTxType

// ValidateTxBasics implements txpool.SubPool: the checks that need no state (spec transactions 4.1, rows c to n).
func (p *Pool) ValidateTxBasics(tx *types.Transaction) error {
	return txpool.ValidateTransaction(tx, p.head.Load(), p.signer, &txpool.ValidationOptions{
		Config: p.rules, Accept: accepted, MaxSize: maxSize, MinTip: p.minTip.Load().ToBig(),
	})
}

// Add implements txpool.SubPool: it takes in what peers have sent. When sync is set, those that listen know of them before it returns.
func (p *Pool) Add(txs []*types.Transaction, sync bool) []error {
	errs := p.add(txs, false)
	if sync {
		p.flush()
	}
	return errs
}

// Submit takes in a transaction for which the caller is told that it was taken: no other of the same price drives it out. It is
// judged by the head that the caller can see.
func (p *Pool) Submit(tx *types.Transaction) error {
	if !p.FilterType(tx.Type()) {
		return txpool.NoBlobs{}.ValidateTxBasics(tx)
	}
	p.awaitHead()
	return p.add([]*types.Transaction{tx}, true)[0]
}

func (p *Pool) add(txs []*types.Transaction, local bool) []error {
	var (
		errs  = make([]error, len(txs))
		sound = make([]*entry, len(txs))
		fresh []int // nobody has recovered their senders yet
	)
	examine := func(i int) { sound[i], errs[i] = p.examine(txs[i], local) }
	for i, tx := range txs {
		remembered, err := p.glance(tx, local)
		switch {
		case err != nil:
			errs[i] = err
		case remembered:
			examine(i)
		default:
			fresh = append(fresh, i)
		}
	}
	for len(fresh) > 0 {
		n, signatures := 0, 0
		for ; n < len(fresh) && signatures < turnSignatures; n++ {
			signatures++
			if txs[fresh[n]].Type() == types.FeeDelegateTxType {
				signatures++ // the fee payer has signed too
			}
		}
		batch := fresh[:n]
		fresh = fresh[n:]
		busy := p.workers.run(func() {
			for _, i := range batch {
				examine(i)
			}
		}, signatures, local)
		if busy != nil {
			for _, i := range batch {
				errs[i] = busy
			}
			fullMeter.Mark(int64(len(batch)))
		}
	}
	if !slices.ContainsFunc(sound, func(e *entry) bool { return e != nil }) {
		return errs
	}
	p.mu.Lock()
	for i, e := range sound {
		if e == nil {
			continue
		}
		if errs[i] = p.take(e); errs[i] == nil {
			validMeter.Mark(1)
			continue
		}
		invalidMeter.Mark(1)
		if e.local && e.tx.Nonce() == p.missing(e.from, p.accounts[e.from]) {
			p.missed.Add(e.from, e.tx.Nonce())
		}
		if !errors.Is(errs[i], txpool.ErrAlreadyKnown) {
			p.refused.Add(e.tx.Hash(), verdict{signers: e.tx.Signers()})
		}
	}
	p.noteSize()
	news := len(p.fresh) > 0
	p.mu.Unlock()
	if news {
		select {
		case p.announce <- struct{}{}:
		default:
		}
	}
	return errs
}

// glance refuses what can be refused without a look at signatures: what is known, for a look-up, and what a full pool has no room for. Of a
// transaction that was refused before it remembers the signers: with the sender there is nothing left for a worker to recover but whose
// authorizations it carries.
func (p *Pool) glance(tx *types.Transaction, local bool) (remembered bool, err error) {
	hash := tx.Hash()
	if p.Has(hash) || !local && p.isLate(hash) {
		knownMeter.Mark(1)
		return false, txpool.ErrAlreadyKnown
	}
	known, _ := p.refused.Get(hash)
	remembered = known.signers.HasSender()
	if known.final != nil {
		invalidMeter.Mark(1)
		return true, known.final
	}
	tx.SetSigners(known.signers)
	if err := p.fullFor(tx, local); err != nil {
		fullMeter.Mark(1)
		return remembered, err
	}
	return remembered, nil
}

// isLate tells that a recent block has a transaction. What peers send may have waited for its turn until then, and with signatures recovered for nothing
// what comes after it would be late too. Who submits such a one is told what is wrong with its nonce.
func (p *Pool) isLate(hash common.Hash) bool { return p.included.Contains(hash) }

// examine makes the checks that need no state.
func (p *Pool) examine(tx *types.Transaction, local bool) (*entry, error) {
	if !local && p.isLate(tx.Hash()) {
		knownMeter.Mark(1)
		return nil, txpool.ErrAlreadyKnown
	}
	err := p.ValidateTxBasics(tx)
	if err != nil {
		invalidMeter.Mark(1)
		v := verdict{signers: tx.Signers()}
		if isFinal(err) {
			v.final = err
		}
		p.refused.Add(tx.Hash(), v)
		return nil, err
	}
	from, err := types.Sender(p.signer, tx)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", txpool.ErrInvalidSender, err)
	}
	return &entry{tx: tx, from: from, local: local}, nil
}

// isFinal tells that a transaction is refused for good, whatever the head.
func isFinal(err error) bool {
	return errors.Is(err, txpool.ErrInvalidSender) || errors.Is(err, types.ErrInvalidFeePayer) || errors.Is(err, gethcore.ErrIntrinsicGas)
}

// Known tells that a copy of a transaction is of no use: the pool has it, a recent block has it, or it is refused for good.
func (p *Pool) Known(hash common.Hash) bool {
	if p.Has(hash) || p.isLate(hash) {
		return true
	}
	known, ok := p.refused.Peek(hash)
	return ok && known.final != nil
}

// Overdue returns the hashes of at most n transactions that were submitted here before a moment, could be in the next block and are not in
// one yet, the oldest first.
func (p *Pool) Overdue(before time.Time, n int) []common.Hash {
	var found []*entry
	p.mu.Lock()
	for _, a := range p.accounts {
		for _, e := range a.txs[:a.executable] {
			if paid := p.paid(&e.feeCap, &e.tip, a.authorized); e.local && e.tx.Time().Before(before) && !paid.Lt(p.minTip.Load()) {
				found = append(found, e)
			}
		}
	}
	p.mu.Unlock()
	slices.SortFunc(found, func(x, y *entry) int { return cmp.Compare(x.seq, y.seq) })
	found = found[:min(n, len(found))]
	hashes := make([]common.Hash, len(found))
	for i, e := range found {
		hashes[i] = e.tx.Hash()
	}
	return hashes
}

// Head returns the block that the pool follows.
func (p *Pool) Head() *types.Header { return p.head.Load() }

// Get implements txpool.SubPool.
func (p *Pool) Get(hash common.Hash) *types.Transaction {
	if e := p.look(hash); e != nil {
		return e.tx
	}
	return nil
}

func (p *Pool) look(hash common.Hash) *entry {
	p.lookup.RLock()
	defer p.lookup.RUnlock()
	return p.lookup.txs[hash]
}

// Has implements txpool.SubPool.
func (p *Pool) Has(hash common.Hash) bool { return p.look(hash) != nil }

// GetRLP implements txpool.SubPool.
func (p *Pool) GetRLP(hash common.Hash, _ uint) []byte {
	e := p.look(hash)
	if e == nil {
		return nil
	}
	encoded, err := rlp.EncodeToBytes(e.tx)
	if err != nil {
		log.Error("Cannot encode a pooled transaction", "hash", hash, "err", err)
		return nil
	}
	return encoded
}

// GetMetadata implements txpool.SubPool.
func (p *Pool) GetMetadata(hash common.Hash) *txpool.TxMetadata {
	e := p.look(hash)
	if e == nil {
		return nil
	}
	return &txpool.TxMetadata{Type: e.tx.Type(), Size: e.size}
}

// Pending implements txpool.SubPool.
func (p *Pool) Pending(filter txpool.PendingFilter) (map[common.Address][]*txpool.LazyTransaction, int) {
	if filter.BlobTxs {
		return nil, 0
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	pending, total := make(map[common.Address][]*txpool.LazyTransaction, len(p.accounts)), 0
	for addr, a := range p.accounts {
		count := a.executable
		for i, e := range a.txs[:count] {
			if filter.GasLimitCap != 0 && e.tx.Gas() > filter.GasLimitCap ||
				filter.MinTip != nil && e.tx.EffectiveGasTipIntCmp(filter.MinTip, filter.BaseFee) < 0 {
				count = i
				break
			}
		}
		if count == 0 {
			continue
		}
		made, list := make([]txpool.LazyTransaction, count), make([]*txpool.LazyTransaction, count)
		for i, e := range a.txs[:count] {
			made[i] = txpool.LazyTransaction{Pool: p, Hash: e.tx.Hash(), Tx: e.tx, Time: e.tx.Time(),
				GasFeeCap: new(uint256.Int).Set(&e.feeCap), GasTipCap: new(uint256.Int).Set(&e.tip), Gas: e.tx.Gas()}
			list[i] = &made[i]
		}
		pending[addr] = list
		total += count
	}
	return pending, total
}

// Nonce implements txpool.SubPool: the nonce of the next transaction that would be executable.
func (p *Pool) Nonce(addr common.Address) uint64 {
	p.mu.RLock()
	if a := p.accounts[addr]; a != nil {
		defer p.mu.RUnlock()
		return a.next + uint64(a.executable)
	}
	p.mu.RUnlock()
	p.mu.Lock() // reading the state changes its caches
	defer p.mu.Unlock()
	if a := p.accounts[addr]; a != nil {
		return a.next + uint64(a.executable)
	}
	return p.state.GetNonce(addr)
}

// Stats implements txpool.SubPool.
func (p *Pool) Stats() (pending, queued int) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return int(p.held.executableTxs), int(p.held.gappedTxs)
}

// Content implements txpool.SubPool.
func (p *Pool) Content() (pending, queued map[common.Address][]*types.Transaction) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	pending, queued = make(map[common.Address][]*types.Transaction), make(map[common.Address][]*types.Transaction)
	for addr, a := range p.accounts {
		run, blocked := a.content()
		if len(run) > 0 {
			pending[addr] = run
		}
		if len(blocked) > 0 {
			queued[addr] = blocked
		}
	}
	return pending, queued
}

// ContentFrom implements txpool.SubPool.
func (p *Pool) ContentFrom(addr common.Address) (pending, queued []*types.Transaction) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if a := p.accounts[addr]; a != nil {
		return a.content()
	}
	return nil, nil
}

func (a *account) content() (run, blocked []*types.Transaction) {
	for i, e := range a.txs {
		if i < a.executable {
			run = append(run, e.tx)
		} else {
			blocked = append(blocked, e.tx)
		}
	}
	return run, blocked
}

// Status implements txpool.SubPool.
func (p *Pool) Status(hash common.Hash) txpool.TxStatus {
	e := p.look(hash)
	if e == nil {
		return txpool.TxStatusUnknown
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	a := p.accounts[e.from]
	if a == nil {
		return txpool.TxStatusUnknown
	}
	switch i, ok := a.find(e.tx.Nonce()); {
	case !ok || a.txs[i] != e:
		return txpool.TxStatusUnknown
	case i < a.executable:
		return txpool.TxStatusPending
	}
	return txpool.TxStatusQueued
}

// SetGasTip implements txpool.SubPool: the governed tip in wei. What offers less than a raised one, or than it and the lowest base fee, is
// dropped (spec transactions 4.1 rows k and l, 6 no. 8).
func (p *Pool) SetGasTip(tip *big.Int) {
	minimum, overflow := uint256.FromBig(tip)
	if overflow {
		minimum.SetAllOne() // nobody can offer it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.minTip.Swap(minimum)
	p.pricing.forget()
	if minimum.Gt(before) {
		p.dropWhere(func(e *entry) bool { return e.offersLess(minimum) })
	}
	p.countStranded()
	p.noteSize()
	log.Info("The pool asks for another tip", "wei", minimum)
}

// Clear implements txpool.SubPool.
func (p *Pool) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for addr := range p.accounts {
		p.release(addr)
	}
	p.empty()
	p.noteSize()
}

// release ends the reservation of a sender for this pool.
func (p *Pool) release(addr common.Address) {
	if err := p.reserver.Release(addr); err != nil {
		log.Error("A pooled sender was not reserved", "address", addr, "err", err)
	}
}

// insert puts e into the tables. Its account exists, and it replaces old, if any.
func (p *Pool) insert(a *account, e *entry) (old *entry) {
	ran := a.executable
	p.held.sub(a.slots)
	old = a.put(e)
	p.held.add(a.slots)
	p.bytes += e.size
	if old != nil {
		p.unlink(old)
	}
	p.lookup.Lock()
	p.lookup.txs[e.tx.Hash()] = e
	p.lookup.Unlock()
	p.authorize(e)
	if e.paidByOther() {
		p.payer(e.payer).add(e)
	}
	a.seen = time.Now()
	i, _ := a.find(e.tx.Nonce())
	switch {
	case i >= a.executable:
		p.waits(e)
	case old != nil:
		p.runs(e)
	default:
		p.runs(a.txs[ran:a.executable]...)
	}
	p.pricing.changed(p, a)
	return old
}

// remove takes the transaction at i out of an account, and the account out of the pool when it was the last one.
func (p *Pool) remove(a *account, i int) {
	ran := a.executable
	p.held.sub(a.slots)
	e := a.take(i)
	p.held.add(a.slots)
	p.unlink(e)
	p.behindGap(a, ran-1)
	p.settle(a)
}

// behindGap remembers the transactions that were executable, up to the one at end, and are so no longer.
func (p *Pool) behindGap(a *account, end int) {
	for i := a.executable; i < end; i++ {
		p.waits(a.txs[i])
	}
}

// waits puts a transaction behind a gap down as such.
func (p *Pool) waits(e *entry) {
	e.gapped = true
	p.waiting.push(p, e)
	if e.paidByOther() {
		p.payer(e.payer).wait(e)
	}
}

// runs puts transactions that have become executable down as such.
func (p *Pool) runs(entries ...*entry) {
	for _, e := range entries {
		e.gapped = false
		if e.paidByOther() {
			p.payer(e.payer).ready(e)
		}
	}
	p.fresh = append(p.fresh, entries...)
}

// settle ends what a change of an account needs.
func (p *Pool) settle(a *account) {
	if len(a.txs) == 0 {
		delete(p.accounts, a.addr)
		p.release(a.addr)
	}
	p.pricing.changed(p, a)
}

// unlink takes e out of all tables but that of its account.
func (p *Pool) unlink(e *entry) {
	p.bytes -= e.size
	p.lookup.Lock()
	delete(p.lookup.txs, e.tx.Hash())
	p.lookup.Unlock()
	p.unauthorize(e)
	if e.paidByOther() {
		if payer := p.payers[e.payer]; payer != nil && payer.remove(e) == 0 {
			delete(p.payers, e.payer)
		}
	}
}

// drop removes pooled transactions that can no longer be executed or have to give way.
func (p *Pool) drop(entries []*entry) {
	for _, e := range entries {
		a := p.accounts[e.from]
		if a == nil {
			continue
		}
		if i, ok := a.find(e.tx.Nonce()); ok && a.txs[i] == e {
			p.remove(a, i)
			droppedMeter.Mark(1)
			log.Trace("Dropped a pooled transaction", "hash", e.tx.Hash())
		}
	}
}

// dropWhere removes all for which bad holds, the highest nonce of an account first.
func (p *Pool) dropWhere(bad func(*entry) bool) {
	var found []*entry
	for _, a := range p.accounts {
		for _, e := range slices.Backward(a.txs) {
			if bad(e) {
				found = append(found, e)
			}
		}
	}
	p.drop(found)
}
