// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// TestImpersonation checks that an impersonated signature names its account where that is allowed, and is an ordinary
// signature of a random account everywhere else.
func TestImpersonation(t *testing.T) {
	t.Cleanup(func() { AllowImpersonation(false) })
	chainID, account := big.NewInt(1337), common.HexToAddress("0x00000000000000000000000000000000000000aa")
	signer := NewAnzeonSigner(chainID)
	for name, inner := range map[string]TxData{
		"legacy":      &LegacyTx{Nonce: 1, Gas: 21_000, GasPrice: big.NewInt(1)},
		"access list": &AccessListTx{ChainID: chainID, Nonce: 1, Gas: 21_000, GasPrice: big.NewInt(1)},
		"dynamic fee": &DynamicFeeTx{
			ChainID: chainID, Nonce: 1, Gas: 21_000, GasFeeCap: big.NewInt(1), GasTipCap: big.NewInt(1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			AllowImpersonation(true)
			tx, err := NewTx(inner).WithSignature(signer, Impersonate(account))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := tx.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			decode := func() *Transaction {
				decoded := new(Transaction)
				if err := decoded.UnmarshalBinary(raw); err != nil {
					t.Fatal(err)
				}
				return decoded
			}
			if from, err := Sender(signer, decode()); err != nil || from != account {
				t.Errorf("allowed: sender %v, error %v", from, err)
			}
			if decode().Hash() != tx.Hash() {
				t.Error("the hash is not stable")
			}
			AllowImpersonation(false)
			if from, err := Sender(signer, decode()); err == nil && from == account {
				t.Error("not allowed: the account is impersonated")
			}
		})
	}
}

// TestImpersonatedFeePayer checks the same for the signature of a fee payer.
func TestImpersonatedFeePayer(t *testing.T) {
	AllowImpersonation(true)
	t.Cleanup(func() { AllowImpersonation(false) })
	chainID, sender, payer := big.NewInt(1337), common.Address{0xaa}, common.Address{0xbb}
	inner := NewTx(&DynamicFeeTx{ChainID: chainID, Gas: 21_000, GasFeeCap: big.NewInt(1), GasTipCap: big.NewInt(1)})
	tx, err := inner.WithSignature(NewAnzeonSigner(chainID), Impersonate(sender))
	if err != nil {
		t.Fatal(err)
	}
	if tx, err = WrapFeeDelegated(tx, payer); err != nil {
		t.Fatal(err)
	}
	signer := NewFeeDelegateSigner(chainID)
	if tx, err = tx.WithSignature(signer, Impersonate(payer)); err != nil {
		t.Fatal(err)
	}
	if from, err := Sender(signer, tx); err != nil || from != sender {
		t.Errorf("sender %v, error %v", from, err)
	}
	if err := VerifyFeePayer(signer, tx); err != nil {
		t.Error(err)
	}
}
