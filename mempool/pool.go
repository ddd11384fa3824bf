// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"fmt"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"gwon/params"
)

// accepted is the set of transaction types that the pool accepts, as bits. spec: transactions 1.1
const accepted = 1<<types.LegacyTxType | 1<<types.AccessListTxType | 1<<types.DynamicFeeTxType |
	1<<types.SetCodeTxType | 1<<types.FeeDelegateTxType

// Pool is a txpool.SubPool for all transactions of an Anzeon chain. It is safe for concurrent use.
type Pool struct {
	chain       legacypool.BlockChain
	chainConfig *gethparams.ChainConfig
	signer      types.Signer

	control  *admissionControl
	refused  *lru.Cache[common.Hash, refusal]
	included *lru.Cache[common.Hash, struct{}]

	recoverAuthority func(*types.SetCodeAuthorization) (common.Address, error) // replaced by tests

	// head and minTip are written under mu and read without it as well. Head and state agree under mu only. checkHead
	// repeats there what was checked without it.
	head   atomic.Pointer[types.Header]
	minTip atomic.Pointer[uint256.Int] // governed tip: the lowest own tip, and what ordinary accounts pay

	// The order of locks is sending, mu, lookup of the tables.
	mu         sync.RWMutex
	state      *state.StateDB // of the head
	flags      flagSource     // for which account flags were read
	tables     *tables
	policy     *policy
	recent     recentBlocks
	unmineable uint64 // executable transactions that no block takes; counted at each head while congested

	followed chan struct{} // closed and replaced when the pool has followed to a head; guarded by mu

	feed     event.Feed
	announce chan struct{} // wakes announceLoop
	sending  sync.Mutex    // held by flush, so that announcements leave in order
	quit     chan struct{}
	done     sync.WaitGroup
}

var _ txpool.SubPool = (*Pool)(nil)

// New returns an empty pool. Init starts it.
func New(config Config, chain legacypool.BlockChain) *Pool {
	rules := &policy{config: config.sanitize()}
	p := &Pool{
		chain:       chain,
		chainConfig: chain.Config(),
		signer:      types.LatestSigner(chain.Config()),
		control:     newAdmissionControl(chain),
		refused:     lru.NewCache[common.Hash, refusal](remembered),
		included:    lru.NewCache[common.Hash, struct{}](remembered),
		tables:      newTables(rules),
		policy:      rules,
		announce:    make(chan struct{}, 1),
		followed:    make(chan struct{}),
		quit:        make(chan struct{}),

		recoverAuthority: (*types.SetCodeAuthorization).Authority,
	}
	limitGauge.Update(int64(rules.config.GlobalSlots))
	return p
}

// Init implements txpool.SubPool: it starts the pool at a head. The tip is in wei per gas.
func (p *Pool) Init(tip uint64, head *types.Header, reserver txpool.Reserver) error {
	statedb, err := txpool.HeadState(p.chainConfig, p.chain.StateAt, head)
	if err != nil {
		return fmt.Errorf("state of block %d: %w", head.Number, err)
	}
	p.tables.reserver = reserver
	p.setTip(uint256.NewInt(tip))
	p.moveTo(head, statedb)
	p.flags = p.flagSource()
	p.done.Add(2)
	go p.announceLoop()
	go p.expireLoop()
	return nil
}

// Close implements txpool.SubPool: it ends the goroutines of the pool. It is called once.
func (p *Pool) Close() error {
	close(p.quit)
	p.control.close()
	p.done.Wait()
	return nil
}

// Filter implements txpool.SubPool.
func (p *Pool) Filter(tx *types.Transaction) bool { return p.FilterType(tx.Type()) }

// FilterType implements txpool.SubPool: all types except blobs. spec: transactions 1.1
func (p *Pool) FilterType(kind byte) bool { return kind < 32 && accepted&(1<<kind) != 0 }

// ValidateTxBasics implements txpool.SubPool: the checks that need no state. spec: transactions 4.1 rows c to n
func (p *Pool) ValidateTxBasics(tx *types.Transaction) error {
	return txpool.ValidateTransaction(tx, p.head.Load(), p.signer, &txpool.ValidationOptions{
		Config: p.chainConfig, Accept: accepted, MaxSize: params.MaxTransactionBytes, MinTip: p.minTip.Load().ToBig(),
	})
}

