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
	if len(v.Vectors) == 0 {
		tb.Fatal("no vectors")
	}
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
			if tx.Hash() != v.Hash || tx.Size() != v.Size || tx.Type() != FeeDelegateTxType || !tx.Protected() {
				t.Errorf("hash %v, size %d, type %d", tx.Hash(), tx.Size(), tx.Type())
			}
			if enc, err := tx.MarshalBinary(); err != nil || !bytes.Equal(enc, v.Raw) {
				t.Errorf("encodes to %x, %v", enc, err)
			}
			if enc, err := rlp.EncodeToBytes(tx); err != nil || !bytes.Equal(enc, v.RlpInList) {
				t.Errorf("encodes in a list to %x, %v", enc, err)
			}
			inList := new(Transaction)
			if err := rlp.DecodeBytes(v.RlpInList, inList); err != nil || inList.Hash() != v.Hash || inList.Size() != v.Size {
				t.Errorf("decodes in a list to %v, %v", inList.Hash(), err)
			}
			if from, err := Sender(signer, tx); err != nil || from != v.Sender {
				t.Errorf("sender %v, %v", from, err)
			}
			if signer.Hash(tx) != v.SenderSigningHash || crypto.Keccak256Hash(v.SenderSigningPreimage) != v.SenderSigningHash {
				t.Errorf("sender signing hash %v, want %v", signer.Hash(tx), v.SenderSigningHash)
			}
			payerSigner := NewFeeDelegateSigner(chainID)
			if payerSigner.Hash(tx) != v.FeePayerSigningHash {
				t.Errorf("payer signing hash %v, want %v", payerSigner.Hash(tx), v.FeePayerSigningHash)
			}
			if data := tx.FeePayerSigningData(chainID); !bytes.Equal(data, v.FeePayerSigningPreimage) {
				t.Errorf("payer signing data %x, want %x", data, v.FeePayerSigningPreimage)
			}
			if from, err := payerSigner.Sender(tx); err != nil || from != v.Sender {
				t.Errorf("sender by the payer's signer %v, %v", from, err)
			}
			if payer := tx.FeePayer(); payer == nil || *payer != v.FeePayer {
				t.Errorf("payer %v, want %v", payer, v.FeePayer)
			}
			for range 2 { // the second time from the cache
				if payer, err := RecoverFeePayer(signer, tx); err != nil || payer != v.FeePayer {
					t.Errorf("recovered payer %v, %v", payer, err)
				}
				if err := VerifyFeePayer(signer, tx); err != nil {
					t.Error(err)
				}
			}
			other := NewAnzeonSigner(new(big.Int).Add(chainID, common.Big1))
			if _, err := RecoverFeePayer(other, tx); !errors.Is(err, ErrInvalidChainId) {
				t.Errorf("recovered the payer on another chain: %v", err)
			}

			senderTx := rawTx(t, v.SenderType2Raw)
			delegated := rawTx(t, v.Raw)
			for range 2 { // computed, then remembered
				if hash := delegated.SenderTransactionHash(); hash == nil || *hash != v.SenderType2Hash {
					t.Errorf("sender's hash %v, want %v", hash, v.SenderType2Hash)
				}
			}
			if senderTx.SenderTransactionHash() != nil {
				t.Error("a type-2 transaction has a sender's hash besides its own")
			}
			if senderTx.Hash() != v.SenderType2Hash {
				t.Errorf("type-2 hash %v, want %v", senderTx.Hash(), v.SenderType2Hash)
			}
			wrapped := must.Get(WrapFeeDelegated(senderTx, v.FeePayer))(t)
			if err := VerifyFeePayer(signer, wrapped); !errors.Is(err, ErrInvalidFeePayer) {
				t.Errorf("unsigned transaction verifies: %v", err)
			}
			key := must.Get(crypto.ToECDSA(v.FeePayerPrivateKey))(t)
			signed := must.Get(SignTx(wrapped, payerSigner, key))(t)
			if enc, err := signed.MarshalBinary(); err != nil || !bytes.Equal(enc, v.Raw) {
				t.Errorf("signing gives %x, %v, want %x", enc, err, v.Raw)
			}
			if fv, fr, fs := signed.FeePayerSignature(); fv == nil || fr == nil || fs == nil || fr.Sign() == 0 {
				t.Error("no payer signature values")
			}
			if _, err := SignTx(wrapped, signer, key); !errors.Is(err, ErrTxTypeNotSupported) {
				t.Errorf("the sender's signer signed a type 0x16 transaction: %v", err)
			}
			if _, err := SignTx(wrapped, NewFeeDelegateSigner(common.Big1), key); !errors.Is(err, ErrInvalidChainId) {
				t.Errorf("signed for another chain: %v", err)
			}

			out := must.Get(json.Marshal(tx))(t)
			var want bytes.Buffer
			must.Do(t, json.Compact(&want, v.JSON))
			if string(out) != want.String() {
				t.Errorf("JSON\n%s\nwant\n%s", out, want.String())
			}
			back := new(Transaction)
			if err := json.Unmarshal(out, back); err != nil || back.Hash() != v.Hash {
				t.Errorf("JSON round trip: %v, %v", back.Hash(), err)
			}
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
	if len(v.Vectors) == 0 {
		t.Fatal("no vectors")
	}
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
				if err == nil {
					t.Fatalf("decodes, want %q", *v.DecodeError)
				}
				if !strings.HasPrefix(*v.DecodeError, "rlp:") && err.Error() != *v.DecodeError {
					t.Errorf("error %q, want %q", err, *v.DecodeError)
				}
				return
			}
			must.Do(t, err)
			if tx.Hash() != *v.Hash {
				t.Errorf("hash %v, want %v", tx.Hash(), v.Hash)
			}
			sender, err := Sender(signer, tx)
			if !same(err, v.SenderError) || err == nil && sender != *v.Sender {
				t.Errorf("sender %v, %v, want %v", sender, err, v.Sender)
			}
			if tx.Type() == FeeDelegateTxType {
				if got := tx.FeePayer(); (got == nil) != (v.FeePayerField == nil) || got != nil && *got != *v.FeePayerField {
					t.Errorf("payer field %v, want %v", got, v.FeePayerField)
				}
				payer, err := RecoverFeePayer(signer, tx)
				if !same(err, v.FeePayerError) || err == nil && payer != *v.FeePayerRecovered {
					t.Errorf("recovered payer %v, %v, want %v", payer, err, v.FeePayerRecovered)
				}
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
				if err == nil || !strings.Contains(err.Error(), "cannot unmarshal hex number > 256 bits") {
					t.Errorf("JSON error %v, want %q", err, *v.JSONRoundTripError)
				}
			} else if !same(err, v.JSONRoundTripError) {
				t.Errorf("JSON error %v, want %v", err, v.JSONRoundTripError)
			}
			if err == nil && back.Hash() != *v.Hash {
				t.Errorf("hash after JSON %v, want %v", back.Hash(), v.Hash)
			}
			out, err := json.Marshal(tx)
			var compact bytes.Buffer
			if cerr := json.Compact(&compact, v.JSON); cerr != nil {
				t.Fatal(cerr)
			}
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
	if len(v.Vectors) == 0 {
		t.Fatal("no vectors")
	}
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
		if err != nil || !bytes.Contains(out, []byte(`"accessList":[]`)) {
			t.Errorf("JSON %s, %v", out, err)
		}
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
	if !made.Equal(latest) || !latest.Equal(made) || !made.Equal(NewAnzeonSigner(config.ChainID)) {
		t.Error("signers of the latest and of a given block differ")
	}
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
		if err != nil {
			t.Fatalf("%T: %v", txdata, err)
		}
		if from, err := Sender(latest, tx); err != nil || from != addr {
			t.Errorf("%T: sender %v, %v", txdata, from, err)
		}
		if VerifyFeePayer(latest, tx) != nil || tx.FeePayer() != nil || tx.FeePayerSigningData(config.ChainID) != nil {
			t.Errorf("%T: has a fee payer", txdata)
		}
		if _, err := RecoverFeePayer(latest, tx); !errors.Is(err, ErrTxTypeNotSupported) {
			t.Errorf("%T: recovered a fee payer: %v", txdata, err)
		}
		if v, r, s := tx.FeePayerSignature(); v != nil || r != nil || s != nil {
			t.Errorf("%T: has a fee payer signature", txdata)
		}
		if tx.Type() != DynamicFeeTxType {
			if _, err := WrapFeeDelegated(tx, to); err == nil || err.Error() != "senderTx type error" {
				t.Errorf("%T: wrapped: %v", txdata, err)
			}
		}
	}
	unprotected := must.Get(SignNewTx(key, HomesteadSigner{}, &LegacyTx{To: &to}))(t)
	if from, err := Sender(latest, unprotected); err != nil || from != addr {
		t.Errorf("unprotected: sender %v, %v", from, err)
	}
	blob := NewTx(&BlobTx{ChainID: uint256.MustFromBig(config.ChainID)})
	if _, err := Sender(latest, blob); !errors.Is(err, ErrTxTypeNotSupported) {
		t.Errorf("blob transaction: %v", err)
	}
	// Inert: no other chain knows type 0x16.
	tx := rawTx(t, validFeeDelegates(t)[0].Raw)
	config.Anzeon = nil
	for _, s := range []Signer{
		MakeSigner(config, new(big.Int), 0), LatestSigner(config), LatestSignerForChainID(config.ChainID),
	} {
		if _, err := s.Sender(tx); !errors.Is(err, ErrTxTypeNotSupported) {
			t.Errorf("%T accepts type 0x16: %v", s, err)
		}
	}
	if _, err := RecoverFeePayer(HomesteadSigner{}, tx); !errors.Is(err, ErrInvalidChainId) {
		t.Errorf("recovered a fee payer without chain ID: %v", err)
	}
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
	if tx.BlobGas() != 0 || tx.BlobHashes() != nil || tx.SetCodeAuthorizations() != nil {
		t.Error("fields of other types are set")
	}
	base := big.NewInt(20_000_000_000_000)
	if a, b := tx.EffectiveGasTipValue(base), senderTx.EffectiveGasTipValue(base); a.Cmp(b) != 0 {
		t.Errorf("effective tip %v, want %v", a, b)
	}
	price, want := tx.inner.effectiveGasPrice(new(big.Int), base), senderTx.inner.effectiveGasPrice(new(big.Int), base)
	if price.Cmp(want) != 0 {
		t.Errorf("effective price %v, want %v", price, want)
	}
	*tx.FeePayer() = common.Address{}
	if *tx.FeePayer() != v.FeePayer {
		t.Error("FeePayer hands out its field")
	}
	empty := NewTx(new(FeeDelegateTx))
	if _, err := empty.MarshalBinary(); err != nil {
		t.Error(err)
	}
	if empty.FeePayer() != nil || VerifyFeePayer(NewAnzeonSigner(common.Big1), empty) == nil {
		t.Error("an absent payer verifies")
	}
	signer := NewAnzeonSigner(v.ChainID.ToInt())
	must.Get(RecoverFeePayer(signer, tx))(t)
	// A changed signature must not find the old payer in the cache.
	forged := must.Get(tx.WithSignature(NewFeeDelegateSigner(v.ChainID.ToInt()), bytes.Repeat([]byte{1}, 65)))(t)
	if err := VerifyFeePayer(signer, forged); !errors.Is(err, ErrInvalidFeePayer) {
		t.Errorf("forged signature: %v", err)
	}
	if err := VerifyFeePayer(signer, tx); err != nil {
		t.Error(err)
	}
	if _, err := tx.WithSignature(NewFeeDelegateSigner(v.ChainID.ToInt()), []byte{1}); err == nil {
		t.Error("took a signature of one byte")
	}
}

func TestSenderCost(t *testing.T) {
	v := validFeeDelegates(t)[0]
	fresh := func() *Transaction { return rawTx(t, v.Raw) }
	tx := fresh()
	if tx.Value().Sign() == 0 {
		t.Fatal("the vector moves no value")
	}
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
		if got := c.tx.SenderCost(); got.Cmp(c.want) != 0 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
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
		if err != nil || !bytes.Equal(enc, raw) {
			t.Fatalf("encodes to %x, %v", enc, err)
		}
		if tx.Hash() != crypto.Keccak256Hash(raw) || tx.Size() != uint64(len(raw)) {
			t.Fatal("hash or size differ from the encoding's")
		}
		tx.SenderCost()
		payer, err := RecoverFeePayer(signer, tx)
		valid := err == nil && tx.FeePayer() != nil && *tx.FeePayer() == payer
		if valid != (VerifyFeePayer(signer, tx) == nil) {
			t.Fatal("recovery and verification disagree")
		}
		out := must.Get(json.Marshal(tx))(t)
		back := new(Transaction)
		if json.Unmarshal(out, back) == nil && back.Hash() != tx.Hash() {
			t.Fatal("JSON changes the transaction")
		}
	})
}
