// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// FeeDelegation is the part of a Message that only an Anzeon chain looks at.
type FeeDelegation struct {
	// FeePayer is the account that a type 0x16 transaction or the arguments of a call name; nil if they name none.
	FeePayer *common.Address

	// PayerCap is the fee cap, in wei per gas, of a call whose own cap is 0 because the sender's coins must not limit its
	// gas; nil for any other message.
	PayerCap *uint256.Int

	// tx is the transaction that the message was made from, nil for a call.
	tx *types.Transaction
}

// withFeeDelegation completes a message with what its transaction says. On a developer chain a contract can be
// impersonated, too.
func (msg *Message) withFeeDelegation(tx *types.Transaction) *Message {
	msg.FeeDelegation = FeeDelegation{FeePayer: tx.FeePayer(), tx: tx}
	msg.skipEOACheck = types.NamesSender(tx)
	return msg
}

// delegated reports whether somebody else than the sender buys the gas.
func (msg *Message) delegated() bool {
	return msg.FeePayer != nil && *msg.FeePayer != msg.From
}

// gasPayer returns the account that gets the unused gas back.
func (st *stateTransition) gasPayer() common.Address {
	if payer := st.msg.FeePayer; payer != nil && st.evm.ChainConfig().IsAnzeon() {
		return *payer
	}
	return st.msg.From
}

// buyGasAnzeon takes the price of the gas limit from the payer (spec transactions 2.2, rows 11 and 12). A fee payer
// needs the price that it will pay; a sender who pays itself needs the fee cap, and the value on top.
func (st *stateTransition) buyGasAnzeon() error {
	msg := st.msg
	if msg.delegated() && !st.evm.ChainConfig().IsApplepie(st.evm.Context.BlockNumber) {
		return fmt.Errorf("%w: fee delegation type not supported", ErrTxTypeNotSupported)
	}
	price := new(uint256.Int).SetUint64(msg.GasLimit)
	_, overflow := price.MulOverflow(price, msg.GasPrice)
	if msg.delegated() {
		payer := *msg.FeePayer
		if overflow {
			return fmt.Errorf("%w: feePayer %v required balance exceeds 256 bits", ErrInsufficientFunds, payer)
		}
		if have := st.state.GetBalance(payer); have.Lt(price) {
			return fmt.Errorf("%w: feePayer %v have %v want %v", ErrInsufficientFunds, payer, have, price)
		}
		if have := st.state.GetBalance(msg.From); msg.Value != nil && have.Lt(msg.Value) {
			return fmt.Errorf("%w: sender %v have %v want %v", ErrInsufficientFunds, msg.From, have, msg.Value)
		}
		st.state.SubBalance(payer, price, tracing.BalanceDecreaseGasBuy)
		return nil
	}
	most := new(uint256.Int).Set(price)
	if msg.GasFeeCap != nil && !overflow {
		most.SetUint64(msg.GasLimit)
		_, overflow = most.MulOverflow(most, msg.GasFeeCap)
	}
	if msg.Value != nil && !overflow {
		_, overflow = most.AddOverflow(most, msg.Value)
	}
	if overflow {
		return fmt.Errorf("%w: sender %v required balance exceeds 256 bits", ErrInsufficientFunds, msg.From)
	}
	if have := st.state.GetBalance(msg.From); have.Lt(most) {
		return fmt.Errorf("%w: sender %v have %v want %v", ErrInsufficientFunds, msg.From, have, most)
	}
	st.state.SubBalance(msg.From, price, tracing.BalanceDecreaseGasBuy)
	return nil
}

// checkFeePayer refuses a type 0x16 transaction whose fee payer is absent or has not signed, from the configured block
// on. It is the first check of a message, before nonce and balance, and its errors are the network's bare texts (spec
// transactions 2.2 row 1a, 2.4).
func checkFeePayer(evm *vm.EVM, msg *Message) error {
	config := evm.ChainConfig()
	if msg.tx == nil || !config.IsAnzeon() || !config.Anzeon.ChecksFeePayers(evm.Context.BlockNumber) {
		return nil
	}
	return types.CheckFeePayer(types.NewAnzeonSigner(config.ChainID), msg.tx)
}

// checkParties refuses a blacklisted sender or recipient (spec transactions 2.2, rows 16 and 17).
func (st *stateTransition) checkParties(rules *params.Rules) error {
	if !rules.IsAnzeon {
		return nil
	}
	if st.evm.Accounts().IsBlacklisted(st.msg.From) {
		return vm.BlacklistedError(st.msg.From)
	}
	if to := st.msg.To; to != nil && st.evm.Accounts().IsBlacklisted(*to) {
		return vm.BlacklistedError(*to)
	}
	return nil
}

// closeTransaction makes the last check of a transaction and writes its last log, both by the state after the
// transaction (spec transactions 2.2 row 18 and 2.3 no. 9, chain 5.1). After an error the caller has to revert the
// whole transaction.
func (st *stateTransition) closeTransaction(rules *params.Rules) error {
	if !rules.IsAnzeon {
		return nil
	}
	if payer := st.msg.FeePayer; payer != nil {
		if st.evm.Accounts().IsBlacklisted(*payer) {
			return vm.BlacklistedError(*payer)
		}
		// A return of nothing touches the payer too (spec transactions 2.3 no. 6); upstream leaves it out.
		st.state.AddBalance(*payer, new(uint256.Int), tracing.BalanceIncreaseGasReturn)
	}
	if st.evm.Accounts().IsAuthorized(st.msg.From) {
		st.state.AddLog(&types.Log{
			Address:     types.AccountManagerAddress,
			Topics:      []common.Hash{types.AuthorizedTxExecutedTopic},
			Data:        []byte{},
			BlockNumber: st.evm.Context.BlockNumber.Uint64(),
		})
	}
	if conclude := st.evm.Context.Conclude; conclude != nil {
		return conclude() // a block builder may leave the transaction out for what it has cost
	}
	return nil
}
