// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	assert.Equal(t, 1, AdoptSigners([]*Transaction{fresh, other, pooled}, find), "transactions found")
	payerOf := func(tx *Transaction) *payerCache { return tx.inner.(*FeeDelegateTx).payer.Load() }
	from := fresh.from.Load()
	assert.True(t, from != nil && from == pooled.from.Load(), "the sender was not taken over")
	have := payerOf(fresh)
	assert.True(t, have != nil && have == payerOf(pooled), "the fee payer was not taken over")
	assert.True(t, other.from.Load() == nil, "a transaction that the pool does not have has got a sender")
	err := VerifyFeePayer(signer, fresh)
	assert.Truef(t, err == nil && payerOf(fresh) == payerOf(pooled), "the fee payer was recovered again, error %v", err)

	// The fee payer's signature is under the hash: with another one it is another transaction (spec transactions 1.2).
	forged := again(pooled)
	fd := forged.inner.(*FeeDelegateTx)
	fd.FS.Add(fd.FS, common.Big1)
	assert.True(t, AdoptSigners([]*Transaction{forged}, find) == 0 && forged.from.Load() == nil,
		"a changed fee payer signature goes under the same hash")
	assert.Equal(t, 0, AdoptSigners([]*Transaction{again(pooled)}, nil), "found without a look-up")
}

// A fee payer's signature that recovers to no account is looked at once, and once more on another chain.
func TestFailedFeePayerRecoveryIsKept(t *testing.T) {
	signer := NewAnzeonSigner(common.Big1)
	tx := NewTx(&FeeDelegateTx{SenderTx: DynamicFeeTx{ChainID: common.Big1}, FeePayer: new(common.Address),
		FV: common.Big2, FR: common.Big1, FS: common.Big1})
	_, first := RecoverFeePayer(signer, tx)
	kept := tx.inner.(*FeeDelegateTx).payer.Load()
	require.Truef(t, errors.Is(first, ErrInvalidSig) && kept != nil, "error %v, kept %v", first, kept)
	if _, err := RecoverFeePayer(signer, tx); !errors.Is(err, first) || tx.inner.(*FeeDelegateTx).payer.Load() != kept {
		t.Errorf("recovered again: error %v", err)
	}
	assert.ErrorIs(t, VerifyFeePayer(signer, tx), ErrInvalidFeePayer)
	_, err := RecoverFeePayer(NewAnzeonSigner(common.Big2), tx)
	assert.ErrorIs(t, err, ErrInvalidChainId, "on another chain")
}
