// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package legacypool

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
)

var payerDropMeter = metrics.NewRegisteredMeter("txpool/payer/dropped", nil)

// isCodeless reports that an account has neither code nor a delegation. An account that does not exist yet is codeless: a new
// sender whose fees somebody else pays may have as many pooled transactions as any other (spec transactions 6 no. 5a).
func isCodeless(statedb *state.StateDB, addr common.Address) bool {
	hash := statedb.GetCodeHash(addr)
	return hash == types.EmptyCodeHash || hash == (common.Hash{})
}

// feePayerOf returns the account other than the sender that pays the fees of a transaction.
func feePayerOf(signer types.Signer, tx *types.Transaction) (common.Address, bool) {
	payer := tx.FeePayer()
	if payer == nil {
		return common.Address{}, false
	}
	from, err := types.Sender(signer, tx)
	return *payer, err == nil && from != *payer
}

// payerIndex finds the pooled transactions of each fee payer, self-paid ones left out, and what they may cost it.
type payerIndex struct {
	signer types.Signer
	payers map[common.Address]*payerAccount
	flags  *flagSource // at the last look at the flags, nil before the first
}

// payerAccount is what a fee payer has promised to pay.
type payerAccount struct {
	txs      map[common.Hash]*types.Transaction
	reserved *big.Int // sum of gas * fee cap over txs, in wei
}

func (x *payerIndex) add(tx *types.Transaction) {
	payer, ok := feePayerOf(x.signer, tx)
	if !ok {
		return
	}
	account := x.payers[payer]
	if account == nil {
		if x.payers == nil {
			x.payers = make(map[common.Address]*payerAccount)
		}
		account = &payerAccount{txs: make(map[common.Hash]*types.Transaction), reserved: new(big.Int)}
		x.payers[payer] = account
	}
	if _, known := account.txs[tx.Hash()]; !known {
		account.txs[tx.Hash()] = tx
		account.reserved.Add(account.reserved, txpool.MaxFee(tx))
	}
}

func (x *payerIndex) remove(tx *types.Transaction) {
	payer, ok := feePayerOf(x.signer, tx)
	if !ok {
		return
	}
	account := x.payers[payer]
	if account == nil || account.txs[tx.Hash()] == nil {
		return
	}
	delete(account.txs, tx.Hash())
	account.reserved.Sub(account.reserved, txpool.MaxFee(tx))
	if len(account.txs) == 0 {
		delete(x.payers, payer)
	}
}

func (x *payerIndex) clear() { x.payers = nil }

// maxPerPayer returns how many pooled transactions one fee payer may back. Unless the configuration says otherwise it is a
// quarter of the executable slots, so that one funded account cannot fill the pool and a busy sponsor still finds room.
func (config *Config) maxPerPayer() uint64 {
	if config.PayerSlots > 0 {
		return config.PayerSlots
	}
	return max(config.GlobalSlots/4, config.AccountSlots)
}

// checkFeePayer keeps what an account has promised within its balance: the fees of all pooled transactions it backs and the
// costs of its own ones, this transaction included and the one it replaces left out (spec transactions 6 no. 5). An account
// that backs nobody is left to the check of ordinary senders. The pool lock is held.
func (pool *LegacyPool) checkFeePayer(tx *types.Transaction) error {
	from, err := types.Sender(pool.signer, tx)
	if err != nil {
		return err
	}
	old := pool.sameNonce(from, tx.Nonce())
	if backed := pool.all.payers.payers[from]; backed != nil {
		queued := new(big.Int).Add(backed.reserved, pool.ownCosts(from))
		if old != nil {
			queued.Sub(queued, old.SenderCost())
		}
		cost, balance := tx.SenderCost(), pool.currentState.GetBalance(from).ToBig()
		if need := new(big.Int).Add(queued, cost); need.Cmp(balance) > 0 {
			return fmt.Errorf("%w: balance %v, queued cost %v with the fees promised for others, tx cost %v, overshot %v",
				core.ErrInsufficientFunds, balance, queued, cost, need.Sub(need, balance))
		}
	}
	payer, ok := feePayerOf(pool.signer, tx)
	if !ok {
		return nil
	}
	var (
		count    = uint64(1)
		fee      = txpool.MaxFee(tx)
		reserved = pool.ownCosts(payer)
		balance  = pool.currentState.GetBalance(payer).ToBig()
	)
	if account := pool.all.payers.payers[payer]; account != nil {
		count += uint64(len(account.txs))
		reserved.Add(reserved, account.reserved)
	}
	if old != nil {
		if p, ok := feePayerOf(pool.signer, old); ok && p == payer {
			count--
			reserved.Sub(reserved, txpool.MaxFee(old))
		}
	}
	if limit := pool.config.maxPerPayer(); count > limit {
		return fmt.Errorf("%w: limit %d", txpool.ErrFeePayerLimit, limit)
	}
	if need := new(big.Int).Add(reserved, fee); need.Cmp(balance) > 0 {
		return fmt.Errorf("%w: balance %v, queued fee cost %v, fee cost %v, overshot %v",
			txpool.ErrFeePayerFunds, balance, reserved, fee, need.Sub(need, balance))
	}
	return nil
}

