// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

// A signature names its signer where a developer chain says so, for senders and fee payers alike. Everywhere else the
// same bytes are a signature like any other.
func TestNamedSigners(t *testing.T) {
	chainID, sender, payer := big.NewInt(1337), common.Address{0xaa}, common.Address{0xbb}
	signatures := map[common.Address][]byte{}
	for i, account := range []common.Address{sender, payer} {
		signature := make([]byte, 65)
		signature[31], signature[63] = byte(i+1), 1
		signatures[account] = signature
	}
	t.Cleanup(func() { NameSigners(nil) })
	NameSigners(func(r, _ *big.Int) (common.Address, bool) {
		switch r.Uint64() {
		case 1:
			return sender, true
		case 2:
			return payer, true
		}
		return common.Address{}, false
	})
	inner := NewTx(&DynamicFeeTx{ChainID: chainID, Gas: 21_000, GasFeeCap: big.NewInt(1), GasTipCap: big.NewInt(1)})
	tx := must.Get(inner.WithSignature(NewAnzeonSigner(chainID), signatures[sender]))(t)
	raw := must.Get(tx.MarshalBinary())(t)
	tx = must.Get(WrapFeeDelegated(tx, payer))(t)
	signer := NewFeeDelegateSigner(chainID)
	tx = must.Get(tx.WithSignature(signer, signatures[payer]))(t)
	from, err := Sender(signer, tx)
	assert.Truef(t, err == nil && from == sender, "sender %v, error %v", from, err)
	assert.NoError(t, VerifyFeePayer(signer, tx))
	assert.True(t, NamesSender(tx), "the sender is not named")
	NameSigners(nil)
	assert.False(t, NamesSender(tx), "the sender is named without a developer chain")
	decoded := new(Transaction)
	must.Do(t, decoded.UnmarshalBinary(raw))
	from, err = Sender(NewAnzeonSigner(chainID), decoded)
	assert.True(t, err != nil || from != sender, "without a developer chain a signature names its sender")
}
