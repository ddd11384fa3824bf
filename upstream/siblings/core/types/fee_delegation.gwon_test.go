// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type validFeeDelegate struct {
	Name                    string
	ChainID                 *hexutil.Big
	SenderPrivateKey        hexutil.Bytes
	FeePayerPrivateKey      hexutil.Bytes
	Sender, FeePayer        common.Address
	SenderSigningPreimage   hexutil.Bytes
	SenderSigningHash       common.Hash
	SenderType2Raw          hexutil.Bytes
	SenderType2Hash         common.Hash
	FeePayerSigningPreimage hexutil.Bytes
	FeePayerSigningHash     common.Hash
	Raw, RlpInList          hexutil.Bytes
	Hash                    common.Hash
	Size                    uint64
	JSON                    json.RawMessage
}

func validFeeDelegates(tb testing.TB) []validFeeDelegate {
	var v struct{ Vectors []validFeeDelegate }
	readVectors(tb, "fee_delegate_valid.json", &v)
	require.True(tb, len(v.Vectors) != 0, "no vectors")
	return v.Vectors
}

func rawTx(tb testing.TB, raw []byte) *Transaction {
	tb.Helper()
	tx := new(Transaction)
	must.Do(tb, tx.UnmarshalBinary(raw))
	return tx
}

// Spec transactions 1.2: encodings, hashes, both signing hashes, recovery, and the way from the sender's type-2
// transaction to the fee-delegated one.
func TestFeeDelegateValid(t *testing.T) {
	for _, v := range validFeeDelegates(t) {
		t.Run(v.Name, func(t *testing.T) {
			chainID := v.ChainID.ToInt()
			signer := NewAnzeonSigner(chainID)
			tx := rawTx(t, v.Raw)
			assert.Truef(t, tx.Hash() == v.Hash && tx.Size() == v.Size && tx.Type() == FeeDelegateTxType && tx.Protected(),
				"hash %v, size %d, type %d", tx.Hash(), tx.Size(), tx.Type())
			enc, err := tx.MarshalBinary()
			assert.Truef(t, err == nil && bytes.Equal(enc, v.Raw), "encodes to %x, %v", enc, err)
			enc, err = rlp.EncodeToBytes(tx)
			assert.Truef(t, err == nil && bytes.Equal(enc, v.RlpInList), "encodes in a list to %x, %v", enc, err)
			inList := new(Transaction)
			if err := rlp.DecodeBytes(v.RlpInList, inList); err != nil || inList.Hash() != v.Hash || inList.Size() != v.Size {
				t.Errorf("decodes in a list to %v, %v", inList.Hash(), err)
			}
			from, err := Sender(signer, tx)
			assert.Truef(t, err == nil && from == v.Sender, "sender %v, %v", from, err)
			if signer.Hash(tx) != v.SenderSigningHash || crypto.Keccak256Hash(v.SenderSigningPreimage) != v.SenderSigningHash {
				t.Errorf("sender signing hash %v, want %v", signer.Hash(tx), v.SenderSigningHash)
			}
			payerSigner := NewFeeDelegateSigner(chainID)
			assert.Equal(t, v.FeePayerSigningHash, payerSigner.Hash(tx), "payer signing hash")
			if data := tx.FeePayerSigningData(chainID); !bytes.Equal(data, v.FeePayerSigningPreimage) {
				t.Errorf("payer signing data %x, want %x", data, v.FeePayerSigningPreimage)
			}
			from, err = payerSigner.Sender(tx)
			assert.Truef(t, err == nil && from == v.Sender, "sender by the payer's signer %v, %v", from, err)
			payer := tx.FeePayer()
			assert.Truef(t, payer != nil && *payer == v.FeePayer, "payer %v, want %v", payer, v.FeePayer)
			for range 2 { // the second time from the cache
				payer, err := RecoverFeePayer(signer, tx)
				assert.Truef(t, err == nil && payer == v.FeePayer, "recovered payer %v, %v", payer, err)
				assert.NoError(t, VerifyFeePayer(signer, tx))
			}
			other := NewAnzeonSigner(new(big.Int).Add(chainID, common.Big1))
			_, err = RecoverFeePayer(other, tx)
			assert.ErrorIs(t, err, ErrInvalidChainId, "recovered the payer on another chain")

			senderTx := rawTx(t, v.SenderType2Raw)
			delegated := rawTx(t, v.Raw)
			for range 2 { // computed, then remembered
				hash := delegated.SenderTransactionHash()
				assert.Truef(t, hash != nil && *hash == v.SenderType2Hash, "sender's hash %v, want %v", hash, v.SenderType2Hash)
			}
			assert.True(t, senderTx.SenderTransactionHash() == nil, "a type-2 transaction has a sender's hash besides its own")
			assert.Equal(t, v.SenderType2Hash, senderTx.Hash(), "type-2 hash")
			wrapped := must.Get(WrapFeeDelegated(senderTx, v.FeePayer))(t)
			assert.ErrorIs(t, VerifyFeePayer(signer, wrapped), ErrInvalidFeePayer, "unsigned transaction verifies")
			key := must.Get(crypto.ToECDSA(v.FeePayerPrivateKey))(t)
			signed := must.Get(SignTx(wrapped, payerSigner, key))(t)
			enc, err = signed.MarshalBinary()
			assert.Truef(t, err == nil && bytes.Equal(enc, v.Raw), "signing gives %x, %v, want %x", enc, err, v.Raw)
			fv, fr, fs := signed.FeePayerSignature()
			assert.True(t, fv != nil && fr != nil && fs != nil && fr.Sign() != 0, "no payer signature values")
			_, err = SignTx(wrapped, signer, key)
			assert.ErrorIs(t, err, ErrTxTypeNotSupported, "the sender's signer signed a type 0x16 transaction")
			_, err = SignTx(wrapped, NewFeeDelegateSigner(common.Big1), key)
			assert.ErrorIs(t, err, ErrInvalidChainId, "signed for another chain")

			out := must.Get(json.Marshal(tx))(t)
			var want bytes.Buffer
			must.Do(t, json.Compact(&want, v.JSON))
			assert.Truef(t, string(out) == want.String(), "JSON\n%s\nwant\n%s", out, want.String())
			back := new(Transaction)
			err = json.Unmarshal(out, back)
			assert.Truef(t, err == nil && back.Hash() == v.Hash, "JSON round trip: %v, %v", back.Hash(), err)
		})
	}
}

