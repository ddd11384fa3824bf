// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
)

// maxRawTransactions is the largest number of transactions of eth_sendRawTransactions, equal to the batch limit of
// the transports (spec rpc 2.4).
const maxRawTransactions = 1000

// signedTransaction is a transaction as its canonical bytes and its JSON object.
type signedTransaction struct {
	Raw hexutil.Bytes      `json:"raw"`
	Tx  *types.Transaction `json:"tx"`
}

func newSignedTransaction(tx *types.Transaction) (*signedTransaction, error) {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return &signedTransaction{raw, tx}, nil
}

// transactions serves the eth methods that create, sign and submit transactions (spec transactions 4.1, 5).
type transactions struct {
	node     transactionNode
	upstream *eth.TransactionAPI
	nonces   *eth.NonceLock // held from the choice of a nonce to submission, also by upstream
}

// transactionNode is the part of Backend that transactions use.
type transactionNode interface {
	APIBackend() *eth.EthAPIBackend
	AccountManager() *accounts.Manager
}

func newTransactions(b transactionNode) *transactions {
	nonces := new(eth.NonceLock)
	return &transactions{node: b, upstream: eth.NewTransactionAPI(b.APIBackend(), nonces), nonces: nonces}
}

func (s *transactions) config() *gethparams.ChainConfig { return s.node.APIBackend().ChainConfig() }

// wallet returns the wallet of an account of this node.
func (s *transactions) wallet(address common.Address) (accounts.Wallet, accounts.Account, error) {
	account := accounts.Account{Address: address}
	wallet, err := s.node.AccountManager().Find(account)
	return wallet, account, err
}

// SendRawTransaction submits a signed transaction in canonical form and returns its hash (spec rpc 8).
func (s *transactions) SendRawTransaction(ctx context.Context, raw hexutil.Bytes) (common.Hash, error) {
	tx, err := decodeTransaction(raw)
	if err != nil {
		return common.Hash{}, err
	}
	return s.submit(ctx, tx)
}

// SendRawTransactionSync submits a signed transaction in canonical form and returns its receipt. It waits up to
// timeoutMs milliseconds, by default the node's limit (EIP-7966).
func (s *transactions) SendRawTransactionSync(ctx context.Context, raw hexutil.Bytes,
	timeoutMs *uint64) (map[string]any, error) {
	tx, err := decodeTransaction(raw)
	if err != nil {
		return nil, err
	}
	if err := checkFeeCap(tx, s.node.APIBackend().RPCTxFeeCap()); err != nil {
		return nil, err
	}
	receipt, err := s.upstream.SendRawTransactionSync(ctx, raw, timeoutMs)
	return receipt, explainPrice(s.explainChain(tx, err))
}

// SendRawTransactions submits several transactions and returns their hashes, zero for a refused one. The reasons are
// in the log. An item has the canonical form, or is the RLP string around a typed transaction, the only form that
// go-stablenet takes (spec rpc 6.13). The result of an empty list is null.
func (s *transactions) SendRawTransactions(ctx context.Context, raws []hexutil.Bytes) ([]common.Hash, error) {
	if len(raws) > maxRawTransactions {
		return nil, fmt.Errorf("%d transactions given, at most %d are taken at once: split the list", len(raws),
			maxRawTransactions)
	}
	var hashes []common.Hash
	for i, raw := range raws {
		tx, err := decodeAnyForm(raw)
		var hash common.Hash
		if err == nil {
			hash, err = s.submit(ctx, tx)
		}
		if err != nil {
			log.Info("Transaction refused", "index", i, "of", len(raws), "err", err)
		}
		hashes = append(hashes, hash)
	}
	return hashes, nil
}

// decodeAnyForm decodes a transaction in canonical form or, if typed, inside an RLP string. The first byte shows the
// form: types end at 0x7f, and lists (legacy transactions) begin at 0xc0.
func decodeAnyForm(raw []byte) (*types.Transaction, error) {
	tx := new(types.Transaction)
	if len(raw) > 0 && raw[0] >= 0x80 && raw[0] < 0xc0 {
		return tx, rlp.DecodeBytes(raw, tx)
	}
	return decodeTransaction(raw)
}

// submit adds a transaction to the pool. The checks have the order of spec transactions 4.1.
func (s *transactions) submit(ctx context.Context, tx *types.Transaction) (common.Hash, error) {
	if err := checkFeeCap(tx, s.node.APIBackend().RPCTxFeeCap()); err != nil {
		return common.Hash{}, err
	}
	hash, err := eth.SubmitTransaction(ctx, s.node.APIBackend(), tx)
	return hash, explainPrice(s.explainChain(tx, err))
}

// explainChain adds the chain ID to the refusal of another chain's transaction.
func (s *transactions) explainChain(tx *types.Transaction, err error) error {
	if err == nil || !errors.Is(err, txpool.ErrInvalidSender) || !tx.Protected() {
		return err
	}
	if wrong := checkChain(tx, s.config().ChainID); wrong != nil {
		return fmt.Errorf("%w: %w", txpool.ErrInvalidSender, wrong)
	}
	return err
}

// explainPrice adds the parts of the lowest fee cap to a refusal. A usual offer of twice the base fee is too low on
// an idle chain (spec rpc 8.1).
func explainPrice(err error) error {
	if !errors.Is(err, txpool.ErrFeeCapTooLow) {
		return err
	}
	return fmt.Errorf("%w: the lowest base fee and the governed tip together, ask eth_gasPrice what to offer", err)
}

