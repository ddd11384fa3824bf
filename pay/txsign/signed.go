// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txsign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// maxInput bounds a transaction that is read, in bytes: hexadecimal digits of the largest one that a pool takes, and
// its JSON object.
const maxInput = 2 << 20

// Signed is a signed transaction with what a reader wants to know of it, as it is printed.
type Signed struct {
	Raw                   hexutil.Bytes      `json:"raw"`
	Hash                  common.Hash        `json:"hash"`
	ChainID               *hexutil.Big       `json:"chainId"`
	Sender                common.Address     `json:"sender"`
	FeePayer              *common.Address    `json:"feePayer,omitempty"`
	SenderTransactionHash *common.Hash       `json:"senderTransactionHash,omitempty"`
	Tx                    *types.Transaction `json:"tx"`
}

// NewSigned checks the signatures of a transaction against the chain ID that it names.
func NewSigned(tx *types.Transaction) (*Signed, error) {
	if !tx.Protected() {
		return nil, errors.New("transaction names no chain, and could be repeated on any: sign it with a chain ID")
	}
	chainID := tx.ChainId()
	if chainID.Sign() <= 0 || chainID.BitLen() > 256 {
		return nil, errors.New("transaction names no possible chain ID: sign it again")
	}
	sender, err := types.Sender(types.NewAnzeonSigner(chainID), tx)
	if err != nil {
		return nil, fmt.Errorf("signature of the sender: %w: sign the transaction again", err)
	}
	return signedBy(sender, tx)
}

// signedBy checks the signature of the fee payer, and describes a transaction of a sender whose signature was checked.
func signedBy(sender common.Address, tx *types.Transaction) (*Signed, error) {
	chainID := tx.ChainId()
	if err := types.VerifyFeePayer(types.NewAnzeonSigner(chainID), tx); err != nil {
		return nil, fmt.Errorf("signature of the fee payer: %w: have the fee payer sign again", err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return &Signed{raw, tx.Hash(), (*hexutil.Big)(chainID), sender, tx.FeePayer(), tx.SenderTransactionHash(), tx}, nil
}

// Parse reads a signed transaction: its canonical bytes in hexadecimal, or a JSON object that has them in "raw". Its
// signatures are checked.
func Parse(input []byte) (*Signed, error) {
	if len(input) > maxInput {
		return nil, fmt.Errorf("transaction of %d characters: at most %d are read", len(input), maxInput)
	}
	text := bytes.TrimSpace(input)
	var raw hexutil.Bytes
	if bytes.HasPrefix(text, []byte("{")) {
		var object struct {
			Raw hexutil.Bytes `json:"raw"`
		}
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, fmt.Errorf("JSON of a signed transaction: %w", err)
		}
		if len(object.Raw) == 0 {
			return nil, errors.New("JSON of a signed transaction lacks \"raw\": give what gwon-dev tx sign --json prints")
		}
		raw = object.Raw
	} else if err := raw.UnmarshalText(text); err != nil {
		return nil, fmt.Errorf("signed transaction: %w: give 0x and hexadecimal digits, or the JSON of "+
			"gwon-dev tx sign --json", err)
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, fmt.Errorf("signed transaction of %d bytes: %w: copy it again", len(raw), err)
	}
	return NewSigned(tx)
}

// Cosign adds a fee payer to a sender's transaction of type 2. sign makes a signature of 65 bytes over a hash, with v
// as 0 or 1. chainID is the chain on which the fee payer wants to pay.
func Cosign(sender *Signed, chainID *big.Int, feePayer common.Address,
	sign func(hash common.Hash) ([]byte, error)) (*Signed, error) {
	if kind := sender.Tx.Type(); kind != types.DynamicFeeTxType {
		return nil, fmt.Errorf("transaction has type %#x: a fee payer pays for type 0x2 alone, signed with --fee-cap "+
			"and --tip", kind)
	}
	if signedFor := sender.ChainID.ToInt(); signedFor.Cmp(chainID) != 0 {
		return nil, fmt.Errorf("transaction is signed for chain ID %v, not %v: have the sender sign for the right chain",
			signedFor, chainID)
	}
	tx, err := types.WrapFeeDelegated(sender.Tx, feePayer)
	if err != nil {
		return nil, err
	}
	signer := types.NewFeeDelegateSigner(chainID)
	signature, err := sign(signer.Hash(tx))
	if err != nil {
		return nil, fmt.Errorf("sign as fee payer %v: %w", feePayer, err)
	}
	if tx, err = tx.WithSignature(signer, signature); err != nil {
		return nil, fmt.Errorf("sign as fee payer %v: %w", feePayer, err)
	}
	// The sender's signature was checked when sender was made, and is the same one in the result.
	return signedBy(sender.Sender, tx)
}