// ownLists returns the pooled transactions that an account sends itself, executable or not.
func (pool *LegacyPool) ownLists(addr common.Address) (lists []*list) {
	if pending := pool.pending[addr]; pending != nil {
		lists = append(lists, pending)
	}
	if queued, ok := pool.queue.get(addr); ok {
		lists = append(lists, queued)
	}
	return lists
}

// ownCosts returns what the pooled transactions that an account sends itself may cost it, in wei.
func (pool *LegacyPool) ownCosts(addr common.Address) *big.Int {
	sum := new(big.Int)
	for _, l := range pool.ownLists(addr) {
		sum.Add(sum, l.totalcost.ToBig())
	}
	return sum
}

// sameNonce returns the pooled transaction of a sender with this nonce, or nil.
func (pool *LegacyPool) sameNonce(from common.Address, nonce uint64) *types.Transaction {
	for _, l := range pool.ownLists(from) {
		if old := l.txs.Get(nonce); old != nil {
			return old
		}
	}
	return nil
}

// flagSource is where the flags of accounts come from. Only the council can set one, and it does so by writing its own
// storage (spec chain 13 no. 2): while this is the same, nobody has been blacklisted.
type flagSource struct{ storage, code common.Hash }

func (pool *LegacyPool) flagSource() (source flagSource) {
	contracts := pool.chainconfig.SystemContractsAt(pool.currentHead.Load().Number.Uint64())
	if council := contracts.GovCouncil; council != nil {
		source.storage = pool.currentState.GetStorageRoot(council.Address)
		source.code = pool.currentState.GetCodeHash(council.Address)
	}
	return source
}

// recheckAnzeon drops what the new head made worthless: transactions of, to and paid by accounts that have been blacklisted,
// those that a raised tip put below the minimum fee cap, and the newest ones that a fee payer can no longer pay for with all
// others (spec transactions 6 no. 5, 7 and 8). It must run after mined transactions have left the pool, for their fees are
// paid already. The pool lock is held.
func (pool *LegacyPool) recheckAnzeon() {
	if !pool.chainconfig.IsAnzeon() {
		return
	}
	// Flags cost a read of the state for each account. What entered the pool was checked against the head of that moment.
	source, payers := pool.flagSource(), &pool.all.payers
	flagsChanged := payers.flags == nil || *payers.flags != source
	payers.flags = &source

	var (
		drop  []common.Hash
		least = txpool.MinFeeCap(pool.gasTip.Load().ToBig())
		known = make(map[common.Address]bool)
	)
	isBlacklisted := func(addr common.Address) bool {
		is, ok := known[addr]
		if !ok {
			is = pool.currentState.IsBlacklisted(addr)
			known[addr] = is
		}
		return is
	}
	pool.all.Range(func(hash common.Hash, tx *types.Transaction) bool {
		bad := tx.GasFeeCapIntCmp(least) < 0
		if flagsChanged && !bad {
			from, err := types.Sender(pool.signer, tx)
			to, payer := tx.To(), tx.FeePayer()
			bad = err != nil || isBlacklisted(from) || to != nil && isBlacklisted(*to) || payer != nil && isBlacklisted(*payer)
		}
		if bad {
			drop = append(drop, hash)
		}
		return true
	})
	pool.dropAll(drop)

	drop = drop[:0]
	for payer, account := range payers.payers {
		drop = append(drop, pool.unpayable(payer, account)...)
	}
	pool.dropAll(drop)
}

func (pool *LegacyPool) dropAll(hashes []common.Hash) {
	for _, hash := range hashes {
		pool.removeTx(hash, true, true)
		log.Trace("Removed transaction that the new head made worthless", "hash", hash)
	}
	payerDropMeter.Mark(int64(len(hashes)))
}

// unpayable returns the newest transactions that a fee payer backs or sends, as few as bring the rest within its balance.
func (pool *LegacyPool) unpayable(payer common.Address, backed *payerAccount) (drop []common.Hash) {
	var (
		balance  = pool.currentState.GetBalance(payer).ToBig()
		promised = pool.ownCosts(payer)
	)
	if promised.Add(promised, backed.reserved); promised.Cmp(balance) <= 0 {
		return nil
	}
	txs := slices.Collect(maps.Values(backed.txs))
	for _, l := range pool.ownLists(payer) {
		txs = append(txs, l.Flatten()...)
	}
	slices.SortFunc(txs, func(x, y *types.Transaction) int {
		if c := y.Time().Compare(x.Time()); c != 0 {
			return c
		}
		if c := cmp.Compare(y.Nonce(), x.Nonce()); c != 0 {
			return c
		}
		hx, hy := x.Hash(), y.Hash()
		return bytes.Compare(hx[:], hy[:])
	})
	for _, tx := range txs {
		if promised.Cmp(balance) <= 0 {
			break
		}
		cost := tx.SenderCost()
		if backed.txs[tx.Hash()] != nil {
			cost = txpool.MaxFee(tx)
		}
		drop = append(drop, tx.Hash())
		promised.Sub(promised, cost)
	}
	return drop
}