// Spec transactions 1.2, 1.3: what each stage refuses. RLP errors carry names of Go types and are not compared.
func TestFeeDelegateInvalid(t *testing.T) {
	var v struct {
		Vectors []struct {
			Name                                     string
			NodeChainID                              json.Number
			Raw                                      hexutil.Bytes
			DecodeError, SenderError, FeePayerError  *string
			Hash                                     *common.Hash
			Sender, FeePayerField, FeePayerRecovered *common.Address
			JSON                                     json.RawMessage
			JSONRoundTripError                       *string
		}
	}
	readVectors(t, "fee_delegate_invalid.json", &v)
	require.True(t, len(v.Vectors) != 0, "no vectors")
	same := func(err error, want *string) bool {
		if err == nil || want == nil {
			return err == nil && want == nil
		}
		return err.Error() == *want
	}
	for _, v := range v.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			id, err := v.NodeChainID.Int64()
			must.Do(t, err)
			signer := NewAnzeonSigner(big.NewInt(id))
			tx := new(Transaction)
			err = tx.UnmarshalBinary(v.Raw)
			if v.DecodeError != nil {
				require.Errorf(t, err, "decodes, want %q", *v.DecodeError)
				assert.Truef(t, strings.HasPrefix(*v.DecodeError, "rlp:") || err.Error() == *v.DecodeError,
					"error %q, want %q", err, *v.DecodeError)
				return
			}
			must.Do(t, err)
			assert.Truef(t, tx.Hash() == *v.Hash, "hash %v, want %v", tx.Hash(), v.Hash)
			sender, err := Sender(signer, tx)
			assert.Truef(t, same(err, v.SenderError) && (err != nil || sender == *v.Sender),
				"sender %v, %v, want %v", sender, err, v.Sender)
			if tx.Type() == FeeDelegateTxType {
				if got := tx.FeePayer(); (got == nil) != (v.FeePayerField == nil) || got != nil && *got != *v.FeePayerField {
					t.Errorf("payer field %v, want %v", got, v.FeePayerField)
				}
				payer, err := RecoverFeePayer(signer, tx)
				assert.Truef(t, same(err, v.FeePayerError) && (err != nil || payer == *v.FeePayerRecovered),
					"recovered payer %v, %v, want %v", payer, err, v.FeePayerRecovered)
				valid := v.FeePayerError == nil && v.FeePayerField != nil && *v.FeePayerField == *v.FeePayerRecovered
				if err := VerifyFeePayer(signer, tx); (err == nil) != valid || err != nil && !errors.Is(err, ErrInvalidFeePayer) {
					t.Errorf("payer verifies as %v", err)
				}
			}
			if len(v.JSON) == 0 || string(v.JSON) == "null" {
				return
			}
			back := new(Transaction)
			err = json.Unmarshal(v.JSON, back)
			if v.JSONRoundTripError != nil && strings.HasPrefix(*v.JSONRoundTripError, "json:") {
				assert.Truef(t, err != nil && strings.Contains(err.Error(), "cannot unmarshal hex number > 256 bits"),
					"JSON error %v, want %q", err, *v.JSONRoundTripError)
			} else if !same(err, v.JSONRoundTripError) {
				t.Errorf("JSON error %v, want %v", err, v.JSONRoundTripError)
			}
			if err == nil && back.Hash() != *v.Hash {
				t.Errorf("hash after JSON %v, want %v", back.Hash(), v.Hash)
			}
			out, err := json.Marshal(tx)
			var compact bytes.Buffer
			must.Do(t, json.Compact(&compact, v.JSON))
			if tx.Type() == FeeDelegateTxType && (err != nil || string(out) != compact.String()) {
				t.Errorf("JSON %s, %v, want %s", out, err, compact.String())
			}
		})
	}
}

