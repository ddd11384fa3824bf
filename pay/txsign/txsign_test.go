// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txsign

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/json"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"pgregory.net/rapid"

	"gwon/internal/amounts"
	"gwon/internal/expect"
	"gwon/internal/must"
)

func testKey(t testing.TB, n byte) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(crypto.ToECDSA(bytes.Repeat([]byte{n}, 32)))(t)
}

// TestCoinsAreExact prints and reads any amount.
func TestCoinsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wei := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "wei"))
		if again, err := amounts.Parse(FormatCoins(wei), ""); err != nil || again.Cmp(wei) != 0 {
			t.Errorf("%v is printed as %s and read as %v (%v)", wei, FormatCoins(wei), again, err)
		}
	})
}

// signed returns a transaction that the account of testKey 1 has signed for testnet.
func signed(t testing.TB) *Signed {
	t.Helper()
	tx := types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(8283), Nonce: 7, To: &common.Address{19: 1}, Gas: 21000})
	return must.Get(NewSigned(must.Get(types.SignTx(tx, types.NewLondonSigner(tx.ChainId()), testKey(t, 1)))(t)))(t)
}

// TestCosignedIsTheNodes makes the transaction that the node's own packages make.
// spec: transactions 1.2
func TestCosignedIsTheNodes(t *testing.T) {
	sender, payerKey := signed(t), testKey(t, 2)
	payer := crypto.PubkeyToAddress(payerKey.PublicKey)
	chainID := big.NewInt(8283)
	cosigned, err := Cosign(sender, chainID, payer, func(hash common.Hash) ([]byte, error) {
		return crypto.Sign(hash[:], payerKey)
	})
	must.Do(t, err)
	want := must.Get(types.WrapFeeDelegated(sender.Tx, payer))(t)
	want = must.Get(types.SignTx(want, types.NewFeeDelegateSigner(chainID), payerKey))(t)
	expect.That(t, cosigned.Hash == want.Hash() && *cosigned.FeePayer == payer &&
		*cosigned.SenderTransactionHash == sender.Hash && cosigned.Sender == sender.Sender,
		"made %+v, want %v", cosigned, want.Hash())
	encoded := must.Get(json.Marshal(cosigned))(t)
	for name, input := range map[string][]byte{"JSON": encoded, "hex": []byte(cosigned.Raw.String() + "\n")} {
		again, err := Parse(input)
		expect.That(t, err == nil && again.Hash == cosigned.Hash, "%s: %v", name, err)
	}
	expect.Refused(t, expect.Err(Cosign(cosigned, chainID, payer, nil)), "a second fee payer was added")
	_, err = Cosign(sender, big.NewInt(8282), payer, nil)
	expect.Says(t, err, "chain ID 8283, not 8282", "paid for another chain")
	expect.Refused(t, expect.Err(Cosign(sender, chainID, payer, func(hash common.Hash) ([]byte, error) {
		return crypto.Sign(hash[:], testKey(t, 3))
	})), "another key signed for the fee payer")
}

// FuzzParse: what is read is printed the same.
func FuzzParse(f *testing.F) {
	s := signed(f)
	encoded := must.Get(json.Marshal(s))(f)
	f.Add(encoded)
	f.Add([]byte(s.Raw.String()))
	f.Fuzz(func(t *testing.T, input []byte) {
		parsed, err := Parse(input)
		if err != nil {
			return
		}
		again, err := Parse([]byte(parsed.Raw.String()))
		expect.That(t, err == nil && again.Hash == parsed.Hash && again.Sender == parsed.Sender,
			"%v is read again as %v (%v)", parsed, again, err)
	})
}
