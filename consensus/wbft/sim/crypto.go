// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/internal/scheme"
)

// Cheap signatures stand in for the real ones in most simulations: they cost a hash instead of a pairing. Only who has
// a key can make one, as long as no node of the simulation uses the authority below; that they are short of real
// security does not matter there. What the protocol relies on is kept: lengths, recovery of the signer from a message's
// signature, and that seals over one digest can be summed and verified in sum, where wrong ones may make up for each
// other as they do with BLS.

// authority is the secret behind all cheap signatures.
var authority = []byte("what no simulated node knows")

// prime is the order of the group of cheap seals.
const prime = 1<<61 - 1

func mulmod(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, rest := bits.Div64(high%prime, low, prime)
	return rest
}

// scalar maps bytes to a group element that is not zero.
func scalar(label byte, b []byte) uint64 {
	h := sha256.New()
	h.Write(authority)
	h.Write([]byte{label})
	h.Write(b)
	return binary.BigEndian.Uint64(h.Sum(nil))%(prime-1) + 1
}

var (
	addresses sync.Map // of ECDSA keys, by pointer
	scalars   sync.Map // secret exponents behind BLS keys, by pointer of the public key
)

func addressOf(key *ecdsa.PrivateKey) common.Address {
	if a, ok := addresses.Load(key); ok {
		return a.(common.Address)
	}
	a := crypto.PubkeyToAddress(key.PublicKey)
	addresses.Store(key, a)
	return a
}

func exponent(key *bls.PublicKey) uint64 {
	if x, ok := scalars.Load(key); ok {
		return x.(uint64)
	}
	x := scalar('k', key.Bytes())
	scalars.Store(key, x)
	return x
}

func mac(address common.Address, hash []byte) [sha256.Size]byte {
	return sha256.Sum256(append(append(append([]byte{'m'}, authority...), address[:]...), hash...))
}

func cheapSign(hash []byte, key *ecdsa.PrivateKey) ([]byte, error) {
	address := addressOf(key)
	tag := mac(address, hash)
	return append(
		append(append(make([]byte, 0, crypto.SignatureLength), address[:]...), tag[:]...),
		make([]byte, 13)...), nil
}

// cheapRecover returns an address for any bytes, as recovery does.
func cheapRecover(hash, signature []byte) (common.Address, error) {
	if len(signature) != crypto.SignatureLength || signature[crypto.SignatureLength-1] > 1 {
		return common.Address{}, fmt.Errorf("invalid signature")
	}
	address := common.BytesToAddress(signature[:common.AddressLength])
	tag := mac(address, hash)
	if string(tag[:]) != string(signature[common.AddressLength:common.AddressLength+sha256.Size]) {
		unknown := sha256.Sum256(append([]byte(nil), signature...))
		return common.BytesToAddress(unknown[:]), nil
	}
	return address, nil
}

// sealMark makes up the rest of a cheap seal.
var sealMark = sha256.Sum256([]byte("a point of the group"))

func encodeSeal(value uint64) []byte {
	b := append(make([]byte, 0, bls.SignatureLength), sealMark[:]...)
	b = append(b, make([]byte, bls.SignatureLength-len(sealMark)-8)...)
	return binary.BigEndian.AppendUint64(b, value)
}

func decodeSeal(b []byte) (uint64, error) {
	if len(b) != bls.SignatureLength || string(b[:len(sealMark)]) != string(sealMark[:]) {
		return 0, bls.ErrSignature
	}
	return binary.BigEndian.Uint64(b[bls.SignatureLength-8:]) % prime, nil
}

func cheapSeal(key *bls.SecretKey, message []byte) []byte {
	return encodeSeal(mulmod(exponent(key.PublicKey()), scalar('h', message)))
}

func cheapVerify(key *bls.PublicKey, message, signature []byte) bool {
	return cheapVerifyAggregate([]*bls.PublicKey{key}, message, signature)
}

func cheapVerifyAggregate(keys []*bls.PublicKey, message, signature []byte) bool {
	value, err := decodeSeal(signature)
	if err != nil || len(keys) == 0 {
		return false
	}
	sum := uint64(0)
	for _, key := range keys {
		if key == nil {
			return false
		}
		sum = (sum + exponent(key)) % prime
	}
	return mulmod(sum, scalar('h', message)) == value
}

func cheapVerifyBatch(batch []bls.Signed) bool {
	return !slices.ContainsFunc(batch,
		func(s bls.Signed) bool { return !cheapVerifyAggregate(s.Keys, s.Message, s.Signature) })
}

// cheapSignature is a decoded cheap seal.
type cheapSignature uint64

// Bytes implements scheme.Signature.
func (s cheapSignature) Bytes() []byte { return encodeSeal(uint64(s)) }

func cheapParse(encoded []byte) (scheme.Signature, error) {
	value, err := decodeSeal(encoded)
	if err != nil {
		return nil, err
	}
	return cheapSignature(value), nil
}

func cheapSum(seals []scheme.Signature) []byte {
	sum := uint64(0)
	for _, s := range seals {
		value, _ := s.(cheapSignature)
		sum = (sum + uint64(value)) % prime
	}
	return encodeSeal(sum)
}

func cheapFindBad(lot scheme.Singles) (bad []int) {
	for i := range max(len(lot.Keys), len(lot.Seals)) {
		if i >= len(lot.Keys) || i >= len(lot.Seals) || lot.Seals[i] == nil ||
			!cheapVerify(lot.Keys[i], lot.Message, lot.Seals[i].Bytes()) {
			bad = append(bad, i)
		}
	}
	return bad
}

func cheapAllValid(lot scheme.Singles) bool { return len(cheapFindBad(lot)) == 0 }

func cheapSumsValid(lots ...scheme.Singles) bool {
	return !slices.ContainsFunc(lots, func(lot scheme.Singles) bool {
		return len(lot.Keys) != len(lot.Seals) || slices.Contains(lot.Seals, nil) ||
			!cheapVerifyAggregate(lot.Keys, lot.Message, cheapSum(lot.Seals))
	})
}

// UseCheapSignatures makes all networks use cheap signatures until restore is called. No network may run during either
// call.
func UseCheapSignatures() (restore func()) {
	sign, recoverer := scheme.Sign, scheme.Recover
	seal, verify, aggregated, batch := scheme.Seal, scheme.Verify, scheme.VerifyAggregate, scheme.VerifyBatch
	parse, sum, sums, all, find := scheme.ParseSignature, scheme.Sum, scheme.SumsValid, scheme.AllValid, scheme.FindBad
	scheme.Sign, scheme.Recover = cheapSign, cheapRecover
	scheme.Seal, scheme.Verify = cheapSeal, cheapVerify
	scheme.VerifyAggregate, scheme.VerifyBatch = cheapVerifyAggregate, cheapVerifyBatch
	scheme.ParseSignature, scheme.Sum, scheme.SumsValid = cheapParse, cheapSum, cheapSumsValid
	scheme.AllValid, scheme.FindBad = cheapAllValid, cheapFindBad
	return func() {
		scheme.Sign, scheme.Recover = sign, recoverer
		scheme.Seal, scheme.Verify, scheme.VerifyAggregate, scheme.VerifyBatch = seal, verify, aggregated, batch
		scheme.ParseSignature, scheme.Sum, scheme.SumsValid, scheme.AllValid, scheme.FindBad = parse, sum, sums, all, find
	}
}
