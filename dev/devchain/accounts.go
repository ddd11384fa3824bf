// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/rpc"
)

const (
	// maxImpersonated bounds the accounts that are impersonated by name.
	maxImpersonated = 100_000

	// feePayerMime names the data that a fee payer signs.
	feePayerMime = "application/x-fee-payer-transaction"
)

// accountMethods serves the methods of eth that submit transactions: impersonated accounts sign there, and what is
// submitted is sealed at once.
type accountMethods struct{ c *Chain }

// Accounts returns the addresses that the node signs for: those of the mnemonic in their order, then the others. Test
// tools take the first one as the default sender.
func (a *accountMethods) Accounts() []common.Address {
	list := make([]common.Address, 0, len(a.c.options.Accounts))
	for _, account := range a.c.options.Accounts {
		list = append(list, account.Address)
	}
	for _, address := range a.c.service.AccountManager().Accounts() {
		if !slices.Contains(list, address) {
			list = append(list, address)
		}
	}
	return list
}

// pendingBlock is where gas is estimated: it has the time, the base fee and the randomness that were set for it.
var pendingBlock = gethrpc.BlockNumberOrHashWithNumber(gethrpc.PendingBlockNumber)

// EstimateGas is that of a node, in the pending block unless another one is given.
func (a *accountMethods) EstimateGas(
	ctx context.Context, args eth.TransactionArgs, at *gethrpc.BlockNumberOrHash, state *eth.StateOverride,
	block *eth.BlockOverrides,
) (hexutil.Uint64, error) {
	if at == nil {
		at = &pendingBlock
	}
	a.c.prefetch(ctx, args)
	return a.c.estimator.EstimateGas(ctx, args, at, state, block)
}

// FillTransaction completes the arguments and returns the unsigned transaction.
func (a *accountMethods) FillTransaction(ctx context.Context, args rpc.Arguments) (any, error) {
	args, err := a.c.completed(ctx, args)
	if err != nil {
		return nil, err
	}
	return a.c.accounts.FillTransaction(ctx, args)
}

// completed returns the arguments with an estimate in the pending block where they have no gas, and with fees for the
// base fee of the next block where they have none.
func (c *Chain) completed(ctx context.Context, args rpc.Arguments) (rpc.Arguments, error) {
	if tip := c.tip(); args.GasPrice == nil && args.MaxFeePerGas == nil {
		_, base := c.nextBaseFee()
		if args.MaxPriorityFeePerGas != nil {
			tip = args.MaxPriorityFeePerGas.ToInt()
		} else if args.Type != nil && *args.Type <= types.AccessListTxType {
			args.GasPrice = (*hexutil.Big)(base.Add(base, tip))
		}
		if args.GasPrice == nil {
			args.MaxFeePerGas = (*hexutil.Big)(base.Add(base.Lsh(base, 1), tip))
		}
	}
	if args.Gas != nil {
		return args, nil
	}
	call := args.TransactionArgs
	call.FeePayer = args.FeePayer
	c.prefetch(ctx, call)
	gas, err := c.estimator.EstimateGas(ctx, call, &pendingBlock, nil, nil)
	args.Gas = &gas
	return args, err
}

// nextBaseFee returns the base fee of the next block in wei, which a test method may have set, and the one that the
// fees of a transaction have to cover: the pool asks for that of the rule where less was set.
func (c *Chain) nextBaseFee() (next, covered *big.Int) {
	next = eip1559.CalcBaseFee(c.chain.Config(), c.chain.CurrentBlock())
	covered = new(big.Int).Set(next)
	if set := c.settings.Load().baseFee; set != nil {
		next.Set(set)
	}
	if covered.Cmp(next) < 0 {
		covered.Set(next)
	}
	return next, covered
}

// GasPrice returns the price of a unit of gas in the next block, in wei.
func (a *accountMethods) GasPrice() *hexutil.Big {
	_, base := a.c.nextBaseFee()
	return (*hexutil.Big)(base.Add(base, a.c.tip()))
}