// Spec transactions 1.3: required keys and checks of the JSON form.
func TestFeeDelegateJSONRefuses(t *testing.T) {
	var v struct {
		Vectors []struct {
			Name  string
			JSON  json.RawMessage
			Error *string
			Hash  *common.Hash
		}
	}
	readVectors(t, "fee_delegate_json.json", &v)
	require.True(t, len(v.Vectors) != 0, "no vectors")
	for _, v := range v.Vectors {
		tx := new(Transaction)
		err := json.Unmarshal(v.JSON, tx)
		switch {
		case v.Error != nil && (err == nil || err.Error() != *v.Error):
			t.Errorf("%s: error %v, want %q", v.Name, err, *v.Error)
		case v.Error == nil && err != nil:
			t.Errorf("%s: %v", v.Name, err)
		case v.Error == nil && tx.Hash() != *v.Hash:
			t.Errorf("%s: hash %v, want %v", v.Name, tx.Hash(), v.Hash)
		}
	}
}

// Spec transactions 1.3: the access list is an empty list, never null.
func TestFeeDelegateJSONAccessList(t *testing.T) {
	for _, v := range validFeeDelegates(t)[:1] {
		var object map[string]json.RawMessage
		must.Do(t, json.Unmarshal(v.JSON, &object))
		delete(object, "accessList")
		in := must.Get(json.Marshal(object))(t)
		tx := new(Transaction)
		must.Do(t, json.Unmarshal(in, tx))
		out, err := json.Marshal(tx)
		assert.Truef(t, err == nil && bytes.Contains(out, []byte(`"accessList":[]`)), "JSON %s, %v", out, err)
	}
}

func anzeonTestConfig() *params.ChainConfig {
	config := *params.TestChainConfig
	config.ChainID = big.NewInt(8283)
	config.Anzeon = new(params.AnzeonConfig)
	return &config
}

