// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ethapi

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// FeeDelegation holds the keys that only a type 0x16 transaction has (spec transactions 1.3 (b)). The last one is
// gwon's own.
type FeeDelegation struct {
	FeePayer *common.Address `json:"feePayer,omitempty"`
	FV       *hexutil.Big    `json:"fv,omitempty"`
	FR       *hexutil.Big    `json:"fr,omitempty"`
	FS       *hexutil.Big    `json:"fs,omitempty"`

	SenderTransactionHash *common.Hash `json:"senderTransactionHash,omitempty"`
}

// setFeeDelegation fills in what a type 0x16 transaction has beyond a legacy one. Once mined, withPaidPrice corrects
// its price.
func (result *RPCTransaction) setFeeDelegation(tx *types.Transaction, baseFee *big.Int) {
	accesses, parity := tx.AccessList(), hexutil.Uint64(result.V.ToInt().Sign())
	result.Accesses, result.YParity = &accesses, &parity
	result.ChainID = (*hexutil.Big)(tx.ChainId())
	result.GasFeeCap, result.GasTipCap = (*hexutil.Big)(tx.GasFeeCap()), (*hexutil.Big)(tx.GasTipCap())
	result.GasPrice = result.GasFeeCap
	if baseFee != nil && result.BlockHash != nil {
		result.GasPrice = (*hexutil.Big)(effectiveGasPrice(tx, baseFee))
	}
	v, r, s := tx.FeePayerSignature()
	result.FeeDelegation = &FeeDelegation{tx.FeePayer(), (*hexutil.Big)(v), (*hexutil.Big)(r), (*hexutil.Big)(s),
		tx.SenderTransactionHash()}
}

// addFeePayer adds the fee payer to a receipt, and the hash that the sender knows. go-stablenet has no such keys;
// clients ignore unknown ones (spec transactions 6 no. 20).
func addFeePayer(receipt map[string]any, tx *types.Transaction) {
	if payer := tx.FeePayer(); payer != nil {
		receipt["feePayer"] = *payer
		receipt["senderTransactionHash"] = *tx.SenderTransactionHash()
	}
}

// withPaidPrice sets the price of the mined transactions in result, which is a transaction or a block, to the one their
// receipts have, which depends on the sender's authorization at that time. Types 0 and 1 keep the price they signed.
// Without receipts the governed tip is taken for all (spec transactions 3.5 and 6 no. 16).
func withPaidPrice[T *RPCTransaction | map[string]any](
	ctx context.Context, b Backend, header *types.Header, result T,
) T {
	if !b.ChainConfig().IsAnzeon() || header.BaseFee == nil {
		return result
	}
	var (
		receipts types.Receipts
		loaded   bool
	)
	settle := func(tx *RPCTransaction) {
		if tx == nil || tx.GasFeeCap == nil || tx.TransactionIndex == nil {
			return
		}
		if !loaded {
			var err error
			if receipts, err = b.GetReceipts(ctx, header.Hash()); err != nil {
				log.Debug("No receipts to take gas prices from", "number", header.Number, "hash", header.Hash(), "err", err)
			}
			loaded = true
		}
		if i := uint64(*tx.TransactionIndex); i < uint64(len(receipts)) && receipts[i].TxHash == tx.Hash &&
			receipts[i].EffectiveGasPrice != nil {
			tx.GasPrice = (*hexutil.Big)(receipts[i].EffectiveGasPrice)
			return
		}
		if tip, err := types.WBFTGasTip(header.Extra); err == nil {
			price := tip.Add(tip, header.BaseFee)
			if limit := tx.GasFeeCap.ToInt(); price.Cmp(limit) > 0 {
				price = limit
			}
			tx.GasPrice = (*hexutil.Big)(price)
		}
	}
	switch r := any(result).(type) {
	case *RPCTransaction:
		settle(r)
	case map[string]any:
		txs, _ := r["transactions"].([]any)
		for _, item := range txs {
			if tx, ok := item.(*RPCTransaction); ok {
				settle(tx)
			}
		}
	}
	return result
}

// minedAt returns the transaction object at an index of a block, nil if the block has none there.
func minedAt(ctx context.Context, b Backend, block *types.Block, index uint64) *RPCTransaction {
	return withPaidPrice(ctx, b, block.Header(), newRPCTransactionFromBlockIndex(block, index, b.ChainConfig()))
}

