// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txpool

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
)

// Reasons to refuse a transaction on an Anzeon chain (spec transactions 4.1). None of them is of the class that a local
// submission waits out in silence: eth_sendRawTransaction reports each.
var (
	// ErrFeePayerFunds is returned when the fee payer cannot pay gas * fee cap.
	ErrFeePayerFunds = errors.New("fee delegation: insufficient feePayer's funds for gas * price")

	// ErrFeePayerLimit is returned when the fee payer backs as many pooled transactions as it may.
	ErrFeePayerLimit = errors.New("fee delegation: too many pooled transactions of one feePayer")

	// ErrFeeCapTooLow is an ErrTxGasPriceTooLow whose tip is enough.
	ErrFeeCapTooLow = errors.New("fee cap below the minimum")

	// ErrSenderValue is returned when the sender of a fee-delegated transaction cannot pay its value.
	ErrSenderValue = errors.New("fee delegation: insufficient sender's funds for value")
)

const feeCap = "gas fee cap"

// feeBelowMinimumError means that a transaction offers less than the governed minimum. It has the text of go-stablenet
// but is no ErrUnderpriced, which means a full pool, passes with time, and is not reported to a local submitter (spec
// rpc 8.3). It is an ErrTxGasPriceTooLow, so that the transaction fetcher remembers it.
type feeBelowMinimumError struct {
	what       string   // "gas tip cap" or feeCap
	have, need *big.Int // wei
}

func (e *feeBelowMinimumError) Error() string {
	return fmt.Sprintf("transaction underpriced: %s %v, minimum needed %v", e.what, e.have, e.need)
}

func (e *feeBelowMinimumError) Is(target error) bool {
	return target == ErrTxGasPriceTooLow || target == ErrFeeCapTooLow && e.what == feeCap
}

// checkFeeDelegationFork is row d of spec transactions 4.1 for type 0x16.
func checkFeeDelegationFork(tx *types.Transaction, rules *params.Rules) error {
	if tx.Type() == types.FeeDelegateTxType && !rules.IsApplepie {
		return fmt.Errorf("%w: type %d rejected, pool not yet in Applepie", core.ErrTxTypeNotSupported, tx.Type())
	}
	return nil
}

// checkGoverned makes rows k, l and m of spec transactions 4.1: on an Anzeon chain the minimum tip and the minimum fee
// cap, for every sender and every origin, and on any chain the fee payer's signature.
func (opts *ValidationOptions) checkGoverned(tx *types.Transaction, signer types.Signer) error {
	if opts.Config.IsAnzeon() {
		if tx.GasTipCapIntCmp(opts.MinTip) < 0 {
			return &feeBelowMinimumError{"gas tip cap", tx.GasTipCap(), opts.MinTip}
		}
		if least := MinFeeCap(opts.MinTip); tx.GasFeeCapIntCmp(least) < 0 {
			return &feeBelowMinimumError{feeCap, tx.GasFeeCap(), least}
		}
	}
	return types.CheckFeePayer(signer, tx) // without the cause: clients know the bare texts
}

// MinFeeCap returns the least fee cap in wei that an Anzeon chain's pool takes with the given minimum tip. It is the
// sum with the lowest possible base fee, not with the current one (spec transactions 4.1 row l).
func MinFeeCap(minTip *big.Int) *big.Int {
	least := new(big.Int).SetUint64(eip1559.MinBaseFee)
	return least.Add(least, minTip)
}

// checkBlacklist is row 1 of the stateful part of spec transactions 4.1. Flags exist on Anzeon chains only.
func (opts *ValidationOptionsWithState) checkBlacklist(tx *types.Transaction, from common.Address) error {
	if err := checkNotBlacklisted(opts.State, from); err != nil {
		return err
	}
	if to := tx.To(); to != nil {
		return checkNotBlacklisted(opts.State, *to)
	}
	return nil
}

// checkFeePayer makes rows 3, 4 and 5 of the stateful part of spec transactions 4.1. The total cost of a sender that
// pays its own fees is left to the check of ordinary transactions.
func (opts *ValidationOptionsWithState) checkFeePayer(tx *types.Transaction, from common.Address) error {
	payer := tx.FeePayer()
	if payer == nil {
		return nil
	}
	if err := checkNotBlacklisted(opts.State, *payer); err != nil {
		return err
	}
	if balance := opts.State.GetBalance(from).ToBig(); balance.Cmp(tx.Value()) < 0 {
		return fmt.Errorf("%w: balance %v, tx value %v, overshot %v",
			ErrSenderValue, balance, tx.Value(), new(big.Int).Sub(tx.Value(), balance))
	}
	fee := MaxFee(tx)
	if balance := opts.State.GetBalance(*payer).ToBig(); balance.Cmp(fee) < 0 {
		return fmt.Errorf("%w: balance %v, fee cost %v, overshot %v",
			ErrFeePayerFunds, balance, fee, new(big.Int).Sub(fee, balance))
	}
	return nil
}

// MaxFee returns the most a transaction can cost in fees: gas * fee cap, in wei.
func MaxFee(tx *types.Transaction) *big.Int {
	return new(big.Int).Mul(tx.GasFeeCap(), new(big.Int).SetUint64(tx.Gas()))
}

func checkNotBlacklisted(statedb *state.StateDB, addr common.Address) error {
	if statedb.IsBlacklisted(addr) {
		return vm.BlacklistedError(addr)
	}
	return nil
}