// Spec transactions 1.1, "Signer selection": the same signer for every block, or the sender cache would never hit.
func TestAnzeonSignerSelection(t *testing.T) {
	config := anzeonTestConfig()
	latest := LatestSigner(config)
	made := MakeSigner(config, new(big.Int), 0)
	assert.True(t, made.Equal(latest) && latest.Equal(made) && made.Equal(NewAnzeonSigner(config.ChainID)),
		"signers of the latest and of a given block differ")
	if latest.Equal(NewAnzeonSigner(big.NewInt(8282))) || latest.Equal(NewFeeDelegateSigner(config.ChainID)) ||
		latest.Equal(NewPragueSigner(config.ChainID)) || NewPragueSigner(config.ChainID).Equal(latest) {
		t.Error("different signers are equal")
	}
	key := must.Get(crypto.ToECDSA(bytes.Repeat([]byte{1}, 32)))(t)
	addr := crypto.PubkeyToAddress(key.PublicKey)
	to := common.Address{1}
	for _, txdata := range []TxData{
		&LegacyTx{To: &to},
		&AccessListTx{ChainID: config.ChainID, To: &to},
		&DynamicFeeTx{ChainID: config.ChainID, To: &to},
		&SetCodeTx{ChainID: uint256.MustFromBig(config.ChainID), To: to},
	} {
		tx, err := SignNewTx(key, latest, txdata)
		require.NoErrorf(t, err, "%T", txdata)
		from, err := Sender(latest, tx)
		assert.Truef(t, err == nil && from == addr, "%T: sender %v, %v", txdata, from, err)
		if VerifyFeePayer(latest, tx) != nil || tx.FeePayer() != nil || tx.FeePayerSigningData(config.ChainID) != nil {
			t.Errorf("%T: has a fee payer", txdata)
		}
		_, err = RecoverFeePayer(latest, tx)
		assert.ErrorIsf(t, err, ErrTxTypeNotSupported, "%T: recovered a fee payer", txdata)
		v, r, s := tx.FeePayerSignature()
		assert.Truef(t, v == nil && r == nil && s == nil, "%T: has a fee payer signature", txdata)
		if tx.Type() != DynamicFeeTxType {
			_, err := WrapFeeDelegated(tx, to)
			assert.Truef(t, err != nil && err.Error() == "senderTx type error", "%T: wrapped: %v", txdata, err)
		}
	}
	unprotected := must.Get(SignNewTx(key, HomesteadSigner{}, &LegacyTx{To: &to}))(t)
	from, err := Sender(latest, unprotected)
	assert.Truef(t, err == nil && from == addr, "unprotected: sender %v, %v", from, err)
	blob := NewTx(&BlobTx{ChainID: uint256.MustFromBig(config.ChainID)})
	_, err = Sender(latest, blob)
	assert.ErrorIs(t, err, ErrTxTypeNotSupported, "blob transaction")
	// Inert: no other chain knows type 0x16.
	tx := rawTx(t, validFeeDelegates(t)[0].Raw)
	config.Anzeon = nil
	for _, s := range []Signer{
		MakeSigner(config, new(big.Int), 0), LatestSigner(config), LatestSignerForChainID(config.ChainID),
	} {
		_, err := s.Sender(tx)
		assert.ErrorIsf(t, err, ErrTxTypeNotSupported, "%T accepts type 0x16", s)
	}
	_, err = RecoverFeePayer(HomesteadSigner{}, tx)
	assert.ErrorIs(t, err, ErrInvalidChainId, "recovered a fee payer without chain ID")
}

// Spec transactions 1.2, "Accessors" and "Caches".
func TestFeeDelegateAccessors(t *testing.T) {
	v := validFeeDelegates(t)[0]
	tx, senderTx := rawTx(t, v.Raw), rawTx(t, v.SenderType2Raw)
	if tx.GasPrice().Cmp(senderTx.GasFeeCap()) != 0 || tx.GasFeeCap().Cmp(senderTx.GasFeeCap()) != 0 ||
		tx.GasTipCap().Cmp(senderTx.GasTipCap()) != 0 || tx.Cost().Cmp(senderTx.Cost()) != 0 ||
		tx.Gas() != senderTx.Gas() || tx.Nonce() != senderTx.Nonce() || *tx.To() != *senderTx.To() ||
		tx.Value().Cmp(senderTx.Value()) != 0 || !bytes.Equal(tx.Data(), senderTx.Data()) ||
		tx.ChainId().Cmp(senderTx.ChainId()) != 0 {
		t.Error("accessors differ from the sender's transaction")
	}
	assert.True(t, tx.BlobGas() == 0 && tx.BlobHashes() == nil && tx.SetCodeAuthorizations() == nil,
		"fields of other types are set")
	base := big.NewInt(20_000_000_000_000)
	a, b := tx.EffectiveGasTipValue(base), senderTx.EffectiveGasTipValue(base)
	assert.Truef(t, a.Cmp(b) == 0, "effective tip %v, want %v", a, b)
	price, want := tx.inner.effectiveGasPrice(new(big.Int), base), senderTx.inner.effectiveGasPrice(new(big.Int), base)
	assert.Truef(t, price.Cmp(want) == 0, "effective price %v, want %v", price, want)
	*tx.FeePayer() = common.Address{}
	assert.True(t, *tx.FeePayer() == v.FeePayer, "FeePayer hands out its field")
	empty := NewTx(new(FeeDelegateTx))
	_, err := empty.MarshalBinary()
	assert.NoError(t, err)
	assert.True(t, empty.FeePayer() == nil && VerifyFeePayer(NewAnzeonSigner(common.Big1), empty) != nil,
		"an absent payer verifies")
	signer := NewAnzeonSigner(v.ChainID.ToInt())
	must.Get(RecoverFeePayer(signer, tx))(t)
	// A changed signature must not find the old payer in the cache.
	forged := must.Get(tx.WithSignature(NewFeeDelegateSigner(v.ChainID.ToInt()), bytes.Repeat([]byte{1}, 65)))(t)
	assert.ErrorIs(t, VerifyFeePayer(signer, forged), ErrInvalidFeePayer, "forged signature")
	assert.NoError(t, VerifyFeePayer(signer, tx))
	_, err = tx.WithSignature(NewFeeDelegateSigner(v.ChainID.ToInt()), []byte{1})
	assert.Error(t, err, "took a signature of one byte")
}

