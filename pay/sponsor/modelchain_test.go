// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"errors"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

var testPrice = big.NewInt(testBaseFee + testTip)

// feeOf is what a block takes for a transaction, in wei.
func feeOf(*types.Transaction) *big.Int { return testFee }

// mostOf is what a transaction can cost who pays its fees, in wei.
func mostOf(tx *types.Transaction) *big.Int {
	return new(big.Int).Mul(tx.GasFeeCap(), new(big.Int).SetUint64(tx.Gas()))
}

func (c *fakeChain) coins(account common.Address) *big.Int {
	if have := c.balances[account]; have != nil {
		return have
	}
	return new(big.Int)
}

func (c *fakeChain) give(account common.Address, wei *big.Int) {
	c.balances[account] = new(big.Int).Add(c.coins(account), wei)
}

// mayInclude applies the rules of a block: nonce, coins of the sender, and coins of the fee payer for the price, which
// is below the fee cap (spec transactions 2.2).
func (c *fakeChain) mayInclude(tx *types.Transaction) bool {
	sender, err := types.Sender(testSigner, tx)
	if err != nil || tx.Nonce() != c.nonces[sender] || tx.GasFeeCap().Cmp(testPrice) < 0 {
		return false
	}
	if tx.Type() == types.FeeDelegateTxType {
		locked := new(big.Int).Mul(testPrice, new(big.Int).SetUint64(tx.Gas()))
		return types.VerifyFeePayer(testSigner, tx) == nil && c.coins(*tx.FeePayer()).Cmp(locked) >= 0 &&
			c.coins(sender).Cmp(tx.Value()) >= 0
	}
	return c.coins(sender).Cmp(new(big.Int).Add(mostOf(tx), tx.Value())) >= 0
}

// mineStrictly makes a block of those transactions that one may have, in their order, and returns them.
func (c *fakeChain) mineStrictly(
	creations map[common.Address]uint64, txs ...*types.Transaction,
) (mined []*types.Transaction) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, tx := range txs {
		if tx.Type() != types.SetCodeTxType && !c.mayInclude(tx) {
			continue
		}
		sender, _ := types.Sender(testSigner, tx)
		c.nonces[sender]++
		for _, a := range tx.SetCodeAuthorizations() {
			if authority, err := a.Authority(); err == nil && c.nonces[authority] == a.Nonce {
				c.nonces[authority]++
				c.codes[authority] = types.AddressToDelegation(a.Address)
			}
		}
		if tx.Type() != types.SetCodeTxType { // by strangers, whose coins are of no interest
			payer := sender
			if tx.Type() == types.FeeDelegateTxType {
				payer = *tx.FeePayer()
			}
			c.give(payer, new(big.Int).Neg(feeOf(tx)))
			c.give(sender, new(big.Int).Neg(tx.Value()))
			c.give(*tx.To(), tx.Value())
		}
		mined = append(mined, tx)
	}
	for account, n := range creations {
		c.nonces[account] += n
	}
	if c.after != nil {
		c.after()
		c.after = nil
	}
	for len(c.history) <= len(c.blocks) {
		c.history, c.counts = append(c.history, nil), append(c.counts, nil)
	}
	c.history[len(c.blocks)], c.counts[len(c.blocks)] = maps.Clone(c.balances), maps.Clone(c.nonces)
	c.blocks = append(c.blocks, mined)
	c.pool = slices.DeleteFunc(c.pool, func(tx *types.Transaction) bool {
		sender, _ := types.Sender(testSigner, tx)
		return tx.Nonce() < c.nonces[sender]
	})
	for _, tx := range slices.Backward(slices.Clone(c.pool)) { // the newest of an account in debt
		if c.debt(tx).Sign() > 0 {
			c.pool = slices.DeleteFunc(c.pool, func(other *types.Transaction) bool { return other == tx })
		}
	}
	return mined
}

// costs returns what a transaction can cost an account, in wei.
func costs(tx *types.Transaction, account common.Address) *big.Int {
	sum := new(big.Int)
	sender, _ := types.Sender(testSigner, tx)
	payer := sender
	if tx.Type() == types.FeeDelegateTxType {
		payer = *tx.FeePayer()
	}
	if payer == account {
		sum.Add(sum, mostOf(tx))
	}
	if sender == account {
		sum.Add(sum, tx.Value())
	}
	return sum
}

// debt returns the most by which pooled transactions exceed the coins of an account that a transaction uses.
func (c *fakeChain) debt(tx *types.Transaction) *big.Int {
	sender, _ := types.Sender(testSigner, tx)
	accounts := []common.Address{sender}
	if tx.Type() == types.FeeDelegateTxType {
		accounts = append(accounts, *tx.FeePayer())
	}
	most := new(big.Int)
	for _, account := range accounts {
		owed := new(big.Int).Neg(c.coins(account))
		for _, pooled := range c.pool {
			owed.Add(owed, costs(pooled, account))
		}
		if owed.Cmp(most) > 0 {
			most = owed
		}
	}
	return most
}

// executable reports whether the pool has all transactions of the sender before one.
func (c *fakeChain) executable(tx *types.Transaction) bool {
	sender, _ := types.Sender(testSigner, tx)
	for n := c.nonces[sender]; n < tx.Nonce(); n++ {
		if !slices.ContainsFunc(c.pool, func(other *types.Transaction) bool {
			from, _ := types.Sender(testSigner, other)
			return from == sender && other.Nonce() == n
		}) {
			return false
		}
	}
	return true
}

// refuseCoins applies the pool's rules about coins, as in mempool: what an account backs is within its coins, and what
// is executable displaces what waits behind a gap.
func (c *fakeChain) refuseCoins(tx *types.Transaction) error {
	before := c.pool
	replaced := func(old *types.Transaction) bool { return sameNonce(old, tx) }
	c.pool = append(slices.DeleteFunc(slices.Clone(c.pool), replaced), tx)
	for _, queued := range slices.Clone(c.pool) {
		if c.debt(tx).Sign() > 0 && c.executable(tx) && !c.executable(queued) {
			c.pool = slices.DeleteFunc(c.pool, func(other *types.Transaction) bool { return other == queued })
		}
	}
	debt := c.debt(tx)
	after := c.pool
	if c.pool = before; debt.Sign() == 0 {
		c.pool = slices.DeleteFunc(after, func(other *types.Transaction) bool { return other == tx })
		return nil
	}
	if tx.Type() == types.FeeDelegateTxType {
		return errors.New("fee delegation: insufficient funds of the fee payer")
	}
	return errors.New("insufficient funds for gas * price + value")
}