// FeeHistory is that of a node. Behind the newest block comes the base fee that was set for the next one.
func (a *accountMethods) FeeHistory(ctx context.Context, count math.HexOrDecimal64, last gethrpc.BlockNumber,
	percentiles []float64,
) (any, error) {
	history, err := a.c.fees.FeeHistory(ctx, count, last, percentiles)
	if err != nil {
		return nil, err
	}
	newest := last < 0 && last != gethrpc.PendingBlockNumber && last != gethrpc.EarliestBlockNumber ||
		last == gethrpc.BlockNumber(a.c.chain.CurrentBlock().Number.Int64())
	if n := len(history.BaseFee); newest && n > 0 {
		next, _ := a.c.nextBaseFee()
		history.BaseFee[n-1] = (*hexutil.Big)(next)
	}
	return history, nil
}

// SendTransaction signs with from, and with feePayer if that is given, and submits. The node has their keys, or they
// are impersonated.
func (a *accountMethods) SendTransaction(ctx context.Context, args rpc.Arguments) (common.Hash, error) {
	c := a.c
	defer c.submitted()
	if args.FeePayer == nil && (args.From == nil || !c.impersonates(*args.From)) {
		var from common.Address
		if args.From != nil {
			from = *args.From
		}
		if _, err := c.service.AccountManager().Find(accounts.Account{Address: from}); err != nil {
			return common.Hash{}, errNoKey(from, err)
		}
		args, err := c.completed(ctx, args)
		if err != nil {
			return common.Hash{}, err
		}
		return c.accounts.SendTransaction(ctx, args)
	}
	return c.send(ctx, args, c.impersonates)
}

// SendUnsignedTransaction submits a transaction as if from had signed it.
func (a *accountMethods) SendUnsignedTransaction(ctx context.Context, args rpc.Arguments) (common.Hash, error) {
	defer a.c.submitted()
	return a.c.send(ctx, args, func(common.Address) bool { return true })
}

// SendRawTransaction submits a signed transaction in canonical form.
func (a *accountMethods) SendRawTransaction(ctx context.Context, raw hexutil.Bytes) (common.Hash, error) {
	defer a.c.submitted()
	return a.c.accounts.SendRawTransaction(ctx, raw)
}

// SendRawTransactions submits several.
func (a *accountMethods) SendRawTransactions(ctx context.Context, raws []hexutil.Bytes) ([]common.Hash, error) {
	defer a.c.submitted()
	return a.c.accounts.SendRawTransactions(ctx, raws)
}

// submitted seals what the pool has before the answer to a submission goes out, where transactions are sealed as they
// come. A caller that has the hash finds the receipt.
func (c *Chain) submitted() {
	if c.Running() {
		c.sealPending()
	}
}

// impersonates reports whether the node signs for an account whose key it does not have.
func (c *Chain) impersonates(account common.Address) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, named := c.impersonated[account]; named {
		return true
	}
	if !c.settings.Load().allAccount {
		return false
	}
	_, err := c.service.AccountManager().Find(accounts.Account{Address: account})
	return err != nil
}

// send fills, signs and submits a transaction. Impersonated says who signs without a key.
func (c *Chain) send(
	ctx context.Context, args rpc.Arguments, impersonated func(common.Address) bool,
) (common.Hash, error) {
	if args.From == nil {
		return common.Hash{}, invalid("expected the sender in from")
	}
	if args.FeePayer != nil {
		if err := checkOfType2(&args); err != nil {
			return common.Hash{}, err
		}
	}
	args, err := c.completed(ctx, args)
	if err != nil {
		return common.Hash{}, err
	}
	from, payer := *args.From, args.FeePayer
	args.FeePayer = nil
	if payer != nil && args.Type != nil && *args.Type == types.FeeDelegateTxType {
		args.Type = new(hexutil.Uint64(types.DynamicFeeTxType))
	}
	c.filled.Lock()
	defer c.filled.Unlock()
	tx, err := c.accounts.Fill(ctx, args)
	if err != nil {
		return common.Hash{}, err
	}
	if tx, err = c.signSender(tx, from, impersonated(from)); err != nil {
		return common.Hash{}, err
	}
	if payer != nil {
		if tx, err = c.signPayer(tx, *payer, impersonated(*payer)); err != nil {
			return common.Hash{}, err
		}
	}
	return c.accounts.Submit(ctx, tx)
}