func TestSenderCost(t *testing.T) {
	v := validFeeDelegates(t)[0]
	fresh := func() *Transaction { return rawTx(t, v.Raw) }
	tx := fresh()
	require.True(t, tx.Value().Sign() != 0, "the vector moves no value")
	cached := fresh()
	must.Get(Sender(NewAnzeonSigner(v.ChainID.ToInt()), cached))(t)
	senderTx := rawTx(t, v.SenderType2Raw)
	self := must.Get(WrapFeeDelegated(senderTx, v.Sender))(t)
	selfCached := NewTx(self.inner)
	must.Get(Sender(NewAnzeonSigner(v.ChainID.ToInt()), selfCached))(t)
	absent := fresh()
	absent.inner.(*FeeDelegateTx).FeePayer = nil
	unsigned := NewTx(&FeeDelegateTx{
		SenderTx: DynamicFeeTx{ChainID: v.ChainID.ToInt(), Gas: 1, GasFeeCap: common.Big1},
		FeePayer: &v.FeePayer,
	})
	noChain := NewTx(&FeeDelegateTx{SenderTx: DynamicFeeTx{Gas: 1, GasFeeCap: common.Big1}, FeePayer: &v.FeePayer})
	for _, c := range []struct {
		name string
		tx   *Transaction
		want *big.Int
	}{
		{"delegated", tx, tx.Value()},
		{"delegated, sender known", cached, tx.Value()},
		{"type 2", senderTx, senderTx.Cost()},
		{"payer is the sender", self, tx.Cost()},
		{"payer is the sender, sender known", selfCached, tx.Cost()},
		{"no payer", absent, tx.Cost()},
		{"no sender", unsigned, common.Big1},
		{"no chain ID", noChain, common.Big1},
	} {
		got := c.tx.SenderCost()
		assert.Truef(t, got.Cmp(c.want) == 0, "%s: %v, want %v", c.name, got, c.want)
	}
}

func FuzzFeeDelegateTx(f *testing.F) {
	for _, v := range validFeeDelegates(f) {
		f.Add([]byte(v.Raw))
	}
	signer := NewAnzeonSigner(big.NewInt(8283))
	f.Fuzz(func(t *testing.T, raw []byte) {
		tx := new(Transaction)
		if len(raw) == 0 || raw[0] != FeeDelegateTxType || tx.UnmarshalBinary(raw) != nil {
			return
		}
		enc, err := tx.MarshalBinary()
		require.Truef(t, err == nil && bytes.Equal(enc, raw), "encodes to %x, %v", enc, err)
		require.True(t, tx.Hash() == crypto.Keccak256Hash(raw) && tx.Size() == uint64(len(raw)),
			"hash or size differ from the encoding's")
		tx.SenderCost()
		payer, err := RecoverFeePayer(signer, tx)
		valid := err == nil && tx.FeePayer() != nil && *tx.FeePayer() == payer
		require.True(t, valid == (VerifyFeePayer(signer, tx) == nil), "recovery and verification disagree")
		out := must.Get(json.Marshal(tx))(t)
		back := new(Transaction)
		require.True(t, json.Unmarshal(out, back) != nil || back.Hash() == tx.Hash(), "JSON changes the transaction")
	})
}
