// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

var (
	// The first two texts begin like go-stablenet's (spec transactions 5.3).
	errMissingFeePayer = errors.New("missing FeePayer: name the account that pays the gas in feePayer")
	errSenderType      = errors.New("senderTx type error: the sender has to sign a transaction of type 2, with " +
		"maxFeePerGas and maxPriorityFeePerGas, before the fee payer adds its signature")

	errPayerNotHere = errors.New("this call signs with from and takes no feePayer: sign with " +
		"eth_signRawFeeDelegateTransaction or personal_signRawFeeDelegateTransaction and submit the result with " +
		"eth_sendRawTransaction")
	errFillPayer = errors.New("feePayer has no place in the transaction that the sender signs: leave it out here, have " +
		"the sender sign, and let the fee payer sign with eth_signRawFeeDelegateTransaction or " +
		"personal_signRawFeeDelegateTransaction")
)

// typeMismatch refuses a signing request with a fee payer but without the fields of a fee-delegated transaction. The
// fee payer would sign a payment by itself. The text begins like go-stablenet's (spec rpc 11 no. 4).
func typeMismatch(kind byte) error {
	return fmt.Errorf("fee delegate tx type mismatch: got %#x, want %#x: give maxFeePerGas, maxPriorityFeePerGas and "+
		"the sender's complete signature in v, r and s, and neither gasPrice, authorizationList nor blobs", kind,
		types.FeeDelegateTxType)
}

// feePayerMime is the type of data that a fee payer signs. Wallets may show it.
const feePayerMime = "application/x-fee-payer-transaction"

// signer returns the signature of an account over the Keccak-256 hash of data: r and s of 32 bytes each, then v, 0 or
// 1.
type signer func(wallet accounts.Wallet, account accounts.Account, data []byte) ([]byte, error)

// unlocked signs with an unlocked account.
func unlocked(wallet accounts.Wallet, account accounts.Account, data []byte) ([]byte, error) {
	return wallet.SignData(account, feePayerMime, data)
}

// withPassphrase decrypts the key for one signature.
func withPassphrase(passphrase string) signer {
	return func(wallet accounts.Wallet, account accounts.Account, data []byte) ([]byte, error) {
		return wallet.SignDataWithPassphrase(account, passphrase, feePayerMime, data)
	}
}

// SignRawFeeDelegateTransaction wraps a sender's signed type-2 transaction and adds the signature of args.FeePayer,
// an unlocked account of this node. The transaction is not submitted (spec rpc 6.10, transactions 5.1).
func (s *transactions) SignRawFeeDelegateTransaction(args Arguments, raw hexutil.Bytes) (*signedTransaction, error) {
	if args.FeePayer == nil {
		return nil, errMissingFeePayer
	}
	senderTx, err := decodeSenderTransaction(raw)
	if err != nil {
		return nil, err
	}
	wallet, account, err := s.wallet(*args.FeePayer)
	if err != nil {
		return nil, err
	}
	return s.addFeePayer(args, senderTx, wallet, account, unlocked)
}

// decodeSenderTransaction decodes the sender's transaction, which must be of type 2.
func decodeSenderTransaction(raw []byte) (*types.Transaction, error) {
	tx, err := decodeTransaction(raw)
	if err != nil {
		return nil, err
	}
	if tx.Type() != types.DynamicFeeTxType {
		return nil, errSenderType
	}
	return tx, nil
}

// signDelegated signs as fee payer the transaction that the arguments describe (spec transactions 5.4).
func (s *transactions) signDelegated(ctx context.Context, args Arguments, sign signer) (*signedTransaction, error) {
	if kind := args.kind(); kind != types.FeeDelegateTxType {
		return nil, typeMismatch(kind)
	}
	if err := args.complete(); err != nil {
		return nil, err
	}
	filled, err := s.fill(ctx, args)
	if err != nil {
		return nil, err
	}
	senderTx, err := withSenderSignature(filled, args)
	if err != nil {
		return nil, err
	}
	if err := checkFeeCap(senderTx, s.node.APIBackend().RPCTxFeeCap()); err != nil {
		return nil, err
	}
	if sender, err := s.senderOf(senderTx); err != nil {
		return nil, err
	} else if args.From == nil || *args.From != sender {
		return nil, fmt.Errorf("v, r, s sign these arguments for %v, which is not from: either from is wrong or the "+
			"sender signed other arguments", sender)
	}
	wallet, account, err := s.wallet(*args.FeePayer)
	if err != nil {
		return nil, err
	}
	return s.addFeePayer(args, senderTx, wallet, account, sign)
}

// senderOf returns the signer of a type-2 transaction for this chain.
func (s *transactions) senderOf(tx *types.Transaction) (common.Address, error) {
	chainID := s.config().ChainID
	if err := checkChain(tx, chainID); err != nil {
		return common.Address{}, err
	}
	sender, err := types.Sender(types.NewLondonSigner(chainID), tx)
	if err != nil {
		return common.Address{}, fmt.Errorf("the sender must sign first, its signature is missing or wrong: %w", err)
	}
	return sender, nil
}

// addFeePayer wraps a type-2 transaction and signs it with the account of the fee payer. An invalid sender signature
// is refused, because the fee payer would pay for a transaction of another account (spec transactions 6 no. 12).
func (s *transactions) addFeePayer(args Arguments, senderTx *types.Transaction, wallet accounts.Wallet,
	account accounts.Account, sign signer) (*signedTransaction, error) {
	sender, err := s.senderOf(senderTx)
	if err != nil {
		return nil, err
	}
	if err := args.checkSame(sender, senderTx); err != nil {
		return nil, err
	}
	tx, err := types.WrapFeeDelegated(senderTx, account.Address)
	if err != nil {
		return nil, err
	}
	chainID := s.config().ChainID
	signature, err := sign(wallet, account, tx.FeePayerSigningData(chainID))
	if err != nil {
		return nil, err
	}
	payer := types.NewFeeDelegateSigner(chainID)
	if tx, err = tx.WithSignature(payer, signature); err != nil {
		return nil, err
	}
	if err := types.VerifyFeePayer(payer, tx); err != nil {
		return nil, fmt.Errorf("wallet %v signed other data: %w", wallet.URL(), err)
	}
	return newSignedTransaction(tx)
}
