// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// SignAsSender signs a type-2 transaction for the chain that its ChainID names. The result can be submitted as it is,
// or be handed to a fee payer.
func SignAsSender(tx *types.DynamicFeeTx, key *ecdsa.PrivateKey) (*types.Transaction, error) {
	if tx.ChainID == nil || tx.ChainID.Sign() <= 0 {
		return nil, &EncodingError{Reason: "chain ID is missing: set it to the network's"}
	}
	signed, err := types.SignNewTx(key, types.NewLondonSigner(tx.ChainID), tx)
	if err != nil {
		return nil, fmt.Errorf("sign as sender: %w", err)
	}
	return signed, nil
}

// AddFeePayer makes a type 0x16 transaction of a sender's signed type-2 transaction, with the fee payer's signature.
// The sender's signature is checked before: a fee payer could otherwise pay for a stranger.
//
// Errors are *TypeError for other types than 2, *ChainError and *SignatureError.
func AddFeePayer(senderTx *types.Transaction, chainID *big.Int, feePayer *ecdsa.PrivateKey) (*Transaction, error) {
	if err := checkSenderTx(senderTx, chainID); err != nil {
		return nil, err
	}
	account := crypto.PubkeyToAddress(feePayer.PublicKey)
	hash, err := FeePayerHash(senderTx, account)
	if err != nil {
		return nil, err
	}
	signature, err := crypto.Sign(hash[:], feePayer)
	if err != nil {
		return nil, fmt.Errorf("sign as fee payer: %w", err)
	}
	return WithFeePayer(senderTx, chainID, account, signature)
}

// WithFeePayer makes a type 0x16 transaction of a sender's signed type-2 transaction and a fee payer's signature over
// FeePayerHash. The signature has 65 bytes: r, s, and v as 0 or 1.
//
// Errors are those of AddFeePayer, and *FeePayerError for another account's signature.
func WithFeePayer(senderTx *types.Transaction, chainID *big.Int, feePayer common.Address,
	signature []byte) (*Transaction, error) {
	if err := checkSenderTx(senderTx, chainID); err != nil {
		return nil, err
	}
	if len(signature) != crypto.SignatureLength {
		return nil, &SignatureError{By: FeePayer, Reason: fmt.Sprintf("has %d bytes, not %d", len(signature),
			crypto.SignatureLength)}
	}
	tx := &Transaction{senderTx, &feePayerPart{
		account: feePayer,
		v:       new(big.Int).SetUint64(uint64(signature[crypto.RecoveryIDOffset])),
		r:       new(big.Int).SetBytes(signature[:32]),
		s:       new(big.Int).SetBytes(signature[32:64]),
	}}
	if _, _, err := tx.Check(chainID); err != nil {
		return nil, err
	}
	return tx, nil
}

// FeePayerHash returns the hash that the fee payer signs: of the sender's transaction with its signature, and of the
// fee payer's address. The error is a *TypeError for other types than 2.
func FeePayerHash(senderTx *types.Transaction, feePayer common.Address) (common.Hash, error) {
	if senderTx.Type() != types.DynamicFeeTxType {
		return common.Hash{}, notSponsored(senderTx.Type())
	}
	return crypto.Keccak256Hash(typed(&feePayerPreimage{dynamicFeeTx(senderTx), feePayer})), nil
}

// checkSenderTx refuses what a fee payer must not sign.
func checkSenderTx(tx *types.Transaction, chainID *big.Int) error {
	if tx.Type() != types.DynamicFeeTxType {
		return notSponsored(tx.Type())
	}
	_, err := Plain(tx).Sender(chainID)
	return err
}

func notSponsored(kind byte) error {
	return &TypeError{Type: kind, Remedy: "a fee payer pays for type 0x2 alone; give maxFeePerGas and " +
		"maxPriorityFeePerGas, no gasPrice"}
}