// checkChain refuses a transaction that is signed for another chain.
func checkChain(tx *types.Transaction, chainID *big.Int) error {
	signed := tx.ChainId()
	switch {
	case signed.Cmp(chainID) == 0:
		return nil
	case signed.BitLen() > 64: // V has any size
		return fmt.Errorf("%w: this chain has ID %v, the transaction names one of %d bits: sign it for chain ID %[2]v",
			types.ErrInvalidChainId, chainID, signed.BitLen())
	default:
		return fmt.Errorf("%w: this chain has ID %v, the transaction is signed for %v: sign it for chain ID %[2]v",
			types.ErrInvalidChainId, chainID, signed)
	}
}

// checkFeeCap refuses a transaction whose fee may exceed limit coins; 0 means no limit.
func checkFeeCap(tx *types.Transaction, limit float64) error {
	if limit == 0 {
		return nil
	}
	wei := new(big.Int).Mul(tx.GasPrice(), new(big.Int).SetUint64(tx.Gas()))
	fee, _ := new(big.Float).Quo(new(big.Float).SetInt(wei), big.NewFloat(gethparams.Ether)).Float64()
	if fee > limit {
		return fmt.Errorf("tx fee (%.2f ether) exceeds the configured cap (%.2f ether)", fee, limit)
	}
	return nil
}

// suggestedPrice is what eth_gasPrice answers.
func (s *transactions) suggestedPrice(ctx context.Context) func() (*hexutil.Big, error) {
	return func() (*hexutil.Big, error) { return eth.NewEthereumAPI(s.node.APIBackend()).GasPrice(ctx) }
}

// FillTransaction completes the arguments and returns the unsigned transaction. With all four keys of fee delegation
// the transaction is fee-delegated, without the fee payer's signature (spec transactions 5.4). A fee payer alone is
// an error; go-stablenet returns an ordinary transaction, which charges the sender.
func (s *transactions) FillTransaction(ctx context.Context, args Arguments) (*signedTransaction, error) {
	if args.FeePayer != nil && !args.delegated() {
		return nil, errFillPayer
	}
	tx, err := s.fill(ctx, args)
	if err != nil {
		return nil, err
	}
	if args.delegated() {
		if tx, err = withSenderSignature(tx, args); err != nil {
			return nil, err
		}
		if tx, err = types.WrapFeeDelegated(tx, *args.FeePayer); err != nil {
			return nil, err
		}
	}
	return newSignedTransaction(tx)
}

// fill completes the arguments by upstream's rules to the transaction that the sender signs.
func (s *transactions) fill(ctx context.Context, args Arguments) (*types.Transaction, error) {
	args, err := args.effective(s.suggestedPrice(ctx))
	if err != nil {
		return nil, err
	}
	filled, err := s.upstream.FillTransaction(ctx, args.TransactionArgs)
	if err != nil {
		return nil, err
	}
	return filled.Tx, nil
}

// withSenderSignature adds the sender's signature in the arguments to the transaction that they describe.
func withSenderSignature(tx *types.Transaction, args Arguments) (*types.Transaction, error) {
	if tx.Type() != types.DynamicFeeTxType {
		return nil, typeMismatch(tx.Type())
	}
	return types.NewTx(&types.DynamicFeeTx{
		ChainID:    tx.ChainId(),
		Nonce:      tx.Nonce(),
		GasTipCap:  tx.GasTipCap(),
		GasFeeCap:  tx.GasFeeCap(),
		Gas:        tx.Gas(),
		To:         tx.To(),
		Value:      tx.Value(),
		Data:       tx.Data(),
		AccessList: tx.AccessList(),
		V:          args.V.ToInt(),
		R:          args.R.ToInt(),
		S:          args.S.ToInt(),
	}), nil
}

// SignTransaction signs with the account from. With a fee payer and the sender's signature in the arguments it adds
// the fee payer's signature. The signing account must be unlocked.
func (s *transactions) SignTransaction(ctx context.Context, args Arguments) (*signedTransaction, error) {
	if args.FeePayer == nil {
		args, err := args.effective(s.suggestedPrice(ctx))
		if err != nil {
			return nil, err
		}
		signed, err := s.upstream.SignTransaction(ctx, args.TransactionArgs)
		if err != nil {
			return nil, err
		}
		return &signedTransaction{signed.Raw, signed.Tx}, nil
	}
	return s.signDelegated(ctx, args, unlocked)
}

// SendTransaction signs with the account from, which must be unlocked, and submits. Arguments with a fee payer are
// refused, because the fee payer would have to sign.
func (s *transactions) SendTransaction(ctx context.Context, args Arguments) (common.Hash, error) {
	if args.FeePayer != nil {
		return common.Hash{}, args.payerNotHere()
	}
	args, err := args.effective(s.suggestedPrice(ctx))
	if err != nil {
		return common.Hash{}, err
	}
	hash, err := s.upstream.SendTransaction(ctx, args.TransactionArgs)
	return hash, explainPrice(err)
}

// Resend replaces a pooled transaction of an account of this node. Arguments with a fee payer are refused.
func (s *transactions) Resend(ctx context.Context, args Arguments, gasPrice *hexutil.Big,
	gas *hexutil.Uint64) (common.Hash, error) {
	if args.FeePayer != nil {
		return common.Hash{}, args.payerNotHere()
	}
	args, err := args.effective(s.suggestedPrice(ctx))
	if err != nil {
		return common.Hash{}, err
	}
	hash, err := s.upstream.Resend(ctx, args.TransactionArgs, gasPrice, gas)
	return hash, explainPrice(err)
}
