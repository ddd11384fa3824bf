// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
)

// Transactions that were decoded again take over sender and fee payer of the object that the pool has, and nothing from
// objects of other transactions.
func TestAdoptSigners(t *testing.T) {
	signer := NewAnzeonSigner(common.Big1)
	sender, _ := crypto.GenerateKey()
	payer, _ := crypto.GenerateKey()
	inner := MustSignNewTx(sender, signer, &DynamicFeeTx{ChainID: common.Big1, Gas: 21000})
	wrapped := must.Get(WrapFeeDelegated(inner, crypto.PubkeyToAddress(payer.PublicKey)))(t)
	pooled := must.Get(SignTx(wrapped, NewFeeDelegateSigner(common.Big1), payer))(t)
	must.Get(Sender(signer, pooled))(t)
	must.Do(t, VerifyFeePayer(signer, pooled))
	again := func(tx *Transaction) *Transaction {
		data := must.Get(tx.MarshalBinary())(t)
		fresh := new(Transaction)
		must.Do(t, fresh.UnmarshalBinary(data))
		return fresh
	}
	pool := map[common.Hash]*Transaction{pooled.Hash(): pooled}
	find := func(hash common.Hash) *Transaction { return pool[hash] }

	fresh, other := again(pooled), again(inner)
	if n := AdoptSigners([]*Transaction{fresh, other, pooled}, find); n != 1 {
		t.Errorf("%d transactions found, want 1", n)
	}
	payerOf := func(tx *Transaction) *payerCache { return tx.inner.(*FeeDelegateTx).payer.Load() }
	if from := fresh.from.Load(); from == nil || from != pooled.from.Load() {
		t.Error("the sender was not taken over")
	}
	if have := payerOf(fresh); have == nil || have != payerOf(pooled) {
		t.Error("the fee payer was not taken over")
	}
	if other.from.Load() != nil {
		t.Error("a transaction that the pool does not have has got a sender")
	}
	if err := VerifyFeePayer(signer, fresh); err != nil || payerOf(fresh) != payerOf(pooled) {
		t.Errorf("the fee payer was recovered again, error %v", err)
	}

	// The fee payer's signature is under the hash: with another one it is another transaction (spec transactions 1.2).
	forged := again(pooled)
	fd := forged.inner.(*FeeDelegateTx)
	fd.FS.Add(fd.FS, common.Big1)
	if n := AdoptSigners([]*Transaction{forged}, find); n != 0 || forged.from.Load() != nil {
		t.Error("a changed fee payer signature goes under the same hash")
	}
	if AdoptSigners([]*Transaction{again(pooled)}, nil) != 0 {
		t.Error("found without a look-up")
	}
}

// A fee payer's signature that recovers to no account is looked at once, and once more on another chain.
func TestFailedFeePayerRecoveryIsKept(t *testing.T) {
	signer := NewAnzeonSigner(common.Big1)
	tx := NewTx(&FeeDelegateTx{SenderTx: DynamicFeeTx{ChainID: common.Big1}, FeePayer: new(common.Address),
		FV: common.Big2, FR: common.Big1, FS: common.Big1})
	_, first := RecoverFeePayer(signer, tx)
	kept := tx.inner.(*FeeDelegateTx).payer.Load()
	if !errors.Is(first, ErrInvalidSig) || kept == nil {
		t.Fatalf("error %v, kept %v", first, kept)
	}
	if _, err := RecoverFeePayer(signer, tx); !errors.Is(err, first) || tx.inner.(*FeeDelegateTx).payer.Load() != kept {
		t.Errorf("recovered again: error %v", err)
	}
	if err := VerifyFeePayer(signer, tx); !errors.Is(err, ErrInvalidFeePayer) {
		t.Errorf("error %v", err)
	}
	if _, err := RecoverFeePayer(NewAnzeonSigner(common.Big2), tx); !errors.Is(err, ErrInvalidChainId) {
		t.Errorf("on another chain: error %v", err)
	}
}
