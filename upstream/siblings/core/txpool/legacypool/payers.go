// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package legacypool

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
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

// maxPerPayer returns how many pooled transactions one fee payer may back: a quarter of the executable slots, so that one
// funded account cannot fill the pool and a busy sponsor still finds room.
func (config *Config) maxPerPayer() int { return int(max(config.GlobalSlots/4, config.AccountSlots)) }

// checkFeePayer keeps what a fee payer has promised within its balance: the fees of all pooled transactions it backs, this
// one included and the one it replaces left out (spec transactions 6 no. 5). The pool lock is held.
func (pool *LegacyPool) checkFeePayer(tx *types.Transaction) error {
	payer, ok := feePayerOf(pool.signer, tx)
	if !ok {
		return nil
	}
	var (
		count    = 1
		fee      = txpool.MaxFee(tx)
		reserved = new(big.Int)
		balance  = pool.currentState.GetBalance(payer).ToBig()
	)
	if account := pool.all.payers.payers[payer]; account != nil {
		count += len(account.txs)
		reserved.Set(account.reserved)
	}
	if old := pool.sameNonce(tx); old != nil {
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

// sameNonce returns the pooled transaction that tx would replace, or nil.
func (pool *LegacyPool) sameNonce(tx *types.Transaction) *types.Transaction {
	from, err := types.Sender(pool.signer, tx)
	if err != nil {
		return nil
	}
	if list := pool.pending[from]; list != nil {
		if old := list.txs.Get(tx.Nonce()); old != nil {
			return old
		}
	}
	if list, ok := pool.queue.get(from); ok {
		return list.txs.Get(tx.Nonce())
	}
	return nil
}

// recheckAnzeon drops what the new head made worthless: transactions of blacklisted senders and fee payers, those that a
// raised tip put below the minimum fee cap, and the newest ones of a fee payer that can no longer pay for all
// (spec transactions 6 no. 5, 7 and 8). It must run after mined transactions have left the pool, for their fees are paid
// already. The pool lock is held.
func (pool *LegacyPool) recheckAnzeon() {
	if !pool.chainconfig.IsAnzeon() {
		return
	}
	var (
		drop  []common.Hash
		least = txpool.MinFeeCap(pool.gasTip.Load().ToBig())
	)
	blacklisted := make(map[common.Address]bool)
	isBlacklisted := func(addr common.Address) bool {
		is, known := blacklisted[addr]
		if !known {
			is = pool.currentState.IsBlacklisted(addr)
			blacklisted[addr] = is
		}
		return is
	}
	pool.all.Range(func(hash common.Hash, tx *types.Transaction) bool {
		from, err := types.Sender(pool.signer, tx)
		payer := tx.FeePayer()
		if err != nil || tx.GasFeeCapIntCmp(least) < 0 || isBlacklisted(from) || payer != nil && isBlacklisted(*payer) {
			drop = append(drop, hash)
		}
		return true
	})
	pool.dropAll(drop)

	drop = drop[:0]
	for payer, account := range pool.all.payers.payers {
		drop = append(drop, account.unpayable(pool.currentState.GetBalance(payer).ToBig())...)
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

// unpayable returns the newest transactions, as few as bring the rest within the balance.
func (a *payerAccount) unpayable(balance *big.Int) []common.Hash {
	if a.reserved.Cmp(balance) <= 0 {
		return nil
	}
	txs := make([]*types.Transaction, 0, len(a.txs))
	for _, tx := range a.txs {
		txs = append(txs, tx)
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
	var (
		drop     []common.Hash
		reserved = new(big.Int).Set(a.reserved)
	)
	for _, tx := range txs {
		if reserved.Cmp(balance) <= 0 {
			break
		}
		drop = append(drop, tx.Hash())
		reserved.Sub(reserved, txpool.MaxFee(tx))
	}
	return drop
}