// checkOfType2 refuses fields that make a transaction of another type than the one that a fee payer can pay for.
func checkOfType2(args *rpc.Arguments) error {
	switch {
	case args.GasPrice != nil:
		return invalid("expected maxFeePerGas and maxPriorityFeePerGas instead of gasPrice: a fee payer pays for type 2 only")
	case args.AuthorizationList != nil:
		return invalid("expected no authorizationList: a fee payer pays for type 2 only")
	case args.BlobHashes != nil || args.Blobs != nil:
		return invalid("expected no blobs: a fee payer pays for type 2 only")
	case args.Type != nil && *args.Type != types.DynamicFeeTxType && *args.Type != types.FeeDelegateTxType:
		return invalid("expected type 0x2 or 0x16 instead of %#x: a fee payer pays for type 2 only", uint64(*args.Type))
	}
	return nil
}

// signSender signs a transaction as its sender.
func (c *Chain) signSender(tx *types.Transaction, sender common.Address,
	impersonated bool,
) (*types.Transaction, error) {
	chainID := c.chain.Config().ChainID
	if impersonated {
		return tx.WithSignature(types.NewAnzeonSigner(chainID), impersonate(sender))
	}
	account := accounts.Account{Address: sender}
	wallet, err := c.service.AccountManager().Find(account)
	if err != nil {
		return nil, errNoKey(sender, err)
	}
	return wallet.SignTx(account, tx, chainID)
}

// signPayer wraps a signed transaction and signs it as its fee payer.
func (c *Chain) signPayer(tx *types.Transaction, payer common.Address, impersonated bool) (*types.Transaction, error) {
	chainID := c.chain.Config().ChainID
	tx, err := types.WrapFeeDelegated(tx, payer)
	if err != nil {
		return nil, err
	}
	signature := impersonate(payer)
	if !impersonated {
		account := accounts.Account{Address: payer}
		wallet, err := c.service.AccountManager().Find(account)
		if err != nil {
			return nil, errNoKey(payer, err)
		}
		if signature, err = wallet.SignData(account, feePayerMime, tx.FeePayerSigningData(chainID)); err != nil {
			return nil, err
		}
	}
	return tx.WithSignature(types.NewFeeDelegateSigner(chainID), signature)
}

func errNoKey(account common.Address, err error) error {
	return fmt.Errorf("the key of %v is not here (%w): evm_impersonateAccount has the node sign without it", account, err)
}

// FundMethod gives an account coins, on developer chains and at the page of a devnet.
const FundMethod = "gwon_fund"

// FaucetAmount returns what that gives, in wei: a thousand coins.
func FaucetAmount() *big.Int { return new(big.Int).Mul(big.NewInt(1000), big.NewInt(1e18)) }

// Fund transfers a thousand coins from the first account and returns the hash of the transaction.
func (m *coinMethods) Fund(ctx context.Context, account Address) (common.Hash, error) {
	c := m.c
	if len(c.options.Accounts) == 0 {
		return common.Hash{}, errors.New("this chain has no funded account to give from: gwon_mint makes coins")
	}
	defer c.submitted()
	from := c.options.Accounts[0].Address
	var args rpc.Arguments
	args.From, args.To, args.Value = &from, (*common.Address)(&account), (*hexutil.Big)(FaucetAmount())
	return c.send(ctx, args, func(common.Address) bool { return false })
}