// Add implements txpool.SubPool: it admits or refuses transactions of peers, with an error for each. With announce set,
// the admitted ones are announced before it returns.
func (p *Pool) Add(txs []*types.Transaction, announce bool) []error {
	errs := p.add(txs, false)
	if announce {
		p.flush()
	}
	return errs
}

// Submit admits or refuses a submission, judged by the head that the chain shows. While it is executable, only a
// transaction that is worth more evicts it (eviction.go). Behind a gap, only an executable one with the same fee payer
// displaces it (payers.go).
func (p *Pool) Submit(tx *types.Transaction) error {
	if !p.FilterType(tx.Type()) {
		return txpool.NoBlobs{}.ValidateTxBasics(tx)
	}
	p.awaitHead()
	return p.add([]*types.Transaction{tx}, true)[0]
}

// add admits or refuses transactions in these steps: precheck without signatures and examine without state (known.go),
// then decide (authorities.go) and admit (admission.go) under the lock. Admission control (admission_control.go) delays
// examine, except for copies of refused transactions: their senders are remembered, so that examine costs little.
func (p *Pool) add(txs []*types.Transaction, local bool) []error {
	var (
		errs       = make([]error, len(txs))
		examined   = make([]*entry, len(txs))
		unverified []int // indices of transactions whose sender is not known yet
	)
	examine := func(i int) { examined[i], errs[i] = p.examine(txs[i], local) }
	for i, tx := range txs {
		remembered, err := p.precheck(tx, local)
		switch {
		case err != nil:
			errs[i] = err
		case remembered:
			examine(i)
		default:
			unverified = append(unverified, i)
		}
	}
	for len(unverified) > 0 {
		n, signatures := firstBatch(txs, unverified)
		batch := unverified[:n]
		unverified = unverified[n:]
		busy := p.control.run(func() {
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
	p.decideEach(examined, errs)
	return errs
}

// firstBatch returns how many of the transactions at the given indices make one batch of signature recovery, and the
// number of their signatures. A delegated transaction has two.
func firstBatch(txs []*types.Transaction, indices []int) (n, signatures int) {
	for ; n < len(indices) && signatures < batchSignatures; n++ {
		signatures++
		if txs[indices[n]].Type() == types.FeeDelegateTxType {
			signatures++
		}
	}
	return n, signatures
}

// decideEach admits or refuses the examined transactions, nil ones left out, and writes the errors. decide gives the
// lock away while it recovers authorities, so nothing that was read under it is kept from one transaction to the next.
func (p *Pool) decideEach(examined []*entry, errs []error) {
	if !slices.ContainsFunc(examined, func(e *entry) bool { return e != nil }) {
		return
	}
	p.mu.Lock()
	for i, e := range examined {
		if e == nil {
			continue
		}
		if errs[i] = p.decide(e); errs[i] != nil {
			p.noteRefused(e, errs[i])
		} else {
			validMeter.Mark(1)
		}
	}
	p.noteSize()
	announce := len(p.tables.unannounced) > 0
	p.mu.Unlock()
	if announce {
		select {
		case p.announce <- struct{}{}:
		default:
		}
	}
}

// SetGasTip implements txpool.SubPool: it sets the governed tip in wei per gas. Transactions that offer less than a
// raised one are dropped, by tip and by fee cap. spec: transactions 4.1 rows k and l, 6 no. 8
func (p *Pool) SetGasTip(tip *big.Int) {
	minimum, overflow := uint256.FromBig(tip)
	if overflow {
		minimum.SetAllOne() // excludes all transactions, as the tip does
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.minTip.Load()
	p.setTip(minimum)
	if minimum.Gt(before) {
		p.tables.dropWhere(func(e *entry) bool { return e.offersLess(minimum) })
	}
	p.countUnmineable()
	p.noteSize()
	log.Info("Minimum tip changed", "wei", minimum)
}

// setTip sets the governed tip. The lock is held.
func (p *Pool) setTip(minimum *uint256.Int) {
	p.minTip.Store(minimum)
	p.policy.tip.Set(minimum)
	p.tables.order.invalidate()
}

// Clear implements txpool.SubPool: it removes all transactions.
func (p *Pool) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tables.reset()
	p.unmineable = 0
	p.noteSize()
}