// mined returns the object of a transaction in the block with this header, hash and number.
func mined(ctx context.Context, b Backend, header *types.Header, hash common.Hash, number uint64,
	tx *types.Transaction, index uint64) *RPCTransaction {
	return withPaidPrice(ctx, b, header, newRPCTransaction(tx, hash, number, header.Time, index, header.BaseFee,
		b.ChainConfig()))
}

// suggestedBaseFee returns the base fee in wei that eth_gasPrice adds to the tip. On an Anzeon chain it is that of the
// next block because the head's would be one step short when fees rise (spec transactions 6 no. 18).
func suggestedBaseFee(config *params.ChainConfig, head *types.Header) *big.Int {
	if config.IsAnzeon() {
		return eip1559.CalcBaseFee(config, head)
	}
	return head.BaseFee
}

// accountExtra returns the flag word of an account, nil when it is zero, for then eth_getProof omits it (spec rpc 7).
func accountExtra(statedb *state.StateDB, address common.Address) *hexutil.Uint64 {
	extra := hexutil.Uint64(statedb.GetExtra(address))
	if extra == 0 {
		return nil
	}
	return &extra
}

// payerFees are the fee cap and the price of an estimate with a fee payer, nil otherwise.
type payerFees struct{ cap, price *uint256.Int }

// chargeFeePayer limits the gas of an estimate by the fee payer's balance, instead of the sender's, when the arguments
// name a fee payer (spec transactions 6 no. 21). The sender then needs its value alone. The arguments are those after
// CallDefaults.
func (args *TransactionArgs) chargeFeePayer(
	config *params.ChainConfig, statedb *state.StateDB, baseFee *big.Int,
) error {
	if !config.IsAnzeon() || args.FeePayer == nil || *args.FeePayer == args.from() {
		return nil
	}
	payer, limit := *args.FeePayer, args.MaxFeePerGas
	if args.GasPrice != nil {
		limit = args.GasPrice
	}
	if statedb.IsBlacklisted(payer) {
		return vm.BlacklistedError(payer)
	}
	if limit == nil || limit.ToInt().Sign() == 0 {
		return nil
	}
	if baseFee != nil && limit.ToInt().Cmp(baseFee) < 0 {
		return fmt.Errorf("%w: address %v, maxFeePerGas: %v, baseFee: %v",
			core.ErrFeeCapTooLow, args.from(), limit.ToInt(), baseFee)
	}
	balance := statedb.GetBalance(payer).ToBig()
	allowance := new(big.Int).Div(balance, limit.ToInt())
	if allowance.Cmp(new(big.Int).SetUint64(params.TxGas)) < 0 {
		return fmt.Errorf("%w: feePayer %v has %v wei, which pays for %v gas at %v wei, and a transaction takes %d: send "+
			"it coins, or lower the fee cap", core.ErrInsufficientFunds, payer, balance, allowance, limit.ToInt(), params.TxGas)
	}
	if allowance.IsUint64() && (*args.Gas == 0 || uint64(*args.Gas) > allowance.Uint64()) {
		gas := hexutil.Uint64(allowance.Uint64())
		args.Gas = &gas
	}
	args.payerFees.price = args.ToMessage(baseFee, true).GasPrice
	args.payerFees.cap, _ = limit.ToUint256()
	if args.GasPrice != nil {
		args.GasPrice = new(hexutil.Big)
	} else {
		args.MaxFeePerGas, args.MaxPriorityFeePerGas = new(hexutil.Big), new(hexutil.Big)
	}
	return nil
}

// nameFeePayer adds the fee payer to the message of a call, with the price that it pays where chargeFeePayer has taken
// it off the sender.
func (args *TransactionArgs) nameFeePayer(msg *core.Message) {
	msg.FeePayer = args.FeePayer
	if args.payerFees.cap != nil {
		msg.PayerCap, msg.GasPrice = args.payerFees.cap, args.payerFees.price
	}
}

// dropLoneTip drops the tip of a call on an Anzeon chain that has no fee cap, or one of 0. The call then runs at price
// zero, like one without any fee. Upstream would refuse it because the tip is above a cap that is not set.
func (args *TransactionArgs) dropLoneTip(config *params.ChainConfig) {
	if config.IsAnzeon() && args.GasPrice == nil && (args.MaxFeePerGas == nil || args.MaxFeePerGas.ToInt().Sign() == 0) {
		args.MaxPriorityFeePerGas = nil
	}
}
